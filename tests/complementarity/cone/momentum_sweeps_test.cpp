// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Coloured sweeps with momentum: contacts that give way are solved, with the same bits for any number of threads.
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "tests/problems/contact_generators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace stickslip::complementarity {
namespace {

// A pile whose contacts give way by `share` of a contact's own W_nn.
ContactProblem soft_pile(int dimension, int base, double mu, double share) {
  ContactProblem problem = sphere_pile(dimension, base, mu);
  const int D = problem.dimension();
  for (int diagonal : problem.W.diagonal) {
    double* block = problem.W.value.data() + static_cast<std::size_t>(diagonal) * D * D;
    block[0] *= 1 + share;
  }
  return problem;
}

std::vector<double> velocity(const ContactProblem& problem, const std::vector<double>& r) {
  std::vector<double> u = problem.q;
  const int D = problem.dimension();
  for (int i = 0; i < problem.contacts(); ++i)
    for (int p = problem.W.row_start[i]; p < problem.W.row_start[i + 1]; ++p)
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l)
          u[i * D + k] +=
              problem.W.value[(static_cast<std::size_t>(p) * D + k) * D + l] * r[problem.W.column[p] * D + l];
  return u;
}

TEST(MomentumSweeps, SolveContactsThatGiveWay) {
  for (const int D : {2, 3})
    for (const double mu : {0.0, 0.3, 0.8}) {
      const ContactProblem problem = soft_pile(D, D == 2 ? 15 : 6, mu, 1);
      ContactSolver solver;
      SolverOptions options;
      options.tolerance = 1e-8;
      std::vector<double> r, reference;
      const SolverSummary summary = solver.solve(problem, r, options, "sweeps");
      EXPECT_TRUE(summary.solved()) << D << " " << mu << ": " << summary.brief_report();
      EXPECT_STREQ(summary.solver, "sweeps");
      EXPECT_LE(contact_residual(problem, r).error, 1e-8);
      // Where the load is not redundant (compliance makes normal impulses unique) Newton's answer is the same.
      ASSERT_TRUE(solver.solve(problem, reference, options, "auto").solved());
      const std::vector<double> u = velocity(problem, r), v = velocity(problem, reference);
      double difference = 0, size = 0;
      for (std::size_t k = 0; k < u.size(); ++k) {
        difference = std::max(difference, std::fabs(u[k] - v[k]));
        size = std::max(size, std::fabs(problem.q[k]));
      }
      if (mu == 0) {
        EXPECT_LT(difference, 1e-5 * size) << "a convex problem: one answer, to the certificate times its condition";
      }
    }
}

TEST(MomentumSweeps, SameBitsForAnyNumberOfThreads) {
  const ContactProblem problem = soft_pile(3, 7, 0.5, 1);
  ASSERT_GT(problem.contacts(), 450) << "so many that three threads are used";
  std::vector<double> expected;
  int iterations = 0;
  for (const int threads : {1, 2, 3, 1}) {
    ContactSolver solver;
    SolverOptions options;
    options.threads = threads;
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::vector<double> r;
      const SolverSummary summary = solver.solve(problem, r, options, "sweeps");
      EXPECT_TRUE(summary.solved());
      if (expected.empty()) expected = r, iterations = summary.iterations;
      EXPECT_EQ(iterations, summary.iterations);
      ASSERT_EQ(std::memcmp(r.data(), expected.data(), r.size() * sizeof(double)), 0) << threads << " threads";
    }
  }
}

// Stiffer contacts, with friction: sweeps run in circles, thousands of them. What keeps them from ending is a few contacts
// that slide slowly or change their mode; Newton's method on these (local_newton.h) ends it.
TEST(MomentumSweeps, NewtonOnTheContactsInTheWayEndsWhatSweepsDoNot) {
  const ContactProblem problem = soft_pile(2, 20, 0.5, 0.01);
  SolverOptions options;
  options.tolerance = 1e-6;
  ContactSolver solver;
  std::vector<double> alone, helped;
  EXPECT_FALSE(solver.solve(problem, alone, options, "sweeps").solved()) << "else this tests nothing";
  options.give_up_early = true;
  const SolverSummary summary = solver.solve(problem, helped, options, "sweeps");
  EXPECT_TRUE(summary.solved()) << summary.brief_report();
  EXPECT_LE(contact_residual(problem, helped).error, 1e-6);
  EXPECT_LT(summary.iterations, 1500);
}

// Rigid contacts may be too much for them: they end, and claim nothing.
TEST(MomentumSweeps, ClaimNothingThatIsNotCertified) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RandomContactProblem random = random_contact_problem(seed);
    ContactSolver solver;
    std::vector<double> r;
    const SolverSummary summary = solver.solve(random.problem, r, {}, "sweeps");
    EXPECT_EQ(summary.solved(), contact_residual(random.problem, r).error <= SolverOptions{}.tolerance)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace stickslip::complementarity
