// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Sets that are merged: parent[i] is another member of the set of i, or i itself where it stands for the set.
#pragma once

#include <cstddef>
#include <vector>

namespace stickslip::complementarity {

// The member that stands for the set of i. Shortens the way there.
[[nodiscard]] inline int find_root(std::vector<int>& parent, int i) {
  const auto up = [&parent](int k) -> int& { return parent[static_cast<std::size_t>(k)]; };
  while (up(i) != i) i = up(i) = up(up(i));
  return i;
}

}  // namespace stickslip::complementarity
