// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Dual numbers: a value and its N partial derivatives, carried through arithmetic by the chain rule. The test problems
// of this folder are written once, as formulas, and get exact Jacobians from them; Dual<N, Dual<N>> gives Hessians.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace stickslip::complementarity {

template <int N, class T = double>
struct Dual {
  T value{};
  std::array<T, N> d{};

  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT(google-explicit-constructor): constants mix freely with duals
  template <class U = T, class = std::enable_if_t<!std::is_same_v<U, double>>>
  Dual(const T& v) : value(v) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] static Dual variable(const T& v, int index) {
    Dual x;
    x.value = v;
    x.d[static_cast<std::size_t>(index)] = T(1.0);
    return x;
  }

  // f(x) with derivative df = f'(x).
  [[nodiscard]] Dual chain(const T& f, const T& df) const {
    Dual y;
    y.value = f;
    for (std::size_t k = 0; k < N; ++k) y.d[k] = df * d[k];
    return y;
  }

  friend Dual operator-(const Dual& a) {
    Dual c;
    c.value = -a.value;
    for (std::size_t k = 0; k < N; ++k) c.d[k] = -a.d[k];
    return c;
  }
  friend Dual operator+(const Dual& a, const Dual& b) {
    Dual c;
    c.value = a.value + b.value;
    for (std::size_t k = 0; k < N; ++k) c.d[k] = a.d[k] + b.d[k];
    return c;
  }
  friend Dual operator-(const Dual& a, const Dual& b) { return a + (-b); }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual c;
    c.value = a.value * b.value;
    for (std::size_t k = 0; k < N; ++k) c.d[k] = a.d[k] * b.value + a.value * b.d[k];
    return c;
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    return a * b.chain(T(1.0) / b.value, T(-1.0) / (b.value * b.value));
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
};

// The elementary functions for double and for duals of any depth.
namespace elementary {

inline double pow(double x, double p) {
  return std::pow(x, p);
}
inline double exp(double x) {
  return std::exp(x);
}
inline double log(double x) {
  return std::log(x);
}
inline double sin(double x) {
  return std::sin(x);
}
inline double cos(double x) {
  return std::cos(x);
}
inline double sqrt(double x) {
  return std::sqrt(x);
}
inline double atan(double x) {
  return std::atan(x);
}

template <int N, class T>
Dual<N, T> pow(const Dual<N, T>& x, double p) {
  if (p == 0) return Dual<N, T>(1.0);
  return x.chain(pow(x.value, p), T(p) * pow(x.value, p - 1));
}
template <int N, class T>
Dual<N, T> exp(const Dual<N, T>& x) {
  const T e = exp(x.value);
  return x.chain(e, e);
}
template <int N, class T>
Dual<N, T> log(const Dual<N, T>& x) {
  return x.chain(log(x.value), T(1.0) / x.value);
}
template <int N, class T>
Dual<N, T> cos(const Dual<N, T>& x);
template <int N, class T>
Dual<N, T> sin(const Dual<N, T>& x) {
  return x.chain(sin(x.value), cos(x.value));
}
template <int N, class T>
Dual<N, T> cos(const Dual<N, T>& x) {
  return x.chain(cos(x.value), -sin(x.value));
}
template <int N, class T>
Dual<N, T> sqrt(const Dual<N, T>& x) {
  const T r = sqrt(x.value);
  return x.chain(r, T(0.5) / r);
}
template <int N, class T>
Dual<N, T> atan(const Dual<N, T>& x) {
  return x.chain(atan(x.value), T(1.0) / (T(1.0) + x.value * x.value));
}
template <class T>
T square(const T& x) {
  return x * x;
}

}  // namespace elementary
}  // namespace stickslip::complementarity
