// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Newton's matrix in the space of wrenches: many contacts between two bodies act through six numbers (planar: three).
//
// Contacts with the same neighbours in W form a group g; its diagonal block W_gg then has low rank (6 for the contacts
// of one pair of bodies). With an orthonormal basis C_g of its range, W = C Wc C', Wc = C' W C, and the Newton system
//
//     (E + rho J C Wc C') dr = b,     E = I - J + rho alpha J            (block diagonal by contact)
//
// becomes, for the wrenches y = C' dr,
//
//     ((I - T) Wc + T) y = T C' E^-1 b,      T_g = (I + G_g)^-1,   G_g = C_g' (E^-1 rho J) C_g
//     dr = E^-1 (b - rho J C Wc y).
//
// Four contacts of a box face cost 6 unknowns instead of 12, 40 contacts of one body 6 instead of 120. Contacts that
// are alone (or of full rank) remain nodes of their own with the original rows (wrench_groups.h). The product form is
// verified on a probe vector; a W that does not have it (not symmetric, say) is left alone. E^-1 costs 1/alpha of
// precision in the step, which the next step makes good.
//
// Symbols: K = sum of the ranks. Cost: that of a sparse factorisation of size K plus O(36) per contact.
#pragma once

#include "stickslip/complementarity/cone/block_lu.h"
#include "stickslip/complementarity/cone/island.h"
#include "stickslip/complementarity/cone/one_contact.h"
#include "stickslip/complementarity/cone/proximal_weight.h"
#include "stickslip/complementarity/cone/wrench_groups.h"

namespace stickslip::complementarity {

template <int D>
class WrenchSpace {
 public:
  // Finds groups and bases. False: nothing to gain, use the contacts themselves.
  [[nodiscard]] bool prepare(const ScaledIsland<D>& island, EliminationPlan& plan);

  // Newton's matrix for the given derivative J of the projection. Returns the number of replaced pivots.
  int factor(const double* J, const ContactMode* mode, double rho, ProximalWeight alpha);
  void solve(const double* b, double* dr);

  [[nodiscard]] double work() const { return lu_.work(); }

 private:
  static constexpr int kMaxRank = WrenchGroups<D>::kMaxRank;

  void build_pattern();
  void project_blocks();
  [[nodiscard]] bool product_form_holds();
  void group_matrices(int node, double rho, ProximalWeight alpha);
  template <int Size>
  void invert_group(int node);
  void contact_matrices(int contact, double rho, double alpha);
  void multiply(const double* y, int node, double* out) const;
  [[nodiscard]] NodeMatrix<kVariable> matrix() const;

  const ScaledIsland<D>* island_ = nullptr;
  EliminationPlan* plan_ = nullptr;
  const double* J_ = nullptr;
  const ContactMode* mode_ = nullptr;
  double rho_ = 1;

  WrenchGroups<D> groups_;
  std::vector<int> row_start_, column_, mirror_, mark_, cursor_;
  std::vector<std::size_t> value_start_, block_start_;
  std::vector<double> value_, probe_, probe_out_;
  std::vector<double> A_, B_, T_, E_inverse_, X_;  // X = E^-1 rho J
  std::vector<NodeState> state_;
  std::vector<double> y_;
  BlockLu<kVariable> lu_;
};

}  // namespace stickslip::complementarity
