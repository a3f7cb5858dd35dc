// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/separation.h"

#include "stickslip/collision/closest_to_origin.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace stickslip::collision {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Swaps the roles of a and b.
Separation reversed(Separation s) {
  s.normal = -s.normal;
  std::swap(s.point_a, s.point_b);
  return s;
}

class Query {
 public:
  Query(const PlacedSolid& a, const PlacedSolid& b, double reach) : a_(a), b_(b), reach_(reach) {
    best_.low = reach;
    best_.high = kInfinity;
    best_.apart = true;
  }

  Separation run() {
    if (!a_.solid->tree.empty() && !b_.solid->tree.empty()) descend();
    for (const int i : b_.solid->half_space) above_half_space(a_, piece_of(b_, i), false);
    for (const int i : a_.solid->half_space) above_half_space(b_, piece_of(a_, i), true);
    for (const Solid::Surface& surface : a_.solid->surface) inside_of(a_, surface, b_, true);
    for (const Solid::Surface& surface : b_.solid->surface) inside_of(b_, surface, a_, false);
    best_.work = work_;
    return best_;
  }

 private:
  static PlacedPiece piece_of(const PlacedSolid& s, int i) {
    return {s.solid, &s.solid->piece[static_cast<std::size_t>(i)], s.rotation, s.position};
  }
  // Distance between two balls of the trees, or of a tree and a piece.
  double gap(const Solid::Node& a, const Solid::Node& b) const {
    const Vec3 from = a_.rotation * a.centre - b_.rotation * b.centre + (a_.position - b_.position);
    return from.norm() - a.radius - b.radius;
  }
  void take(const Separation& s) {
    if (s.high < best_.high) best_.high = s.high;
    if (s.low >= best_.low) return;
    const double high = best_.high;
    best_ = s;
    best_.high = high;
  }

  void descend();
  void above_half_space(const PlacedSolid& s, const PlacedPiece& plane, bool swapped);
  void inside_of(const PlacedSolid& outer, const Solid::Surface& surface, const PlacedSolid& inner, bool inner_is_b);
  Vec3 way_out(const PlacedSolid& outer, const Solid::Surface& surface, const Vec3& x);

  const PlacedSolid &a_, &b_;
  double reach_;
  Separation best_;
  int work_ = 0;
};

// Both trees at once. A pair of balls no closer than the best separation can only hold pairs that do not change it.
void Query::descend() {
  struct Pair {
    int a, b;
  };
  constexpr std::size_t kDeep = 128;  // two balanced trees of 2^31 pieces are less deep
  std::array<Pair, kDeep> stack;
  std::size_t top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const Pair pair = stack[--top];
    const Solid::Node& a = a_.solid->tree[static_cast<std::size_t>(pair.a)];
    const Solid::Node& b = b_.solid->tree[static_cast<std::size_t>(pair.b)];
    ++work_;
    if (!(gap(a, b) < best_.low)) continue;
    if (a.piece >= 0 && b.piece >= 0) {
      const PlacedPiece pa = piece_of(a_, a.piece), pb = piece_of(b_, b.piece);
      if (pa.piece->point && pb.piece->point) continue;
      const Separation s = convex_separation(pa, pb, a_.solid->planar, reach_);
      work_ += s.work;
      take(s);
      continue;
    }
    assert(top + 2 <= kDeep);
    const bool split_a = b.piece >= 0 || (a.piece < 0 && a.radius >= b.radius);
    if (split_a) {
      stack[top++] = {a.left, pair.b};
      stack[top++] = {a.right, pair.b};
    } else {
      stack[top++] = {pair.a, b.left};
      stack[top++] = {pair.a, b.right};
    }
  }
}

void Query::above_half_space(const PlacedSolid& s, const PlacedPiece& plane, bool swapped) {
  const Vec3 n = plane.rotation * plane.piece->normal;
  const double height = n.dot(s.position - plane.position) - plane.piece->offset;
  if (height - s.solid->radius >= best_.low) return;
  for (const ConvexPiece& piece : s.solid->piece) {
    if (piece.kind == ConvexPiece::Kind::HalfSpace) continue;
    ++work_;
    if (height + n.dot(s.rotation * piece.centre) - piece.radius >= best_.low) continue;
    const Separation found = half_space_separation({s.solid, &piece, s.rotation, s.position}, plane);
    work_ += found.work;
    take(swapped ? reversed(found) : found);
  }
}

// The shortest displacement from x to the closed surface (body frame of the outer solid), for x inside; infinite when it is
// outside.
Vec3 Query::way_out(const PlacedSolid& outer, const Solid::Surface& surface, const Vec3& x) {
  Vec3 shortest = Vec3::Constant(kInfinity);
  ++work_;
  if (!encloses(*outer.solid, surface, x)) return shortest;
  constexpr int kWorkOfASide = 8;  // counted for a closest point on it, beside 1 for a look at a piece
  work_ += kWorkOfASide * surface.count;
  double length = kInfinity;
  for (int i = surface.first; i < surface.first + surface.count; ++i) {
    const ConvexPiece& side = outer.solid->piece[static_cast<std::size_t>(i)];
    if ((side.centre - x).norm() - side.radius >= length) continue;
    const Vec3* const v = outer.solid->vertex.data() + side.first;
    const Vec3 path = side.count == 2 ? closest_on_segment(v[0] - x, v[1] - x).v
                                      : closest_on_triangle(v[0] - x, v[1] - x, v[2] - x).v;
    if (path.norm() < length) length = path.norm(), shortest = path;
  }
  return shortest;
}

// Corners (centres of curved pieces) of `inner` within a closed surface of `outer`: a translation that parts the bodies
// takes each of them, with its rounding, out of the surface.
void Query::inside_of(const PlacedSolid& outer, const Solid::Surface& surface, const PlacedSolid& inner,
                      bool inner_is_b) {
  const Mat3 turn = outer.rotation.transpose() * inner.rotation;
  const Vec3 shift = outer.rotation.transpose() * (inner.position - outer.position);
  const Vec3 middle = 0.5 * (surface.low + surface.high);
  const double radius = 0.5 * (surface.high - surface.low).norm();
  const auto judge = [&](const Vec3& corner, double rounding) {
    const Vec3 path = way_out(outer, surface, turn * corner + shift);
    const double length = path.norm();
    if (!std::isfinite(length) || !(-(length + rounding) < best_.low)) return;
    best_.low = -(length + rounding);
    best_.high = std::min(best_.high, best_.low);
    best_.apart = false;
    if (length > 0) best_.normal = (inner_is_b ? -1 : 1) * (outer.rotation * (path / length));
  };
  for (const ConvexPiece& piece : inner.solid->piece) {
    if (piece.kind == ConvexPiece::Kind::HalfSpace) continue;
    if ((turn * piece.centre + shift - middle).norm() > radius + piece.radius) continue;
    if (piece.kind != ConvexPiece::Kind::Vertices) judge(piece.origin, 0);
    for (int i = piece.first; i < piece.first + piece.count; ++i)
      judge(inner.solid->vertex[static_cast<std::size_t>(i)], piece.rounding);
  }
}

}  // namespace

Separation separation(const PlacedSolid& a, const PlacedSolid& b, double reach) {
  return Query(a, b, reach).run();
}

}  // namespace stickslip::collision
