// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Groups of contacts that act through few numbers: the first half of wrench_space.h.
//
// Contacts with the same neighbours in W (the contacts of one pair of bodies) are a candidate; it becomes a group g
// when the rank of its diagonal block W_gg is well below its number of unknowns. C_g is an orthonormal basis of the
// range of W_gg, by pivoted Cholesky and two passes of Gram-Schmidt. All other contacts are nodes of their own, with
// C = I.
//
// Cost: (unknowns of a group) * rank^2 each; no allocation once the workspaces have grown.
#pragma once

#include "stickslip/complementarity/cone/island.h"

#include <vector>

namespace stickslip::complementarity {

template <int D>
class WrenchGroups {
 public:
  static constexpr int kMaxRank = D == 3 ? 6 : 3;
  static constexpr double kWorthwhile = 0.7;  // unknowns left over, of a group and of the whole

  void find(const ScaledIsland<D>& island);

  [[nodiscard]] int nodes() const { return static_cast<int>(node_size.size()); }
  [[nodiscard]] int unknowns() const { return first_unknown.back(); }
  [[nodiscard]] bool grouped(int node) const { return member_start[node + 1] - member_start[node] > 1; }
  // D rows of its node's C, kMaxRank wide.
  [[nodiscard]] const double* basis_of(int contact) const {
    return basis_.data() + static_cast<std::size_t>(contact) * D * kMaxRank;
  }

  // A node is a group or a single contact; nodes stand in the order of their first contacts.
  std::vector<int> node_of;                   // of each contact
  std::vector<int> member_start, member;      // contacts of each node
  std::vector<int> node_size, first_unknown;  // unknowns of each node, and where they start

 private:
  void find_groups();
  int basis_of_group(int first, int count);
  void number_nodes();

  const ScaledIsland<D>* island_ = nullptr;
  std::vector<double> basis_;
  std::vector<int> leader_, mark_, cursor_;
  std::vector<char> tried_;
  std::vector<unsigned> hash_;
  std::vector<int> rank_;                 // of each contact's group, in the place of its leader; 0: not a group
  std::vector<double> cholesky_, pivot_;  // workspace of the rank search
};

}  // namespace stickslip::complementarity
