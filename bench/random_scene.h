// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random drops, stacks, shots and pushes as scene files: everything follows from one seed, so that a scene can be
// written out and run on its own.
//
//     drop    1 to 4 bodies of any shape fall, turning, onto a floor (half-space, box, chain), perhaps beside a ramp
//     stack   2 to 4 boxes, upright cylinders (not under runge-kutta: compliant_flow.h follows features, and those of a
//             rim that stands on a face change too often) or rectangles, flush or nearly so
//     shot    1 or 2 bodies fly at up to 20 lengths per second at a thin wall or chain
//     push    a driven body pushes 1 to 3 others over a floor, or (2.5D) over a plane on which they stand
//
// Friction 0 to 2, restitution 0 (half of them) to 1, step h from 1e-4 to 1e-2, all steppers; 2D, 2.5D and 3D.
//
// A run is short: N steps, 40 to 160 of drops and shots, 15 to 50 of stacks and pushes, one of twenty (but
// no shot) four times as many.
// So that something happens in them, gaps follow from how far bodies get in the time N h. Compliant surfaces have the
// stiffness that stops the heaviest body within d = 3 to 30 mm, and carries the weight of all in d / 5:
//     k = m v^2 / d^2 + 5 M g / d,    damping 2 zeta sqrt(k m_min),    zeta from 0.05 to 0.5
#pragma once

#include "bench/overlap_oracle.h"
#include "stickslip/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace stickslip::bench {

enum class Family { Drop, Stack, Shot, Push };
inline constexpr std::array<const char*, 4> kFamilies{"drop", "stack", "shot", "push"};
inline constexpr std::array<const char*, 6> kSteppers{"stewart-trinkle", "second-order",    "anitescu-potra",
                                                      "implicit",        "song-pang-kumar", "runge-kutta"};

inline constexpr double kFloorReach = 20;                  // of boxes and chains, from the middle
inline constexpr int kSongPangKumar = 4, kRungeKutta = 5;  // these read stiffness

struct RandomScene {
  std::string text;
  Family family{};
  int stepper = 0;
  int dimension = 3;  // 25: 2.5D
  bool driven = false, compliant = false;
  bool bounded = true;  // by work (random_runs.h)
  double wall = 0;      // shots: nothing whose centre starts at x < 0 may come to x > wall; 0: no wall
};

class SceneMaker {
 public:
  explicit SceneMaker(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15ULL + 1) {}

  RandomScene make() {
    const int kind = pick(20);  // stacks and pushes cost most
    scene_.family = kind < 6 ? Family::Drop : kind < 13 ? Family::Shot : kind < 17 ? Family::Push : Family::Stack;
    scene_.stepper = pick(static_cast<int>(kSteppers.size()));
    plane_ = chance(0.4);
    scene_.dimension = plane_ ? 2 : 3;
    const bool supports = scene_.stepper != kRungeKutta;  // it does not handle them
    if (scene_.family == Family::Push && supports && chance(0.3)) plane_ = true, scene_.dimension = 25;
    scene_.compliant = scene_.stepper == kRungeKutta || (scene_.stepper == kSongPangKumar && chance(0.5));
    const double h = std::pow(10.0, number(-4, -2));
    const bool long_way = scene_.family == Family::Drop || scene_.family == Family::Shot;
    const bool longer = chance(0.05) && scene_.family != Family::Shot;  // shots would fall below the wall
    const int steps = (long_way ? 40 + pick(121) : 15 + pick(36)) * (longer ? 4 : 1);
    duration_ = h * steps;
    scene_.text =
        fmt::format("dimension = {}\nduration = {:.6g}\n",
                    scene_.dimension == 25 ? std::string("2.5") : std::to_string(scene_.dimension), duration_);
    // The gravity of 2.5D presses on the plane.
    if (scene_.dimension == 25)
      scene_.text += "gravity = [0, 0, -9.81]\n";
    else
      scene_.text += plane_ ? "gravity = [0, -9.81]\n" : "gravity = [0, 0, -9.81]\n";
    scene_.text += fmt::format("[method]\nstepper = \"{}\"\nstep = {:.6g}\n",
                               kSteppers[static_cast<std::size_t>(scene_.stepper)], h);
    switch (scene_.family) {
      case Family::Drop: drop(); break;
      case Family::Stack: stack(); break;
      case Family::Shot: shot(); break;
      case Family::Push: push(); break;
    }
    contacts();
    return scene_;
  }

 private:
  double number(double low, double high) { return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53; }
  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return number(0, 1) < p; }

  std::string vector(double x, double y, double z) const {
    return plane_ ? fmt::format("[{:.8g}, {:.8g}]", x, y) : fmt::format("[{:.8g}, {:.8g}, {:.8g}]", x, y, z);
  }
  std::string up(double across, double height) const { return vector(across, plane_ ? height : 0, height); }

  // A shape of a size of about 0.2 to 1.
  std::string shape() {
    const double a = number(0.1, 0.5), b = number(0.1, 0.5), c = number(0.1, 0.5);
    if (plane_) {
      switch (pick(5)) {
        case 0: return fmt::format("{{ disc = {:.6g} }}", a);
        case 1: return fmt::format("{{ box = [{:.6g}, {:.6g}] }}", 2 * a, 2 * b);
        case 2: {
          const int n = 3 + pick(5);
          std::string points;
          for (int i = 0; i < n; ++i) {
            const double t = 6.283185307179586 * (i + 0.6 * number(0, 1)) / n;
            points += fmt::format("{}[{:.6g}, {:.6g}]", i > 0 ? ", " : "", a * std::cos(t), b * std::sin(t));
          }
          return fmt::format("{{ polygon = [{}] }}", points);
        }
        case 3:  // an L
          return fmt::format(
              "{{ polygon = [[0, 0], [{0:.6g}, 0], [{0:.6g}, {1:.6g}], [{2:.6g}, {1:.6g}], [{2:.6g}, "
              "{3:.6g}], [0, {3:.6g}]] }}",
              2 * a, 0.6 * b, 0.7 * a, 2 * b);
        default:
          return fmt::format("{{ superellipse = {{ a = {:.6g}, b = {:.6g}, exponent = {:.6g} }} }}", a, b,
                             number(1.5, 5));
      }
    }
    switch (pick(6)) {
      case 0: return fmt::format("{{ sphere = {:.6g} }}", a);
      case 1: return fmt::format("{{ box = [{:.6g}, {:.6g}, {:.6g}] }}", 2 * a, 2 * b, 2 * c);
      case 2: return fmt::format("{{ capsule = {{ radius = {:.6g}, length = {:.6g} }} }}", a, 2 * b);
      case 3: return fmt::format("{{ cylinder = {{ radius = {:.6g}, length = {:.6g} }} }}", a, 2 * b);
      case 4:
        return fmt::format(
            "{{ superellipsoid = {{ semi_axes = [{:.6g}, {:.6g}, {:.6g}], exponents = [{:.3g}, {:.3g}] }} }}", a, b, c,
            number(1.5, 5), number(1.5, 5));
      default: {
        std::string points;
        const int n = 5 + pick(8);
        for (int i = 0; i < n; ++i)
          points += fmt::format("{}[{:.6g}, {:.6g}, {:.6g}]", i > 0 ? ", " : "", a * number(-1, 1), b * number(-1, 1),
                                c * number(-1, 1));
        return fmt::format("{{ polyhedron = {{ vertices = [{}] }} }}", points);
      }
    }
  }

  std::string turn() {
    if (plane_) return fmt::format("angle = {:.6g}\n", number(-3, 3));
    return fmt::format("orientation = {{ axis = [{:.4g}, {:.4g}, {:.4g}], angle = {:.6g} }}\n", number(-1, 1),
                       number(-1, 1), number(0.1, 1), number(-3, 3));
  }
  // How far the turned shape reaches from its place.
  OverlapOracle measured(const std::string& shape, const std::string& turn) const {
    const scene::Scene one = scene::parse_scene(
        fmt::format("dimension = {}\nduration = 1\n[[body]]\nname = \"b\"\nmass = 1\nshape = {}\nposition = {}\n{}",
                    plane_ ? 2 : 3, shape, vector(0, 0, 0), turn),
        "shape.toml");
    return {one.model.bodies[0], one.model.bodies[0].initial.pose};
  }
  void body(const std::string& name, const std::string& shape, const std::string& position, const std::string& turn,
            const Vec3& velocity, double spin) {
    const double mass = std::pow(10.0, number(-1, 1));
    scene_.text += fmt::format("[[body]]\nname = \"{}\"\nmass = {:.4g}\nshape = {}\nposition = {}\n{}velocity = {}\n",
                               name, mass, shape, position, turn, vector(velocity.x(), velocity.y(), velocity.z()));
    if (spin > 0)
      scene_.text += "angular_velocity = " +
                     (plane_ ? fmt::format("{:.6g}\n", spin * number(-1, 1))
                             : vector(spin * number(-1, 1), spin * number(-1, 1), spin * number(-1, 1)) + "\n");
    heaviest_ = std::max(heaviest_, mass);
    lightest_ = std::min(lightest_, mass);
    weight_ += 9.81 * mass;
    fastest_ = std::max(fastest_, velocity.norm());
  }
  void fixed(const std::string& name, const std::string& shape, const std::string& position) {
    scene_.text +=
        fmt::format("[[body]]\nname = \"{}\"\nfixed = true\nshape = {}\nposition = {}\n", name, shape, position);
  }
  void floor() {
    const int kind = pick(3);
    if (kind == 0 || (kind == 2 && !plane_))
      fixed("floor", plane_ ? "{ half-plane = { normal = [0, 1] } }" : "{ half-space = { normal = [0, 0, 1] } }",
            vector(0, 0, 0));
    else if (kind == 1)
      fixed("floor", plane_ ? "{ box = [40, 1] }" : "{ box = [40, 40, 1] }", up(0, -0.5));
    else
      fixed("floor", "{ chain = [[-20, 0], [-1, 0], [1.5, 0], [20, 0]] }", vector(0, 0, 0));
  }

  void drop() {
    floor();
    const Vec3 up_axis = plane_ ? Vec3::UnitY() : Vec3::UnitZ(), slope = 0.4 * Vec3::UnitX() + kRise * up_axis;
    const double fall = 0.5 * 9.81 * duration_ * duration_;
    const int n = 1 + pick(4);
    double top = 0, ramp = std::numeric_limits<double>::infinity();
    for (int i = 0; i < n; ++i) {
      const std::string s = shape(), turned = turn();
      const OverlapOracle size = measured(s, turned);
      const Vec3 along(number(-1.5, 1.5), plane_ ? 0 : number(-1.5, 1.5), 0);
      const double speed = i == 0 ? number(-1.5, -0.1) : number(-1.5, 0.5);
      const double way = (i == 0 ? -speed : 1) * duration_ + (i == 0 ? fall : 0);
      const double across = number(-0.1, 0.1);
      const double height = top + 1e-5 + number(0, 0.8) * way + size.reach(-up_axis);
      body(fmt::format("b{}", i), s, up(across, height), turned, along + speed * up_axis, 6);
      top = height + size.reach(up_axis);
      ramp = std::min(ramp, slope.dot(across * Vec3::UnitX() + height * up_axis) - size.reach(-slope));
    }
    if (!chance(0.3)) return;
    ramp -= 1e-5 + number(0, 0.5) * duration_;
    fixed("ramp",
          plane_ ? fmt::format("{{ half-plane = {{ normal = [0.4, {}], offset = {:.8g} }} }}", kRise, ramp)
                 : fmt::format("{{ half-space = {{ normal = [0.4, 0, {}], offset = {:.8g} }} }}", kRise, ramp),
          vector(0, 0, 0));
  }

  void stack() {
    floor();
    const int n = 2 + pick(3);
    double height = 0;
    const bool equal = chance(0.5), flush = chance(0.4);
    double a = number(0.2, 0.6), b = number(0.2, 0.6), c = number(0.1, 0.6);
    for (int i = 0; i < n; ++i) {
      if (!equal) a = number(0.2, 0.6), b = number(0.2, 0.6), c = number(0.1, 0.6);
      const std::string s = plane_ ? fmt::format("{{ box = [{:.6g}, {:.6g}] }}", a, c)
                            : pick(3) == 0 && scene_.stepper != kRungeKutta
                                ? fmt::format("{{ cylinder = {{ radius = {:.6g}, length = {:.6g} }} }}", 0.5 * a, c)
                                : fmt::format("{{ box = [{:.6g}, {:.6g}, {:.6g}] }}", a, b, c);
      c = std::stod(fmt::format("{:.6g}", c));
      const double aside = flush ? 0 : number(-0.05, 0.05);
      const double slit = chance(0.5) ? 0 : 1e-4 * number(0, 1);
      height += 0.5 * c + slit;
      const bool moves = i == n - 1 && chance(0.5);
      body(fmt::format("b{}", i), s,
           plane_ ? vector(aside, height, 0) : vector(aside, flush ? 0 : number(-0.05, 0.05), height), {},
           moves ? Vec3(number(-1, 1), 0, 0) : Vec3(Vec3::Zero()), 0);
      height += 0.5 * c;
    }
  }

  void shot() {
    const double thick = std::pow(10.0, number(scene_.compliant ? -1 : -2, -0.5));
    const bool chain = plane_ && chance(0.3);
    scene_.wall = chain ? 1e-9 : thick;
    if (chain)
      fixed("wall", "{ chain = [[0, -30], [0, -1], [0, 2], [0, 30]] }", vector(0, 0, 0));
    else
      fixed(
          "wall",
          plane_ ? fmt::format("{{ box = [{:.6g}, 60] }}", thick) : fmt::format("{{ box = [{:.6g}, 60, 60] }}", thick),
          vector(0.5 * thick, 0, 0));
    const int n = 1 + pick(2);
    double x = 0;
    for (int i = 0; i < n; ++i) {
      const std::string s = shape(), turned = turn();
      const OverlapOracle size = measured(s, turned);
      const double speed = number(1, 20);
      x -= 1e-5 + number(0, i == 0 ? 0.8 : 0.3) * speed * duration_ + size.reach(Vec3::UnitX());
      body(fmt::format("b{}", i), s, vector(x, 0, 0), turned, Vec3(speed, number(-1, 1), plane_ ? 0 : number(-1, 1)),
           4);
      x -= size.reach(-Vec3::UnitX());
    }
  }

  void push() {
    scene_.driven = true;
    if (scene_.dimension != 25) floor();
    const double speed = number(0.1, 2), way = speed * duration_;
    const bool flat = scene_.dimension == 25;
    const double behind = -0.1 - 1e-5 - number(0, 0.6) * way;
    scene_.text += fmt::format(
        "[[body]]\nname = \"pusher\"\nshape = {}\nposition = {}\nmotion = {{ velocity = {} }}\n",
        plane_ ? "{ box = [0.2, 0.3] }" : "{ box = [0.2, 1, 0.3] }", flat ? vector(behind, 0, 0) : up(behind, 0.16),
        plane_ ? fmt::format("[\"{:.4g}\", \"0\"]", speed) : fmt::format("[\"{:.4g}\", \"0\", \"0\"]", speed));
    fastest_ = speed;
    const int n = 1 + pick(3);
    double x = 0;
    for (int i = 0; i < n; ++i) {
      const double a = number(0.15, 0.5), b = number(0.15, 0.5);
      const bool disc = flat && chance(0.4);
      const std::string s = disc     ? fmt::format("{{ disc = {:.6g} }}", 0.5 * a)
                            : plane_ ? fmt::format("{{ box = [{:.6g}, {:.6g}] }}", a, b)
                                     : fmt::format("{{ box = [{:.6g}, {:.6g}, {:.6g}] }}", a, a, b);
      const double height = 0.5 * std::stod(fmt::format("{:.6g}", b));
      body(fmt::format("b{}", i), s, flat ? vector(x + 0.5 * a, number(-0.05, 0.05), 0) : up(x + 0.5 * a, height), {},
           Vec3::Zero(), 0);
      if (flat)
        scene_.text += fmt::format("support = {{ spread = {}, friction = {:.4g} }}\n", 4 + pick(13), number(0, 1));
      x += a + 1e-5 + number(0, 0.4) * way;
    }
  }

  void contacts() {
    scene_.text += "[[contact]]\nbetween = [\"*\", \"*\"]\n";
    scene_.text += fmt::format("friction = {:.4g}\n", chance(0.15) ? 0.0 : number(0, 2));
    if (scene_.compliant)
      stiffness();
    else if (chance(0.5)) {
      scene_.text += fmt::format("restitution = {:.4g}\n", chance(0.2) ? 1.0 : number(0, 1));
      const std::array<const char*, 3> laws{"newton", "poisson", "stronge"};
      scene_.text += fmt::format("impact = \"{}\"\n", laws[static_cast<std::size_t>(pick(3))]);
    }
  }

  void stiffness() {
    const double d = std::pow(10.0, number(-2.5, -1.5)), v = std::max(fastest_, 1.0);
    const double k = heaviest_ * v * v / (d * d) + 5 * weight_ / d;
    scene_.text +=
        fmt::format("stiffness = {:.4g}\ndamping = {:.4g}\n", k, 2 * number(0.05, 0.5) * std::sqrt(k * lightest_));
  }

  static constexpr double kRise = 0.916515138991168;  // sqrt(1 - 0.4^2)

  std::mt19937_64 random_;
  RandomScene scene_;
  bool plane_ = false;
  double duration_ = 0;
  double heaviest_ = 0, lightest_ = 1e300, weight_ = 0, fastest_ = 0;
};

inline RandomScene random_scene(std::uint64_t seed) {
  return SceneMaker(seed).make();
}

}  // namespace stickslip::bench
