// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// LU factorisation of Newton's matrix of an island by dense fronts (multifrontal, Duff and Reid 1983).
//
//     A = rho J (W + alpha I) + (I - J),     J block diagonal (alart_curnier.h), W the island's scaled Delassus matrix
//
// Contacts that are separated (J = 0) have the trivial row dr = rhs and take no part: fronts hold the others only, so
// that a step costs what its closed contacts cost. The pattern is that of W, which is symmetric; rows are exchanged
// within a front (dense_lu.h), pivots that vanish are replaced, and `solve` refines on request.
//
// Symbols: m contacts of a front, p of them eliminated there. Cost: sum over fronts of p m^2 D^3 multiplications.
// No allocation once the workspaces have grown.
#pragma once

#include "stickslip/complementarity/cone/elimination_plan.h"
#include "stickslip/complementarity/cone/island.h"

#include <cstdint>

namespace stickslip::complementarity {

template <int D>
class BlockLu {
 public:
  // What the factorisation is made of. All arrays by contact; they must stay alive until the last solve.
  struct Matrix {
    const Island<D>* island;
    const double* J;       // D x D row-major per contact
    const char* separated; // J = 0
    double rho, alpha;
  };

  // Returns the number of pivots that had to be replaced (0: a sound factorisation).
  int factor(const EliminationPlan& plan, const Matrix& matrix);

  // dr with A dr = rhs. refine: the number of refinement steps.
  void solve(const double* rhs, double* dr, int refine = 0);

  // Multiplications of the last factorisation, a measure of work that does not depend on the machine.
  [[nodiscard]] double work() const { return work_; }

 private:
  struct Front {
    int first, pivots, size;      // range in contact_; active contacts eliminated, and all
    std::size_t upper, lower;     // where U (pivot rows, all columns) and L21 (other rows, pivot columns) are stored
    int exchange;                 // first of its row exchanges
    std::size_t stack;            // where its remainder for the parent stands
  };

  void select_contacts(const EliminationPlan& plan, int index, Front& front);
  void assemble(const EliminationPlan& plan, const Front& front);
  void add_block(int row_contact, int block, double* target, int stride) const;
  void add_child(const Front& child, int stride);
  void store(Front& front);
  void direct_solve(double* x);
  void residual(const double* rhs, const double* dr, double* out) const;

  const EliminationPlan* plan_ = nullptr;
  Matrix matrix_{};
  std::vector<Front> fronts_;
  std::vector<int> contact_;       // active contacts of all fronts
  std::vector<int> local_;         // of a contact in the front at hand
  std::vector<int> exchange_, waiting_;
  std::vector<double> dense_, factor_, stack_, x_, correction_;
  std::size_t factor_size_ = 0, stack_size_ = 0;
  double work_ = 0;
};

}  // namespace stickslip::complementarity
