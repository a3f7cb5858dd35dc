// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/ode_worlds.h"

#include "bench/common/stopwatch.h"

#include <ode/ode.h>

#include <cmath>
#include <random>
#include <vector>

namespace stickslip::bench {
namespace {

class OdeWorld {
 public:
  OdeWorld(double gx, double gz, double mu)
      : world_(dWorldCreate()), space_(dHashSpaceCreate(nullptr)), contacts_(dJointGroupCreate(0)), mu_(mu) {
    dWorldSetGravity(world_, gx, 0, gz);
  }
  ~OdeWorld() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  void add_plane(double a, double b, double c, double d) { dCreatePlane(space_, a, b, c, d); }
  dBodyID add_sphere(double mass, double radius, double x, double y, double z) {
    dMass m;
    dMassSetSphereTotal(&m, mass, radius);
    return add(m, dCreateSphere(space_, radius), x, y, z);
  }
  dBodyID add_box(double mass, double lx, double ly, double lz, double z) {
    dMass m;
    dMassSetBoxTotal(&m, mass, lx, ly, lz);
    return add(m, dCreateBox(space_, lx, ly, lz), 0, 0, z);
  }

  double run(int steps, int measured) {
    for (int k = 0; k < steps - measured; ++k) step();
    const Stopwatch watch;
    for (int k = 0; k < measured; ++k) step();
    return watch.seconds() / measured;
  }

 private:
  dBodyID add(const dMass& mass, dGeomID geometry, double x, double y, double z) {
    dBodyID body = dBodyCreate(world_);
    dBodySetMass(body, &mass);
    dGeomSetBody(geometry, body);
    dBodySetPosition(body, x, y, z);
    return body;
  }
  void step() {
    dSpaceCollide(space_, this, &OdeWorld::collide);
    dWorldQuickStep(world_, 1e-3);
    dJointGroupEmpty(contacts_);
  }
  static void collide(void* self, dGeomID a, dGeomID b) {
    auto& world = *static_cast<OdeWorld*>(self);
    dContact contact[8] = {};
    const int n = dCollide(a, b, 8, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < n; ++i) {
      contact[i].surface.mode = dContactApprox1;
      contact[i].surface.mu = world.mu_;
      dJointAttach(dJointCreateContact(world.world_, world.contacts_, &contact[i]), dGeomGetBody(a), dGeomGetBody(b));
    }
  }

  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  double mu_;
};

// ODE's library state, once per process.
struct OdeLibrary {
  OdeLibrary() { dInitODE2(0); }
  ~OdeLibrary() { dCloseODE(); }
};
void start_library() {
  static const OdeLibrary library;
}

}  // namespace

double ode_ball(int steps, int measured) {
  start_library();
  OdeWorld world(0, -9.8, 0.2);
  world.add_plane(0, 0, 1, 0);
  dBodyID ball = world.add_sphere(0.2, 0.05, 0, 0, 0.05);
  dBodySetLinearVel(ball, 1, 0.5, 0);
  dBodySetAngularVel(ball, 40, -20, -10);
  return world.run(steps, measured);
}

double ode_box_on_slope(int steps, int measured) {
  start_library();
  OdeWorld world(9.81 * 0.5 / std::sqrt(1.25), -9.81 / std::sqrt(1.25), 0.6);
  world.add_plane(0, 0, 1, 0);
  world.add_box(1, 0.2, 0.2, 0.1, 0.05);
  return world.run(steps, measured);
}

double ode_pile(int n, int row, int steps, int measured) {
  start_library();
  const double radius = 0.05, pitch = 2.2 * radius, side = row * pitch + 0.4 * radius;
  OdeWorld world(0, -9.81, 0.5);
  world.add_plane(0, 0, 1, 0);
  for (const double sign : {1.0, -1.0}) {
    world.add_plane(sign, 0, 0, -0.5 * side);
    world.add_plane(0, sign, 0, -0.5 * side);
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> shift(-0.06 * radius, 0.06 * radius);
  for (int i = 0; i < n; ++i)
    world.add_sphere(0.5, radius, (i % row - (row - 1) / 2.0) * pitch + shift(random),
                     (i / row % row - (row - 1) / 2.0) * pitch + shift(random),
                     1.2 * radius + pitch * (i / (row * row)));
  return world.run(steps, measured);
}

}  // namespace stickslip::bench
