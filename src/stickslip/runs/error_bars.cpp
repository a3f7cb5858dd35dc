// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/runs/error_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace stickslip::runs {
namespace {

constexpr double kAgree = 2;
constexpr int kFreeTurn = 4;       // order with which second-order turns bodies that nothing touches
constexpr double kOtherModes = 3;  // spreads that bound the error then: 9 of 10 are within one, 96 of 100 within three
constexpr double kRounding = 1e-12;  // of a value: what thousands of steps leave,
constexpr double kInstants = 1e-8;   // and what instants of events do, which are found to 1e-6 of a step
constexpr int kAdaptive = 5;         // order of a stepper that follows an error estimate of its own

using Modes = std::map<std::pair<int, int>, std::vector<contact::Mode>>;

// The modes of each pair in their order. What only begins or ends at the same instant has no order among pairs.
Modes modes_of(const simulation::ModeTimeline& timeline) {
  Modes modes;
  for (const auto intervals : {timeline.finished(), timeline.current()})
    for (const simulation::ModeInterval& interval : intervals)
      modes[{interval.body_a, interval.body_b}].push_back(interval.mode);
  return modes;
}

void make_bound(ErrorBar& bar, double error, double grain) {
  bar.claim = ErrorBar::Claim::Bound;
  bar.error = std::max(error, grain);
}

// The differences between runs with h, 3 h and 6 h, and what errors of order p would be after them.
struct Differences {
  double first = 0, second = 0;

  [[nodiscard]] double estimate(int p) const { return first / (std::pow(3, p) - 1); }
  [[nodiscard]] double estimate_before(int p) const { return second / (std::pow(6, p) - std::pow(3, p)); }
  [[nodiscard]] bool fall_as(int p) const { return fall_at_least_as(p) && estimate_before(p) <= kAgree * estimate(p); }
  [[nodiscard]] bool fall_at_least_as(int p) const { return estimate(p) <= kAgree * estimate_before(p); }
};

// Of runs through the same modes. At second order and above, differences that fall are each larger than the error of the run after
// them by far; at first order neighbouring runs agree by chance too often.
double bound_of(const ErrorBar& bar, const Differences& differences, int order) {
  return order >= 2 && differences.fall_at_least_as(order) ? differences.first : bar.spread;
}

}  // namespace

std::string_view name_of(ErrorBar::Claim claim) {
  switch (claim) {
    case ErrorBar::Claim::None: return "none";
    case ErrorBar::Claim::Bound: return "bound";
    case ErrorBar::Claim::Estimate: return "estimate";
  }
  return "";
}

std::string text_of(const ErrorBar& bar) {
  switch (bar.claim) {
    case ErrorBar::Claim::None: break;
    case ErrorBar::Claim::Bound: return fmt::format("+- at most {:.2g}", bar.error);
    case ErrorBar::Claim::Estimate: return fmt::format("+- {:.2g}", bar.error);
  }
  return "not resolved";
}

ErrorBar bar_of(double value, double at_three, double at_six, int order, double grain) {
  ErrorBar bar;
  const double first = std::abs(value - at_three), second = std::abs(at_three - at_six);
  bar.spread = std::max({first, second, std::abs(value - at_six)});
  if (!std::isfinite(bar.spread)) {
    bar.spread = std::numeric_limits<double>::quiet_NaN();
    bar.why_not = "a run has no value";
    return bar;
  }
  const double scale = std::max(std::abs(value), std::abs(at_six));
  if (grain > 0 || bar.spread <= kInstants * scale || order >= kAdaptive) {
    bar.claim = ErrorBar::Claim::Estimate;
    bar.error = grain > 0 ? grain : std::max(bar.spread, kRounding * scale);
    return bar;
  }
  const Differences differences{first, second};
  if (differences.fall_as(order)) {
    bar.claim = ErrorBar::Claim::Estimate;
    bar.error = differences.estimate(order);
  } else if (order == 2 && differences.fall_as(kFreeTurn)) {
    bar.claim = ErrorBar::Claim::Estimate;
    bar.error = differences.estimate(kFreeTurn);
    bar.of_free_turn = true;
  } else {
    bar.why_not = "the differences contradict the order of the stepper";
    make_bound(bar, bound_of(bar, differences, order), grain);
  }
  return bar;
}

namespace {

// More sub-steps than steps and events. Steppers of higher order choose their length by themselves, and have a bar of
// their own kind.
bool divided_steps(const Run& run) {
  const simulation::Counters& counters = run.simulation().counters();
  return stepping::order_of(run.simulation().method().stepper) < kAdaptive &&
         counters.sub_steps > counters.steps + counters.events;
}

}  // namespace

std::vector<ErrorBar> error_bars(const Run& run, const Run::Hook& hook) {
  const scene::Scene& scene = run.scene();
  const double h = run.simulation().method().step;
  const std::vector<double> values = run.observables();
  std::vector<std::vector<double>> coarse;
  bool other_modes = false;
  std::string other_end, other_course;  // why nothing can be said, and why no estimate
  const Modes modes = modes_of(run.simulation().timeline());
  for (const double times : {3., 6.}) {
    coarse.emplace_back(values.size(), std::numeric_limits<double>::quiet_NaN());
    Run other(scene, times * h);
    RunEnd end = RunEnd::Uncertified;
    try {
      other.begin();
      end = other.finish(hook);
      other.observe(coarse.back());
    } catch (const scene::SceneError& error) {  // an expression that is not a number
      other_end = std::string("a coarser run failed: ") + error.what();
      continue;
    }
    if (end == RunEnd::Uncertified)
      other_end = "a coarser run failed: " + other.failure();
    else if (end != run.end() || other.stop_text() != run.stop_text())
      other_end = "a coarser run ended in another way";
    else if (modes_of(other.simulation().timeline()) != modes) {
      other_modes = true;
      other_course = "a coarser run went through other contact modes";
    } else if (divided_steps(other) || divided_steps(run))
      other_course = "steps were divided, so that errors do not fall with the step";
  }
  const int order = stepping::order_of(scene.method.stepper);
  std::vector<ErrorBar> bars;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double grain = grain_of(scene, k, values[k]);
    bars.push_back(bar_of(values[k], coarse[0][k], coarse[1][k], order, grain));
    ErrorBar& bar = bars.back();
    if (!other_end.empty()) {
      bar.claim = ErrorBar::Claim::None;
      bar.why_not = other_end;
    } else if (!other_course.empty() && bar.claim != ErrorBar::Claim::None && (other_modes || !bar.of_free_turn)) {
      bar.why_not = other_course;
      const Differences differences{std::abs(values[k] - coarse[0][k]), std::abs(coarse[0][k] - coarse[1][k])};
      make_bound(bar, other_modes ? kOtherModes * bar.spread : bound_of(bar, differences, order), grain);
    }
  }
  return bars;
}

}  // namespace stickslip::runs
