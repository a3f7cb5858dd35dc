// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/convex_separation.h"

#include "stickslip/collision/closest_to_origin.h"
#include "stickslip/collision/inner_polytope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip::collision {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostRounds = 100;
constexpr double kAgree = 1e-13;  // of the size: bounds closer than this are one number

struct Simplex {
  std::array<DifferencePoint, 4> point;
  std::array<double, 4> weight{};
  int size = 0;
};

// The point of the simplex closest to the origin; corners that do not carry it are dropped. True: the origin is inside
// of a tetrahedron.
bool reduce(Simplex& s, double size, Vec3& v) {
  ClosestToOrigin best;
  bool inside = false;
  const auto& p = s.point;
  if (s.size == 1) {
    best = {p[0].w, {1, 0, 0, 0}};
  } else if (s.size == 2) {
    best = closest_on_segment(p[0].w, p[1].w);
  } else if (s.size == 3) {
    best = closest_on_triangle(p[0].w, p[1].w, p[2].w);
  } else {
    constexpr std::array<std::array<std::size_t, 4>, 4> kFaces{
        {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}}};
    double smallest = kInfinity;
    inside = true;
    for (const auto& f : kFaces) {
      const Vec3 &a = p[f[0]].w, &b = p[f[1]].w, &c = p[f[2]].w;
      const Vec3 n = (b - a).cross(c - a);
      const double origin = -n.dot(a), other = n.dot(p[f[3]].w - a);
      // On the inner side; a tetrahedron without height has none.
      if (origin * other > 0 && std::abs(other) > kAgree * size * n.norm()) continue;
      inside = false;
      const ClosestToOrigin on = closest_on_triangle(a, b, c);
      if (on.v.squaredNorm() >= smallest) continue;
      smallest = on.v.squaredNorm();
      best = ClosestToOrigin{on.v, {}};
      for (std::size_t k = 0; k < 3; ++k) best.weight[f[k]] = on.weight[k];
    }
  }
  if (inside) return true;
  v = best.v;
  Simplex kept;
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.size); ++i) {
    if (best.weight[i] == 0) continue;
    kept.point[static_cast<std::size_t>(kept.size)] = p[i];
    kept.weight[static_cast<std::size_t>(kept.size++)] = best.weight[i];
  }
  s = kept;
  return false;
}

bool known(const Simplex& s, const Vec3& w) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.size); ++i)
    if (s.point[i].w == w) return true;
  return false;
}

struct Approach {
  double low = -kInfinity, high = kInfinity;  // of the distance; low <= 0: perhaps overlapping
  Vec3 low_normal = Vec3::UnitZ(), v = Vec3::Zero();
  Simplex simplex;  // that holds v
};

// Gilbert, Johnson and Keerthi's descent, until the cores are known to be `reach` apart.
Approach descend(Difference& difference, double reach) {
  Approach best;
  Simplex s;
  Vec3 v = difference.centre();
  if (v.squaredNorm() == 0) v = Vec3::UnitX();
  double size = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const DifferencePoint next = difference.support(-v);
    const double length = v.norm(), low = v.dot(next.w) / length;
    if (low > best.low) best.low = low, best.low_normal = v / length;
    size = std::max(size, next.w.norm());
    if (s.size > 0 && (best.high - best.low <= kAgree * size || best.low > reach || known(s, next.w))) break;
    s.point[static_cast<std::size_t>(s.size++)] = next;
    if (reduce(s, size, v)) {
      if (best.low > 0) break;  // a plane separates the cores: the simplex is flat within rounding
      best.high = 0;
      return best;
    }
    const double high = v.norm();
    // Rounding ends the descent: no closer than before. What was found before stands.
    if (high >= best.high) break;
    best.high = high;
    best.v = v;
    best.simplex = s;
    if (high <= kAgree * size) break;
  }
  return best;
}

Separation finish_apart(const Approach& found, double rounding_a, double rounding_b) {
  Separation result;
  result.apart = true;
  result.high = found.high - rounding_a - rounding_b;
  result.low = std::min(found.low, found.high) - rounding_a - rounding_b;  // rounding may exchange them
  result.normal = found.low_normal;
  for (std::size_t i = 0; i < static_cast<std::size_t>(found.simplex.size); ++i) {
    result.point_a += found.simplex.weight[i] * found.simplex.point[i].a;
    result.point_b += found.simplex.weight[i] * found.simplex.point[i].b;
  }
  result.point_a -= rounding_a * result.normal;
  result.point_b += rounding_b * result.normal;
  return result;
}

}  // namespace

Separation convex_separation(const PlacedPiece& a, const PlacedPiece& b, bool planar, double reach) {
  Difference difference(a, b);
  const double rounding = a.piece->rounding + b.piece->rounding;
  const Approach found = descend(difference, std::max(reach + rounding, kAgree * difference.size()));
  Separation result;
  // Cores that nearly touch are judged by the polytope: v is too short to be a direction.
  if (found.low > kAgree * difference.size()) {
    result = finish_apart(found, a.piece->rounding, b.piece->rounding);
  } else {
    const auto support = [&difference](const Vec3& d) { return difference.support(d); };
    const Depth depth = planar ? planar_depth(support, difference.size()) : spatial_depth(support, difference.size());
    result.low = -depth.high - rounding;
    result.high = (depth.flat ? found.high : -depth.low) - rounding;
    // Way out of D: b moves along +n, or a along -n.
    result.normal = -depth.normal;
  }
  result.work = difference.work();
  return result;
}

Separation half_space_separation(const PlacedPiece& a, const PlacedPiece& b) {
  Separation result;
  result.apart = true;
  result.normal = b.rotation * b.piece->normal;
  if (a.piece->kind == ConvexPiece::Kind::HalfSpace) {
    result.low = result.high = kInfinity;
    return result;
  }
  const Vec3 from = a.position - b.position;
  const Vec3 lowest = a.rotation * support(*a.solid, *a.piece, -(a.rotation.transpose() * result.normal));
  result.low = result.high = result.normal.dot(from + lowest) - b.piece->offset - a.piece->rounding;
  result.point_a = a.position + lowest - a.piece->rounding * result.normal;
  result.point_b = result.point_a - result.low * result.normal;
  result.work = 1 + a.piece->count;
  return result;
}

}  // namespace stickslip::collision
