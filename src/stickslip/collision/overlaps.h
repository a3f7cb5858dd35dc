// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which bodies overlap, and how deep, by geometry alone (separation.h): independent of the contact search.
//
// Pairs are those that may touch (they have a surface) and of which at least one moves freely. Boxes around the bodies
// are swept along the axis on which they spread most; pairs whose boxes overlap are measured.
//
// Depths below what coordinates can resolve, 8 epsilon of their magnitude, are none.
//
// Cost: O(N log N + pairs); about 0.1 us for a ball over a half-space, 1 us for two boxes that touch. No allocation
// once the lists have their size.
#pragma once

#include "stickslip/collision/separation.h"
#include "stickslip/math/bounds.h"
#include "stickslip/model/model.h"

#include <cstdint>
#include <vector>

namespace stickslip::collision {

struct BodyOverlap {
  int body_a = -1, body_b = -1;  // body_a < body_b
  double depth = 0;              // > 0; see separation.h for concave bodies
};

class Overlaps {
 public:
  explicit Overlaps(const model::Model& model);  // which must outlive it

  // All pairs that overlap, ascending. Valid until the next call.
  [[nodiscard]] const std::vector<BodyOverlap>& find(const model::State& state);
  // Calls visit(a, b) for every pair whose boxes overlap, until it returns true: then true.
  template <class Visit>
  bool visit_near(const model::State& state, const Visit& visit);
  // Of one pair, whether or not it may touch; 0 when apart.
  [[nodiscard]] double depth(const model::State& state, int a, int b);

  // The smaller of the two bodies' smallest extents: what a depth is compared with. Infinite when neither has one
  // (points, half-spaces).
  [[nodiscard]] double thickness(int a, int b) const;
  // Of the ball around a body's centre of mass that holds all of it that is bounded.
  [[nodiscard]] double radius(int body) const { return solids_[static_cast<std::size_t>(body)].radius; }
  [[nodiscard]] const Solid& solid(int body) const { return solids_[static_cast<std::size_t>(body)]; }
  // Support points and balls looked at so far: a measure of the time spent that depends on nothing else.
  [[nodiscard]] std::int64_t work() const { return work_; }

 private:
  struct Extent {  // body frame
    Vec3 centre, half;
    double smallest = 0;
  };
  void place(const model::State& state);
  int sort_bodies();  // along the axis that it returns
  [[nodiscard]] bool may_touch(int a, int b) const;

  const model::Model& model_;
  std::vector<Solid> solids_;
  std::vector<Extent> extents_;
  std::vector<Bounds> bounds_;
  std::vector<char> movable_;
  std::vector<int> order_, unbounded_;  // bodies; order_ along the axis of the last sweep
  std::vector<BodyOverlap> found_;
  std::int64_t work_ = 0;
};

template <class Visit>
bool Overlaps::visit_near(const model::State& state, const Visit& visit) {
  place(state);
  for (const int plane : unbounded_)
    for (const int i : order_)
      if (i != plane && may_touch(i, plane) && visit(i, plane)) return true;
  if (order_.size() < 2) return false;
  const int axis = sort_bodies();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const Bounds& a = bounds_[static_cast<std::size_t>(order_[k])];
    for (std::size_t m = k + 1; m < order_.size(); ++m) {
      const Bounds& b = bounds_[static_cast<std::size_t>(order_[m])];
      ++work_;
      if (b.low[axis] > a.high[axis]) break;
      if (a.overlaps(b) && may_touch(order_[k], order_[m]) && visit(order_[k], order_[m])) return true;
    }
  }
  return false;
}

}  // namespace stickslip::collision
