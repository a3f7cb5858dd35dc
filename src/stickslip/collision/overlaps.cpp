// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/overlaps.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool moves_freely(const model::Body& body) {
  if (!(body.mass > 0)) return false;
  for (int k = 0; k < (body.planar() ? 2 : 3); ++k)
    if (!body.drive.translation[static_cast<std::size_t>(k)]) return true;
  return body.rotates() && !body.drive.angle && !body.drive.orientation;
}

}  // namespace

Overlaps::Overlaps(const model::Model& model) : model_(model) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const model::Body& body = model.bodies[i];
    solids_.push_back(make_solid(body.shapes, body.planar()));
    movable_.push_back(moves_freely(body) ? 1 : 0);
    const Solid& solid = solids_.back();
    Vec3 low = Vec3::Constant(kInfinity), high = -low;
    for (const ConvexPiece& piece : solid.piece) {
      if (piece.kind == ConvexPiece::Kind::HalfSpace) continue;
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], support(solid, piece, -Vec3::Unit(k))[k] - piece.rounding);
        high[k] = std::max(high[k], support(solid, piece, Vec3::Unit(k))[k] + piece.rounding);
      }
    }
    Extent extent{0.5 * (low + high), 0.5 * (high - low), kInfinity};
    for (int k = 0; k < (body.planar() ? 2 : 3); ++k)
      if (extent.half[k] > 0) extent.smallest = std::min(extent.smallest, 2 * extent.half[k]);
    extents_.push_back(extent);
    if (!solid.half_space.empty()) unbounded_.push_back(static_cast<int>(i));
    if (solid.tree.empty()) continue;
    order_.push_back(static_cast<int>(i));
  }
  bounds_.resize(model.bodies.size());
}

double Overlaps::thickness(int a, int b) const {
  return std::min(extents_[static_cast<std::size_t>(a)].smallest, extents_[static_cast<std::size_t>(b)].smallest);
}

bool Overlaps::may_touch(int a, int b) const {
  return (movable_[static_cast<std::size_t>(a)] != 0 || movable_[static_cast<std::size_t>(b)] != 0) &&
         model_.surface_between(std::min(a, b), std::max(a, b)) >= 0;
}

void Overlaps::place(const model::State& state) {
  for (const int i : order_) {
    const Extent& extent = extents_[static_cast<std::size_t>(i)];
    const model::Pose& pose = state.bodies[static_cast<std::size_t>(i)].pose;
    const Mat3 turn = pose.orientation.toRotationMatrix();
    const Vec3 centre = pose.position + turn * extent.centre, half = turn.cwiseAbs() * extent.half;
    bounds_[static_cast<std::size_t>(i)] = {centre - half, centre + half};
  }
}

double Overlaps::depth(const model::State& state, int a, int b) {
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  const model::Pose &pose_a = state.bodies[i].pose, &pose_b = state.bodies[j].pose;
  const Separation s = separation({solids_[i], pose_a}, {solids_[j], pose_b}, 0);
  work_ += 8 + s.work;
  const double coordinates =
      pose_a.position.lpNorm<1>() + pose_b.position.lpNorm<1>() + solids_[i].radius + solids_[j].radius;
  const double deep = -s.high;  // the side of the interval that is certain
  return deep > 8 * std::numeric_limits<double>::epsilon() * coordinates ? deep : 0.0;
}

// The axis along which the boxes spread most.
int Overlaps::sort_bodies() {
  Vec3 low = Vec3::Constant(kInfinity), high = -low;
  for (const int i : order_) {
    low = low.cwiseMin(bounds_[static_cast<std::size_t>(i)].low);
    high = high.cwiseMax(bounds_[static_cast<std::size_t>(i)].low);
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    const double x = bounds_[static_cast<std::size_t>(i)].low[axis], y = bounds_[static_cast<std::size_t>(j)].low[axis];
    return x != y ? x < y : i < j;
  });
  return axis;
}

const std::vector<BodyOverlap>& Overlaps::find(const model::State& state) {
  found_.clear();
  work_ += 4 * static_cast<std::int64_t>(order_.size());
  visit_near(state, [&](int a, int b) {
    const double deep = depth(state, a, b);
    if (deep > 0) found_.push_back({std::min(a, b), std::max(a, b), deep});
    return false;
  });
  std::sort(found_.begin(), found_.end(), [](const BodyOverlap& x, const BodyOverlap& y) {
    return x.body_a != y.body_a ? x.body_a < y.body_a : x.body_b < y.body_b;
  });
  // A body with a half-space and bounded parts is met twice.
  const auto same = [](const BodyOverlap& x, const BodyOverlap& y) {
    return x.body_a == y.body_a && x.body_b == y.body_b;
  };
  found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
  return found_;
}

}  // namespace stickslip::collision
