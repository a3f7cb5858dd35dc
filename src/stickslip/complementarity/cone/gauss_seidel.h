// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Block Gauss-Seidel: contact after contact, the exact one-contact problem with all other impulses held.
//
//     b_i = q_i + sum_{j != i} W_ij r_j,     r_i <- solution of the contact  u_i = (W_ii + alpha I) r_i + b_i - alpha
//     rbar_i
//
// alpha > 0 solves the proximal problem around rbar instead (what semismooth Newton falls back to). The sweep is cheap
// and finds the modes of most contacts; its convergence is linear, and slow where many contacts press on one body.
// Jourdan, Alart and Jean 1998. Cost of a sweep: one product with W and one one-contact solution per contact.
#pragma once

#include "stickslip/complementarity/cone/island.h"

namespace stickslip::complementarity {

enum class SweepDirection { Forward, Backward };

template <int D>
class GaussSeidel {
 public:
  // Forgets the remembered slip rates; to be called when the island changes.
  void reset(const ScaledIsland<D>& island) { slip_rate_.assign(island.contacts, 0.0); }

  void sweep(const ScaledIsland<D>& island, double* r, SweepDirection direction = SweepDirection::Forward);
  void proximal_sweep(const ScaledIsland<D>& island, double* r, double alpha, const double* rbar);

 private:
  std::vector<double> slip_rate_;  // of each contact's last solution: where its next search starts
};

}  // namespace stickslip::complementarity
