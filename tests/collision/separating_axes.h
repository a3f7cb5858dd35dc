// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Signed separation of two convex polyhedra by brute force in extended precision: every face normal and every pair of
// edges, each by full supports, nothing pruned; and the distance of polyhedra that are apart, by every pair of
// features. Shares no code with the collider.
#pragma once

#include "stickslip/model/shape.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

namespace stickslip::collision::testing {

using Real = long double;
using Point = Eigen::Matrix<Real, 3, 1>;

struct SolidPoints {
  std::vector<Point> vertex;
  std::vector<Point> normal;             // of faces, outward
  std::vector<std::array<int, 2>> edge;  // sides of faces, once
  std::vector<std::vector<int>> face;
};

inline SolidPoints solid_points(const model::Polyhedron& solid, const model::Pose& pose) {
  SolidPoints s;
  const Eigen::Quaternion<Real> turn = pose.orientation.cast<Real>().normalized();
  for (const Vec3& v : solid.vertices) s.vertex.push_back(turn * v.cast<Real>() + pose.position.cast<Real>());
  std::set<std::array<int, 2>> edges;
  for (const std::vector<int>& face : solid.faces) {
    Point area = Point::Zero();
    for (std::size_t i = 0; i < face.size(); ++i) {
      const int from = face[i], to = face[(i + 1) % face.size()];
      const Point& origin = s.vertex[static_cast<std::size_t>(face[0])];
      area +=
          (s.vertex[static_cast<std::size_t>(from)] - origin).cross(s.vertex[static_cast<std::size_t>(to)] - origin);
      edges.insert({std::min(from, to), std::max(from, to)});
    }
    s.normal.push_back(area.normalized());
  }
  s.face = solid.faces;
  s.edge.assign(edges.begin(), edges.end());
  return s;
}

struct AxisFound {
  Real separation = -std::numeric_limits<Real>::infinity();
  Point normal = Point::UnitZ();  // from b into a
};

inline AxisFound separate_by_axes(const SolidPoints& a, const SolidPoints& b) {
  AxisFound best;
  const auto try_axis = [&](const Point& n) {
    Real low = std::numeric_limits<Real>::infinity(), high = -low;
    for (const Point& x : a.vertex) low = std::min(low, n.dot(x));
    for (const Point& x : b.vertex) high = std::max(high, n.dot(x));
    if (low - high > best.separation) best = {low - high, n};
  };
  for (const Point& n : b.normal) try_axis(n);
  for (const Point& n : a.normal) try_axis(-n);
  const auto along = [](const SolidPoints& s, const std::array<int, 2>& e) -> Point {
    return (s.vertex[static_cast<std::size_t>(e[1])] - s.vertex[static_cast<std::size_t>(e[0])]).normalized();
  };
  for (const auto& e : a.edge) {
    const Point u = along(a, e);
    for (const auto& f : b.edge) {
      const Point v = along(b, f);
      Point n = u.cross(v);
      if (n.norm() < 1e-16L) continue;
      n.normalize();
      const Point mean = (u.dot(v) > 0 ? Point(u + v) : Point(u - v)).normalized();
      n = (n - n.dot(mean) * mean).normalized();
      try_axis(n);
      try_axis(-n);
    }
  }
  return best;
}

inline Real distance_by_features(const SolidPoints& a, const SolidPoints& b) {
  Real best = std::numeric_limits<Real>::infinity();
  const auto at = [](const SolidPoints& s, int i) -> const Point& { return s.vertex[static_cast<std::size_t>(i)]; };
  const auto point_segment = [&](const Point& p, const Point& x, const Point& y) {
    const Point d = y - x;
    const Real t = std::clamp<Real>(d.dot(p - x) / d.squaredNorm(), 0, 1);
    best = std::min(best, (x + t * d - p).norm());
  };
  for (const auto& e : a.edge) {
    for (const auto& f : b.edge) {
      const Point &p = at(a, e[0]), &q = at(a, e[1]), &x = at(b, f[0]), &y = at(b, f[1]);
      point_segment(p, x, y), point_segment(q, x, y), point_segment(x, p, q), point_segment(y, p, q);
      const Point u = q - p, v = y - x, w = x - p, n = u.cross(v);
      const Real n2 = n.squaredNorm();
      if (n2 < 1e-30L * u.squaredNorm() * v.squaredNorm()) continue;
      const Real s = w.cross(v).dot(n) / n2, t = w.cross(u).dot(n) / n2;
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, (p + s * u - x - t * v).norm());
    }
  }
  const auto vertices_over_faces = [&](const SolidPoints& p, const SolidPoints& q) {
    for (const Point& x : p.vertex) {
      for (std::size_t k = 0; k < q.face.size(); ++k) {
        const Real h = q.normal[k].dot(x - at(q, q.face[k][0]));
        if (h < 0 || h >= best) continue;
        bool over = true;
        for (std::size_t i = 0; i < q.face[k].size() && over; ++i) {
          const Point &from = at(q, q.face[k][i]), &to = at(q, q.face[k][(i + 1) % q.face[k].size()]);
          over = q.normal[k].dot((to - from).cross(x - from)) >= 0;
        }
        if (over) best = h;
      }
    }
  };
  vertices_over_faces(a, b);
  vertices_over_faces(b, a);
  return best;
}

}  // namespace stickslip::collision::testing
