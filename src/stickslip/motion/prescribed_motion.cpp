// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/motion/prescribed_motion.h"

#include "stickslip/motion/dense_integral.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

namespace stickslip::motion {
namespace {

// Evaluations that the search for breakpoints may take: about a second.
constexpr long kMostEvaluations = 20'000'000;

double samples_of(const Span& span) {
  return std::clamp(std::ceil(2 * span.duration / span.step), 200.0, 200000.0);
}

// Of a phase, in radians: beyond, w t is rounded to more than a thousandth of a turn.
constexpr double kMostTurns = 1e13;

// Named, so that functions can be compared (same_motion).
struct ClosedMotion {
  ClosedForm form;
  model::TimeJet operator()(double t) const { return form.evaluate(t); }
};
struct ConstantMotion {
  double value = 0;
  model::TimeJet operator()(double) const { return {value, 0, 0}; }
};

model::TimeFunction closed_motion(ClosedForm position, double offset) {
  position = position + ClosedForm(offset);
  if (position.is_constant()) return constant_motion(position.constant_term());
  return ClosedMotion{std::move(position)};
}

model::TimeFunction integrate_closed(const ClosedForm& form, Given given, double start, double rate, bool symmetric) {
  ClosedForm velocity = form;
  if (given == Given::Acceleration) {
    velocity = form.integral();
    if (!symmetric) velocity = velocity + ClosedForm(rate - velocity.evaluate(0).value);
  }
  const ClosedForm position = velocity.integral();
  return closed_motion(position, symmetric ? start : start - position.evaluate(0).value);
}

model::TimeFunction integrate_numerically(const TimeExpression& expression, Given given, double start, double rate,
                                          const Span& span) {
  const std::vector<double> breakpoints = find_breakpoints(expression, span);
  std::shared_ptr<DenseIntegral> integral;
  try {
    integral = std::make_shared<DenseIntegral>([expression](double t) { return expression.checked(t).value; },
                                               span.duration, breakpoints);
  } catch (const files::SceneError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw files::SceneError(expression.place, fmt::format("{}: {}", expression.label, error.what()));
  }
  if (given == Given::Velocity) {
    return [expression, integral, start](double t) -> model::TimeJet {
      const model::TimeJet velocity = expression.checked(t);
      return {start + integral->first(t), velocity.value, velocity.rate};
    };
  }
  return [expression, integral, start, rate](double t) -> model::TimeJet {
    return {start + rate * t + integral->second(t), rate + integral->first(t), expression.checked(t).value};
  };
}

// Looks for changes of branch, with a limit on the work.
class BranchSearch {
 public:
  BranchSearch(const TimeExpression& expression, double duration) : expression_(expression), duration_(duration) {}

  std::uint64_t branch(double t) {
    if (++evaluations_ > kMostEvaluations)
      throw files::SceneError(
          expression_.place,
          fmt::format("{} changes its branch too often to be followed: {} times until t = {:.6g} of {:.6g}",
                      expression_.label, found_.size(), found_.empty() ? 0 : found_.back(), duration_));
    return expression_.expression.branch_signature(t);
  }

  // The first time after `from` at which the branch differs, known to lie in (from, to]: bisection down to neighbouring
  // numbers.
  double locate_change(double from, double to) {
    const std::uint64_t before = branch(from);
    for (;;) {
      const double middle = 0.5 * (from + to);
      if (!(from < middle && middle < to)) return to;
      (branch(middle) == before ? from : to) = middle;
    }
  }

  void add(double t) { found_.push_back(t); }
  std::vector<double> found() { return std::move(found_); }

 private:
  const TimeExpression& expression_;
  double duration_;
  long evaluations_ = 0;
  std::vector<double> found_;
};

// How a position that was sampled may grow between its samples before it counts as a pole: a factor that no motion
// which the samples resolve comes near, and that a pole passes after some 17 halvings of the interval.
constexpr double kPole = 1e5;

// The largest |f| in [low, high] by repeated thirds; for a function with one peak there.
double climb(const TimeExpression& expression, double low, double high) {
  double best = 0;
  for (int i = 0; i < 100 && best < 1e300; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (!(low < a && a < b && b < high)) break;
    const double fa = std::abs(expression.checked(a).value), fb = std::abs(expression.checked(b).value);
    best = std::max({best, fa, fb});
    (fa < fb ? low : high) = fa < fb ? a : b;
  }
  return best;
}

// A position that has a pole (1 / (t - 1), tan(t)) is finite at all times that a computer meets and moves a body to
// infinity all the same. The sharpest peaks of |f| among the samples are climbed: at a pole there is no end. Poles so
// weak that others are sharper move the body by less than it moves anyway between two samples.
void refuse_poles(const TimeExpression& expression, const Span& span, double samples) {
  constexpr std::size_t kMostPeaks = 64;
  struct Peak {
    double sharpness, place, height;
  };
  const auto time = [&](double i) { return span.duration * (i / samples); };
  std::vector<Peak> peaks;
  double before = 0, now = 0, after = std::abs(expression.checked(0).value);
  for (double i = 0; i <= samples; ++i) {
    before = now;
    now = after;
    after = i < samples ? std::abs(expression.checked(time(i + 1)).value) : 0;
    if (now >= before && now >= after && now > 0) peaks.push_back({now - std::min(before, after), i, now});
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(kMostPeaks, peaks.size()));
  std::ranges::partial_sort(peaks, peaks.begin() + count, std::greater<>(), &Peak::sharpness);
  peaks.resize(static_cast<std::size_t>(count));
  for (const Peak& peak : peaks) {
    const double low = time(std::max(peak.place - 1, 0.0)), high = time(std::min(peak.place + 1, samples));
    if (climb(expression, low, high) > kPole * peak.height)
      throw files::SceneError(expression.place,
                              fmt::format("{} has a pole between t = {:.6g} and {:.6g}", expression.label, low, high));
  }
}

}  // namespace

bool TimeExpression::is_zero() const {
  return form && form->is_constant() && form->constant_term() == 0;
}

model::TimeJet TimeExpression::checked(double t) const {
  const model::TimeJet jet = form ? form->evaluate(t) : expression.evaluate_jet(t);
  if (!std::isfinite(jet.value)) {
    throw files::SceneError(place, fmt::format("{} is {} at t = {:.17g}", label,
                                               std::isnan(jet.value) ? "not a number (nan)" : "infinite", t));
  }
  return jet;
}

std::vector<double> find_breakpoints(const TimeExpression& expression, const Span& span) {
  if (expression.form || !expression.expression.has_branches()) return {};
  BranchSearch search(expression, span.duration);
  const double samples = samples_of(span);
  double from = 0;
  for (double i = 1; i <= samples; ++i) {
    const double to = span.duration * (i / samples);
    // Several changes may lie between two samples; each bisection finds one, and the search goes on behind it.
    while (from < to && search.branch(from) != search.branch(to)) {
      from = search.locate_change(from, to);
      if (from < span.duration) search.add(from);
    }
    from = to;
  }
  return search.found();
}

void check_finite(const TimeExpression& expression, const Span& span) {
  if (!expression.form) {
    // What lies between the samples is caught when the run gets there.
    const double samples = std::min(samples_of(span), 20000.0);
    for (double i = 0; i <= samples; ++i) (void)expression.checked(span.duration * (i / samples));
    return;
  }
  for (const double t : {0.0, span.duration}) (void)expression.checked(t);
  for (const ClosedForm::Term& term : expression.form->terms()) {
    if (term.frequency * span.duration <= kMostTurns) continue;
    throw files::SceneError(expression.place,
                            fmt::format("{}: a frequency of {:.6g} radians per unit of time is too high: its phase at "
                                        "the end of the run would have no correct digit",
                                        expression.label, term.frequency));
  }
}

model::TimeFunction constant_motion(double value) {
  return ConstantMotion{value};
}

bool same_motion(const model::TimeFunction& a, const model::TimeFunction& b) {
  if (const auto* x = a.target<ConstantMotion>()) {
    const auto* y = b.target<ConstantMotion>();
    return y != nullptr && x->value == y->value;
  }
  const auto *x = a.target<ClosedMotion>(), *y = b.target<ClosedMotion>();
  return x != nullptr && y != nullptr &&
         std::ranges::equal(x->form.terms(), y->form.terms(), [](const ClosedForm::Term& s, const ClosedForm::Term& t) {
           return s.power == t.power && s.frequency == t.frequency && s.sine == t.sine && s.cosine == t.cosine;
         });
}

std::optional<ClosedForm> closed_form_of(const model::TimeFunction& motion) {
  if (const auto* constant = motion.target<ConstantMotion>()) return ClosedForm(constant->value);
  if (const auto* closed = motion.target<ClosedMotion>()) return closed->form;
  return std::nullopt;
}

model::TimeFunction make_motion(const TimeExpression& expression, Given given, double start, double rate,
                                bool symmetric, const Span& span) {
  check_finite(expression, span);
  if (given == Given::Position) {
    if (expression.form) return closed_motion(*expression.form, 0);
    refuse_poles(expression, span, std::min(samples_of(span), 20000.0));
    return [expression](double t) { return expression.checked(t); };
  }
  if (symmetric && !(expression.form && expression.form->is_oscillation())) {
    throw files::SceneError(
        expression.place,
        fmt::format("{} must be a sum of sines and cosines of t to be made symmetric", expression.label));
  }
  if (expression.form) return integrate_closed(*expression.form, given, start, rate, symmetric);
  return integrate_numerically(expression, given, start, rate, span);
}

}  // namespace stickslip::motion
