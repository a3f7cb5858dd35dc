// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Second moments S = integral of x x' dV about the centre of mass give the inertia I = tr(S) 1 - S.
//
// Polygon: sum over triangles (0, a, b) of each side, signed area A = (a x b) / 2:
//     integral dA = A,  integral x dA = A (a + b) / 3,  integral |x|^2 dA = A (a.a + a.b + b.b) / 6
// Polyhedron: sum over tetrahedra (0, a, b, c) of each triangle, signed volume V = a . (b x c) / 6:
//     integral dV = V,  integral x dV = V (a + b + c) / 4,  integral x x' dV = V (s s' + a a' + b b' + c c') / 20, s =
//     a + b + c
// Superellipse |x/a|^p + |y/b|^p <= 1, by Dirichlet's integral:
//     integral over the unit shape of |x|^m |y|^n = 4 G((m+1)/p) G((n+1)/p) / (p^2 G((m+n+2)/p + 1))   (x,y >= 0: one
//     quarter)
// Superellipsoid: sections z = const are superellipses scaled by (1 - |z/c|^q)^(1/q):
//     integral = (section integral of degree k = m + n) * 2 integral_0^1 z^l (1 - z^q)^((k + 2)/q) dz
//              = (section integral) * (2/q) B((l+1)/q, (k+2)/q + 1)
#include "stickslip/model/mass_properties.h"

#include "stickslip/model/triangulate.h"

#include <cmath>
#include <numbers>

namespace stickslip::model {
namespace {

constexpr double kPi = std::numbers::pi;

Mat3 inertia_of_second_moments(const Mat3& S) {
  return S.trace() * Mat3::Identity() - S;
}

MassProperties solid(double mass, const Vec3& inertia) {
  MassProperties p;
  p.mass = mass;
  p.inertia = inertia.asDiagonal();
  return p;
}

MassProperties planar(double mass, double polar) {
  return solid(mass, Vec3(0, 0, polar));
}

// integral over |x|^p + |y|^p <= 1 of |x|^m |y|^n
double unit_section(double p, int m, int n) {
  return 4 / (p * p) * std::exp(std::lgamma((m + 1) / p) + std::lgamma((n + 1) / p) - std::lgamma((m + n + 2) / p + 1));
}

// 2 integral_0^1 z^l (1 - z^q)^e dz
double along_axis(double q, int l, double e) {
  return 2 / q * std::exp(std::lgamma((l + 1) / q) + std::lgamma(e + 1) - std::lgamma((l + 1) / q + e + 1));
}

struct Visitor {
  double density;

  MassProperties operator()(const PointSet&) const { return {}; }
  MassProperties operator()(const HalfSpace&) const { return {}; }
  MassProperties operator()(const Chain&) const { return {}; }

  MassProperties operator()(const Disc& s) const {
    const double r2 = s.radius * s.radius, mass = density * kPi * r2;
    return planar(mass, 0.5 * mass * r2);
  }

  MassProperties operator()(const Polygon& s) const {
    double area = 0, polar = 0;
    Vec2 first = Vec2::Zero();
    // About a point of the outline: no loss of digits far from the origin.
    const Vec2 origin = s.loops.empty() ? Vec2(Vec2::Zero()) : s.loops[0][0];
    for (const std::vector<Vec2>& loop : s.loops) {
      for (std::size_t i = 0; i < loop.size(); ++i) {
        const Vec2 a = loop[i] - origin, b = loop[(i + 1) % loop.size()] - origin;
        const double part = 0.5 * (a.x() * b.y() - a.y() * b.x());
        area += part;
        first += part / 3 * (a + b);
        polar += part / 6 * (a.dot(a) + a.dot(b) + b.dot(b));
      }
    }
    if (area == 0) return {};
    const Vec2 centre = first / area;
    MassProperties p = planar(density * area, density * (polar - area * centre.squaredNorm()));
    p.centre.head<2>() = origin + centre;
    return p;
  }

  MassProperties operator()(const Superellipse& s) const {
    const double e = s.exponent, mass = density * s.a * s.b * unit_section(e, 0, 0);
    const double x2 = s.a * s.a * unit_section(e, 2, 0), y2 = s.b * s.b * unit_section(e, 0, 2);
    return planar(mass, density * s.a * s.b * (x2 + y2));
  }

  MassProperties operator()(const Sphere& s) const {
    const double mass = density * 4.0 / 3.0 * kPi * s.radius * s.radius * s.radius;
    return solid(mass, Vec3::Constant(0.4 * mass * s.radius * s.radius));
  }

  MassProperties operator()(const Cylinder& s) const {
    const double r2 = s.radius * s.radius, l = 2 * s.half_length, mass = density * kPi * r2 * l;
    const double across = mass * (r2 / 4 + l * l / 12);
    return solid(mass, Vec3(across, across, 0.5 * mass * r2));
  }

  // A cylinder and two half balls, whose centres lie 3/8 r beyond the cylinder's ends.
  MassProperties operator()(const Capsule& s) const {
    const double r = s.radius, r2 = r * r, l = 2 * s.half_length;
    const double tube = density * kPi * r2 * l, ball = density * 4.0 / 3.0 * kPi * r2 * r;
    const double beyond = s.half_length + 3.0 / 8.0 * r;
    const double half_ball_across = ball * (0.4 - 9.0 / 64.0) * r2;  // both halves, about their own centres
    const double across = tube * (r2 / 4 + l * l / 12) + half_ball_across + ball * beyond * beyond;
    return solid(tube + ball, Vec3(across, across, 0.5 * tube * r2 + 0.4 * ball * r2));
  }

  MassProperties operator()(const Superellipsoid& s) const {
    const double p = s.exponent_xy, q = s.exponent_z, scale = density * s.a * s.b * s.c;
    const double mass = scale * unit_section(p, 0, 0) * along_axis(q, 0, 2 / q);
    const double x2 = scale * s.a * s.a * unit_section(p, 2, 0) * along_axis(q, 0, 4 / q);
    const double y2 = scale * s.b * s.b * unit_section(p, 0, 2) * along_axis(q, 0, 4 / q);
    const double z2 = scale * s.c * s.c * unit_section(p, 0, 0) * along_axis(q, 2, 2 / q);
    return solid(mass, Vec3(y2 + z2, z2 + x2, x2 + y2));
  }

  MassProperties operator()(const Polyhedron& s) const {
    double volume = 0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    const Vec3 origin = s.vertices.empty() ? Vec3(Vec3::Zero()) : s.vertices[0];
    for (const std::vector<int>& face : s.faces) {
      for (const auto& t : triangulate_face(s.vertices, face)) {
        const Vec3 a = s.vertices[static_cast<std::size_t>(t[0])] - origin;
        const Vec3 b = s.vertices[static_cast<std::size_t>(t[1])] - origin;
        const Vec3 c = s.vertices[static_cast<std::size_t>(t[2])] - origin;
        const double part = a.dot(b.cross(c)) / 6;
        const Vec3 sum = a + b + c;
        volume += part;
        first += part / 4 * sum;
        second += part / 20 * (sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
      }
    }
    if (volume == 0) return {};
    const Vec3 centre = first / volume;
    MassProperties p;
    p.mass = density * volume;
    p.centre = origin + centre;
    p.inertia = density * inertia_of_second_moments(second - volume * centre * centre.transpose());
    return p;
  }
};

}  // namespace

MassProperties mass_properties(const Shape& shape, double density) {
  return std::visit(Visitor{density}, shape);
}

MassProperties moved(const MassProperties& properties, const Pose& pose) {
  const Mat3 R = pose.orientation.toRotationMatrix();
  return {properties.mass, pose.position + R * properties.centre, R * properties.inertia * R.transpose()};
}

MassProperties combined(std::span<const MassProperties> parts) {
  MassProperties whole;
  for (const MassProperties& part : parts) {
    whole.mass += part.mass;
    whole.centre += part.mass * part.centre;
  }
  if (whole.mass == 0) return {};
  whole.centre /= whole.mass;
  for (const MassProperties& part : parts) {
    const Vec3 d = part.centre - whole.centre;
    whole.inertia += part.inertia + part.mass * inertia_of_second_moments(d * d.transpose());
  }
  return whole;
}

std::optional<MassProperties> uniform_body(std::span<const PlacedShape> shapes) {
  std::vector<MassProperties> parts;
  for (const PlacedShape& placed : shapes) parts.push_back(moved(mass_properties(placed.shape, 1), placed.pose));
  const MassProperties total = combined(parts);
  if (!(total.mass > 0)) return std::nullopt;
  return total;
}

}  // namespace stickslip::model
