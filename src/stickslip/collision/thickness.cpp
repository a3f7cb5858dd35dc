// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/thickness.h"

#include "stickslip/model/point_tree.h"
#include "stickslip/model/triangulate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::collision {
namespace {

constexpr double kFlat = 1e-12;  // of the width: how far a vertex of a convex shape may lie in front of a face

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  [[nodiscard]] double width() const { return high - low; }
};

struct Thickness {
  double operator()(const model::PointSet&) const { return 0; }
  double operator()(const model::HalfSpace&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const model::Disc& s) const { return 2 * s.radius; }
  double operator()(const model::Chain&) const { return 0; }
  double operator()(const model::Superellipse& s) const { return 2 * std::min(s.a, s.b); }
  double operator()(const model::Sphere& s) const { return 2 * s.radius; }
  double operator()(const model::Capsule& s) const { return 2 * s.radius; }
  double operator()(const model::Cylinder& s) const { return 2 * std::min(s.radius, s.half_length); }
  double operator()(const model::Superellipsoid& s) const { return 2 * std::min({s.a, s.b, s.c}); }

  double operator()(const model::Polygon& s) const {
    double area = 0, boundary = 0, width = std::numeric_limits<double>::infinity();
    bool convex = s.loops.size() == 1;
    for (const std::vector<Vec2>& loop : s.loops)
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec2 &p = loop[i], &q = loop[(i + 1) % loop.size()];
        const double length = (q - p).norm();
        const Vec2 out = Vec2(q.y() - p.y(), p.x() - q.x()) / length;
        Extent extent;
        for (const Vec2& v : loop) extent.add(out.dot(v - p));
        convex = convex && extent.high <= kFlat * extent.width();
        width = std::min(width, extent.width());
        area += 0.5 * (p.x() * q.y() - p.y() * q.x());
        boundary += length;
      }
    return convex ? width : 2 * std::fabs(area) / boundary;
  }

  double operator()(const model::Polyhedron& s) const {
    double volume = 0, surface = 0, width = std::numeric_limits<double>::infinity();
    bool convex = true;
    const model::PointTree vertices(s.vertices);
    for (const std::vector<int>& face : s.faces) {
      const Vec3& p = s.vertices[static_cast<std::size_t>(face.front())];
      const Vec3 area = model::area_vector(s.vertices, face);  // twice
      if (!(area.norm() > 0)) continue;
      const Vec3 out = area.normalized();
      volume += area.dot(p) / 6;
      surface += 0.5 * area.norm();
      if (!convex) continue;
      const Extent extent{-vertices.reach(-out, p), vertices.reach(out, p)};
      convex = s.convex || extent.high <= kFlat * extent.width();
      width = std::min(width, extent.width());
    }
    return convex ? width : 2 * std::fabs(volume) / surface;
  }
};

}  // namespace

double thickness(const model::Shape& shape) {
  return std::visit(Thickness{}, shape);
}

}  // namespace stickslip::collision
