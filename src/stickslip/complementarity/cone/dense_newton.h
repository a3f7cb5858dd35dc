// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The linear system of newton_system.h for a handful of contacts, as one small dense matrix
//
//     A = rho J (W + alpha I) + (I - J),   P A = L U                           N = D * contacts unknowns
//
// where the bookkeeping of a sparse factorisation would take several times as long as the arithmetic. Separated
// contacts (J = 0) stay in the system as rows of the identity. All loops have bounds that the compiler knows; rows are
// updated in pairs of columns. A pivot that vanishes is replaced, as in dense_lu.h. Cost: N^3 / 3 multiplications; no
// allocation.
#pragma once

#include "stickslip/complementarity/cone/island.h"
#include "stickslip/complementarity/cone/one_contact.h"
#include "stickslip/complementarity/cone/proximal_weight.h"

#include <utility>

namespace stickslip::complementarity {

template <int D>
class DenseNewton {
 public:
  static constexpr int kMaxContacts = 4;

  // J and mode as in NewtonSystem. Returns the number of replaced pivots.
  int factor(const ScaledIsland<D>& island, const double* J, const ContactMode* mode, double rho, ProximalWeight alpha);
  void solve(const double* b, double* x) const;
  [[nodiscard]] double work() const { return size_ * size_ * size_ / 3.0; }

 private:
  static constexpr int kMaxSize = D * kMaxContacts;
  static constexpr int stride(int size) { return size + size % 2; }

  template <int N>
  void assemble(const ScaledIsland<D>& island, const double* J, const ContactMode* mode, double rho,
                ProximalWeight alpha);
  template <int N, int K>
  int eliminate_column();
  template <int N, int... K>
  int eliminate(std::integer_sequence<int, K...> columns);
  template <int N>
  void substitute(const double* b, double* x) const;
  // Calls what(constant) with the number of unknowns as a compile-time constant.
  template <class What>
  decltype(auto) with_size(What&& what) const;

  int size_ = 0;
  int exchange_[kMaxSize];
  double inverse_pivot_[kMaxSize];
  alignas(16) double LU_[kMaxSize * stride(kMaxSize)];
};

}  // namespace stickslip::complementarity
