// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The pile on MuJoCo: its contacts give way and creep by design (a convex problem in their place). Judged by the rigid
// law all the same: "stock" with its default softness, "stiff" with the stiffest that its documentation recommends
// (solref of two steps, elliptic cone, impratio 1000).
#include "bench/piles_peers.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <unistd.h>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace stickslip::bench {
namespace {

constexpr double kStep = 1e-3;  // of examples/pile: MuJoCo's is part of its model

class MujocoPile : public PeerPile {
 public:
  MujocoPile(const PileData& pile, bool stiff, double h) {
    std::string text = fmt::format(
        "<mujoco><compiler angle='radian'/><option timestep='{}' gravity='0 0 {}' cone='{}' impratio='{}' {}/>"
        "<size njmax='{}' nconmax='{}'/><default><geom condim='3' friction='{} 0 0' {}/></default><worldbody>",
        h, -pile.gravity, stiff ? "elliptic" : "pyramidal", stiff ? 1000 : 1,
        stiff ? "tolerance='1e-14' iterations='200'" : "", 60 * pile.centre.size(), 12 * pile.centre.size(), pile.mu,
        stiff ? fmt::format("solref='{} 1' solimp='.999 .9999 .0001 .5 2'", 2 * h) : "");
    text += "<geom type='plane' size='5 5 1'/>";
    const double wall = 0.5 * pile.side;
    text += fmt::format(
        "<geom type='plane' size='5 5 1' pos='{0} 0 0' zaxis='1 0 0'/><geom type='plane' size='5 5 1' pos='{1} 0 0' "
        "zaxis='-1 0 0'/><geom type='plane' size='5 5 1' pos='0 {0} 0' zaxis='0 1 0'/><geom type='plane' size='5 5 1' "
        "pos='0 {1} 0' zaxis='0 -1 0'/>",
        -wall, wall);
    const double inertia = 0.4 * pile.mass * pile.radius * pile.radius;
    for (const Vec3& p : pile.centre)
      text += fmt::format(
          "<body pos='{} {} {}'><freejoint/><inertial pos='0 0 0' mass='{}' diaginertia='{} {} {}'/><geom "
          "type='sphere' size='{}'/></body>",
          p.x(), p.y(), p.z(), pile.mass, inertia, inertia, inertia, pile.radius);
    text += "</worldbody></mujoco>";
    char name[] = "/tmp/pile_XXXXXX";
    const int file = mkstemp(name);
    if (file < 0) throw std::runtime_error("no temporary file for MuJoCo");
    close(file);
    std::ofstream(name) << text;
    char error[500] = "";
    model_ = mj_loadXML(name, nullptr, error, sizeof error);
    unlink(name);
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
  }
  ~MujocoPile() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }

  void step(double h) override {
    h_ = h;
    mj_step(model_, data_);
  }
  [[nodiscard]] std::vector<PeerContact> contacts() const override {
    std::vector<PeerContact> out;
    for (int c = 0; c < data_->ncon; ++c) {
      const mjContact& contact = data_->contact[c];
      if (contact.efc_address < 0) continue;
      // The frame's first axis points from the first geometry to the second; the force is on the second.
      PeerContact found;
      found.a = model_->geom_bodyid[contact.geom2] - 1, found.b = model_->geom_bodyid[contact.geom1] - 1;
      mjtNum force[6];
      mj_contactForce(model_, data_, c, force);
      const mjtNum* f = contact.frame;
      found.normal = Vec3(f[0], f[1], f[2]);
      found.point = Vec3(contact.pos[0], contact.pos[1], contact.pos[2]);
      found.impulse = h_ * (force[0] * Vec3(f[0], f[1], f[2]) + force[1] * Vec3(f[3], f[4], f[5]) +
                            force[2] * Vec3(f[6], f[7], f[8]));
      found.bias = contact.dist > 0 ? contact.dist / h_ : 0.0;
      out.push_back(found);
    }
    return out;
  }
  [[nodiscard]] std::vector<PeerVelocity> velocities() const override {
    std::vector<PeerVelocity> out;
    for (int i = 0; i + 1 < model_->nbody; ++i) {
      const mjtNum *v = data_->qvel + 6 * i, *q = data_->qpos + 7 * i + 3;
      mjtNum world[3];
      mju_rotVecQuat(world, v + 3, q);
      out.push_back({Vec3(v[0], v[1], v[2]), Vec3(world[0], world[1], world[2])});
    }
    return out;
  }
  [[nodiscard]] std::vector<Vec3> positions() const override {
    std::vector<Vec3> out;
    for (int i = 0; i + 1 < model_->nbody; ++i) {
      const mjtNum* q = data_->qpos + 7 * i;
      out.emplace_back(q[0], q[1], q[2]);
    }
    return out;
  }

 private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  double h_ = 0;
};

}  // namespace

std::vector<Peer> mujoco_peers() {
  return {{"MuJoCo, stock", [](const PileData& pile) { return std::make_unique<MujocoPile>(pile, false, kStep); }},
          {"MuJoCo, stiff", [](const PileData& pile) { return std::make_unique<MujocoPile>(pile, true, kStep); }}};
}

}  // namespace stickslip::bench
