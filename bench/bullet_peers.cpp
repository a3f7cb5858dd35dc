// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The pile on Bullet, in double precision: sequential impulses with two friction directions, several numbers of
// iterations. Warm start as it comes.
#include "bench/piles_peers.h"

#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

namespace stickslip::bench {
namespace {

btVector3 to(const Vec3& x) {
  return {x.x(), x.y(), x.z()};
}
Vec3 from(const btVector3& x) {
  return {x.x(), x.y(), x.z()};
}

class BulletPile : public PeerPile {
 public:
  BulletPile(const PileData& pile, int iterations)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
        sphere_(pile.radius) {
    world_.setGravity({0, 0, -pile.gravity});
    btContactSolverInfo& info = world_.getSolverInfo();
    info.m_numIterations = iterations;
    info.m_leastSquaresResidualThreshold = 0;
    info.m_splitImpulse = 0;
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    const auto add_plane = [&](const Vec3& normal, double offset) {
      planes_.push_back(std::make_unique<btStaticPlaneShape>(to(normal), offset));
      add(0, planes_.back().get(), btVector3(0, 0, 0), btVector3(0, 0, 0), pile.mu, walls_);
    };
    add_plane(Vec3::UnitZ(), 0);
    for (const double sign : {1.0, -1.0}) {
      add_plane(sign * Vec3::UnitX(), -0.5 * pile.side);
      add_plane(sign * Vec3::UnitY(), -0.5 * pile.side);
    }
    const double inertia = 0.4 * pile.mass * pile.radius * pile.radius;
    for (const Vec3& centre : pile.centre) {
      add(pile.mass, &sphere_, btVector3(inertia, inertia, inertia), to(centre), pile.mu, bodies_);
      bodies_.back()->setUserIndex(static_cast<int>(bodies_.size()) - 1);
    }
  }
  ~BulletPile() override {
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
    for (auto& wall : walls_) world_.removeRigidBody(wall.get());
  }

  void step(double h) override {
    h_ = h;
    world_.stepSimulation(h, 0, h);
  }
  [[nodiscard]] std::vector<PeerContact> contacts() const override {
    std::vector<PeerContact> out;
    auto& dispatcher = const_cast<btCollisionDispatcher&>(dispatcher_);
    const double erp = world_.getSolverInfo().m_erp2;
    for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
      const btPersistentManifold* manifold = dispatcher.getManifoldByIndexInternal(m);
      for (int k = 0; k < manifold->getNumContacts(); ++k) {
        const btManifoldPoint& point = manifold->getContactPoint(k);
        PeerContact contact;
        contact.a = manifold->getBody0()->getUserIndex(), contact.b = manifold->getBody1()->getUserIndex();
        contact.normal = from(point.m_normalWorldOnB);
        contact.point = from(point.getPositionWorldOnB());
        const double gap = point.getDistance();
        contact.bias = gap > 0 ? gap / h_ : erp * gap / h_;
        contact.impulse = from(point.m_appliedImpulse * point.m_normalWorldOnB +
                               point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                               point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2);
        out.push_back(contact);
      }
    }
    return out;
  }
  [[nodiscard]] std::vector<PeerVelocity> velocities() const override {
    std::vector<PeerVelocity> out;
    for (const auto& body : bodies_) out.push_back({from(body->getLinearVelocity()), from(body->getAngularVelocity())});
    return out;
  }
  [[nodiscard]] std::vector<Vec3> positions() const override {
    std::vector<Vec3> out;
    for (const auto& body : bodies_) out.push_back(from(body->getWorldTransform().getOrigin()));
    return out;
  }

 private:
  using Bodies = std::vector<std::unique_ptr<btRigidBody>>;
  void add(double mass, btCollisionShape* shape, const btVector3& inertia, const btVector3& place, double mu,
           Bodies& list) {
    list.push_back(std::make_unique<btRigidBody>(mass, nullptr, shape, inertia));
    btRigidBody& body = *list.back();
    const btTransform pose(btQuaternion::getIdentity(), place);
    body.setWorldTransform(pose);
    body.setInterpolationWorldTransform(pose);
    body.setFriction(std::sqrt(mu));  // the product of both counts
    body.setActivationState(DISABLE_DEACTIVATION);
    body.setUserIndex(-1);
    world_.addRigidBody(&body);
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  btSphereShape sphere_;
  std::vector<std::unique_ptr<btStaticPlaneShape>> planes_;
  Bodies walls_, bodies_;
  double h_ = 0;
};

}  // namespace

std::vector<Peer> bullet_peers() {
  std::vector<Peer> peers;
  for (const int iterations : {10, 100, 1000})
    peers.push_back({fmt::format("Bullet, {} iterations", iterations),
                     [iterations](const PileData& pile) { return std::make_unique<BulletPile>(pile, iterations); }});
  return peers;
}

}  // namespace stickslip::bench
