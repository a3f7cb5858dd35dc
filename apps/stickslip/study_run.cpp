// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "study_run.h"

#include "batch.h"
#include "interruption.h"
#include "output_name.h"
#include "outputs.h"
#include "progress.h"
#include "run_report.h"
#include "run_session.h"
#include "step_check.h"
#include "study_report.h"
#include "verbs.h"

#include "stickslip/complementarity/worker_pool.h"
#include "stickslip/stepping/method_fields.h"
#include "stickslip/study/design_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <vector>

namespace stickslip::app {
namespace {

std::string estimate_text(const char* name, const study::Estimate& estimate) {
  if (estimate.count == 0) return {};
  return fmt::format("  {} {:.4g} [{:.4g}, {:.4g}]", name, estimate.value, estimate.low, estimate.high);
}

void show(const study::Progress& now) {
  show_progress_line(
      static_cast<double>(now.done), static_cast<double>(now.total),
      fmt::format("{} of {} trials, {:.3g}/s, {:.0f} s left{}{}", now.done, now.total, now.rate, now.seconds_left,
                  estimate_text("success", now.success), estimate_text("objective", now.objective)));
}

// The exit code, with a line that says why it is not 0.
int verdict_on(const study::Study& study, const study::StudySummary& summary) {
  // An objective that no trial defines is a mistake in the study, not a result.
  if (!study.objective.empty() && summary.objective.count == 0 && summary.undefined_objectives > 0) {
    fmt::print(stderr, "stickslip: {}:{}:{}: the objective '{}' is not a number in any trial\n",
               study.objective_place.file, study.objective_place.line, study.objective_place.column, study.objective);
    return kBadInput;
  }
  const std::int64_t uncertified = summary.by_status[static_cast<std::size_t>(study::TrialStatus::Uncertified)];
  if (uncertified == 0) return kDone;
  fmt::print(stderr, "stickslip: {}: {} of {} trials have a step that no solver certified; they count as failures\n",
             study.file.string(), uncertified, summary.done);
  return kFailed;
}

int threads_of(const StudyOptions& options) {
  return options.threads > 0 ? options.threads : default_threads();
}

// What the stages saved: the same designs again with the last stage only, and whether the verdicts agree.
NaiveCost compare_with_naive(const study::Study& study, const study::TrialRunner& runner, study::Store& store,
                             int threads) {
  std::vector<double> success;
  NaiveCost cost{.stage = study.stages.back().name};
  store.read([&](const study::TrialPoint&, const study::TrialResult& result) {
    success.push_back(result.success);
    cost.staged += result.seconds;
  });
  const study::TrialPlan plan(study);
  std::vector<study::TrialResult> naive(success.size());
  complementarity::WorkerPool().run(threads, static_cast<int>(naive.size()), [&](int, int k) {
    naive[static_cast<std::size_t>(k)] = runner.run_last_stage(plan.trial(k));
  });
  cost.designs = naive.size();
  for (std::size_t k = 0; k < naive.size(); ++k) {
    cost.seconds += naive[k].seconds;
    cost.lost += naive[k].success == 1 && success[k] != 1 ? 1 : 0;
  }
  return cost;
}

// The trials that are run again: those with the smallest objectives, or without an objective some of them all; of a
// study with stages the first designs that passed.
std::vector<study::TrialPoint> best_trials(const study::Study& study, study::Store& store) {
  constexpr std::size_t kChecked = 3;
  std::vector<std::pair<double, std::int64_t>> trials;
  store.read([&](const study::TrialPoint& trial, const study::TrialResult& result) {
    if (!study.stages.empty()) {
      if (result.success == 1) trials.emplace_back(static_cast<double>(trial.index), trial.index);
      return;
    }
    if (result.status != study::TrialStatus::Finished && result.status != study::TrialStatus::Stopped) return;
    if (!study.objective.empty() && !std::isfinite(result.objective)) return;
    trials.emplace_back(study.objective.empty() ? 0.0 : result.objective, trial.index);
  });
  std::ranges::sort(trials);
  const study::TrialPlan plan(study);
  std::vector<study::TrialPoint> best;
  for (std::size_t k = 0; k < std::min(kChecked, trials.size()); ++k) {
    const bool ranked = !study.objective.empty() || !study.stages.empty();
    best.push_back(plan.trial(trials[ranked ? k : k * trials.size() / std::min(kChecked, trials.size())].second));
  }
  return best;
}

// Their observables with half the step (step_check.h). With stages there are runs of several kinds, none of which is
// the scene alone.
std::vector<StepCheck> check_steps_of(const study::Study& study, const std::vector<study::TrialPoint>& trials,
                                      int threads) {
  if (!study.stages.empty()) return {};
  std::vector<Variant> variants;
  for (const study::TrialPoint& trial : trials)
    variants.push_back({fmt::format("trial {}", trial.index), study::overrides_of(study, trial)});
  return check_steps(study.scene_file.string(), threads, variants);
}

// Their objective or success with half the step and under a second stepper (design_check.h).
std::vector<study::DesignCheck> check_designs_of(const study::Study& study,
                                                 const std::vector<study::TrialPoint>& trials) {
  std::vector<study::DesignCheck> checks;
  if (study.objective.empty() && study.success.empty() && study.stages.empty()) return checks;
  for (const study::TrialPoint& trial : trials) checks.push_back(study::check_trial(study, trial));
  return checks;
}

int run_session(const study::Study& study, const StudyOptions& options, const StudyDriver& driver) {
  const study::TrialRunner runner(study);
  const std::string file = options.store.empty() ? default_store_name(options.file) : options.store;
  Outputs({options.file}, false).claim(file, OutputKind::Store);
  const std::unique_ptr<study::Store> store =
      study::Store::create_or_resume(file, study::header_of(study, runner, STICKSLIP_VERSION));
  const bool shown = progress_wanted() && !options.quiet;
  study::Session session(study, *store, shown ? study::Session::Report(show) : study::Session::Report());
  driver(session, runner);
  session.finish();
  if (shown) end_progress();
  const double seconds = session.progress().seconds;
  const std::vector<study::TrialPoint> best = best_trials(study, *store);
  const std::vector<StepCheck> checks = check_steps_of(study, best, threads_of(options));
  const std::vector<study::DesignCheck> design_checks = check_designs_of(study, best);
  std::optional<NaiveCost> naive;
  if (options.naive && !study.stages.empty()) naive = compare_with_naive(study, runner, *store, threads_of(options));
  if (options.json) {
    print_study_json(*store, study_method(study), checks, design_checks, naive);
  } else {
    if (session.found() > 0) fmt::print("{} trials were in the store\n", session.found());
    print_study_report(*store);
    fmt::print("method     {}\n", study_method(study));
    fmt::print("{} trials in {:.3g} s ({:.4g} per second); results in {}\n", session.progress().done - session.found(),
               seconds, session.progress().rate, file);
    print_step_checks(checks);
    print_design_checks(design_checks);
    if (naive) print_naive(*naive);
    if (!session.complete())
      fmt::print("stopped    {} of {} trials are done and kept; run the same command again to continue\n",
                 session.progress().done, session.progress().total);
  }
  const int verdict = verdict_on(study, study::summarise(*store));
  return verdict == kDone && !session.complete() ? kFailed : verdict;
}

}  // namespace

std::string default_store_name(const std::string& study_path) {
  return name_after(study_path, "study") + "-study.db";
}

std::string study_method(const study::Study& study) {
  const stepping::Method base = scene::load_scene(study.scene_file, study.set).method;
  std::string text = stepping::summary_of(base);
  for (const study::Stage& stage : study.stages) {
    if (!stage.runs) continue;
    const std::string own = stepping::summary_of(scene::load_scene(stage.runs->scene_file, stage.runs->set).method);
    if (own != text) text += fmt::format("; {}: {}", stage.name, own);
  }
  return text;
}

int run_study_verb(const StudyOptions& options, const StudyDriver& driver) {
  try {
    const study::Study study = study::load_study(options.file, overrides_of(options.set));
    const StudyDriver here = [&](study::Session& session, const study::TrialRunner& runner) {
      const Interruption interruption;
      study::run_threads(session, runner, threads_of(options), [&] { return !interruption.asked(); });
    };
    return run_session(study, options, driver ? driver : here);
  } catch (const scene::SceneError& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  } catch (const OutputError& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  } catch (const study::StoreError& error) {
    fmt::print(stderr, "stickslip: {}{}\n", error.what(), error.refused() ? "" : "; finished trials are kept");
    return error.refused() ? kBadInput : kFailed;
  }
}

int show_trial(study::Store& store, const ShowOptions& options) {
  const std::string file = options.study.empty() ? store.header().study_file : options.study;
  const study::Study study = study::load_study(file, overrides_of(options.set));
  const study::TrialRunner runner(study);
  if (study::header_of(study, runner, STICKSLIP_VERSION).meaning != store.header().meaning) {
    fmt::print(stderr,
               "stickslip: {} has changed since the store was made (or the program has, or --set of the study is "
               "missing here)\n",
               file);
    return kBadInput;
  }
  if (options.trial < 0 || options.trial >= study.total()) {
    fmt::print(stderr, "stickslip: the study has trials 0 to {}, not {}\n", study.total() - 1, options.trial);
    return kBadInput;
  }
  RunOptions run;
  run.scene = study.scene_file.string();
  for (const scene::Override& over : study::overrides_of(study, study::TrialPlan(study).trial(options.trial)))
    run.set.push_back(over.name + "=" + over.value);
  run.force = options.force;
  run.output = options.output.empty() ? fmt::format("trial-{}.h5", options.trial) : options.output;
  Outputs({file, options.store}, options.force).claim(run.output, OutputKind::Recording);
  RunSession session(run);
  const RunEnd end = session.run();
  for (const std::string& set : run.set) fmt::print("--set {} ", set);
  fmt::print("\n");
  print_run_report(session, end);
  return end == RunEnd::Uncertified ? kFailed : kDone;
}

}  // namespace stickslip::app
