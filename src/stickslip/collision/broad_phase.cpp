// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/broad_phase.h"

#include <algorithm>
#include <numeric>

namespace stickslip::collision {
namespace {

// How much a box is grown on each side, as a part of its largest half extent. Larger: the list lasts longer and holds
// more pairs. Chosen by timing a pile of 1000 spheres; the optimum is flat.
constexpr double kAllowance = 0.15;

}  // namespace

bool BroadPhase::still_valid(const std::vector<Bounds>& bounds) const {
  if (bounds.size() != grown_.size()) return false;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Bounds &now = bounds[i], &grown = grown_[i];
    if ((now.low.array() < grown.low.array()).any() || (now.high.array() > grown.high.array()).any()) return false;
  }
  return true;
}

void BroadPhase::grow(const std::vector<Bounds>& bounds) {
  grown_.resize(bounds.size());
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const Vec3 allowance = Vec3::Constant(kAllowance * 0.5 * (bounds[i].high - bounds[i].low).maxCoeff());
    grown_[i] = {bounds[i].low - allowance, bounds[i].high + allowance};
  }
}

void BroadPhase::sweep(std::vector<IndexPair>& overlaps) {
  const std::size_t n = grown_.size();
  // Along the axis on which the boxes are spread most.
  Vec3 mean = Vec3::Zero(), square = Vec3::Zero();
  for (const Bounds& b : grown_) {
    const Vec3 centre = 0.5 * (b.low + b.high);
    mean += centre;
    square += centre.cwiseAbs2();
  }
  int axis = 0;
  (square - mean.cwiseAbs2() / static_cast<double>(n)).maxCoeff(&axis);

  if (order_.size() != n) {
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
  }
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    const double x = grown_[static_cast<std::size_t>(i)].low[axis], y = grown_[static_cast<std::size_t>(j)].low[axis];
    return x != y ? x < y : i < j;
  });
  sorted_.resize(n);
  for (std::size_t k = 0; k < n; ++k) sorted_[k] = grown_[static_cast<std::size_t>(order_[k])];

  overlaps.clear();
  const int second = (axis + 1) % 3, third = (axis + 2) % 3;
  for (std::size_t i = 0; i < n; ++i) {
    const Bounds& a = sorted_[i];
    for (std::size_t j = i + 1; j < n && sorted_[j].low[axis] <= a.high[axis]; ++j) {
      const Bounds& b = sorted_[j];
      // One branch instead of four: they are unpredictable.
      const bool apart = (a.low[second] > b.high[second]) | (b.low[second] > a.high[second]) |
                         (a.low[third] > b.high[third]) | (b.low[third] > a.high[third]);
      if (!apart) overlaps.push_back({std::min(order_[i], order_[j]), std::max(order_[i], order_[j])});
    }
  }
}

void BroadPhase::sort_pairs() {
  std::sort(pairs_.begin(), pairs_.end());
}

}  // namespace stickslip::collision
