// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Arithmetic on TimeJet: a value with its first and second derivative in time, so that an expression for a position
// also gives its velocity and acceleration without differences.
//
//   g = f(x):  g' = f'(x) x',   g'' = f''(x) x'^2 + f'(x) x''
//
// The overloads on double let one evaluator serve both kinds of number.
#pragma once

#include "stickslip/model/model.h"

#include <cmath>
#include <type_traits>

namespace stickslip::expression {

using model::TimeJet;

inline double value_of(double x) {
  return x;
}
inline double value_of(const TimeJet& x) {
  return x.value;
}
template <class Number>
Number constant(double x) {
  if constexpr (std::is_same_v<Number, double>)
    return x;
  else
    return Number{x, 0, 0};
}
inline bool is_constant(double) {
  return true;
}
inline bool is_constant(const TimeJet& x) {
  return x.rate == 0 && x.second == 0;
}

inline TimeJet operator-(const TimeJet& a) {
  return {-a.value, -a.rate, -a.second};
}
inline TimeJet operator+(const TimeJet& a, const TimeJet& b) {
  return {a.value + b.value, a.rate + b.rate, a.second + b.second};
}
inline TimeJet operator-(const TimeJet& a, const TimeJet& b) {
  return {a.value - b.value, a.rate - b.rate, a.second - b.second};
}
inline TimeJet operator*(const TimeJet& a, const TimeJet& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.second * b.value + 2 * a.rate * b.rate + a.value * b.second};
}
inline TimeJet operator/(const TimeJet& a, const TimeJet& b) {
  // q b = a differentiated twice.
  const double q = a.value / b.value;
  const double rate = (a.rate - q * b.rate) / b.value;
  return {q, rate, (a.second - 2 * rate * b.rate - q * b.second) / b.value};
}

// f(x) from the value and the two derivatives of f at x.value. Constants stay constant where f is not differentiable.
inline TimeJet chain(const TimeJet& x, double f, double df, double ddf) {
  if (is_constant(x)) return {f, 0, 0};
  return {f, df * x.rate, ddf * x.rate * x.rate + df * x.second};
}

inline double jet_sin(double x) {
  return std::sin(x);
}
inline TimeJet jet_sin(const TimeJet& x) {
  const double s = std::sin(x.value);
  return chain(x, s, std::cos(x.value), -s);
}
inline double jet_cos(double x) {
  return std::cos(x);
}
inline TimeJet jet_cos(const TimeJet& x) {
  const double c = std::cos(x.value);
  return chain(x, c, -std::sin(x.value), -c);
}
inline double jet_sqrt(double x) {
  return std::sqrt(x);
}
inline TimeJet jet_sqrt(const TimeJet& x) {
  const double f = std::sqrt(x.value);
  return chain(x, f, 0.5 / f, -0.25 / (f * x.value));
}
inline double jet_exp(double x) {
  return std::exp(x);
}
inline TimeJet jet_exp(const TimeJet& x) {
  const double f = std::exp(x.value);
  return chain(x, f, f, f);
}
inline double jet_log(double x) {
  return std::log(x);
}
inline TimeJet jet_log(const TimeJet& x) {
  return chain(x, std::log(x.value), 1 / x.value, -1 / (x.value * x.value));
}

inline double jet_pow(double x, double y) {
  return std::pow(x, y);
}
inline TimeJet jet_pow(const TimeJet& x, const TimeJet& y) {
  if (!is_constant(y)) {
    TimeJet power = jet_exp(y * jet_log(x));
    power.value = std::pow(x.value, y.value);  // the same bits as without derivatives
    return power;
  }
  const double n = y.value;
  // The factors n and n - 1 vanish before the power they multiply can become infinite.
  const double df = n == 0 ? 0 : n * std::pow(x.value, n - 1);
  const double ddf = n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(x.value, n - 2);
  return chain(x, std::pow(x.value, n), df, ddf);
}

inline double jet_hypot(double x, double y) {
  return std::hypot(x, y);
}
inline TimeJet jet_hypot(const TimeJet& x, const TimeJet& y) {
  return jet_sqrt(x * x + y * y);
}

inline double jet_atan2(double y, double x) {
  return std::atan2(y, x);
}
inline TimeJet jet_atan2(const TimeJet& y, const TimeJet& x) {
  const double r2 = x.value * x.value + y.value * y.value;
  const double turn = x.value * y.rate - y.value * x.rate;  // r^2 angle'
  const double value = std::atan2(y.value, x.value);
  if (is_constant(x) && is_constant(y)) return {value, 0, 0};
  const double dr2 = 2 * (x.value * x.rate + y.value * y.rate);
  const double rate = turn / r2;
  return {value, rate, (x.value * y.second - y.value * x.second - rate * dr2) / r2};
}

}  // namespace stickslip::expression
