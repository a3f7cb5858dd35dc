// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/inner_polytope.h"

#include "stickslip/collision/closest_to_origin.h"
#include "stickslip/collision/convex_separation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip::collision {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kAgree = 1e-12;  // of the size: a facet this close to the boundary of D is on it
constexpr double kFlat = 1e-14;   // of the size: extents below this are none

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

Vec3 any_normal(const Vec3& u) {
  int smallest = 0;
  u.cwiseAbs().minCoeff(&smallest);
  return u.cross(Vec3::Unit(smallest)).normalized();
}

}  // namespace

Difference::Difference(const PlacedPiece& a, const PlacedPiece& b) : a_(a), b_(b), from_(a.position - b.position) {
  const Vec3 ca = a.rotation * a.piece->centre, cb = b.rotation * b.piece->centre;
  centre_ = ca - cb + from_;
  size_ = centre_.norm() + a.piece->radius + b.piece->radius;
  // Curved pieces cost about as much as looking at eight vertices.
  cost_ = 2 + (a.piece->count > 0 ? a.piece->count : 8) + (b.piece->count > 0 ? b.piece->count : 8);
}

DifferencePoint Difference::support(const Vec3& d) {
  work_ += cost_;
  const Vec3 a = a_.rotation * collision::support(*a_.solid, *a_.piece, a_.rotation.transpose() * d);
  const Vec3 b = b_.rotation * collision::support(*b_.solid, *b_.piece, -(b_.rotation.transpose() * d));
  return {a_.position + a, b_.position + b, a - b + from_};
}

// --- plane: a polygon, counter-clockwise

Depth planar_depth(const DifferenceSupport& support, double size) {
  std::array<DifferencePoint, kMostPoints + 8> p;
  int n = 0;
  const double flat = kFlat * size;
  const auto ask = [&](const Vec3& d) { return support(d).w; };
  // A triangle, or what there is.
  const Vec3 first = ask(Vec3::UnitX()), second = ask(-Vec3::UnitX());
  Vec3 along = second - first;
  if (along.norm() <= flat) along = ask(Vec3::UnitY()) - ask(-Vec3::UnitY());
  Depth depth;
  depth.normal = Vec3::UnitY();
  depth.flat = true;
  if (along.norm() <= flat) return depth;  // a point
  along.normalize();
  const Vec3 across(-along.y(), along.x(), 0);
  const DifferencePoint left = support(across), right = support(-across);
  depth.normal = across;
  if ((left.w - right.w).dot(across) <= flat) return depth;  // a segment
  depth.flat = false;
  const DifferencePoint begin = support(-along), end = support(along);
  for (const DifferencePoint& q : {begin, right, end, left}) {  // a corner may serve twice
    bool repeated = false;
    for (int i = 0; i < n; ++i) repeated = repeated || (p[index(i)].w - q.w).norm() <= flat;
    if (!repeated) p[index(n++)] = q;
  }

  depth.high = kInfinity;
  while (true) {
    int closest = -1;
    double offset = kInfinity;
    Vec3 normal = Vec3::UnitX();
    for (int i = 0; i < n; ++i) {
      const Vec3 &u = p[index(i)].w, &v = p[index((i + 1) % n)].w;
      const Vec3 side = v - u, out = Vec3(side.y(), -side.x(), 0).normalized();
      const double d = out.dot(u);
      if (d < offset) offset = d, closest = i, normal = out;
    }
    const DifferencePoint next = support(normal);
    const double h = normal.dot(next.w);
    if (h < depth.high) {
      depth.high = h;
      depth.normal = normal;
      const DifferencePoint &u = p[index(closest)], &v = p[index((closest + 1) % n)];
      const ClosestToOrigin foot = closest_on_segment(u.w, v.w);
      depth.point_a = foot.weight[0] * u.a + foot.weight[1] * v.a;
      depth.point_b = foot.weight[0] * u.b + foot.weight[1] * v.b;
    }
    depth.low = std::min(offset, depth.high);
    if (h - offset <= kAgree * size || n == kMostPoints) return depth;
    for (int i = n; i > closest + 1; --i) p[index(i)] = p[index(i - 1)];
    p[index(closest + 1)] = next;
    ++n;
  }
}

// --- space: triangles

namespace {

struct PolytopeTriangle {
  std::array<int, 3> corner{};
  Vec3 normal = Vec3::Zero();
  double offset = kInfinity;
};

class Polytope {
 public:
  Polytope(const DifferenceSupport& support, double size) : support_(support), size_(size) {}

  // False when D is flat; `flat_normal` is then its normal, or one of them.
  bool start(Vec3& flat_normal);
  Depth grow();

 private:
  void add_triangle(int i, int j, int k);
  bool replace(const DifferencePoint& next);  // the triangles that see w; false when there is no room

  const DifferenceSupport& support_;
  double size_;
  std::array<DifferencePoint, kMostPoints + 8> point_;
  std::array<PolytopeTriangle, 2 * kMostPoints + 64> triangle_;
  int points_ = 0, triangles_ = 0;
};

void Polytope::add_triangle(int i, int j, int k) {
  PolytopeTriangle& t = triangle_[index(triangles_++)];
  t.corner = {i, j, k};
  const Vec3 &a = point_[index(i)].w, &b = point_[index(j)].w, &c = point_[index(k)].w;
  const Vec3 n = (b - a).cross(c - a);
  const double length = n.norm(), longest = std::max({(b - a).norm(), (c - a).norm(), (c - b).norm()});
  // A needle has no normal to speak of: it is never chosen and never seen; its neighbours stand for it.
  if (!(length > kFlat * longest * size_)) {
    t.normal.setZero();
    t.offset = kInfinity;
    return;
  }
  t.normal = n / length;
  t.offset = t.normal.dot(a);
}

bool Polytope::start(Vec3& flat_normal) {
  const double flat = kFlat * size_;
  // The first two points: the ends of the longest extent along the axes.
  double extent = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const DifferencePoint low = support_(-Vec3::Unit(axis)), high = support_(Vec3::Unit(axis));
    if (!((high.w - low.w).norm() > extent)) continue;
    extent = (high.w - low.w).norm();
    point_[0] = low;
    point_[1] = high;
  }
  flat_normal = Vec3::UnitZ();
  if (extent <= flat) return false;
  points_ = 2;
  const Vec3 along = (point_[1].w - point_[0].w) / extent;
  // The third point: farthest from the line, among four directions.
  Vec3 across = any_normal(along);
  DifferencePoint best = point_[0];
  double far = 0;
  for (int turn = 0; turn < 4; ++turn) {
    const DifferencePoint next = support_(across);
    const Vec3 u = next.w - point_[0].w, off = u - along.dot(u) * along;
    if (off.norm() > far) far = off.norm(), best = next;
    across = along.cross(across);
  }
  flat_normal = any_normal(along);
  if (far <= flat) return false;
  point_[index(points_++)] = best;
  const Vec3 normal = (point_[1].w - point_[0].w).cross(point_[2].w - point_[0].w).normalized();
  flat_normal = normal;
  const DifferencePoint up = support_(normal), down = support_(-normal);
  const double above = normal.dot(up.w - point_[0].w), below = normal.dot(point_[0].w - down.w);
  if (std::max(above, below) <= flat) return false;
  point_[index(points_++)] = above >= below ? up : down;
  if (above >= below) {  // the base is seen from below
    add_triangle(0, 2, 1);
    add_triangle(0, 1, 3);
    add_triangle(1, 2, 3);
    add_triangle(2, 0, 3);
  } else {
    add_triangle(0, 1, 2);
    add_triangle(0, 3, 1);
    add_triangle(1, 3, 2);
    add_triangle(2, 3, 0);
  }
  return true;
}

bool Polytope::replace(const DifferencePoint& next) {
  // Sides of the removed triangles; one that two of them share cancels.
  std::array<std::array<int, 2>, 3 * (2 * kMostPoints + 64)> rim;
  int sides = 0;
  const double above = 1e-15 * size_;
  for (int t = 0; t < triangles_;) {
    const PolytopeTriangle& seen = triangle_[index(t)];
    if (!(seen.normal.dot(next.w) - seen.offset > above)) {
      ++t;
      continue;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::array<int, 2> side{seen.corner[k], seen.corner[(k + 1) % 3]};
      const auto end = rim.begin() + sides;
      const auto twin = std::find(rim.begin(), end, std::array<int, 2>{side[1], side[0]});
      if (twin == end)
        rim[index(sides++)] = side;
      else
        *twin = rim[index(--sides)];
    }
    triangle_[index(t)] = triangle_[index(--triangles_)];
  }
  if (points_ >= kMostPoints || triangles_ + sides > static_cast<int>(triangle_.size())) return false;
  point_[index(points_)] = next;
  for (int s = 0; s < sides; ++s) add_triangle(rim[index(s)][0], rim[index(s)][1], points_);
  ++points_;
  return true;
}

Depth Polytope::grow() {
  Depth depth;
  depth.high = kInfinity;
  depth.low = -kInfinity;
  while (true) {
    const PolytopeTriangle* closest = nullptr;
    for (int t = 0; t < triangles_; ++t)
      if (closest == nullptr || triangle_[index(t)].offset < closest->offset) closest = &triangle_[index(t)];
    if (closest == nullptr || closest->offset == kInfinity) break;
    const Vec3 normal = closest->normal;
    const double offset = closest->offset;
    const DifferencePoint next = support_(normal);
    const double h = normal.dot(next.w);
    if (h < depth.high) {
      depth.high = h;
      depth.normal = normal;
      const auto corner = [&](std::size_t k) -> const DifferencePoint& { return point_[index(closest->corner[k])]; };
      const ClosestToOrigin foot = closest_on_triangle(corner(0).w, corner(1).w, corner(2).w);
      depth.point_a = depth.point_b = Vec3::Zero();
      for (std::size_t k = 0; k < 3; ++k) {
        depth.point_a += foot.weight[k] * corner(k).a;
        depth.point_b += foot.weight[k] * corner(k).b;
      }
    }
    // The closest facet only moves out; rounding may say otherwise.
    depth.low = std::min(std::max(depth.low, offset), depth.high);
    if (h - offset <= kAgree * size_ || depth.high - depth.low <= kAgree * size_ || !replace(next)) break;
  }
  return depth;
}

}  // namespace

Depth spatial_depth(const DifferenceSupport& support, double size) {
  Polytope polytope(support, size);
  Depth depth;
  depth.flat = !polytope.start(depth.normal);
  return depth.flat ? depth : polytope.grow();
}

}  // namespace stickslip::collision
