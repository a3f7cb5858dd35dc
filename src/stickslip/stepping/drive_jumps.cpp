// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/drive_jumps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

namespace {

constexpr double kClose = 1e-9;  // of the step

// Beside an instant: far enough that rounding of the time does not lead across it.
double beside(double time, double close) {
  return 0.01 * close + 64 * std::numeric_limits<double>::epsilon() * std::abs(time);
}

model::Twist velocity_at(const model::Drive& drive, double time, model::BodyState state) {
  model::apply_drive(drive, time, state);
  return state.velocity;
}

double difference(const model::Twist& a, const model::Twist& b) {
  return std::max((a.linear - b.linear).lpNorm<Eigen::Infinity>(), (a.angular - b.angular).lpNorm<Eigen::Infinity>());
}

bool jumps_at(const model::Body& body, double time, double d) {
  const auto at = [&](double t) { return velocity_at(body.drive, t, body.initial); };
  const auto back = [&](double by) { return at(std::max(time - by, 0.0)); };
  const model::Twist before = back(d), after = at(time + d);
  const double jump = difference(after, before);
  const double size = difference(before, {}) + difference(after, {});
  return jump > 1e-9 * size && jump > 0.5 * difference(at(time + 1000 * d), back(1000 * d));
}

}  // namespace

void DriveJumps::prepare(const model::Model& model, double step) {
  jumps_.clear();
  close_ = kClose * step;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const std::vector<double>& breakpoints = model.bodies[b].drive.breakpoints;
    const auto add = [&](double time) {
      if (jumps_at(model.bodies[b], time, beside(time, close_))) jumps_.push_back({time, b});
    };
    // The value at the very start may be one that is never taken again: sign(sin(t)) = 0.
    if (!breakpoints.empty() && breakpoints.front() > close_) add(0);
    for (const double time : breakpoints) add(time);
  }
  std::ranges::sort(jumps_, {}, &Jump::time);
}

double DriveJumps::next(double from, double to) const {
  const auto found = std::ranges::upper_bound(jumps_, from + close_, {}, &Jump::time);
  return found != jumps_.end() && found->time < to - close_ ? found->time : to;
}

bool DriveJumps::is_at(double time) const {
  const auto found = std::ranges::lower_bound(jumps_, time - close_, {}, &Jump::time);
  return found != jumps_.end() && found->time <= time + close_;
}

void DriveJumps::take_side(const model::Model& model, std::size_t body, double time, Side side,
                           model::BodyState& state) const {
  for (auto at = std::ranges::lower_bound(jumps_, time - close_, {}, &Jump::time);
       at != jumps_.end() && at->time <= time + close_; ++at) {
    if (at->body != body) continue;
    const double d = beside(at->time, close_);
    state.velocity = velocity_at(model.bodies[body].drive, side == Side::Before ? at->time - d : at->time + d, state);
    return;
  }
}

}  // namespace stickslip::stepping
