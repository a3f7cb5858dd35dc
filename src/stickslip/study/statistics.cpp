// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/statistics.h"

#include "stickslip/study/random.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace stickslip::study {
double student_quantile(double p, double degrees) {
  assert(p > 0 && p < 1 && degrees > 0);
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

Estimate wilson_interval(std::int64_t successes, std::int64_t count, double confidence) {
  if (count == 0) return {kNotANumber, 0, 1, 0};
  const auto n = static_cast<double>(count);
  const double p = static_cast<double>(successes) / n, z = normal_quantile(0.5 + 0.5 * confidence), zz = z * z / n;
  const double centre = (p + 0.5 * zz) / (1 + zz);
  const double half = z * std::sqrt(p * (1 - p) / n + 0.25 * zz / n) / (1 + zz);
  // At 0 of n and n of n the ends are exact; rounding must not move them.
  return {p, successes == 0 ? 0 : std::max(0.0, centre - half), successes == count ? 1 : std::min(1.0, centre + half),
          count};
}

void MeanEstimator::add(double x) {
  ++count_;
  const double before = x - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (x - mean_);
  least_ = std::min(least_, x);
  most_ = std::max(most_, x);
}

Estimate MeanEstimator::estimate(double confidence) const {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (count_ == 0) return {kNotANumber, -kInf, kInf, 0};
  if (count_ == 1) return {mean_, -kInf, kInf, 1};
  const auto n = static_cast<double>(count_);
  const double half = student_quantile(0.5 + 0.5 * confidence, n - 1) * std::sqrt(squares_ / (n - 1) / n);
  return {mean_, mean_ - half, mean_ + half, count_};
}

double mean_of_largest(std::span<const double> values, double tail) {
  assert(!values.empty() && tail > 0 && tail <= 1);
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted, std::greater<>());
  double left = tail * static_cast<double>(sorted.size()), sum = 0;
  const double whole = left;
  for (const double x : sorted) {
    if (left <= 0) break;
    sum += std::min(left, 1.0) * x;
    left -= 1;
  }
  return sum / whole;
}

}  // namespace stickslip::study
