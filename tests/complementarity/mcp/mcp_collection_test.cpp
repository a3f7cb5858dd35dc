// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Every start of the collection and of the held-out classics, solved by auto with default options, and the Jacobians of
// all test problems against differences of F.
#include "tests/problems/mcp_collection.h"
#include "stickslip/complementarity/mcp/mcp_residual.h"
#include "stickslip/complementarity/mcp/mcp_solver.h"
#include "tests/problems/mcp_generators.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <cctype>
#include <cmath>

namespace stickslip::complementarity {
namespace {

struct Case {
  const McpTestProblem* test;
  std::size_t start;
};

const std::vector<McpTestProblem>& collection() {
  static const std::vector<McpTestProblem> problems = mcp_collection();
  return problems;
}

const std::vector<McpTestProblem>& classics() {
  static const std::vector<McpTestProblem> problems = mcp_classics();
  return problems;
}

std::vector<Case> cases(const std::vector<McpTestProblem>& problems) {
  std::vector<Case> all;
  for (const McpTestProblem& test : problems)
    for (std::size_t k = 0; k < test.starts.size(); ++k) all.push_back({&test, k});
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.test->name + "_" + std::to_string(info.param.start);
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

class McpStarts : public testing::TestWithParam<Case> {};

// The requirement: absolute natural residual 1e-8, default options, whatever the problem.
TEST_P(McpStarts, SolvedToAbsoluteTolerance) {
  const auto& [test, start] = GetParam();
  McpSolver solver;
  Eigen::VectorXd x = test->starts[start];
  const SolverSummary summary = solver.solve(test->problem, x);
  EXPECT_EQ(summary.status, Status::Solved) << summary.full_report();
  EXPECT_LE(mcp_residual(test->problem, x).natural, 1e-8) << test->name << " from start " << start;
  EXPECT_TRUE((x.array() >= test->problem.lower.array()).all() && (x.array() <= test->problem.upper.array()).all())
      << "the solution must lie in the box exactly, F is not defined outside";
}

INSTANTIATE_TEST_SUITE_P(Collection, McpStarts, testing::ValuesIn(cases(collection())), case_name);
INSTANTIATE_TEST_SUITE_P(Classics, McpStarts, testing::ValuesIn(cases(classics())), case_name);

TEST(McpCollection, HasAllProblemsAndStarts) {
  EXPECT_EQ(collection().size(), 29U);
  EXPECT_EQ(cases(collection()).size(), 49U);
  EXPECT_GE(classics().size(), 15U);
}

// Published solutions certify that the formulas are those of the literature. Their digits bound the residual:
// complete solutions are exact or given to about 4 digits of numbers up to 50, with derivatives of F up to 1.
TEST(McpCollection, PublishedSolutionsSolveTheFormulas) {
  for (const auto* problems : {&collection(), &classics()})
    for (const McpTestProblem& test : *problems)
      for (const Eigen::VectorXd& x : test.solutions) {
        if (x.size() != test.problem.size() || test.name == "powell-badly") continue;  // few digits, slope 1e4
        EXPECT_LE(mcp_residual(test.problem, x).natural, 2e-3) << test.name << " at " << x.transpose();
      }
}

// Central differences with h = 1e-5 (1 + |x|): truncation h^2 F''' and rounding eps |F| / h, both relative to the size
// of the numbers involved, stay below 1e-5 of (1 + |J_ij| + |F_i|) for these problems.
void expect_jacobian_matches(const McpTestProblem& test, const Eigen::VectorXd& x) {
  const Eigen::Index n = test.problem.size();
  Eigen::SparseMatrix<double> J(n, n);
  Eigen::VectorXd above(n), below(n), f(n);
  if (!test.problem.function(x, f) || !test.problem.jacobian(x, J)) return;
  const Eigen::MatrixXd dense = J;
  Eigen::VectorXd y = x;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double h = 1e-5 * (1 + std::abs(x[j]));
    y[j] = x[j] + h;
    const bool up = test.problem.function(y, above);
    y[j] = x[j] - h;
    const bool down = test.problem.function(y, below);
    y[j] = x[j];
    if (!up || !down) continue;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double difference = (above[i] - below[i]) / (2 * h);
      const double size = 1 + std::abs(dense(i, j)) + std::abs(f[i]) + dense.row(i).cwiseAbs().maxCoeff();
      ASSERT_NEAR(dense(i, j), difference, 1e-5 * size) << test.name << ": dF_" << i << "/dx_" << j;
    }
  }
}

TEST(McpCollection, JacobiansAreTheDerivatives) {
  for (const auto* problems : {&collection(), &classics()})
    for (const McpTestProblem& test : *problems) {
      if (test.problem.size() > 300) continue;
      // Away from the start's special values, so that no term is hidden by a zero; inside the box.
      Eigen::VectorXd x = test.starts[0];
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        x[i] += 0.1 + 0.05 * std::sin(1.0 + static_cast<double>(i));
        x[i] = std::clamp(x[i], test.problem.lower[i] + 1e-3, test.problem.upper[i] - 1e-3);
      }
      expect_jacobian_matches(test, x);
    }
  for (const RandomMcp kind : {RandomMcp::Monotone, RandomMcp::Singular, RandomMcp::Indefinite})
    expect_jacobian_matches(random_mcp(kind, 8, 3), Eigen::VectorXd::Constant(8, 0.7));
}

class RandomMcps : public testing::TestWithParam<RandomMcp> {};

TEST_P(RandomMcps, AreSolvedAndTheKnownSolutionCertifies) {
  McpSolver solver;
  for (const int n : {2, 5, 20})
    for (unsigned seed = 1000; seed < 1030; ++seed) {
      const McpTestProblem test = random_mcp(GetParam(), n, seed);
      // By construction exact up to the rounding of x/unit * unit; units reach 1e3, slopes 1e6.
      EXPECT_LE(mcp_residual(test.problem, test.solutions[0]).natural, 1e-8) << test.name;
      Eigen::VectorXd x = test.starts[0];
      const SolverSummary summary = solver.solve(test.problem, x);
      EXPECT_TRUE(summary.solved()) << test.name << "\n" << summary.full_report();
      EXPECT_LE(mcp_residual(test.problem, x).natural, 1e-8) << test.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomMcps,
                         testing::Values(RandomMcp::Monotone, RandomMcp::Singular, RandomMcp::Indefinite,
                                         RandomMcp::Scaled));

}  // namespace
}  // namespace stickslip::complementarity
