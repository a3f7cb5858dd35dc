// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// precision.cpp on ODE: world step, which solves its friction pyramid by pivoting, and quick step with 50 sweeps.
#include "bench/precision_worlds.h"

#include <ode/ode.h>

#include <cstdarg>

namespace stickslip::bench {
namespace {

class OdeWorld : public PrecisionWorld {
 public:
  OdeWorld(const PrecisionScene& scene, double h, bool quick)
      : world_(dWorldCreate()),
        space_(dSimpleSpaceCreate(nullptr)),
        group_(dJointGroupCreate(0)),
        body_(dBodyCreate(world_)),
        h_(h),
        quick_(quick) {
    dWorldSetGravity(world_, scene.gravity.x(), scene.gravity.y(), scene.gravity.z());
    dWorldSetQuickStepNumIterations(world_, 50);
    dCreatePlane(space_, 0, 0, 1, 0);
    dMass m;
    const Vec3 I = scene.inertia();
    dMassSetParameters(&m, scene.mass, 0, 0, 0, I.x(), I.y(), I.z(), 0, 0, 0);
    dBodySetMass(body_, &m);
    dGeomID geometry = scene.is_box ? dCreateBox(space_, scene.size.x(), scene.size.y(), scene.size.z())
                                    : dCreateSphere(space_, scene.size.x());
    dGeomSetBody(geometry, body_);
    dBodySetPosition(body_, scene.position.x(), scene.position.y(), scene.position.z());
    dBodySetLinearVel(body_, scene.velocity.x(), scene.velocity.y(), scene.velocity.z());
    dBodySetAngularVel(body_, scene.spin.x(), scene.spin.y(), scene.spin.z());
    surface_.mode = dContactApprox1;
    surface_.mu = scene.mu;
    if (scene.restitution > 0) {
      surface_.mode |= dContactBounce;
      surface_.bounce = scene.restitution;
    }
  }
  ~OdeWorld() override {
    dJointGroupDestroy(group_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  void step() override {
    dJointGroupEmpty(group_);
    dSpaceCollide(space_, this, &OdeWorld::collide);
    quick_ ? dWorldQuickStep(world_, h_) : dWorldStep(world_, h_);
  }
  [[nodiscard]] Vec3 position() const override {
    const dReal* p = dBodyGetPosition(body_);
    return {p[0], p[1], p[2]};
  }

 private:
  static void collide(void* self, dGeomID a, dGeomID b) {
    auto& world = *static_cast<OdeWorld*>(self);
    dContact contacts[8] = {};
    const int found = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < found; ++k) {
      contacts[k].surface = world.surface_;
      dJointAttach(dJointCreateContact(world.world_, world.group_, &contacts[k]), dGeomGetBody(contacts[k].geom.g1),
                   dGeomGetBody(contacts[k].geom.g2));
    }
  }

  dWorldID world_;
  dSpaceID space_;
  dJointGroupID group_;
  dBodyID body_;
  dSurfaceParameters surface_ = {};
  double h_;
  bool quick_;
};

}  // namespace

std::vector<PrecisionPeer> ode_precision() {
  dInitODE2(0);
  dSetMessageHandler([](int, const char*, va_list) {});  // of its pivoting; the table says what came of it
  const auto peer = [](bool quick) {
    return [quick](const PrecisionScene& scene, double h) { return std::make_unique<OdeWorld>(scene, h, quick); };
  };
  return {{"ODE, world step", true, peer(false)}, {"ODE, quick step", true, peer(true)}};
}

}  // namespace stickslip::bench
