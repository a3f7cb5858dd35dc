// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Distances between surfaces by trying every pair of triangles or segments: slow, and independent of the collider.
#pragma once

#include "stickslip/model/shape.h"
#include "stickslip/model/triangulate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace stickslip::collision::testing {

inline double point_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 u = b - a;
  const double t = std::clamp(u.dot(p - a) / u.squaredNorm(), 0.0, 1.0);
  return (a + t * u - p).norm();
}

inline double segment_segment(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  double best =
      std::min({point_segment(a, c, d), point_segment(b, c, d), point_segment(c, a, b), point_segment(d, a, b)});
  const Vec3 u = b - a, v = d - c, n = u.cross(v);
  if (n.squaredNorm() > 1e-20 * u.squaredNorm() * v.squaredNorm()) {
    const double s = (c - a).cross(v).dot(n) / n.squaredNorm(), t = (c - a).cross(u).dot(n) / n.squaredNorm();
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, std::abs(n.normalized().dot(c - a)));
  }
  return best;
}

inline double point_triangle(const Vec3& p, const std::array<Vec3, 3>& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
  bool inside = true;
  for (std::size_t i = 0; i < 3; ++i) inside = inside && (t[(i + 1) % 3] - t[i]).cross(p - t[i]).dot(n) >= 0;
  if (inside) return std::abs(n.dot(p - t[0]));
  return std::min({point_segment(p, t[0], t[1]), point_segment(p, t[1], t[2]), point_segment(p, t[2], t[0])});
}

// Does the segment from p to q pass through the triangle?
inline bool pierces(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double hp = n.dot(p - t[0]), hq = n.dot(q - t[0]);
  if ((hp > 0) == (hq > 0)) return false;
  const Vec3 x = p + hp / (hp - hq) * (q - p);
  for (std::size_t i = 0; i < 3; ++i) {
    if ((t[(i + 1) % 3] - t[i]).cross(x - t[i]).dot(n) < 0) return false;
  }
  return true;
}

inline double triangle_triangle(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    if (pierces(a[i], a[(i + 1) % 3], b) || pierces(b[i], b[(i + 1) % 3], a)) return 0;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    best = std::min({best, point_triangle(a[i], b), point_triangle(b[i], a)});
    for (std::size_t j = 0; j < 3; ++j) {
      best = std::min(best, segment_segment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
    }
  }
  return best;
}

using Triangles = std::vector<std::array<Vec3, 3>>;

inline Triangles triangles_of(const model::Polyhedron& mesh, const model::Pose& pose) {
  Triangles triangles;
  for (const auto& face : mesh.faces) {
    for (const auto& t : model::triangulate_face(mesh.vertices, face)) {
      std::array<Vec3, 3> corners;
      for (std::size_t k = 0; k < 3; ++k) {
        corners[k] = pose.position + pose.orientation * mesh.vertices[static_cast<std::size_t>(t[k])];
      }
      triangles.push_back(corners);
    }
  }
  return triangles;
}

inline double surface_distance(const Triangles& a, const Triangles& b) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& s : a) {
    for (const auto& t : b) best = std::min(best, triangle_triangle(s, t));
  }
  return best;
}

// Is p inside the closed surface? Signed solid angles sum to 4 pi inside and to 0 outside.
inline bool inside(const Vec3& p, const Triangles& surface) {
  double angle = 0;
  for (const auto& t : surface) {
    const Vec3 a = t[0] - p, b = t[1] - p, c = t[2] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    angle += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return angle > 6.28;
}

inline double distance_to(const Vec3& p, const Triangles& surface) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& t : surface) best = std::min(best, point_triangle(p, t));
  return best;
}

using Segments = std::vector<std::array<Vec3, 2>>;

inline Segments segments_of(const model::Polygon& polygon, const model::Pose& pose) {
  Segments segments;
  for (const auto& loop : polygon.loops) {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec2 &a = loop[i], &b = loop[(i + 1) % loop.size()];
      segments.push_back({pose.position + pose.orientation * Vec3(a.x(), a.y(), 0),
                          pose.position + pose.orientation * Vec3(b.x(), b.y(), 0)});
    }
  }
  return segments;
}

// Is p inside the outline? A ray along +x crosses it an odd number of times.
inline bool inside(const Vec3& p, const Segments& outline) {
  bool within = false;
  for (const auto& s : outline) {
    if ((s[0].y() > p.y()) == (s[1].y() > p.y())) continue;
    const double x = s[0].x() + (p.y() - s[0].y()) / (s[1].y() - s[0].y()) * (s[1].x() - s[0].x());
    if (x > p.x()) within = !within;
  }
  return within;
}

inline double outline_distance(const Segments& a, const Segments& b) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& s : a) {
    for (const auto& t : b) {
      best = std::min({best, point_segment(s[0], t[0], t[1]), point_segment(s[1], t[0], t[1]),
                       point_segment(t[0], s[0], s[1]), point_segment(t[1], s[0], s[1])});
    }
  }
  return best;
}

inline bool outlines_cross(const Segments& a, const Segments& b) {
  const auto side = [](const Vec3& p, const Vec3& q, const Vec3& r) { return (q - p).cross(r - p).z(); };
  for (const auto& s : a) {
    for (const auto& t : b) {
      if ((side(s[0], s[1], t[0]) > 0) != (side(s[0], s[1], t[1]) > 0) &&
          (side(t[0], t[1], s[0]) > 0) != (side(t[0], t[1], s[1]) > 0)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace stickslip::collision::testing
