// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#define STICKSLIP_COUNT_ALLOCATIONS
#include "tests/support/allocation_counter.h"

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/mcp/mcp_residual.h"
#include "stickslip/complementarity/mcp/mcp_solver.h"
#include "tests/problems/mcp_collection.h"
#include "tests/problems/mcp_from_formula.h"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <random>

namespace stickslip::complementarity {
namespace {

using namespace elementary;

// Newton on a transcendental system has a unique root: x = cos y, y = sin x / 2.
TEST(McpSolver, EquationsWithFreeUnknownsOnly) {
  McpProblem problem = formula_mcp<2>(
      [](const auto& x, auto& f) {
        f[0] = x[0] - cos(x[1]);
        f[1] = x[1] - sin(x[0]) / 2;
      },
      -kInfinity, kInfinity);
  for (const char* algorithm : {"auto", "newton", "semismooth", "smoothing"}) {
    McpSolver solver;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(2);
    ASSERT_TRUE(solver.solve(problem, x, {}, algorithm).solved()) << algorithm;
    EXPECT_NEAR(x[0], std::cos(x[1]), 1e-8);
    EXPECT_NEAR(x[1], std::sin(x[0]) / 2, 1e-8);
  }
}

// Minimiser of sum exp(x_i) - c_i x_i on [-1, 1]: x_i = clamp(log c_i), F of either sign at the bounds.
TEST(McpSolver, TwoSidedBoundsGiveTheClampedLogarithm) {
  constexpr std::array<double, 5> c{0.01, 0.5, 1, 2, 50};
  McpProblem problem = formula_mcp<5>(
      [c](const auto& x, auto& f) {
        for (std::size_t i = 0; i < 5; ++i) f[i] = exp(x[i]) - c[i];
      },
      -1, 1);
  for (const char* algorithm : {"auto", "newton", "semismooth", "smoothing"}) {
    McpSolver solver;
    Eigen::VectorXd x = Eigen::VectorXd::Constant(5, 7);  // outside: projected
    ASSERT_TRUE(solver.solve(problem, x, {}, algorithm).solved()) << algorithm;
    // F' >= exp(-1), so a residual of 1e-8 bounds the error of x by 3e-8.
    for (int i = 0; i < 5; ++i)
      EXPECT_NEAR(x[i], std::clamp(std::log(c[static_cast<std::size_t>(i)]), -1.0, 1.0), 3e-8) << algorithm;
  }
}

// F returns false outside its domain; the solver must never ask outside the box and must recover inside it.
TEST(McpSolver, UndefinedFunctionIsSteppedBackFrom) {
  int outside = 0, undefined = 0;
  McpProblem problem;
  problem.lower = Eigen::VectorXd::Zero(2);
  problem.upper = Eigen::VectorXd::Constant(2, 10);
  problem.function = [&](const Eigen::VectorXd& x, Eigen::VectorXd& f) {
    if (x.minCoeff() < 0 || x.maxCoeff() > 10) ++outside;
    if (x[0] <= 0.1) {  // a domain that the solver does not know
      ++undefined;
      return false;
    }
    f[0] = std::log(x[0] - 0.1) + x[1];
    f[1] = x[1] + x[0] - 3;
    return true;
  };
  McpSolver solver;
  for (const double first : {0.0, 0.5, 10.0}) {
    Eigen::VectorXd x = Eigen::VectorXd::Constant(2, first);
    const SolverSummary summary = solver.solve(problem, x);  // no Jacobian either: finite differences
    ASSERT_TRUE(summary.solved()) << summary.full_report();
    EXPECT_GT(x[0], 0.1);
  }
  EXPECT_EQ(outside, 0);
  EXPECT_GT(undefined, 0) << "the test should exercise the undefined region";
}

TEST(McpSolver, FunctionThatIsNowhereDefinedIsStalled) {
  McpProblem problem = formula_mcp<1>([](const auto& x, auto& f) { f[0] = log(x[0] - 1e9); }, 0, 1);
  McpSolver solver;
  Eigen::VectorXd x = Eigen::VectorXd::Ones(1);
  const SolverSummary summary = solver.solve(problem, x);
  EXPECT_EQ(summary.status, Status::Stalled);
  EXPECT_EQ(x[0], 1) << "nothing better than the start was seen";
}

// 0 <= x _|_ -1 - x^2: no solution exists. Whatever is said, it must not be "solved".
TEST(McpSolver, NoSolutionIsNotClaimed) {
  McpProblem problem = formula_mcp<1>([](const auto& x, auto& f) { f[0] = -1 - square(x[0]); });
  for (const AlgorithmInfo& info : McpSolver::algorithms()) {
    McpSolver solver;
    Eigen::VectorXd x = Eigen::VectorXd::Ones(1);
    EXPECT_FALSE(solver.solve(problem, x, {}, info.name).solved()) << info.name;
  }
}

TEST(McpSolver, BadInputIsRefused) {
  const McpProblem good = formula_mcp<2>([](const auto& x, auto& f) { f = x; });
  McpSolver solver;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2), short_x = Eigen::VectorXd::Zero(1);
  EXPECT_EQ(solver.solve(good, short_x).status, Status::BadInput);
  EXPECT_EQ(solver.solve(good, x, {}, "no-such-algorithm").status, Status::BadInput);
  McpProblem crossed = good;
  crossed.lower[1] = 2;
  crossed.upper[1] = 1;
  EXPECT_EQ(solver.solve(crossed, x).status, Status::BadInput);
  EXPECT_NE(validate(crossed).find("unknown 1"), std::string::npos);
  McpProblem no_function = good;
  no_function.function = nullptr;
  EXPECT_EQ(solver.solve(no_function, x).status, Status::BadInput);
  McpProblem nan = good;
  nan.lower[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(validate(nan).empty());
  x[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solver.solve(good, x).status, Status::BadInput);
  EXPECT_TRUE(validate(good).empty());
}

TEST(McpSolver, EmptyProblemIsSolved) {
  McpProblem problem;
  problem.function = [](const Eigen::VectorXd&, Eigen::VectorXd&) { return true; };
  McpSolver solver;
  Eigen::VectorXd x(0);
  EXPECT_TRUE(solver.solve(problem, x).solved());
}

TEST(McpSolver, LimitsAreKept) {
  const McpProblem hopeless = formula_mcp<1>([](const auto& x, auto& f) { f[0] = -1 - square(x[0]); });
  McpSolver solver;
  Eigen::VectorXd x = Eigen::VectorXd::Ones(1);
  SolverOptions options;
  options.max_iterations = 7;
  const SolverSummary summary = solver.solve(hopeless, x, options);
  EXPECT_EQ(summary.status, Status::IterationLimit);
  EXPECT_LE(summary.iterations, 7);
  options = {};
  options.time_limit = 0;
  EXPECT_EQ(solver.solve(hopeless, x, options).status, Status::TimeLimit);
}

TEST(McpSolver, HistoryTellsEachIteration) {
  const auto problems = mcp_collection();
  McpSolver solver;
  Eigen::VectorXd x = problems[0].starts[1];
  SolverOptions options;
  options.record_history = true;
  const SolverSummary summary = solver.solve(problems[0].problem, x, options);
  ASSERT_EQ(summary.history.size(), static_cast<std::size_t>(summary.iterations) + 1);
  EXPECT_LE(summary.history.back().residual, 1e-9);
  EXPECT_GT(summary.history.front().residual, 1e-3);
}

// The same bits from a fresh and from a used solver, for problems that take fall-backs and restarts too.
TEST(McpSolver, ResultsDoNotDependOnThePast) {
  McpSolver used;
  for (const McpTestProblem& test : mcp_collection()) {
    if (test.problem.size() > 100) continue;
    for (const Eigen::VectorXd& start : test.starts) {
      McpSolver fresh;
      Eigen::VectorXd a = start, b = start;
      const SolverSummary first = fresh.solve(test.problem, a), second = used.solve(test.problem, b);
      EXPECT_EQ(a, b) << test.name;
      EXPECT_EQ(first.iterations, second.iterations) << test.name;
    }
  }
}

TEST(McpSolver, RepeatedSmallSolvesAllocateNothing) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "sanitizers own malloc";
  for (const McpTestProblem& test : mcp_collection()) {
    if (test.problem.size() > 15) continue;  // the callbacks of larger ones allocate themselves
    McpSolver solver;
    const Eigen::VectorXd& start = test.starts[0];
    Eigen::VectorXd x = start;
    for (int warm = 0; warm < 2; ++warm) {
      x = start;
      ASSERT_TRUE(solver.solve(test.problem, x).solved());
    }
    x = start;
    const long before = tests::allocations();
    const SolverSummary summary = solver.solve(test.problem, x);
    const long count = tests::allocations() - before;
    if (std::string_view(summary.solver) == "affine") continue;  // its late fall-backs allocate, see mcp_solver.h
    EXPECT_EQ(count, 0) << test.name << ", solved by " << summary.solver << " after " << summary.attempts
                        << " attempts";
  }
}

// Differences cost accuracy of J, not of F: the certificate is the same.
TEST(McpSolver, FiniteDifferencesReplaceAMissingJacobian) {
  for (const McpTestProblem& test : mcp_collection()) {
    if (test.problem.size() > 21 || test.name == "munson4") continue;
    McpProblem without = test.problem;
    without.jacobian = nullptr;
    McpSolver solver;
    Eigen::VectorXd x = test.starts[0];
    EXPECT_TRUE(solver.solve(without, x).solved()) << test.name;
    EXPECT_LE(mcp_residual(test.problem, x).natural, 1e-8) << test.name;
  }
}

// Strictly monotone affine problems have one solution: both solvers must find it. With the symmetric part of M at
// least 0.1 I, two points with residuals of 1e-8 differ by less than (1 + |M|) 1e-8 / 0.1 < 1e-5.
TEST(McpSolver, AgreesWithTheAffineSolver) {
  std::mt19937 engine(5);
  const auto uniform = [&engine] { return engine() / 2147483648.0 - 1; };
  for (const int n : {1, 4, 12, 30}) {
    Eigen::MatrixXd B(n, n), S(n, n);
    for (double& b : B.reshaped()) b = uniform();
    for (double& s : S.reshaped()) s = uniform();
    AffineProblem affine;
    affine.is_dense = true;
    affine.dense = B * B.transpose() / n + S - S.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    affine.q = Eigen::VectorXd::NullaryExpr(n, [&] { return 5 * uniform(); });
    affine.lower =
        Eigen::VectorXd::NullaryExpr(n, [&] { return uniform() < -0.5 ? -kInfinity : -1 + 0.5 * uniform(); });
    affine.upper = Eigen::VectorXd::NullaryExpr(n, [&] { return uniform() > 0 ? kInfinity : 1 + 0.5 * uniform(); });
    Eigen::VectorXd z, x = Eigen::VectorXd::Zero(n);
    AffineSolver affine_solver;
    McpSolver mcp_solver;
    ASSERT_TRUE(affine_solver.solve(affine, z).solved());
    ASSERT_TRUE(mcp_solver.solve(to_mcp(affine), x).solved());
    EXPECT_LE((x - z).lpNorm<Eigen::Infinity>(), 1e-5) << "n = " << n;
  }
}

TEST(McpSolver, EveryListedAlgorithmSolvesAnAffineProblem) {
  AffineProblem affine;
  affine.is_dense = true;
  affine.dense = Eigen::MatrixXd{{2, 1}, {1, 2}};
  affine.q = Eigen::VectorXd{{-5, -6}};
  affine.lower = Eigen::VectorXd::Zero(2);
  affine.upper = Eigen::VectorXd::Constant(2, kInfinity);
  for (const AlgorithmInfo& info : McpSolver::algorithms()) {
    McpSolver solver;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(2);
    const SolverSummary summary = solver.solve(to_mcp(affine), x, {}, info.name);
    ASSERT_TRUE(summary.solved()) << info.name;
    EXPECT_NEAR(x[0], 4.0 / 3, 1e-8);
    EXPECT_NEAR(x[1], 7.0 / 3, 1e-8);
    if (std::string_view(info.name) != "auto") {
      EXPECT_STREQ(summary.solver, info.name);
    }
  }
}

}  // namespace
}  // namespace stickslip::complementarity
