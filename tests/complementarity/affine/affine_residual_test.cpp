// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/affine_residual.h"

#include "tests/complementarity/affine/affine_checks.h"
#include "tests/problems/affine_generators.h"
#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>

namespace stickslip::complementarity {
namespace {

TEST(AffineResidual, IsZeroAtASolutionAndNotBesideIt) {
  const AffineProblem problem = make_lcp(Eigen::MatrixXd::Identity(2, 2), Eigen::Vector2d(-1, 1));
  EXPECT_EQ(affine_residual(problem, Eigen::Vector2d(1, 0)).error, 0);
  EXPECT_NEAR(affine_residual(problem, Eigen::Vector2d(1.001, 0)).natural, 0.001 / 2, 1e-15);
  EXPECT_GT(affine_residual(problem, Eigen::Vector2d(1, 0.1)).error, 1e-3);
}

TEST(AffineResidual, NaturalPartIsThatOfTheFormat) {
  const KnownProblem known = monotone(20, 1);
  Eigen::VectorXd z = known.solution;
  z[3] += 0.01;
  const double expected = tests::plain_residual(known.problem, z) / (1 + known.problem.q.lpNorm<Eigen::Infinity>());
  EXPECT_NEAR(affine_residual(known.problem, z).natural, expected, 1e-15);
}

TEST(AffineResidual, ScaledPartSeesWhatTheNaturalPartOverlooks) {
  // Impulses of a micronewton-second: z = 0 passes the natural test at 1e-5, although nothing is solved.
  AffineProblem problem = make_lcp(Eigen::MatrixXd::Constant(1, 1, 1e12), Eigen::VectorXd::Constant(1, -1e-6));
  const Residual residual = affine_residual(problem, Eigen::VectorXd::Zero(1));
  EXPECT_LT(residual.natural, 1e-5);
  EXPECT_GT(residual.scaled, 0.9);
}

TEST(AffineResidual, ScaledPartDoesNotDependOnUnits) {
  const KnownProblem known = semidefinite(15, 2);
  Eigen::VectorXd z = known.solution * 1.001;
  const double reference = affine_residual(known.problem, z).scaled;
  for (const double unit : {1e-9, 1e-3, 1e6}) {
    AffineProblem scaled = known.problem;
    scaled.dense *= unit;  // z in units 1/unit
    EXPECT_NEAR(affine_residual(scaled, z / unit).scaled, reference, 1e-9 * reference);
  }
}

TEST(AffineResidual, PartsNameWhatIsWrong) {
  const AffineProblem problem = make_lcp(Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Constant(1, -1));
  EXPECT_GT(affine_residual(problem, Eigen::VectorXd::Constant(1, -0.5)).primal, 0.5);
  EXPECT_GT(affine_residual(problem, Eigen::VectorXd::Constant(1, 0.5)).dual, 0.4);
  EXPECT_GT(affine_residual(problem, Eigen::VectorXd::Constant(1, 2)).complementarity, 0.5);
}

TEST(AffineResidual, GarbageIsNeverSmall) {
  const AffineProblem problem = make_lcp(Eigen::MatrixXd::Identity(2, 2), Eigen::Vector2d(-1, 1));
  EXPECT_EQ(affine_residual(problem, Eigen::Vector2d(NAN, 0)).error, Residual::kUnknown);
  EXPECT_EQ(affine_residual(problem, Eigen::Vector2d(INFINITY, 0)).error, Residual::kUnknown);
  EXPECT_EQ(affine_residual(problem, Eigen::VectorXd::Zero(3)).error, Residual::kUnknown);
  AffineProblem broken = problem;
  broken.dense(1, 0) = NAN;
  EXPECT_EQ(affine_residual(broken, Eigen::Vector2d(1, 0)).error, Residual::kUnknown);
}

TEST(AffineProblem, ValidateSaysWhatIsWrong) {
  AffineProblem problem = make_lcp(Eigen::MatrixXd::Identity(2, 2), Eigen::Vector2d(-1, 1));
  EXPECT_EQ(validate(problem), "");
  problem.lower[1] = 2;
  problem.upper[1] = 1;
  EXPECT_NE(validate(problem).find("lower bound 2 above upper bound 1"), std::string::npos);
  problem.upper[1] = NAN;
  EXPECT_NE(validate(problem), "");
  problem = make_lcp(Eigen::MatrixXd::Identity(3, 3), Eigen::Vector2d(-1, 1));
  EXPECT_NE(validate(problem).find("3 x 3"), std::string::npos);
}

// Rows are measured four at a time: sizes with and without a remainder, all kinds of bounds, against the definition.
TEST(AffineResidual, EveryRowCountsWhateverItsPlaceAndBounds) {
  PortableRandom random(3);
  for (int n = 1; n <= 13; ++n)
    for (int worst = 0; worst < n; ++worst) {
      Eigen::VectorXd lower(n), upper(n), z(n), q(n);
      for (int i = 0; i < n; ++i) {
        const int kind = random.index(4);
        lower[i] = kind % 2 == 0 ? -kInfinity : random.uniform(-1, 0);
        upper[i] = kind < 2 ? kInfinity : random.uniform(0.5, 1);
        z[i] = 0.25;
        q[i] = -0.25;  // w = z + q = 0
      }
      q[worst] += random.uniform(-2, 2);
      Eigen::SparseMatrix<double> identity(n, n);
      identity.setIdentity();
      const AffineProblem problem = make_box_lcp(identity, q, lower, upper);
      const double w = z[worst] + q[worst];
      const double expected = std::fabs(z[worst] - std::clamp(z[worst] - w, lower[worst], upper[worst]));
      const Residual residual = affine_residual(problem, z);
      EXPECT_DOUBLE_EQ(residual.natural, expected / (1 + q.lpNorm<Eigen::Infinity>()));
      const double gap = w > 0 ? z[worst] - lower[worst] : upper[worst] - z[worst];
      EXPECT_EQ(residual.dual > 0, gap == kInfinity);
      EXPECT_EQ(residual.complementarity > 0, gap != kInfinity);
      z[worst] = NAN;
      EXPECT_EQ(affine_residual(problem, z).error, Residual::kUnknown);
    }
}

}  // namespace
}  // namespace stickslip::complementarity
