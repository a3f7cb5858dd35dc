// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// With d(x) the signed distance of x from a superellipsoid and n its gradient:
//
//     surface, vertex x          closest point of the surface;             gap = d(x) - r
//     surface, edge x + t u      the t with n.u = 0 (d is convex on it);   gap = d(x + t u) - r
//     surface or rim, face (m,e) the support point x along -m;             gap = m.x - e
//     rim, vertex x              closest point q of the circle;            gap = |x - q| - r
//     rim, edge                  the normal m square to the edge that maximises the separation
//     rim or surface, the same   the normal m that maximises the separation -h_a(-m) - h_b(m), h: support functions
//
// Separations are maximised, not distances minimised, because they pass through zero smoothly when bodies overlap.
// Two curved features start from the normal that GJK finds for their bodies; bodies that overlap are shrunk about their
// middles until GJK finds them apart. Deep in each other they have several ways out, and shrinking need not lead to the
// shortest one: a polytope inside their difference finds it (inner_polytope.h), the same iteration refines it.
#include "stickslip/collision/smooth_pairs.h"

#include "stickslip/collision/convex_distance.h"
#include "stickslip/collision/inner_polytope.h"
#include "stickslip/collision/kinks.h"
#include "stickslip/collision/superellipsoid.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace stickslip::collision {
namespace {

constexpr double kSameDepth = 1e-11;  // of the size: ways out that differ by less are one

Vec3 to_shape(const Placed& s, const Vec3& x) {
  return s.geometry.smooth.axes.transpose() * (s.frame.to_body(x) - s.geometry.smooth.origin);
}
Vec3 to_world(const Placed& s, const Vec3& y) {
  return s.frame.to_world(s.geometry.smooth.origin + s.geometry.smooth.axes * y);
}
Vec3 direction_to_shape(const Placed& s, const Vec3& d) {
  return s.geometry.smooth.axes.transpose() * (s.frame.rotation.transpose() * d);
}
Vec3 direction_to_world(const Placed& s, const Vec3& d) {
  return s.frame.rotation * (s.geometry.smooth.axes * d);
}

Vec3 cylinder_rim(const SmoothSurface& s, const Vec3& d, double z) {
  const double across = d.head<2>().norm();
  if (across == 0) return {s.radius, 0, z};
  return {s.radius * d.x() / across, s.radius * d.y() / across, z};
}

// The whole of a polytope with rounding (smooth 0), or a part of a concave one; body frame.
std::span<const Vec3> vertices_of(const Geometry& g, FeatureCode feature) {
  const int part = feature_index(feature) - 1;
  if (part < 0) return g.vertex;
  const ConvexPart& p = g.part[static_cast<std::size_t>(part)];
  return std::span(g.part_vertex).subspan(static_cast<std::size_t>(p.first), static_cast<std::size_t>(p.count));
}

Vec3 polytope_support(const Geometry& g, FeatureCode feature, const Vec3& d) {
  const std::span<const Vec3> vertices = vertices_of(g, feature);
  const Vec3* best = &vertices.front();
  for (const Vec3& v : vertices) {
    if (d.dot(v) > d.dot(*best)) best = &v;
  }
  return g.rounding > 0 ? Vec3(*best + g.rounding / d.norm() * d) : *best;
}

bool is_curved(const Geometry& g) {
  return g.family == Family::Cylinder || g.family == Family::Superellipse || g.family == Family::Superellipsoid;
}

Vec3 local_support(const Geometry& g, FeatureCode feature, const Vec3& d) {
  const SmoothSurface& s = g.smooth;
  if (g.family != Family::Cylinder) return superellipsoid_support(s, d);
  const int which = feature_index(feature);  // 0: the whole cylinder
  const bool top = which == 0 ? d.z() > 0 : which == 1;
  return cylinder_rim(s, d, top ? s.half_length : -s.half_length);
}

struct CylinderPoint {
  ClosestPoint closest;
  FeatureCode feature;
};

CylinderPoint cylinder_closest(const SmoothSurface& s, const Vec3& x) {
  const double across = x.head<2>().norm(), up = x.z() < 0 ? -1.0 : 1.0;
  const Vec3 radial = across > 0 ? Vec3(x.x() / across, x.y() / across, 0) : Vec3(Vec3::UnitX());
  const double dr = across - s.radius, dz = std::abs(x.z()) - s.half_length;
  const int end = up > 0 ? 0 : 1;
  if (dr > 0 && dz > 0) {
    const Vec3 point = s.radius * radial + Vec3(0, 0, up * s.half_length);
    const double distance = std::hypot(dr, dz);
    return {{point, (x - point) / distance, distance}, smooth_code(1 + end)};
  }
  if (dr > dz) return {{s.radius * radial + Vec3(0, 0, x.z()), radial, dr}, edge_code(0)};
  return {{Vec3(x.x(), x.y(), up * s.half_length), Vec3(0, 0, up), dz}, face_code(end)};
}

Placement reversed(const Placement& p) {
  return {p.gap, p.point_b, p.point_a, -p.normal};
}

// A line in the world and the rounding around it.
struct RoundLine {
  Vec3 origin, direction;
  double length, radius;
};
RoundLine line_of(const Placed& shape, FeatureCode edge) {
  const PolyhedronEdge& e = shape.geometry.polyhedron.edge[static_cast<std::size_t>(feature_index(edge))];
  return {shape.frame.to_world(shape.geometry.vertex[static_cast<std::size_t>(e.begin)]),
          shape.frame.rotation * e.direction, e.length, feature_radius(shape.geometry, edge)};
}

// Rim of cylinder b against a point of a.
Placement vertex_rim(const Vec3& x, double r, const Placed& b, FeatureCode rim, const Vec3& side) {
  const Vec3 q = to_world(b, local_support(b.geometry, rim, to_shape(b, x)));
  const Vec3 d = x - q;
  const double length = d.norm();
  if (length == 0) return {-r, x - r * side, q, side};
  const double sign = r == 0 && d.dot(side) < 0 ? -1.0 : 1.0;
  const Vec3 n = (sign / length) * d;
  return {sign * length - r, x - r * n, q, n};
}

// Rim of cylinder b against a line of a: the unit normal n (out of the cylinder) turns about the line through the half
// circle that looks out of the cap; n = cos(phi) e1 + sin(phi) e2 with e1 the part of the axis square to the line.
Placement line_rim(const RoundLine& line, const Placed& b, FeatureCode rim) {
  const Vec3 out = direction_to_world(b, feature_index(rim) == 1 ? Vec3(Vec3::UnitZ()) : Vec3(-Vec3::UnitZ()));
  Vec3 e1 = out - out.dot(line.direction) * line.direction;
  if (e1.norm() < 1e-9) e1 = line.direction.unitOrthogonal();  // a line along the axis never meets the rim alone
  e1.normalize();
  const Vec3 e2 = line.direction.cross(e1);
  struct At {
    double slope;
    Vec3 n, q;
  };
  const auto at = [&](double phi) -> At {
    const double c = std::cos(phi), s = std::sin(phi);
    const Vec3 n = c * e1 + s * e2, q = smooth_support(b, rim, n);
    return {(c * e2 - s * e1).dot(line.origin - q), n, q};
  };
  constexpr int kSamples = 16;
  constexpr double kHalf = std::numbers::pi / 2;
  double best = -std::numeric_limits<double>::infinity(), low = -kHalf, high = kHalf;
  for (int i = 0; i <= kSamples; ++i) {
    const double phi = -kHalf + std::numbers::pi * i / kSamples;
    const At here = at(phi);
    const double separation = here.n.dot(line.origin - here.q);
    if (separation <= best) continue;
    best = separation;
    low = std::max(-kHalf, phi - std::numbers::pi / kSamples);
    high = std::min(kHalf, phi + std::numbers::pi / kSamples);
  }
  // The slope falls through zero at the maximum: regula falsi with halving, every third step a bisection.
  double f_low = at(low).slope, f_high = at(high).slope;
  for (int i = 0; i < 80 && high - low > 1e-16 && f_low > 0 && f_high < 0; ++i) {
    const double phi =
        i % 3 == 2 ? 0.5 * (low + high) : std::clamp(low + f_low * (high - low) / (f_low - f_high), low, high);
    const double f = at(phi).slope;
    if (f == 0) {
      low = high = phi;
      break;
    }
    const bool move_low = f > 0;
    if (move_low) {
      low = phi;
      f_low = f;
      f_high *= i % 3 == 1 ? 0.5 : 1.0;
    } else {
      high = phi;
      f_high = f;
      f_low *= i % 3 == 1 ? 0.5 : 1.0;
    }
  }
  const double phi = f_low <= 0 ? low : f_high >= 0 ? high : 0.5 * (low + high);
  const At end = at(phi);
  const Vec3 x = line.origin + line.direction.dot(end.q - line.origin) * line.direction;
  const double gap = end.n.dot(x - end.q) - line.radius;
  return {gap, x - line.radius * end.n, end.q, end.n};
}

// The curved feature of b against a vertex, edge or face of a.
Placement smooth_polytope(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b,
                          const Vec3& side) {
  const auto i = static_cast<std::size_t>(feature_index(feature_a));
  if (feature_kind(feature_a) == FeatureKind::Face) {
    const Facet& facet = a.geometry.facet[i];
    const Vec3 m = a.frame.rotation * facet.normal;
    const Vec3 x = smooth_support(b, feature_b, -m);
    const double gap = m.dot(x - a.frame.position) - facet.offset;
    return {gap, x - gap * m, x, -m};
  }
  const bool rim = b.geometry.family == Family::Cylinder;
  double r = feature_radius(a.geometry, feature_a);
  Vec3 x;
  if (feature_kind(feature_a) == FeatureKind::Vertex) {
    x = a.frame.to_world(vertex_of(a.geometry, feature_index(feature_a)));
    if (rim) return vertex_rim(x, r, b, feature_b, side);
  } else {
    const RoundLine line = line_of(a, feature_a);
    if (rim) return line_rim(line, b, feature_b);
    // A little beyond the ends: the pair stays itself while bodies move within a step.
    x = line.origin +
        smooth_closest_on_line(b, line.origin, line.direction, -line.length, 2 * line.length) * line.direction;
  }
  const SurfacePoint closest = smooth_closest(b, x);
  return {closest.distance - r, x - r * closest.normal, closest.point, closest.normal};
}

// Separation along the unit normal m (from b to a) and the support points that give it.
struct SeparationAlong {
  double gap = -std::numeric_limits<double>::infinity();
  Vec3 x = Vec3::Zero(), y = Vec3::Zero(), m = Vec3::UnitZ();
};

struct CurvedPair {
  const Placed& a;
  FeatureCode feature_a;
  const Placed& b;
  FeatureCode feature_b;

  [[nodiscard]] SeparationAlong along(const Vec3& m) const {
    SeparationAlong s;
    s.m = m;
    s.x = smooth_support(a, feature_a, -m);
    s.y = smooth_support(b, feature_b, m);
    s.gap = m.dot(s.x - s.y);
    return s;
  }
};

// Maximises the separation over normals near the first one: quasi-Newton (BFGS) in two coordinates of the tangent
// plane.
SeparationAlong maximise_separation(const CurvedPair& pair, const Vec3& first, bool planar) {
  const Vec3 t1 = planar ? Vec3(-first.y(), first.x(), 0) : first.unitOrthogonal(), t2 = first.cross(t1);
  const double size = pair.a.geometry.radius + pair.b.geometry.radius;
  const auto at = [&](const Vec2& c) { return pair.along((first + c.x() * t1 + c.y() * t2).normalized()); };
  const auto slope = [&](const SeparationAlong& s, const Vec2& c) -> Vec2 {
    const Vec3 raw = first + c.x() * t1 + c.y() * t2;
    const Vec3 tangential = (s.x - s.y - s.gap * s.m) / raw.norm();
    return {tangential.dot(t1), planar ? 0.0 : tangential.dot(t2)};
  };
  Vec2 c = Vec2::Zero();
  SeparationAlong best = at(c);
  Vec2 g = slope(best, c);
  Eigen::Matrix2d inverse = Eigen::Matrix2d::Identity() / size;  // of minus the Hessian
  for (int iteration = 0; iteration < 60 && g.norm() > 1e-15 * size; ++iteration) {
    Vec2 step = inverse * g;
    if (step.dot(g) <= 0) step = g / size;
    if (step.norm() > 0.3) step *= 0.3 / step.norm();
    SeparationAlong next;
    double cut = 1;
    for (int halving = 0; halving < 40; ++halving, cut *= 0.5) {
      next = at(c + cut * step);
      if (next.gap > best.gap) break;
    }
    if (!(next.gap > best.gap)) break;
    const Vec2 d = cut * step, g_next = slope(next, c + d), y = g - g_next;
    c += d;
    const double curvature = y.dot(d);
    if (curvature > 0) {
      const double rho = 1 / curvature;
      const Eigen::Matrix2d left = Eigen::Matrix2d::Identity() - rho * d * y.transpose();
      inverse = left * inverse * left.transpose() + rho * d * d.transpose();
    }
    best = next;
    g = g_next;
  }
  return best;
}

// The whole of a curved shape, whatever its feature; else what the feature says.
FeatureCode whole_of(const Placed& shape, FeatureCode feature) {
  return is_curved(shape.geometry) ? smooth_code(0) : feature;
}

// A shape shrunk about its middle.
struct Shrunk {
  const Placed& shape;
  FeatureCode feature;
  Vec3 middle;
  double factor;

  [[nodiscard]] Vec3 support(const Vec3& d) const {
    return middle + factor * (smooth_support(shape, feature, d) - middle);
  }
};

Vec3 middle_of(const Placed& shape, FeatureCode feature) {
  const Geometry& g = shape.geometry;
  if (is_curved(g)) return shape.frame.to_world(g.smooth.origin);
  const int part = feature_index(feature) - 1;
  return shape.frame.to_world(part < 0 ? g.box_centre : g.part[static_cast<std::size_t>(part)].centre);
}

// The shortest way out of two shapes that overlap, as wholes, wherever a local search began.
Depth way_out(const CurvedPair& pair, bool planar) {
  const Placed &a = pair.a, &b = pair.b;
  const auto support = [&pair](const Vec3& d) -> DifferencePoint {
    const Vec3 x = smooth_support(pair.a, pair.feature_a, d), y = smooth_support(pair.b, pair.feature_b, -d);
    return {x, y, x - y};
  };
  const double apart = (a.frame.to_world(a.geometry.box_centre) - b.frame.to_world(b.geometry.box_centre)).norm();
  const double size = apart + a.geometry.radius + b.geometry.radius;
  return planar ? planar_depth(support, size) : spatial_depth(support, size);
}

// The best normal among those where straight parts carry the separation, near one that is nearly best.
SeparationAlong on_kinks(const CurvedPair& pair, const SeparationAlong& first) {
  CarryingLines lines;
  list_carrying_lines(pair.a, -first.m, lines);
  list_carrying_lines(pair.b, first.m, lines);
  return pair.along(maximise_on_kinks([&pair](const Vec3& m) { return pair.along(m).gap; }, lines, first.m));
}

Placement smooth_smooth(const CurvedPair& pair) {
  const Placed &a = pair.a, &b = pair.b;
  const Vec3 middle_a = middle_of(a, pair.feature_a), middle_b = middle_of(b, pair.feature_b);
  Vec3 first = middle_a - middle_b;
  if (first.norm() == 0) first = Vec3::UnitX();
  ConvexDistance apart;
  for (double shrink : {0.0, 1e-3, 1e-2, 0.1, 0.3, 0.6, 0.9}) {
    const Shrunk sa{a, whole_of(a, pair.feature_a), middle_a, 1 - shrink},
        sb{b, whole_of(b, pair.feature_b), middle_b, 1 - shrink};
    apart = convex_distance([&sa](const Vec3& d) { return sa.support(d); },
                            [&sb](const Vec3& d) { return sb.support(d); }, first);
    if (!apart.apart) continue;
    first = apart.normal;
    break;
  }
  const bool planar = a.geometry.planar();
  SeparationAlong best = maximise_separation(pair, first.normalized(), planar);
  // Kinks stop the iteration; where a flat face is the way out, its normal is better. (Rims have no faces.)
  const bool rims = (is_curved(a.geometry) && feature_index(pair.feature_a) > 0) ||
                    (is_curved(b.geometry) && feature_index(pair.feature_b) > 0);
  for (const Placed* shape : {&a, &b}) {
    if (rims) break;
    for (const Facet& facet : shape->geometry.facet) {
      const SeparationAlong along = pair.along((shape == &b ? 1.0 : -1.0) * (shape->frame.rotation * facet.normal));
      if (along.gap > best.gap) best = along;
    }
  }
  // Where surfaces are flat the support points need not be opposite each other: meet in the middle. A polytope's are
  // corners far away: there the closest points of the (shrunk) shapes are better.
  const bool flat = !is_curved(a.geometry) || !is_curved(b.geometry);
  Vec3 middle = flat && apart.apart ? Vec3(0.5 * (apart.point_a + apart.point_b)) : Vec3(0.5 * (best.x + best.y));
  if (!rims && best.gap < -shallow_overlap(a.geometry, b.geometry)) {
    const Depth out = way_out(pair, planar);
    SeparationAlong other = maximise_separation(pair, -out.normal, planar);
    if (has_cylinder(a.geometry, b.geometry)) other = on_kinks(pair, best.gap > other.gap ? best : other);
    if (other.gap > best.gap + kSameDepth * (a.geometry.radius + b.geometry.radius)) {
      best = other;
      middle = 0.5 * (out.point_a + out.point_b);
    }
  }
  return {best.gap, middle + 0.5 * best.gap * best.m, middle - 0.5 * best.gap * best.m, best.m};
}

}  // namespace

double shallow_overlap(const Geometry& a, const Geometry& b) {
  return (has_cylinder(a, b) ? kSameAsTouching : kShallow) * std::min(a.radius, b.radius);
}

double separation_of_wholes(const Placed& a, const Placed& b, const Vec3& normal) {
  return CurvedPair{a, smooth_code(0), b, smooth_code(0)}.along(normal).gap;
}

double distance_of_wholes(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b,
                          double shrink) {
  const Shrunk sa{a, feature_a, middle_of(a, feature_a), 1 - shrink},
      sb{b, feature_b, middle_of(b, feature_b), 1 - shrink};
  Vec3 first = sa.middle - sb.middle;
  if (first.norm() == 0) first = Vec3::UnitX();
  const ConvexDistance found = convex_distance([&sa](const Vec3& d) { return sa.support(d); },
                                               [&sb](const Vec3& d) { return sb.support(d); }, first);
  return found.apart ? found.distance : 0;
}

Vec3 smooth_support(const Placed& shape, FeatureCode feature, const Vec3& direction) {
  if (!is_curved(shape.geometry)) {
    return shape.frame.to_world(
        polytope_support(shape.geometry, feature, shape.frame.rotation.transpose() * direction));
  }
  return to_world(shape, local_support(shape.geometry, feature, direction_to_shape(shape, direction)));
}

SurfacePoint smooth_closest(const Placed& shape, const Vec3& x) {
  const SmoothSurface& s = shape.geometry.smooth;
  const Vec3 local = to_shape(shape, x);
  CylinderPoint found{{}, smooth_code(0)};
  if (shape.geometry.family == Family::Cylinder) {
    found = cylinder_closest(s, local);
  } else {
    found.closest = superellipsoid_closest(s, local);
  }
  return {to_world(shape, found.closest.point), direction_to_world(shape, found.closest.normal), found.closest.distance,
          found.feature};
}

// Regula falsi with halving (Illinois) on n.u, which grows with t because the distance is convex along the line.
double smooth_closest_on_line(const Placed& shape, const Vec3& x, const Vec3& u, double low, double high) {
  const auto slope = [&](double t) { return smooth_closest(shape, x + t * u).normal.dot(u); };
  double f_low = slope(low), f_high = slope(high);
  if (f_low >= 0) return low;
  if (f_high <= 0) return high;
  const double done = 1e-15 * (high - low);
  int last = 0;
  for (int i = 0; i < 100 && high - low > done; ++i) {
    // Regula falsi crawls on curves with flat spots: every third step bisects.
    double t = i % 3 == 2 ? 0.5 * (low + high) : low - f_low * (high - low) / (f_high - f_low);
    t = std::clamp(t, low, high);
    const double f = slope(t);
    if (f == 0) return t;
    if (f < 0) {
      low = t;
      f_low = f;
      if (last < 0) f_high *= 0.5;
      last = -1;
    } else {
      high = t;
      f_high = f;
      if (last > 0) f_low *= 0.5;
      last = 1;
    }
  }
  return 0.5 * (low + high);
}

Placement evaluate_smooth(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b,
                          const Vec3& side) {
  const bool smooth_a = feature_kind(feature_a) == FeatureKind::Smooth;
  const bool smooth_b = feature_kind(feature_b) == FeatureKind::Smooth;
  if (smooth_a && smooth_b) return smooth_smooth({a, feature_a, b, feature_b});
  if (smooth_b) return smooth_polytope(a, feature_a, b, feature_b, side);
  return reversed(smooth_polytope(b, feature_b, a, feature_a, -side));
}

}  // namespace stickslip::collision
