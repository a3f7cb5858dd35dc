// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/one_contact.h"
#include "stickslip/complementarity/cone/one_contact_residual.h"
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace stickslip::testing {
namespace {

template <int D>
complementarity::ContactProblem problem_of(double mu, const double* W, const double* q) {
  complementarity::ContactProblem problem;
  problem.W.block_size = D;
  problem.W.row_start = {0, 1};
  problem.W.column = problem.W.diagonal = {0};
  problem.W.value.assign(W, W + D * D);
  problem.q.assign(q, q + D);
  problem.mu = {mu};
  return problem;
}

template <int D>
void compare(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 2000; ++k) {
    double A[D * D], W[D * D] = {}, q[D], r[D];
    const double size = std::pow(10.0, 3 * normal(random)), speed = std::pow(10.0, 2 * normal(random));
    for (double& a : A) a = normal(random);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j)
        for (int l = 0; l < D; ++l) W[i * D + j] += size * A[i * D + l] * A[j * D + l];
    for (double& x : q) x = speed * normal(random);
    const double mu = std::fabs(normal(random));
    double rate = 0;
    (void)complementarity::solve_frictional_contact<D>(W, q, mu, r, rate);
    const complementarity::ContactProblem problem = problem_of<D>(mu, W, q);
    // An answer, and something that is none: both certificates say the same.
    for (const double off : {0.0, 1e-9, 0.1, 3.0}) {
      double x[D];
      for (int i = 0; i < D; ++i) x[i] = r[i] * (1 + off * normal(random));
      const double general = complementarity::contact_residual(problem, std::span<const double>(x, D)).error;
      EXPECT_NEAR(complementarity::one_contact_error<D>(mu, W, q, x), general, 1e-12 * general + 2e-16)
          << "problem " << k;
    }
  }
}

TEST(SingleContact, CertificateOfFixedSizeIsTheGeneralOne) {
  compare<2>(1);
  compare<3>(2);
}

TEST(SingleContact, HugeAndTinyNumbersAreLeftToTheGeneralCertificate) {
  const std::array<double, 4> W = {1, 0, 0, 1};
  const std::array<double, 2> q = {-1e200, 0}, r = {1e200, 0};
  EXPECT_EQ(complementarity::one_contact_error<2>(0.5, W.data(), q.data(), r.data()),
            complementarity::Residual::kUnknown);
}

// A ball alone is stepped in a fixed size, beside another one by the general path: not one bit differs.
TEST(SingleContact, FixedSizeAndGeneralPathGiveTheSameBits) {
  for (const double restitution : {0.0, 0.5}) {
    model::Model alone = ball(0.2, Vec3(1, 0.5, 0), Vec3(40, -20, -10));
    alone.surfaces[0].restitution = restitution;
    alone.bodies[0].initial.pose.position.z() += restitution > 0 ? 0.05 : 0.0;
    model::Model both = alone;
    both.bodies.push_back(both.bodies[0]);
    both.bodies.back().initial.pose.position.x() += 100;
    both.laws = model::PairLaws(both.bodies.size(), 0);
    Experiment one(alone, method(kFirstOrder, 1e-3)), two(both, method(kFirstOrder, 1e-3));
    ASSERT_TRUE(one.simulation.run_until(1));
    ASSERT_TRUE(two.simulation.run_until(1));
    EXPECT_EQ(one.body(0).pose.position, two.body(0).pose.position);
    EXPECT_EQ(one.body(0).pose.orientation.coeffs(), two.body(0).pose.orientation.coeffs());
    EXPECT_EQ(one.body(0).velocity.linear, two.body(0).velocity.linear);
    EXPECT_EQ(one.body(0).velocity.angular, two.body(0).velocity.angular);
  }
}

}  // namespace
}  // namespace stickslip::testing
