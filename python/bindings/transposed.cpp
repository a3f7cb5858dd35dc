// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "transposed.h"

#include "finite_sum.h"

#include <algorithm>

namespace stickslip::python {

STICKSLIP_WIDE_CLONE bool copy_finite(const double* from, std::ptrdiff_t count, double* to) {
  FiniteSum sum;
  std::ptrdiff_t k = 0;
  for (; k + 2 * kLanes <= count; k += 2 * kLanes) {
    Lanes a, b;
    load(a, from + k);
    load(b, from + k + kLanes);
    store(to + k, a);
    store(to + k + kLanes, b);
    sum.add(a, b);
  }
  for (; k < count; ++k) {
    to[k] = from[k];
    sum.add(from[k]);
  }
  return sum.finite();
}

// Four by four, in squares, so that what is read along rows and written along columns stays in the cache.
STICKSLIP_WIDE_CLONE bool copy_transposed(const double* from, std::ptrdiff_t rows, std::ptrdiff_t cols, double* to) {
  constexpr std::ptrdiff_t kSquare = 128;
  static_assert(kLanes == 4);
  FiniteSum sum;
  const auto single = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
    const double x = from[i * cols + j];
    to[j * rows + i] = x;
    sum.add(x);
  };
  const std::ptrdiff_t whole_rows = rows - rows % kLanes, whole_cols = cols - cols % kLanes;
  for (std::ptrdiff_t left = 0; left < whole_cols; left += kSquare)
    for (std::ptrdiff_t top = 0; top < whole_rows; top += kSquare)
      for (std::ptrdiff_t i = top; i < std::min(whole_rows, top + kSquare); i += kLanes)
        for (std::ptrdiff_t j = left; j < std::min(whole_cols, left + kSquare); j += kLanes) {
          Lanes a, b, c, d;
          load(a, from + i * cols + j);
          load(b, from + (i + 1) * cols + j);
          load(c, from + (i + 2) * cols + j);
          load(d, from + (i + 3) * cols + j);
          sum.add(a, b);
          sum.add(c, d);
          const Lanes ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                      ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
          const Lanes cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                      cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
          store(to + j * rows + i, __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5));
          store(to + (j + 1) * rows + i, __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5));
          store(to + (j + 2) * rows + i, __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7));
          store(to + (j + 3) * rows + i, __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7));
        }
  for (std::ptrdiff_t i = 0; i < rows; ++i)
    for (std::ptrdiff_t j = i < whole_rows ? whole_cols : 0; j < cols; ++j) single(i, j);
  return sum.finite();
}

}  // namespace stickslip::python
