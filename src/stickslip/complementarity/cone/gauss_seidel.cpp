// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/gauss_seidel.h"

#include "stickslip/complementarity/cone/one_contact.h"

namespace stickslip::complementarity {
namespace {

// b = q_i + sum of W_ij r_j over the other contacts.
template <int D>
void velocity_from_others(const ScaledIsland<D>& island, const double* r, int i, double* b) {
  double sum[D];
  for (int k = 0; k < D; ++k) sum[k] = island.q[i * D + k];
  const auto add = [&](int first, int last) {
    for (int p = first; p < last; ++p) {
      const double *block = island.block(p), *x = r + island.column[p] * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) sum[k] += block[k * D + l] * x[l];
    }
  };
  add(island.row_start[i], island.diagonal[i]);
  add(island.diagonal[i] + 1, island.row_start[i + 1]);
  for (int k = 0; k < D; ++k) b[k] = sum[k];
}

}  // namespace

template <int D>
void GaussSeidel<D>::sweep(const ScaledIsland<D>& island, double* r, SweepDirection direction) {
  const int n = island.contacts;
  for (int step = 0; step < n; ++step) {
    const int i = direction == SweepDirection::Forward ? step : n - 1 - step;
    double b[D];
    velocity_from_others<D>(island, r, i, b);
    solve_one_contact<D>(island.kind[i], island.mu[i], island.given[i], island.block(island.diagonal[i]), b, r + i * D,
                         slip_rate_[i]);
  }
}

template <int D>
void GaussSeidel<D>::proximal_sweep(const ScaledIsland<D>& island, double* r, double alpha, const double* rbar) {
  for (int i = 0; i < island.contacts; ++i) {
    double b[D], W[D * D];
    velocity_from_others<D>(island, r, i, b);
    const double* block = island.block(island.diagonal[i]);
    for (int k = 0; k < D * D; ++k) W[k] = block[k];
    for (int k = 0; k < D; ++k) W[k * D + k] += alpha, b[k] -= alpha * rbar[i * D + k];
    solve_one_contact<D>(island.kind[i], island.mu[i], island.given[i], W, b, r + i * D, slip_rate_[i]);
  }
}

template class GaussSeidel<2>;
template class GaussSeidel<3>;

}  // namespace stickslip::complementarity
