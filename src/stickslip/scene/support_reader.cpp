// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/support_reader.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/math/bounds.h"

#include <fmt/format.h>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace stickslip::scene {
namespace {

// Even-odd rule over all loops, so that holes are left out.
bool inside(const model::Polygon& polygon, const Vec3& x) {
  bool in = false;
  for (const auto& loop : polygon.loops)
    for (std::size_t i = 0, j = loop.size() - 1; i < loop.size(); j = i++)
      if ((loop[i].y() > x.y()) != (loop[j].y() > x.y()) &&
          x.x() < loop[i].x() + (x.y() - loop[i].y()) / (loop[j].y() - loop[i].y()) * (loop[j].x() - loop[i].x()))
        in = !in;
  return in;
}

bool inside(const model::PlacedShape& placed, const Vec3& point) {
  const Vec3 x = placed.pose.orientation.conjugate() * (point - placed.pose.position);
  if (const auto* disc = std::get_if<model::Disc>(&placed.shape)) return x.norm() < disc->radius;
  if (const auto* polygon = std::get_if<model::Polygon>(&placed.shape)) return inside(*polygon, x);
  if (const auto* oval = std::get_if<model::Superellipse>(&placed.shape))
    return std::pow(std::fabs(x.x() / oval->a), oval->exponent) + std::pow(std::fabs(x.y() / oval->b), oval->exponent) <
           1;
  return false;
}

bool inside(const model::Body& body, const Vec3& x) {
  return std::ranges::any_of(body.shapes, [&](const model::PlacedShape& shape) { return inside(shape, x); });
}

// The box along x and y that holds the body.
Bounds bounds_of(const model::Body& body) {
  Bounds bounds;
  for (const model::PlacedShape& placed : body.shapes) {
    const Vec3& centre = placed.pose.position;
    if (const auto* disc = std::get_if<model::Disc>(&placed.shape)) bounds.include(centre, disc->radius);
    if (const auto* oval = std::get_if<model::Superellipse>(&placed.shape))
      for (const double x : {-oval->a, oval->a})
        for (const double y : {-oval->b, oval->b}) bounds.include(centre + placed.pose.orientation * Vec3(x, y, 0));
    if (const auto* polygon = std::get_if<model::Polygon>(&placed.shape))
      for (const auto& loop : polygon->loops)
        for (const Vec2& x : loop) bounds.include(centre + placed.pose.orientation * Vec3(x.x(), x.y(), 0));
  }
  return bounds;
}

// Points under the outline and the part of the weight that each carries.
struct Spread {
  std::vector<Vec3> points;
  std::vector<double> shares;
};

// One point per cell of a grid, of the coarsest one with at least `count` cells inside: at the centroid of what the
// outline covers of the cell, with a share in proportion to it. So pressure is even up to the edge: errors of second
// order in the size of the cells.
Spread spread_points(const model::Body& body, int count) {
  constexpr int kParts = 16;  // of a cell, along each side
  const Bounds bounds = bounds_of(body);
  const Vec3 size = bounds.high - bounds.low;
  Spread spread;
  if (!(size.x() > 0 && size.y() > 0)) return spread;
  const auto centre_of = [&](int i, int nx, int j, int ny) {
    return Vec3(bounds.low.x() + size.x() * (i + 0.5) / nx, bounds.low.y() + size.y() * (j + 0.5) / ny, 0);
  };
  for (int n = 2; n < 1000; ++n) {
    const double cell = std::max(size.x(), size.y()) / n;
    const int nx = std::max(2, static_cast<int>(std::lround(size.x() / cell))),
              ny = std::max(2, static_cast<int>(std::lround(size.y() / cell)));
    int cells = 0;
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) cells += inside(body, centre_of(i, nx, j, ny)) ? 1 : 0;
    if (cells < count) continue;
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        int covered = 0;
        Vec3 sum = Vec3::Zero();
        for (int l = 0; l < kParts; ++l)
          for (int k = 0; k < kParts; ++k) {
            const Vec3 x = centre_of(kParts * i + k, kParts * nx, kParts * j + l, kParts * ny);
            if (!inside(body, x)) continue;
            ++covered;
            sum += x;
          }
        if (covered == 0) continue;
        spread.points.emplace_back(sum / covered);
        spread.shares.push_back(covered);
      }
    break;
  }
  return spread;
}

// Loads nearest to the given shares of `weight` that balance it at the origin; empty when points would have to pull.
//     x = w + D A' y,   A x = (weight, 0, 0),   D = diag(w):  least squares, relative to the shares
std::vector<double> balance(const std::vector<Vec3>& points, std::vector<double> shares, double weight) {
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, p.norm());
  if (!(size > 0)) return {};
  for (std::size_t round = 0; round <= points.size(); ++round) {
    double sum = 0;
    for (const double share : shares) sum += share;
    if (!(sum > 0)) return {};
    Mat3 G = Mat3::Zero();
    Vec3 missing(1, 0, 0);
    const auto column = [&](std::size_t k) { return Vec3(1, points[k].x() / size, points[k].y() / size); };
    for (std::size_t k = 0; k < points.size(); ++k) {
      shares[k] /= sum;
      missing -= shares[k] * column(k);
      G += shares[k] * column(k) * column(k).transpose();
    }
    const Eigen::ColPivHouseholderQR<Mat3> solver(G);
    if (solver.rank() < 3) return {};
    const Vec3 y = solver.solve(missing);
    bool pulls = false;
    std::vector<double> loads(points.size());
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double load = shares[k] * (1 + column(k).dot(y));
      pulls |= load < -1e-12;
      loads[k] = weight * std::max(0.0, load);
      if (load < -1e-12) shares[k] = 0;
    }
    if (!pulls) return loads;
  }
  return {};
}

void check_balance(const Value& place, const std::string& what, const std::vector<Vec3>& points,
                   const std::vector<double>& loads, double weight) {
  constexpr double kAccuracy = 1e-6;  // loads are written with a few digits
  double sum = 0, size = 0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t k = 0; k < points.size(); ++k) {
    sum += loads[k];
    moment += loads[k] * points[k];
    size = std::max(size, points[k].norm());
  }
  if (weight > 0 && std::fabs(sum - weight) > kAccuracy * weight)
    throw SceneError(place.place, fmt::format("{}: the loads sum to {}, the weight is {}", what, sum, weight),
                     "leave 'loads' out to have them computed");
  if (moment.norm() > kAccuracy * sum * size)
    throw SceneError(place.place,
                     fmt::format("{}: the loads do not balance about the centre of mass: their resultant is off by "
                                 "[{}, {}]",
                                 what, moment.x() / sum, moment.y() / sum),
                     "leave 'loads' out to have them computed");
}

Spread read_support_points(const TableReader& support, const Vec3& centre, const model::Body& body) {
  if (support.has("points") == support.has("spread"))
    throw SceneError(support.place(), fmt::format("{} must have one of 'points' and 'spread'", support.name()));
  if (const Value* value = support.find("spread")) {
    Spread spread = spread_points(body, read_integer(*value, support.scope(), support.what("spread"), 3, 10000));
    if (spread.points.size() < 3)
      throw SceneError(value->place, fmt::format("{} needs a solid shape", support.what("spread")));
    return spread;
  }
  const Value& value = support.require("points");
  std::vector<Vec3> points = read_points(value, support.scope(), support.what("points"), 2);
  if (points.size() < 3)
    throw SceneError(value.place, fmt::format("{}: a body stands on three or more points", support.what("points")));
  for (Vec3& point : points) point -= centre;
  return {points, std::vector<double>(points.size(), 1.0)};
}

int read_plane(const Value& value, const std::string& what, const std::vector<model::Body>& earlier) {
  const std::string& name = read_text(value, what);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    if (earlier[i].name == name) return static_cast<int>(i);
    names.push_back(earlier[i].name);
  }
  throw SceneError(value.place, fmt::format("{}: no earlier body is called '{}'", what, name),
                   expression::did_you_mean(name, names));
}

// Point k rubs with c_k = c N_k / sum N. The loads balance about the centre of mass, so that sum c_k r_k = 0 and the
// sum over the points is a force -c (v - v_plane) and a torque -c_w (w - w_plane), c_w = sum c_k r_k^2: damping of the
// body, against the plane.
void add_viscous_friction(double c, std::size_t self, model::Body& body) {
  if (c == 0) return;
  double sum = 0, moment = 0;
  for (const model::Support::Point& point : body.support.points) {
    sum += point.load;
    moment += point.load * point.position.squaredNorm();
  }
  const double c_w = sum > 0 ? c * moment / sum : 0;
  body.linear_damping += c;
  body.angular_damping += c_w;
  if (body.support.on < 0) return;
  const auto plane = static_cast<std::size_t>(body.support.on);
  body.forces.emplace_back([plane, self, c, c_w](const model::State& state, model::Wrench& wrench) {
    const model::BodyState& s = state.bodies[plane];
    const Vec3 arm = state.bodies[self].pose.position - s.pose.position;
    wrench.force += c * (s.velocity.linear + s.velocity.angular.cross(arm));
    wrench.torque += c_w * s.velocity.angular;
  });
}

}  // namespace

void read_support(const TableReader& table, const SupportContext& context, const Vec3& centre,
                  const std::vector<model::Body>& earlier, model::Body& body) {
  const Value* value = table.find("support");
  if (value == nullptr) return;
  if (!context.allowed)
    throw SceneError(value->place, fmt::format("{} has supports, which belong to dimension 2.5", table.name()));
  if (body.kind != model::BodyKind::Planar || !(body.mass > 0))
    throw SceneError(value->place,
                     fmt::format("{} has supports but is not a body that can move and turn", table.name()));
  const TableReader support(*value, keys_of("support"), table.scope(), table.what("support"));
  const Spread spread = read_support_points(support, centre, body);
  const std::vector<Vec3>& points = spread.points;
  const double weight = body.mass * context.gravity;
  std::vector<double> loads;
  if (const Value* given = support.find("loads")) {
    loads = read_numbers(*given, support.scope(), support.what("loads"));
    if (loads.size() != points.size())
      throw SceneError(given->place,
                       fmt::format("{}: {} loads for {} points", support.what("loads"), loads.size(), points.size()));
    if (std::ranges::any_of(loads, [](double load) { return load < 0; }))
      throw SceneError(given->place, fmt::format("{} must not be negative", support.what("loads")));
    check_balance(*given, support.what("loads"), points, loads, weight);
  } else {
    if (!(weight > 0))
      throw SceneError(value->place,
                       fmt::format("{}: without gravity along z nothing presses on the plane", support.name()),
                       "give gravity = [0, 0, -g], or 'loads'");
    loads = balance(points, spread.shares, weight);
    if (loads.empty())
      throw SceneError(value->place, fmt::format("{}: the body does not stand on these points", support.name()),
                       "its centre of mass must lie inside them, and they must not lie on one line");
  }
  body.support.friction = support.not_negative("friction", 0);
  if (const Value* on = support.find("on")) body.support.on = read_plane(*on, support.what("on"), earlier);
  for (std::size_t k = 0; k < points.size(); ++k) body.support.points.push_back({points[k], loads[k]});
  add_viscous_friction(support.not_negative("viscous", 0), earlier.size(), body);
}

}  // namespace stickslip::scene
