// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/statistics.h"

#include "stickslip/study/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace stickslip::study {
namespace {

// The continued fraction of the incomplete beta function, by the modified method of Lentz.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto guarded = [](double y) { return std::abs(y) < kTiny ? kTiny : y; };
  double c = 1, d = 1 / guarded(1 - (a + b) * x / (a + 1)), f = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guarded(1 + even * d);
    c = guarded(1 + even / c);
    f *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guarded(1 + odd * d);
    c = guarded(1 + odd / c);
    f *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return f;
}

// The regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// Probability that Student's t exceeds x >= 0.
double student_tail(double x, double degrees) {
  return 0.5 * incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + x * x));
}

}  // namespace

double student_quantile(double p, double degrees) {
  assert(p > 0 && p < 1 && degrees > 0);
  if (p < 0.5) return -student_quantile(1 - p, degrees);
  if (degrees > 1e6) return normal_quantile(p);  // they differ by less than 1e-6 relative
  double low = 0, high = 1;
  while (student_tail(high, degrees) > 1 - p && high < 1e100) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-14 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (student_tail(middle, degrees) > 1 - p ? low : high) = middle;
  }
  return 0.5 * (low + high);
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
