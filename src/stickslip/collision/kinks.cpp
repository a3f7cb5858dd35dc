// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/kinks.h"

#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kArc = 0.05;      // radians to both sides of the first normal
constexpr int kSamples = 8;        // to each side
constexpr double kCarries = 0.05;  // of the radius: an end of an edge that is so much less far carries nothing
constexpr double kFine = 1e-13;    // radians

// The largest value on the circle of normals square to a line, near `first`.
void maximise_on_circle(const std::function<double(const Vec3&)>& separation, const Vec3& line, Vec3& normal,
                        double& best) {
  const Vec3 u = (normal - line.dot(normal) * line).normalized(), v = line.cross(u);
  const auto normal_at = [&](double angle) -> Vec3 { return std::cos(angle) * u + std::sin(angle) * v; };
  const auto at = [&](double angle) { return separation(normal_at(angle)); };
  double middle = 0, top = -std::numeric_limits<double>::infinity();
  for (int k = -kSamples; k <= kSamples; ++k) {
    // Denser towards the middle: kinks may be narrow, and the first normal is near the best one.
    const double share = static_cast<double>(k) / kSamples, angle = kArc * share * std::fabs(share * share * share);
    if (const double value = at(angle); value > top) top = value, middle = angle;
  }
  const auto neighbour = [&](int way) {
    const double root = std::copysign(std::pow(std::fabs(middle) / kArc, 0.25), middle) + way * 1.0 / kSamples;
    return kArc * root * std::fabs(root * root * root);
  };
  constexpr double kGolden = 0.6180339887498949;
  double low = neighbour(-1), high = neighbour(1);
  double x = high - kGolden * (high - low), y = low + kGolden * (high - low), at_x = at(x), at_y = at(y);
  while (high - low > kFine) {
    if (at_x > at_y) {
      high = y, y = x, at_y = at_x;
      x = high - kGolden * (high - low), at_x = at(x);
    } else {
      low = x, x = y, at_x = at_y;
      y = low + kGolden * (high - low), at_y = at(y);
    }
  }
  if (at_x > top) top = at_x, middle = x;
  if (at_y > top) top = at_y, middle = y;
  if (top > best) best = top, normal = normal_at(middle);
}

}  // namespace

void list_carrying_lines(const Placed& shape, const Vec3& n, CarryingLines& lines) {
  const Geometry& g = shape.geometry;
  const Vec3 local = shape.frame.rotation.transpose() * n;
  const auto square = [&](const Vec3& direction) { return std::fabs(direction.dot(local)) < 2 * kArc; };
  if (g.family != Family::Polyhedron) {
    for (const PolyhedronEdge& axis : g.polyhedron.edge)
      if (square(axis.direction)) lines.add(shape.frame.rotation * axis.direction);
    return;
  }
  double highest = -std::numeric_limits<double>::infinity();
  for (const Vec3& v : g.vertex) highest = std::max(highest, local.dot(v));
  const double enough = highest - kCarries * g.radius;
  for (const PolyhedronEdge& edge : g.polyhedron.edge) {
    if (edge.corner == Corner::Flat || !square(edge.direction)) continue;
    const double begin = local.dot(g.vertex[static_cast<std::size_t>(edge.begin)]),
                 end = local.dot(g.vertex[static_cast<std::size_t>(edge.end)]);
    if (std::min(begin, end) >= enough) lines.add(shape.frame.rotation * edge.direction);
  }
}

Vec3 maximise_on_kinks(const std::function<double(const Vec3&)>& separation, const CarryingLines& lines,
                       const Vec3& first) {
  constexpr int kRounds = 3;  // a line may come to carry only where another one has led
  Vec3 normal = first;
  double best = separation(first);
  for (int round = 0; round < kRounds; ++round) {
    const double before = best;
    for (int i = 0; i < lines.count; ++i)
      maximise_on_circle(separation, lines.direction[static_cast<std::size_t>(i)], normal, best);
    if (!(best > before)) break;
  }
  return normal;
}

}  // namespace stickslip::collision
