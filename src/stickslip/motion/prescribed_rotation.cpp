// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/motion/prescribed_rotation.h"

#include "stickslip/motion/dense_orientation.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

namespace stickslip::motion {
namespace {

// Roll, pitch and yaw of a motion at equally spaced times of one period, each computed when first asked for.
class EulerSamples {
 public:
  static constexpr int kLast = 8192, kStride = 16;

  EulerSamples(const DenseOrientation& motion, double period)
      : motion_(motion), period_(period), known_(kLast + 1, Vec3::Constant(std::numeric_limits<double>::quiet_NaN())) {}

  double at(int i, int axis) {
    Vec3& angles = known_[static_cast<std::size_t>(i)];
    if (std::isnan(angles[0])) angles = between(i);
    return angles[axis];
  }
  [[nodiscard]] Vec3 between(double i) const {
    const Quat q = motion_.evaluate(period_ * i / kLast);
    return {std::atan2(2 * (q.w() * q.x() + q.y() * q.z()), 1 - 2 * (q.x() * q.x() + q.y() * q.y())),
            std::asin(std::clamp(2 * (q.w() * q.y() - q.z() * q.x()), -1.0, 1.0)),
            std::atan2(2 * (q.w() * q.z() + q.x() * q.y()), 1 - 2 * (q.y() * q.y() + q.z() * q.z()))};
  }

 private:
  const DenseOrientation& motion_;
  double period_;
  std::vector<Vec3> known_;
};

// The largest value (sign = 1) or the negative of the smallest (-1): samples near all coarse ones that come close to
// the largest of these, then the parabola through the extreme sample and its neighbours (one period: the ends are
// neighbours only approximately, so they are left as they are).
double largest(EulerSamples& samples, int axis, double sign, double range) {
  constexpr int kLast = EulerSamples::kLast, kStride = EulerSamples::kStride;
  const auto at = [&](int i) { return sign * samples.at(i, axis); };
  double coarse = at(0);
  for (int i = kStride; i <= kLast; i += kStride) coarse = std::max(coarse, at(i));
  int best = 0;
  for (int i = 0; i <= kLast; i += kStride) {
    const bool top = (i == 0 || at(i) >= at(i - kStride)) && (i == kLast || at(i) >= at(i + kStride));
    if (!top || at(i) < coarse - 0.05 * range) continue;
    for (int j = std::max(0, i - kStride); j <= std::min(kLast, i + kStride); ++j)
      if (at(j) > at(best)) best = j;
  }
  if (best == 0 || best == kLast) return at(best);
  const double slope = at(best + 1) - at(best - 1);
  const double bend = at(best + 1) - 2 * at(best) + at(best - 1);
  return bend == 0 ? at(best) : sign * samples.between(best - std::clamp(slope / (2 * bend), -1.0, 1.0))[axis];
}

double middle_of_range(EulerSamples& samples, int axis) {
  double low = samples.at(0, axis), high = low;
  for (int i = 0; i <= EulerSamples::kLast; i += EulerSamples::kStride) {
    low = std::min(low, samples.at(i, axis));
    high = std::max(high, samples.at(i, axis));
  }
  return 0.5 * (largest(samples, axis, 1, high - low) - largest(samples, axis, -1, high - low));
}

// The common period of oscillations: frequencies must be multiples of the lowest one. The axis with one that is not,
// when there is none.
struct CommonPeriod {
  double period = 0;
  const TimeExpression* objection = nullptr;
};

CommonPeriod common_period(const RotationRequest& request) {
  double lowest = 0;
  for (const TimeExpression& axis : request.rate) {
    for (const ClosedForm::Term& term : axis.form->terms()) {
      if (lowest == 0 || term.frequency < lowest) lowest = term.frequency;
    }
  }
  for (const TimeExpression& axis : request.rate) {
    for (const ClosedForm::Term& term : axis.form->terms()) {
      const double ratio = term.frequency / lowest;
      // Rounding of frequencies that were written as multiples stays far below 1e-9.
      if (std::abs(ratio - std::round(ratio)) > 1e-9 * ratio) return {0, &axis};
    }
  }
  return {2 * std::numbers::pi / lowest, nullptr};
}

// Over which the angles are to swing about zero.
double period_of_swing(const RotationRequest& request) {
  if (request.period > 0) return request.period;
  const CommonPeriod common = common_period(request);
  if (common.objection == nullptr) return common.period;
  throw files::SceneError(
      common.objection->place,
      fmt::format("{}: the frequencies have no common period that can be recognised", common.objection->label),
      "give motion.period");
}

struct SeveralAxes {
  std::array<model::TimeFunction, 3> omega;  // value: angular velocity, rate: angular acceleration
  std::function<Quat(double)> orientation;

  model::OrientationJet operator()(double t) const {
    model::OrientationJet jet;
    for (int axis = 0; axis < 3; ++axis) {
      const model::TimeJet component = omega[static_cast<std::size_t>(axis)](t);
      jet.angular_velocity[axis] = component.value;
      jet.angular_acceleration[axis] = component.rate;
    }
    jet.orientation = orientation(t);
    return jet;
  }
};

struct ConstantOrientation {
  Quat orientation;
  model::OrientationJet operator()(double) const {
    model::OrientationJet jet;
    jet.orientation = orientation;
    return jet;
  }
};

struct RotationAbout {
  Vec3 axis;
  model::TimeFunction angle;
  Quat start;
  model::OrientationJet operator()(double t) const {
    const model::TimeJet theta = angle(t);
    const double half = 0.5 * theta.value;
    const Vec3 vector = std::sin(half) * axis;
    model::OrientationJet jet;
    jet.orientation = Quat(std::cos(half), vector.x(), vector.y(), vector.z()) * start;
    jet.angular_velocity = theta.rate * axis;
    jet.angular_acceleration = theta.second * axis;
    return jet;
  }
};

bool oscillates(const TimeExpression& axis) {
  return axis.form && axis.form->is_oscillation();
}

void require_oscillations(const RotationRequest& request) {
  for (const TimeExpression& axis : request.rate) {
    if (oscillates(axis)) continue;
    throw files::SceneError(axis.place,
                            fmt::format("{} must be a sum of sines and cosines of t to be made symmetric", axis.label));
  }
}

using OmegaFunction = DenseOrientation::AngularVelocity;

std::function<Quat(double)> integrate(const RotationRequest& request, const OmegaFunction& omega, const Quat& start,
                                      double duration, std::span<const double> breakpoints) {
  const bool repeats = (request.symmetric || request.given == Given::Velocity) &&
                       std::ranges::all_of(request.rate, oscillates) && common_period(request).period > 0;
  if (repeats) {
    const auto motion =
        std::make_shared<const PeriodicOrientation>(omega, start, duration, common_period(request).period);
    return [motion](double t) { return motion->evaluate(t); };
  }
  const auto motion = std::make_shared<const DenseOrientation>(omega, start, duration, breakpoints);
  return [motion](double t) { return motion->evaluate(t); };
}

model::OrientationFunction several_axes(const RotationRequest& request, const Span& span) {
  SeveralAxes motion;
  std::vector<double> breakpoints;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const TimeExpression& rate = request.rate[axis];
    // One integration leads from acceleration to velocity, none from velocity to itself.
    const Given given = request.given == Given::Acceleration ? Given::Velocity : Given::Position;
    const double start = request.symmetric ? 0 : request.angular_velocity[static_cast<Eigen::Index>(axis)];
    motion.omega[axis] = make_motion(rate, given, start, 0, request.symmetric && given == Given::Velocity, span);
    std::ranges::copy(find_breakpoints(rate, span), std::back_inserter(breakpoints));
  }
  std::ranges::sort(breakpoints);
  const auto omega = [functions = motion.omega](double t) {
    return Vec3(functions[0](t).value, functions[1](t).value, functions[2](t).value);
  };
  try {
    Quat start = request.orientation;
    if (request.symmetric) start = symmetric_start(omega, period_of_swing(request)) * start;
    motion.orientation = integrate(request, omega, start, span.duration, breakpoints);
  } catch (const files::SceneError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw files::SceneError(request.rate[0].place, fmt::format("{}: {}", request.rate[0].label, error.what()));
  }
  return motion;
}

}  // namespace

Quat from_euler_angles(double roll, double pitch, double yaw) {
  const Eigen::AngleAxisd x(roll, Vec3::UnitX()), y(pitch, Vec3::UnitY()), z(yaw, Vec3::UnitZ());
  return z * y * x;
}

Quat symmetric_start(const std::function<Vec3(double)>& omega, double period) {
  const DenseOrientation motion(omega, Quat::Identity(), period, {});
  EulerSamples samples(motion, period);
  return from_euler_angles(-middle_of_range(samples, 0), -middle_of_range(samples, 1), -middle_of_range(samples, 2));
}

model::OrientationFunction constant_orientation(const Quat& orientation) {
  return ConstantOrientation{orientation};
}

model::OrientationFunction rotation_about(const Vec3& axis, model::TimeFunction angle, const Quat& start) {
  return RotationAbout{axis, std::move(angle), start};
}

bool same_rotation(const model::OrientationFunction& a, const model::OrientationFunction& b) {
  const auto same = [](const Quat& x, const Quat& y) { return x.coeffs() == y.coeffs(); };
  if (const auto* x = a.target<ConstantOrientation>()) {
    const auto* y = b.target<ConstantOrientation>();
    return y != nullptr && same(x->orientation, y->orientation);
  }
  if (const auto* x = a.target<RotationAbout>()) {
    const auto* y = b.target<RotationAbout>();
    return y != nullptr && x->axis == y->axis && same(x->start, y->start) && same_motion(x->angle, y->angle);
  }
  const auto *x = a.target<SeveralAxes>(), *y = b.target<SeveralAxes>();
  // The orientation follows from the angular velocity and its start.
  return x != nullptr && y != nullptr && std::ranges::equal(x->omega, y->omega, same_motion) &&
         same(x->orientation(0), y->orientation(0));
}

std::optional<ClosedRotation> closed_rotation_of(const model::OrientationFunction& rotation) {
  const auto* about = rotation.target<RotationAbout>();
  if (about == nullptr) return std::nullopt;
  std::optional<ClosedForm> angle = closed_form_of(about->angle);
  if (!angle) return std::nullopt;
  return ClosedRotation{about->axis, *std::move(angle), about->start};
}

model::OrientationFunction make_rotation(const RotationRequest& request, const Span& span) {
  if (request.symmetric) require_oscillations(request);
  int turning = 0;
  std::size_t last = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool starts_turning = request.given == Given::Acceleration && !request.symmetric &&
                                request.angular_velocity[static_cast<Eigen::Index>(axis)] != 0;
    if (request.rate[axis].is_zero() && !starts_turning) continue;
    ++turning;
    last = axis;
  }
  if (turning == 0) return constant_orientation(request.orientation);
  if (turning > 1) return several_axes(request, span);
  model::TimeFunction angle =
      make_motion(request.rate[last], request.given, 0, request.angular_velocity[static_cast<Eigen::Index>(last)],
                  request.symmetric, span);
  return rotation_about(Vec3::Unit(static_cast<Eigen::Index>(last)), std::move(angle), request.orientation);
}

}  // namespace stickslip::motion
