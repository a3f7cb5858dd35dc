// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// script/bench solvers: `auto` side by side with every Siconos solver of the same problem form, in one run.
//
// docs/benchmarks.md says what the columns mean and what is fair about them.
#include "bench/common/our_solver.h"
#include "bench/common/problem_set.h"
#include "bench/common/report.h"
#include "bench/common/solver_statistics.h"
#ifdef STICKSLIP_HAVE_SICONOS
#include "bench/siconos_peers.h"
#endif

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace stickslip::bench {
namespace {

using complementarity::CorpusProblem;
namespace fs = std::filesystem;

struct Arguments {
  double limit = 1;
  std::string only_class, only_problem;
  double repeat = 1;
  bool ours_alone = false;
  std::string output = "build/bench";
};

// OpenBLAS, which Siconos uses, reads this when the program is loaded: start once more with it set.
void insist_on_one_thread(char** arguments) {
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", arguments);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<CorpusProblem> problems_for(const Arguments& arguments) {
  std::vector<CorpusProblem> problems;
  if (const auto folder = find_open_corpus()) {
    problems = read_open_corpus(*folder);
    fmt::print("open corpus: {} problems\n", problems.size());
  } else {
    fmt::print("open corpus: not found (set STICKSLIP_PROBLEMS to its folder); our own problems only\n");
  }
  std::vector<CorpusProblem> own = make_own_problems();
  fmt::print("own problems: {}\n", own.size());
  std::move(own.begin(), own.end(), std::back_inserter(problems));
  std::erase_if(problems, [&](const CorpusProblem& problem) {
    return problem.size() == 0 || !contains(class_of(problem), arguments.only_class) ||
           !contains(problem.name, arguments.only_problem);
  });
  const auto& order = class_names();
  const auto rank = [&](const CorpusProblem& problem) {
    return std::find(order.begin(), order.end(), class_of(problem)) - order.begin();
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const CorpusProblem& a, const CorpusProblem& b) { return rank(a) < rank(b); });
  return problems;
}

ProblemRuns run_all(const CorpusProblem& problem, const Arguments& arguments, const std::string& progress) {
  ProblemRuns runs;
  runs.name = problem.name;
  runs.problem_class = class_of(problem);
  runs.form = to_string(problem.kind);
  runs.size = static_cast<int>(problem.size());
  const auto say = [&](std::string_view solver) {
    if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K{} {} {}", progress, problem.name, solver);
  };
  say(kOurName);
  RepeatPolicy policy;
  policy.budget *= arguments.repeat;
  const OurRun ours = run_ours(problem, policy);
  runs.ours = ours.run;
  runs.infeasible = ours.status == complementarity::Status::Infeasible;
#ifdef STICKSLIP_HAVE_SICONOS
  if (!arguments.ours_alone) {
    PeerLimits limits;
    limits.seconds = arguments.limit;
    runs.peers = run_siconos_peers(problem, runs.ours.solved ? runs.ours.seconds : 1e9, limits, say);
  }
#endif
  say("");
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
  return runs;
}

void print_verdict(const NamedClass& total) {
  const ClassStatistics& s = total.statistics;
  fmt::print("\n{}: ours solves {} of {} problems that have a solution; {} shown to have none; {} open.\n", total.name,
             s.ours.solved, s.problems, s.infeasible, s.unsolved);
  if (s.virtual_best.solved > 0)
    fmt::print(
        "  Against the fastest Siconos solver of each problem, chosen afterwards: fastest on {:.1f} %, fastest or "
        "within a factor of 2 on {:.1f} %.\n",
        100.0 * s.ours_fastest / s.problems, 100.0 * s.ours_within_two / s.problems);
}

void print_summary(const std::vector<ProblemRuns>& runs) {
  std::vector<NamedClass> classes;
  for (const std::string& name : class_names()) {
    std::vector<ProblemRuns> members;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(members),
                 [&](const ProblemRuns& problem) { return problem.problem_class == name; });
    if (members.empty()) continue;
    classes.push_back({name, summarise(members)});
    print_class(name, classes.back().statistics);
  }
  std::vector<ProblemRuns> open, own;
  for (const ProblemRuns& problem : runs) (problem.name.starts_with(kOwnPrefix) ? own : open).push_back(problem);
  std::vector<NamedClass> totals;
  if (!open.empty()) totals.push_back({"open corpus", summarise(open)});
  if (!own.empty()) totals.push_back({"own problems", summarise(own)});
  if (totals.size() == 2) totals.push_back({"all", summarise(runs)});
  print_overview(classes, totals);
  for (const NamedClass& total : totals) print_verdict(total);
}

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  fmt::print("wrote {}\n", path.string());
}

int run(const Arguments& arguments) {
  const std::vector<CorpusProblem> problems = problems_for(arguments);
#ifndef STICKSLIP_HAVE_SICONOS
  fmt::print("Siconos: not installed when this program was built; our columns only\n");
#endif
  fmt::print("\n{:<42} {:>5}  {:>11} {:<22} {:>8} | {:>8} {:<14} {:>8}\n", "problem", "size", "ours", "algorithm",
             "error", "Siconos", "(fastest)", "/ours");
  std::vector<ProblemRuns> runs;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    runs.push_back(run_all(problems[i], arguments, fmt::format("[{}/{}]", i + 1, problems.size())));
    print_problem(runs.back());
    std::fflush(stdout);
  }
  print_summary(runs);
  write_file(fs::path(arguments.output) / "solvers.csv", csv_table(runs));
  write_file(fs::path(arguments.output) / "profiles.svg", profile_svg(runs));
  return 0;
}

}  // namespace
}  // namespace stickslip::bench

int main(int argc, char** argv) {
  using namespace stickslip::bench;
  insist_on_one_thread(argv);
  Arguments arguments;
  CLI::App app{"stickslip's auto and every Siconos solver on the same problems"};
  app.add_option("--limit", arguments.limit, "Seconds that a Siconos run may take")->capture_default_str();
  app.add_option("--class", arguments.only_class, "Only classes whose name contains this");
  app.add_option("--problem", arguments.only_problem, "Only problems whose name contains this");
  app.add_option("--repeat", arguments.repeat, "Times the usual effort for repeats of our solver")
      ->capture_default_str();
  app.add_flag("--ours", arguments.ours_alone, "Do not run Siconos");
  app.add_option("--output", arguments.output, "Folder for the CSV file and the plot")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_solvers: {}\n", error.what());
    return 2;
  }
}
