// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/convex_parts.h"

#include "stickslip/model/triangulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stickslip::collision {
namespace {

constexpr std::size_t kMostFaces = 600, kMostParts = 256;
constexpr double kThick = 1e-9;  // of the size: points closer to a plane are on it

using VertexLoop = std::vector<Vec3>;

struct Cell {  // convex, its faces
  std::vector<VertexLoop> face;
};

// The part of a convex polygon below the plane; points on the plane belong to it.
VertexLoop below(const VertexLoop& polygon, const Facet& plane, double thick) {
  VertexLoop kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &x = polygon[i], &y = polygon[(i + 1) % polygon.size()];
    const double hx = plane.normal.dot(x) - plane.offset, hy = plane.normal.dot(y) - plane.offset;
    if (hx <= thick) kept.push_back(x);
    if ((hx < -thick && hy > thick) || (hx > thick && hy < -thick)) kept.push_back(x + hx / (hx - hy) * (y - x));
  }
  return kept;
}

enum class PlaneSide : std::uint8_t { On, Below, Above, Both };

PlaneSide side_of(const VertexLoop& polygon, const Facet& plane, double thick) {
  bool is_below = false, is_above = false;
  for (const Vec3& x : polygon) {
    const double h = plane.normal.dot(x) - plane.offset;
    is_below = is_below || h < -thick;
    is_above = is_above || h > thick;
  }
  if (is_below && is_above) return PlaneSide::Both;
  return is_below ? PlaneSide::Below : is_above ? PlaneSide::Above : PlaneSide::On;
}

class Divider {
 public:
  Divider(const std::vector<std::vector<int>>& faces, Geometry& g) : g_(g) {
    for (const std::vector<int>& face : faces) {
      for (const std::array<int, 3>& t : model::triangulate_face(g.vertex, face)) {
        VertexLoop triangle;
        for (const int v : t) triangle.push_back(g.vertex[static_cast<std::size_t>(v)]);
        triangles_.push_back(triangle);
      }
    }
    low_ = high_ = g.vertex.front();
    for (const Vec3& v : g.vertex) {
      low_ = low_.cwiseMin(v);
      high_ = high_.cwiseMax(v);
    }
    thick_ = kThick * (high_ - low_).norm();
  }

  void run() {
    if (triangles_.size() > kMostFaces) return;
    std::vector<Inside> inside;
    for (const VertexLoop& triangle : triangles_) {
      const Vec3 n = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).normalized();
      inside.push_back({triangle, {n, n.dot(triangle[0])}});
    }
    divide(box(), inside);
    if (too_many_) {
      g_.part.clear();
      g_.part_vertex.clear();
    }
  }

 private:
  struct Inside {  // a piece of a face within the cell
    VertexLoop polygon;
    Facet plane;
  };

  [[nodiscard]] Cell box() const {
    Cell cell;
    for (int axis = 0; axis < 3; ++axis) {
      for (const bool upper : {false, true}) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        VertexLoop face(4, upper ? high_ : low_);
        for (int k = 0; k < 4; ++k) {
          face[static_cast<std::size_t>(k)][u] = (k == 1 || k == 2) ? high_[u] : low_[u];
          face[static_cast<std::size_t>(k)][v] = k >= 2 ? high_[v] : low_[v];
        }
        cell.face.push_back(face);
      }
    }
    return cell;
  }

  void divide(const Cell& cell, const std::vector<Inside>& inside) {
    if (too_many_) return;
    if (inside.empty()) return finish(cell);
    const Facet plane = inside[choose(inside)].plane;
    const Facet turned{-plane.normal, -plane.offset};
    for (const Facet& half : {plane, turned}) {
      const Cell part = clip(cell, half);
      if (part.face.size() < 4) continue;
      std::vector<Inside> left;
      for (const Inside& piece : inside) {
        const PlaneSide side = side_of(piece.polygon, half, thick_);
        if (side == PlaneSide::On || side == PlaneSide::Above) continue;
        left.push_back({side == PlaneSide::Both ? below(piece.polygon, half, thick_) : piece.polygon, piece.plane});
      }
      divide(part, left);
    }
  }

  // Of some candidates, spread over the list, the plane that cuts the fewest pieces.
  [[nodiscard]] std::size_t choose(const std::vector<Inside>& inside) const {
    constexpr std::size_t kCandidates = 32;
    const std::size_t stride = std::max<std::size_t>(1, inside.size() / kCandidates);
    std::size_t best = 0, fewest = inside.size() + 1;
    for (std::size_t i = 0; i < inside.size(); i += stride) {
      std::size_t cuts = 0;
      for (const Inside& piece : inside)
        cuts += side_of(piece.polygon, inside[i].plane, thick_) == PlaneSide::Both ? 1 : 0;
      if (cuts >= fewest) continue;
      fewest = cuts;
      best = i;
    }
    return best;
  }

  [[nodiscard]] Cell clip(const Cell& cell, const Facet& plane) const {
    Cell result;
    VertexLoop rim;
    bool cuts = false;
    for (const VertexLoop& face : cell.face) {
      const PlaneSide side = side_of(face, plane, thick_);
      cuts = cuts || side == PlaneSide::Below || side == PlaneSide::Both;
      if (side == PlaneSide::Above || side == PlaneSide::On) continue;
      VertexLoop kept = side == PlaneSide::Both ? below(face, plane, thick_) : face;
      for (const Vec3& x : kept) {
        if (std::abs(plane.normal.dot(x) - plane.offset) <= thick_) rim.push_back(x);
      }
      if (kept.size() >= 3) result.face.push_back(std::move(kept));
    }
    if (!cuts) return {};
    if (rim.size() >= 3) result.face.push_back(sorted(rim, plane.normal));
    return result;
  }

  // Corners of a convex polygon in order.
  static VertexLoop sorted(VertexLoop points, const Vec3& normal) {
    Vec3 centre = Vec3::Zero();
    for (const Vec3& x : points) centre += x;
    centre /= static_cast<double>(points.size());
    const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
    const auto angle = [&](const Vec3& x) { return std::atan2(v.dot(x - centre), u.dot(x - centre)); };
    std::sort(points.begin(), points.end(), [&](const Vec3& x, const Vec3& y) { return angle(x) < angle(y); });
    return points;
  }

  // Signed solid angles of the surface seen from x sum to 4 pi inside and to 0 outside.
  [[nodiscard]] bool encloses(const Vec3& x) const {
    double sum = 0;
    for (const VertexLoop& t : triangles_) {
      const Vec3 a = t[0] - x, b = t[1] - x, c = t[2] - x;
      const double la = a.norm(), lb = b.norm(), lc = c.norm();
      sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
    }
    return sum > 2 * std::numbers::pi;
  }

  void finish(const Cell& cell) {
    VertexLoop corners;
    for (const VertexLoop& face : cell.face) {
      for (const Vec3& x : face) {
        const auto same = [&](const Vec3& y) { return (x - y).norm() <= thick_; };
        if (std::ranges::none_of(corners, same)) corners.push_back(x);
      }
    }
    if (corners.size() < 4) return;
    Vec3 centre = Vec3::Zero();
    for (const Vec3& x : corners) centre += x;
    centre /= static_cast<double>(corners.size());
    if (!encloses(centre)) return;
    ConvexPart part{static_cast<int>(g_.part_vertex.size()), static_cast<int>(corners.size()), centre, 0};
    for (const Vec3& x : corners) part.radius = std::max(part.radius, (x - centre).norm());
    g_.part_vertex.insert(g_.part_vertex.end(), corners.begin(), corners.end());
    g_.part.push_back(part);
    too_many_ = g_.part.size() > kMostParts;
  }

  Geometry& g_;
  std::vector<VertexLoop> triangles_;
  Vec3 low_ = Vec3::Zero(), high_ = Vec3::Zero();
  double thick_ = 0;
  bool too_many_ = false;
};

}  // namespace

void divide_into_convex_parts(const std::vector<std::vector<int>>& faces, Geometry& g) {
  Divider(faces, g).run();
}

}  // namespace stickslip::collision
