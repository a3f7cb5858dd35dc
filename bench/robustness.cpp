// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random contact problems, solved cold by `auto` at its default options: how many are certified, how many refused.
//
//     bench_robustness [problems = 100000] [first seed = 1] [threads = 2] [squeezed = problems / 500]
//
// Certified means that the independent residual of the posed problem, in both scalings, is at most 1e-8. Every refused
// problem is listed with its seed; `bench_robustness 1 SEED` solves it alone. After that, problems without a solution
// (jaws and wedges that close, squeezed_contact_problem): none may be certified. Exit code 1 when one of the first was
// refused or one of the second certified.
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "tests/problems/contact_generators.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace stickslip::complementarity;

namespace {

struct Result {
  ContactFamily family;
  ContactVariant variant;
  int dimension, contacts, attempts, iterations;
  double error, seconds;
  bool certified;
};

Result run(std::uint64_t seed, ContactSolver& solver) {
  const RandomContactProblem random = random_contact_problem(seed);
  std::vector<double> r;
  const SolverSummary summary = solver.solve(random.problem, r);
  const Residual residual = contact_residual(random.problem, r);
  return {random.family,
          random.variant,
          random.problem.dimension(),
          random.problem.contacts(),
          summary.attempts,
          summary.iterations,
          residual.error,
          summary.seconds,
          summary.solved() && residual.error <= 1e-8};
}

void print_row(const std::string& name, std::vector<const Result*> rows) {
  std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->seconds < b->seconds; });
  double logs = 0;
  int certified = 0, restarted = 0;
  for (const Result* r : rows) logs += std::log(r->seconds), certified += r->certified, restarted += r->attempts > 1;
  const auto n = rows.size();
  fmt::print("{:32} {:8} {:9} {:8} {:8.4f} % {:9} {:10.1f} {:10.1f} {:10.1f}\n", name, n, certified, n - certified,
             100.0 * static_cast<double>(n - certified) / static_cast<double>(n), restarted, 1e6 * rows[n / 2]->seconds,
             1e6 * std::exp(logs / static_cast<double>(n)), 1e3 * rows.back()->seconds);
}

// Calls job(k, solver) for k = 0 .. count - 1.
template <class Job>
void in_parallel(int count, int threads, Job job) {
  std::atomic<int> next{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&] {
      ContactSolver solver;
      for (int k = next++; k < count; k = next++) job(k, solver);
    });
  for (std::thread& worker : workers) worker.join();
}

// Closing speeds of 1 to 1e-4 of the largest entry of q. True when none was certified.
bool refuses_squeezed(int count, std::uint64_t first, int threads) {
  constexpr double kClosing[] = {1.0, 1e-1, 1e-2, 1e-3, 1e-4};
  std::vector<double> seconds(static_cast<std::size_t>(count));
  std::vector<char> claimed(static_cast<std::size_t>(count));
  in_parallel(count, threads, [&](int k, ContactSolver& solver) {
    const ContactProblem problem = squeezed_contact_problem(first + static_cast<std::uint64_t>(k), kClosing[k % 5]);
    std::vector<double> r;
    const SolverSummary summary = solver.solve(problem, r);
    seconds[k] = summary.seconds;
    claimed[k] = summary.solved();
  });
  int wrong = 0;
  for (int k = 0; k < count; ++k) {
    if (!claimed[k]) continue;
    ++wrong;
    fmt::print("certified without a solution: seed {} closing {}\n", first + static_cast<std::uint64_t>(k),
               kClosing[k % 5]);
  }
  if (count > 0)
    fmt::print("without a solution: {} problems, {} refused, {} certified; longest refusal {:.2f} s\n", count,
               count - wrong, wrong, *std::max_element(seconds.begin(), seconds.end()));
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 2;
  const int squeezed = argc > 4 ? std::atoi(argv[4]) : count / 500;
  if (count <= 0 || threads <= 0 || squeezed < 0) {
    fmt::print(stderr, "usage: bench_robustness [problems] [first seed] [threads] [squeezed]\n");
    return 2;
  }

  std::vector<Result> results(static_cast<std::size_t>(count));
  in_parallel(count, threads,
              [&](int k, ContactSolver& solver) { results[k] = run(first + static_cast<std::uint64_t>(k), solver); });

  std::map<std::string, std::vector<const Result*>> classes;
  std::vector<const Result*> all;
  for (const Result& r : results) {
    classes[fmt::format("{} {} {}", r.dimension == 2 ? "planar" : "spatial", to_string(r.family), to_string(r.variant))]
        .push_back(&r);
    all.push_back(&r);
  }
  fmt::print("{:32} {:>8} {:>9} {:>8} {:>10} {:>9} {:>10} {:>10} {:>10}\n", "class", "problems", "certified", "refused",
             "rate", "restarted", "median us", "geomean us", "max ms");
  for (auto& [name, rows] : classes) print_row(name, rows);
  print_row("all", all);

  bool refused = false;
  for (int k = 0; k < count; ++k) {
    const Result& r = results[k];
    if (r.certified) continue;
    refused = true;
    fmt::print("refused: seed {} {} {} {} contacts {} error {:.2e} attempts {} iterations {} {:.1f} ms\n",
               first + static_cast<std::uint64_t>(k), r.dimension == 2 ? "planar" : "spatial", to_string(r.family),
               to_string(r.variant), r.contacts, r.error, r.attempts, r.iterations, 1e3 * r.seconds);
  }
  const bool honest = refuses_squeezed(squeezed, first, threads);
  return refused || !honest ? 1 : 0;
}
