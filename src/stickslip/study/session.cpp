// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/session.h"

#include "stickslip/complementarity/seconds_since.h"

#include <cmath>

namespace stickslip::study {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kReportInterval = std::chrono::milliseconds(200);

}  // namespace

Session::Session(const Study& study, Store& store, Report report)
    : study_(study), store_(store), plan_(study), report_(std::move(report)), schedule_(study, store.summaries()) {
  for (const TrialSummary& summary : store.summaries()) {
    if (!std::isnan(summary.success)) rate_.add(summary.success != 0);
    if (!std::isnan(summary.objective)) mean_.add(summary.objective);
  }
  found_ = schedule_.done();
  begin_ = last_report_ = Clock::now();
}

std::optional<TrialPoint> Session::take() {
  const std::optional<std::int64_t> index = schedule_.next();
  if (!index) return std::nullopt;
  return plan_.trial(*index);
}

void Session::count(const std::vector<std::pair<TrialPoint, TrialResult>>& results) {
  for (const auto& [trial, result] : results) {
    schedule_.finish({result.index, result.success, result.objective});
    if (!std::isnan(result.success)) rate_.add(result.success != 0);
    if (!std::isnan(result.objective)) mean_.add(result.objective);
  }
  if (!report_ || Clock::now() - last_report_ < kReportInterval) return;
  last_report_ = Clock::now();
  report_(progress());
}

void Session::finish() {
  store_.remove(schedule_.surplus());
}

Progress Session::progress() const {
  Progress progress;
  progress.done = schedule_.done();
  progress.total = schedule_.total();
  progress.seconds = complementarity::seconds_since(begin_);
  const auto here = static_cast<double>(progress.done - found_);
  progress.rate = progress.seconds > 0 ? here / progress.seconds : 0;
  progress.seconds_left = progress.rate > 0 ? static_cast<double>(progress.total - progress.done) / progress.rate : 0;
  progress.success = rate_.estimate();
  progress.objective = mean_.estimate();
  return progress;
}

}  // namespace stickslip::study
