// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How deep two convex shapes overlap, by the support functions of model::Shape and nothing of the collision code:
//
//     depth = min over unit n of  h_A(-n) + h_B(n)             h: how far a shape reaches along a direction
//
// Every direction gives an upper bound. Boxes and hulls, balls, capsules, cylinders, ellipsoids.
#pragma once

#include "stickslip/model/model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>
#include <vector>

namespace stickslip::bench {

inline Vec3 support_point(const model::Shape& shape, const Vec3& d) {
  if (const auto* s = std::get_if<model::Sphere>(&shape)) return s->radius * d.normalized();
  if (const auto* s = std::get_if<model::Capsule>(&shape))
    return s->radius * d.normalized() + Vec3(0, 0, d.z() > 0 ? s->half_length : -s->half_length);
  if (const auto* s = std::get_if<model::Cylinder>(&shape)) {
    const double across = d.head<2>().norm();
    const Vec2 rim = across > 0 ? Vec2(s->radius * d.head<2>() / across) : Vec2::Zero();
    return {rim.x(), rim.y(), d.z() > 0 ? s->half_length : -s->half_length};
  }
  if (const auto* s = std::get_if<model::Superellipsoid>(&shape)) {  // exponents 2 only
    const Vec3 axes(s->a, s->b, s->c), scaled = axes.cwiseProduct(d);
    return axes.cwiseProduct(scaled) / scaled.norm();
  }
  const auto& solid = std::get<model::Polyhedron>(shape);
  Vec3 best = solid.vertices[0];
  for (const Vec3& v : solid.vertices) {
    if (v.dot(d) > best.dot(d)) best = v;
  }
  return best;
}

class OverlapWidth {
 public:
  OverlapWidth(const model::Shape& a, const model::Pose& pose_a, const model::Shape& b, const model::Pose& pose_b)
      : a_(a), b_(b), pose_a_(pose_a), pose_b_(pose_b) {}

  // Along n, from b into a.
  [[nodiscard]] double along(const Vec3& n) const {
    return n.dot(farthest(b_, pose_b_, n) - farthest(a_, pose_a_, -n));
  }

  // The smallest that a search finds which begins at directions all around and at `first`; any value is an upper bound
  // of the depth.
  [[nodiscard]] double smallest(const Vec3& first) const {
    constexpr int kDirections = 100, kStarts = 4;
    std::vector<std::pair<double, Vec3>> starts{{along(first), first}};
    for (int i = 0; i < kDirections; ++i) {
      const double turn = 2.399963229728653 * i, z = 1 - 2 * (i + 0.5) / kDirections, r = std::sqrt(1 - z * z);
      const Vec3 n(r * std::cos(turn), r * std::sin(turn), z);
      starts.emplace_back(along(n), n);
    }
    for (const auto& [shape, pose] : {std::pair{&a_, &pose_a_}, std::pair{&b_, &pose_b_}})
      for (const Vec3& axis : own_directions(*shape))
        for (const double side : {1.0, -1.0})
          starts.emplace_back(along(side * (pose->orientation * axis)), side * (pose->orientation * axis));
    std::ranges::sort(starts.begin() + 1, starts.end(), {}, [](const auto& start) { return start.first; });
    double best = starts.front().first;
    for (std::size_t i = 0; i < kStarts; ++i) best = std::min(best, descend(starts[i].first, starts[i].second));
    return best;
  }

  // The same, and on the circles of directions square to every edge and axis, where the width has kinks in which a
  // descent stays: from `first`, and from all normals of faces and axes of round shapes that are nearly on the circle.
  [[nodiscard]] double smallest_on_kinks(const Vec3& first) const {
    double best = smallest(first);
    std::vector<Vec3> starts{first}, lines;
    for (const auto& [shape, pose] : {std::pair{&a_, &pose_a_}, std::pair{&b_, &pose_b_}}) {
      for (const Vec3& axis : own_directions(*shape))
        for (const double side : {1.0, -1.0}) starts.emplace_back(side * (pose->orientation * axis));
      for (const Vec3& line : own_lines(*shape)) lines.emplace_back(pose->orientation * line);
    }
    const auto nearer = [&](const Vec3& x, const Vec3& y) { return along(x) < along(y); };
    std::ranges::sort(starts.begin() + 1, starts.end(), nearer);
    starts.resize(std::min<std::size_t>(starts.size(), 5));
    for (const Vec3& line : lines)
      for (const Vec3& start : starts)
        if (std::fabs(line.dot(start)) < 0.2) best = std::min(best, on_circle(line, start));
    return best;
  }

 private:
  static Vec3 farthest(const model::Shape& shape, const model::Pose& pose, const Vec3& n) {
    return pose.position + pose.orientation * support_point(shape, pose.orientation.conjugate() * n);
  }
  // Where the width along a direction has a corner: normals of faces, and the axes of round shapes.
  static std::vector<Vec3> own_directions(const model::Shape& shape) {
    std::vector<Vec3> directions{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    if (const auto* solid = std::get_if<model::Polyhedron>(&shape))
      for (const auto& face : solid->faces) {
        const auto corner = [&](std::size_t i) { return solid->vertices[static_cast<std::size_t>(face[i])]; };
        directions.push_back((corner(1) - corner(0)).cross(corner(2) - corner(0)).normalized());
      }
    return directions;
  }
  // Edges, and the axes of what is round about one.
  static std::vector<Vec3> own_lines(const model::Shape& shape) {
    std::vector<Vec3> lines;
    if (const auto* solid = std::get_if<model::Polyhedron>(&shape)) {
      for (const auto& face : solid->faces)
        for (std::size_t i = 0; i < face.size(); ++i) {
          const int from = face[i], to = face[(i + 1) % face.size()];
          if (from < to)
            lines.push_back(
                (solid->vertices[static_cast<std::size_t>(to)] - solid->vertices[static_cast<std::size_t>(from)])
                    .normalized());
        }
    } else {
      lines.push_back(Vec3::UnitZ());
    }
    return lines;
  }
  // At angles 0 and +-10^-9 ... 1 from the direction on the circle that is next to `start`, then by thirds.
  [[nodiscard]] double on_circle(const Vec3& line, const Vec3& start) const {
    const Vec3 u = (start - line.dot(start) * line).normalized(), v = line.cross(u);
    const auto at = [&](double angle) { return along(std::cos(angle) * u + std::sin(angle) * v); };
    std::vector<double> angles{0};
    for (double exponent = -9; exponent <= 0; exponent += 0.25)
      for (const double side : {1.0, -1.0}) angles.push_back(side * std::pow(10.0, exponent));
    std::ranges::sort(angles);
    std::size_t best = 1;
    for (std::size_t i = 1; i + 1 < angles.size(); ++i)
      if (at(angles[i]) < at(angles[best])) best = i;
    double low = angles[best - 1], high = angles[best + 1];
    for (int i = 0; i < 80; ++i) {
      const double x = low + (high - low) / 3, y = high - (high - low) / 3;
      (at(x) < at(y) ? high : low) = at(x) < at(y) ? y : x;
    }
    return std::min(at(0.5 * (low + high)), at(angles[best]));
  }
  // By turning a little this way and that, less and less.
  [[nodiscard]] double descend(double best, Vec3 n) const {
    constexpr int kSides = 8;
    for (double step = 0.2; step > 1e-9; step *= 0.5) {
      for (int round = 0; round < 20; ++round) {
        const Vec3 u = n.unitOrthogonal(), v = n.cross(u), from = n;
        const double before = best;
        for (int k = 0; k < kSides; ++k) {
          const double angle = 2 * std::numbers::pi * k / kSides;
          const Vec3 other = (from + step * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
          if (const double width = along(other); width < best) best = width, n = other;
        }
        if (!(best < before)) break;
      }
    }
    return best;
  }

  const model::Shape &a_, &b_;
  model::Pose pose_a_, pose_b_;
};

}  // namespace stickslip::bench
