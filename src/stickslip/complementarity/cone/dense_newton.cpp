// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/dense_newton.h"

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

namespace stickslip::complementarity {
namespace {

constexpr double kSmallestPivot = 1e-15;  // the diagonal blocks of W have mean diagonal 1

using PairOfRow = Eigen::Map<Eigen::Array2d, Eigen::Aligned16>;
using ConstPairOfRow = Eigen::Map<const Eigen::Array2d, Eigen::Aligned16>;

}  // namespace

template <int D>
template <class What>
decltype(auto) DenseNewton<D>::with_size(What&& what) const {
  switch (size_ / D) {
    case 1: return what(std::integral_constant<int, D>{});
    case 2: return what(std::integral_constant<int, 2 * D>{});
    case 3: return what(std::integral_constant<int, 3 * D>{});
    default: return what(std::integral_constant<int, 4 * D>{});
  }
}

template <int D>
template <int N>
void DenseNewton<D>::assemble(const ScaledIsland<D>& island, const double* J, const ContactMode* mode, double rho,
                              ProximalWeight alpha) {
  constexpr int kStride = stride(N);
  std::fill_n(LU_, N * kStride, 0.0);
  for (int i = 0; i < N / D; ++i) {
    const double* J_i = J + i * D * D;
    double *row = LU_ + i * D * kStride, *diagonal = row + i * D;
    for (int k = 0; k < D; ++k) diagonal[k * kStride + k] = 1;
    if (mode[i] == ContactMode::Separate) continue;
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) diagonal[k * kStride + l] += (rho * alpha[i] - 1) * J_i[k * D + l];
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const double* W = island.block(p);
      double* to = row + island.column[p] * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) {
          double sum = 0;
          for (int s = 0; s < D; ++s) sum += J_i[k * D + s] * W[s * D + l];
          to[k * kStride + l] += rho * sum;
        }
    }
  }
}

// One column of L and one row of U. Returns the number of replaced pivots, 0 or 1.
template <int D>
template <int N, int K>
int DenseNewton<D>::eliminate_column() {
  constexpr int kStride = stride(N);
  double* row = LU_ + K * kStride;
  int pivot = K;
  double largest = std::fabs(row[K]);
  for (int i = K + 1; i < N; ++i) {
    const double candidate = std::fabs(LU_[i * kStride + K]);
    pivot = candidate > largest ? i : pivot;
    largest = std::max(largest, candidate);
  }
  exchange_[K] = pivot;
  if (pivot != K)
    for (int j = 0; j < kStride; j += 2) PairOfRow(row + j).swap(PairOfRow(LU_ + pivot * kStride + j));
  const bool vanishes = !(largest > kSmallestPivot);
  if (vanishes) row[K] = std::copysign(kSmallestPivot, row[K]);
  inverse_pivot_[K] = 1 / row[K];
  for (int i = K + 1; i < N; ++i) {
    double* other = LU_ + i * kStride;
    const double l = other[K] *= inverse_pivot_[K];
    constexpr int kPairs = K + 1 + (K + 1) % 2;  // first column of whole pairs right of the pivot
    if constexpr (kPairs != K + 1) other[K + 1] -= l * row[K + 1];
    for (int j = kPairs; j < kStride; j += 2) PairOfRow(other + j) -= l * ConstPairOfRow(row + j);
  }
  return vanishes ? 1 : 0;
}

template <int D>
template <int N, int... K>
int DenseNewton<D>::eliminate(std::integer_sequence<int, K...> /*columns*/) {
  return (0 + ... + eliminate_column<N, K>());
}

template <int D>
template <int N>
void DenseNewton<D>::substitute(const double* b, double* x) const {
  constexpr int kStride = stride(N);
  std::copy_n(b, N, x);
  for (int k = 0; k < N; ++k) std::swap(x[k], x[exchange_[k]]);
  for (int i = 1; i < N; ++i)
    for (int k = 0; k < i; ++k) x[i] -= LU_[i * kStride + k] * x[k];
  for (int i = N - 1; i >= 0; --i) {
    for (int k = i + 1; k < N; ++k) x[i] -= LU_[i * kStride + k] * x[k];
    x[i] *= inverse_pivot_[i];
  }
}

template <int D>
int DenseNewton<D>::factor(const ScaledIsland<D>& island, const double* J, const ContactMode* mode, double rho,
                           ProximalWeight alpha) {
  assert(island.contacts >= 1 && island.contacts <= kMaxContacts);
  size_ = island.unknowns();
  return with_size([&](auto size) {
    assemble<size()>(island, J, mode, rho, alpha);
    return eliminate<size()>(std::make_integer_sequence<int, size()>{});
  });
}

template <int D>
void DenseNewton<D>::solve(const double* b, double* x) const {
  with_size([&](auto size) { substitute<size()>(b, x); });
}

template class DenseNewton<2>;
template class DenseNewton<3>;

}  // namespace stickslip::complementarity
