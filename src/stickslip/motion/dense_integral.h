// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// First and second integral of a function of time that has no closed form, from 0 to any t:
//
//     I1(t) = integral of f from 0 to t,      I2(t) = integral of I1 from 0 to t
//
// The span of the run is cut at the function's breakpoints and then in halves until 16 Chebyshev points represent f to
// rounding, and f agrees with them at 16384 points of the span (a short pulse lies between the points of a long cell);
// each cell stores the series of both integrals. Everything is computed once in the constructor, so a value
// depends on t alone and never on what was asked before. At a singular point (sqrt(t), t^-0.5) the halving ends with a
// cell so short that what it adds does not count; where it still does, f has a pole, and there is no integral. Beyond
// the span the integrals are continued by Gauss
// quadrature.
//
// Cost: construction 16 evaluations of f per cell tried, and 16384; one look-up and one series (about 30 ns) per value.
#pragma once

#include "stickslip/motion/chebyshev.h"

#include <functional>
#include <span>
#include <vector>

namespace stickslip::motion {

class DenseIntegral {
 public:
  // Throws std::runtime_error when f cannot be resolved (it varies too fast for the span) or has no integral.
  DenseIntegral(std::function<double(double)> f, double span, std::span<const double> breakpoints);

  [[nodiscard]] double first(double t) const;
  [[nodiscard]] double second(double t) const;

 private:
  struct Cell {
    double centre, half_width;
    ChebyshevSeries first, second;
  };

  void add_cells(double begin, double end, int depth);
  [[nodiscard]] bool has_pulse(const Cell& cell, const ChebyshevSeries& series);
  [[nodiscard]] const Cell& cell_of(double t) const;
  [[nodiscard]] double continued(double t, bool twice) const;

  std::function<double(double)> f_;
  double end_ = 0;
  double scale_ = 0;          // largest |f| seen
  double size_ = 0;           // integral of |f|, roughly
  double singular_ = 0;       // the largest part of it in a cell so short that only singular points need it,
  double singular_at_ = 0;    // and where that cell is
  std::vector<double> ends_;  // of the cells
  std::vector<Cell> cells_;
};

}  // namespace stickslip::motion
