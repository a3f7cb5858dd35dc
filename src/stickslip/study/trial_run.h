// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs trials. A run is known by its parameters and observables only.
#pragma once

#include "stickslip/study/norm_search.h"
#include "stickslip/study/scene_run.h"
#include "stickslip/study/study.h"
#include "stickslip/study/trial_plan.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::study {

struct TrialResult {
  std::int64_t index = 0;
  TrialStatus status = TrialStatus::Finished;
  std::string cause;                // why it is not a success, for people and for clustering; empty: it is one
  std::vector<double> observables;  // at the end; nan where not defined
  double success = kNotANumber;     // 1, 0; nan: the study does not ask
  double objective = kNotANumber;   // nan: not defined
  double end_time = kNotANumber;
  double residual = kNotANumber;  // the worst certificate of the run
  std::int64_t steps = 0;
  double seconds = 0;                 // of wall time
  std::vector<double> stage_seconds;  // of the stages that were reached; others nan

  [[nodiscard]] bool ran() const { return status == TrialStatus::Finished || status == TrialStatus::Stopped; }
};

// What a study with stages observes of a design.
inline constexpr const char* kStagesPassed = "stages_passed";
inline constexpr const char* kStageRuns = "runs";

// A trial with the derivatives of its objective.
struct TrialGradient {
  TrialResult result;
  std::vector<double> gradient;  // by the parameters asked for; nan: not defined
  bool implicit = false;         // by implicit differentiation of its run (sensitivity/); else by differences of runs
  std::int64_t runs = 1;
  bool crossed = false;  // differences between runs whose contacts went through other modes
  NormModel terms;       // residuals by the same parameters; empty without them, or where they are not defined
};

// Thread-safe: run() may be called from many threads at a time.
class TrialRunner {
 public:
  explicit TrialRunner(const Study& study);  // which must outlive the runner; throws SceneError
  ~TrialRunner();
  TrialRunner(const TrialRunner&) = delete;
  TrialRunner& operator=(const TrialRunner&) = delete;

  // `design`: overrides that come last, for optimise.
  [[nodiscard]] TrialResult run(const TrialPoint& trial, std::span<const scene::Override> design = {}) const;

  // The same with derivatives by settings.variables, which `design` sets, and the residuals of settings. Where the
  // scene does not allow implicit differentiation: central differences over settings.difference of their ranges,
  // one-sided at a bound; those across changes of contact modes are counted.
  [[nodiscard]] TrialGradient run_with_gradient(const TrialPoint& trial, std::span<const scene::Override> design,
                                                const OptimiseSettings& settings) const;

  // Only the last stage: what a design costs without the others, to compare with.
  [[nodiscard]] TrialResult run_last_stage(const TrialPoint& trial) const;

  [[nodiscard]] const std::vector<std::string>& observables() const { return observables_; }
  [[nodiscard]] const scene::Document& document() const { return document_; }

 private:
  TrialResult run_stages(const TrialPoint& trial, std::size_t from) const;
  struct Sample;  // a run with its residuals
  using Look = std::function<void(const scene::Scene&, const SceneRun&)>;
  TrialResult run_scene_of(const TrialPoint& trial, std::span<const scene::Override> design, double every,
                           const Look& look) const;
  Sample run_sample(const TrialPoint& trial, std::span<const scene::Override> design,
                    const OptimiseSettings& settings) const;
  bool differentiate_run(const TrialPoint& trial, std::span<const scene::Override> design,
                         const OptimiseSettings& settings, TrialGradient& out) const;
  void judge(const scene::Scene& scene, TrialResult& result) const;

  const Study& study_;
  scene::Document document_;
  std::vector<std::string> observables_;
  std::vector<std::string> conditions_;               // the success, taken apart at its outermost &&
  std::vector<std::unique_ptr<TrialRunner>> stages_;  // one per stage of kind Run, null for paths
};

// Splits at && outside of all parentheses: "a && (b && c)" -> "a", "(b && c)". A text with an outermost || or ?: stays
// whole.
[[nodiscard]] std::vector<std::string> conjuncts(std::string_view condition);

}  // namespace stickslip::study
