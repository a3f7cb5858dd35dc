// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/dense_lu.h"

#include "stickslip/complementarity/wide_clone.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

constexpr int kPanel = 16;         // columns eliminated before the rest of the front is updated
constexpr int kSmallFront = 32;    // unknowns of a front that is updated at once
constexpr int kBlock = 8;          // columns eliminated one by one
constexpr int kColumnStrip = 128;  // columns of the update that stay in the first-level cache
constexpr int kRows = 4;           // of a tile

STICKSLIP_ALWAYS_INLINE void exchange_rows(double* A, int m, int stride, int a, int b) {
  if (a != b) std::swap_ranges(A + a * stride, A + a * stride + m, A + b * stride);
}

// C -= L U for one tile of `Rows` rows and `Width` lanes; L: rows of `depth` numbers, U: `depth` rows. Each entry takes
// its terms in the order of k, so that the bits depend neither on the tile nor on the width of the registers.
template <int Rows, int Width>
STICKSLIP_ALWAYS_INLINE void update_tile(double* C, const double* L, const double* U, int depth, int stride) {
  Lanes c[Rows][Width];
  for (int i = 0; i < Rows; ++i)
    for (int w = 0; w < Width; ++w) load(c[i][w], C + i * stride + w * kLanes);
  for (int k = 0; k < depth; ++k) {
    Lanes u[Width];
    for (int w = 0; w < Width; ++w) load(u[w], U + k * stride + w * kLanes);
    for (int i = 0; i < Rows; ++i)
      for (int w = 0; w < Width; ++w) c[i][w] -= L[i * stride + k] * u[w];
  }
  for (int i = 0; i < Rows; ++i)
    for (int w = 0; w < Width; ++w) store(C + i * stride + w * kLanes, c[i][w]);
}

template <int Rows>
STICKSLIP_ALWAYS_INLINE void update_rows(double* C, const double* L, const double* U, int columns, int depth,
                                         int stride) {
  int j = 0;
  for (; j + 2 * kLanes <= columns; j += 2 * kLanes) update_tile<Rows, 2>(C + j, L, U + j, depth, stride);
  for (; j + kLanes <= columns; j += kLanes) update_tile<Rows, 1>(C + j, L, U + j, depth, stride);
  for (; j < columns; ++j)
    for (int i = 0; i < Rows; ++i) {
      double c = C[i * stride + j];
      for (int k = 0; k < depth; ++k) c -= L[i * stride + k] * U[k * stride + j];
      C[i * stride + j] = c;
    }
}

// C -= L U, all three parts of one row-major array.
STICKSLIP_ALWAYS_INLINE void update(double* C, const double* L, const double* U, int rows, int columns, int depth,
                                    int stride) {
  for (int j0 = 0; j0 < columns; j0 += kColumnStrip) {
    const int width = std::min(kColumnStrip, columns - j0);
    int i = 0;
    for (; i + kRows <= rows; i += kRows)
      update_rows<kRows>(C + i * stride + j0, L + i * stride, U + j0, width, depth, stride);
    for (; i < rows; ++i) update_rows<1>(C + i * stride + j0, L + i * stride, U + j0, width, depth, stride);
  }
}

// The pivot's row taken out of another one, in columns k + 1 to end.
STICKSLIP_ALWAYS_INLINE void eliminate(double* other, const double* row, int k, int end, double inverse) {
  const double l = other[k] *= inverse;
  for (int j = k + 1; j < end; ++j) other[j] -= l * row[j];
}

}  // namespace

STICKSLIP_WIDE_CLONE int partial_lu(double* A, int m, int p, int stride, double smallest, int* exchange) {
  double largest = 0;
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < m; ++j) largest = std::max(largest, std::fabs(A[i * stride + j]));
  const double floor = largest > 0 ? smallest * largest : 1.0;

  int replaced = 0;
  const int panel = m <= kSmallFront ? m : kPanel;
  for (int first = 0; first < p; first += panel) {
    const int last = std::min(p, first + panel);
    const int reach = panel == m ? m : last;  // columns that the elimination inside the panel touches
    for (int a = first; a < last; a += kBlock) {
      const int b = std::min(last, a + kBlock);
      double inverse[kBlock];
      for (int k = a; k < b; ++k) {
        int pivot = k;
        for (int i = k + 1; i < p; ++i)
          if (std::fabs(A[i * stride + k]) > std::fabs(A[pivot * stride + k])) pivot = i;
        exchange[k] = pivot;
        exchange_rows(A, m, stride, k, pivot);
        double* row = A + k * stride;
        if (!(std::fabs(row[k]) > floor)) row[k] = std::copysign(floor, row[k]), ++replaced;
        inverse[k - a] = 1 / row[k];
        for (int i = k + 1; i < p; ++i) eliminate(A + i * stride, row, k, b, inverse[k - a]);
      }
      for (int i = p; i < m; ++i)  // rows that no pivot comes from
        for (int k = a; k < b; ++k) eliminate(A + i * stride, A + k * stride, k, b, inverse[k - a]);
      for (int k = a + 1; k < b; ++k)
        update_rows<1>(A + k * stride + b, A + k * stride + a, A + a * stride + b, reach - b, k - a, stride);
      update(A + b * stride + b, A + b * stride + a, A + a * stride + b, m - b, reach - b, b - a, stride);
    }
    if (reach == m) continue;
    // Rows of U12 in the panel, then the trailing part with all of the panel at once.
    for (int k = first + 1; k < last; ++k)
      update_rows<1>(A + k * stride + last, A + k * stride + first, A + first * stride + last, m - last, k - first,
                     stride);
    update(A + last * stride + last, A + last * stride + first, A + first * stride + last, m - last, m - last,
           last - first, stride);
  }
  return replaced;
}

}  // namespace stickslip::complementarity
