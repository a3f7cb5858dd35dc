// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/dense_lu.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

constexpr int kPanel = 16;        // columns eliminated before the rest of the front is updated
constexpr int kColumnStrip = 64;  // columns of the update that stay in the first-level cache
constexpr int kWidth = 4;

using Strip = Eigen::Array<double, kWidth, 1>;
using StripMap = Eigen::Map<Strip>;
using ConstStripMap = Eigen::Map<const Strip>;

void exchange_rows(double* A, int m, int stride, int a, int b) {
  if (a != b) std::swap_ranges(A + a * stride, A + a * stride + m, A + b * stride);
}

// C -= L U for one tile of 4 rows x 4 columns; L: 4 rows of `depth` numbers, U: `depth` rows of 4 numbers.
inline void update_tile(double* C, const double* L, const double* U, int depth, int stride) {
  Strip c0 = ConstStripMap(C), c1 = ConstStripMap(C + stride), c2 = ConstStripMap(C + 2 * stride),
        c3 = ConstStripMap(C + 3 * stride);
  for (int k = 0; k < depth; ++k) {
    const Strip u = ConstStripMap(U + k * stride);
    c0 -= L[k] * u;
    c1 -= L[stride + k] * u;
    c2 -= L[2 * stride + k] * u;
    c3 -= L[3 * stride + k] * u;
  }
  StripMap(C + 0 * stride) = c0;
  StripMap(C + 1 * stride) = c1;
  StripMap(C + 2 * stride) = c2;
  StripMap(C + 3 * stride) = c3;
}

inline void update_rest(double* C, const double* L, const double* U, int rows, int columns, int depth, int stride) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < depth; ++k) {
      const double l = L[i * stride + k];
      for (int j = 0; j < columns; ++j) C[i * stride + j] -= l * U[k * stride + j];
    }
}

// C -= L U, all three parts of one row-major array.
void update(double* C, const double* L, const double* U, int rows, int columns, int depth, int stride) {
  const int tiled_rows = rows - rows % 4;
  for (int j0 = 0; j0 < columns; j0 += kColumnStrip) {
    const int width = std::min(kColumnStrip, columns - j0), tiled = width - width % kWidth;
    for (int i = 0; i < tiled_rows; i += 4) {
      for (int j = 0; j < tiled; j += kWidth)
        update_tile(C + i * stride + j0 + j, L + i * stride, U + j0 + j, depth, stride);
      if (tiled < width)
        update_rest(C + i * stride + j0 + tiled, L + i * stride, U + j0 + tiled, 4, width - tiled, depth, stride);
    }
    if (tiled_rows < rows)
      update_rest(C + tiled_rows * stride + j0, L + tiled_rows * stride, U + j0, rows - tiled_rows, width, depth,
                  stride);
  }
}

}  // namespace

int partial_lu(double* A, int m, int p, int stride, double smallest, int* exchange) {
  double largest = 0;
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < m; ++j) largest = std::max(largest, std::fabs(A[i * stride + j]));
  const double floor = largest > 0 ? smallest * largest : 1.0;

  int replaced = 0;
  const int panel = m <= 2 * kPanel ? m : kPanel;  // small fronts are updated at once
  for (int first = 0; first < p; first += panel) {
    const int last = std::min(p, first + panel);
    const int reach = panel == m ? m : last;  // columns that the elimination inside the panel touches
    for (int k = first; k < last; ++k) {
      int pivot = k;
      for (int i = k + 1; i < p; ++i)
        if (std::fabs(A[i * stride + k]) > std::fabs(A[pivot * stride + k])) pivot = i;
      exchange[k] = pivot;
      exchange_rows(A, m, stride, k, pivot);
      double* row = A + k * stride;
      if (!(std::fabs(row[k]) > floor)) row[k] = std::copysign(floor, row[k]), ++replaced;
      const double inverse = 1 / row[k];
      for (int i = k + 1; i < m; ++i) {
        double* other = A + i * stride;
        if (other[k] == 0) continue;
        const double l = other[k] *= inverse;
        for (int j = k + 1; j < reach; ++j) other[j] -= l * row[j];
      }
    }
    if (reach == m) continue;
    // Rows of U12 in the panel, then the trailing part with all of the panel at once.
    for (int k = first + 1; k < last; ++k)
      update_rest(A + k * stride + last, A + k * stride + first, A + first * stride + last, 1, m - last, k - first,
                  stride);
    update(A + last * stride + last, A + last * stride + first, A + first * stride + last, m - last, m - last,
           last - first, stride);
  }
  return replaced;
}

}  // namespace stickslip::complementarity
