// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The certificate of affine problems against wrong answers. Problems are made around a solution in good units, where
// all numbers are of the size of 1 and the law is judged (in long double, by the plain natural map); then rows and
// columns are given other units. What is wrong in good units must be refused in bad ones.
#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/pyramid.h"
#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::complementarity {
namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr double kTolerance = 1e-8;

struct Instance {
  Matrix A;            // in good units
  Vector q, z;         // z solves 0 <= z, A z + q >= 0, one of them 0
  Vector row, column;  // units
  AffineProblem problem;
};

Instance make_instance(std::uint64_t seed) {
  PortableRandom random(seed);
  const int n = 1 + random.index(6);
  Instance made;
  made.A.resize(n, n);
  for (int i = 0; i < n * n; ++i) made.A.data()[i] = random.index(4) == 0 ? 0.0 : random.normal();
  made.A = (made.A * made.A.transpose() + Matrix::Identity(n, n)).eval();
  made.z = Vector::Zero(n);
  Vector w = Vector::Zero(n);
  for (int i = 0; i < n; ++i) (random.index(2) == 0 ? made.z : w)[i] = random.uniform(0.1, 1);
  made.q = w - made.A * made.z;
  made.row.resize(n), made.column.resize(n);
  for (int i = 0; i < n; ++i) {
    made.row[i] = std::pow(10.0L, random.uniform(-1, 1));  // below 1e-4 of the others a row is judged with them
    made.column[i] = std::pow(10.0L, random.uniform(-15, 15));
  }
  const Matrix M = made.row.asDiagonal() * made.A * made.column.asDiagonal();
  made.problem =
      make_lcp(Eigen::MatrixXd(M.cast<double>()), Eigen::VectorXd((made.row.asDiagonal() * made.q).cast<double>()));
  return made;
}

Eigen::VectorXd in_bad_units(const Instance& made, const Vector& z) {
  return (made.column.cwiseInverse().asDiagonal() * z).cast<double>();
}

// Of the law in good units.
Real violation(const Instance& made, const Vector& z) {
  const Vector w = made.A * z + made.q;
  Real worst = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) worst = std::max(worst, std::fabs(std::min(z[i], w[i])));
  return worst / (1 + z.cwiseAbs().sum() * made.A.cwiseAbs().maxCoeff());
}

int accepted_wrong(int count, std::uint64_t seed) {
  int accepted = 0;
  for (int wrong = 0; wrong < count; ++seed) {
    const Instance made = make_instance(seed);
    PortableRandom random(seed ^ 0xadd);
    for (int k = 0; k < 10; ++k) {
      Vector z = made.z;
      const int i = random.index(static_cast<int>(z.size()));
      switch (random.index(5)) {
        case 0: z[i] = 0; break;
        case 1: z[i] += std::pow(10.0L, random.uniform(-2.5, 2)) * random.normal(); break;
        case 2: z.setZero(); break;
        case 3: z *= std::pow(10.0L, random.uniform(-6, 6)); break;
        default:
          for (Eigen::Index j = 0; j < z.size(); ++j) z[j] = std::max(0.0, random.normal());
      }
      // Sizes R_i are sums of up to seven numbers, and effects are relative to them: a factor of 100 covers both.
      if (!(violation(made, z) > 1e-3L)) continue;
      ++wrong;
      const Residual residual = affine_residual(made.problem, in_bad_units(made, z));
      if (residual.error > kTolerance) continue;
      ++accepted;
      ADD_FAILURE() << "seed " << seed << ", answer " << k << ": error " << residual.error << ", violation "
                    << static_cast<double>(violation(made, z));
      if (accepted > 20) return accepted;
    }
  }
  return accepted;
}

TEST(AffineAdversary, NoWrongAnswerIsAccepted) {
  EXPECT_EQ(accepted_wrong(50'000, 1), 0);
}

TEST(AffineAdversary, SlowNoneOfAMillionWrongAnswersIsAccepted) {
  EXPECT_EQ(accepted_wrong(1'000'000, 1'000'000), 0);
}

TEST(AffineAdversary, TheSolutionsThatTheWrongAnswersSurroundAreAccepted) {
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    const Instance made = make_instance(seed);
    // The natural error adds z to w in whatever units they have; the others are what this is about.
    const Residual residual = affine_residual(made.problem, in_bad_units(made, made.z));
    EXPECT_LE(residual.scaled, 1e-12) << "seed " << seed;
    EXPECT_LE(residual.error, std::max(residual.natural, 1e-12)) << "seed " << seed;
  }
}

// A body that falls on a floor with much friction, under a friction pyramid.
TEST(AffineAdversary, FrictionDoesNotHideAPenetratingVelocity) {
  ContactProblem contact;
  contact.W = make_block_matrix(Eigen::MatrixXd::Identity(2, 2).sparseView(), 2);
  contact.q = {-1, 2};
  for (const double mu : {0.5, 1e3, 1e9, 1e15}) {
    contact.mu = {mu};
    const PyramidForm form = make_pyramid(contact, 4);
    // r = 0 and lambda = 2: the law of friction is kept, and the body goes on down.
    Eigen::VectorXd z = Eigen::VectorXd::Zero(form.problem.size());
    AffineSolver solver;
    Eigen::VectorXd right = z;
    ASSERT_TRUE(solver.solve(form.problem, right).solved()) << "mu = " << mu;
    EXPECT_NEAR(form.impulses(right)[0], 1, 1e-7) << "mu = " << mu;
    for (const double part : {0.0, 0.5, 0.99}) {
      z = part * right;
      EXPECT_GT(affine_residual(form.problem, z).error, 1e-6) << "mu = " << mu << ", " << part << " of the answer";
    }
  }
}

}  // namespace
}  // namespace stickslip::complementarity
