// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Estimates with intervals.
//
//   rate     k of n succeeded: Wilson's interval  (p + z^2/2n -+ z sqrt(p (1-p)/n + z^2/4n^2)) / (1 + z^2/n),  p = k/n
//   mean     of n values: Student's interval      m -+ t_{n-1} s / sqrt(n),   s^2 = sum (x - m)^2 / (n - 1)
//
// Wilson's interval has about its nominal coverage also near 0 and 1, and is never empty. The mean and the spread are
// updated value by value (Welford), in the order of the trials: the same bits whatever the number of workers.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace stickslip::study {

inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

struct Estimate {
  double value = kNotANumber, low = kNotANumber, high = kNotANumber;
  std::int64_t count = 0;
  [[nodiscard]] double width() const { return high - low; }
};

// The quantile of Student's distribution with so many degrees of freedom.
[[nodiscard]] double student_quantile(double probability, double degrees);

[[nodiscard]] Estimate wilson_interval(std::int64_t successes, std::int64_t count, double confidence = 0.95);

class RateEstimator {
 public:
  void add(bool success) {
    ++count_;
    successes_ += success ? 1 : 0;
  }
  [[nodiscard]] Estimate estimate(double confidence = 0.95) const {
    return wilson_interval(successes_, count_, confidence);
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t successes() const { return successes_; }

 private:
  std::int64_t count_ = 0, successes_ = 0;
};

class MeanEstimator {
 public:
  void add(double x);
  // Below two values the interval is infinite.
  [[nodiscard]] Estimate estimate(double confidence = 0.95) const;
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double most() const { return most_; }

 private:
  std::int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
  double least_ = std::numeric_limits<double>::infinity(), most_ = -std::numeric_limits<double>::infinity();
};

// Conditional value at risk: the mean of the largest share `tail` of the values (the last of them counted partly).
[[nodiscard]] double mean_of_largest(std::span<const double> values, double tail);

}  // namespace stickslip::study
