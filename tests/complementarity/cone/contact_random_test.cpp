// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random contact problems that have a solution: every one must be certified. bench_robustness does the same for
// 100,000.
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "tests/problems/contact_generators.h"

#include <gtest/gtest.h>

namespace stickslip::complementarity {
namespace {

void expect_all_certified(std::uint64_t first, std::uint64_t last) {
  ContactSolver solver;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const RandomContactProblem random = random_contact_problem(seed);
    std::vector<double> r;
    const SolverSummary summary = solver.solve(random.problem, r);
    EXPECT_TRUE(summary.solved()) << "seed " << seed << ": " << to_string(random.family) << " "
                                  << to_string(random.variant) << ", error " << summary.residual.error;
    // The certificate must not depend on who computes it.
    EXPECT_EQ(contact_residual(random.problem, r).error, summary.residual.error) << "seed " << seed;
  }
}

TEST(RandomContacts, AreAllCertified) {
  expect_all_certified(1, 400);
}

TEST(RandomContactsSlow, AreAllCertified) {
  expect_all_certified(401, 20000);
}

// Problems that took tens of attempts while the solver was made: slow drift along nearly flat valleys, nearly parallel
// contacts under mass ratios of 1e6.
TEST(RandomContactsSlow, HardOnesAreCertified) {
  for (std::uint64_t seed : {802u, 38580u, 43423u, 47902u, 66416u, 1074141u}) expect_all_certified(seed, seed);
}

TEST(RandomContacts, FamiliesAndVariantsAllOccur) {
  bool seen[5][4] = {};
  int planar = 0, spatial = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const RandomContactProblem random = random_contact_problem(seed);
    seen[static_cast<int>(random.family)][static_cast<int>(random.variant)] = true;
    (random.problem.dimension() == 2 ? planar : spatial) += 1;
    EXPECT_EQ(validate(random.problem), "") << "seed " << seed;
    EXPECT_GE(random.problem.contacts(), 1);
    EXPECT_LE(random.problem.contacts(), 40);
  }
  for (const auto& family : seen)
    for (bool variant : family) EXPECT_TRUE(variant);
  EXPECT_GT(planar, 150);
  EXPECT_GT(spatial, 150);
}

// Rigid jaws and wedges that close: no solver may claim these. A start on the way to infinity must not be taken either.
void expect_all_refused(std::uint64_t first, std::uint64_t last, double closing) {
  ContactSolver solver;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const ContactProblem problem = squeezed_contact_problem(seed, closing);
    std::vector<double> r;
    const SolverSummary summary = solver.solve(problem, r);
    EXPECT_EQ(summary.status, Status::Stalled)
        << "seed " << seed << " closing " << closing << " error " << summary.residual.error;
  }
}

TEST(SqueezedContacts, AreRefused) {
  for (std::uint64_t seed : {14u, 21u, 24u, 39u}) expect_all_refused(seed, seed, 1.0);
}

TEST(SqueezedContactsSlow, AreRefusedHoweverSlowlyTheyClose) {
  for (double closing : {1.0, 1e-2, 1e-4}) expect_all_refused(1, 60, closing);
}

TEST(SqueezedContacts, ImpulsesThatGrowWithoutBoundAreNoAnswer) {
  // Along y the impulses cancel each other: r grows inside the cones, u stays, until q drowns in rounding.
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ContactProblem problem = squeezed_contact_problem(seed);
    const int D = problem.dimension(), n = problem.contacts();
    std::vector<double> r(problem.q.size(), 0.0);
    for (double size = 1; size < 1e30; size *= 10) {
      for (int c = 0; c < n; ++c) r[c * D] = size / problem.W.value[problem.W.diagonal[c] * D * D];
      EXPECT_GT(contact_residual(problem, r).error, 1e-7) << "seed " << seed << " size " << size;
    }
  }
}

TEST(SqueezedContacts, AreRefusedInAnyUnits) {
  ContactSolver solver;
  for (double mass : {1e-9, 1e9})
    for (double length : {1e-6, 1e6}) {
      ContactProblem problem = squeezed_contact_problem(14);
      for (double& w : problem.W.value) w /= mass;
      for (double& q : problem.q) q *= length;
      for (double& n : problem.normal_impulse) n *= mass * length;
      std::vector<double> r;
      EXPECT_EQ(solver.solve(problem, r).status, Status::Stalled) << "mass " << mass << " length " << length;
    }
}

// A hair of compliance makes the same jaws solvable: r_n = closing speed / compliance, however large.
TEST(SqueezedContacts, WithALittleComplianceAreSolved) {
  for (double softness : {1e-2, 1e-4, 1e-6}) {
    Eigen::MatrixXd W(4, 4);
    W << 1 + softness, 0, -1, 0, 0, 1, 0, 1, -1, 0, 1 + softness, 0, 0, 1, 0, 1;
    ContactProblem problem;
    problem.W = make_block_matrix(W.sparseView(), 2);
    problem.q = {-1, 0.5, -1, 0.5};
    problem.mu = {0.3, 0.3};
    ContactSolver solver;
    std::vector<double> r;
    ASSERT_TRUE(solver.solve(problem, r).solved()) << softness;
    // u is known to 1e-8 of |q|, times at most the cap of 10; r is that over the compliance.
    EXPECT_NEAR(r[0] * softness, 1.0, 2e-7) << softness;
    EXPECT_NEAR(r[2] * softness, 1.0, 2e-7) << softness;
  }
}

}  // namespace
}  // namespace stickslip::complementarity
