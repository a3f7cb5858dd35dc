// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Orientation from an angular velocity omega(t) about several axes (world frame), for which no closed form exists:
//
//     R' = [omega]x R,    R(0) given
//
// On each cell of time R(t) = exp(theta(t)) R(start of the cell), and the rotation vector obeys
//
//     theta' = omega - 1/2 theta x omega + k(|theta|) theta x (theta x omega),   theta = 0 at the start of the cell,
//     k(a) = (1 - (a/2) cot(a/2)) / a^2                                          (inverse of the exponential's
//     Jacobian)
//
// which is solved by Picard iteration on Chebyshev series; cells are halved until the series are resolved to rounding.
// The quaternion is of unit length by construction. As in dense_integral.h all is computed in the constructor, so that
// a value depends on t alone.
#pragma once

#include "stickslip/math/types.h"
#include "stickslip/motion/chebyshev.h"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace stickslip::motion {

class DenseOrientation {
 public:
  using AngularVelocity = std::function<Vec3(double)>;

  // Throws std::runtime_error when omega cannot be resolved: it varies or turns too fast for the span, or has a pole.
  DenseOrientation(AngularVelocity omega, const Quat& start, double span, std::span<const double> breakpoints);

  [[nodiscard]] Quat evaluate(double t) const;

 private:
  struct Cell {
    double centre = 0, half_width = 0;
    Quat start = Quat::Identity();
    std::array<ChebyshevSeries, 3> theta{};

    [[nodiscard]] Quat evaluate(double t) const;
  };

  enum class Fit { TooLong, Unresolved, Resolved };  // TooLong: it turns too far for the iteration, nothing is computed

  // `scale` is the largest angular velocity seen so far.
  Fit solve(Cell& cell, double& scale) const;
  void add_cells(double begin, double end, int depth);

  AngularVelocity omega_;
  Quat start_;
  double end_ = 0;
  double scale_ = 0;  // largest angular velocity seen
  std::vector<double> ends_;
  std::vector<Cell> cells_;
};

// The same for an omega that repeats itself: one period is computed, whatever the length of the run.
//
//     R(t) = Phi(t - k T) Phi(T)^k R(0),    k = floor(t / T),    Phi: the turn within a period
//
// A vibrating plate has hundreds of periods in a run, and computing them all takes as long as the simulation.
class PeriodicOrientation {
 public:
  PeriodicOrientation(DenseOrientation::AngularVelocity omega, const Quat& start, double span, double period);

  [[nodiscard]] Quat evaluate(double t) const;

 private:
  DenseOrientation turn_;
  double period_;
  std::vector<Quat> starts_;  // of each period
};

}  // namespace stickslip::motion
