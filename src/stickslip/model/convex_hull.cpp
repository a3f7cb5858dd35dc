// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of primitives.h.
//
// Convex hull of points in space, by adding one point after the other: a point outside removes the triangles that it
// sees and is joined to the rim of the hole. Points within a rounding distance of a triangle's plane do not see it.
// Triangles in one plane are joined to one face at the end. Cost O(n h).
#include "stickslip/model/primitives.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

namespace stickslip::model {
namespace {

constexpr double kMostWork = 5e8;  // a few seconds

struct HullTriangle {
  std::array<int, 3> v;
  Vec3 normal;
  double offset;
};

// Directed edges of a patch of triangles that no other triangle of the patch has the other way round.
class Rim {
 public:
  void add(const HullTriangle& t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = t.v[k], to = t.v[(k + 1) % 3];
      if (edges_.erase({to, from}) == 0) edges_.insert({from, to});
    }
  }
  [[nodiscard]] const std::set<std::pair<int, int>>& edges() const { return edges_; }

 private:
  std::set<std::pair<int, int>> edges_;
};

class Hull {
 public:
  explicit Hull(std::span<const Vec3> points) : points_(points) {
    Vec3 low = points[0], high = points[0];
    for (const Vec3& p : points) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    tolerance_ = 1e-10 * (high - low).norm();
  }

  Polyhedron run() {
    start();
    for (int i = 0; i < static_cast<int>(points_.size()); ++i) add(i);
    return collect();
  }

 private:
  [[nodiscard]] const Vec3& at(int i) const { return points_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] static double height(const HullTriangle& t, const Vec3& p) { return t.normal.dot(p) - t.offset; }

  void make_triangle(int a, int b, int c) {
    const Vec3 n = (at(b) - at(a)).cross(at(c) - at(a)).normalized();
    triangles_.push_back({{a, b, c}, n, n.dot(at(a))});
  }

  template <class Measure>
  [[nodiscard]] int farthest(const Measure& measure) const {
    int best = 0;
    for (int i = 1; i < static_cast<int>(points_.size()); ++i) {
      if (measure(at(i)) > measure(at(best))) best = i;
    }
    return best;
  }

  // A tetrahedron of large volume, chosen greedily.
  void start() {
    const Vec3 origin = at(0);
    const int a = farthest([&](const Vec3& p) { return (p - origin).norm(); });
    const int b = farthest([&](const Vec3& p) { return (p - at(a)).norm(); });
    const Vec3 ab = (at(b) - at(a)).normalized();
    const int c = farthest([&](const Vec3& p) { return (p - at(a)).cross(ab).norm(); });
    const Vec3 n = ab.cross(at(c) - at(a)).normalized();
    const int d = farthest([&](const Vec3& p) { return std::abs(n.dot(p - at(a))); });
    if (!(std::abs(n.dot(at(d) - at(a))) > tolerance_)) {
      throw std::runtime_error("convex hull: the points lie in one plane; four that do not are needed");
    }
    const bool below = n.dot(at(d) - at(a)) < 0;
    const int q = below ? b : c, r = below ? c : b;
    make_triangle(a, q, r);
    make_triangle(a, d, q);
    make_triangle(q, d, r);
    make_triangle(r, d, a);
  }

  void add(int i) {
    work_ += static_cast<double>(triangles_.size());
    if (work_ > kMostWork) throw std::runtime_error(fmt::format("convex hull: {} points are too many", points_.size()));
    Rim rim;
    std::vector<HullTriangle> kept;
    for (const HullTriangle& t : triangles_) {
      if (height(t, at(i)) <= tolerance_) {
        kept.push_back(t);
      } else {
        rim.add(t);
      }
    }
    if (kept.size() == triangles_.size()) return;
    triangles_ = std::move(kept);
    for (const auto& [from, to] : rim.edges()) make_triangle(from, to, i);
  }

  [[nodiscard]] bool in_plane(const HullTriangle& plane, const HullTriangle& t) const {
    return plane.normal.dot(t.normal) > 0 &&
           std::all_of(t.v.begin(), t.v.end(), [&](int p) { return std::abs(height(plane, at(p))) <= 4 * tolerance_; });
  }

  // One face per plane: the rim of its triangles, walked around.
  [[nodiscard]] Polyhedron collect() const {
    std::vector<std::vector<int>> faces;
    std::vector<bool> done(triangles_.size(), false);
    for (std::size_t first = 0; first < triangles_.size(); ++first) {
      if (done[first]) continue;
      Rim rim;
      for (std::size_t i = first; i < triangles_.size(); ++i) {
        if (done[i] || !in_plane(triangles_[first], triangles_[i])) continue;
        done[i] = true;
        rim.add(triangles_[i]);
      }
      const std::map<int, int> next(rim.edges().begin(), rim.edges().end());
      std::vector<int> loop{next.begin()->first};
      for (int v = next.at(loop[0]); v != loop[0] && loop.size() <= next.size(); v = next.at(v)) loop.push_back(v);
      faces.push_back(without_straight_corners(loop));
    }
    return renumber(faces);
  }

  // A corner along a straight edge belongs to no third face.
  [[nodiscard]] std::vector<int> without_straight_corners(const std::vector<int>& loop) const {
    std::vector<int> corners;
    const std::size_t n = loop.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 &a = at(loop[(i + n - 1) % n]), &b = at(loop[i]), &c = at(loop[(i + 1) % n]);
      if ((b - a).cross(c - b).norm() > tolerance_ * (c - a).norm()) corners.push_back(loop[i]);
    }
    return corners;
  }

  // Vertices in the order of the points.
  [[nodiscard]] Polyhedron renumber(std::vector<std::vector<int>>& faces) const {
    std::map<int, int> number;
    for (const auto& face : faces) {
      for (int v : face) number[v] = 0;
    }
    Polyhedron hull;
    for (auto& [point, index] : number) {
      index = static_cast<int>(hull.vertices.size());
      hull.vertices.push_back(at(point));
    }
    for (auto& face : faces) {
      for (int& v : face) v = number[v];
    }
    hull.faces = std::move(faces);
    hull.convex = true;
    return hull;
  }

  std::span<const Vec3> points_;
  double tolerance_ = 0;
  double work_ = 0;  // triangles looked at
  std::vector<HullTriangle> triangles_;
};

}  // namespace

Polyhedron convex_hull(std::span<const Vec3> points) {
  if (points.size() < 4) throw std::runtime_error("convex hull: at least four points are needed");
  return Hull(points).run();
}

}  // namespace stickslip::model
