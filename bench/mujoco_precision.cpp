// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// precision.cpp on MuJoCo: stock, and with the stiffest contacts that its documentation recommends (solref of two steps, elliptic
// cone, impratio 1000). It has no coefficient of restitution.
#include "bench/precision_worlds.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <unistd.h>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace stickslip::bench {
namespace {

std::string describe(const PrecisionScene& scene, double h, bool stiff) {
  const Vec3 I = scene.inertia(), half = 0.5 * scene.size;
  const std::string shape = scene.is_box ? fmt::format("type='box' size='{} {} {}'", half.x(), half.y(), half.z())
                                         : fmt::format("type='sphere' size='{}'", scene.size.x());
  return fmt::format(
      "<mujoco><option timestep='{}' gravity='{} {} {}' cone='{}' impratio='{}' {}/><default><geom condim='3' "
      "friction='{} "
      "0 0' {}/></default><worldbody><geom type='plane' size='50 50 1'/><body pos='{} {} {}'><freejoint/><inertial "
      "pos='0 "
      "0 0' mass='{}' diaginertia='{} {} {}'/><geom {}/></body></worldbody></mujoco>",
      h, scene.gravity.x(), scene.gravity.y(), scene.gravity.z(), stiff ? "elliptic" : "pyramidal", stiff ? 1000 : 1,
      stiff ? "tolerance='1e-14' iterations='200'" : "", scene.mu,
      stiff ? fmt::format("solref='{} 1' solimp='.999 .9999 .0001 .5 2'", 2 * h) : "", scene.position.x(),
      scene.position.y(), scene.position.z(), scene.mass, I.x(), I.y(), I.z(), shape);
}

class MujocoWorld : public PrecisionWorld {
 public:
  MujocoWorld(const PrecisionScene& scene, double h, bool stiff) {
    char name[] = "/tmp/precision_XXXXXX";
    const int file = mkstemp(name);
    if (file < 0) throw std::runtime_error("no temporary file for MuJoCo");
    close(file);
    std::ofstream(name) << describe(scene, h, stiff);
    char error[500] = "";
    model_ = mj_loadXML(name, nullptr, error, sizeof error);
    unlink(name);
    if (model_ == nullptr) throw std::runtime_error(error);
    data_ = mj_makeData(model_);
    for (int k = 0; k < 3; ++k) data_->qvel[k] = scene.velocity[k], data_->qvel[3 + k] = scene.spin[k];
  }
  ~MujocoWorld() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  void step() override { mj_step(model_, data_); }
  [[nodiscard]] Vec3 position() const override { return {data_->qpos[0], data_->qpos[1], data_->qpos[2]}; }

 private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

std::vector<PrecisionPeer> mujoco_precision() {
  mju_user_warning = [](const char*) {};  // of its line search; the table says what came of it
  const auto peer = [](bool stiff) {
    return [stiff](const PrecisionScene& scene, double h) { return std::make_unique<MujocoWorld>(scene, h, stiff); };
  };
  return {{"MuJoCo, stock", false, peer(false)}, {"MuJoCo, stiff", false, peer(true)}};
}

}  // namespace stickslip::bench
