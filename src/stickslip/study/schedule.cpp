// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stickslip::study {

Schedule::Schedule(const Study& study, const std::vector<TrialSummary>& done)
    : study_(study), taken_(static_cast<std::size_t>(study.total()), false) {
  const bool per_group = study.stop && study.stop->per_group;
  const std::int64_t size = per_group ? study.trials : study.total();
  for (std::int64_t begin = 0; begin < study.total(); begin += size) {
    Lane lane;
    lane.begin = lane.prefix = begin;
    lane.end = begin + size;
    lanes_.push_back(std::move(lane));
  }
  for (const TrialSummary& result : done) {
    if (result.index >= study.total()) {  // the study was shortened
      finished_beyond_.push_back(result.index);
      continue;
    }
    taken_[static_cast<std::size_t>(result.index)] = true;
    ++in_flight_;
    finish(result);
  }
}

Schedule::Lane& Schedule::lane_of(std::int64_t trial) {
  const std::int64_t size = study_.total() / static_cast<std::int64_t>(lanes_.size());
  return lanes_[static_cast<std::size_t>(trial / size)];
}

std::optional<std::int64_t> Schedule::next() {
  const auto hand_out = [&](std::int64_t trial) {
    taken_[static_cast<std::size_t>(trial)] = true;
    ++in_flight_;
    return trial;
  };
  while (!returned_.empty()) {
    const std::int64_t trial = returned_.back();
    returned_.pop_back();
    if (trial < lane_of(trial).end) return hand_out(trial);
  }
  while (cursor_ < study_.total()) {
    if (taken_[static_cast<std::size_t>(cursor_)] || cursor_ >= lane_of(cursor_).end) {
      ++cursor_;
      continue;
    }
    return hand_out(cursor_++);
  }
  return std::nullopt;
}

void Schedule::give_back(std::int64_t trial) {
  assert(taken_[static_cast<std::size_t>(trial)]);
  taken_[static_cast<std::size_t>(trial)] = false;
  --in_flight_;
  returned_.push_back(trial);
}

void Schedule::finish(const TrialSummary& result) {
  --in_flight_;
  Lane& lane = lane_of(result.index);
  if (result.index >= lane.end) {
    finished_beyond_.push_back(result.index);
    return;
  }
  ++done_;
  if (!study_.stop) return;
  lane.waiting.emplace(result.index, result);
  advance(lane);
}

void Schedule::count(Lane& lane, const TrialSummary& result) {
  if (!std::isnan(result.success)) lane.rate.add(result.success != 0);
  if (!std::isnan(result.objective)) lane.mean.add(result.objective);
}

void Schedule::advance(Lane& lane) {
  const StopRule& rule = *study_.stop;
  while (!lane.stopped && !lane.waiting.empty() && lane.waiting.begin()->first == lane.prefix) {
    count(lane, lane.waiting.begin()->second);
    lane.waiting.erase(lane.waiting.begin());
    ++lane.prefix;
    if (lane.prefix - lane.begin < rule.least) continue;
    const Estimate estimate =
        rule.of == StopRule::Of::Success ? lane.rate.estimate(rule.confidence) : lane.mean.estimate(rule.confidence);
    lane.stopped = estimate.width() <= rule.width;
  }
  if (!lane.stopped) return;
  lane.end = lane.prefix;
  for (const auto& [index, result] : lane.waiting) finished_beyond_.push_back(index);
  done_ -= static_cast<std::int64_t>(lane.waiting.size());
  lane.waiting.clear();
}

bool Schedule::complete() const {
  return in_flight_ == 0 && done_ == total();
}

std::int64_t Schedule::total() const {
  std::int64_t total = 0;
  for (const Lane& lane : lanes_) total += lane.end - lane.begin;
  return total;
}

std::vector<std::int64_t> Schedule::surplus() const {
  std::vector<std::int64_t> trials = finished_beyond_;
  std::ranges::sort(trials);
  return trials;
}

}  // namespace stickslip::study
