// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Closest point. The surface is symmetric, so x is reflected into the octant of positive coordinates first.
//
// Exponents >= 2 (round, or box-like with flat spots): sequential quadratic steps for  min |y - x|^2 / 2,  f(y) = 1:
//     (I + l H) dy + g dl = -(y - x + l g),   g.dy = 1 - f,        g, H: gradient and Hessian of f at y
// Flat spots (H = 0) are harmless there. The step is cut so that y stays in the octant, and halved until the merit
// |y - x|^2 / 2 + w |f - 1| falls.
//
// Exponents < 2 have edges where H is infinite. There the unit normal n is the unknown, and the signed distance
//     phi(n) = n.x - h(n)
// is maximised on the sphere by Newton's method; h'' is bounded for these exponents.
//
// Cost: 5 to 10 iterations, each a few calls of pow. Assumptions: x not at the centre.
#include "stickslip/collision/superellipsoid.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr int kMostIterations = 60;
constexpr double kDone = 1e-15;  // step relative to the size: rounding
constexpr int kMostHalvings = 30;
constexpr double kLeastWeight = 1e-3;  // of the size: the merit sees the surface where the multiplier is zero, on it
constexpr double kSmallStep = 1e-8;  // of the size: the merit, which is flat at its least, falls by less than rounding

// t^e for t >= 0; negative powers of 0 belong to terms that vanish.
double power(double t, double e) {
  if (e == 2) return t * t;
  if (e == 1) return t;
  if (e == 0) return 1;
  return t > 0 ? std::pow(t, e) : 0.0;
}

struct Jet {
  double value = 0;
  Vec3 gradient = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
};

// ((x^p + y^p)^(q/p) + z^q) in scaled coordinates u >= 0, with derivatives in u.
Jet unit_level(const Vec3& u, double p, double q) {
  Jet f;
  const double xp = power(u.x(), p), yp = power(u.y(), p), s = xp + yp;
  if (s > 1e-200) {  // the second derivatives divide by s twice
    const double k = q / p, sk = power(s, k), sk1 = sk / s, sk2 = sk1 / s;
    const Vec2 ds(p * power(u.x(), p - 1), p * power(u.y(), p - 1));
    const Vec2 dds(p * (p - 1) * power(u.x(), p - 2), p * (p - 1) * power(u.y(), p - 2));
    f.value += sk;
    f.gradient.head<2>() = k * sk1 * ds;
    f.hessian.topLeftCorner<2, 2>() = k * (k - 1) * sk2 * ds * ds.transpose();
    f.hessian(0, 0) += k * sk1 * dds.x();
    f.hessian(1, 1) += k * sk1 * dds.y();
  }
  f.value += power(u.z(), q);
  f.gradient.z() = q * power(u.z(), q - 1);
  f.hessian(2, 2) = q * (q - 1) * power(u.z(), q - 2);
  return f;
}

Vec3 inverse_axes(const SmoothSurface& s) {
  const double z = s.semi_axes.z() > 0 ? 1 / s.semi_axes.z() : 1 / s.semi_axes.x();
  return {1 / s.semi_axes.x(), 1 / s.semi_axes.y(), z};
}

Jet level(const Vec3& scale, double p, double q, const Vec3& y) {
  Jet f = unit_level(y.cwiseProduct(scale), p, q);
  f.gradient = f.gradient.cwiseProduct(scale).eval();
  f.hessian = (scale.asDiagonal() * f.hessian * scale.asDiagonal()).eval();
  return f;
}

// Support function h(n) for n >= 0 with derivatives, by the dual exponents.
Jet support_jet(const Vec3& axes, double p, double q, const Vec3& n) {
  const double dp = p / (p - 1), dq = q / (q - 1);
  Jet f = level(axes, dp, dq, n);  // h^q'
  const double h = std::pow(f.value, 1 / dq), slope = h / (dq * f.value);
  Jet result;
  result.value = h;
  result.gradient = slope * f.gradient;
  result.hessian =
      slope * f.hessian + (1 / dq) * (1 / dq - 1) * h / (f.value * f.value) * f.gradient * f.gradient.transpose();
  return result;
}

// Where the ray from the centre through x meets the surface.
Vec3 radial(const Vec3& scale, double p, double q, const Vec3& x) {
  return x / std::pow(unit_level(x.cwiseProduct(scale), p, q).value, 1 / q);
}

ClosestPoint closest_by_point(const Vec3& scale, double p, double q, const Vec3& x) {
  Vec3 y = radial(scale, p, q, x);
  Jet f = level(scale, p, q, y);
  const double size = 1 / scale.minCoeff();
  double multiplier = (x - y).dot(f.gradient) / f.gradient.squaredNorm();
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    Eigen::Matrix4d system = Eigen::Matrix4d::Zero();
    system.topLeftCorner<3, 3>() = Mat3::Identity() + multiplier * f.hessian;
    system.topRightCorner<3, 1>() = f.gradient;
    system.bottomLeftCorner<1, 3>() = f.gradient.transpose();
    Eigen::Vector4d rhs;
    rhs << x - y - multiplier * f.gradient, 1 - f.value;
    const Eigen::Vector4d step = system.partialPivLu().solve(rhs);
    Vec3 dy = step.head<3>();
    if (!dy.allFinite()) break;
    if (dy.norm() <= kDone * size) break;
    const double weight = 2 * std::abs(multiplier + step[3]) + kLeastWeight * size;
    const auto merit = [&](const Vec3& at, double value) {
      return 0.5 * (at - x).squaredNorm() + weight * std::abs(value - 1);
    };
    // Deep inside, the system is indefinite and its step may lead uphill, where no part of it is shorter.
    const bool small = dy.norm() < kSmallStep * size;
    if (!small && (y - x).dot(dy) >= weight * std::abs(f.value - 1)) break;
    const double before = merit(y, f.value);
    double cut = 1;
    Vec3 next = y;
    Jet at_next = f;
    for (int halving = 0; halving < kMostHalvings; ++halving, cut *= 0.5) {
      next = (y + cut * dy).cwiseMax(0.0);
      at_next = level(scale, p, q, next);
      // Rounding may hide the last fall of the merit: full small steps are always taken.
      if (merit(next, at_next.value) <= before || small) break;
    }
    y = next;
    f = at_next;
    multiplier += cut * step[3];
  }
  y = radial(scale, p, q, y);
  f = level(scale, p, q, y);
  const Vec3 n = f.gradient.normalized();
  return {y, n, n.dot(x - y)};
}

ClosestPoint closest_by_normal(const Vec3& axes, const Vec3& scale, double p, double q, const Vec3& x) {
  const Vec3 start = level(scale, p, q, radial(scale, p, q, x)).gradient;
  Vec3 n = start.normalized();
  Jet h = support_jet(axes, p, q, n);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    const double phi = n.dot(x) - h.value;
    const Vec3 gradient = x - h.gradient - phi * n;  // tangential: n.(x - h') = phi
    // Newton on the tangent plane; the normal direction is pinned by n n'.
    const Mat3 project = Mat3::Identity() - n * n.transpose();
    const Mat3 curvature = project * h.hessian * project + phi * project + h.value * n * n.transpose();
    Vec3 step = curvature.partialPivLu().solve(gradient);
    if (!step.allFinite() || step.dot(gradient) < 0) step = gradient / h.value;
    if (step.norm() <= kDone) break;
    double cut = 1;
    Vec3 next = n;
    Jet at_next = h;
    for (int halving = 0; halving < kMostHalvings; ++halving, cut *= 0.5) {
      next = (n + cut * step).cwiseMax(0.0).normalized();
      at_next = support_jet(axes, p, q, next);
      if (next.dot(x) - at_next.value >= phi || step.norm() < kSmallStep) break;
    }
    n = next;
    h = at_next;
  }
  return {h.gradient, n, n.dot(x) - h.value};
}

Vec3 signs_of(const Vec3& v) {
  return {std::copysign(1.0, v.x()), std::copysign(1.0, v.y()), std::copysign(1.0, v.z())};
}

}  // namespace

Vec3 superellipsoid_support(const SmoothSurface& s, const Vec3& d) {
  const Vec3 point = support_jet(s.semi_axes, s.p, s.q, d.cwiseAbs()).gradient;
  return point.cwiseProduct(signs_of(d));
}

ClosestPoint superellipsoid_closest(const SmoothSurface& s, const Vec3& x) {
  const Vec3 signs = signs_of(x), scale = inverse_axes(s);
  Vec3 y = x.cwiseAbs();
  if (y.norm() == 0) y.x() = 1e-12 * s.semi_axes.x();
  const bool round = s.p >= 2 && s.q >= 2;
  ClosestPoint closest =
      round ? closest_by_point(scale, s.p, s.q, y) : closest_by_normal(scale.cwiseInverse(), scale, s.p, s.q, y);
  closest.point = closest.point.cwiseProduct(signs).eval();
  closest.normal = closest.normal.cwiseProduct(signs).eval();
  return closest;
}

}  // namespace stickslip::collision
