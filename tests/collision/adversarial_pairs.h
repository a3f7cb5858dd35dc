// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pairs of convex polyhedra where features are equal, aligned, flush, parallel, thin or of very different size: random,
// by kind. Turns away from the aligned position run from 1e-12 to 0.1, gaps from 0 and 1e-15 of the size to 0.05, sizes
// from 1e-6 to 1e6.
#pragma once

#include "stickslip/model/primitives.h"
#include "tests/collision/separating_axes.h"

#include <numbers>
#include <random>
#include <string_view>

namespace stickslip::collision::testing {

inline constexpr std::array<std::string_view, 13> kPairKinds = {
    "generic boxes", "on edge, equally wide", "on edge, shifted", "stacked cubes",   "bricks",        "plates",
    "needles",       "different sizes",       "corner on corner", "edge along edge", "hulls any way", "hulls aligned",
    "hull on box"};

struct SolidPair {
  model::Polyhedron a, b;
  model::Pose pose_a, pose_b;
  double size = 0, smaller = 0;  // largest extent of the larger and of the smaller solid
};

class PairMaker {
 public:
  explicit PairMaker(std::uint64_t seed) : random_(seed) { make_stock(); }

  SolidPair make(std::size_t kind) {
    SolidPair pair;
    Quat turn = Quat::Identity();
    Vec3 offset = Vec3::Zero();
    choose(kind, pair, turn, offset);
    const double scale = whole(3) > 0 ? 1 : std::pow(10.0, in(-6, 6));
    for (model::Polyhedron* solid : {&pair.a, &pair.b}) {
      for (Vec3& v : solid->vertices) v *= scale;
    }
    const Quat world = whole(2) > 0 ? any_turn() : Quat::Identity();
    pair.pose_b = {Vec3::Zero(), world};
    pair.pose_a = {world * (scale * offset), (world * turn).normalized()};
    const double size_a = extent(pair.a), size_b = extent(pair.b);
    pair.size = std::max(size_a, size_b);
    pair.smaller = std::min(size_a, size_b);
    const double wanted = gap() * pair.smaller;
    const SolidPoints b = solid_points(pair.b, pair.pose_b);
    for (int round = 0; round < 3; ++round) {
      const AxisFound found = separate_by_axes(solid_points(pair.a, pair.pose_a), b);
      pair.pose_a.position += (found.normal * (static_cast<Real>(wanted) - found.separation)).cast<double>();
    }
    return pair;
  }

  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int whole(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    const double x = normal(random_), y = normal(random_), z = normal(random_);
    return Vec3(x, y, z).normalized();
  }
  Quat any_turn() {
    std::normal_distribution<double> normal;
    const double w = normal(random_), x = normal(random_), y = normal(random_), z = normal(random_);
    return Quat(w, x, y, z).normalized();
  }
  // Exactly aligned in one case of eight.
  Quat small_turn() {
    const double angle = whole(8) > 0 ? std::pow(10.0, in(-12, -1)) : 0.0;
    return about(direction(), angle);
  }
  static Quat about(const Vec3& axis, double angle) { return Quat(Eigen::AngleAxisd(angle, axis)); }

 private:
  double gap() {
    if (whole(6) == 0) return 0;
    return (whole(2) > 0 ? 1 : -1) * std::pow(10.0, in(-15, -1.3));
  }

  static double extent(const model::Polyhedron& solid) {
    double largest = 0;
    for (const Vec3& v : solid.vertices) largest = std::max(largest, 2 * v.norm());
    return largest;
  }

  static model::Polyhedron prism(int sides, double radius, double half) {
    std::vector<Vec3> points;
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * std::numbers::pi * i / sides;
      for (double z : {-half, half}) points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
    return model::convex_hull(points);
  }

  void make_stock() {
    for (int sides : {3, 5, 6, 8, 12}) {
      stock_.push_back(prism(sides, 0.5, 0.5));
      stock_.push_back(prism(sides, 0.5, 0.02));
      stock_.push_back(prism(sides, 0.05, 1));
    }
    prisms_ = static_cast<int>(stock_.size());
    stock_.push_back(model::convex_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
    stock_.push_back(
        model::convex_hull(std::vector<Vec3>{{-.5, -.5, 0}, {.5, -.5, 0}, {.5, .5, 0}, {-.5, .5, 0}, {0, 0, .7}}));
    stock_.push_back(model::convex_hull(
        std::vector<Vec3>{{.5, 0, 0}, {-.5, 0, 0}, {0, .5, 0}, {0, -.5, 0}, {0, 0, .5}, {0, 0, -.5}}));
    for (int points : {6, 8, 10, 14, 20}) {
      std::vector<Vec3> cloud;
      for (int i = 0; i < points; ++i) cloud.push_back(0.5 * direction());
      stock_.push_back(model::convex_hull(cloud));
    }
  }
  const model::Polyhedron& any(int count) { return stock_[static_cast<std::size_t>(whole(count))]; }
  const model::Polyhedron& any() { return any(static_cast<int>(stock_.size())); }
  double sometimes(double low, double high) { return whole(2) > 0 ? 0.0 : in(low, high); }
  Quat any_or_small() { return whole(2) > 0 ? any_turn() : small_turn(); }

  void choose(std::size_t kind, SolidPair& p, Quat& turn, Vec3& offset) {
    const model::Polyhedron cube = model::make_box(Vec3::Ones());
    const auto random_box = [&] {
      const double x = in(.6, 2), y = in(.6, 2), z = in(.6, 2);
      return model::make_box(Vec3(x, y, z));
    };
    const double thin = std::pow(10.0, in(-6, -2));
    p.a = p.b = cube;
    offset = Vec3(in(-.6, .6), in(-.6, .6), 0.8);
    switch (kind) {
      case 0: p.a = random_box(), p.b = random_box(), turn = any_turn(), offset = 1.7 * direction(); break;
      case 1: turn = small_turn() * about(Vec3::UnitY(), in(.1, 1.4)), offset = Vec3(in(-.45, .45), 0, 1); break;
      case 2:
        turn = small_turn() * about(Vec3::UnitY(), in(.1, 1.4)), offset = Vec3(in(-.4, .4), in(-.4, .4), 1);
        break;
      case 3: turn = small_turn(), offset = Vec3(sometimes(-1.1, 1.1), sometimes(-1.1, 1.1), 1); break;
      case 4:
        p.a = p.b = model::make_box(Vec3(1, .5, .4));
        turn = small_turn(), offset = Vec3(whole(2) > 0 ? .5 : 1, whole(2) > 0 ? 0 : .5, .4);
        break;
      case 5:
        p.a = model::make_box(Vec3(1, 1, thin));
        if (whole(2) > 0) p.b = p.a;
        turn = any_or_small();
        break;
      case 6:
        p.a = model::make_box(Vec3(thin, thin, 1));
        if (whole(2) > 0) p.b = model::make_box(Vec3(thin, 1, thin));
        turn = whole(2) > 0 ? any_turn() : small_turn() * about(Vec3::UnitX(), whole(4) * std::numbers::pi / 4);
        break;
      case 7: p.a = model::make_box(Vec3::Constant(100 * thin)), turn = any_or_small(); break;
      case 8:
        turn = whole(2) > 0 ? small_turn() : about(direction(), in(0, .3)), offset = Vec3::Constant(1 + in(-.1, .1));
        break;
      case 9:
        turn = small_turn() * about(Vec3::UnitY(), std::numbers::pi / 4 * (1 + in(-.2, .2)));
        offset = Vec3(.5 + in(-.14, .14), sometimes(-.9, .9), 1);
        if (whole(2) > 0) turn = small_turn(), offset.x() = 1;
        break;
      case 10: p.a = any(), p.b = any(), turn = any_turn(), offset = direction(); break;
      case 11: p.a = p.b = any(), turn = small_turn(), offset = whole(2) > 0 ? Vec3(Vec3::UnitZ()) : direction(); break;
      default: p.a = any(prisms_), turn = small_turn(), offset = Vec3(in(-.6, .6), sometimes(-.6, .6), 1); break;
    }
  }

  std::mt19937_64 random_;
  std::vector<model::Polyhedron> stock_;
  int prisms_ = 0;
};

}  // namespace stickslip::collision::testing
