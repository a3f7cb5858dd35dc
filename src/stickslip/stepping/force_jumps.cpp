// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/force_jumps.h"

#include "stickslip/stepping/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

namespace {

using model::Choice;

constexpr double kOnEdge = 1e-9;      // of its change in the trial: a number that starts at a threshold
constexpr double kAtEnd = 1e-9;       // of the trial: what is left after the instant is no sub-step
constexpr double kSoon = 1e-6;        // of the trial: where the choices that hold after such a start are read
constexpr double kRootTime = 1e-12;   // of the trial: a bracket that is not shortened further
constexpr double kRootValue = 1e-14;  // of the change of a number in the trial: zero
constexpr double kDips = 1e-6;        // of a number in the trial: how far a parabola must cross to be believed
constexpr int kMostTrials = 80;       // per instant; bisection alone takes forty

bool same(const std::vector<Choice>& a, const std::vector<Choice>& b) {
  return std::ranges::equal(
      a, b, [](const Choice& x, const Choice& y) { return x.taken == y.taken && x.source == y.source; });
}

// A choice that differs between two ends, as a number of opposite sign there. Numbers that tell nothing are +-1.
struct Crossing {
  double low = 1, high = -1;
  std::size_t place = 0;
  bool tells = false;

  [[nodiscard]] double share() const { return low / (low - high); }
};

Crossing crossing_of(const Choice& low, const Choice& high, std::size_t place) {
  double threshold = 0;
  if (low.spacing > 0) {
    const double steps = low.at / low.spacing;
    threshold = low.spacing * (high.at > low.at ? std::floor(steps) + 1 : std::ceil(steps) - 1);
    // A number on a threshold belongs to one of its sides, and may leave it to the other.
    if (steps == std::floor(steps) && (high.taken > low.taken) == (low.taken < steps)) threshold = low.at;
  }
  Crossing crossing{low.at - threshold, high.at - threshold, place};
  crossing.tells = std::isfinite(crossing.low) && std::isfinite(crossing.high) && crossing.low != crossing.high &&
                   !(crossing.low > 0 && crossing.high > 0) && !(crossing.low < 0 && crossing.high < 0);
  return crossing.tells ? crossing : Crossing{.place = place};
}

// Of each function the first choice that differs; of those the one that comes first on a straight line.
Crossing first_crossing(const std::vector<Choice>& low, const std::vector<Choice>& high) {
  Crossing best;
  bool any = false;
  std::size_t i = 0, j = 0;
  while (i < low.size() && j < high.size()) {
    if (low[i].source == high[j].source && low[i].taken == high[j].taken) {
      ++i, ++j;
      continue;
    }
    const int source = std::min(low[i].source, high[j].source);
    if (low[i].source == high[j].source) {
      const Crossing one = crossing_of(low[i], high[j], i);
      if (!any || one.share() < best.share()) best = one;
      any = true;
    }
    while (i < low.size() && low[i].source <= source) ++i;
    while (j < high.size() && high[j].source <= source) ++j;
  }
  return best;
}

// The time, over the trial, at which a parabola through the three values of a number has its extremum, if it crosses a
// threshold there that none of the three does. 0: it does not.
double dip(const Choice& start, const Choice& middle, const Choice& end) {
  const double curvature = start.at - 2 * middle.at + end.at, slope = 4 * middle.at - 3 * start.at - end.at;
  const double s = -slope / (4 * curvature);  // of start + slope s + 2 curvature s^2
  if (!(s > 0 && s < 1)) return 0;
  const double there = start.at + slope * s + 2 * curvature * s * s;
  const double far = kDips * (std::fabs(start.at) + std::fabs(end.at));
  double threshold = 0;
  if (start.spacing > 0) {
    const double steps = start.at / start.spacing;
    threshold = start.spacing * (there > start.at ? std::floor(steps) + 1 : std::floor(steps));
  }
  const bool above = start.at > threshold || end.at > threshold;
  const bool crosses = above ? there < threshold - far : there > threshold + far;
  return crosses && start.at != threshold ? s : 0;
}

}  // namespace

void ForceJumps::prepare(const World& world) {
  by_body_.assign(world.model.bodies.size(), 0);
  any_ = false;
  for (std::size_t b = 0; b < by_body_.size(); ++b) {
    if (!world.traits[b].movable) continue;
    for (const model::ForceFunction& force : world.model.bodies[b].forces)
      if (const model::DescribedForce* known = description_of(force); known != nullptr && known->choices)
        by_body_[b] = any_ = true;
  }
}

bool ForceJumps::watches(const Component& component) const {
  return any_ && std::ranges::any_of(component.bodies,
                                     [&](const BodyStart& start) { return by_body_[index(start.body)] != 0; });
}

void ForceJumps::read(const World& world, const Component& component, const model::State& state,
                      Choices& choices) const {
  choices.clear();
  int sources = 0;
  for (const BodyStart& start : component.bodies) {
    if (by_body_[index(start.body)] == 0) continue;
    for (const model::ForceFunction& force : world.model.bodies[index(start.body)].forces) {
      const model::DescribedForce* known = description_of(force);
      if (known == nullptr || !known->choices) continue;
      const std::size_t first = choices.size();
      known->choices(state, choices);
      const int before = sources;
      for (std::size_t i = first; i < choices.size(); ++i) {
        choices[i].source += before;
        sources = std::max(sources, choices[i].source + 1);
      }
    }
  }
}

// The trial over h, and the choices at its end.
bool ForceJumps::run(World& world, const Component& component, double h, ComponentStep& step) {
  step.run(world, component, h);
  if (step.trial.certified) read(world, component, step.data.end.state, end_);
  return step.trial.certified;
}

ForceJumps::Found ForceJumps::find(World& world, Component& component, ComponentStep& step) {
  const double h = step.trial.h;
  start_state_.bodies = world.state.bodies;
  start_state_.time = step.data.at(component.offset);
  for (int b : component.driven)
    model::apply_drive(world.model.bodies[index(b)].drive, start_state_.time, start_state_.bodies[index(b)]);
  read(world, component, start_state_, start_);
  read(world, component, step.data.mid.state, middle_);
  read(world, component, step.data.end.state, end_);
  double low = 0, high = h;
  if (same(start_, end_)) {
    const Found inside = look_inside(world, component, h, step);
    if (inside != Found::Instant) return inside;
    high = step.trial.h;
  }
  high_ = end_;
  low_ = start_;
  const Crossing crossing = first_crossing(low_, high_);
  if (std::fabs(crossing.low) <= kOnEdge * std::fabs(crossing.high)) {
    if (!run(world, component, kSoon * h, step)) return Found::None;
    if (!same(start_, end_)) {  // at the very start: what was before predicts nothing
      low = kSoon * h;
      low_ = end_;
      drop_histories(component);
      if (!run(world, component, high, step)) return Found::None;
      high_ = end_;
    }
  }
  if (!same(low_, high_)) search(world, component, low, high, step);
  if (!step.trial.certified) return Found::None;
  const bool differs = !same(low_, high_);
  if (differs && step.trial.h > 2 * low) {
    if (step.trial.h > (1 - kAtEnd) * h && step.trial.h < h) step.run(world, component, h);
    return Found::Instant;
  }
  step.run(world, component, h);
  return differs ? Found::Sliding : Found::None;
}

// Start and end agree: is there another formula in between? Instant: step.trial is one that ends on it; else that over h.
ForceJumps::Found ForceJumps::look_inside(World& world, const Component& component, double h, ComponentStep& step) {
  double share = 0;
  const bool other_middle = !same(start_, middle_);
  if (other_middle) {
    share = 0.5;
  } else {
    for (std::size_t i = 0; i < start_.size(); ++i) {
      const double at = dip(start_[i], middle_[i], end_[i]);
      if (at > kSoon && at < 1 - kSoon && (share == 0 || at < share)) share = at;
    }
  }
  if (share == 0) return Found::None;
  if (run(world, component, share * h, step) && !same(start_, end_)) return Found::Instant;
  if (step.trial.certified) step.run(world, component, h);
  return other_middle ? Found::Sliding : Found::None;
}

// Leaves in step.trial the sub-step at whose end the choices are first others than low_: Illinois' rule, which ends on the
// far side since it aims a little beyond the root. high_: the choices there.
void ForceJumps::search(World& world, const Component& component, double low, double high, ComponentStep& step) {
  const double shortest = kRootTime * high, soon = 2 * low;
  double weight_low = 1, weight_high = 1, scale = 0;
  std::size_t place = std::numeric_limits<std::size_t>::max();
  bool low_again = false, high_again = false;
  for (int trial = 0; trial < kMostTrials && high - low > shortest && high > soon; ++trial) {
    const Crossing crossing = first_crossing(low_, high_);
    if (crossing.place != place) {
      place = crossing.place;
      weight_low = weight_high = 1;
      low_again = high_again = false;
      scale = std::fabs(crossing.low) + std::fabs(crossing.high);
    }
    const double f_low = weight_low * crossing.low, f_high = weight_high * crossing.high;
    const double beyond = std::copysign(0.25 * kRootValue * scale, crossing.low);
    double next = low + (high - low) * (f_low + beyond) / (f_low - f_high);
    if (!std::isfinite(next) || trial % 4 == 3) next = 0.5 * (low + high);
    next = std::clamp(next, low + 0.5 * shortest, high - 0.5 * shortest);
    if (!run(world, component, next, step)) return;
    if (same(end_, low_)) {
      low = next;
      low_ = end_;
      if (low_again) weight_high *= 0.5;
      weight_low = 1;
      low_again = true;
      high_again = false;
      continue;
    }
    high = next;
    high_ = end_;
    if (high_again) weight_low *= 0.5;
    weight_high = 1;
    high_again = true;
    low_again = false;
    const Crossing now = first_crossing(low_, high_);
    if (now.place == place && crossing.tells && now.tells && std::fabs(now.high) <= kRootValue * scale) break;
  }
  if (step.trial.h != high) step.run(world, component, high);
}

}  // namespace stickslip::stepping
