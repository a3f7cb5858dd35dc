// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which trial is next, and when the study is over.
//
// Results arrive in any order; a stop rule looks at them in the order of the trials only, over the longest run of
// trials without a gap (per group, or over the whole study). So the trials that belong to a study do not depend on the
// number of workers: what a worker did beyond the end is surplus and is removed.
#pragma once

#include "stickslip/study/store.h"
#include "stickslip/study/study.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace stickslip::study {

class Schedule {
 public:
  Schedule(const Study& study, const std::vector<TrialSummary>& done);  // the study must outlive the schedule

  // The next trial that is neither done nor handed out; none: there is no such trial.
  [[nodiscard]] std::optional<std::int64_t> next();
  void finish(const TrialSummary& result);
  void give_back(std::int64_t trial);  // a worker was lost

  [[nodiscard]] bool complete() const;  // every trial is done
  [[nodiscard]] std::int64_t done() const { return done_; }
  [[nodiscard]] std::int64_t total() const;  // trials that belong to the study, as far as is known
  [[nodiscard]] std::vector<std::int64_t> surplus() const;

 private:
  // Trials that one stop rule looks at.
  struct Lane {
    std::int64_t begin = 0, end = 0;  // end moves to where the rule held
    std::int64_t prefix = 0;          // all trials before this one are counted
    bool stopped = false;
    RateEstimator rate;
    MeanEstimator mean;
    std::map<std::int64_t, TrialSummary> waiting;  // behind a gap
  };

  Lane& lane_of(std::int64_t trial);
  void count(Lane& lane, const TrialSummary& result);
  void advance(Lane& lane);

  const Study& study_;
  std::vector<Lane> lanes_;
  std::vector<bool> taken_;  // done or handed out
  std::vector<std::int64_t> returned_;
  std::vector<std::int64_t> finished_beyond_;
  std::int64_t cursor_ = 0, done_ = 0, in_flight_ = 0;
};

}  // namespace stickslip::study
