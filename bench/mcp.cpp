// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Nonlinear MCPs: every start of the collection and of the held-out classics, one line each.
//
//     bench_mcp [ALGORITHM] [collection|classics|random [COUNT]]
//
// "random" solves COUNT problems (default 200) of each kind and size of mcp_generators.h and prints the success rate.
#include "stickslip/complementarity/mcp/mcp_residual.h"
#include "stickslip/complementarity/mcp/mcp_solver.h"
#include "tests/problems/mcp_collection.h"
#include "tests/problems/mcp_generators.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace stickslip::complementarity;

struct Tally {
  int starts = 0, solved = 0, iterations = 0;
};

// The shortest of a few runs: the work is deterministic, the machine is not.
Tally run(const char* title, const std::vector<McpTestProblem>& problems, const std::string& algorithm) {
  fmt::print("\n{}\n{:<16} {:>5} {:>5}  {:<15} {:>9} {:>6} {:>6} {:>6} {:>9} {:<11} {}\n", title, "problem", "start",
             "n", "status", "residual", "iter", "F", "J", "us", "solver", "attempts");
  Tally tally;
  McpSolver solver;
  for (const McpTestProblem& test : problems)
    for (std::size_t k = 0; k < test.starts.size(); ++k) {
      SolverSummary summary;
      double seconds = 1e9;
      Eigen::VectorXd x;
      for (int repeat = 0; repeat < 5; ++repeat) {
        x = test.starts[k];
        summary = solver.solve(test.problem, x, {}, algorithm);
        seconds = std::min(seconds, summary.seconds);
        if (summary.seconds > 0.1) break;
      }
      const double natural = mcp_residual(test.problem, x).natural;
      fmt::print("{:<16} {:>5} {:>5}  {:<15} {:>9.1e} {:>6} {:>6} {:>6} {:>9.1f} {:<11} {}\n", test.name, k,
                 test.problem.size(), to_string(summary.status), natural, summary.iterations,
                 solver.function_evaluations(), solver.jacobian_evaluations(), 1e6 * seconds, summary.solver,
                 summary.attempts);
      ++tally.starts;
      tally.solved += summary.solved() && natural <= 1e-8;
      tally.iterations += summary.iterations;
    }
  fmt::print("{}: {} of {} starts solved to 1e-8 (absolute natural residual), {} iterations in total\n", title,
             tally.solved, tally.starts, tally.iterations);
  return tally;
}

void run_random(const std::string& algorithm, int count) {
  fmt::print("\nrandom MCPs with a known solution\n{:<12} {:>4} {:>8} {:>8} {:>11} {:>10} {:>12}  {}\n", "kind", "n",
             "problems", "solved", "first start", "iterations", "median us", "seeds that failed");
  constexpr const char* names[] = {"monotone", "singular", "indefinite", "scaled"};
  McpSolver solver;
  for (const RandomMcp kind : {RandomMcp::Monotone, RandomMcp::Singular, RandomMcp::Indefinite, RandomMcp::Scaled})
    for (const int n : {3, 10, 40}) {
      int solved = 0, first = 0, iterations = 0;
      std::vector<double> seconds;
      std::string failed;
      for (int seed = 0; seed < count; ++seed) {
        const McpTestProblem test = random_mcp(kind, n, static_cast<unsigned>(seed));
        Eigen::VectorXd x = test.starts[0];
        SolverOptions options;
        options.time_limit = 2;
        const SolverSummary summary = solver.solve(test.problem, x, options, algorithm);
        const bool ok = summary.solved() && mcp_residual(test.problem, x).natural <= 1e-8;
        solved += ok;
        first += ok && summary.attempts == 1;
        if (!ok) failed += fmt::format(" {}", seed);
        iterations += summary.iterations;
        seconds.push_back(summary.seconds);
      }
      std::nth_element(seconds.begin(), seconds.begin() + count / 2, seconds.end());
      fmt::print("{:<12} {:>4} {:>8} {:>8} {:>11} {:>10} {:>12.1f} {}\n", names[static_cast<int>(kind)], n, count,
                 solved, first, iterations, 1e6 * seconds[static_cast<std::size_t>(count / 2)], failed);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string algorithm = argc > 1 ? argv[1] : "auto";
  const std::string which = argc > 2 ? argv[2] : "";
  const auto known = McpSolver::algorithms();
  if (std::none_of(known.begin(), known.end(), [&](const AlgorithmInfo& info) { return algorithm == info.name; })) {
    fmt::print(stderr, "unknown algorithm {}\n", algorithm);
    return 2;
  }
  if (which.empty() || which == "collection") run("collection", mcp_collection(), algorithm);
  if (which.empty() || which == "classics") run("classics", mcp_classics(), algorithm);
  if (which.empty() || which == "random") run_random(algorithm, argc > 3 ? std::atoi(argv[3]) : 200);
  return EXIT_SUCCESS;
}
