// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "convergence.h"

#include <algorithm>
#include <cmath>

namespace stickslip::app {
namespace {

constexpr double kAgree = 0.3;       // of two successive orders
constexpr double kRounding = 1e-11;  // of the values: what thousands of certified steps leave
constexpr double kLeast = 0.3;       // slower than that is no convergence that four runs can show

}  // namespace

Convergence analyse(const std::vector<double>& values, double grain) {
  Convergence result;
  const std::size_t n = values.size();
  result.limit = n > 0 ? values.back() : 0.0;
  double scale = 0;
  for (double v : values) {
    if (!std::isfinite(v)) {
      result.why_not = "a value is not a number";
      result.error_bar = std::nan("");
      return result;
    }
    scale = std::max(scale, std::fabs(v));
  }
  std::vector<double> d;
  for (std::size_t i = 0; i + 1 < n; ++i) d.push_back(values[i + 1] - values[i]);
  const double noise = kRounding * scale;
  if (grain > 0 && !d.empty()) {
    result.error_bar = std::max(std::fabs(d.back()), grain);
    result.why_not = "a time read off the grid of steps";
    return result;
  }
  result.exact = std::ranges::all_of(d, [&](double x) { return std::fabs(x) <= noise; });
  if (result.exact) {
    result.error_bar = noise;
    result.why_not = "all runs agree to rounding";
    return result;
  }
  const std::size_t m = d.size();
  result.error_bar = std::max(std::fabs(d[m - 1]), m > 1 ? std::fabs(d[m - 2]) : 0.0);
  if (m < 3) {
    result.why_not = "too few runs";
    return result;
  }
  const double a = d[m - 3], b = d[m - 2], c = d[m - 1];
  if (std::min({std::fabs(a), std::fabs(b), std::fabs(c)}) <= noise) {
    result.why_not = "differences reach rounding";
    return result;
  }
  const double first = std::log2(std::fabs(a / b)), last = std::log2(std::fabs(b / c));
  if (a * b < 0 || b * c < 0)
    result.why_not = "differences change sign";
  else if (last < kLeast)
    result.why_not = "differences do not fall";
  else if (std::fabs(first - last) > kAgree)
    result.why_not = "differences fall irregularly";
  if (!result.why_not.empty()) return result;
  result.has_order = true;
  result.order = last;
  const double rest = c / (std::exp2(last) - 1);
  result.limit = values.back() + rest;
  result.error_bar = std::fabs(rest);
  return result;
}

}  // namespace stickslip::app
