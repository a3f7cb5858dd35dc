// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Polynomial interpolation at Chebyshev points on [-1, 1]: the tool behind numerically integrated motions.
//
//   x_j = cos(pi (j + 1/2) / n)           f(x) ~ sum_k c_k T_k(x),   c_k = (2 - [k=0]) / n  sum_j f(x_j) T_k(x_j)
//
// The points lie inside the interval, so a function with a jump at an end of it is seen from one side only.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace stickslip::motion {

inline constexpr std::size_t kChebyshevPoints = 16;

using ChebyshevValues = std::array<double, kChebyshevPoints>;
// One more than the points, so that an antiderivative fits.
using ChebyshevSeries = std::array<double, kChebyshevPoints + 1>;

[[nodiscard]] const ChebyshevValues& chebyshev_points();
[[nodiscard]] ChebyshevSeries chebyshev_fit(const ChebyshevValues& values);

// The antiderivative in a variable t with dt = scale dx that has the given value at x = -1. The coefficient of
// highest degree is dropped when the series is already full (it is at rounding level in a resolved series).
[[nodiscard]] ChebyshevSeries chebyshev_integral(const ChebyshevSeries& series, double scale, double at_start);

[[nodiscard]] double chebyshev_evaluate(const ChebyshevSeries& series, double x);

// Whether the series represents f(t) as well as rounding allows: its last coefficients are at the level of
//     rounding of f (relative to `scale`, the largest |f| of all cells)
//   + rounding of t, which moves f by f'(t) eps |t|     (a fast wave late in a long run is no better defined)
// Half_width and largest |t| are those of the cell.
[[nodiscard]] bool chebyshev_resolved(const ChebyshevSeries& series, double scale, double half_width, double largest_t);

// add(begin, end) for each piece of [0, span] between breakpoints, which ascend; those outside do not count. No cell
// reaches over a breakpoint. A piece of rounding's length is none: sign(t) changes right after t = 0.
template <class Add>
void for_each_piece(double span, std::span<const double> breakpoints, const Add& add) {
  const double shortest = 1e-15 * span;
  double begin = 0;
  for (const double breakpoint : breakpoints) {
    if (breakpoint <= begin || breakpoint >= span - shortest) continue;
    if (breakpoint - begin > shortest) add(begin, breakpoint);
    begin = breakpoint;
  }
  add(begin, span);
}

}  // namespace stickslip::motion
