// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// precision.cpp on Bullet, in double precision, 50 iterations, two friction directions.
#include "bench/precision_worlds.h"

#include <btBulletDynamicsCommon.h>

namespace stickslip::bench {
namespace {

btVector3 to(const Vec3& x) {
  return {x.x(), x.y(), x.z()};
}

class BulletWorld : public PrecisionWorld {
 public:
  BulletWorld(const PrecisionScene& scene, double h)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
        plane_({0, 0, 1}, 0),
        h_(h) {
    world_.setGravity(to(scene.gravity));
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = 50;
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    if (scene.is_box)
      shape_ = std::make_unique<btBoxShape>(to(0.5 * scene.size));
    else
      shape_ = std::make_unique<btSphereShape>(scene.size.x());
    floor_ = std::make_unique<btRigidBody>(0, nullptr, &plane_, btVector3(0, 0, 0));
    body_ = std::make_unique<btRigidBody>(scene.mass, nullptr, shape_.get(), to(scene.inertia()));
    const btTransform pose(btQuaternion::getIdentity(), to(scene.position));
    body_->setWorldTransform(pose);
    body_->setInterpolationWorldTransform(pose);
    body_->setLinearVelocity(to(scene.velocity));
    body_->setAngularVelocity(to(scene.spin));
    for (btRigidBody* body : {floor_.get(), body_.get()}) {
      body->setFriction(std::sqrt(scene.mu));  // the product of both counts, also of restitution
      body->setRestitution(std::sqrt(scene.restitution));
      body->setActivationState(DISABLE_DEACTIVATION);
      world_.addRigidBody(body);
    }
  }
  ~BulletWorld() override {
    world_.removeRigidBody(body_.get());
    world_.removeRigidBody(floor_.get());
  }
  void step() override { world_.stepSimulation(h_, 0, h_); }
  [[nodiscard]] Vec3 position() const override {
    const btVector3& p = body_->getWorldTransform().getOrigin();
    return {p.x(), p.y(), p.z()};
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  btStaticPlaneShape plane_;
  std::unique_ptr<btCollisionShape> shape_;
  std::unique_ptr<btRigidBody> floor_, body_;
  double h_;
};

}  // namespace

std::vector<PrecisionPeer> bullet_precision() {
  return {
      {"Bullet", true, [](const PrecisionScene& scene, double h) { return std::make_unique<BulletWorld>(scene, h); }}};
}

}  // namespace stickslip::bench
