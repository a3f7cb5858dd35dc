// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random shots: a body of any shape flies at a thin wall, a chain, a ball, a plane or another body, by up to 100 of its
// own lengths per step, spinning, with any restitution. Whether it passed is judged without collision code:
//
//   wall, chain, plane   too wide to go around: the centre of mass is still in front of it
//   free targets         aimed so that the inscribed balls of the two bodies meet: the target was hit, so it moves; the
//                        sum of the momenta is what it was
//   all                  kinetic energy has not grown (beyond what first-order steppers' gaps cost: the caller's limit)
#pragma once

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/model/mass_properties.h"
#include "stickslip/model/primitives.h"
#include "stickslip/simulation/simulation.h"

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace stickslip::bench {

enum class Target : std::uint8_t { Wall, Chain, Plane, Ball, Other };
inline constexpr std::array kTargets = {Target::Wall, Target::Chain, Target::Plane, Target::Ball, Target::Other};

[[nodiscard]] inline const char* name_of(Target target) {
  constexpr std::array kNames = {"thin wall", "chain", "half-space", "ball", "each other"};
  return kNames[static_cast<std::size_t>(target)];
}

struct Shot {
  model::Model model;
  stepping::Method method;
  Target target = Target::Wall;
  std::string shape;
  double speed = 0, length = 0;  // of the projectile; length: largest distance from its centre
  double lengths_per_step = 0;
  int steps = 0;
};

struct ShotResult {
  bool certified = true, passed = false;
  double gain = 0;  // of kinetic energy, relative to the start
  std::int64_t divisions = 0, passages = 0;
  std::string failure;
};

class ShotMaker {
 public:
  explicit ShotMaker(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] Shot make(const std::string& stepper, Target target, int dimension) {
    Shot shot;
    shot.target = target;
    model::Model& model = shot.model;
    model.dimension = dimension;
    const bool at_free = target == Target::Ball || target == Target::Other;
    model::Body thrown;
    do {
      thrown = body("thrown", dimension, any_shape(dimension, shot.shape));
    } while (at_free && inner_radius_ == 0 && shot.shape != "particle");  // may miss by its own form
    const double inner = inner_radius_, length = shot.length = outer_radius_;
    shot.method.stepper = stepper;
    shot.method.step = std::pow(10.0, -between(2, 4));
    shot.lengths_per_step = std::pow(10.0, between(-1, 2));
    shot.speed = shot.lengths_per_step * length / shot.method.step;
    const double way = shot.speed * shot.method.step * between(0.2, 2.5);
    const double spin = between(0, 1) < 0.3 ? 0 : between(0, 2) / shot.method.step;
    thrown.initial.velocity.linear = Vec3(shot.speed, 0, 0);
    turn(thrown, dimension, spin);
    const double thickness = inner > 0 ? std::min(0.05 * length, inner) : 0.05 * length;
    add_target(shot, thrown, target, way, inner, thickness);
    model::Surface surface;
    surface.friction_static = surface.friction_kinetic = between(0, 1) < 0.5 ? 0 : between(0, 1);
    surface.restitution = between(0, 1) < 0.3 ? 0 : between(0, 1) < 0.1 ? 1 : between(0, 1);
    if (stepper == "runge-kutta") make_compliant(surface, thrown.mass, shot.speed + 2 * spin * length, thickness);
    model.surfaces = {surface};
    model.laws = model::PairLaws(model.bodies.size(), 0);
    return shot;
  }

 private:
  double between(double a, double b) { return a + (b - a) * std::uniform_real_distribution<double>(0, 1)(random_); }

  static model::Shape box(double a, double b, double c) { return model::make_box(Vec3(a, b, c)); }

  // Sets inner_radius_ (of a ball about the centre of mass that the shape holds) and outer_radius_.
  std::vector<model::PlacedShape> any_shape(int dimension, std::string& name) {
    const double s = std::pow(10.0, between(-2, 0));
    inner_radius_ = 0;
    std::vector<model::PlacedShape> shapes;
    const auto one = [&](model::Shape shape, const char* what, double inner) {
      name = what;
      inner_radius_ = inner;
      shapes = {{std::move(shape), {}}};
    };
    const double b = between(0.2, 1), c = between(0.2, 1);
    if (dimension == 2) {
      switch (static_cast<int>(between(0, 6))) {
        case 0: one(model::Disc{s}, "disc", s); break;
        case 1: one(model::make_rectangle(2 * s, 2 * b * s), "rectangle", b * s); break;
        case 2: one(model::Superellipse{s, b * s, between(1.5, 4)}, "superellipse", 0.7 * b * s); break;
        case 3: one(model::Polygon{{{Vec2(-1, -1) * s, Vec2(1, -1) * s, Vec2(0, 1) * s}}}, "triangle", 0.3 * s); break;
        case 4:
          one(model::Polygon{{{Vec2(-1, -1) * s, Vec2(1, -1) * s, Vec2(0, 0), Vec2(0, 1) * s}}}, "dart", 0);
          break;
        default: one(model::PointSet{{Vec3::Zero()}}, "particle", 0); break;
      }
    } else {
      switch (static_cast<int>(between(0, 8))) {
        case 0: one(model::Sphere{s}, "sphere", s); break;
        case 1: one(model::Capsule{b * s, s}, "capsule", b * s); break;
        case 2: one(model::Cylinder{s, b * s}, "cylinder", b * s); break;
        case 3: one(box(2 * s, 2 * b * s, 2 * c * s), "box", std::min(b, c) * s); break;
        case 4:
          one(model::Superellipsoid{s, b * s, c * s, between(1.5, 4), between(1.5, 4)}, "superellipsoid",
              0.55 * std::min(b, c) * s);
          break;
        case 5:
          one(model::Polyhedron{{Vec3(1, 1, 1) * s, Vec3(1, -1, -1) * s, Vec3(-1, 1, -1) * s, Vec3(-1, -1, 1) * s},
                                {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}},
                                true},
              "tetrahedron", 0.5 * s);
          break;
        case 6: {
          name = "angle of two boxes";
          shapes = {{box(2 * s, 0.4 * s, 0.6 * s), {}}, {box(0.4 * s, 2 * s, 0.6 * s), {}}};
          shapes[0].pose.position = Vec3(0, -0.8 * s, 0);
          shapes[1].pose.position = Vec3(-0.8 * s, 0.4 * s, 0);
          break;
        }
        default: one(model::PointSet{{Vec3::Zero()}}, "particle", 0); break;
      }
    }
    outer_radius_ = name == "particle" ? s : 0;
    return shapes;
  }

  // With the centre of mass at the origin.
  model::Body body(const char* name, int dimension, std::vector<model::PlacedShape> shapes) {
    model::Body out;
    out.name = name;
    const bool particle = std::holds_alternative<model::PointSet>(shapes.front().shape);
    out.kind = particle ? (dimension == 2 ? model::BodyKind::Particle2 : model::BodyKind::Particle3)
                        : (dimension == 2 ? model::BodyKind::Planar : model::BodyKind::Spatial);
    out.mass = 1;
    if (!particle) {
      std::vector<model::MassProperties> parts;
      for (const model::PlacedShape& placed : shapes)
        parts.push_back(model::moved(model::mass_properties(placed.shape, 1), placed.pose));
      const model::MassProperties all = model::combined(parts);
      out.inertia = all.inertia / all.mass;
      for (model::PlacedShape& placed : shapes) placed.pose.position -= all.centre;
      if (shapes.size() > 1) inner_radius_ = 0;
    }
    for (const model::PlacedShape& placed : shapes)
      outer_radius_ = std::max(outer_radius_, placed.pose.position.norm() + radius_of(placed.shape));
    out.shapes = std::move(shapes);
    return out;
  }

  static double radius_of(const model::Shape& shape) {
    struct Radius {
      double operator()(const model::PointSet&) const { return 0; }
      double operator()(const model::HalfSpace&) const { return 0; }
      double operator()(const model::Disc& s) const { return s.radius; }
      double operator()(const model::Polygon& s) const {
        double r = 0;
        for (const Vec2& v : s.loops[0]) r = std::max(r, v.norm());
        return r;
      }
      double operator()(const model::Chain&) const { return 0; }
      double operator()(const model::Superellipse& s) const { return std::hypot(s.a, s.b); }
      double operator()(const model::Sphere& s) const { return s.radius; }
      double operator()(const model::Capsule& s) const { return s.radius + s.half_length; }
      double operator()(const model::Cylinder& s) const { return std::hypot(s.radius, s.half_length); }
      double operator()(const model::Superellipsoid& s) const { return Vec3(s.a, s.b, s.c).norm(); }
      double operator()(const model::Polyhedron& s) const {
        double r = 0;
        for (const Vec3& v : s.vertices) r = std::max(r, v.norm());
        return r;
      }
    };
    return std::visit(Radius{}, shape);
  }

  void turn(model::Body& body, int dimension, double spin) {
    if (!body.rotates()) return;
    if (dimension == 2) {
      body.initial.angle = between(-3, 3);
      body.initial.pose.orientation =
          Quat(std::cos(0.5 * body.initial.angle), 0, 0, std::sin(0.5 * body.initial.angle));
      body.initial.velocity.angular = Vec3(0, 0, between(0, 1) < 0.5 ? spin : -spin);
      return;
    }
    Quat q(between(-1, 1), between(-1, 1), between(-1, 1), between(-1, 1));
    body.initial.pose.orientation = q.normalized();
    body.initial.velocity.angular = spin * Vec3(between(-1, 1), between(-1, 1), between(-1, 1)).normalized();
  }

  // What is thrown starts at x = 0 in front of it, `way` and its own length away.
  void add_target(Shot& shot, model::Body thrown, Target target, double way, double inner, double thickness) {
    model::Model& model = shot.model;
    const double length = shot.length, wide = 1e4 * length * std::max(1.0, shot.lengths_per_step);
    const int dimension = model.dimension;
    model::Body obstacle;
    obstacle.name = "obstacle";
    obstacle.kind = dimension == 2 ? model::BodyKind::Planar : model::BodyKind::Spatial;
    double front = 0;
    if (target == Target::Wall) {
      model::PlacedShape wall;
      if (dimension == 2)
        wall.shape = model::make_rectangle(thickness, wide);
      else
        wall.shape = box(thickness, wide, wide);
      obstacle.shapes = {wall};
      front = 0.5 * thickness;
    } else if (target == Target::Plane || (target == Target::Chain && dimension == 3)) {
      obstacle.shapes = {{model::HalfSpace{-Vec3::UnitX(), 0}, {}}};
    } else if (target == Target::Chain) {
      model::Chain chain;
      if (between(0, 1) < 0.5)
        chain.points = {Vec2(0, -wide), Vec2(0, wide)};
      else  // a zigzag of open angles
        for (int k = -5; k <= 5; ++k)
          chain.points.emplace_back(k % 2 == 0 ? 0.1 * length : 0.0, k == -5 ? -wide : k == 5 ? wide : 3 * k * length);
      obstacle.shapes = {{chain, {}}};
    } else {
      free_target(shot, obstacle, target, inner, front);
    }
    thrown.initial.pose.position.x() = -(front + length + way);
    // Long enough to arrive and to stay a while.
    shot.steps = 6 + static_cast<int>(2 * (front + length) / (shot.speed * shot.method.step));
    model.bodies = {std::move(thrown), std::move(obstacle)};
  }

  void free_target(Shot& shot, model::Body& obstacle, Target target, double inner, double& front) {
    const int dimension = shot.model.dimension;
    const double length = shot.length;
    if (target == Target::Ball || inner == 0) {
      const double r = length * between(0.1, 1);
      inner_radius_ = outer_radius_ = r;
      obstacle = body("obstacle", dimension,
                      {{dimension == 2 ? model::Shape(model::Disc{r}) : model::Shape(model::Sphere{r}), {}}});
      inner_radius_ = r;
    } else {
      do {
        std::string name;
        obstacle = body("obstacle", dimension, any_shape(dimension, name));
        shot.shape += std::string(" at ") + name;
      } while (inner_radius_ == 0);
    }
    turn(obstacle, dimension, between(0, 1) < 0.5 ? 0 : between(0, 1) / shot.method.step);
    front = outer_radius_;
    // Off the line by less than the inscribed balls reach.
    obstacle.initial.pose.position.y() = between(-0.6, 0.6) * (inner + inner_radius_);
  }

  static void make_compliant(model::Surface& surface, double mass, double speed, double thickness) {
    const double depth = 0.2 * thickness;
    surface.restitution = 0;
    surface.compliance.stiffness_normal = surface.compliance.stiffness_tangential =
        mass * speed * speed / (depth * depth);
    surface.compliance.damping_normal = surface.compliance.damping_tangential = 0.1 * mass * speed / depth;
  }

  std::mt19937_64 random_;
  double inner_radius_ = 0, outer_radius_ = 0;
};

[[nodiscard]] inline ShotResult fire(const Shot& shot) {
  ShotResult result;
  simulation::Simulation run(shot.model, shot.method);
  const double energy = contact::kinetic_energy(shot.model, run.state());
  for (int k = 0; k < shot.steps && run.failure() == nullptr; ++k) {
    (void)run.step();
    result.gain = std::max(result.gain, contact::kinetic_energy(shot.model, run.state()) / energy - 1);
  }
  result.divisions = run.counters().divisions;
  result.passages = run.counters().passages;
  if (run.failure() != nullptr) {
    result.certified = false;
    result.failure = run.failure()->reason;
    return result;
  }
  const model::BodyState &thrown = run.state().bodies[0], &obstacle = run.state().bodies[1];
  if (shot.target == Target::Ball || shot.target == Target::Other) {
    const Vec3 momentum = shot.model.bodies[0].mass * thrown.velocity.linear +
                          shot.model.bodies[1].mass * obstacle.velocity.linear -
                          shot.model.bodies[0].mass * shot.model.bodies[0].initial.velocity.linear;
    result.passed = !(obstacle.velocity.linear.norm() > 1e-3 * shot.speed) ||
                    !(momentum.norm() < 1e-6 * shot.model.bodies[0].mass * shot.speed);
  } else {
    // In front of the middle of the wall; a zigzag reaches 0.1 lengths back. A particle that stopped lies at 0, up to the
    // accuracy to which impacts are located.
    const double accurate = 1e-9 * shot.length * std::max(1.0, shot.lengths_per_step);
    result.passed = !(thrown.pose.position.x() < (shot.target == Target::Chain ? 0.1 * shot.length : 0.0) + accurate);
  }
  return result;
}

}  // namespace stickslip::bench
