// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/mode_timeline.h"

#include <algorithm>
#include <utility>

namespace stickslip::simulation {

using contact::Mode;

namespace {

auto pair_of(const ModeInterval& interval) {
  return std::pair(interval.body_a, interval.body_b);
}

// Stick and roll obey one law; an event that ends slip cannot tell them apart, the end of the step can.
bool holds(Mode mode) {
  return mode == Mode::Stick || mode == Mode::Roll;
}

// Are the pairs that touch, and their modes, those of the step before?
bool goes_on(const std::vector<ModeInterval>& current, const stepping::World& world) {
  std::size_t k = 0;
  for (std::size_t c = 0; c < world.memory.size(); ++k) {
    const int a = world.memory[c].id.body_a, b = world.memory[c].id.body_b;
    Mode mode = Mode::Open;
    for (; c < world.memory.size() && world.memory[c].id.body_a == a && world.memory[c].id.body_b == b; ++c)
      mode = std::max(mode, world.memory[c].mode);
    if (k == current.size() || current[k].mode != mode || current[k].body_a != a || current[k].body_b != b)
      return false;
  }
  return k == current.size();
}

}  // namespace

void ModeTimeline::record(const stepping::World& world, double begin, std::span<const stepping::Event> events) {
  const double end = world.state.time;
  for (const stepping::Event& event : events)
    change(event.contact.body_a, event.contact.body_b, event.to, event.time, end);

  if (events.empty() && started_ && goes_on(current_, world)) {
    for (ModeInterval& interval : current_) interval.end = end;
    return;
  }
  // Modes at the end of the step: contacts of a pair are neighbours in canonical order.
  scratch_.clear();
  for (const stepping::ContactMemory& memory : world.memory) {
    const int a = memory.id.body_a, b = memory.id.body_b;
    if (scratch_.empty() || pair_of(scratch_.back()) != std::pair(a, b)) scratch_.push_back({a, b, Mode::Open, 0, 0});
    scratch_.back().mode = std::max(scratch_.back().mode, memory.mode);  // the enumeration is in order of precedence
  }
  // A mode without a located event is known at the end of the step; the first step's from the start.
  const double since = started_ ? end : begin;
  started_ = true;
  std::size_t k = 0;
  for (ModeInterval& interval : current_) {
    while (k < scratch_.size() && pair_of(scratch_[k]) < pair_of(interval)) ++k;
    const bool present = k < scratch_.size() && pair_of(scratch_[k]) == pair_of(interval);
    const Mode mode = present ? scratch_[k].mode : Mode::Open;
    if (interval.begin > begin && holds(mode) && holds(interval.mode)) interval.mode = mode;
    if (mode != interval.mode) {
      interval.end = since;
      if (interval.end > interval.begin) finished_.push_back(interval);
      interval.mode = mode;
      interval.begin = since;
    }
    interval.end = end;
  }
  for (const ModeInterval& seen : scratch_) {
    if (seen.mode == Mode::Open) continue;
    const auto place = std::lower_bound(current_.begin(), current_.end(), seen,
                                        [](const auto& x, const auto& y) { return pair_of(x) < pair_of(y); });
    if (place == current_.end() || pair_of(*place) != pair_of(seen))
      current_.insert(place, {seen.body_a, seen.body_b, seen.mode, since, end});
  }
}

void ModeTimeline::change(int body_a, int body_b, Mode mode, double time, double now) {
  for (ModeInterval& interval : current_) {
    if (pair_of(interval) != std::pair(body_a, body_b)) continue;
    if (interval.mode == mode) return;
    interval.end = time;
    if (interval.end > interval.begin) finished_.push_back(interval);
    interval.mode = mode;
    interval.begin = time;
    interval.end = now;
    return;
  }
  const ModeInterval fresh{body_a, body_b, mode, time, now};
  current_.insert(std::upper_bound(current_.begin(), current_.end(), fresh,
                                   [](const auto& x, const auto& y) { return pair_of(x) < pair_of(y); }),
                  fresh);
}

namespace {

void put(ByteWriter& out, const ModeInterval& interval) {
  out.put(interval.body_a);
  out.put(interval.body_b);
  out.put(interval.mode);
  out.put(interval.begin);
  out.put(interval.end);
}

void get(ByteReader& in, ModeInterval& interval) {
  in.get(interval.body_a);
  in.get(interval.body_b);
  in.get(interval.mode);
  in.get(interval.begin);
  in.get(interval.end);
}

}  // namespace

void ModeTimeline::save(ByteWriter& out) const {
  out.put(started_);
  for (const auto* list : {&finished_, &current_})
    out.put_list(*list, [&](const ModeInterval& interval) { put(out, interval); });
}

void ModeTimeline::restore(ByteReader& in) {
  in.get(started_);
  for (auto* list : {&finished_, &current_}) in.get_list(*list, [&](ModeInterval& interval) { get(in, interval); });
}

}  // namespace stickslip::simulation
