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

// From three runs that ended in the same way.
void make_bound(ErrorBar& bar, double spreads, double grain) {
  bar.claim = ErrorBar::Claim::Bound;
  bar.error = std::max(spreads * bar.spread, grain);
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
  const double three = std::pow(3, order), six = std::pow(6, order);
  const double E_1 = first / (three - 1), E_2 = second / (six - three);
  if (E_1 <= kAgree * E_2 && E_2 <= kAgree * E_1) {
    bar.claim = ErrorBar::Claim::Estimate;
    bar.error = E_1;
  } else {
    bar.why_not = "the differences contradict the order of the stepper";
    make_bound(bar, 1, grain);
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
  std::vector<ErrorBar> bars;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double grain = grain_of(scene, k, values[k]);
    bars.push_back(bar_of(values[k], coarse[0][k], coarse[1][k], stepping::order_of(scene.method.stepper), grain));
    ErrorBar& bar = bars.back();
    if (!other_end.empty()) {
      bar.claim = ErrorBar::Claim::None;
      bar.why_not = other_end;
    } else if (!other_course.empty() && bar.claim != ErrorBar::Claim::None) {
      bar.why_not = other_course;
      make_bound(bar, other_modes ? kOtherModes : 1, grain);
    }
  }
  return bars;
}

}  // namespace stickslip::runs
