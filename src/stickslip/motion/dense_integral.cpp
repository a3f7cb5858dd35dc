// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/motion/dense_integral.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stickslip::motion {
namespace {

constexpr int kDeepest = 40;  // halvings; only singular points get there
constexpr std::size_t kMostCells = 200000;

// A pulse that is short against the span lies between the points of a cell that looks resolved: f is compared with the
// series at so many points of the span as well, and a cell is halved where they differ by kDiffers of the largest |f|.
constexpr double kLooks = 16384;
constexpr double kDiffers = 1e-6;

// Part of the integral of |f| that may lie in a cell as short as only singular points need. Of t^-a it holds about
// 2^(-30 (1 - a)): 3e-5 for a = 1/2. At a pole it holds as much as any longer cell around it. Whether it is resolved
// says nothing there: so near to a pole, the rounding of t is as large as what is to be resolved.
constexpr int kSingularDepth = 30;
constexpr double kSingularPart = 1e-4;

}  // namespace

DenseIntegral::DenseIntegral(std::function<double(double)> f, double span, std::span<const double> breakpoints)
    : f_(std::move(f)), end_(span) {
  for_each_piece(span, breakpoints, [&](double begin, double end) { add_cells(begin, end, 0); });
  if (singular_ > kSingularPart * size_)
    throw std::runtime_error(fmt::format("it cannot be integrated over t = {:.9g}: it has a pole there", singular_at_));
}

void DenseIntegral::add_cells(double begin, double end, int depth) {
  Cell cell{0.5 * (begin + end), 0.5 * (end - begin), {}, {}};
  ChebyshevValues values;
  for (std::size_t j = 0; j < kChebyshevPoints; ++j) {
    values[j] = f_(cell.centre + cell.half_width * chebyshev_points()[j]);
    scale_ = std::max(scale_, std::abs(values[j]));
  }
  const ChebyshevSeries series = chebyshev_fit(values);
  const bool splittable = depth < kDeepest && begin < cell.centre && cell.centre < end;
  // A cell as long as the whole span could miss a short wave between its points: always cut a few times.
  if (splittable &&
      (depth < 3 || !chebyshev_resolved(series, scale_, cell.half_width, end) || has_pulse(cell, series))) {
    add_cells(begin, cell.centre, depth + 1);
    add_cells(cell.centre, end, depth + 1);
    return;
  }
  if (cells_.size() >= kMostCells) throw std::runtime_error("the motion varies too fast to be integrated over the run");
  double size = 0;
  for (const double value : values) size += std::abs(value) * 2 * cell.half_width / kChebyshevPoints;
  size_ += size;
  if (depth >= kSingularDepth && size > singular_) singular_ = size, singular_at_ = cell.centre;
  const double first_0 = cells_.empty() ? 0 : chebyshev_evaluate(cells_.back().first, 1);
  const double second_0 = cells_.empty() ? 0 : chebyshev_evaluate(cells_.back().second, 1);
  cell.first = chebyshev_integral(series, cell.half_width, first_0);
  cell.second = chebyshev_integral(cell.first, cell.half_width, second_0);
  cells_.push_back(cell);
  ends_.push_back(end);
}

// Evenly spaced, none of them an end of the cell, where f may jump.
bool DenseIntegral::has_pulse(const Cell& cell, const ChebyshevSeries& series) {
  const int looks = static_cast<int>(kLooks * 2 * cell.half_width / end_);
  bool found = false;
  for (int k = 0; k < looks; ++k) {
    const double x = (2 * k + 1.0) / looks - 1, value = f_(cell.centre + cell.half_width * x);
    scale_ = std::max(scale_, std::abs(value));
    found = found || std::abs(value - chebyshev_evaluate(series, x)) > kDiffers * scale_;
  }
  return found;
}

const DenseIntegral::Cell& DenseIntegral::cell_of(double t) const {
  const auto found = std::ranges::upper_bound(ends_, t);
  const auto index = std::min<std::ptrdiff_t>(found - ends_.begin(), std::ssize(cells_) - 1);
  return cells_[static_cast<std::size_t>(index)];
}

double DenseIntegral::first(double t) const {
  if (t > end_) return continued(t, false);
  const Cell& cell = cell_of(t);
  return chebyshev_evaluate(cell.first, (t - cell.centre) / cell.half_width);
}

double DenseIntegral::second(double t) const {
  if (t > end_) return continued(t, true);
  const Cell& cell = cell_of(t);
  return chebyshev_evaluate(cell.second, (t - cell.centre) / cell.half_width);
}

// I1(t) = I1(end) + integral of f,   I2(t) = I2(end) + I1(end) (t - end) + integral of (t - s) f(s) ds.
double DenseIntegral::continued(double t, bool twice) const {
  static constexpr double kNode[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static constexpr double kWeight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  const double at_end = first(end_);
  const double panels = std::clamp(std::ceil((t - end_) / (2 * cells_.back().half_width)), 1.0, 1e6);
  const double half = 0.5 * (t - end_) / panels;
  double sum = 0;
  for (double panel = 0; panel < panels; ++panel) {
    const double centre = end_ + (2 * panel + 1) * half;
    for (int k = 0; k < 4; ++k) {
      for (const double s : {centre - half * kNode[k], centre + half * kNode[k]}) {
        sum += half * kWeight[k] * f_(s) * (twice ? t - s : 1);
      }
    }
  }
  return twice ? second(end_) + at_end * (t - end_) + sum : at_end + sum;
}

}  // namespace stickslip::motion
