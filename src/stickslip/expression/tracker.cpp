// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/expression/tracker.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace stickslip::expression {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// When within the last moment a condition became true.
double time_of_change(const Tracker& tracker, double x, const EvaluationContext& context) {
  const double before = tracker.memory[1], now = context.time;
  // What is true only since the last change of mode of the contacts it speaks of.
  for (auto event = context.events.rbegin(); event != context.events.rend(); ++event) {
    if (tracker.argument.depends_on_contact(event->contact.body_a, event->contact.body_b)) return event->time;
  }
  const double x0 = tracker.memory[2];
  if (!tracker.crossing || !std::isfinite(x0) || !std::isfinite(x) || x0 >= x) return now;
  return before + (now - before) * (-x0 / (x - x0));
}

bool condition_holds(const Tracker& tracker, double x) {
  return tracker.crossing ? (tracker.inclusive ? x >= 0 : x > 0) : (x != 0 && !std::isnan(x));
}

// A condition on contacts that became true before the last event of the step (and perhaps false again, in a bounce):
// the modes of the contacts are taken back to what they were after each of its events.
double time_within_step(const Tracker& tracker, const EvaluationContext& context) {
  std::vector<contact::ContactResult> contacts;
  for (std::size_t k = 0; k + 1 < context.events.size(); ++k) {
    const stepping::Event& event = context.events[k];
    if (!tracker.argument.depends_on_contact(event.contact.body_a, event.contact.body_b)) continue;
    contacts.assign(context.contacts.begin(), context.contacts.end());
    for (std::size_t later = context.events.size(); --later > k;)
      for (contact::ContactResult& result : contacts)
        if (result.contact.id == context.events[later].contact) result.mode = context.events[later].from;
    EvaluationContext then = context;
    then.contacts = contacts;
    if (condition_holds(tracker, tracker.argument.evaluate(then))) return event.time;
  }
  return kNaN;
}

void update_first_time(Tracker& tracker, double x, const EvaluationContext& context) {
  const bool holds = condition_holds(tracker, x);
  const bool started = tracker.memory[0] != 0;
  if (!started) {
    tracker.value = holds ? context.time : kNaN;
  } else if (std::isnan(tracker.value)) {
    if (context.events.size() > 1) tracker.value = time_within_step(tracker, context);
    if (holds && std::isnan(tracker.value)) tracker.value = time_of_change(tracker, x, context);
  }
}

void update_mean(Tracker& tracker, double x, double time) {
  double* m = tracker.memory;
  if (m[0] == 0) {
    m[3] = 0;
    m[4] = time;
  } else {
    m[3] += 0.5 * (time - m[1]) * (x + m[2]);
  }
  tracker.value = time > m[4] ? m[3] / (time - m[4]) : x;
}

void update_unwrap(Tracker& tracker, double x) {
  constexpr double kTurn = 2 * std::numbers::pi;
  tracker.value = tracker.memory[0] == 0 ? x : tracker.value + std::remainder(x - tracker.memory[1], kTurn);
  tracker.memory[1] = x;
}

// The rate or the mean over the last full period.
void update_over_period(Tracker& tracker, double x, double time) {
  double* m = tracker.memory;
  const bool rate = tracker.kind == Tracker::Kind::RateOverPeriod;
  if (m[0] == 0) {
    m[3] = time;
    m[4] = 0;
    m[5] = rate ? x : 0;
    tracker.value = rate ? 0 : x;
    return;
  }
  double from = m[1], at_from = m[2];
  for (;;) {
    const double end = m[3] + (m[4] + 1) * tracker.period;
    // Steps that should end with the period may miss it by rounding.
    if (time < end - 1e-9 * tracker.period) break;
    const double at_end = time > from && end < time ? at_from + (x - at_from) * (end - from) / (time - from) : x;
    if (rate) {
      tracker.value = (at_end - m[5]) / tracker.period;
      m[5] = at_end;
    } else {
      tracker.value = (m[5] + 0.5 * (end - from) * (at_end + at_from)) / tracker.period;
      m[5] = 0;
    }
    m[4] += 1;
    from = end;
    at_from = at_end;
  }
  if (!rate) m[5] += 0.5 * (time - from) * (x + at_from);
  const bool within_first = m[4] == 0 && time > m[3];
  if (within_first) tracker.value = (rate ? x - m[5] : m[5]) / (time - m[3]);
}

// The values at multiples of the interval, found by interpolation where they fall inside a step.
void update_sum(Tracker& tracker, double x, double time) {
  double* m = tracker.memory;
  if (m[0] == 0) {
    m[3] = time;
    m[4] = 0;
    tracker.value = 0;
    return;
  }
  for (;;) {
    const double next = m[3] + (m[4] + 1) * tracker.period;
    // Steps that should end there may miss it by rounding.
    if (time < next - 1e-9 * tracker.period) return;
    tracker.value += next < time ? m[2] + (x - m[2]) * (next - m[1]) / (time - m[1]) : x;
    m[4] += 1;
  }
}

}  // namespace

double Tracker::update(const EvaluationContext& context) {
  const bool started = memory[0] != 0;
  const bool settled = kind == Kind::Initial || (kind == Kind::FirstTime && !std::isnan(value));
  if (started && settled) return value;
  const double x = argument.evaluate(context);
  switch (kind) {
    case Kind::FirstTime: update_first_time(*this, x, context); break;
    case Kind::Max: value = started ? std::max(value, x) : x; break;
    case Kind::Min: value = started ? std::min(value, x) : x; break;
    case Kind::Mean: update_mean(*this, x, context.time); break;
    case Kind::Unwrap: update_unwrap(*this, x); break;
    case Kind::Initial: value = x; break;
    case Kind::RateOverPeriod:
    case Kind::MeanOverPeriod: update_over_period(*this, x, context.time); break;
    case Kind::SumEvery: update_sum(*this, x, context.time); break;
  }
  if (kind != Kind::Unwrap) {
    memory[1] = context.time;
    memory[2] = x;
  }
  memory[0] = 1;
  return x;
}

}  // namespace stickslip::expression
