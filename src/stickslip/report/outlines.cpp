// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/outlines.h"

#include <cmath>
#include <functional>
#include <numbers>

namespace stickslip::report {
namespace {

using std::numbers::pi;
constexpr int kAround = 48, kRings = 16;

double power(double x, double exponent) {
  return std::copysign(std::pow(std::fabs(x), 2 / exponent), x);
}

// Faces of a surface of rings; `at` takes the angle about z and the ring from 0 (bottom) to kRings (top).
std::vector<std::vector<Vec3>> rings(const std::function<Vec3(double, int)>& at) {
  std::vector<std::vector<Vec3>> list;
  for (int ring = 0; ring < kRings; ++ring)
    for (int k = 0; k < kAround; ++k) {
      const double a = 2 * pi * k / kAround, b = 2 * pi * (k + 1) / kAround;
      list.push_back({at(a, ring), at(b, ring), at(b, ring + 1), at(a, ring + 1)});
    }
  return list;
}

double latitude(int ring) {
  return pi * (static_cast<double>(ring) / kRings - 0.5);
}

}  // namespace

std::vector<std::vector<Vec2>> outline(const model::Shape& shape) {
  std::vector<Vec2> loop;
  if (const auto* disc = std::get_if<model::Disc>(&shape)) {
    for (int k = 0; k < kAround; ++k)
      loop.push_back(disc->radius * Vec2(std::cos(2 * pi * k / kAround), std::sin(2 * pi * k / kAround)));
  } else if (const auto* polygon = std::get_if<model::Polygon>(&shape)) {
    return polygon->loops;
  } else if (const auto* s = std::get_if<model::Superellipse>(&shape)) {
    for (int k = 0; k < 2 * kAround; ++k) {
      const double angle = pi * k / kAround;
      loop.emplace_back(s->a * power(std::cos(angle), s->exponent), s->b * power(std::sin(angle), s->exponent));
    }
  }
  if (loop.empty()) return {};
  return {loop};
}

std::vector<std::vector<Vec3>> faces(const model::Shape& shape) {
  if (const auto* solid = std::get_if<model::Polyhedron>(&shape)) {
    std::vector<std::vector<Vec3>> list;
    for (const std::vector<int>& face : solid->faces) {
      list.emplace_back();
      for (const int corner : face) list.back().push_back(solid->vertices[static_cast<std::size_t>(corner)]);
    }
    return list;
  }
  if (const auto* s = std::get_if<model::Sphere>(&shape)) {
    return rings([&](double a, int ring) -> Vec3 {
      const double l = latitude(ring);
      return s->radius * Vec3(std::cos(l) * std::cos(a), std::cos(l) * std::sin(a), std::sin(l));
    });
  }
  if (const auto* s = std::get_if<model::Capsule>(&shape)) {
    return rings([&](double a, int ring) -> Vec3 {
      const double l = latitude(ring), shift = ring <= kRings / 2 - 1 ? -s->half_length : s->half_length;
      return s->radius * Vec3(std::cos(l) * std::cos(a), std::cos(l) * std::sin(a), std::sin(l)) + Vec3(0, 0, shift);
    });
  }
  if (const auto* s = std::get_if<model::Cylinder>(&shape)) {
    std::vector<std::vector<Vec3>> list(2);
    const auto rim = [&](int k, double z) {
      const double a = 2 * pi * k / kAround;
      return Vec3(s->radius * std::cos(a), s->radius * std::sin(a), z);
    };
    for (int k = 0; k < kAround; ++k) {
      list[0].push_back(rim(k, s->half_length));
      list[1].push_back(rim(kAround - k, -s->half_length));
      list.push_back(
          {rim(k, -s->half_length), rim(k + 1, -s->half_length), rim(k + 1, s->half_length), rim(k, s->half_length)});
    }
    return list;
  }
  if (const auto* s = std::get_if<model::Superellipsoid>(&shape)) {
    return rings([&](double a, int ring) -> Vec3 {
      const double l = latitude(ring), flat = power(std::cos(l), s->exponent_z);
      return {s->a * flat * power(std::cos(a), s->exponent_xy), s->b * flat * power(std::sin(a), s->exponent_xy),
              s->c * power(std::sin(l), s->exponent_z)};
    });
  }
  return {};
}

}  // namespace stickslip::report
