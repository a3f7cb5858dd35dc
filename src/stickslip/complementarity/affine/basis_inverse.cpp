// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/basis_inverse.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

// A pivot this small relative to its row counts as zero. Contact problems with redundant contacts have bases of
// condition 1e8 and more that are still useful after refinement; 1e-11 leaves room for them and rejects exact
// dependence.
constexpr double kSingular = 1e-11;

// Columns of K^-1 are short: below this length a plain loop beats the call of a kernel.
constexpr int kShort = 16;

inline void add(double* y, double a, const double* x, int n) {
  if (n > kShort) {
    kernels::add_scaled(y, a, x, n);
    return;
  }
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

inline double inner(const double* a, const double* b, int n) {
  if (n > kShort) return kernels::dot(a, b, n);
  double even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    even += a[i] * b[i];
    odd += a[i + 1] * b[i + 1];
  }
  if (i < n) even += a[i] * b[i];
  return even + odd;
}

}  // namespace

void BasisInverse::reserve(int k) {
  if (k <= stride_) return;
  const int stride = (std::max(16, k + k / 2) + 3) & ~3;
  std::vector<double> larger(static_cast<std::size_t>(stride) * stride, 0.0);
  for (int r = 0; r < k_; ++r) std::copy_n(column(r), k_, larger.data() + static_cast<std::size_t>(r) * stride);
  data_.swap(larger);
  stride_ = stride;
  scratch_.resize(stride);
  row_size_.resize(stride);
  pivot_row_.resize(stride);
}

// Gauss-Jordan exchange: y = K x is turned into x = K^-1 y by exchanging x_p with some y_i, one p after the other. Rows
// are not moved; pivot_row_[p] says which y_i took the place of x_p.
bool BasisInverse::invert(const double* rows, int k, int stride) {
  reserve(k);
  if (work_.size() < data_.size()) work_.resize(data_.size());
  const auto at = [&](int c) { return work_.data() + static_cast<std::size_t>(c) * k; };
  for (int i = 0; i < k; ++i) {
    double size = 0;
    for (int c = 0; c < k; ++c) {
      const double value = rows[static_cast<std::size_t>(i) * stride + c];
      at(c)[i] = value;
      size = std::max(size, std::fabs(value));
    }
    if (!(size > 0)) return false;
    row_size_[i] = 1 / size;  // 0 once the row has been used
  }
  for (int p = 0; p < k; ++p) {
    double* pivot_column = at(p);
    int pivot = -1;
    double best = kSingular;
    for (int i = 0; i < k; ++i) {
      const double value = std::fabs(pivot_column[i]) * row_size_[i];
      if (value > best) {
        best = value;
        pivot = i;
      }
    }
    if (pivot < 0) return false;
    row_size_[pivot] = 0;
    pivot_row_[p] = pivot;
    const double inverse = 1 / pivot_column[pivot];
    for (int c = 0; c < k; ++c) {
      if (c == p) continue;
      double* target = at(c);
      const double factor = target[pivot] * inverse;
      if (factor == 0) continue;
      add(target, -factor, pivot_column, k);
      target[pivot] = factor;
    }
    for (int i = 0; i < k; ++i) pivot_column[i] *= -inverse;
    pivot_column[pivot] = inverse;
  }
  k_ = k;
  for (int p = 0; p < k; ++p) {
    double* target = mutable_column(pivot_row_[p]);
    const double* source = at(p);
    for (int c = 0; c < k; ++c) target[c] = source[pivot_row_[c]];
  }
  return true;
}

void BasisInverse::solve(const double* a, double* x) const {
  std::fill(x, x + k_, 0.0);
  for (int r = 0; r < k_; ++r) {
    if (a[r] != 0) add(x, a[r], column(r), k_);
  }
}

void BasisInverse::solve_transposed(const double* v, double* b) const {
  for (int r = 0; r < k_; ++r) b[r] = inner(v, column(r), k_);
}

void BasisInverse::replace_column(int c, const double* u) {
  const double inverse = 1 / u[c];
  for (int r = 0; r < k_; ++r) {
    double* target = mutable_column(r);
    const double factor = target[c] * inverse;
    if (factor == 0) continue;
    add(target, -factor, u, k_);
    target[c] = factor;
  }
}

bool BasisInverse::replace_row(int r, const double* v) {
  double* pivot_column = mutable_column(r);
  const double pivot = inner(v, pivot_column, k_);
  if (pivot == 0) return false;
  const double inverse = 1 / pivot;
  for (int c = 0; c < k_; ++c) pivot_column[c] *= inverse;
  for (int t = 0; t < k_; ++t) {
    if (t == r) continue;
    double* target = mutable_column(t);
    if (const double factor = inner(v, target, k_); factor != 0) add(target, -factor, pivot_column, k_);
  }
  return true;
}

bool BasisInverse::grow(const double* v, const double* u, double corner) {
  reserve(k_ + 1);
  const double schur = corner - inner(v, u, k_);
  if (schur == 0) return false;
  const double inverse = 1 / schur;
  for (int r = 0; r < k_; ++r) {
    double* target = mutable_column(r);
    const double factor = inner(v, target, k_) * inverse;
    if (factor != 0) add(target, factor, u, k_);
    target[k_] = -factor;
  }
  double* last = mutable_column(k_);
  for (int c = 0; c < k_; ++c) last[c] = -u[c] * inverse;
  last[k_] = inverse;
  ++k_;
  return true;
}

bool BasisInverse::shrink(int r, int c) {
  double* pivot_column = mutable_column(r);
  if (pivot_column[c] == 0) return false;
  const double inverse = 1 / pivot_column[c];
  const int last = k_ - 1;
  for (int t = 0; t < k_; ++t) {
    if (t == r) continue;
    double* target = mutable_column(t);
    if (const double factor = target[c] * inverse; factor != 0) add(target, -factor, pivot_column, k_);
    target[c] = target[last];
  }
  if (r != last) std::copy_n(column(last), last, pivot_column);
  k_ = last;
  return true;
}

}  // namespace stickslip::complementarity
