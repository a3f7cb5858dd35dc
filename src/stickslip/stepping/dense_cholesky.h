// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A x = b for a small dense symmetric positive definite matrix, in place, without allocation.
#pragma once

#include <cmath>
#include <cstddef>

namespace stickslip::stepping {

// a: n x n row-major, overwritten with its factor L (lower) and 1/L_ii on the diagonal; b becomes x. Rows whose pivot
// vanishes against their diagonal (redundant to rounding) get x = 0. False when a number is not finite.
inline bool solve_positive(std::size_t n, double* a, double* b) {
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = a[i * n + i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (j < i)
        a[i * n + j] = sum * a[j * n + j];
      else
        a[i * n + i] = sum > 1e-14 * diagonal ? 1 / std::sqrt(sum) : 0.0;
    }
  }
  double check = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] *= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] *= a[i * n + i];
    check += b[i];
  }
  return std::isfinite(check);
}

}  // namespace stickslip::stepping
