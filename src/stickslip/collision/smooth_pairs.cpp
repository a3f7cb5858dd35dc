// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// With d(x) the signed distance of x from the smooth surface and n its gradient:
//
//     smooth, face (m, e)        the support point x along -m;             gap = m.x - e
//     smooth, vertex x           closest point of the surface;             gap = d(x) - r
//     smooth, edge x + t u       the t with n.u = 0 (d is convex on it);   gap = d(x + t u) - r
//     smooth, smooth             the normal m that maximises the separation -h_a(-m) - h_b(m), h: support functions
//
// The separation of two surfaces is maximised from the normal that GJK finds; bodies that overlap are shrunk about their
// middles until GJK finds them apart. The result is the signed distance when they are apart or overlap slightly.
#include "stickslip/collision/smooth_pairs.h"

#include "stickslip/collision/convex_distance.h"
#include "stickslip/collision/superellipsoid.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

Vec3 to_shape(const Placed& s, const Vec3& x) {
  return s.geometry.smooth.axes.transpose() * (s.frame.to_body(x) - s.geometry.smooth.origin);
}
Vec3 to_world(const Placed& s, const Vec3& y) {
  return s.frame.to_world(s.geometry.smooth.origin + s.geometry.smooth.axes * y);
}
Vec3 direction_to_shape(const Placed& s, const Vec3& d) {
  return s.geometry.smooth.axes.transpose() * (s.frame.rotation.transpose() * d);
}
Vec3 direction_to_world(const Placed& s, const Vec3& d) { return s.frame.rotation * (s.geometry.smooth.axes * d); }

Vec3 cylinder_rim(const SmoothSurface& s, const Vec3& d, double z) {
  const double across = d.head<2>().norm();
  if (across == 0) return {s.radius, 0, z};
  return {s.radius * d.x() / across, s.radius * d.y() / across, z};
}

Vec3 local_support(const Geometry& g, FeatureCode feature, const Vec3& d) {
  const SmoothSurface& s = g.smooth;
  if (g.family != Family::Cylinder) return superellipsoid_support(s, d);
  const int which = feature_index(feature);
  const bool top = which == 0 ? d.z() > 0 : which == 1;
  return cylinder_rim(s, d, top ? s.half_length : -s.half_length);
}

ClosestPoint cylinder_closest(const SmoothSurface& s, const Vec3& x) {
  const double across = x.head<2>().norm(), up = x.z() < 0 ? -1.0 : 1.0;
  const Vec3 radial = across > 0 ? Vec3(x.x() / across, x.y() / across, 0) : Vec3(Vec3::UnitX());
  const double dr = across - s.radius, dz = std::abs(x.z()) - s.half_length;
  if (dr > 0 && dz > 0) {  // the rim
    const Vec3 point = s.radius * radial + Vec3(0, 0, up * s.half_length);
    const double distance = std::hypot(dr, dz);
    return {point, (x - point) / distance, distance};
  }
  if (dr > dz) return {s.radius * radial + Vec3(0, 0, x.z()), radial, dr};
  return {Vec3(x.x(), x.y(), up * s.half_length), Vec3(0, 0, up), dz};
}

Placement reversed(const Placement& p) { return {p.gap, p.point_b, p.point_a, -p.normal}; }

// Smooth shape b, the feature of polytope a.
Placement smooth_polytope(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b) {
  const int i = feature_index(feature_a);
  const double r = a.geometry.rounding;
  if (feature_kind(feature_a) == FeatureKind::Face) {
    const Facet& facet = a.geometry.facet[static_cast<std::size_t>(i)];
    const Vec3 m = a.frame.rotation * facet.normal;
    const Vec3 x = smooth_support(b, feature_b, -m);
    const double gap = m.dot(x - a.frame.position) - facet.offset;
    return {gap, x - gap * m, x, -m};
  }
  Vec3 x;
  if (feature_kind(feature_a) == FeatureKind::Vertex) {
    x = a.frame.to_world(a.geometry.vertex[static_cast<std::size_t>(i)]);
  } else {
    const PolyhedronEdge& edge = a.geometry.polyhedron.edge[static_cast<std::size_t>(i)];
    const Vec3 begin = a.frame.to_world(a.geometry.vertex[static_cast<std::size_t>(edge.begin)]);
    const Vec3 u = a.frame.rotation * edge.direction;
    // A little beyond the ends: the pair stays itself while bodies move within a step.
    x = begin + smooth_closest_on_line(b, begin, u, -edge.length, 2 * edge.length) * u;
  }
  const SurfacePoint closest = smooth_closest(b, x);
  return {closest.distance - r, x - r * closest.normal, closest.point, closest.normal};
}

// Separation along the unit normal m (from b to a) and the support points that give it.
struct Separation {
  double gap = -std::numeric_limits<double>::infinity();
  Vec3 x = Vec3::Zero(), y = Vec3::Zero(), m = Vec3::UnitZ();
};

Separation separation_along(const Placed& a, const Placed& b, const Vec3& m) {
  Separation s;
  s.m = m;
  s.x = smooth_support(a, smooth_code(0), -m);
  s.y = smooth_support(b, smooth_code(0), m);
  s.gap = m.dot(s.x - s.y);
  return s;
}

// Maximises the separation over normals near the first one: quasi-Newton (BFGS) in two coordinates of the tangent plane.
Separation maximise_separation(const Placed& a, const Placed& b, const Vec3& first, bool planar) {
  Vec3 t1 = planar ? Vec3(-first.y(), first.x(), 0) : first.unitOrthogonal(), t2 = first.cross(t1);
  const double size = a.geometry.radius + b.geometry.radius;
  const auto at = [&](const Vec2& c) { return separation_along(a, b, (first + c.x() * t1 + c.y() * t2).normalized()); };
  const auto slope = [&](const Separation& s, const Vec2& c) -> Vec2 {
    const Vec3 raw = first + c.x() * t1 + c.y() * t2;
    const Vec3 tangential = (s.x - s.y - s.gap * s.m) / raw.norm();
    return {tangential.dot(t1), planar ? 0.0 : tangential.dot(t2)};
  };
  Vec2 c = Vec2::Zero();
  Separation best = at(c);
  Vec2 g = slope(best, c);
  Eigen::Matrix2d inverse = Eigen::Matrix2d::Identity() / size;  // of minus the Hessian
  for (int iteration = 0; iteration < 60 && g.norm() > 1e-15 * size; ++iteration) {
    Vec2 step = inverse * g;
    if (step.dot(g) <= 0) step = g / size;
    if (step.norm() > 0.3) step *= 0.3 / step.norm();
    Separation next;
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

Placement smooth_smooth(const Placed& a, const Placed& b) {
  const Vec3 middle_a = a.frame.to_world(a.geometry.smooth.origin), middle_b = b.frame.to_world(b.geometry.smooth.origin);
  const bool planar = a.geometry.family == Family::Superellipse;
  Vec3 start = middle_a - middle_b;
  if (start.norm() == 0) start = Vec3::UnitX();
  struct Shrunk {
    const Placed& shape;
    Vec3 middle;
    double factor;
  };
  ConvexDistance apart;
  for (double shrink : {0.0, 1e-3, 1e-2, 0.1, 0.3, 0.6, 0.9}) {
    const Shrunk sa{a, middle_a, 1 - shrink}, sb{b, middle_b, 1 - shrink};
    const auto support = [](const Shrunk& s, const Vec3& d) -> Vec3 {
      return s.middle + s.factor * (smooth_support(s.shape, smooth_code(0), d) - s.middle);
    };
    apart = convex_distance([&sa, support](const Vec3& d) { return support(sa, d); },
                            [&sb, support](const Vec3& d) { return support(sb, d); }, start);
    if (apart.apart) break;
  }
  const Vec3 first = apart.apart ? apart.normal : Vec3(start.normalized());
  const Separation best = maximise_separation(a, b, first, planar);
  // Where surfaces are flat or sharp the support points need not be opposite each other: meet in the middle.
  const Vec3 middle = 0.5 * (best.x + best.y);
  return {best.gap, middle + 0.5 * best.gap * best.m, middle - 0.5 * best.gap * best.m, best.m};
}

}  // namespace

Vec3 smooth_support(const Placed& shape, FeatureCode feature, const Vec3& direction) {
  return to_world(shape, local_support(shape.geometry, feature, direction_to_shape(shape, direction)));
}

SurfacePoint smooth_closest(const Placed& shape, const Vec3& x) {
  const SmoothSurface& s = shape.geometry.smooth;
  const Vec3 local = to_shape(shape, x);
  const ClosestPoint closest =
      shape.geometry.family == Family::Cylinder ? cylinder_closest(s, local) : superellipsoid_closest(s, local);
  return {to_world(shape, closest.point), direction_to_world(shape, closest.normal), closest.distance};
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

Placement evaluate_smooth(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b, const Vec3&) {
  const bool smooth_a = feature_kind(feature_a) == FeatureKind::Smooth;
  const bool smooth_b = feature_kind(feature_b) == FeatureKind::Smooth;
  if (smooth_a && smooth_b) return smooth_smooth(a, b);
  if (smooth_b) return smooth_polytope(a, feature_a, b, feature_b);
  return reversed(smooth_polytope(b, feature_b, a, feature_a));
}

}  // namespace stickslip::collision
