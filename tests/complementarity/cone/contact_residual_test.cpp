// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/contact_residual.h"

#include "tests/problems/contact_generators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stickslip::complementarity {
namespace {

// One spatial contact with W = diag(w_n, w_t, w_t).
ContactProblem one_contact(double w_n, double w_t, double q_n, double q_t, double mu) {
  Eigen::SparseMatrix<double> W(3, 3);
  W.insert(0, 0) = w_n, W.insert(1, 1) = w_t, W.insert(2, 2) = w_t;
  ContactProblem problem;
  problem.W = make_block_matrix(W, 3);
  problem.q = {q_n, q_t, 0};
  problem.mu = {mu};
  return problem;
}

TEST(ContactResidual, OfAnExactSlipIsRounding) {
  // r_n = 1, r_t = -mu: u_n = 0, u_t = 2 - 0.5 > 0 opposes it.
  const Residual residual = contact_residual(one_contact(1, 1, -1, 2, 0.5), std::vector<double>{1, -0.5, 0});
  EXPECT_LE(residual.error, 4e-16);
  EXPECT_LE(residual.complementarity, 1e-16);
}

TEST(ContactResidual, IsTheDistanceToTheProjectionByHand) {
  // r = 0 under q = (-1, 0, 0): defect is P_K((1, 0, 0)) = (1, 0, 0), norms |q| = |u| = 1.
  const Residual residual = contact_residual(one_contact(1, 1, -1, 0, 0.5), std::vector<double>{0, 0, 0});
  EXPECT_DOUBLE_EQ(residual.natural, 1.0);
  EXPECT_DOUBLE_EQ(residual.scaled, 1.0);
  EXPECT_DOUBLE_EQ(residual.dual, 1.0) << "the contact penetrates with all of |u|";
  EXPECT_EQ(residual.primal, 0.0);
}

TEST(ContactResidual, SeesEachViolationInItsPart) {
  const ContactProblem rest = one_contact(1, 1, -1, 0, 0.5);
  EXPECT_GT(contact_residual(rest, std::vector<double>{-1, 0, 0}).primal, 0.1) << "pulling contact";
  EXPECT_GT(contact_residual(rest, std::vector<double>{1, 0.8, 0}).cone, 0.1) << "impulse outside the cone";
  EXPECT_GT(contact_residual(rest, std::vector<double>{2, 0, 0}).complementarity, 0.1) << "pressing and separating";
  EXPECT_GT(contact_residual(rest, std::vector<double>{0.5, 0, 0}).dual, 0.1) << "penetrating";
}

TEST(ContactResidual, PowerThatFrictionDoesNotDissipateCounts) {
  // Slides with u_t = 2 but friction acts across the motion instead of against it.
  const Residual residual = contact_residual(one_contact(1, 1, -1, 2, 0.5), std::vector<double>{1, 0, 0.5});
  EXPECT_GT(residual.complementarity, 0.1);
  EXPECT_GT(residual.error, 0.1);
}

TEST(ContactResidual, ScaledErrorDoesNotDependOnUnits) {
  // Impulses in other units: r -> a r, W -> W / a, u unchanged. The corpus' error changes, the scaled one does not.
  const ContactProblem problem = one_contact(1, 2, -1, 2, 0.5);
  const std::vector<double> r{0.9, -0.45, 0.01};
  const Residual reference = contact_residual(problem, r);
  for (double a : {1e-6, 1e-3, 1e3, 1e6}) {
    ContactProblem other = problem;
    std::vector<double> other_r = r;
    for (double& w : other.W.value) w /= a;
    for (double& x : other_r) x *= a;
    // s scales r', u' and q' by the same root of a, which leaves the ratio alone.
    EXPECT_NEAR(contact_residual(other, other_r).scaled, reference.scaled, 1e-12 * reference.scaled) << "a = " << a;
  }
}

TEST(ContactResidual, SurvivesHugeAndTinyNumbers) {
  const ContactProblem problem = one_contact(1, 1, -1, 2, 0.5);
  const std::vector<double> r{0.8, -0.4, 0};
  const double expected = contact_residual(problem, r).error;
  for (double a : {1e-250, 1e-170, 1e170, 1e250}) {  // the law is positively homogeneous in (r, u, q)
    ContactProblem other = problem;
    std::vector<double> other_r = r;
    for (double& q : other.q) q *= a;
    for (double& x : other_r) x *= a;
    EXPECT_NEAR(contact_residual(other, other_r).error, expected, 1e-12) << "a = " << a;
  }
}

TEST(ContactResidual, IsInfiniteForNumbersThatAreNone) {
  const ContactProblem problem = one_contact(1, 1, -1, 2, 0.5);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(contact_residual(problem, std::vector<double>{bad, 0, 0}).error <= 1e300);
}

TEST(ContactResidual, OfNothingIsZero) {
  EXPECT_EQ(contact_residual(one_contact(1, 1, 0, 0, 0.5), std::vector<double>{0, 0, 0}).error, 0.0);
}

TEST(ContactResidual, FrictionlessSeparationIsExact) {
  // mu = 0, u = (1, 0, 0): the cone is a ray, and the projection of (-1, 0, 0) on it is 0.
  EXPECT_EQ(contact_residual(one_contact(1, 1, 1, 0, 0), std::vector<double>{0, 0, 0}).error, 0.0);
}

TEST(ContactResidual, SupportIgnoresItsNormalVelocity) {
  ContactProblem problem = one_contact(1, 1, -7, 2, 0.5);
  problem.kind = {ContactKind::Support};
  problem.normal_impulse = {3};
  // |r_t| = mu 3 against u_t = 2 - 1.5 > 0.
  EXPECT_LE(contact_residual(problem, std::vector<double>{3, -1.5, 0}).error, 4e-16);
  EXPECT_GT(contact_residual(problem, std::vector<double>{2.5, -1.25, 0}).primal, 0.1) << "not the given load";
}

TEST(ContactResidual, BilateralBlockWantsNoVelocityAtAll) {
  ContactProblem problem = one_contact(2, 4, 1, -2, 0.5);
  problem.kind = {ContactKind::Bilateral};
  EXPECT_LE(contact_residual(problem, std::vector<double>{-0.5, 0.5, 0}).error, 4e-16) << "pulls, and that is allowed";
  EXPECT_GT(contact_residual(problem, std::vector<double>{0, 0.5, 0}).dual, 0.1);
}

TEST(ContactResidual, HeavyUnitsDoNotHideAnError) {
  // A contact of a million units of mass, its impulse short by 0.1 %: the corpus' error is relative to the impulse of
  // 1000 and forgives that, the scaled one does not.
  const Residual residual = contact_residual(one_contact(1e-6, 1e-6, -1e-3, 0, 0.3), std::vector<double>{999, 0, 0});
  EXPECT_LT(residual.natural, 1e-8);
  EXPECT_NEAR(residual.scaled, 1e-3, 1e-5);
  EXPECT_EQ(residual.error, residual.scaled);
}

TEST(ContactResidual, AnImpulseThatDivergesDoesNotCertifyItself) {
  // Two jaws that close on a rigid mass: any squeeze r cancels itself in W r, and u = q whatever r is.
  Eigen::SparseMatrix<double> W(4, 4);
  for (int k : {0, 2}) W.insert(k, k) = 1, W.insert(k + 1, k + 1) = 1;
  W.insert(0, 2) = -1, W.insert(2, 0) = -1, W.insert(1, 3) = 1, W.insert(3, 1) = 1;
  ContactProblem problem;
  problem.W = make_block_matrix(W, 2);
  problem.q = {-1, 0, -1, 0};
  problem.mu = {0.3, 0.3};
  for (double squeeze : {1e6, 1e9, 1e12, 1e17, 1e25}) {  // from 1e16 on, q is lost in rounding
    const Residual residual = contact_residual(problem, std::vector<double>{squeeze, 0, squeeze, 0});
    EXPECT_LT(residual.natural, 1.01 / squeeze) << "what the corpus' error says";
    EXPECT_GT(residual.error, 1e-3) << squeeze;
  }
}

}  // namespace
}  // namespace stickslip::complementarity
