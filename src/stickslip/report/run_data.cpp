// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Kinetic energy of a body: m |v|^2 / 2 + w . R I R^T w / 2, potential energy -m g . x (relative to the start). Bodies
// whose motion is prescribed have no mass of their own and count for nothing.
#include "stickslip/report/run_data.h"

#include "stickslip/report/bands.h"
#include "stickslip/report/moment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stickslip::report {
namespace {

using recording::Recording;

constexpr std::size_t kMostForcePairs = 8;

template <class Points>
double farthest(const Points& points) {
  double r = 0;
  for (const auto& p : points) r = std::max(r, p.norm());
  return r;
}

double radius_of(const model::Shape& shape) {
  struct Visitor {
    double operator()(const model::PointSet& s) const { return farthest(s.points); }
    double operator()(const model::HalfSpace&) const { return 0; }
    double operator()(const model::Disc& s) const { return s.radius; }
    double operator()(const model::Polygon& s) const {
      double r = 0;
      for (const auto& loop : s.loops) r = std::max(r, farthest(loop));
      return r;
    }
    double operator()(const model::Chain& s) const { return farthest(s.points); }
    double operator()(const model::Superellipse& s) const { return std::hypot(s.a, s.b); }
    double operator()(const model::Sphere& s) const { return s.radius; }
    double operator()(const model::Capsule& s) const { return s.radius + s.half_length; }
    double operator()(const model::Cylinder& s) const { return std::hypot(s.radius, s.half_length); }
    double operator()(const model::Superellipsoid& s) const { return Vec3(s.a, s.b, s.c).norm(); }
    double operator()(const model::Polyhedron& s) const { return farthest(s.vertices); }
  };
  return std::visit(Visitor{}, shape);
}

bool unbounded(const model::Body& body) {
  return std::any_of(body.shapes.begin(), body.shapes.end(),
                     [](const auto& placed) { return std::holds_alternative<model::HalfSpace>(placed.shape); });
}

// A description for recordings made before shapes were recorded: names only.
recording::RunDescription names_only(const recording::RecordingInfo& info) {
  recording::RunDescription description;
  for (const std::string& name : info.bodies) {
    model::Body body;
    body.name = name;
    description.model.bodies.push_back(body);
  }
  for (const std::string& name : info.observables) description.observables.push_back({name, "", "", 0});
  description.model.laws = model::PairLaws(info.bodies.size(), model::PairLaws::kNever);
  return description;
}

struct Ball {
  Vec3 centre;
  double radius = 0;
};

// Balls whose box is the body's: its corners where it has few, else one around everything.
std::vector<Ball> balls_around(const model::Body& body, double radius) {
  constexpr std::size_t kMostCorners = 32;
  std::vector<Ball> balls;
  for (const auto& placed : body.shapes) {
    const auto add = [&](const Vec3& p, double r) {
      balls.push_back({placed.pose.position + placed.pose.orientation * p, r});
    };
    if (const auto* polygon = std::get_if<model::Polygon>(&placed.shape)) {
      for (const auto& loop : polygon->loops)
        for (const Vec2& p : loop) add(Vec3(p.x(), p.y(), 0), 0);
    } else if (const auto* solid = std::get_if<model::Polyhedron>(&placed.shape)) {
      for (const Vec3& p : solid->vertices) add(p, 0);
    } else if (const auto* chain = std::get_if<model::Chain>(&placed.shape)) {
      for (const Vec2& p : chain->points) add(Vec3(p.x(), p.y(), 0), 0);
    } else if (const auto* set = std::get_if<model::PointSet>(&placed.shape)) {
      for (const Vec3& p : set->points) add(p, 0);
    } else {
      add(Vec3::Zero(), radius_of(placed.shape));
    }
  }
  if (balls.empty() || balls.size() > kMostCorners) return {{Vec3::Zero(), radius}};
  return balls;
}

void measure(RunData& data) {
  Bounds& bounds = data.bounds;
  const auto& bodies = data.description.model.bodies;
  std::vector<std::vector<Ball>> balls;
  for (std::size_t b = 0; b < bodies.size(); ++b) balls.push_back(balls_around(bodies[b], data.radius[b]));
  for (std::size_t frame = 0; frame < data.recording.frames(); ++frame) {
    const model::State state = data.recording.state(frame);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (unbounded(bodies[b])) continue;
      const model::Pose& pose = state.bodies[b].pose;
      for (const Ball& ball : balls[b]) {
        bounds.include(pose.position + pose.orientation * ball.centre, ball.radius);
      }
    }
  }
  if (!bounds.low.allFinite() || !bounds.high.allFinite()) bounds = {-Vec3::Ones(), Vec3::Ones()};
  if (bounds.size() < 1e-9) bounds.low.array() -= 0.5, bounds.high.array() += 0.5;
}

void add_energies(RunData& data) {
  const model::Model& model = data.description.model;
  const std::size_t frames = data.recording.frames();
  Plot plot{
      "energy", data.units.energy, "of all bodies that move freely; potential energy relative to the start", false, {}};
  std::vector<double> kinetic(frames, 0.0), potential(frames, 0.0), total(frames, 0.0);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const Energy energy = energy_of(model, data.recording.state(frame));
    kinetic[frame] = energy.kinetic;
    potential[frame] = energy.potential;
  }
  const double start = frames > 0 ? potential[0] : 0;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    potential[frame] -= start;
    total[frame] = kinetic[frame] + potential[frame];
  }
  plot.curves = {{"kinetic", std::move(kinetic)}, {"potential", std::move(potential)}, {"total", std::move(total)}};
  data.plots.push_back(std::move(plot));
}

// Normal force of each pair, the pairs that touch longest first.
void add_forces(RunData& data) {
  std::vector<std::size_t> order(data.pairs.size());
  const auto touched = [&](std::size_t k) {
    double sum = 0;
    for (const Band& band : data.pairs[k].bands)
      if (band.mode != contact::Mode::Open) sum += band.end - band.begin;
    return sum;
  };
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return touched(x) > touched(y); });
  order.resize(std::min(order.size(), kMostForcePairs));
  std::sort(order.begin(), order.end());
  const std::size_t frames = data.recording.frames();
  Plot normal{"normal force", data.units.force, "between pairs of bodies, mean over the last step", false, {}};
  Plot friction{"friction force", data.units.force, "size of the tangential force between pairs of bodies", false, {}};
  std::map<std::pair<int, int>, std::size_t> curve_of;
  for (const std::size_t k : order) {
    const PairBands& pair = data.pairs[k];
    const auto name = [&](int body) { return data.description.model.bodies[static_cast<std::size_t>(body)].name; };
    curve_of[{pair.body_a, pair.body_b}] = normal.curves.size();
    for (Plot* plot : {&normal, &friction})
      plot->curves.push_back({name(pair.body_a) + " - " + name(pair.body_b), std::vector<double>(frames, 0.0)});
  }
  if (normal.curves.empty()) return;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    std::map<std::size_t, Vec3> tangential;
    for (const contact::ContactResult& c : data.recording.contacts(frame)) {
      const auto found = curve_of.find({c.contact.id.body_a, c.contact.id.body_b});
      if (found == curve_of.end()) continue;
      const double along = c.force.dot(c.contact.normal);
      normal.curves[found->second].values[frame] += along;
      tangential.try_emplace(found->second, Vec3::Zero()).first->second += c.force - along * c.contact.normal;
    }
    for (const auto& [curve, sum] : tangential) friction.curves[curve].values[frame] = sum.norm();
  }
  data.plots.push_back(std::move(normal));
  data.plots.push_back(std::move(friction));
}

}  // namespace

std::string end_text(const Recording& recording) {
  return recording.end().empty() ? "end unknown" : "run " + recording.end();
}

RunData prepare(const Recording& recording) {
  if (recording.frames() == 0) throw recording::RecordingError("the recording has no frames yet");
  RunData data{recording, {}, {}, false, {}, {}, {}, {}, 0, 0};
  data.has_shapes = !recording.info().model.empty();
  data.description =
      data.has_shapes ? recording::description_from_json(recording.info().model) : names_only(recording.info());
  const auto& bodies = data.description.model.bodies;
  if (bodies.size() != recording.info().bodies.size())
    throw recording::RecordingError("the recording's model does not match its bodies");
  for (const model::Body& body : bodies) {
    double radius = 0;
    for (const auto& placed : body.shapes)
      radius = std::max(radius, placed.pose.position.norm() + radius_of(placed.shape));
    data.radius.push_back(unbounded(body) ? 0 : radius);
  }
  data.units = units_of(data.description);
  measure(data);
  data.pairs = bands_of(recording, data.description.model);

  for (const recording::Quantity& observable : data.description.observables)
    data.plots.push_back({observable.name,
                          observable.unit,
                          observable.description,
                          false,
                          {{observable.name, recording.observable(observable.name)}}});
  if (data.has_shapes) add_energies(data);
  add_forces(data);
  std::vector<double> residual = recording.residual();
  residual.resize(recording.frames(), 0.0);
  // Without a step there is no residual; the first frame is the state before all steps.
  if (residual.size() < 2) data.worst_residual = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t frame = 1; frame < residual.size(); ++frame) {
    if (residual[frame] > data.description.tolerance) ++data.frames_at_worst;
    if (residual[frame] <= data.worst_residual) continue;
    data.worst_residual = residual[frame];
    data.worst_time = recording.time()[frame];
  }
  data.plots.push_back({"residual",
                        "",
                        "of the contact problem of each step as posed, evaluated independently of the "
                        "solver; scaled, so that it has no unit",
                        true,
                        {{"residual", std::move(residual)}}});
  return data;
}

}  // namespace stickslip::report
