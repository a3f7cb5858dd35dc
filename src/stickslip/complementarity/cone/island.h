// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Islands: the connected components of the contact graph, each a problem of its own, in block-scaled variables
//
//     r' = r / s,  u' = s u,  q' = s q,  W'_ij = s_i W_ij s_j,     s_c = (tr W_cc / D)^(-1/2)
//
// One positive number per contact leaves its friction cone as it is; W' has diagonal blocks of mean diagonal 1, so that
// one step length, one proximal weight and one tolerance suit all contacts. All iterative methods work on an Island.
// Cost: linear in the stored blocks; no allocation once the workspaces have grown.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"

#include <span>
#include <vector>

namespace stickslip::complementarity {

template <int D>
struct ScaledIsland {
  int contacts = 0;
  std::vector<int> member;                       // index of each contact in the posed problem
  std::vector<int> row_start, column, diagonal;  // pattern of W', as in BlockMatrix
  std::vector<int> mirror;                       // index of the transposed block of each block
  std::vector<double> W, q;                      // scaled
  std::vector<double> mu, given, scale;          // given: scaled normal impulse of supports, else 0
  std::vector<ContactKind> kind;
  std::vector<int> cursor;  // workspace

  // Smallest norms that the relative errors of this island are measured against: its share of the whole problem's.
  double plain_floor = 0, scaled_floor = 0;
  double speed = 0;  // mean size of a contact's q in the whole problem, in its units: V of contact_residual.h

  [[nodiscard]] int unknowns() const { return contacts * D; }
  [[nodiscard]] const double* block(int p) const { return W.data() + static_cast<std::size_t>(p) * D * D; }
};

// u = W' r + q'
template <int D>
void island_velocity(const ScaledIsland<D>& island, const double* r, double* u);

// The error of contact_residual.h for this island (r, u in scaled variables), relative to the island's own norms
// (`own`; an island of rounding noise has none) and to those of the whole problem (`shared` <= own): the second is what
// the certificate of the whole needs.
struct IslandError {
  double own, shared;
};
template <int D>
[[nodiscard]] IslandError island_error(const ScaledIsland<D>& island, const double* r, const double* u);

// Splits a problem and fills islands; keeps its workspaces.
template <int D>
class IslandSplitter {
 public:
  // Number of islands of the problem.
  int split(const ContactProblem& problem);
  [[nodiscard]] int contacts(int index) const { return start_[index + 1] - start_[index]; }
  // The island's scaled copy. Several threads may ask for one each.
  void extract(const ContactProblem& problem, int index, ScaledIsland<D>& island) const;

 private:
  std::vector<int> root_, island_of_, position_, start_, member_;
  std::vector<double> scale_;
  double plain_norm_ = 0, scaled_norm_ = 0, speed_ = 0;
  int islands_ = 0;
};

}  // namespace stickslip::complementarity
