// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/flat_cap.h"

#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kOnRim = 1e-9;  // part of the size by which a foot may lie outside its face: rounding
constexpr double kFlat = 1e-6;   // sine up to which a cap lies flat: beyond, its lowest point is a contact of its own
constexpr double kSinks = 1e-9;  // of the tilt at the end of the step: less is not worth another solve

}  // namespace

bool over_face(const Placed& shape, int face, const Vec3& x) {
  const Geometry& g = shape.geometry;
  const Vec3 p = shape.frame.to_body(x);
  const double rim = kOnRim * g.radius;
  switch (g.family) {
    case Family::HalfSpace: return true;
    case Family::Cylinder: {
      const Vec3 d = p - g.smooth.origin, axis = g.smooth.axes.col(2);
      return (d - axis.dot(d) * axis).norm() <= g.smooth.radius + rim;
    }
    case Family::Polygon: {
      const auto k = static_cast<std::size_t>(face);
      const double s = g.polygon.tangent[k].dot(p.head<2>() - g.polygon.vertex[k]);
      return s >= -rim && s <= g.polygon.length[k] + rim;
    }
    default: break;
  }
  for (const FacetPiece& piece : g.polyhedron.piece) {
    if (piece.facet != face) continue;
    bool inside = true;
    for (int i = 0; i < piece.sides && inside; ++i) {
      const PieceSide& side = g.polyhedron.piece_side[static_cast<std::size_t>(piece.first_side + i)];
      inside = side.outward.dot(p) - side.offset <= rim;
    }
    if (inside) return true;
  }
  return false;
}

double height_over(const Placed& shape, int face, const Vec3& x) {
  const Facet& facet = shape.geometry.facet[static_cast<std::size_t>(face)];
  return (shape.frame.rotation * facet.normal).dot(x - shape.frame.position) - facet.offset;
}

bool came_in_elsewhere(const Placed& shape, int face, double gap, const Vec3& x) {
  const Geometry& g = shape.geometry;
  const double tolerance = kOnRim * g.radius;
  if (g.unbounded() || gap > -tolerance) return false;
  for (int other = 0; other < static_cast<int>(g.facet.size()); ++other) {
    if (other == face) continue;
    const double height = height_over(shape, other, x);
    if (height > gap + tolerance && height <= tolerance && over_face(shape, other, x)) return true;
  }
  if (g.family != Family::Cylinder) return false;
  const Vec3 d = shape.frame.to_body(x) - g.smooth.origin, axis = g.smooth.axes.col(2);
  return (d - axis.dot(d) * axis).norm() - g.smooth.radius > gap + tolerance;
}

namespace {

// Where the line from `begin` to `end` crosses a circle about the origin.
void cross_line(const Vec3& begin, const Vec3& end, double radius, std::vector<double>& angles) {
  const Vec2 x = begin.head<2>(), d = (end - begin).head<2>();
  const double a = d.squaredNorm(), b = d.dot(x), c = x.squaredNorm() - radius * radius;
  const double discriminant = b * b - a * c;
  if (!(a > 0) || !(discriminant > 0)) return;
  for (const double sign : {-1.0, 1.0}) {
    const double t = (-b + sign * std::sqrt(discriminant)) / a;
    if (t < 0 || t > 1) continue;
    const Vec2 p = x + t * d;
    angles.push_back(std::atan2(p.y(), p.x()));
  }
}

void cross_circle(const Vec3& centre, double other, double radius, std::vector<double>& angles) {
  const double d = centre.head<2>().norm();
  if (!(d > 0) || d >= other + radius || d <= std::fabs(other - radius)) return;
  const double half = std::acos((d * d + radius * radius - other * other) / (2 * d * radius));
  const double middle = std::atan2(centre.y(), centre.x());
  angles.push_back(middle - half);
  angles.push_back(middle + half);
}

}  // namespace

void find_rim_crossings(const Placed& a, int face, const Placed& b, std::vector<double>& angles) {
  angles.clear();
  const SmoothSurface& s = b.geometry.smooth;
  const auto seen = [&](const Vec3& x) -> Vec3 {  // body frame of a -> frame of the cylinder
    return s.axes.transpose() * (b.frame.to_body(a.frame.to_world(x)) - s.origin);
  };
  const Geometry& g = a.geometry;
  if (g.family == Family::Cylinder) {
    const double up = face == 0 ? g.smooth.half_length : -g.smooth.half_length;
    return cross_circle(seen(g.smooth.origin + up * g.smooth.axes.col(2)), g.smooth.radius, s.radius, angles);
  }
  for (const PolyhedronEdge& edge : g.polyhedron.edge) {
    if (edge.corner != Corner::Convex || (edge.facet[0] != face && edge.facet[1] != face)) continue;
    const Vec3& begin = g.vertex[static_cast<std::size_t>(edge.begin)];
    cross_line(seen(begin), seen(begin + edge.length * edge.direction), s.radius, angles);
  }
}

std::optional<FeatureCode> sinking_rim_point(const Placed& a, int face, const Placed& b, int cap, double h) {
  const SmoothSurface& s = b.geometry.smooth;
  const Mat3 axes = b.frame.rotation * s.axes;
  const Vec3 n = a.frame.rotation * a.geometry.facet[static_cast<std::size_t>(face)].normal;
  if (axes.col(2).cross(n).norm() > kFlat) return {};
  const Vec3 centre = b.frame.to_world(s.origin) + (cap == 0 ? s.half_length : -s.half_length) * axes.col(2);
  // What rounding leaves of a gap and of a tilt that are zero would hide the motion.
  const double rounding = 16 * std::numeric_limits<double>::epsilon();
  const auto unless_noise = [](double x, double noise) { return std::fabs(x) <= noise ? 0.0 : x; };
  const Vec3 turn = n.cross(h * (b.frame.angular - a.frame.angular));  // n.(turn x e) = (n x turn).e
  const double size = centre.lpNorm<1>() + a.frame.position.lpNorm<1>() + b.frame.position.lpNorm<1>() + s.radius;
  const double f_c = unless_noise(height_over(a, face, centre), rounding * size) +
                     h * n.dot(b.frame.velocity_at(centre) - a.frame.velocity_at(centre));
  Vec2 lean;
  for (int k = 0; k < 2; ++k) lean[k] = s.radius * (unless_noise(axes.col(k).dot(n), rounding) + axes.col(k).dot(turn));
  const double tilt = lean.norm();
  if (!(f_c - tilt < -kSinks * tilt)) return {};
  const int vertex = rim_vertex(cap, std::atan2(-lean.y(), -lean.x()));
  if (!over_face(a, face, b.frame.to_world(vertex_of(b.geometry, vertex)))) return {};
  return vertex_code(vertex);
}

}  // namespace stickslip::collision
