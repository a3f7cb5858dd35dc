// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// v is the point of a growing simplex of points of the difference a - b that is closest to the origin; each round adds
// the point w of the difference that is farthest against v. |v| is an upper and v.w / |v| a lower bound of the
// distance: done when they agree. Cost: some 10 to 30 support points.
#include "stickslip/collision/convex_distance.h"

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip::collision {
namespace {

struct WeightedPoint {
  Vec3 a, b, w;  // w = a - b
  double weight = 0;
};

struct WeightedSimplex {
  std::array<WeightedPoint, 4> corner;
  int size = 0;
};

// The closest point to the origin on the simplex; drops the corners that do not carry it. Tries every face of the
// simplex by its normal equations: 15 at most, and robust (small simplices, clear answers).
Vec3 reduce(WeightedSimplex& simplex) {
  Vec3 best = simplex.corner[0].w;
  double smallest = std::numeric_limits<double>::infinity();
  WeightedSimplex kept;
  for (int mask = 1; mask < 1 << simplex.size; ++mask) {
    std::array<int, 4> index{};
    int n = 0;
    for (int i = 0; i < simplex.size; ++i) {
      if ((mask >> i & 1) != 0) index[static_cast<std::size_t>(n++)] = i;
    }
    const Vec3& origin = simplex.corner[static_cast<std::size_t>(index[0])].w;
    Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3> edges(3, n - 1);
    for (int k = 1; k < n; ++k)
      edges.col(k - 1) = simplex.corner[static_cast<std::size_t>(index[static_cast<std::size_t>(k)])].w - origin;
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1> t(n - 1);
    if (n > 1) {
      const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> gram = edges.transpose() * edges;
      t = gram.ldlt().solve(-edges.transpose() * origin);
      if (!t.allFinite() || (t.array() < 0).any() || t.sum() > 1) continue;
    }
    Vec3 v = origin;
    if (n > 1) v += edges * t;
    const double square = v.squaredNorm();
    if (square >= smallest) continue;
    smallest = square;
    best = v;
    kept.size = n;
    for (int k = 0; k < n; ++k) {
      kept.corner[static_cast<std::size_t>(k)] =
          simplex.corner[static_cast<std::size_t>(index[static_cast<std::size_t>(k)])];
      kept.corner[static_cast<std::size_t>(k)].weight = k == 0 ? 1 - (n > 1 ? t.sum() : 0.0) : t[k - 1];
    }
  }
  simplex = kept;
  return best;
}

}  // namespace

ConvexDistance convex_distance(const SupportFunction& a, const SupportFunction& b, const Vec3& start) {
  constexpr int kMostRounds = 100;
  constexpr double kRelative = 1e-15;
  WeightedSimplex simplex;
  Vec3 v = start;
  ConvexDistance result;
  double size = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    WeightedPoint next;
    next.a = a(-v);
    next.b = b(v);
    next.w = next.a - next.b;
    size = std::max(size, next.w.squaredNorm());
    if (simplex.size > 0 && v.squaredNorm() - v.dot(next.w) <= kRelative * size) break;
    if (simplex.size == 4) break;
    simplex.corner[static_cast<std::size_t>(simplex.size++)] = next;
    const double before = round == 0 ? std::numeric_limits<double>::infinity() : v.squaredNorm();
    const WeightedSimplex with_next = simplex;
    const Vec3 closer = reduce(simplex);
    if (closer.squaredNorm() >= before) {  // rounding: no progress
      simplex = with_next;
      --simplex.size;
      break;
    }
    v = closer;
    if (simplex.size == 4 || v.squaredNorm() <= 1e-28 * size) return result;  // the origin is inside
  }
  result.apart = true;
  result.distance = v.norm();
  result.normal = v / result.distance;
  for (int i = 0; i < simplex.size; ++i) {
    const WeightedPoint& corner = simplex.corner[static_cast<std::size_t>(i)];
    result.point_a += corner.weight * corner.a;
    result.point_b += corner.weight * corner.b;
  }
  return result;
}

}  // namespace stickslip::collision
