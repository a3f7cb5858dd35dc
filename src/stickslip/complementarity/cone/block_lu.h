// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Sparse LU factorisation by dense fronts (multifrontal, Duff and Reid 1983) of matrices of the form
//
//     row of node i:   A_i sum_j W_ij x_j + B_i x_i,        W: node_matrix.h;  A_i, B_i: square, of the node's size
//
// which is what Newton's method makes of a contact law. Nodes that are inactive take no part (their unknowns are known
// and stand on the right-hand side): fronts hold the others only, so that a step costs what its closed contacts cost.
// The pattern of W is symmetric; rows are exchanged within a front (dense_lu.h), pivots that vanish are replaced.
//
// Ours instead of a sparse library: those take numbers one by one, these matrices have small dense blocks, some of
// which leave and return from step to step.
//
// Symbols: m unknowns of a front, p of them eliminated there. Cost: sum over fronts of about p m^2 multiplications.
// No allocation once the workspaces have grown.
#pragma once

#include "stickslip/complementarity/cone/elimination_plan.h"
#include "stickslip/complementarity/cone/node_matrix.h"

#include <cstdint>
#include <vector>

namespace stickslip::complementarity {

// Inactive: not part of the system. Identity: A_i is a multiple of I. General: A_i is full.
enum class NodeState : std::uint8_t { Inactive, Identity, General };

template <int D>
class BlockLu {
 public:
  struct System {
    NodeMatrix<D> W;
    const NodeState* state;
    const double *A, *B;             // the nodes' square blocks one after the other, row-major
    const std::size_t* block_start;  // of each node in A and B; kVariable only (else node * D^2)
    double identity;                 // A_i of Identity nodes is identity * I
  };

  // Returns the number of pivots that had to be replaced (0: a sound factorisation).
  int factor(const EliminationPlan& plan, const System& system);

  // The active unknowns of x: right-hand side in, solution out.
  void solve(double* x);

  // Multiplications of the last factorisation, a measure of work that does not depend on the machine.
  [[nodiscard]] double work() const { return work_; }

 private:
  struct Front {
    int first, pivots, size;   // range in node_; active nodes eliminated here, and all
    int p, m;                  // the same in unknowns
    std::size_t upper, lower;  // where U (pivot rows, all columns) and L21 (other rows, pivot columns) are stored
    std::size_t stack;         // where the remainder for the parent stands
    int exchange;              // first of its row exchanges
  };

  void select_nodes(const EliminationPlan& plan, int index, Front& front);
  void assemble(const EliminationPlan& plan, const Front& front);
  void add_block(int row_node, int column_node, int block, double* target, int stride) const;
  void add_child(const Front& child, int stride);
  void store(Front& front);
  [[nodiscard]] std::size_t block_start(int node) const;

  System system_{};
  std::vector<Front> fronts_;
  std::vector<int> node_;   // active nodes of all fronts
  std::vector<int> local_;  // first unknown of a node in the front at hand
  std::vector<int> exchange_, waiting_;
  std::vector<double> dense_, factor_, stack_, x_;
  std::size_t factor_size_ = 0, stack_size_ = 0;
  double work_ = 0;
};

}  // namespace stickslip::complementarity
