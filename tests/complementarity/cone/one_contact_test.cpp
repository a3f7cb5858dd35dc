// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/one_contact.h"

#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <numbers>

namespace stickslip::complementarity {
namespace {

template <int D>
using Block = Eigen::Matrix<double, D, D, Eigen::RowMajor>;
template <int D>
using Vector = Eigen::Matrix<double, D, 1>;

template <int D>
double defect(ContactKind kind, double mu, double given, const Block<D>& W, const Vector<D>& q, const Vector<D>& r) {
  const Vector<D> u = W * r + q;
  const double size = std::max({q.norm(), u.norm(), r.norm()});
  return std::sqrt(natural_defect_squared<D>(kind, mu, given, r.data(), u.data())) / (size > 0 ? size : 1.0);
}

// Positive definite, sometimes nearly singular, with strong coupling of normal and tangent.
template <int D>
Block<D> random_block(PortableRandom& random, double smallest) {
  Eigen::Matrix<double, D, D> A;
  for (int k = 0; k < D * D; ++k) A(k / D, k % D) = random.normal();
  return A * A.transpose() + smallest * Block<D>::Identity();
}

template <int D>
void expect_exact(std::uint64_t seed) {
  PortableRandom random(seed);
  const Block<D> W = random_block<D>(random, std::pow(10, random.uniform(-8, 0)));
  Vector<D> q, r = Vector<D>::Zero();
  for (int k = 0; k < D; ++k) q[k] = random.normal();
  const double mu = random.index(10) == 0 ? 0.0 : std::pow(10, random.uniform(-2, 1));
  const double given = random.uniform(0, 2);
  double slip_rate = 0;
  // The root of the slip equation is found to rounding; blocks of condition up to 1e9 amplify that.
  constexpr double kTolerance = 1e-10;
  for (ContactKind kind : {ContactKind::Frictional, ContactKind::Support, ContactKind::Bilateral}) {
    slip_rate = 0;
    for (int again = 0; again < 3; ++again)  // cold, then from the remembered slip rate; bilateral blocks refine
      solve_one_contact<D>(kind, mu, given, W.data(), q.data(), r.data(), slip_rate);
    EXPECT_LE(defect<D>(kind, mu, given, W, q, r), kTolerance) << "seed " << seed << " kind " << static_cast<int>(kind);
  }
}

TEST(OneContact, PlanarSolutionIsExact) {
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) expect_exact<2>(seed);
}

TEST(OneContact, SpatialSolutionIsExact) {
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) expect_exact<3>(seed);
}

// Where the law has one solution (weak coupling) a search over slip directions must find the same impulse.
TEST(OneContact, AgreesWithASearchOverSlipDirections) {
  PortableRandom random(7);
  for (int trial = 0; trial < 200; ++trial) {
    Block<3> W = random_block<3>(random, 1.0);
    W(0, 1) *= 0.1, W(1, 0) = W(0, 1), W(0, 2) *= 0.1, W(2, 0) = W(0, 2);
    const Vector<3> q(-1 - random.uniform(0, 1), 3 * random.normal(), 3 * random.normal());
    const double mu = random.uniform(0.05, 0.5);
    Vector<3> r;
    double slip_rate = 0;
    const ContactMode mode = solve_frictional_contact<3>(W.data(), q.data(), mu, r.data(), slip_rate);
    if (mode != ContactMode::Slip) continue;
    // On the cone with direction angle t: u_n = 0 gives r_n; the law holds where u_t opposes the direction.
    double best = 1e9;
    Vector<3> best_r = Vector<3>::Zero();
    constexpr int kAngles = 20000;
    for (int k = 0; k < kAngles; ++k) {
      const double t = 2 * std::numbers::pi * k / kAngles, c = std::cos(t), s = std::sin(t);
      const double r_n = -q[0] / (W(0, 0) + mu * (W(0, 1) * c + W(0, 2) * s));
      if (!(r_n > 0)) continue;
      const Vector<3> candidate(r_n, mu * r_n * c, mu * r_n * s);
      const Vector<3> u = W * candidate + q;
      const double across = std::fabs(u[1] * -s + u[2] * c), along = u[1] * c + u[2] * s;
      if (along < 0 && across < best) best = across, best_r = candidate;
    }
    EXPECT_LE((best_r - r).norm(), 2e-3 * r.norm()) << "grid of " << kAngles << " directions, trial " << trial;
  }
}

TEST(OneContact, BreaksAwayExactlyAtTheConesBoundary) {
  const Block<3> W = Block<3>::Identity();
  double slip_rate = 0;
  Vector<3> r;
  for (double excess : {-1e-9, 1e-9}) {
    const Vector<3> q(-1, 0.5 * (1 + excess), 0);
    const ContactMode mode = solve_frictional_contact<3>(W.data(), q.data(), 0.5, r.data(), slip_rate);
    EXPECT_EQ(mode, excess < 0 ? ContactMode::Stick : ContactMode::Slip);
    const Vector<3> u = W * r + q;
    EXPECT_NEAR(u[1], excess < 0 ? 0.0 : 0.5e-9, 1e-14) << "rounding, and the regularisation of 1e-15";
  }
}

TEST(OneContact, SeparatesWithoutImpulse) {
  const Block<2> W = Block<2>::Identity();
  const Vector<2> q(1e-300, 5);
  Vector<2> r;
  double slip_rate = 0;
  EXPECT_EQ(solve_frictional_contact<2>(W.data(), q.data(), 1, r.data(), slip_rate), ContactMode::Separate);
  EXPECT_EQ(r.norm(), 0.0);
}

TEST(OneContact, ZeroRowsAreHarmless) {
  Block<3> W = Block<3>::Zero();
  W(0, 0) = 2, W(1, 1) = 3;  // the second tangent cannot be moved, and nothing moves it
  const Vector<3> q(-1, 0.1, 0);
  Vector<3> r;
  double slip_rate = 0;
  EXPECT_EQ(solve_frictional_contact<3>(W.data(), q.data(), 0.5, r.data(), slip_rate), ContactMode::Stick);
  EXPECT_LE(defect<3>(ContactKind::Frictional, 0.5, 0, W, q, r), 1e-15);
  // The ground's own velocity along a direction that W cannot move: it must slide.
  const Vector<3> moving(-1, 0.1, 0.3);
  EXPECT_EQ(solve_frictional_contact<3>(W.data(), moving.data(), 0.5, r.data(), slip_rate), ContactMode::Slip);
  EXPECT_LE(defect<3>(ContactKind::Frictional, 0.5, 0, W, moving, r), 1e-14);
}

}  // namespace
}  // namespace stickslip::complementarity
