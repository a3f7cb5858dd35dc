// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/solid.h"

#include "stickslip/model/triangulate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip::collision {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of the size: how far a vertex may lie in front of a face of a solid that is still taken as convex.
constexpr double kFlat = 1e-13;

const Vec3& at(const std::vector<Vec3>& list, int i) {
  return list[static_cast<std::size_t>(i)];
}

struct SolidMaker {
  Solid& solid;
  const model::Pose& pose;

  [[nodiscard]] Vec3 place(const Vec3& x) const { return pose.position + pose.orientation * x; }
  [[nodiscard]] Vec3 place(const Vec2& x) const { return place(Vec3(x.x(), x.y(), 0)); }

  ConvexPiece& add(std::span<const Vec3> vertices, double rounding) const {
    ConvexPiece piece;
    piece.rounding = rounding;
    piece.first = static_cast<int>(solid.vertex.size());
    piece.count = static_cast<int>(vertices.size());
    Vec3 low = vertices.front(), high = low;
    for (const Vec3& v : vertices) {
      solid.vertex.push_back(v);
      low = low.cwiseMin(v);
      high = high.cwiseMax(v);
    }
    piece.centre = 0.5 * (low + high);
    for (const Vec3& v : vertices) piece.radius = std::max(piece.radius, (v - piece.centre).norm());
    piece.radius += rounding;
    solid.piece.push_back(piece);
    return solid.piece.back();
  }

  void add_curved(ConvexPiece::Kind kind, const Vec3& half, double radius, double p, double q) const {
    ConvexPiece piece;
    piece.kind = kind;
    piece.origin = piece.centre = pose.position;
    piece.axes = pose.orientation.toRotationMatrix();
    piece.half = half;
    piece.radius = radius;
    piece.p = p;
    piece.q = q;
    solid.piece.push_back(piece);
  }

  // The pieces from `first` on are a closed surface.
  void close_surface(std::size_t first) const {
    Solid::Surface surface;
    surface.first = static_cast<int>(first);
    surface.count = static_cast<int>(solid.piece.size() - first);
    surface.low.setConstant(kInfinity);
    surface.high.setConstant(-kInfinity);
    for (std::size_t i = first; i < solid.piece.size(); ++i) {
      ConvexPiece& piece = solid.piece[i];
      piece.boundary = true;
      for (int k = piece.first; k < piece.first + piece.count; ++k) {
        surface.low = surface.low.cwiseMin(at(solid.vertex, k));
        surface.high = surface.high.cwiseMax(at(solid.vertex, k));
      }
    }
    solid.surface.push_back(surface);
  }

  void operator()(const model::PointSet& s) const {
    for (const Vec3& p : s.points) {
      const Vec3 placed = place(p);
      add({&placed, 1}, 0).point = true;
    }
  }
  void operator()(const model::HalfSpace& s) const {
    ConvexPiece piece;
    piece.kind = ConvexPiece::Kind::HalfSpace;
    piece.radius = kInfinity;
    piece.normal = pose.orientation * s.normal.normalized();
    piece.offset = s.offset / s.normal.norm() + piece.normal.dot(pose.position);
    solid.piece.push_back(piece);
  }
  void operator()(const model::Disc& s) const { add({&pose.position, 1}, s.radius); }
  void operator()(const model::Sphere& s) const { add({&pose.position, 1}, s.radius); }
  void operator()(const model::Capsule& s) const {
    const Vec3 ends[2] = {place(Vec3(0, 0, -s.half_length)), place(Vec3(0, 0, s.half_length))};
    add(ends, s.radius);
  }
  void operator()(const model::Cylinder& s) const {
    add_curved(ConvexPiece::Kind::Cylinder, Vec3(s.radius, s.radius, s.half_length),
               std::hypot(s.radius, s.half_length), 2, 2);
  }
  void operator()(const model::Superellipse& s) const {
    add_curved(ConvexPiece::Kind::Superellipsoid, Vec3(s.a, s.b, 0), std::hypot(s.a, s.b), s.exponent, 2);
  }
  void operator()(const model::Superellipsoid& s) const {
    const Vec3 half(s.a, s.b, s.c);
    add_curved(ConvexPiece::Kind::Superellipsoid, half, half.norm(), s.exponent_xy, s.exponent_z);
  }

  void operator()(const model::Chain& s) const {
    for (std::size_t i = 0; i + 1 < s.points.size(); ++i) {
      const Vec3 ends[2] = {place(s.points[i]), place(s.points[i + 1])};
      add(ends, 0);
    }
  }

  static bool is_convex(const model::Polygon& s) {
    if (s.loops.size() != 1) return false;
    const std::vector<Vec2>& loop = s.loops.front();
    const std::size_t n = loop.size();
    double turning = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec2 u = loop[(i + 1) % n] - loop[i], v = loop[(i + 2) % n] - loop[(i + 1) % n];
      const double cross = u.x() * v.y() - u.y() * v.x();
      if (cross < -kFlat * u.norm() * v.norm()) return false;
      turning += std::atan2(cross, u.dot(v));
    }
    return turning < 3 * std::numbers::pi;  // 2 pi for one round
  }

  void operator()(const model::Polygon& s) const {
    if (is_convex(s)) {
      std::vector<Vec3> corners;
      for (const Vec2& p : s.loops.front()) corners.push_back(place(p));
      add(corners, 0);
      return;
    }
    const std::size_t first = solid.piece.size();
    for (const std::vector<Vec2>& loop : s.loops) {
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec3 ends[2] = {place(loop[i]), place(loop[(i + 1) % loop.size()])};
        add(ends, 0);
      }
    }
    close_surface(first);
  }

  static bool is_convex(const model::Polyhedron& s) {
    double size = 0;
    for (const Vec3& v : s.vertices) size = std::max(size, (v - s.vertices.front()).norm());
    for (const std::vector<int>& face : s.faces) {
      const Vec3 normal = model::area_vector(s.vertices, face).normalized();
      double height = -kInfinity;
      for (const int i : face) height = std::max(height, normal.dot(at(s.vertices, i) - s.vertices.front()));
      for (const Vec3& v : s.vertices)
        if (normal.dot(v - s.vertices.front()) > height + kFlat * size) return false;
    }
    return true;
  }

  void operator()(const model::Polyhedron& s) const {
    std::vector<Vec3> corners;
    for (const Vec3& v : s.vertices) corners.push_back(place(v));
    // The flag is the reader's word; without it a look at every vertex from every face settles it.
    constexpr std::size_t kMostTests = 1 << 24;
    if (s.convex || (s.vertices.size() * s.faces.size() <= kMostTests && is_convex(s))) {
      add(corners, 0);
      return;
    }
    const std::size_t first = solid.piece.size();
    for (const std::vector<int>& face : s.faces) {
      for (const std::array<int, 3>& t : model::triangulate_face(corners, face)) {
        const Vec3 triangle[3] = {at(corners, t[0]), at(corners, t[1]), at(corners, t[2])};
        add(triangle, 0);
      }
    }
    close_surface(first);
  }
};

// Builds the tree over pieces order[first, last); returns the node.
int grow_tree(Solid& solid, std::vector<int>& order, std::size_t first, std::size_t last) {
  const auto node = static_cast<int>(solid.tree.size());
  solid.tree.emplace_back();
  Vec3 low = Vec3::Constant(kInfinity), high = -low;
  for (std::size_t i = first; i < last; ++i) {
    const ConvexPiece& piece = solid.piece[static_cast<std::size_t>(order[i])];
    low = low.cwiseMin(piece.centre);
    high = high.cwiseMax(piece.centre);
  }
  Solid::Node made;
  made.centre = 0.5 * (low + high);
  for (std::size_t i = first; i < last; ++i) {
    const ConvexPiece& piece = solid.piece[static_cast<std::size_t>(order[i])];
    made.radius = std::max(made.radius, (piece.centre - made.centre).norm() + piece.radius);
  }
  if (last - first == 1) {
    made.piece = order[first];
  } else {
    int axis = 0;
    (high - low).maxCoeff(&axis);
    const std::size_t middle = first + (last - first) / 2;
    const auto begin = order.begin();
    std::nth_element(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(middle),
                     begin + static_cast<std::ptrdiff_t>(last), [&](int i, int j) {
                       const double x = solid.piece[static_cast<std::size_t>(i)].centre[axis];
                       const double y = solid.piece[static_cast<std::size_t>(j)].centre[axis];
                       return x != y ? x < y : i < j;
                     });
    made.left = grow_tree(solid, order, first, middle);
    made.right = grow_tree(solid, order, middle, last);
  }
  solid.tree[static_cast<std::size_t>(node)] = made;
  return node;
}

Vec3 cylinder_support(const ConvexPiece& piece, const Vec3& d) {
  const double across = std::hypot(d.x(), d.y());
  Vec3 x(0, 0, std::copysign(piece.half.z(), d.z()));
  if (across > 0) x.head<2>() = piece.half.x() / across * d.head<2>();
  return x;
}

// Gradient of h(d) = ((|a d_x|^p' + |b d_y|^p')^(q'/p') + |c d_z|^q')^(1/q'), 1/p + 1/p' = 1, 1/q + 1/q' = 1. Ratios of
// the terms only: no power overflows.
Vec3 superellipsoid_support_point(const ConvexPiece& piece, const Vec3& d) {
  const double dual_p = piece.p / (piece.p - 1), dual_q = piece.q / (piece.q - 1);
  const Vec3 u = d.cwiseAbs().cwiseProduct(piece.half);
  const auto norm = [](double x, double y, double e) {
    const double large = std::max(x, y), small = std::min(x, y);
    if (!(large > 0)) return 0.0;
    return e == 2 ? std::hypot(x, y) : large * std::pow(1 + std::pow(small / large, e), 1 / e);
  };
  const double s = norm(u.x(), u.y(), dual_p), h = norm(s, u.z(), dual_q);
  const auto share = [](double x, double of, double e) { return x > 0 && of > 0 ? std::pow(x / of, e - 1) : 0.0; };
  const double outer = share(s, h, dual_q);
  return {std::copysign(piece.half.x() * outer * share(u.x(), s, dual_p), d.x()),
          std::copysign(piece.half.y() * outer * share(u.y(), s, dual_p), d.y()),
          std::copysign(piece.half.z() * share(u.z(), h, dual_q), d.z())};
}

}  // namespace

Solid make_solid(std::span<const model::PlacedShape> shapes, bool planar) {
  Solid solid;
  solid.planar = planar;
  for (const model::PlacedShape& placed : shapes) std::visit(SolidMaker{solid, placed.pose}, placed.shape);
  std::vector<int> order;
  for (std::size_t i = 0; i < solid.piece.size(); ++i) {
    const ConvexPiece& piece = solid.piece[i];
    if (piece.kind == ConvexPiece::Kind::HalfSpace) {
      solid.half_space.push_back(static_cast<int>(i));
    } else {
      order.push_back(static_cast<int>(i));
      solid.radius = std::max(solid.radius, piece.centre.norm() + piece.radius);
    }
  }
  if (!order.empty()) grow_tree(solid, order, 0, order.size());
  return solid;
}

Vec3 support(const Solid& solid, const ConvexPiece& piece, const Vec3& d) {
  if (piece.kind == ConvexPiece::Kind::Vertices) {
    const Vec3* const vertex = solid.vertex.data() + piece.first;
    int best = 0;
    double farthest = vertex[0].dot(d);
    for (int i = 1; i < piece.count; ++i) {
      const double along = vertex[i].dot(d);
      if (along > farthest) farthest = along, best = i;
    }
    return vertex[best];
  }
  const Vec3 local = piece.axes.transpose() * d;
  return piece.origin + piece.axes * (piece.kind == ConvexPiece::Kind::Cylinder
                                          ? cylinder_support(piece, local)
                                          : superellipsoid_support_point(piece, local));
}

bool encloses(const Solid& solid, const Solid::Surface& surface, const Vec3& x) {
  const int coordinates = solid.planar ? 2 : 3;
  for (int k = 0; k < coordinates; ++k)
    if (x[k] < surface.low[k] || x[k] > surface.high[k]) return false;
  double angle = 0;  // 2 pi (plane) or 4 pi (space) inside, 0 outside
  for (int i = surface.first; i < surface.first + surface.count; ++i) {
    const Vec3* const v = solid.vertex.data() + solid.piece[static_cast<std::size_t>(i)].first;
    const Vec3 a = v[0] - x, b = v[1] - x;
    if (solid.planar) {
      angle += std::atan2(a.x() * b.y() - a.y() * b.x(), a.x() * b.x() + a.y() * b.y());
      continue;
    }
    const Vec3 c = v[2] - x;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    angle += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return angle > (solid.planar ? 1 : 2) * std::numbers::pi;
}

}  // namespace stickslip::collision
