// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How deep two bodies overlap, by trying directions: shares no code with the contact search, nor with the audit.
//
//     depth = min over unit n of  h_A(n) + h_B(-n)          (h: how far a body reaches along a direction)
//
// Two polygons or polyhedra: every side, every facet normal and every product of edges: exact. With curved parts: the
// direction between the closest points, which tells apart what is, then many directions, and a descent from the best of
// them; the depth of what overlaps is then too large rather than too small. Concave
// bodies are taken as their convex parts, the depth is the largest among pairs of parts. Slow where bodies overlap by more
// than what is asked; else the first direction that tells them apart ends it: the line of centres, that of the spheres
// around them, or the one that told them apart before.
#pragma once

#include "stickslip/model/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stickslip::bench {

class OverlapOracle {
 public:
  OverlapOracle(const model::Body& body, const model::Pose& pose) : planar_(body.planar()) {
    for (const model::PlacedShape& placed : body.shapes) {
      model::Pose world;
      world.position = pose.position + pose.orientation * placed.pose.position;
      world.orientation = pose.orientation * placed.pose.orientation;
      add(placed.shape, world);
    }
  }

  // Depth > 0, or 0 when apart (or when nothing can be said: points, half-spaces against each other). Of less than
  // `enough` only a bound: the search ends there. `hint`: a direction to be tried first, any; becomes the last one that
  // was best.
  [[nodiscard]] double depth(const OverlapOracle& other, double enough = 0, Vec3* hint = nullptr) const {
    double deepest = 0;
    for (const Part& a : parts_)
      for (const Part& b : other.parts_) deepest = std::max(deepest, depth(a, b, enough, hint));
    return deepest;
  }
  // Of bodies of one part each, along a unit direction from the other into this one.
  [[nodiscard]] double width(const OverlapOracle& other, const Vec3& n) const {
    return reach(parts_.front(), -n) + reach(other.parts_.front(), n);
  }
  // How far the body reaches along a unit direction, from the origin.
  [[nodiscard]] double reach(const Vec3& n) const {
    double far = -std::numeric_limits<double>::infinity();
    for (const Part& part : parts_) far = std::max(far, reach(part, n));
    return far;
  }
  // The smallest width over the directions of the axes and of the facets of all parts; infinite: none.
  [[nodiscard]] double thickness() const { return thickness_; }
  [[nodiscard]] double radius() const { return radius_; }

 private:
  struct Part {
    enum class Kind { Vertices, Cylinder, Superellipsoid, HalfSpace } kind = Kind::Vertices;
    std::vector<Vec3> vertex, normal, edge;
    double rounding = 0, offset = 0, p = 2, q = 2;
    double sphere = 0;  // around the centre, holds the part
    Vec3 centre = Vec3::Zero(), half = Vec3::Zero();
    Mat3 axes = Mat3::Identity();
  };

  static double reach(const Part& part, const Vec3& n) {
    if (part.kind == Part::Kind::Vertices) {
      double far = -std::numeric_limits<double>::infinity();
      for (const Vec3& v : part.vertex) far = std::max(far, n.dot(v));
      return far + part.rounding;
    }
    const Vec3 d = part.axes.transpose() * n;
    if (part.kind == Part::Kind::Cylinder)
      return n.dot(part.centre) + part.half.x() * std::hypot(d.x(), d.y()) + part.half.z() * std::abs(d.z());
    const double p = part.p / (part.p - 1), q = part.q / (part.q - 1);
    const Vec3 u = d.cwiseAbs().cwiseProduct(part.half);
    const double across = std::pow(std::pow(u.x(), p) + std::pow(u.y(), p), 1 / p);
    return n.dot(part.centre) + std::pow(std::pow(across, q) + std::pow(u.z(), q), 1 / q);
  }

  // A point of the part, without its rounding, that reaches farthest along n: the gradient of reach().
  static Vec3 farthest(const Part& part, const Vec3& n) {
    if (part.kind == Part::Kind::Vertices)
      return *std::max_element(part.vertex.begin(), part.vertex.end(),
                               [&](const Vec3& x, const Vec3& y) { return n.dot(x) < n.dot(y); });
    const Vec3 d = part.axes.transpose() * n;
    const auto along = [](double x, double size) { return size > 0 ? x / size : 0.0; };
    Vec3 x;
    if (part.kind == Part::Kind::Cylinder) {
      const double across = std::hypot(d.x(), d.y());
      x = Vec3(along(d.x(), across), along(d.y(), across), d.z() < 0 ? -1 : 1);
    } else {
      const double p = part.p / (part.p - 1), q = part.q / (part.q - 1);
      const Vec3 u = d.cwiseAbs().cwiseProduct(part.half);
      const double across = std::pow(std::pow(u.x(), p) + std::pow(u.y(), p), 1 / p);
      const double all = std::pow(std::pow(across, q) + std::pow(u.z(), q), 1 / q);
      const double flat = std::pow(along(across, all), q - 1);
      x = Vec3(flat * std::pow(along(u.x(), across), p - 1), flat * std::pow(along(u.y(), across), p - 1),
               std::pow(along(u.z(), all), q - 1));
      for (int k = 0; k < 3; ++k) x[k] = std::copysign(x[k], d[k]);
    }
    return part.centre + part.axes * x.cwiseProduct(part.half);
  }

  [[nodiscard]] double depth(const Part& a, const Part& b, double enough, Vec3* hint) const {
    if (a.kind == Part::Kind::HalfSpace && b.kind == Part::Kind::HalfSpace) return 0;
    if (b.kind == Part::Kind::HalfSpace) return std::max(0.0, b.offset + reach(a, -b.normal.front()));
    if (a.kind == Part::Kind::HalfSpace) return std::max(0.0, a.offset + reach(b, -a.normal.front()));
    const Vec3 line = b.centre - a.centre;
    if (line.norm() >= a.sphere + b.sphere) return 0;
    double best = std::numeric_limits<double>::infinity();
    Vec3 at = Vec3::UnitX();
    const auto ask = [&](const Vec3& n) {
      const double overlap = reach(a, n) + reach(b, -n);
      if (overlap < best) best = overlap, at = n;
    };
    if (hint != nullptr && !hint->isZero()) ask(*hint);
    if (best > enough && line.norm() > 0) ask(line.normalized());
    if (best > enough) search(a, b, ask, at, best, enough);
    if (hint != nullptr) *hint = at;
    return std::max(0.0, best);
  }

  template <class Ask>
  void search(const Part& a, const Part& b, const Ask& ask, Vec3& at, const double& best, double enough) const {
    for (const Part* part : {&a, &b})
      for (const Vec3& n : part->normal) ask(n), ask(-n);
    for (const Vec3& e : a.edge) {
      for (const Vec3& f : b.edge) {
        if (best <= enough) return;
        const Vec3 n = e.cross(f);
        if (n.norm() > 1e-9 * e.norm() * f.norm()) ask(n.normalized()), ask(-n.normalized());
      }
    }
    const bool exact = a.kind == Part::Kind::Vertices && b.kind == Part::Kind::Vertices && a.rounding + b.rounding == 0;
    if (exact) return;
    approach(a, b, ask, best, enough);
    descend(ask, at, best, enough);
  }

  // Of all differences of a point of a and one of b, roundings left out, the one next to the origin: what is apart is told
  // apart by its direction. Conditional gradients with pairwise steps (Lacoste-Julien, Jaggi 2015): weight moves from the
  // farthest of the points that carry it to the one that reaches farthest.
  template <class Ask>
  void approach(const Part& a, const Part& b, const Ask& ask, const double& best, double enough) const {
    constexpr int kMost = 300;
    std::vector<Vec3> point{a.centre - b.centre};
    std::vector<double> weight{1.0};
    Vec3 v = point.front();
    for (int i = 0; i < kMost && best > enough && v.norm() > 1e-12 * (a.sphere + b.sphere); ++i) {
      ask(-v.normalized());
      const Vec3 next = farthest(a, -v) - farthest(b, v);
      const auto far =
          static_cast<std::size_t>(std::max_element(point.begin(), point.end(),
                                                    [&](const Vec3& x, const Vec3& y) { return v.dot(x) < v.dot(y); }) -
                                   point.begin());
      const Vec3 way = next - point[far];
      if (!(-v.dot(way) > 1e-15 * v.squaredNorm())) return;
      const double share = std::min(weight[far], -v.dot(way) / way.squaredNorm());
      v += share * way;
      weight[far] -= share;
      if (weight[far] <= 0) {
        point[far] = next, weight[far] = share;
      } else {
        point.push_back(next), weight.push_back(share);
      }
    }
  }

  template <class Ask>
  void descend(const Ask& ask, Vec3& at, const double& best, double enough) const {
    constexpr int kDirections = 240;
    for (int i = 0; i < kDirections && best > enough; ++i) {
      const double t = 2.399963229728653 * i, z = planar_ ? 0.0 : 1 - 2 * (i + 0.5) / kDirections;
      const double r = std::sqrt(1 - z * z), turn = planar_ ? 6.283185307179586 * i / kDirections : t;
      ask(Vec3(r * std::cos(turn), r * std::sin(turn), z));
    }
    // By turning a little this way and that, less and less: where the width has a kink, few of the ways lead down, so
    // that there are many of them, others in each round.
    constexpr int kSides = 24;
    double offset = 0;
    for (double step = 0.3; step > 1e-7 && best > enough; step *= 0.5) {
      for (int round = 0; round < 40 && best > enough; ++round, offset += 0.6180339887) {
        const double before = best;
        const Vec3 from = at, u = planar_ ? Vec3(-from.y(), from.x(), 0) : from.unitOrthogonal(), v = from.cross(u);
        for (int k = 0; k < (planar_ ? 2 : kSides); ++k) {
          const double angle = 6.283185307179586 * (k + offset) / kSides;
          ask((from + step * (planar_ ? Vec3((k == 0 ? 1 : -1) * u) : Vec3(std::cos(angle) * u + std::sin(angle) * v)))
                  .normalized());
        }
        if (!(best < before)) break;
      }
    }
  }

  void finish(Part part) {
    if (part.kind == Part::Kind::Vertices) {
      part.centre.setZero();
      for (const Vec3& v : part.vertex) part.centre += v / static_cast<double>(part.vertex.size());
      for (const Vec3& v : part.vertex) part.sphere = std::max(part.sphere, (v - part.centre).norm() + part.rounding);
    } else {  // superellipsoids lie in their box, cylinders too
      part.sphere = part.half.norm();
    }
    std::vector<Vec3> directions = part.normal;
    for (int k = 0; k < (planar_ ? 2 : 3); ++k) directions.push_back(part.axes.col(k));
    for (const Vec3& n : directions) {
      const double width = reach(part, n) + reach(part, -n);
      if (width > 0) thickness_ = std::min(thickness_, width);
      radius_ = std::max(radius_, width);
    }
    parts_.push_back(std::move(part));
  }

  void add_outline(const std::vector<Vec2>& loop, const model::Pose& at) {
    Part part;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec2 &p = loop[i], &q = loop[(i + 1) % loop.size()];
      part.vertex.push_back(at.position + at.orientation * Vec3(p.x(), p.y(), 0));
      const Vec2 side = (q - p).normalized();
      part.normal.push_back(at.orientation * Vec3(side.y(), -side.x(), 0));
    }
    finish(std::move(part));
  }

  void add(const model::Shape& shape, const model::Pose& at) {
    Part part;
    part.centre = at.position;
    part.axes = at.orientation.toRotationMatrix();
    if (const auto* half = std::get_if<model::HalfSpace>(&shape)) {
      part.kind = Part::Kind::HalfSpace;
      part.normal = {at.orientation * half->normal.normalized()};
      part.offset = half->offset / half->normal.norm() + part.normal.front().dot(at.position);
      parts_.push_back(std::move(part));
    } else if (const auto* outline = std::get_if<model::Polygon>(&shape)) {
      // An L is the only concave outline of random_scene.h: the lower bar, and the column.
      const std::vector<Vec2>& p = outline->loops.front();
      if (p.size() == 6 && (p[3] - p[2]).dot(p[4] - p[3]) == 0) {
        add_outline({p[0], p[1], p[2], Vec2(p[0].x(), p[2].y())}, at);
        add_outline({p[0], Vec2(p[3].x(), p[0].y()), p[4], p[5]}, at);
      } else {
        add_outline(p, at);
      }
    } else if (const auto* solid = std::get_if<model::Polyhedron>(&shape)) {
      for (const Vec3& v : solid->vertices) part.vertex.push_back(at.position + at.orientation * v);
      for (const auto& face : solid->faces) {
        const auto corner = [&](std::size_t i) { return part.vertex[static_cast<std::size_t>(face[i % face.size()])]; };
        part.normal.push_back((corner(1) - corner(0)).cross(corner(2) - corner(1)).normalized());
        for (std::size_t i = 0; i < face.size(); ++i)
          if (face[i] < face[(i + 1) % face.size()]) part.edge.push_back(corner(i + 1) - corner(i));
      }
      finish(std::move(part));
    } else if (const auto* cylinder = std::get_if<model::Cylinder>(&shape)) {
      part.kind = Part::Kind::Cylinder;
      part.half = Vec3(cylinder->radius, cylinder->radius, cylinder->half_length);
      finish(std::move(part));
    } else if (const auto* rounded = std::get_if<model::Superellipsoid>(&shape)) {
      part.kind = Part::Kind::Superellipsoid;
      part.half = Vec3(rounded->a, rounded->b, rounded->c), part.p = rounded->exponent_xy, part.q = rounded->exponent_z;
      finish(std::move(part));
    } else if (const auto* ellipse = std::get_if<model::Superellipse>(&shape)) {
      part.kind = Part::Kind::Superellipsoid;
      part.half = Vec3(ellipse->a, ellipse->b, 0), part.p = ellipse->exponent;
      finish(std::move(part));
    } else if (const auto* capsule = std::get_if<model::Capsule>(&shape)) {
      const Vec3 along = part.axes.col(2) * capsule->half_length;
      part.vertex = {at.position - along, at.position + along};
      part.rounding = capsule->radius;
      finish(std::move(part));
    } else if (std::holds_alternative<model::Sphere>(shape) || std::holds_alternative<model::Disc>(shape)) {
      part.vertex = {at.position};
      part.rounding = std::holds_alternative<model::Sphere>(shape) ? std::get<model::Sphere>(shape).radius
                                                                   : std::get<model::Disc>(shape).radius;
      finish(std::move(part));
    }
    // Chains and points have no inside.
  }

  bool planar_;
  std::vector<Part> parts_;
  double thickness_ = std::numeric_limits<double>::infinity(), radius_ = 0;
};

}  // namespace stickslip::bench
