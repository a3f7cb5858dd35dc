// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a store says: how many trials, how they ended, estimates with intervals, and failures grouped by cause.
#pragma once

#include "stickslip/study/store.h"

#include <array>
#include <string>
#include <vector>

namespace stickslip::study {

// Failures with the same cause; numbers inside a cause do not tell causes apart.
struct FailureCluster {
  std::string cause;
  TrialStatus status = TrialStatus::Finished;
  std::int64_t count = 0;
  std::vector<std::int64_t> examples;     // the first few trials
  std::vector<MeanEstimator> parameters;  // of its trials, one per parameter of the store
};

struct StudySummary {
  std::int64_t total = 0, done = 0;
  std::array<std::int64_t, 5> by_status{};  // TrialStatus
  Estimate success, objective;              // count 0: the study does not ask
  double least = 0, most = 0;               // objective
  std::int64_t least_trial = -1;
  std::int64_t undefined_objectives = 0;  // trials that ran and have none
  double worst_residual = 0;
  double seconds = 0;  // of all trials together
  std::int64_t steps = 0;
  struct StageCost {
    std::int64_t designs = 0, passed = 0;  // that reached it, that passed it
    double seconds = 0;
  };
  std::vector<StageCost> stages;         // as in the store's header
  std::vector<FailureCluster> failures;  // the most frequent first
};

[[nodiscard]] StudySummary summarise(Store& store);

// "residual 1e-3 by x" -> "residual # by x".
[[nodiscard]] std::string without_numbers(std::string_view text);

}  // namespace stickslip::study
