// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random and adversarial pairs of solids: what the collider finds beside independent oracles.
//
//     bench_collision_oracle [pairs = 200000] [seed = 1]
//
// Convex polyhedra, 13 kinds: separating axes by brute force in extended precision (tests/collision/separating_axes.h).
// Compounds of three boxes against a hull: the same, by pieces. Boxes, hulls, spheres, capsules, cylinders and
// ellipsoids, any two of them, any way, aligned and flush: libccd (Fiser), where it is installed. Concave meshes (an L,
// a ring, a star) against all of these: the distance of surfaces and winding numbers (collision/separation.h), which
// does not look at features.
//
//   missed     overlaps by more than 1e-12 (libccd, concave: 1e-6) of the size of which no contact tells
//   depth      largest error of the depth, relative to the larger solid. Convex polyhedra: by the same axes. Curved
//              shapes: by the smallest width of the overlap that a search finds over directions all around, and over
//              circles square to edges and axes, where the width has kinks
//   far        pairs apart, of which the smallest gap lies outside [separation, distance]
//
// Exit code 1 when an overlap was missed, a depth is wrong by more than 1e-9, or a gap is out of bounds.
#include "bench/overlap_width.h"
#include "stickslip/collision/separation.h"
#include "tests/collision/adversarial_pairs.h"
#include "tests/collision/scenes.h"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <string>
#ifdef STICKSLIP_HAVE_CCD
#include <ccd/ccd.h>
#endif

using namespace stickslip;
using bench::OverlapWidth, bench::support_point;
using namespace stickslip::collision;
using namespace stickslip::collision::testing;

namespace {

struct Row {
  std::int64_t pairs = 0, overlaps = 0, missed = 0, far = 0;
  double depth = 0;
};

void print(const std::string& name, const Row& row, bool with_depth) {
  fmt::print("{:26} {:8} {:8} {:7} {:>9} {:>5}\n", name, row.pairs, row.overlaps, row.missed,
             with_depth ? fmt::format("{:.1e}", row.depth) : "-", with_depth ? std::to_string(row.far) : "-");
}

double smallest_gap(const std::vector<Contact>& contacts) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Contact& c : contacts) smallest = std::min(smallest, c.gap);
  return smallest;
}

void judge_polyhedra(PairMaker& make, std::size_t kind, Row& row) {
  constexpr double kRounding = 1e-12;
  const SolidPair pair = make.make(kind);
  const model::Model model = pair_of(pair.a, pair.b, false);
  model::State state = state_of(model);
  state.bodies[0].pose = pair.pose_a;
  state.bodies[1].pose = pair.pose_b;
  const SolidPoints a = solid_points(pair.a, pair.pose_a), b = solid_points(pair.b, pair.pose_b);
  const auto separation = static_cast<double>(separate_by_axes(a, b).separation);
  const double reach = pair.smaller * std::pow(10.0, make.in(-3, -1)), rounding = kRounding * pair.size;
  const double found = smallest_gap(find(model, state, reach));
  ++row.pairs;
  if (separation < -rounding) {
    ++row.overlaps;
    row.missed += !(found < 0);
    row.depth = std::max(row.depth, std::abs(found - separation) / pair.size);
  } else {
    const auto distance = static_cast<double>(distance_by_features(a, b));
    const bool too_far = distance < reach - rounding && found > std::max(distance, separation) + rounding;
    row.far += too_far || found < separation - rounding;
  }
}

// An L of three flush boxes against a hull.
void judge_compound(PairMaker& make, Row& row) {
  const std::array<model::Pose, 3> place = {model::Pose{Vec3(0, 0, 0), Quat::Identity()},
                                            model::Pose{Vec3(1, 0, 0), Quat::Identity()},
                                            model::Pose{Vec3(0, 0, 1), Quat::Identity()}};
  const model::Polyhedron cube = model::make_box(Vec3::Ones());
  const SolidPair source = make.make(10 + static_cast<std::size_t>(make.whole(3)));
  model::Polyhedron hull = source.a;
  for (Vec3& v : hull.vertices) v *= 2 / source.size;
  model::Body body = free_body(cube, false, place[0]);
  body.shapes.push_back({cube, place[1]});
  body.shapes.push_back({cube, place[2]});
  const model::Model model = make_model({body, free_body(hull, false)}, 3);
  model::State state = state_of(model);
  state.bodies[0].pose.orientation = make.any_turn();
  const Quat turn = make.whole(2) > 0 ? make.any_turn() : make.small_turn();
  state.bodies[1].pose = {state.bodies[0].pose.orientation * (make.in(0.2, 1.5) * make.direction()),
                          (state.bodies[0].pose.orientation * turn).normalized()};
  const SolidPoints b = solid_points(hull, state.bodies[1].pose);
  double deepest = std::numeric_limits<double>::infinity();
  for (const model::Pose& p : place) {
    const model::Pose world{state.bodies[0].pose.position + state.bodies[0].pose.orientation * p.position,
                            state.bodies[0].pose.orientation};
    deepest = std::min(deepest, static_cast<double>(separate_by_axes(solid_points(cube, world), b).separation));
  }
  ++row.pairs;
  if (deepest >= -1e-12) return;
  ++row.overlaps;
  row.missed += !(smallest_gap(find(model, state, 0.01)) < 0);
}

model::Shape any_shape(PairMaker& make, int kind) {
  const double r = make.in(0.2, 0.6), l = make.in(0.2, 0.8), t = make.in(0.2, 0.8);
  switch (kind) {
    case 0: return model::make_box(Vec3(2 * r, 2 * l, 2 * t));
    case 1: {
      model::Polyhedron hull = make.make(10).a;
      double size = 0;
      for (const Vec3& v : hull.vertices) size = std::max(size, v.norm());
      for (Vec3& v : hull.vertices) v /= size;
      return hull;
    }
    case 2: return model::Sphere{r};
    case 3: return model::Capsule{r, l};
    case 4: return model::Cylinder{r, l};
    default: return model::Superellipsoid{r, l, t, 2, 2};
  }
}

constexpr std::array<const char*, 6> kShapeNames = {"box", "hull", "sphere", "capsule", "cylinder", "ellipsoid"};

// A prism over an outline with a hole or without (clockwise inner loop given as the same number of points).
model::Polyhedron prism_of(const std::vector<Vec2>& outer, const std::vector<Vec2>& inner, double half) {
  model::Polyhedron p;
  const int n = static_cast<int>(outer.size());
  for (const std::vector<Vec2>* loop : {&outer, &inner}) {
    for (const Vec2& v : *loop) {
      p.vertices.emplace_back(v.x(), v.y(), -half);
      p.vertices.emplace_back(v.x(), v.y(), half);
    }
  }
  std::vector<int> top, bottom;
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    p.faces.push_back({2 * i, 2 * j, 2 * j + 1, 2 * i + 1});
    top.push_back(2 * i + 1);
    bottom.insert(bottom.begin(), 2 * i);
    if (inner.empty()) continue;
    const int k = 2 * (n + i), l = 2 * (n + j);
    p.faces.push_back({l, k, k + 1, l + 1});
    p.faces.push_back({2 * i + 1, 2 * j + 1, l + 1, k + 1});
    p.faces.push_back({2 * j, 2 * i, k, l});
  }
  if (inner.empty()) {
    p.faces.push_back(top);
    p.faces.push_back(bottom);
  }
  return p;
}

model::Polyhedron any_concave(PairMaker& make) {
  const auto circle = [](int n, double even, double odd) {
    std::vector<Vec2> loop;
    for (int i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n, r = i % 2 == 0 ? even : odd;
      loop.emplace_back(r * std::cos(angle), r * std::sin(angle));
    }
    return loop;
  };
  switch (make.whole(3)) {
    case 0: return prism_of({{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}}, {}, make.in(0.1, 0.6));
    case 1: return prism_of(circle(12, 1, 1), circle(12, 0.6, 0.6), make.in(0.1, 0.6));
    default: return prism_of(circle(10, 1, 0.5), {}, make.in(0.1, 0.6));
  }
}

void judge_concave(PairMaker& make, int kind, Row& row) {
  const model::Polyhedron mesh = any_concave(make);
  const model::Shape other = kind == 6 ? model::Shape(any_concave(make)) : any_shape(make, kind);
  const model::Model model = pair_of(mesh, other, false);
  model::State state = state_of(model);
  state.bodies[0].pose.orientation = make.any_turn();
  const bool aligned = make.whole(2) > 0;
  const Quat quarter = PairMaker::about(Vec3::Unit(make.whole(3)), make.whole(4) * std::numbers::pi / 2);
  const Quat turn = aligned ? make.small_turn() * quarter : make.any_turn();
  state.bodies[1].pose = {state.bodies[0].pose.orientation * (make.in(0.2, 1.8) * make.direction()),
                          (state.bodies[0].pose.orientation * turn).normalized()};
  const Solid a = make_solid(model.bodies[0].shapes, false), b = make_solid(model.bodies[1].shapes, false);
  ++row.pairs;
  const double truth = separation(PlacedSolid(a, state.bodies[0].pose), PlacedSolid(b, state.bodies[1].pose)).high;
  if (truth > -1e-6) return;
  ++row.overlaps;
  row.missed += !(smallest_gap(find(model, state, make.whole(2) > 0 ? 0 : 0.01)) < 0);
}

#ifdef STICKSLIP_HAVE_CCD

// A shape by its support points, shrunk a little so that what libccd finds to overlap does so for certain.
struct Convex {
  const model::Shape* shape;
  model::Pose pose;
  Vec3 middle;
  double factor;
};

void ccd_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const auto& convex = *static_cast<const Convex*>(object);
  const Vec3 d(ccdVec3X(direction), ccdVec3Y(direction), ccdVec3Z(direction));
  const Vec3 x =
      convex.pose.position +
      convex.pose.orientation *
          (convex.middle +
           convex.factor * (support_point(*convex.shape, convex.pose.orientation.conjugate() * d) - convex.middle));
  ccdVec3Set(point, x.x(), x.y(), x.z());
}

bool overlap_for_certain(const Convex& a, const Convex& b) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd_support;
  ccd.support2 = ccd_support;
  ccd.max_iterations = 500;
  return ccdGJKIntersect(&a, &b, &ccd) != 0;
}

void judge_convex(PairMaker& make, int kind_a, int kind_b, Row& row) {
  const model::Shape a = any_shape(make, kind_a), b = any_shape(make, kind_b);
  const model::Model model = pair_of(a, b, false);
  model::State state = state_of(model);
  const bool aligned = make.whole(2) > 0;
  state.bodies[0].pose.orientation = make.any_turn();
  const Quat quarter = PairMaker::about(Vec3::UnitX(), make.whole(4) * std::numbers::pi / 2);
  const Quat turn = aligned ? make.small_turn() * quarter : make.any_turn();
  Vec3 direction = make.direction();
  if (aligned && make.whole(2) > 0) direction = Vec3::Unit(make.whole(3));
  state.bodies[1].pose.orientation = (state.bodies[0].pose.orientation * turn).normalized();
  const auto middle = [](const model::Shape& s) -> Vec3 {
    Vec3 sum = Vec3::Zero();
    const auto* solid = std::get_if<model::Polyhedron>(&s);
    if (solid == nullptr) return sum;
    for (const Vec3& v : solid->vertices) sum += v;
    return sum / static_cast<double>(solid->vertices.size());
  };
  // Moved to where they begin to overlap, then in by 1e-5 to 0.3.
  const auto overlap_at = [&](double way) {
    state.bodies[1].pose.position = state.bodies[0].pose.orientation * (way * direction);
    return overlap_for_certain({&a, state.bodies[0].pose, middle(a), 1 - 1e-6},
                               {&b, state.bodies[1].pose, middle(b), 1 - 1e-6});
  };
  double in = 0, out = 4;
  for (int i = 0; i < 40; ++i) (overlap_at(0.5 * (in + out)) ? in : out) = 0.5 * (in + out);
  ++row.pairs;
  if (!overlap_at(in - std::pow(10.0, make.in(-5, -0.5)))) return;
  ++row.overlaps;
  const std::vector<Contact> contacts = find(model, state, make.whole(2) > 0 ? 0 : 0.01);
  const auto deepest = std::ranges::min_element(contacts, {}, &Contact::gap);
  if (deepest == contacts.end() || !(deepest->gap < 0)) {
    ++row.missed;
    return;
  }
  const OverlapWidth width(a, state.bodies[0].pose, b, state.bodies[1].pose);
  const double told = -deepest->gap;
  // Not by the width along the normal that is told: a point of a rim on a face has the depth, but the normal of the face,
  // from which the way out leans as the rim does.
  const double error = std::fabs(told - width.smallest_on_kinks(deepest->normal));
  row.depth = std::max(row.depth, error);  // all shapes are about one unit large
}

#endif

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t pairs = argc > 1 ? std::atoll(argv[1]) : 200'000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print("{:26} {:>8} {:>8} {:>7} {:>9} {:>5}\n", "", "pairs", "overlap", "missed", "depth", "far");
  PairMaker make(seed);
  Row all;
  const auto add = [&](const Row& row) {
    all.pairs += row.pairs;
    all.overlaps += row.overlaps;
    all.missed += row.missed;
    all.far += row.far;
    all.depth = std::max(all.depth, row.depth);
  };
#ifdef STICKSLIP_HAVE_CCD
  constexpr std::int64_t kFamilies = kPairKinds.size() + 8 + 21;
#else
  constexpr std::int64_t kFamilies = kPairKinds.size() + 8;
#endif
  const std::int64_t each = (pairs + kFamilies - 1) / kFamilies;
  for (std::size_t kind = 0; kind < kPairKinds.size(); ++kind) {
    Row row;
    for (std::int64_t i = 0; i < each; ++i) judge_polyhedra(make, kind, row);
    print(std::string(kPairKinds[kind]), row, true);
    add(row);
  }
  Row compounds;
  for (std::int64_t i = 0; i < each; ++i) judge_compound(make, compounds);
  print("compound by pieces", compounds, false);
  add(compounds);
  for (int kind = 0; kind < 7; ++kind) {
    Row row;
    for (std::int64_t i = 0; i < each; ++i) judge_concave(make, kind, row);
    print(fmt::format("concave, {}", kind < 6 ? kShapeNames[static_cast<std::size_t>(kind)] : "concave"), row, false);
    add(row);
  }
#ifdef STICKSLIP_HAVE_CCD
  for (int a = 0; a < 6; ++a) {
    for (int b = a; b < 6; ++b) {
      Row row;
      for (std::int64_t i = 0; i < each; ++i) judge_convex(make, a, b, row);
      print(fmt::format("{}, {} (libccd)", kShapeNames[static_cast<std::size_t>(a)],
                        kShapeNames[static_cast<std::size_t>(b)]),
            row, true);
      add(row);
    }
  }
#else
  fmt::print("libccd is not installed: curved shapes were not tried\n");
#endif
  print("all", all, true);
  return all.missed == 0 && all.far == 0 && all.depth <= 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
