// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One run of a scene, without recording: its observables at the end and how it went.
#pragma once

#include "stickslip/runs/error_bars.h"
#include "stickslip/runs/run.h"
#include "stickslip/scene/scene.h"
#include "stickslip/study/statistics.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::study {

enum class TrialStatus {
  Finished,     // reached its duration
  Stopped,      // a stop condition of the scene held
  Uncertified,  // a step that no solver could certify ended it
  Rejected,     // these parameters make no valid scene
  Error,        // an expression was not a number during the run, or an error is not known as well as asked
};
[[nodiscard]] const char* name_of(TrialStatus status);
[[nodiscard]] TrialStatus status_named(std::string_view name);  // one of the names

struct SceneRun {
  TrialStatus status = TrialStatus::Finished;
  std::string cause;                // of everything but Finished and Stopped
  std::vector<double> observables;  // at the end; nan where not defined
  double end_time = kNotANumber;
  double residual = kNotANumber;  // the worst certificate
  std::int64_t steps = 0;
  std::uint64_t modes = 0;  // the same for runs whose contacts went through the same modes in the same order

  struct Moment {
    double time = 0;
    std::vector<double> observables;
  };
  std::vector<Moment> moments;  // as asked for

  [[nodiscard]] bool ran() const { return status == TrialStatus::Finished || status == TrialStatus::Stopped; }
};

// every > 0: also the observables at every such time, at the end of the step that reaches it. The hook sees every step,
// and can only end the run by what it throws (runs::asking). known: what must be known of the errors of all observables,
// which takes coarser runs beside this one.
[[nodiscard]] SceneRun run_scene(const scene::Scene& scene, double every = 0, const runs::Run::Hook& hook = {},
                                 runs::ErrorBar::Claim known = runs::ErrorBar::Claim::None);

}  // namespace stickslip::study
