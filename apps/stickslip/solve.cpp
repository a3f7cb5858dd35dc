// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip solve FILE...: raw complementarity problems in the corpus format (docs/solve.md). Files are independent of
// each other: each gets a fresh solver, a bad one costs one line on standard error and the others are still solved.
#include "verbs.h"

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/complementarity/corpus/reader.h"
#include "stickslip/complementarity/seconds_since.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace stickslip::app {
namespace {

using namespace complementarity;

struct SolveOptions {
  std::vector<std::string> files;
  std::string algorithm = "auto";
  SolverOptions solver;
  bool json = false, solution = false;
};

struct Answer {
  SolverSummary summary;
  double seconds = 0;              // of the solve alone, without reading and converting
  std::vector<double> solution{};  // z, (u, v) or impulses, in the order of the file
  std::vector<double> velocity{};  // v of the global form
};

// ---- solving one problem of any kind ----

template <typename Solve>
Answer timed(Solve&& solve) {
  Answer answer;
  const auto start = std::chrono::steady_clock::now();
  answer.summary = solve();
  answer.seconds = complementarity::seconds_since(start);
  return answer;
}

struct SolveData {
  const SolveOptions& options;

  Answer operator()(const AffineProblem& problem) const {
    require_valid(problem);
    AffineSolver solver;
    Eigen::VectorXd z;
    Answer answer = timed([&] { return solver.solve(problem, z, options.solver, options.algorithm); });
    answer.solution.assign(z.begin(), z.end());
    return answer;
  }
  Answer operator()(const MixedLcp& blocks) const {
    // The affine form holds every equation of the mixed problem, so its residual is that of the whole.
    const MixedLcpForm form = make_mixed_lcp(blocks);
    Answer answer = (*this)(form.problem);
    std::vector<double>& z = answer.solution;  // unknowns that make the form square stand behind u
    const auto m = static_cast<std::ptrdiff_t>(blocks.b.size());
    if (static_cast<std::ptrdiff_t>(z.size()) >= form.unknowns_free + m)
      z.erase(z.begin() + form.unknowns_free, z.end() - m);
    return answer;
  }
  Answer operator()(const ContactProblem& problem) const {
    require_valid(problem);
    ContactSolver solver;
    std::vector<double> r;
    Answer answer = timed([&] { return solver.solve(problem, r, options.solver, options.algorithm); });
    answer.solution = std::move(r);
    return answer;
  }
  Answer operator()(const GlobalContactProblem& problem) const {
    require_valid(problem);
    ContactSolver solver;
    std::vector<double> r;
    Eigen::VectorXd v;
    Answer answer = timed([&] { return solver.solve(problem, r, v, options.solver, options.algorithm); });
    answer.solution = std::move(r);
    answer.velocity.assign(v.begin(), v.end());
    return answer;
  }

 private:
  template <typename Problem>
  static void require_valid(const Problem& problem) {
    if (const std::string complaint = validate(problem); !complaint.empty()) throw CorpusError(complaint);
  }
};

// ---- names of algorithms ----

std::span<const AlgorithmInfo> algorithms_for(CorpusKind kind) {
  return contact_dimension(kind) == 0 ? AffineSolver::algorithms() : ContactSolver::algorithms();
}

bool knows(std::span<const AlgorithmInfo> algorithms, const std::string& name) {
  return name == "auto" || std::any_of(algorithms.begin(), algorithms.end(),
                                       [&](const AlgorithmInfo& info) { return name == info.name; });
}

void require_known(CorpusKind kind, const std::string& name) {
  const auto algorithms = algorithms_for(kind);
  if (knows(algorithms, name)) return;
  std::string names = "auto";
  for (const AlgorithmInfo& info : algorithms)
    if (names != info.name) names += fmt::format(", {}", info.name);
  throw CorpusError(fmt::format("solver \"{}\" is unknown for {}; known are {}", name, to_string(kind), names));
}

// ---- output ----

void print_json(const std::string& file, const CorpusProblem& problem, const Answer& answer, bool solution) {
  const SolverSummary& summary = answer.summary;
  nlohmann::ordered_json line;
  line["file"] = file;
  line["kind"] = to_string(problem.kind);
  line["size"] = problem.size();
  line["status"] = to_string(summary.status);
  line["residual"] = summary.residual.error;  // numbers that are not finite become null
  line["solver"] = summary.solver;
  line["iterations"] = summary.iterations;
  line["seconds"] = answer.seconds;
  line["natural"] = summary.residual.natural;
  line["scaled"] = summary.residual.scaled;
  line["primal"] = summary.residual.primal;
  line["dual"] = summary.residual.dual;
  line["complementarity"] = summary.residual.complementarity;
  line["cone"] = summary.residual.cone;
  line["attempts"] = summary.attempts;
  line["blocks"] = summary.blocks;
  if (solution && summary.solved()) {
    line["solution"] = answer.solution;
    if (!answer.velocity.empty()) line["velocity"] = answer.velocity;
  }
  for (const IterationRecord& record : summary.history)
    line["history"].push_back({{"iteration", record.iteration},
                               {"residual", record.residual},
                               {"step", record.step},
                               {"phase", record.note}});
  // File names need not be UTF-8; JSON must be.
  fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int file_column_width(const std::vector<std::string>& files) {
  std::size_t width = 4;
  for (const std::string& file : files) width = std::max(width, file.size());
  return static_cast<int>(std::min<std::size_t>(width, 80));
}

void print_header(int width) {
  fmt::print("{:<{}}  {:<6} {:>6}  {:<15} {:>9}  {:<22} {:>10} {:>10}\n", "file", width, "kind", "size", "status",
             "residual", "solver", "iterations", "seconds");
}

void print_row(const std::string& file, const CorpusProblem& problem, const Answer& answer, int width) {
  const SolverSummary& summary = answer.summary;
  fmt::print("{:<{}}  {:<6} {:>6}  {:<15} {:>9.2e}  {:<22} {:>10} {:>10.3g}\n", file, width, to_string(problem.kind),
             problem.size(), to_string(summary.status), summary.residual.error, summary.solver, summary.iterations,
             answer.seconds);
  if (!summary.history.empty()) fmt::print("{}\n", summary.full_report());
}

// ---- the verb ----

int code_of(Status status) {
  return status == Status::Solved || status == Status::Infeasible ? kDone : kFailed;
}

int solve_file(const std::string& file, const SolveOptions& options, bool& header_printed) {
  const CorpusProblem problem = read_corpus_file(file);
  try {
    require_known(problem.kind, options.algorithm);
    const Answer answer = std::visit(SolveData{options}, problem.data);
    if (answer.summary.status == Status::BadInput)
      throw CorpusError("the problem cannot be reduced to its contacts: the mass matrix M is singular");
    if (options.json) {
      print_json(file, problem, answer, options.solution);
    } else {
      const int width = file_column_width(options.files);
      if (!std::exchange(header_printed, true)) print_header(width);
      print_row(file, problem, answer, width);
    }
    return code_of(answer.summary.status);
  } catch (const CorpusError& error) {  // the reader names the file by itself, we do it here
    throw CorpusError(fmt::format("{}: {}", file, error.what()));
  }
}

int solve_all(const SolveOptions& options) {
  bool header_printed = false;
  int worst = kDone;
  std::size_t done = 0;
  for (const std::string& file : options.files) {
    int code = kBadInput;
    try {
      code = solve_file(file, options, header_printed);
    } catch (const CorpusError& error) {
      fmt::print(stderr, "stickslip: {}\n", error.what());
    } catch (const std::exception& error) {  // out of memory
      fmt::print(stderr, "stickslip: {}: {}\n", file, error.what());
      code = kFailed;
    }
    std::fflush(stdout);  // whoever reads along sees each answer when it is there
    done += code == kDone;
    worst = std::max(worst, code);
  }
  if (header_printed && options.files.size() > 1)
    fmt::print("{} of {} files solved or shown to have no solution\n", done, options.files.size());
  return worst;
}

constexpr const char* kHelp = "Solve complementarity and frictional contact problems from files";

constexpr const char* kExamples =
    "Kinds of problem: lcp, boxlcp, mlcp, fc2d, fc3d, gfc2d, gfc3d; files are plain JSON or gzip (docs/solve.md).\n"
    "\"solved\" is only said when the residual of the problem as posed, evaluated independently of the solver,\n"
    "is below the tolerance.\n"
    "\n"
    "Examples:\n"
    "  stickslip solve block.json\n"
    "  stickslip solve --json problems/* > answers.jsonl\n"
    "  stickslip solve --solver gauss-seidel --history stack.json\n"
    "\n"
    "Each answer has: file, kind, size (unknowns or contacts), status (solved, infeasible, ray, stalled,\n"
    "iteration-limit, time-limit), residual, solver (which algorithm answered), iterations, seconds (the solve "
    "alone).\n"
    "Exit codes: 0 every file solved or shown to be infeasible, 1 some file not solved, 2 bad input.";

}  // namespace

void add_solve(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SolveOptions>();
  const CLI::Validator tolerance_check(
      [](const std::string& text) -> std::string {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= 1e-15 && value <= 0.1;
        return good ? "" : fmt::format("{} is not a number from 1e-15 to 0.1", text);
      },
      "1e-15 .. 0.1");
  CLI::App* verb = app.add_subcommand("solve", kHelp);
  verb->footer(kExamples);
  verb->add_option("FILE", options->files, "Problem files")->required();
  verb->add_option("--solver", options->algorithm, "Algorithm; see stickslip list")->capture_default_str();
  verb->add_option("--tol", options->solver.tolerance, "Largest residual that counts as solved")
      ->check(tolerance_check)
      ->capture_default_str();
  verb->add_option("--max-iterations", options->solver.max_iterations, "Limit; 0 leaves the algorithm's own")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  verb->add_option("--time-limit", options->solver.time_limit, "Seconds per file")->check(CLI::PositiveNumber);
  verb->add_option("--threads", options->solver.threads, "For the islands of a contact problem; any number, same bits")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  CLI::Option* json = verb->add_flag("--json", options->json, "One JSON object per file and line on standard output");
  verb->add_flag("--solution", options->solution, "With --json: also the solution, where there is one")->needs(json);
  verb->add_flag("--history", options->solver.record_history, "Report every iteration");
  verb->callback([options, &exit_code] { exit_code = solve_all(*options); });
}

}  // namespace stickslip::app
