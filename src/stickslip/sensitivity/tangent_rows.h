// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Changes of numbers with many unknowns at once: a row per number, a column per unknown, one row behind the other.
// Vectors are three rows. Sums over rows with few factors, most of them zero for planes along the axes.
#pragma once

#include "stickslip/math/types.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace stickslip::sensitivity::rows {

// y += s x
inline void add(std::ptrdiff_t width, double s, const double* x, double* y) {
  if (s == 0) return;
  for (std::ptrdiff_t i = 0; i < width; ++i) y[i] += s * x[i];
}
// y += v . X
inline void add_dot(std::ptrdiff_t width, const Vec3& v, const double* X, double* y) {
  for (int k = 0; k < 3; ++k) add(width, v[k], X + k * width, y);
}
// Y += x v for one row x
inline void add_outer(std::ptrdiff_t width, const Vec3& v, const double* x, double* Y) {
  for (int k = 0; k < 3; ++k) add(width, v[k], x, Y + k * width);
}
// Y += s a x X
inline void add_cross(std::ptrdiff_t width, double s, const Vec3& a, const double* X, double* Y) {
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    add(width, s * a[i], X + j * width, Y + k * width);
    add(width, -s * a[j], X + i * width, Y + k * width);
  }
}
// Y += M X
inline void add_product(std::ptrdiff_t width, const Mat3& M, const double* X, double* Y) {
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) add(width, M(k, i), X + i * width, Y + k * width);
}

// Rows that live until the next reset. No allocation when warm.
class Arena {
 public:
  void reset(std::ptrdiff_t width) {
    width_ = width;
    chunk_ = used_ = 0;
  }
  // Zero at first.
  double* take(std::ptrdiff_t count) {
    const auto size = static_cast<std::size_t>(count * width_);
    while (chunk_ < chunks_.size() && used_ + size > chunks_[chunk_].size()) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size()) chunks_.emplace_back(std::max<std::size_t>(size, 1 << 14));
    double* const begin = chunks_[chunk_].data() + used_;
    used_ += size;
    std::fill_n(begin, size, 0.0);
    return begin;
  }

 private:
  std::ptrdiff_t width_ = 0;
  std::size_t chunk_ = 0, used_ = 0;
  std::vector<std::vector<double>> chunks_;
};

}  // namespace stickslip::sensitivity::rows
