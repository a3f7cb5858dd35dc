// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The linear system of a Newton step on an island,
//
//     [rho J (W + alpha I) + (I - J)] dr = b,
//
// solved for a handful of contacts as a small dense matrix (dense_newton.h); for more in the space of contacts or,
// where many contacts act between the same bodies, of wrenches (wrench_space.h). Separated contacts (J = 0) leave the
// system. Which space, the elimination order and the reduced matrix are found at the first factorisation on an island.
// On large islands in the space of contacts the order is that of the graph of closed contacts, found again when others
// close or many have opened: in a falling pile half of the contacts are open, and the graph of the others is almost a
// forest, which an order for the whole graph fills with blocks.
//
// Symbol   meaning
//   W      Delassus matrix of the island, block-scaled (island.h)
//   J      derivative of the projection, a block per contact; rho: step of the map (alart_curnier.h)
//   alpha  proximal weight (proximal_weight.h)
//
// Cost: that of the factorisation chosen (dense_newton.h, block_lu.h); no allocation once the workspaces have grown.
#pragma once

#include "stickslip/complementarity/cone/dense_newton.h"
#include "stickslip/complementarity/cone/wrench_space.h"

namespace stickslip::complementarity {

template <int D>
class NewtonSystem {
 public:
  // A new island. The plan is kept from solve to solve by the caller, since its graph seldom changes.
  void begin(const ScaledIsland<D>& island, EliminationPlan& plan) {
    island_ = &island, plan_ = &plan, prepared_ = false, may_use_wrenches_ = true;
  }
  // Nearly parallel contacts may make the matrix of wrenches worse than that of contacts.
  void allow_wrenches(bool allowed) {
    if (allowed != may_use_wrenches_) prepared_ = false;
    may_use_wrenches_ = allowed;
  }

  // J: D x D row-major per contact; mode: which of them are 0 (Separate) and I (Stick). Both must outlive the solves,
  // and so must weights of single contacts.
  // Returns the number of replaced pivots.
  int factor(const double* J, const ContactMode* mode, double rho, ProximalWeight alpha);

  // refine: steps of iterative refinement.
  void solve(const double* b, double* dr, int refine);

  [[nodiscard]] double work() const {
    return is_small() ? dense_.work() : in_wrenches_ ? wrenches_.work() : lu_.work();
  }

 private:
  [[nodiscard]] bool is_small() const { return island_->contacts <= DenseNewton<D>::kMaxContacts; }
  void prepare();
  void plan_closed_contacts();
  void direct_solve(const double* b, double* dr);
  void residual(const double* b, const double* dr, double* out) const;

  const ScaledIsland<D>* island_ = nullptr;
  EliminationPlan* plan_ = nullptr;
  bool prepared_ = false, in_wrenches_ = false, may_use_wrenches_ = true;
  const double* J_ = nullptr;
  const ContactMode* mode_ = nullptr;
  double rho_ = 1;
  ProximalWeight alpha_;

  DenseNewton<D> dense_;
  WrenchSpace<D> wrenches_;
  BlockLu<D> lu_;
  std::vector<double> A_, B_, residual_, correction_;
  std::vector<NodeState> state_;

  // Large islands: the contacts of the plan and their graph, in which the others stand alone.
  std::vector<char> planned_;
  int planned_count_ = 0;
  std::vector<int> graph_start_, graph_column_;
};

}  // namespace stickslip::complementarity
