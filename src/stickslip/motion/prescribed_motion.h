// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Prescribed motion of one degree of freedom, given as position, velocity or acceleration, as a function of time with
// exact derivatives.
//
//   position x(t) given:      x, x', x'' by jets
//   velocity v(t) given:      x(t) = x0 + integral of v
//   acceleration a(t) given:  v(t) = v0 + integral of a,   x(t) = x0 + integral of v
//   symmetric:                the constants of integration are chosen so that velocity and position swing about zero
//                             and x0: a sin(b t + c) gives v = -a cos(b t + c) / b, x = x0 - a sin(b t + c) / b^2
//
// Sums of polynomials, sines and cosines are integrated in closed form (closed_form.h), everything else numerically to
// rounding (dense_integral.h).
#pragma once

#include "stickslip/expression/expression.h"
#include "stickslip/files/scene_error.h"
#include "stickslip/motion/closed_form.h"

#include <optional>
#include <string>
#include <vector>

namespace stickslip::motion {

// An expression of time with its origin, for messages.
struct TimeExpression {
  std::string label;  // "velocity of body 'left'"
  files::Place place;
  expression::Expression expression;
  std::optional<ClosedForm> form;  // when recognised

  [[nodiscard]] bool is_zero() const;
  // The value with derivatives; throws SceneError with label and time when it is not finite.
  [[nodiscard]] model::TimeJet checked(double t) const;
};

enum class Given { Position, Velocity, Acceleration };

struct Span {
  double duration = 0;  // of the run
  double step = 0;      // of the method: breakpoints that lie closer may be missed
};

// Times in (0, duration) at which the expression changes branch (first time on the new branch).
[[nodiscard]] std::vector<double> find_breakpoints(const TimeExpression& expression, const Span& span);

// Evaluates the expression all over the run; throws SceneError with label and time when it is not finite somewhere.
void check_finite(const TimeExpression& expression, const Span& span);

// `start` and `rate` are value and rate at t = 0 (with `symmetric`: start is the centre, rate is unused). Throws
// SceneError when `symmetric` is asked of something that does not oscillate.
[[nodiscard]] model::TimeFunction make_motion(const TimeExpression& expression, Given given, double start, double rate,
                                              bool symmetric, const Span& span);

[[nodiscard]] model::TimeFunction constant_motion(double value);

// Whether two motions made here are the same function for certain: constants and closed forms are compared, of anything
// else false is said.
[[nodiscard]] bool same_motion(const model::TimeFunction& a, const model::TimeFunction& b);

// Of a motion made here; empty when it has none.
[[nodiscard]] std::optional<ClosedForm> closed_form_of(const model::TimeFunction& motion);

}  // namespace stickslip::motion
