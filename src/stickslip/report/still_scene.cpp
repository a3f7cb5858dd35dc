// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of still.h.
//
// The scene of a still. The plane is drawn as it is; space is projected along one direction without perspective, and
// faces are painted from the farthest to the nearest, which is right for bodies that do not pass through each other up
// to a few faces that see each other.
#include "stickslip/report/still.h"

#include "stickslip/report/frame_selection.h"
#include "stickslip/report/outlines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace stickslip::report {
namespace {

constexpr Color kOutline = rgb(0x33404a), kForce = rgb(0x7b2d8b), kFrame = rgb(0xd9dee2), kDriven = rgb(0xd6d6d3),
                kTrace = rgb(0x33566e), kLabel = rgb(0x8a1c1c);
constexpr Color kModes[] = {rgb(0x8a8a8a), rgb(0x0072b2), rgb(0x009e73), rgb(0xd55e00)};
constexpr Color kFills[] = {rgb(0xc9dcea), rgb(0xdbe6c8), rgb(0xecdcc3), rgb(0xe3d0e2), rgb(0xcfe3e0), rgb(0xeee0b5)};

Color fill_of(const model::Body& body, std::size_t index) {
  return body.mass > 0 ? kFills[index % std::size(kFills)] : kDriven;
}

Color shaded(const Color& color, double light) {
  return {color.red * light, color.green * light, color.blue * light, color.alpha};
}

// World -> picture. `right`, `up` and `toward` are unit vectors of the viewer.
struct Camera {
  Vec3 right = Vec3::UnitX(), up = Vec3::UnitY(), toward = Vec3::UnitZ();
  Vec3 middle = Vec3::Zero();
  double scale = 1;
  Vec2 centre = Vec2::Zero();

  Camera(const RunData& data, const Vec2& corner, const Vec2& size, const View& view,
         const std::vector<StillLabel>& labels) {
    const Bounds bounds = shown_bounds(data, labels);
    const Vec3 &low = bounds.low, &high = bounds.high;
    middle = 0.5 * (low + high);
    centre = corner + 0.5 * size;
    if (data.description.model.dimension != 2) {
      const double a = view.azimuth * std::numbers::pi / 180, e = view.elevation * std::numbers::pi / 180;
      toward = Vec3(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e));
      right = Vec3(-std::sin(a), std::cos(a), 0);
      up = toward.cross(right);
    }
    Vec2 reach = Vec2::Zero();
    for (int corner_index = 0; corner_index < 8; ++corner_index) {
      const Vec3 p((corner_index & 1) != 0 ? high.x() : low.x(), (corner_index & 2) != 0 ? high.y() : low.y(),
                   (corner_index & 4) != 0 ? high.z() : low.z());
      reach = reach.cwiseMax(Vec2(right.dot(p - middle), up.dot(p - middle)).cwiseAbs());
    }
    reach = reach.cwiseMax(0.05 * reach.maxCoeff());
    scale = view.zoom * 0.46 * std::min(size.x() / reach.x(), size.y() / reach.y());
  }
  [[nodiscard]] Vec2 at(const Vec3& p) const {
    return centre + scale * Vec2(right.dot(p - middle), -up.dot(p - middle));
  }
  [[nodiscard]] Vec2 along(const Vec3& v) const { return {right.dot(v), -up.dot(v)}; }
};

struct Face {
  std::vector<Vec2> points;
  double depth = 0;
  Color color;
  bool edged = false;
};

Vec3 to_world(const model::Pose& body, const model::Pose& shape, const Vec3& p) {
  return body.position + body.orientation * (shape.position + shape.orientation * p);
}

// The surface of a half-plane or half-space, as far as the picture goes.
void draw_half_space(Painter& painter, const Camera& camera, const RunData& data, const model::HalfSpace& half,
                     const model::Pose& body, const model::Pose& shape) {
  const Vec3 n = (body.orientation * (shape.orientation * half.normal)).normalized();
  const double length = half.normal.norm();
  const Vec3 on = to_world(body, shape, half.normal * (half.offset / (length * length)));
  const Vec3 foot = camera.middle - n * n.dot(camera.middle - on);
  const double reach = data.bounds.size();
  if (data.description.model.dimension == 2) {
    const Vec3 t(-n.y(), n.x(), 0);
    const std::vector<Vec2> area{camera.at(foot - 9 * reach * t), camera.at(foot + 9 * reach * t),
                                 camera.at(foot + 9 * reach * (t - n)), camera.at(foot - 9 * reach * (t + n))};
    painter.fill({area}, kDriven);
    painter.stroke({area[0], area[1]}, false, kOutline, 0.75);
    return;
  }
  if (std::fabs(n.z()) < 0.5) return;  // walls would hide what they hold
  const Vec3 u = n.cross(Vec3::UnitY()).normalized(), v = n.cross(u);
  const double half_side = 0.75 * reach;
  painter.fill({{camera.at(foot + half_side * (u + v)), camera.at(foot + half_side * (v - u)),
                 camera.at(foot - half_side * (u + v)), camera.at(foot + half_side * (u - v))}},
               rgb(0xf1f1ee));
  for (int k = -5; k <= 5; ++k) {
    const double s = half_side * k / 5;
    painter.stroke({camera.at(foot + s * u - half_side * v), camera.at(foot + s * u + half_side * v)}, false, kFrame,
                   0.5);
    painter.stroke({camera.at(foot + s * v - half_side * u), camera.at(foot + s * v + half_side * u)}, false, kFrame,
                   0.5);
  }
}

std::vector<std::vector<Vec2>> planar_loops(const Camera& camera, const model::PlacedShape& placed,
                                            const model::Pose& pose) {
  std::vector<std::vector<Vec2>> loops;
  for (const auto& loop : outline(placed.shape)) {
    loops.emplace_back();
    for (const Vec2& p : loop) loops.back().push_back(camera.at(to_world(pose, placed.pose, Vec3(p.x(), p.y(), 0))));
  }
  return loops;
}

// Outlines first, then the areas over them: where shapes of a body overlap no line is left.
void draw_planar(Painter& painter, const Camera& camera, const RunData& data, const model::Body& body,
                 const model::Pose& pose, const Color& fill) {
  constexpr double kLine = 0.75;
  for (const model::PlacedShape& placed : body.shapes) {
    if (const auto* half = std::get_if<model::HalfSpace>(&placed.shape))
      draw_half_space(painter, camera, data, *half, pose, placed.pose);
    for (const auto& loop : planar_loops(camera, placed, pose)) painter.stroke(loop, true, kOutline, 2 * kLine);
  }
  for (const model::PlacedShape& placed : body.shapes) {
    const std::vector<std::vector<Vec2>> loops = planar_loops(camera, placed, pose);
    if (!loops.empty()) painter.fill(loops, fill);
    if (const auto* chain = std::get_if<model::Chain>(&placed.shape)) {
      std::vector<Vec2> line;
      for (const Vec2& p : chain->points) line.push_back(camera.at(to_world(pose, placed.pose, Vec3(p.x(), p.y(), 0))));
      painter.stroke(line, false, kOutline, 2 * kLine);
    }
    if (body.shapes.size() == 1 && std::holds_alternative<model::Disc>(placed.shape))  // shows how it turns
      painter.stroke({camera.at(to_world(pose, placed.pose, Vec3::Zero())), loops[0][0]}, false, kOutline, kLine);
  }
}

void add_faces(std::vector<Face>& out, const Camera& camera, const model::PlacedShape& placed, const model::Pose& pose,
               const Color& fill) {
  const bool flat = std::holds_alternative<model::Polyhedron>(placed.shape);
  const Vec3 light = (camera.toward + 0.6 * camera.up - 0.3 * camera.right).normalized();
  for (const auto& corners : faces(placed.shape)) {
    Vec3 centre = Vec3::Zero(), own = Vec3::Zero(), normal = Vec3::Zero();
    std::vector<Vec3> world;
    for (const Vec3& p : corners) {
      world.push_back(to_world(pose, placed.pose, p));
      own += p / static_cast<double>(corners.size());
      centre += world.back() / static_cast<double>(corners.size());
    }
    for (std::size_t k = 0; k < world.size(); ++k)
      normal += (world[k] - centre).cross(world[(k + 1) % world.size()] - centre);
    if (normal.dot(camera.toward) <= 0) continue;
    const double tone = flat || own.x() * own.y() * own.z() > 0 ? 1.0 : 0.7;  // one sees a round body turn
    Face face;
    for (const Vec3& p : world) face.points.push_back(camera.at(p));
    face.depth = camera.toward.dot(centre);
    face.color = shaded(fill, tone * (0.7 + 0.3 * std::max(0.0, normal.normalized().dot(light))));
    face.edged = flat;
    out.push_back(std::move(face));
  }
}

void draw_force(Painter& painter, const Vec2& from, const Vec2& by) {
  const double size = by.norm();
  if (size < 1) return;
  const Vec2 u = by / size, side(-u.y(), u.x()), tip = from + by;
  const double head = std::min(5.0, 0.6 * size);
  painter.stroke({from, tip - head * u}, false, kForce, 1.2);
  painter.fill({{tip, tip - head * u + 0.45 * head * side, tip - head * u - 0.45 * head * side}}, kForce);
}

// Of all frames' forces as the picture shows them, the one that all but a twentieth stay below.
double usual_force(const RunData& data, const Camera& camera) {
  std::vector<double> sizes;
  const std::size_t stride = std::max<std::size_t>(1, data.recording.frames() / 500);
  for (std::size_t frame = 0; frame < data.recording.frames(); frame += stride)
    for (const contact::ContactResult& c : data.recording.contacts(frame))
      if (const double seen = camera.along(c.force).norm(); seen > 1e-9 * c.force.norm()) sizes.push_back(seen);
  if (sizes.empty()) return 1;
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at;
}

// Where the centres of mass of free bodies have been.
void draw_traces(Painter& painter, const Camera& camera, const RunData& data, std::size_t frame) {
  constexpr std::size_t kMostPoints = 2000;
  const auto& bodies = data.description.model.bodies;
  const std::size_t stride = frame / kMostPoints + 1;
  std::vector<std::vector<Vec2>> lines(bodies.size());
  for (std::size_t k = 0; k <= frame; k += stride) {
    const model::State state = data.recording.state(k);
    for (std::size_t b = 0; b < bodies.size(); ++b)
      if (bodies[b].mass > 0) lines[b].push_back(camera.at(state.bodies[b].pose.position));
  }
  for (const auto& line : lines) painter.stroke(line, false, kTrace, 0.7);
}

// As on the page: square sticks, disc rolls, diamond slides, ring is apart.
void draw_mark(Painter& painter, const Vec2& at, contact::Mode mode) {
  const Color color = kModes[static_cast<int>(mode)];
  const double r = 2.6;
  if (mode == contact::Mode::Open)
    painter.circle(at, r, color, 0.8);
  else if (mode == contact::Mode::Stick)
    painter.box(at - Vec2(r, r), {2 * r, 2 * r}, color);
  else if (mode == contact::Mode::Slide)
    painter.fill({{at - Vec2(0, 1.4 * r), at + Vec2(1.4 * r, 0), at + Vec2(0, 1.4 * r), at - Vec2(1.4 * r, 0)}}, color);
  else
    painter.disc(at, 1.1 * r, color);
}

// The points on which a 2.5D body stands, and the friction on those that move: its size is given, it opposes the
// motion.
void draw_supports(Painter& painter, const Camera& camera, const model::Body& body, const model::BodyState& state,
                   double per_force, double fastest) {
  for (const model::Support::Point& point : body.support.points) {
    const Vec3 arm = state.pose.orientation * point.position;
    const Vec3 velocity = state.velocity.linear + state.velocity.angular.cross(arm);
    const Vec2 at = camera.at(state.pose.position + arm);
    const bool moves = velocity.norm() > 1e-9 * fastest && body.support.on < 0;
    if (moves)
      draw_force(painter, at,
                 per_force * camera.along(-body.support.friction * point.load / velocity.norm() * velocity));
    painter.disc(at, 2, kOutline);
  }
}

// Where the centre of mass of a planar body is, when that is not the middle of its outline: a disc of quarters.
void mark_centre_of_mass(Painter& painter, const Camera& camera, const model::Body& body, const model::Pose& pose) {
  Vec2 low = Vec2::Constant(1e300), high = -low;
  for (const model::PlacedShape& placed : body.shapes)
    for (const auto& loop : outline(placed.shape))
      for (const Vec2& p : loop) {
        const Vec3 q = placed.pose.position + placed.pose.orientation * Vec3(p.x(), p.y(), 0);
        low = low.cwiseMin(q.head<2>());
        high = high.cwiseMax(q.head<2>());
      }
  if (body.mass <= 0 || low.x() > high.x() || (0.5 * (low + high)).norm() < 0.02 * (high - low).norm()) return;
  const Vec2 at = camera.at(pose.position);
  constexpr double kRadius = 3;
  painter.disc(at, kRadius, rgb(0xffffff));
  for (const double from : {0.0, std::numbers::pi}) {
    std::vector<Vec2> quarter{at};
    for (int k = 0; k <= 8; ++k) {
      const double angle = from + k * std::numbers::pi / 16;
      quarter.push_back(at + kRadius * Vec2(std::cos(angle), std::sin(angle)));
    }
    painter.fill({quarter}, kOutline);
  }
  painter.circle(at, kRadius, kOutline, 0.7);
}

// A length to compare with, below the left end of the frame, where nothing of the scene can lie.
void draw_scale(Painter& painter, const Camera& camera, const std::string& unit, const Vec2& below, double width) {
  const double length = nice_step(0.25 * width / camera.scale, 1);
  const Vec2 from = below + Vec2(1, 8), to = from + Vec2(length * camera.scale, 0);
  const std::string text = fmt::format("{:g}{}{}", length, unit.empty() ? "" : " ", unit);
  if (!(to.x() + painter.text_width(text, 8) + 4 < below.x() + width)) return;
  painter.stroke({from - Vec2(0, 4), from, to, to - Vec2(0, 4)}, false, kOutline, 0.75);
  painter.text(to + Vec2(4, 1.5), text, 8, kOutline);
}

void draw_label(Painter& painter, const Camera& camera, const StillLabel& label) {
  constexpr double kSize = 8.5, kHead = 3.5;
  const Vec2 from = camera.at(label.at), to = label.to ? camera.at(*label.to) : from;
  if (const Vec2 by = to - from; by.norm() > 2 * kHead) {  // a measuring line
    const Vec2 u = by.normalized(), side(-u.y(), u.x());
    painter.stroke({from, to}, false, kLabel, 0.7);
    for (const auto& [tip, way] : {std::pair{from, u}, std::pair{to, Vec2(-u)}})
      painter.fill({{tip, tip + kHead * way + 0.4 * kHead * side, tip + kHead * way - 0.4 * kHead * side}}, kLabel);
  }
  const Vec2 middle = 0.5 * (from + to) + Vec2(0, 0.36 * kSize),
             half(0.5 * painter.text_width(label.text, kSize) + 1.2, 0);
  painter.box(middle - half - Vec2(0, 0.85 * kSize), 2 * half + Vec2(0, 1.1 * kSize), rgb(0xffffff, 0.85));
  painter.text(middle, label.text, kSize, kLabel, Align::Centre);
}

// Points of a body, joined by their outline and to the body's middle: a tripod is seen as one body.
void draw_points(Painter& painter, const Camera& camera, const model::Pose& pose, const model::PlacedShape& placed,
                 const std::vector<Vec3>& points) {
  constexpr std::size_t kMostJoined = 12;
  std::vector<Vec2> at;
  for (const Vec3& p : points) at.push_back(camera.at(to_world(pose, placed.pose, p)));
  if (at.size() > 1 && at.size() <= kMostJoined) {
    painter.stroke(at, true, kOutline, 0.9);
    for (const Vec2& p : at) painter.stroke({p, camera.at(pose.position)}, false, kOutline, 0.6);
  }
  for (const Vec2& p : at) painter.disc(p, 2.5, kOutline);
}

}  // namespace

Bounds shown_bounds(const RunData& data, const std::vector<StillLabel>& labels) {
  Bounds bounds = data.bounds;
  for (const StillLabel& label : labels)
    for (const Vec3& p : {label.at, label.to.value_or(label.at)}) {
      bounds.include(p);
    }
  return bounds;
}

View view_of(const std::string& text) {
  if (text == "oblique") return {};
  if (text == "top") return kTop;
  if (text == "front") return kFront;
  if (text == "side") return kSide;
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    if (error != std::errc() || stop != text.data() + end || !std::isfinite(value)) break;
    numbers.push_back(value);
    begin = end + 1;
  }
  const auto commas = static_cast<std::size_t>(std::ranges::count(text, ','));
  const bool good = numbers.size() == commas + 1 && (commas == 1 || commas == 2) && std::fabs(numbers[1]) <= 90 &&
                    (commas == 1 || numbers[2] > 0);
  if (!good)
    throw std::invalid_argument(fmt::format(
        "'{}' is not a view: oblique, top, front, side, or AZIMUTH,ELEVATION[,ZOOM] (degrees; -90 to 90; above 0)",
        text));
  return {numbers[0], numbers[1], commas == 2 ? numbers[2] : 1.0};
}

void draw_scene(Painter& painter, const RunData& data, std::size_t frame, const Vec2& corner, const Vec2& whole,
                const View& view, const std::vector<StillLabel>& labels) {
  const Vec2 size = whole - Vec2(0, kScaleRoom);
  const Camera camera(data, corner, size, view, labels);
  const model::State state = data.recording.state(frame);
  const auto& bodies = data.description.model.bodies;
  const bool plane = data.description.model.dimension == 2;
  painter.clip(corner, size);
  std::vector<Face> solids;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const model::Pose& pose = state.bodies[b].pose;
    if (plane) draw_planar(painter, camera, data, bodies[b], pose, fill_of(bodies[b], b));
    for (const model::PlacedShape& placed : bodies[b].shapes) {
      if (plane) break;
      if (const auto* half = std::get_if<model::HalfSpace>(&placed.shape))
        draw_half_space(painter, camera, data, *half, pose, placed.pose);
      else
        add_faces(solids, camera, placed, pose, fill_of(bodies[b], b));
    }
  }
  std::stable_sort(solids.begin(), solids.end(), [](const Face& x, const Face& y) { return x.depth < y.depth; });
  for (const Face& face : solids) {
    painter.fill({face.points}, face.color);
    painter.stroke(face.points, true, face.edged ? kOutline : face.color, face.edged ? 0.6 : 0.4);
  }
  draw_traces(painter, camera, data, frame);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const model::Pose& pose = state.bodies[b].pose;
    if (bodies[b].shapes.empty()) painter.disc(camera.at(pose.position), 2.5, kOutline);
    for (const model::PlacedShape& placed : bodies[b].shapes)
      if (const auto* points = std::get_if<model::PointSet>(&placed.shape))
        draw_points(painter, camera, pose, placed, points->points);
  }
  const double per_force = 0.16 * size.minCoeff() / usual_force(data, camera);
  double fastest = 0;
  for (const model::BodyState& body : state.bodies)
    fastest = std::max(fastest, body.velocity.linear.norm() + data.bounds.size() * body.velocity.angular.norm());
  for (std::size_t b = 0; b < bodies.size() && plane; ++b) {
    mark_centre_of_mass(painter, camera, bodies[b], state.bodies[b].pose);
    draw_supports(painter, camera, bodies[b], state.bodies[b], per_force, fastest);
  }
  for (const contact::ContactResult& c : shown_contacts(data, frame)) {
    const Vec2 at = camera.at(0.5 * (c.contact.point_a + c.contact.point_b));
    draw_force(painter, at, per_force * camera.along(c.force));
    draw_mark(painter, at, c.mode);
  }
  for (const StillLabel& label : labels)
    if (!label.text.empty()) draw_label(painter, camera, label);
  painter.unclip();
  draw_scale(painter, camera, data.units.length, corner + Vec2(0, size.y()), size.x());
  painter.stroke({corner, corner + Vec2(size.x(), 0), corner + size, corner + Vec2(0, size.y())}, true, kFrame, 0.75);
}

}  // namespace stickslip::report
