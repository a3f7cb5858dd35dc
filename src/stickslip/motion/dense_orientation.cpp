// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/motion/dense_orientation.h"

#include "stickslip/math/rotation.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace stickslip::motion {
namespace {

constexpr double kLargestTurn = 0.5;  // radians per cell: Picard iteration then gains a digit or more per sweep
constexpr int kSweeps = 40;
constexpr int kDeepest = 40;
constexpr std::size_t kMostCells = 50000;
constexpr double kMostPeriods = 1e7;

// The angle through which omega turns in all, from 1000 samples that no period of omega can keep step with.
double estimated_turn(const DenseOrientation::AngularVelocity& omega, double span) {
  constexpr int kSamples = 1000;
  double sum = 0, place = 0;
  for (int i = 0; i < kSamples; ++i) {
    place += std::numbers::phi - 1;
    place -= std::floor(place);
    sum += omega(span * place).norm();
  }
  return sum / kSamples * span;
}

Vec3 theta_rate(const Vec3& theta, const Vec3& omega) {
  const double a2 = theta.squaredNorm();
  const double a = std::sqrt(a2);
  // k = 1/12 + a^2/720 + a^4/30240 + ...: below 0.1 the next term is under 1e-15 of the first.
  const double k = a < 0.1 ? 1.0 / 12 + a2 * (1.0 / 720 + a2 * (1.0 / 30240 + a2 / 1209600))
                           : (1 - 0.5 * a / std::tan(0.5 * a)) / a2;
  const Vec3 cross = theta.cross(omega);
  return omega - 0.5 * cross + k * theta.cross(cross);
}

}  // namespace

Quat DenseOrientation::Cell::evaluate(double t) const {
  const double x = (t - centre) / half_width;
  const Vec3 rotation(chebyshev_evaluate(theta[0], x), chebyshev_evaluate(theta[1], x),
                      chebyshev_evaluate(theta[2], x));
  return exponential(rotation) * start;
}

DenseOrientation::DenseOrientation(AngularVelocity omega, const Quat& start, double span,
                                   std::span<const double> breakpoints)
    : omega_(std::move(omega)), start_(start.normalized()), end_(span) {
  const double turn = estimated_turn(omega_, span);
  if (!(turn <= 1.1 * kLargestTurn * kMostCells))  // hopeless: say so at once, not after all these cells
    throw std::runtime_error(fmt::format("a turn through {:.3g} radians is too much to be integrated", turn));
  for_each_piece(span, breakpoints, [&](double begin, double end) { add_cells(begin, end, 0); });
}

DenseOrientation::Fit DenseOrientation::solve(Cell& cell, double& scale) const {
  std::array<Vec3, kChebyshevPoints> omega, theta;
  double fastest = 0;
  for (std::size_t j = 0; j < kChebyshevPoints; ++j) {
    omega[j] = omega_(cell.centre + cell.half_width * chebyshev_points()[j]);
    theta[j].setZero();
    fastest = std::max(fastest, omega[j].norm());
  }
  scale = std::max(scale, fastest);
  if (!(fastest * 2 * cell.half_width <= kLargestTurn)) return Fit::TooLong;

  bool resolved = true;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    std::array<ChebyshevValues, 3> rate;
    for (std::size_t j = 0; j < kChebyshevPoints; ++j) {
      const Vec3 value = theta_rate(theta[j], omega[j]);
      for (std::size_t axis = 0; axis < 3; ++axis) rate[axis][j] = value[static_cast<Eigen::Index>(axis)];
    }
    resolved = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const ChebyshevSeries series = chebyshev_fit(rate[axis]);
      resolved = resolved && chebyshev_resolved(series, scale, cell.half_width, cell.centre + cell.half_width);
      cell.theta[axis] = chebyshev_integral(series, cell.half_width, 0);
    }
    double change = 0;
    for (std::size_t j = 0; j < kChebyshevPoints; ++j) {
      const double x = chebyshev_points()[j];
      const Vec3 next(chebyshev_evaluate(cell.theta[0], x), chebyshev_evaluate(cell.theta[1], x),
                      chebyshev_evaluate(cell.theta[2], x));
      change = std::max(change, (next - theta[j]).cwiseAbs().maxCoeff());
      theta[j] = next;
    }
    if (change <= 1e-16) break;
  }
  return resolved ? Fit::Resolved : Fit::Unresolved;
}

void DenseOrientation::add_cells(double begin, double end, int depth) {
  Cell cell;
  cell.centre = 0.5 * (begin + end);
  cell.half_width = 0.5 * (end - begin);
  const bool splittable = depth < kDeepest && begin < cell.centre && cell.centre < end;
  if (splittable && (depth < 3 || solve(cell, scale_) != Fit::Resolved)) {
    add_cells(begin, cell.centre, depth + 1);
    add_cells(cell.centre, end, depth + 1);
    return;
  }
  if (!splittable && solve(cell, scale_) == Fit::TooLong)
    throw std::runtime_error(fmt::format("it cannot be integrated over t = {:.9g}: it has a pole there", cell.centre));
  if (cells_.size() >= kMostCells)
    throw std::runtime_error("the rotation varies too fast to be integrated over the run");
  // Renormalised once per cell, so that rounding cannot accumulate.
  cell.start = cells_.empty() ? start_ : cells_.back().evaluate(begin).normalized();
  cells_.push_back(cell);
  ends_.push_back(end);
}

Quat DenseOrientation::evaluate(double t) const {
  if (t <= end_) {
    const auto found = std::ranges::upper_bound(ends_, t);
    const auto index = std::min<std::ptrdiff_t>(found - ends_.begin(), std::ssize(cells_) - 1);
    return cells_[static_cast<std::size_t>(index)].evaluate(t);
  }
  // Beyond the span: the same cells, made on the way.
  double width = 2 * cells_.back().half_width;
  Quat start = cells_.back().evaluate(end_);
  double begin = end_, scale = scale_;
  for (int i = 0; i < 1000000; ++i) {
    Cell cell;
    cell.centre = begin + 0.5 * width;
    cell.half_width = 0.5 * width;
    cell.start = start.normalized();
    if (solve(cell, scale) == Fit::TooLong) {
      width *= 0.5;
      continue;
    }
    if (t <= begin + width) return cell.evaluate(t);
    begin += width;
    start = cell.evaluate(begin);
  }
  return start;
}

PeriodicOrientation::PeriodicOrientation(DenseOrientation::AngularVelocity omega, const Quat& start, double span,
                                         double period)
    : turn_(std::move(omega), Quat::Identity(), period, {}), period_(period), starts_{start.normalized()} {
  if (!(span / period <= kMostPeriods))
    throw std::runtime_error(fmt::format("the run has {:.3g} periods of this rotation", span / period));
  const Quat whole = turn_.evaluate(period);
  for (double end = period; end <= span; end += period) starts_.push_back((whole * starts_.back()).normalized());
}

Quat PeriodicOrientation::evaluate(double t) const {
  const auto k = std::min(static_cast<std::size_t>(std::max(t / period_, 0.0)), starts_.size() - 1);
  Quat start = starts_[k];
  double within = t - static_cast<double>(k) * period_;
  // Beyond the span: on from its last period.
  for (; within > period_; within -= period_) start = (turn_.evaluate(period_) * start).normalized();
  return turn_.evaluate(within) * start;
}

}  // namespace stickslip::motion
