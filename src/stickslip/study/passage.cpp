// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/passage.h"

#include "stickslip/study/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <variant>

namespace stickslip::study {
namespace {

constexpr std::uint32_t kStream = 0xFFFFFFFC;

Vec2 turned(const Vec2& v, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * v.x() - s * v.y(), s * v.x() + c * v.y()};
}

double cross(const Vec2& a, const Vec2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

double distance_to_segment(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 d = b - a;
  const double length2 = d.squaredNorm();
  const double t = length2 > 0 ? std::clamp((p - a).dot(d) / length2, 0.0, 1.0) : 0;
  return (p - a - t * d).norm();
}

bool segments_cross(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const double abc = cross(b - a, c - a), abd = cross(b - a, d - a);
  const double cda = cross(d - c, a - c), cdb = cross(d - c, b - c);
  return abc * abd < 0 && cda * cdb < 0;
}

double angle_of(const Quat& q) {
  return 2 * std::atan2(q.z(), q.w());
}

}  // namespace

PassageWorld::PassageWorld(const model::Model& model, int part) {
  if (model.dimension != 2) throw std::invalid_argument("paths are searched in the plane only");
  const model::State state = model::initial_state(model);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const bool is_part = static_cast<int>(i) == part;
    const model::BodyState& body = state.bodies[i];
    for (const model::PlacedShape& placed : model.bodies[i].shapes) {
      if (is_part)
        add(placed, Vec2::Zero(), 0, part_);
      else if (model.surface_between(static_cast<int>(i), part) >= 0)
        add(placed, body.pose.position.head<2>(), angle_of(body.pose.orientation), device_);
    }
    if (is_part) start_ = {body.pose.position.x(), body.pose.position.y(), angle_of(body.pose.orientation)};
  }
  if (!part_.half_planes.empty() || (part_.segments.empty() && part_.circles.empty()))
    throw std::invalid_argument("the part whose path is searched must consist of polygons, boxes and discs");
  for (const Segment& segment : part_.segments) radius_ = std::max(radius_, segment.a.norm());
  for (const Circle& circle : part_.circles) radius_ = std::max(radius_, circle.centre.norm() + circle.radius);
}

void PassageWorld::add(const model::PlacedShape& placed, const Vec2& origin, double angle, Outline& outline) {
  const double turn = angle + angle_of(placed.pose.orientation);
  const auto world = [&](const Vec2& v) -> Vec2 {
    return origin + turned(placed.pose.position.head<2>(), angle) + turned(v, turn);
  };
  if (const auto* polygon = std::get_if<model::Polygon>(&placed.shape)) {
    for (const std::vector<Vec2>& loop : polygon->loops) {
      for (std::size_t i = 0; i < loop.size(); ++i)
        outline.segments.push_back({world(loop[i]), world(loop[(i + 1) % loop.size()])});
      outline.points.push_back(world(loop.front()));
    }
  } else if (const auto* chain = std::get_if<model::Chain>(&placed.shape)) {
    for (std::size_t i = 0; i + 1 < chain->points.size(); ++i)
      outline.segments.push_back({world(chain->points[i]), world(chain->points[i + 1])});
    outline.points.push_back(world(chain->points.front()));
  } else if (const auto* disc = std::get_if<model::Disc>(&placed.shape)) {
    outline.circles.push_back({world(Vec2::Zero()), disc->radius});
    outline.points.push_back(world(Vec2::Zero()));
  } else if (const auto* half = std::get_if<model::HalfSpace>(&placed.shape)) {
    const Vec2 normal = turned(half->normal.head<2>(), turn);
    outline.half_planes.push_back({normal, half->offset + normal.dot(world(Vec2::Zero()))});
  } else if (const auto* set = std::get_if<model::PointSet>(&placed.shape)) {
    for (const Vec3& point : set->points) outline.points.push_back(world(point.head<2>()));
  } else {
    throw std::invalid_argument("paths are searched among points, polygons, boxes, chains, discs and half-planes only");
  }
}

// By the number of edges that a ray crosses.
bool PassageWorld::part_holds(const Vec2& point, const std::vector<Segment>& part) const {
  bool inside = false;
  for (const auto& [a, b] : part)
    if ((a.y() > point.y()) != (b.y() > point.y()) &&
        point.x() < a.x() + (b.x() - a.x()) * (point.y() - a.y()) / (b.y() - a.y()))
      inside = !inside;
  return inside;
}

bool PassageWorld::free(const PlanarPose& pose) const {
  const Vec2 centre(pose.x, pose.y);
  const double c = std::cos(pose.angle), s = std::sin(pose.angle);
  const auto world = [&](const Vec2& v) {
    return Vec2(pose.x + c * v.x() - s * v.y(), pose.y + s * v.x() + c * v.y());
  };
  thread_local std::vector<Segment> edges;
  edges.clear();
  for (const Segment& edge : part_.segments) edges.push_back({world(edge.a), world(edge.b)});
  for (const HalfPlane& half : device_.half_planes) {
    for (const Segment& edge : edges)
      if (half.normal.dot(edge.a) < half.offset) return false;
    for (const Circle& circle : part_.circles)
      if (half.normal.dot(world(circle.centre)) < half.offset + circle.radius) return false;
  }
  for (const Segment& wall : device_.segments) {
    if (distance_to_segment(centre, wall.a, wall.b) > radius_) continue;
    for (const Segment& edge : edges)
      if (segments_cross(edge.a, edge.b, wall.a, wall.b)) return false;
    for (const Circle& circle : part_.circles)
      if (distance_to_segment(world(circle.centre), wall.a, wall.b) < circle.radius) return false;
  }
  for (const Circle& post : device_.circles) {
    if ((post.centre - centre).norm() > radius_ + post.radius) continue;
    for (const Segment& edge : edges)
      if (distance_to_segment(post.centre, edge.a, edge.b) < post.radius) return false;
    for (const Circle& circle : part_.circles)
      if ((world(circle.centre) - post.centre).norm() < circle.radius + post.radius) return false;
  }
  return std::ranges::none_of(
      device_.points, [&](const Vec2& point) { return (point - centre).norm() < radius_ && part_holds(point, edges); });
}

namespace {

// Poses in which angles count as the distance that they move the part's outermost point.
class PassageSearch {
 public:
  PassageSearch(const PassageWorld& world, const PassageOptions& options)
      : world_(world), options_(options), radius_(world.part_radius()) {
    resolution_ = options.resolution > 0 ? options.resolution : radius_ / 20;
    reach_ = 0.7 * radius_;
  }

  PassageResult run(const std::vector<PlanarPose>& goals) {
    PassageResult passage;
    if (free(world_.start())) trees_[0].push_back({world_.start(), -1});
    for (const PlanarPose& goal : goals)
      if (free(goal)) trees_[1].push_back({goal, -1});
    if (!trees_[0].empty() && !trees_[1].empty()) grow(passage);
    passage.checks = checks_;
    return passage;
  }

 private:
  struct Node {
    PlanarPose pose;
    int parent;
  };
  using Tree = std::vector<Node>;

  bool free(const PlanarPose& pose) {
    ++checks_;
    return world_.free(pose);
  }

  [[nodiscard]] double turn(const PlanarPose& from, const PlanarPose& to) const {
    return std::remainder(to.angle - from.angle, 2 * std::numbers::pi);
  }
  [[nodiscard]] double distance(const PlanarPose& a, const PlanarPose& b) const {
    return std::hypot(a.x - b.x, a.y - b.y, radius_ * turn(a, b));
  }
  [[nodiscard]] PlanarPose between(const PlanarPose& a, const PlanarPose& b, double share) const {
    return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.angle + share * turn(a, b)};
  }

  [[nodiscard]] PlanarPose sample(std::int64_t index) const {
    const auto key = static_cast<std::uint64_t>(index);
    const auto u = [&](std::uint32_t draw) { return random_uniform(options_.seed, kStream, key, draw); };
    return {options_.low.x() + u(0) * (options_.high.x() - options_.low.x()),
            options_.low.y() + u(1) * (options_.high.y() - options_.low.y()), 2 * std::numbers::pi * u(2)};
  }

  bool move_is_free(const PlanarPose& from, const PlanarPose& to) {
    const int parts = std::max(1, static_cast<int>(std::ceil(distance(from, to) / resolution_)));
    for (int i = 1; i <= parts; ++i)
      if (!free(between(from, to, static_cast<double>(i) / parts))) return false;
    return true;
  }

  // One move of the tree towards a pose; the new node, or -1.
  int extend(Tree& tree, const PlanarPose& to) {
    std::size_t nearest = 0;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const double d = distance(tree[i].pose, to);
      if (d < best) {
        best = d;
        nearest = i;
      }
    }
    const PlanarPose target = best > reach_ ? between(tree[nearest].pose, to, reach_ / best) : to;
    if (!move_is_free(tree[nearest].pose, target)) return -1;
    tree.push_back({target, static_cast<int>(nearest)});
    return static_cast<int>(tree.size()) - 1;
  }

  void grow(PassageResult& passage) {
    for (std::int64_t i = 0; i < options_.samples; ++i) {
      passage.samples = i + 1;
      Tree &near = trees_[i % 2], &far = trees_[1 - i % 2];
      const int node = extend(near, sample(i));
      if (node < 0) continue;
      const PlanarPose target = near[static_cast<std::size_t>(node)].pose;
      int other = extend(far, target);
      while (other >= 0 && distance(far[static_cast<std::size_t>(other)].pose, target) > 0) other = extend(far, target);
      if (other < 0) continue;
      passage.found = true;
      passage.path = i % 2 == 0 ? joined(node, other) : joined(other, node);
      return;
    }
  }

  [[nodiscard]] std::vector<PlanarPose> joined(int from_start, int from_goal) const {
    std::vector<PlanarPose> path;
    for (int i = from_start; i >= 0; i = trees_[0][static_cast<std::size_t>(i)].parent)
      path.push_back(trees_[0][static_cast<std::size_t>(i)].pose);
    std::ranges::reverse(path);
    for (int i = trees_[1][static_cast<std::size_t>(from_goal)].parent; i >= 0;
         i = trees_[1][static_cast<std::size_t>(i)].parent)
      path.push_back(trees_[1][static_cast<std::size_t>(i)].pose);
    return path;
  }

  const PassageWorld& world_;
  const PassageOptions& options_;
  double radius_, resolution_, reach_;
  Tree trees_[2];
  std::int64_t checks_ = 0;
};

}  // namespace

PassageResult find_passage(const PassageWorld& world, const std::vector<PlanarPose>& goals,
                           const PassageOptions& options) {
  return PassageSearch(world, options).run(goals);
}

}  // namespace stickslip::study
