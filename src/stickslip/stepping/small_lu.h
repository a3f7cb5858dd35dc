// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// LU of a small dense matrix (tens of rows) with partial pivoting, in place, row-major. No allocation. Inlined where n
// is a constant, the loops unroll: two contacts in the plane or in space.
#pragma once

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

// y -= s x, two numbers at a time.
[[gnu::always_inline]] inline void subtract_row(double s, const double* __restrict x, double* __restrict y, int count) {
  int j = 0;
  for (; j + 1 < count; j += 2) {
    y[j] -= s * x[j];
    y[j + 1] -= s * x[j + 1];
  }
  if (j < count) y[j] -= s * x[j];
}

// False when the matrix is singular or not finite.
[[nodiscard, gnu::always_inline]] inline bool factor_small(double* a, int n, int* pivot) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[best * n + k])) best = i;
    pivot[k] = best;
    if (best != k) std::swap_ranges(a + k * n, a + k * n + n, a + best * n);
    const double diagonal = a[k * n + k];
    if (!(std::fabs(diagonal) > 0) || !std::isfinite(diagonal)) return false;
    const double inverse = 1 / diagonal;
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * inverse;
      a[i * n + k] = factor;
      if (factor == 0) continue;
      subtract_row(factor, a + k * n + k + 1, a + i * n + k + 1, n - k - 1);
    }
  }
  return true;
}

// x: right-hand side in, solution out.
[[gnu::always_inline]] inline void substitute_small(const double* a, int n, const int* pivot, double* x) {
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot[k]]);
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < k; ++j) x[k] -= a[k * n + j] * x[j];
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) x[k] -= a[k * n + j] * x[j];
    x[k] /= a[k * n + k];
  }
}

}  // namespace stickslip::stepping
