// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip optimise STUDY: finds the parameters that make the objective of a study small.
#include "batch.h"
#include "common_options.h"
#include "interruption.h"
#include "outputs.h"
#include "progress.h"
#include "search_page.h"
#include "step_check.h"
#include "study_report.h"
#include "study_run.h"
#include "verbs.h"

#include "stickslip/complementarity/seconds_since.h"
#include "stickslip/files/output_file.h"
#include "stickslip/study/design_check.h"
#include "stickslip/study/optimise.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

namespace stickslip::app {
namespace {

constexpr const char* kOptimiseExamples =
    "The study file has a table [optimise] with the parameters to choose and their bounds (docs/studies.md). One\n"
    "evaluation runs all trials of the study (entry poses, frictions, starts) with one design and combines their\n"
    "objectives: sum, mean, worst, or the mean of the worst share (cvar). The search is the same for every number of\n"
    "threads. The best design is run again with half the step and under a second stepper; one whose objective changes\n"
    "is an artefact of the steps, and the search goes on from it with half the step, up to three times. Ctrl-C ends\n"
    "the search after the current evaluation; the best design so far is kept.\n"
    "\n"
    "Examples:\n"
    "  stickslip optimise examples/plate-learning/circle.toml -o best.toml --log evaluations.csv\n"
    "  stickslip optimise examples/plate-learning/circle.toml --page search.html     history, designs, before and "
    "after\n"
    "  stickslip optimise study.toml --set method.step=1e-4 -o finer.toml\n"
    "  stickslip run best.toml                                          the design found, as a scene\n"
    "\n"
    "Exit codes: 0 done, 1 no design has an objective, the best one is an artefact, or a file could not be written,\n"
    "2 bad input.";

struct OptimiseOptions {
  std::string file, output, log, page;
  std::vector<std::string> set;
  int threads = 0;
  bool json = false, quiet = false, force = false;
};

std::string design_text(const study::Study& study, const study::Evaluation& evaluation) {
  std::string text;
  for (std::size_t i = 0; i < evaluation.design.size(); ++i)
    text +=
        fmt::format("{}{} = {:.6g}", i > 0 ? ", " : "", study.optimise->variables[i].parameter, evaluation.design[i]);
  return text;
}

// The evaluations as CSV, line by line as they come.
class LogFile {
 public:
  LogFile(const std::string& name, const study::Study& study) : name_(name) {
    if (name.empty()) return;
    file_.open(name, std::ios::binary | std::ios::trunc);
    std::string line = "evaluation,start";
    for (const study::DesignVariable& variable : study.optimise->variables) line += "," + variable.parameter;
    for (std::int64_t i = 0; i < study.total(); ++i) line += fmt::format(",objective_{}", i);
    put(line + ",objective\n");
  }
  void write(const study::Evaluation& evaluation) {
    if (name_.empty()) return;
    const auto number = [](double x) { return std::isnan(x) ? std::string(",") : fmt::format(",{}", x); };
    std::string line = fmt::format("{},{}", evaluation.number, evaluation.start);
    for (const double x : evaluation.design) line += number(x);
    for (const double x : evaluation.objectives) line += number(x);
    put(line + number(evaluation.value) + "\n");
  }

 private:
  void put(const std::string& line) {
    file_ << line << std::flush;
    if (!file_) throw std::runtime_error(fmt::format("cannot write {}", name_));
  }
  std::string name_;
  std::ofstream file_;
};

void print_result(const study::Study& study, const study::OptimiseResult& result, double seconds) {
  if (std::isnan(result.first.value))
    fmt::print("start      undefined ({})\n", result.first.cause);
  else
    fmt::print("start      objective {:.6g}\n", result.first.value);
  fmt::print("best       objective {:.6g} at evaluation {}: {}\n", result.best.value, result.best.number,
             design_text(study, result.best));
  std::string gradients;
  if (result.gradients > 0)
    gradients =
        fmt::format(" ({} with gradient: {} by implicit differentiation, {} by differences{})", result.gradients,
                    result.implicit_gradients, result.gradients - result.implicit_gradients,
                    result.crossed_gradients == 0
                        ? ""
                        : fmt::format(", {} of these across a change of contact modes", result.crossed_gradients));
  fmt::print("method     {}\n", study_method(study));
  fmt::print("search     {} evaluations{}, {} runs, {:.3g} s; {}\n", result.evaluations, gradients, result.runs,
             seconds, result.ending);
}

void print_json(const study::Study& study, const study::OptimiseResult& result, double seconds,
                const std::vector<StepCheck>& checks, const std::vector<study::DesignCheck>& rounds) {
  nlohmann::json design = nlohmann::json::object();
  for (std::size_t i = 0; i < result.best.design.size(); ++i)
    design[study.optimise->variables[i].parameter] = result.best.design[i];
  nlohmann::json contradicting = nlohmann::json::array();
  for (const StepCheck& check : checks)
    for (const StepWarning& warning : check.warnings)
      contradicting.push_back({{"run", check.label}, {"observable", warning.observable}, {"changes", warning.changes}});
  nlohmann::json checked = nlohmann::json::array();
  for (const study::DesignCheck& check : rounds) checked.push_back(design_check_json(check));
  const nlohmann::json object = {
      {"start", std::isnan(result.first.value) ? nlohmann::json(nullptr) : nlohmann::json(result.first.value)},
      {"objective", result.best.value},
      {"objectives", result.best.objectives},
      {"design", design},
      {"best_evaluation", result.best.number},
      {"evaluations", result.evaluations},
      {"runs", result.runs},
      {"gradients", result.gradients},
      {"implicit_gradients", result.implicit_gradients},
      {"crossed_gradients", result.crossed_gradients},
      {"seconds", seconds},
      {"method", study_method(study)},
      {"ending", result.ending},
      {"contradicts_order", contradicting},
      {"design_checks", checked}};
  fmt::print("{}\n", object.dump());
}

// The best design again with half the step, in the first few trials of the study.
std::vector<StepCheck> check_best(const study::Study& study, const study::Evaluation& best, int threads) {
  constexpr std::int64_t kChecked = 3;
  const study::TrialPlan plan(study);
  std::vector<Variant> variants;
  for (std::int64_t i = 0; i < std::min(kChecked, study.total()); ++i) {
    Variant variant{fmt::format("best design, trial {}", i), study::overrides_of(study, plan.trial(i))};
    for (std::size_t k = 0; k < best.design.size(); ++k)
      variant.overrides.push_back({study.optimise->variables[k].parameter, fmt::format("{}", best.design[k])});
    variants.push_back(std::move(variant));
  }
  return check_steps(study.scene_file.string(), threads, variants);
}

constexpr int kMostHalvings = 3;  // of the step, while the best design is an artefact of it

// The result of all searches so far: the first start, the last best.
void add_round(const study::OptimiseResult& now, bool first, study::OptimiseResult& all) {
  const study::OptimiseResult before = all;
  all = now;
  if (first) return;
  all.first = before.first;
  all.evaluations += before.evaluations;
  all.runs += before.runs;
  all.gradients += before.gradients;
  all.implicit_gradients += before.implicit_gradients;
  all.crossed_gradients += before.crossed_gradients;
}

// From the design found, with half the step.
void go_on_finer(const study::Evaluation& best, study::Study& study) {
  study = study::with_steps(study, 0.5, false);
  for (std::size_t k = 0; k < best.design.size(); ++k) study.optimise->variables[k].start = best.design[k];
}

int run_optimise(const OptimiseOptions& options) {
  study::Study study = study::load_study(options.file, overrides_of(options.set));
  if (!study.optimise) {
    fmt::print(stderr, "stickslip: {}: the study has no [optimise]\n", options.file);
    return kBadInput;
  }
  Outputs outputs({options.file}, options.force);
  if (!options.output.empty()) outputs.claim(options.output, OutputKind::Scene);
  if (!options.log.empty()) outputs.claim(options.log, OutputKind::Csv);
  if (!options.page.empty()) outputs.claim(options.page, OutputKind::Page);
  LogFile log(options.log, study);
  const bool shown = progress_wanted() && !options.quiet;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return complementarity::seconds_since(begin); };
  const Interruption interruption;
  const int threads = options.threads > 0 ? options.threads : default_threads();
  study::OptimiseResult result;
  std::vector<study::DesignCheck> rounds;  // one per search: each further one has half the step
  std::vector<SearchPoint> points;
  const auto search = [&] {
    double best = std::numeric_limits<double>::infinity();
    const study::TrialRunner runner(study);
    return study::optimise(study, runner, threads, [&](const study::Evaluation& now) {
      log.write(now);
      if (!options.page.empty()) points.push_back({static_cast<int>(rounds.size()), now.start, now.design, now.value});
      if (now.value < best) best = now.value;
      if (shown)
        show_progress_line(
            static_cast<double>(now.number), static_cast<double>(study.optimise->evaluations),
            fmt::format("{} of at most {} evaluations, {:.3g}/s, objective {:.6g}, best {:.6g}", now.number,
                        study.optimise->evaluations, static_cast<double>(now.number) / seconds(), now.value, best));
      return !interruption.asked();
    });
  };
  for (bool again = true; again;) {
    const study::OptimiseResult now = search();
    add_round(now, rounds.empty(), result);
    if (result.best.number == 0) break;
    rounds.push_back(study::check_design(study, threads, result.best, result.first.value));
    again = !interruption.asked() && rounds.back().verdict == study::DesignCheck::Verdict::Artefact &&
            static_cast<int>(rounds.size()) <= kMostHalvings;
    if (again) go_on_finer(result.best, study);
  }
  if (shown) end_progress();
  if (result.best.number == 0) {
    fmt::print(stderr, "stickslip: {}:{}:{}: no design has an objective; the first: {}\n", study.objective_place.file,
               study.objective_place.line, study.objective_place.column, result.first.cause);
    return kFailed;
  }
  const double searched = seconds();
  const std::vector<StepCheck> checks = check_best(study, result.best, threads);
  if (options.json) {
    print_json(study, result, searched, checks, rounds);
  } else {
    print_result(study, result, searched);
    print_step_checks(checks);
    for (std::size_t k = 0; k < rounds.size(); ++k)
      fmt::print("{:<10} objective {}{}\n", k == 0 ? "again" : "", study::text_of(rounds[k]),
                 k + 1 < rounds.size() ? "; the search goes on with half the step" : "");
  }
  const bool artefact = rounds.back().verdict == study::DesignCheck::Verdict::Artefact;
  if (artefact)
    fmt::print(stderr, "stickslip: {}: the best design is an artefact of the steps: take shorter steps\n",
               options.file);
  if (!options.output.empty()) {
    files::write_file(options.output, study::design_as_scene(study, result.best, options.output));
    if (!options.json) fmt::print("scene      {}\n", options.output);
  }
  if (!options.page.empty()) {
    files::write_file(options.page, search_page(study, {points, result, rounds, checks, searched}));
    if (!options.json) fmt::print("page       {}\n", options.page);
  }
  return artefact ? kFailed : kDone;
}

}  // namespace

void add_optimise(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<OptimiseOptions>();
  CLI::App* verb = app.add_subcommand("optimise", "Find the parameters that make the objective of a study small");
  verb->footer(kOptimiseExamples);
  verb->add_option("STUDY", options->file, "Study file (TOML) with a table [optimise]")->required();
  verb->add_option("-o,--output", options->output, "Write the best design as a scene");
  add_set_option(*verb, options->set, kStudySet);
  verb->add_option("--log", options->log, "Write every evaluation as a line of CSV");
  verb->add_option("--page", options->page, "Write a page to look at: history, designs, before and after (.html)");
  add_force_option(*verb, options->force);
  add_threads_option(*verb, options->threads);
  add_json_option(*verb, options->json);
  verb->add_flag("--quiet", options->quiet, "No progress");
  verb->callback([options, &exit_code] { exit_code = run_optimise(*options); });
}

}  // namespace stickslip::app
