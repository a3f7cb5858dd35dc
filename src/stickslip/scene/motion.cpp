// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/motion.h"

#include "stickslip/scene/dense_integral.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>

namespace stickslip::scene {
namespace {

constexpr std::size_t kMostBreakpoints = 1000000;

double samples_of(const Span& span) {
  return std::clamp(std::ceil(2 * span.duration / span.step), 200.0, 200000.0);
}

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
  } catch (const SceneError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw SceneError(expression.place, fmt::format("{}: {}", expression.label, error.what()));
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

// The first time after `from` at which the branch differs, known to lie in (from, to]: bisection down to neighbouring
// numbers.
double locate_change(const Expression& expression, double from, double to) {
  const std::uint64_t before = expression.branch_signature(from);
  for (;;) {
    const double middle = 0.5 * (from + to);
    if (!(from < middle && middle < to)) return to;
    (expression.branch_signature(middle) == before ? from : to) = middle;
  }
}

}  // namespace

bool TimeExpression::is_zero() const {
  return form && form->is_constant() && form->constant_term() == 0;
}

model::TimeJet TimeExpression::checked(double t) const {
  const model::TimeJet jet = form ? form->evaluate(t) : expression.evaluate_jet(t);
  if (!std::isfinite(jet.value)) {
    throw SceneError(place, fmt::format("{} is {} at t = {:.17g}", label,
                                        std::isnan(jet.value) ? "not a number (nan)" : "infinite", t));
  }
  return jet;
}

std::vector<double> find_breakpoints(const TimeExpression& expression, const Span& span) {
  std::vector<double> found;
  const Expression& program = expression.expression;
  if (expression.form || !program.has_branches()) return found;
  const double samples = samples_of(span);
  double from = 0;
  for (double i = 1; i <= samples; ++i) {
    const double to = span.duration * (i / samples);
    // Several changes may lie between two samples; each bisection finds one, and the search goes on behind it.
    while (program.branch_signature(from) != program.branch_signature(to)) {
      from = locate_change(program, from, to);
      if (from < span.duration) found.push_back(from);
      if (found.size() > kMostBreakpoints || from >= to) break;
    }
    if (found.size() > kMostBreakpoints) {
      throw SceneError(expression.place,
                       fmt::format("{} jumps more than {} times in the run", expression.label, kMostBreakpoints));
    }
    from = to;
  }
  return found;
}

void check_finite(const TimeExpression& expression, const Span& span) {
  // What lies between the samples is caught when the run gets there.
  const double samples = std::min(samples_of(span), 20000.0);
  const bool smooth = expression.form.has_value();
  for (double i = 0; i <= (smooth ? 1 : samples); ++i) {
    (void)expression.checked(span.duration * (smooth ? i : i / samples));
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

model::TimeFunction make_motion(const TimeExpression& expression, Given given, double start, double rate,
                                bool symmetric, const Span& span) {
  check_finite(expression, span);
  if (given == Given::Position) {
    if (expression.form) return closed_motion(*expression.form, 0);
    return [expression](double t) { return expression.checked(t); };
  }
  if (symmetric && !(expression.form && expression.form->is_oscillation())) {
    throw SceneError(expression.place,
                     fmt::format("{} must be a sum of sines and cosines of t to be made symmetric", expression.label));
  }
  if (expression.form) return integrate_closed(*expression.form, given, start, rate, symmetric);
  return integrate_numerically(expression, given, start, rate, span);
}

}  // namespace stickslip::scene
