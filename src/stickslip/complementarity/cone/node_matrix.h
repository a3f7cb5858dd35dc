// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What block_lu.h factorises: a matrix of dense blocks between nodes, with a symmetric pattern, seen through pointers.
//
// D > 0: every node has D unknowns (a contact). D = kVariable: nodes of different size (groups of contacts, see
// wrench_space.h); `first` then gives each node's first unknown and `value_start` each block's place.
#pragma once

#include <cstddef>

namespace stickslip::complementarity {

constexpr int kVariable = -1;

template <int D>
struct NodeMatrix {
  int nodes = 0;
  const int* row_start = nullptr;
  const int* column = nullptr;
  const int* mirror = nullptr;  // index of the transposed block of each block
  const double* value = nullptr;
  const int* first_unknown = nullptr;        // nodes + 1 entries; kVariable only
  const std::size_t* value_start = nullptr;  // per block; kVariable only

  [[nodiscard]] int size(int node) const {
    if constexpr (D > 0)
      return D;
    else
      return first_unknown[node + 1] - first_unknown[node];
  }
  [[nodiscard]] int first(int node) const {
    if constexpr (D > 0)
      return node * D;
    else
      return first_unknown[node];
  }
  [[nodiscard]] int unknowns() const { return first(nodes); }
  [[nodiscard]] const double* block(int p) const {
    if constexpr (D > 0)
      return value + static_cast<std::size_t>(p) * D * D;
    else
      return value + value_start[p];
  }
};

}  // namespace stickslip::complementarity
