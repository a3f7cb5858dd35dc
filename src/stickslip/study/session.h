// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A study in progress: what is handed to workers, what comes back, and what is known so far. Threads (run_threads) and
// processes on many machines (study_mpi) drive the same session. take() and count() must not run at the same
// time; commit() may run beside take().
#pragma once

#include "stickslip/study/schedule.h"

#include <chrono>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace stickslip::study {

// Progress for the user; estimates over the trials in the order in which they arrived.
struct Progress {
  std::int64_t done = 0, total = 0;
  double seconds = 0;       // of this session
  double rate = 0;          // trials per second
  double seconds_left = 0;  // when all remaining trials are run; a stop rule may end the study before
  Estimate success, objective;
};

class Session {
 public:
  using Report = std::function<void(const Progress&)>;

  Session(const Study& study, Store& store, Report report = {});

  [[nodiscard]] std::optional<TrialPoint> take();
  // What workers bring: first into the store, in one transaction (throws StoreError), then into the schedule.
  void commit(const std::vector<std::pair<TrialPoint, TrialResult>>& results) { store_.add(results); }
  void count(const std::vector<std::pair<TrialPoint, TrialResult>>& results);
  void give_back(std::int64_t trial) { schedule_.give_back(trial); }
  // Removes what lies beyond the end.
  void finish();

  [[nodiscard]] bool complete() const { return schedule_.complete(); }
  [[nodiscard]] std::int64_t found() const { return found_; }  // trials that were there at the start
  [[nodiscard]] Progress progress() const;

 private:
  const Study& study_;
  Store& store_;
  TrialPlan plan_;
  Report report_;
  Schedule schedule_;
  RateEstimator rate_;
  MeanEstimator mean_;
  std::int64_t found_ = 0;
  std::chrono::steady_clock::time_point begin_, last_report_;
};

// Runs what is left of the study on so many threads of this process. go_on: asked by the calling thread now and then;
// after a no the trials that are running are finished and kept, and no other begins.
void run_threads(Session& session, const TrialRunner& runner, int threads, const std::function<bool()>& go_on = {});

}  // namespace stickslip::study
