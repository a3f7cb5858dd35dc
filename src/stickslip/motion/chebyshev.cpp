// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/motion/chebyshev.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip::motion {
namespace {

constexpr std::size_t kN = kChebyshevPoints;

struct Transform {
  ChebyshevValues points;
  std::array<ChebyshevValues, kN> cosines;  // T_k(x_j)

  Transform() {
    for (std::size_t j = 0; j < kN; ++j) {
      const double angle = std::numbers::pi * (static_cast<double>(j) + 0.5) / static_cast<double>(kN);
      points[j] = std::cos(angle);
      for (std::size_t k = 0; k < kN; ++k) cosines[k][j] = std::cos(static_cast<double>(k) * angle);
    }
  }
};

const Transform& transform() {
  static const Transform kTransform;
  return kTransform;
}

}  // namespace

const ChebyshevValues& chebyshev_points() {
  return transform().points;
}

ChebyshevSeries chebyshev_fit(const ChebyshevValues& values) {
  ChebyshevSeries series{};
  for (std::size_t k = 0; k < kN; ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < kN; ++j) sum += values[j] * transform().cosines[k][j];
    series[k] = sum * (k == 0 ? 1.0 : 2.0) / static_cast<double>(kN);
  }
  return series;
}

// The integral of T_k is T_(k+1) / (2 (k+1)) - T_(k-1) / (2 (k-1)); of T_0 it is T_1, of T_1 it is T_2 / 4.
ChebyshevSeries chebyshev_integral(const ChebyshevSeries& series, double scale, double at_start) {
  ChebyshevSeries result{};
  for (std::size_t k = 1; k < result.size(); ++k) {
    const double below = k == 1 ? 2 * series[0] : series[k - 1];
    const double above = k + 1 < series.size() ? series[k + 1] : 0;
    result[k] = scale * (below - above) / (2 * static_cast<double>(k));
  }
  double at_left = 0;  // T_k(-1) = (-1)^k
  for (std::size_t k = 1; k < result.size(); ++k) at_left += k % 2 == 0 ? result[k] : -result[k];
  result[0] = at_start - at_left;
  return result;
}

double chebyshev_evaluate(const ChebyshevSeries& series, double x) {
  double b1 = 0, b2 = 0;
  for (std::size_t k = series.size() - 1; k > 0; --k) {
    const double b = 2 * x * b1 - b2 + series[k];
    b2 = b1;
    b1 = b;
  }
  return x * b1 - b2 + series[0];
}

bool chebyshev_resolved(const ChebyshevSeries& series, double scale, double half_width, double largest_t) {
  // Derivative: c'_(k-1) = c'_(k+1) + 2 k c_k.
  ChebyshevSeries derivative{};
  for (std::size_t k = kN; k > 0; --k) {
    const double above = k + 1 < derivative.size() ? derivative[k + 1] : 0;
    derivative[k - 1] = above + 2 * static_cast<double>(k) * series[k];
  }
  derivative[0] *= 0.5;
  double steepest = 0;
  for (const double x : transform().points) steepest = std::max(steepest, std::abs(chebyshev_evaluate(derivative, x)));
  const double eps = std::numeric_limits<double>::epsilon();
  const double noise = 50 * eps * scale + 4 * eps * largest_t * steepest / half_width;
  return std::max(std::abs(series[kN - 1]), std::abs(series[kN - 2])) <= noise;
}

}  // namespace stickslip::motion
