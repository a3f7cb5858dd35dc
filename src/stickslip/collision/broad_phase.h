// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which shapes are near each other: sort and sweep over bounding boxes that are a little too large, so that the list of
// pairs stays valid while bodies move less than the allowance.
//
// The list is always a superset of the pairs whose boxes overlap now; which superset depends on when it was last made.
// Later stages decide by exact distances, so results never depend on it.
//
// Cost: O(N) per call while the list is valid; O(N log N + overlaps along one axis) when it is made again.
#pragma once

#include "stickslip/math/bounds.h"

#include <cstdint>
#include <vector>

namespace stickslip::collision {

struct IndexPair {
  std::int32_t a = 0, b = 0;  // a < b
  friend auto operator<=>(const IndexPair&, const IndexPair&) = default;
};

class BroadPhase {
 public:
  // `allowed(i, j)`, i < j, tells whether a pair may touch at all; constant between calls to reset().
  // Returns true when the list was made again.
  template <class Allowed>
  bool update(const std::vector<Bounds>& bounds, const Allowed& allowed) {
    if (still_valid(bounds)) return false;
    grow(bounds);
    sweep(candidates_);
    pairs_.clear();
    for (const IndexPair& pair : candidates_) {
      if (allowed(pair.a, pair.b)) pairs_.push_back(pair);
    }
    sort_pairs();
    return true;
  }

  [[nodiscard]] const std::vector<IndexPair>& pairs() const { return pairs_; }  // ascending
  void reset() { grown_.clear(); }

 private:
  [[nodiscard]] bool still_valid(const std::vector<Bounds>& bounds) const;
  void grow(const std::vector<Bounds>& bounds);
  void sweep(std::vector<IndexPair>& overlaps);
  void sort_pairs();

  std::vector<Bounds> grown_;
  std::vector<int> order_;      // by lower end along the sweep axis; kept from call to call
  std::vector<Bounds> sorted_;  // grown_ in that order
  std::vector<IndexPair> candidates_, pairs_;
};

}  // namespace stickslip::collision
