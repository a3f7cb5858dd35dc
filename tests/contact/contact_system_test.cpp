// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/contact_system.h"

#include <gtest/gtest.h>

#include <random>

namespace stickslip {
namespace {

// Random bodies and contacts; body 0 does not move.
struct Scene {
  int dimension;
  model::State state;
  std::vector<contact::BodyDynamics> dynamics;
  std::vector<collision::Contact> contacts;

  Scene(int dimension_in, int bodies, int count, unsigned seed) : dimension(dimension_in) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> x(-1, 1);
    const double z = dimension == 3 ? 1 : 0;
    for (int i = 0; i < bodies; ++i) {
      model::BodyState s;
      s.pose.position = Vec3(x(random), x(random), z * x(random));
      state.bodies.push_back(s);
      contact::BodyDynamics d;
      if (i > 0) {
        d.movable = true;
        d.inverse_mass = Vec3(1 + i, i == 2 ? 0 : 1 + i, dimension == 3 ? 1 + i : 0);  // body 2: y prescribed
        const Mat3 A = Mat3::Random();
        d.inverse_inertia = dimension == 3 ? Mat3(A * A.transpose()) : Mat3(Vec3(0, 0, 2.0 + i).asDiagonal());
      }
      dynamics.push_back(d);
    }
    std::uniform_int_distribution<int> pick(0, bodies - 1);
    while (static_cast<int>(contacts.size()) < count) {
      collision::Contact c;
      c.id.body_a = pick(random), c.id.body_b = pick(random), c.id.feature_a = static_cast<int>(contacts.size());
      if (c.id.body_a >= c.id.body_b) continue;
      c.normal = Vec3(x(random), x(random), z * x(random)).normalized();
      c.point_a = Vec3(x(random), x(random), z * x(random));
      c.point_b = Vec3(x(random), x(random), z * x(random));
      contacts.push_back(c);
    }
    std::sort(contacts.begin(), contacts.end(), [](const auto& p, const auto& q) { return p.id < q.id; });
  }

  // J and A^-1 as dense matrices, straight from their definition.
  [[nodiscard]] Eigen::MatrixXd delassus(std::span<const contact::ContactRows> rows) const {
    const auto n = static_cast<Eigen::Index>(contacts.size()) * dimension,
               m = static_cast<Eigen::Index>(state.bodies.size()) * 6;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, m), inverse = Eigen::MatrixXd::Zero(m, m);
    for (std::size_t i = 0; i < dynamics.size(); ++i) {
      inverse.block<3, 3>(6 * i, 6 * i) = dynamics[i].inverse_mass.asDiagonal();
      inverse.block<3, 3>(6 * i + 3, 6 * i + 3) = dynamics[i].inverse_inertia;
    }
    for (std::size_t c = 0; c < contacts.size(); ++c)
      for (int k = 0; k < dimension; ++k) {
        const Vec3 d = rows[c].direction[k];
        const auto row = static_cast<Eigen::Index>(c) * dimension + k;
        const int a = contacts[c].id.body_a, b = contacts[c].id.body_b;
        J.block<1, 3>(row, 6 * a) = d.transpose();
        J.block<1, 3>(row, 6 * a + 3) = (contacts[c].point_a - state.bodies[a].pose.position).cross(d).transpose();
        J.block<1, 3>(row, 6 * b) = -d.transpose();
        J.block<1, 3>(row, 6 * b + 3) = -(contacts[c].point_b - state.bodies[b].pose.position).cross(d).transpose();
      }
    return J * inverse * J.transpose();
  }
};

void expect_delassus(const Scene& scene, contact::ContactSystem& system) {
  const Eigen::MatrixXd W = scene.delassus(system.rows());
  const int D = scene.dimension;
  Eigen::MatrixXd assembled = Eigen::MatrixXd::Zero(W.rows(), W.cols());
  std::size_t seen = 0;
  for (const contact::Island& island : system.islands()) {
    seen += island.contacts.size();
    const auto& B = island.problem.W;
    EXPECT_EQ(complementarity::validate([&] {
                complementarity::ContactProblem p = island.problem;
                std::fill(p.q.begin(), p.q.end(), 0.0);
                std::fill(p.mu.begin(), p.mu.end(), 0.5);
                return p;
              }()),
              "");
    for (int i = 0; i < B.rows(); ++i)
      for (int p = B.row_start[i]; p < B.row_start[i + 1]; ++p)
        for (int k = 0; k < D; ++k)
          for (int l = 0; l < D; ++l)
            assembled(island.contacts[i] * D + k, island.contacts[B.column[p]] * D + l) = B.value[(p * D + k) * D + l];
  }
  EXPECT_EQ(seen, scene.contacts.size());
  EXPECT_LT((assembled - W).norm(), 1e-13 * W.norm());  // sums of some ten products
}

TEST(ContactSystem, AssemblesTheDelassusMatrix) {
  for (int dimension : {2, 3})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      Scene scene(dimension, 2 + static_cast<int>(seed) % 5, 1 + static_cast<int>(seed), seed);
      contact::ContactSystem system;
      for (int repeat = 0; repeat < 2; ++repeat) {  // the second time with the pattern kept
        system.build(dimension, scene.state, scene.contacts, scene.dynamics);
        system.assemble(scene.dynamics);
        expect_delassus(scene, system);
      }
      system.build_single(dimension, std::vector<contact::ContactRows>(system.rows().begin(), system.rows().end()),
                          scene.dynamics);
      system.assemble(std::vector<contact::ContactRows>(system.rows().begin(), system.rows().end()), scene.dynamics);
      expect_delassus(scene, system);
    }
}

TEST(ContactSystem, BodiesThatMoveConnectIslandsAndOthersDoNot) {
  Scene scene(3, 5, 0, 1);
  const auto touch = [&](int a, int b) {
    collision::Contact c;
    c.id.body_a = a, c.id.body_b = b;
    scene.contacts.push_back(c);
  };
  touch(0, 1), touch(0, 2), touch(0, 4), touch(1, 3);  // 1-3 are one island; 2 and 4 rest on the fixed body alone
  contact::ContactSystem system;
  system.build(3, scene.state, scene.contacts, scene.dynamics);
  ASSERT_EQ(system.islands().size(), 3u);
  EXPECT_EQ(system.islands()[0].contacts, (std::vector<int>{0, 3}));
  EXPECT_EQ(system.islands()[1].contacts, (std::vector<int>{1}));
  EXPECT_EQ(system.islands()[2].contacts, (std::vector<int>{2}));
}

TEST(ContactFrame, IsRightHandedOrthonormalAndFollowsTheNormal) {
  std::mt19937 random(7);
  std::normal_distribution<double> x;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 n = Vec3(x(random), x(random), x(random)).normalized();
    contact::ContactRows rows, near;
    contact::set_frame(n, 3, rows);
    const Vec3 turned = (n + 0.05 * Vec3(x(random), x(random), x(random))).normalized();
    contact::carry_frame(rows, turned, 3, near);
    for (const contact::ContactRows* r : {&rows, &near}) {
      Mat3 R;
      R << r->direction[1], r->direction[2], r->direction[0];
      EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-14);
      EXPECT_NEAR(R.determinant(), 1, 1e-14);
    }
    // A frame carried along turns no more than the normal does (tangents of a plain construction may jump).
    EXPECT_LT((near.direction[1] - rows.direction[1]).norm(), 1.5 * (turned - n).norm() + 1e-15);
  }
}

}  // namespace
}  // namespace stickslip
