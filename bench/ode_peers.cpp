// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The pile on ODE: quick step (sweeps over a friction pyramid) with several numbers of sweeps, and world step (Dantzig's
// pivoting on the same pyramid).
#include "bench/piles_peers.h"

#include <fmt/format.h>
#include <ode/ode.h>

namespace stickslip::bench {
namespace {

class OdePile : public PeerPile {
 public:
  OdePile(const PileData& pile, int sweeps)
      : world_(dWorldCreate()),
        space_(dHashSpaceCreate(nullptr)),
        group_(dJointGroupCreate(0)),
        mu_(pile.mu),
        sweeps_(sweeps) {
    dWorldSetGravity(world_, 0, 0, -pile.gravity);
    if (sweeps > 0) dWorldSetQuickStepNumIterations(world_, sweeps);
    dCreatePlane(space_, 0, 0, 1, 0);
    for (const double sign : {1.0, -1.0}) {
      dCreatePlane(space_, sign, 0, 0, -0.5 * pile.side);
      dCreatePlane(space_, 0, sign, 0, -0.5 * pile.side);
    }
    for (const Vec3& centre : pile.centre) {
      dMass m;
      dMassSetSphereTotal(&m, pile.mass, pile.radius);
      dBodyID body = dBodyCreate(world_);
      dBodySetMass(body, &m);
      dGeomID geometry = dCreateSphere(space_, pile.radius);
      dGeomSetBody(geometry, body);
      dBodySetPosition(body, centre.x(), centre.y(), centre.z());
      dBodySetData(body, reinterpret_cast<void*>(bodies_.size()));
      bodies_.push_back(body);
    }
  }
  ~OdePile() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void step(double h) override {
    dJointGroupEmpty(group_);
    found_.clear();
    h_ = h;
    dSpaceCollide(space_, this, &OdePile::collide);
    feedback_.assign(found_.size(), {});
    for (std::size_t c = 0; c < found_.size(); ++c) dJointSetFeedback(joint_[c], &feedback_[c]);
    sweeps_ > 0 ? dWorldQuickStep(world_, h) : dWorldStep(world_, h);
  }
  [[nodiscard]] std::vector<PeerContact> contacts() const override {
    std::vector<PeerContact> out = found_;
    for (std::size_t c = 0; c < out.size(); ++c) {
      const dReal* f = feedback_[c].f1;
      out[c].impulse = (turned_[c] ? -h_ : h_) * Vec3(f[0], f[1], f[2]);
    }
    return out;
  }
  [[nodiscard]] std::vector<PeerVelocity> velocities() const override {
    std::vector<PeerVelocity> out;
    for (dBodyID body : bodies_) {
      const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
      out.push_back({Vec3(v[0], v[1], v[2]), Vec3(w[0], w[1], w[2])});
    }
    return out;
  }
  [[nodiscard]] std::vector<Vec3> positions() const override {
    std::vector<Vec3> out;
    for (dBodyID body : bodies_) {
      const dReal* p = dBodyGetPosition(body);
      out.emplace_back(p[0], p[1], p[2]);
    }
    return out;
  }

 private:
  static int index_of(dBodyID body) {
    return body == nullptr ? -1 : static_cast<int>(reinterpret_cast<std::size_t>(dBodyGetData(body)));
  }
  static void collide(void* self, dGeomID a, dGeomID b) {
    auto& pile = *static_cast<OdePile*>(self);
    dContact contact = {};
    if (dCollide(a, b, 1, &contact.geom, sizeof(dContact)) != 1) return;
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = pile.mu_;
    dBodyID first = dGeomGetBody(contact.geom.g1), second = dGeomGetBody(contact.geom.g2);
    // The normal points into the first body. Feedback is told for the first body that there is.
    const std::size_t c = pile.found_.size();
    pile.joint_.resize(std::max(pile.joint_.size(), c + 1)), pile.turned_.resize(std::max(pile.turned_.size(), c + 1));
    pile.joint_[c] = dJointCreateContact(pile.world_, pile.group_, &contact);
    dJointAttach(pile.joint_[c], first, second);
    PeerContact found;
    found.a = index_of(first), found.b = index_of(second);
    found.point = Vec3(contact.geom.pos[0], contact.geom.pos[1], contact.geom.pos[2]);
    found.normal = Vec3(contact.geom.normal[0], contact.geom.normal[1], contact.geom.normal[2]);
    found.bias = -dWorldGetERP(pile.world_) * contact.geom.depth / pile.h_;
    pile.turned_[c] = first == nullptr;
    pile.found_.push_back(found);
  }

  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  double mu_, h_ = 0;
  int sweeps_;  // 0: world step
  std::vector<dBodyID> bodies_;
  std::vector<PeerContact> found_;
  std::vector<dJointID> joint_;
  std::vector<char> turned_;
  std::vector<dJointFeedback> feedback_;
};

}  // namespace

std::vector<Peer> ode_peers() {
  dInitODE2(0);
  std::vector<Peer> peers;
  for (const int sweeps : {20, 100, 1000})
    peers.push_back({fmt::format("ODE, quick step, {} sweeps", sweeps),
                     [sweeps](const PileData& pile) { return std::make_unique<OdePile>(pile, sweeps); }});
  peers.push_back({"ODE, world step", [](const PileData& pile) { return std::make_unique<OdePile>(pile, 0); }});
  return peers;
}

}  // namespace stickslip::bench
