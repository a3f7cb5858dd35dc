// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/sweep.h"

#include "stickslip/collision/separation.h"
#include "stickslip/collision/thickness.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip::collision {
namespace {

constexpr double kSlow = 0.25;       // of the thickness: what a pair may move unwatched
constexpr double kDriven = 0.4;      // of the thickness: less than half, so that the side on which bodies meet is known
constexpr double kMissed = 1e-3;     // of the thickness: overlap of a pair that no contact presses apart
constexpr double kPressed = 0.1;     // the same where one does
constexpr int kMostAdvances = 2000;  // then the step is divided where the search stands
constexpr double kArc = 0.05;        // radians between samples of a point against a segment
constexpr double kNever = std::numeric_limits<double>::infinity();

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Segments without thickness.
bool is_chain(double thickness, const Solid& solid) {
  const ConvexPiece& piece = solid.piece.front();
  return thickness == 0 && piece.kind == ConvexPiece::Kind::Vertices && piece.count == 2;
}

bool is_half_space(const PlacedPiece& placed) {
  return placed.piece->kind == ConvexPiece::Kind::HalfSpace;
}

// The point farthest along n, world.
Vec3 support_of(const PlacedPiece& placed, const Vec3& n) {
  const Vec3 core = support(*placed.solid, *placed.piece, placed.rotation.transpose() * n);
  return placed.position + placed.rotation * core + placed.piece->rounding * n;
}

double lever_of(const Solid& solid, const ConvexPiece& piece) {
  if (piece.kind == ConvexPiece::Kind::HalfSpace) return 0;
  if (piece.kind != ConvexPiece::Kind::Vertices) return piece.origin.norm() + piece.radius;
  double lever = 0;
  for (int k = 0; k < piece.count; ++k) lever = std::max(lever, solid.vertex[at(piece.first + k)].norm());
  return lever;
}

// Corners of a notch in a concave outline, by their place in Solid::vertex: its sides are segments, in pairs of ends.
std::vector<std::uint8_t> notches_of(const Solid& solid) {
  std::vector<std::uint8_t> notch(solid.vertex.size(), 0);
  for (const Solid::Surface& surface : solid.surface) {
    const auto side = [&](int k) -> const ConvexPiece& { return solid.piece[at(surface.first + k)]; };
    for (int i = 0; solid.planar && i < surface.count; ++i)
      for (int j = 0; j < surface.count; ++j) {
        const int end = side(i).first + 1, begin = side(j).first;
        if (solid.vertex[at(end)] != solid.vertex[at(begin)]) continue;
        const Vec3 in = solid.vertex[at(end)] - solid.vertex[at(end - 1)],
                   out = solid.vertex[at(begin + 1)] - solid.vertex[at(begin)];
        notch[at(end)] = notch[at(begin)] = in.cross(out).z() < 0;
      }
  }
  return notch;
}

// The rotation vector from one orientation to the other that is closest to `expected` (which may be several turns).
Vec3 rotation_between(const Quat& from, const Quat& to, const Vec3& expected) {
  Quat q = to * from.conjugate();
  if (q.w() < 0) q.coeffs() *= -1;
  const double sine = q.vec().norm();
  if (!(sine > 0)) {
    const double turns = std::round(expected.norm() / (2 * std::numbers::pi));
    return turns > 0 ? Vec3(2 * std::numbers::pi * turns * expected.normalized()) : Vec3(Vec3::Zero());
  }
  const Vec3 axis = q.vec() / sine;
  const double angle = 2 * std::atan2(sine, q.w());
  return (angle + 2 * std::numbers::pi * std::round((expected.dot(axis) - angle) / (2 * std::numbers::pi))) * axis;
}

}  // namespace

Sweep::Sweep(const model::Model& model, std::vector<std::uint8_t> movable, std::vector<std::uint8_t> moving,
             std::vector<std::uint8_t> driven)
    : model_(model), movable_(std::move(movable)), moving_(std::move(moving)), driven_(std::move(driven)) {
  const int bodies = static_cast<int>(model.bodies.size());
  driven_.resize(at(bodies), 0);
  thinnest_.assign(at(bodies), kNever);
  lever_.assign(at(bodies), 0);
  plane_.assign(at(bodies), 0);
  for (int body = 0; body < bodies; ++body) {
    const model::Body& source = model.bodies[at(body)];
    for (int k = 0; k < static_cast<int>(source.shapes.size()); ++k) {
      const model::PlacedShape& placed = source.shapes[at(k)];
      Shape shape{body, k, thickness(placed.shape), make_solid({&placed, 1}, source.planar()), {}, {}};
      if (shape.solid.piece.empty()) continue;  // a set of no points
      for (const ConvexPiece& piece : shape.solid.piece) {
        shape.lever.push_back(lever_of(shape.solid, piece));
        lever_[at(body)] = std::max(lever_[at(body)], shape.lever.back());
      }
      shape.notch = notches_of(shape.solid);
      if (is_plane(shape)) plane_[at(body)] = 1;
      shapes_.push_back(std::move(shape));
    }
  }
  for (int body = 0; body < bodies; ++body)
    if (moving_[at(body)] != 0) movers_.push_back({body, lever_[at(body)] * lever_[at(body)]});
  limit_ = kNever;
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    for (std::size_t j = i + 1; j < shapes_.size(); ++j) {
      const int a = shapes_[i].body, b = shapes_[j].body;
      if (a == b || (!movable_[at(a)] && !movable_[at(b)]) || model.surface_between(a, b) < 0) continue;
      if (is_points(shapes_[i]) && is_points(shapes_[j])) continue;
      const double thickness = thickness_between(shapes_[i], shapes_[j]);
      limit_ = std::min(limit_, 0.5 * kSlow * thickness);
      if (movable_[at(b)]) thinnest_[at(a)] = std::min(thinnest_[at(a)], thickness);
      if (movable_[at(a)]) thinnest_[at(b)] = std::min(thinnest_[at(b)], thickness);
    }
}

// What of a pair gives it thickness; 0: nothing.
double Sweep::thickness_between(const Shape& a, const Shape& b) {
  return a.thickness > 0 && b.thickness > 0 ? std::min(a.thickness, b.thickness) : std::max(a.thickness, b.thickness);
}

bool Sweep::is_calm(const model::State& state, double h) {
  if (h != calm_step_) {
    const double share = 0.25 * limit_, reach = share - h * h * model_.gravity.lpNorm<1>();
    calm_step_ = h;
    calm_speed2_ = reach >= 0 ? reach * reach / (h * h) : -1;
    calm_turn2_ = share * share / (h * h);
  }
  for (const Mover& mover : movers_) {
    const model::Twist& v = state.bodies[at(mover.body)].velocity;
    if (v.linear.squaredNorm() > calm_speed2_ || mover.lever2 * v.angular.squaredNorm() > calm_turn2_) return false;
  }
  return calm_speed2_ >= 0;
}

bool Sweep::is_still(const model::State& state, double h) const {
  constexpr double kStill = 1.0 / 16;  // of limit_; two bodies that move and turn, 1/8 of the thickness times kSlow
  const double reach = kStill * limit_ / h, speed2 = reach * reach;
  return std::ranges::all_of(movers_, [&](const Mover& mover) {
    const model::Twist& v = state.bodies[at(mover.body)].velocity;
    return v.linear.squaredNorm() <= speed2 && mover.lever2 * v.angular.squaredNorm() <= speed2;
  });
}

bool Sweep::is_slow(const model::State& start, const model::State& end) const {
  const double h = end.time - start.time, share2 = 0.25 * limit_ * limit_, turn2 = share2 / (h * h);
  for (const Mover& mover : movers_) {
    const model::BodyState &from = start.bodies[at(mover.body)], &to = end.bodies[at(mover.body)];
    if ((to.pose.position - from.pose.position).squaredNorm() > share2) return false;
    const double spin2 = std::max(from.velocity.angular.squaredNorm(), to.velocity.angular.squaredNorm());
    if (mover.lever2 * spin2 > turn2 || (plane_[at(mover.body)] != 0 && spin2 > 0)) return false;
  }
  return true;
}

double Sweep::length_for_drives(const model::State& state, double h) const {
  const auto speed_of = [&](int body) {
    const model::Twist& v = state.bodies[at(body)].velocity;
    return v.linear.norm() + v.angular.norm() * lever_[at(body)];
  };
  double length = h;
  for (const Shape& a : shapes_) {
    if (!driven_[at(a.body)] || is_plane(a)) continue;
    const double speed = speed_of(a.body);
    if (speed * h <= kDriven * thinnest_[at(a.body)]) continue;
    for (const Shape& b : shapes_) {
      if (b.body == a.body || !movable_[at(b.body)] || model_.surface_between(a.body, b.body) < 0) continue;
      const double thickness = thickness_between(a, b);
      if (!(thickness > 0) || speed * length <= kDriven * thickness) continue;
      const double reach = h * (speed + speed_of(b.body) + h * model_.gravity.norm());
      const PlacedSolid solid_a(a.solid, state.bodies[at(a.body)].pose),
          solid_b(b.solid, state.bodies[at(b.body)].pose);
      if (collision::separation(solid_a, solid_b, reach).low >= reach) continue;
      length = kDriven * thickness / speed;
    }
  }
  return length;
}

void Sweep::add_leg(int body, const model::BodyState& from, double begin, const model::BodyState& to, double end) {
  if (!(end > begin)) return;
  const double h = end - begin;
  Leg leg{begin, end, from.pose, {}};
  leg.twist.linear = (to.pose.position - from.pose.position) / h;
  if (model_.bodies[at(body)].planar())
    leg.twist.angular = Vec3(0, 0, (to.angle - from.angle) / h);
  else
    leg.twist.angular = rotation_between(from.pose.orientation, to.pose.orientation, h * to.velocity.angular) / h;
  travel_[at(body)] += h * leg.twist.linear.norm();
  turned_[at(body)] += h * leg.twist.angular.norm();
  legs_.push_back(leg);
}

void Sweep::lay_paths(const model::State& start, const model::State& end, std::span<const Waypoint> waypoints) {
  const int bodies = static_cast<int>(start.bodies.size());
  legs_.clear();
  first_leg_.clear();
  travel_.assign(at(bodies), 0);
  turned_.assign(at(bodies), 0);
  for (int body = 0; body < bodies; ++body) {
    first_leg_.push_back(static_cast<int>(legs_.size()));
    const model::BodyState* from = &start.bodies[at(body)];
    double time = start.time;
    if (moving_[at(body)] != 0)
      for (const Waypoint& point : waypoints) {
        if (point.body != body) continue;
        add_leg(body, *from, time, point.state, point.time);
        from = &point.state;
        time = point.time;
      }
    add_leg(body, *from, time, end.bodies[at(body)], end.time);
    if (first_leg_.back() == static_cast<int>(legs_.size())) legs_.push_back({start.time, end.time, from->pose, {}});
  }
  first_leg_.push_back(static_cast<int>(legs_.size()));
}

const Sweep::Leg& Sweep::leg_at(int body, double time) const {
  int k = first_leg_[at(body)];
  while (k + 1 < first_leg_[at(body) + 1] && time >= legs_[at(k)].end) ++k;
  return legs_[at(k)];
}

Sweep::Frame Sweep::frame_at(int body, double time) const {
  const Leg& leg = leg_at(body, time);
  const model::Pose pose = model::advance(leg.pose, leg.twist, time - leg.begin);
  return {pose.position, pose.orientation.toRotationMatrix()};
}

// The instant up to which both bodies keep their twists.
double Sweep::leg_end(const Query& query, double time, double end) const {
  return std::min({end, leg_at(query.body_a, time).end, leg_at(query.body_b, time).end});
}

// A bound of how far points of the two shapes move against each other. A plane that turns moves what is far from its
// origin.
double Sweep::travel_between(const Shape& a, const Shape& b) const {
  double travel = 0;
  const double apart =
      is_plane(a) || is_plane(b)
          ? (legs_[at(first_leg_[at(a.body)])].pose.position - legs_[at(first_leg_[at(b.body)])].pose.position).norm()
          : 0;
  for (const Shape* shape : {&a, &b}) {
    const int other = shape == &a ? b.body : a.body;
    const double lever = is_plane(*shape) ? apart + lever_[at(other)] : lever_[at(shape->body)];
    travel += travel_[at(shape->body)] + turned_[at(shape->body)] * lever;
  }
  return travel;
}

Passage Sweep::first_passage(const model::State& start, const model::State& end, std::span<const Waypoint> waypoints,
                             std::span<const Contact> contacts, std::span<const std::uint8_t> pressed) {
  Passage first;
  lay_paths(start, end, waypoints);
  double until = end.time;
  const auto fast = [&](const Shape& shape) {
    const std::size_t body = at(shape.body);
    return moving_[body] != 0 &&
           (travel_[body] + turned_[body] * lever_[body] > limit_ || (plane_[body] != 0 && turned_[body] > 0));
  };
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const bool fast_i = fast(shapes_[i]);
    for (std::size_t j = i + 1; j < shapes_.size(); ++j) {
      const Shape &a = shapes_[i], &b = shapes_[j];
      if (a.body == b.body || (!movable_[at(a.body)] && !movable_[at(b.body)])) continue;
      if (!fast_i && !fast(b)) continue;
      if (model_.surface_between(a.body, b.body) < 0 || (is_points(a) && is_points(b))) continue;
      // A point does not pass through a half-space; it is always found behind its plane.
      if (thickness_between(a, b) == kNever || travel_between(a, b) <= kSlow * thickness_between(a, b)) continue;
      const double time = shapes_pass(a, b, start.time, until, contacts, pressed);
      if (!(time < kNever)) continue;
      first = {a.body, b.body, time};
      until = time;
    }
  }
  return first;
}

double Sweep::shapes_pass(const Shape& a, const Shape& b, double begin, double end, std::span<const Contact> contacts,
                          std::span<const std::uint8_t> pressed) {
  if (is_plane(a)) return shapes_pass(b, a, begin, end, contacts, pressed);
  const double travel = travel_between(a, b), thickness = thickness_between(a, b);
  bool presses = false;
  normals_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactId& id = contacts[c].id;
    const bool same = id.body_a == a.body && id.body_b == b.body && id.shape_a == a.shape && id.shape_b == b.shape;
    const bool turned = id.body_a == b.body && id.body_b == a.body && id.shape_a == b.shape && id.shape_b == a.shape;
    if (!same && !turned) continue;
    presses |= pressed[c] != 0;
    const Vec3 normal = same ? contacts[c].normal : Vec3(-contacts[c].normal);
    if (std::ranges::none_of(normals_, [&](const Vec3& n) { return n == normal; })) normals_.push_back(normal);
  }
  if (thickness == 0 && presses) return kNever;  // a compliant layer may be penetrated: no far side is defined
  Query query;
  query.body_a = a.body;
  query.body_b = b.body;
  query.normals = normals_;
  double first = kNever;
  const Frame frame_a = frame_at(a.body, begin), frame_b = frame_at(b.body, begin);
  for (std::size_t i = 0; i < a.solid.piece.size(); ++i)
    for (std::size_t j = 0; j < b.solid.piece.size(); ++j) {
      const ConvexPiece &piece_a = a.solid.piece[i], &piece_b = b.solid.piece[j];
      query.a = {&a.solid, &piece_a, frame_a.rotation, frame_a.position};
      query.b = {&b.solid, &piece_b, frame_b.rotation, frame_b.position};
      const Vec3 centre_a = frame_a.position + frame_a.rotation * piece_a.centre;
      double apart = 0;
      if (is_half_space(query.b))
        apart = (frame_b.rotation * piece_b.normal).dot(centre_a - frame_b.position) - piece_b.offset - piece_a.radius;
      else
        apart =
            (centre_a - frame_b.position - frame_b.rotation * piece_b.centre).norm() - piece_a.radius - piece_b.radius;
      if (apart > travel) continue;
      query.lever_a = a.lever[i];
      query.lever_b = b.lever[j];
      query.axis.setZero();
      query.before = 0;
      query.allowed = (presses ? kPressed : kMissed) * thickness;
      const double until = std::min(end, first);
      first = std::min(first, thickness > 0 ? pieces_pass(query, begin, until) : crosses(query, begin, until));
    }
  if (thickness > 0 && is_chain(b.thickness, b.solid))
    return std::min(first, corners_cross(a, b, query, begin, end, contacts, pressed));
  if (thickness > 0 && is_chain(a.thickness, a.solid)) {
    for (Vec3& n : normals_) n = -n;
    return std::min(first, corners_cross(b, a, query, begin, end, contacts, pressed));
  }
  return first;
}

// Is there a contact that presses on this corner? Its point may have been evaluated at either end of the step.
bool Sweep::is_held(const Shape& shape, const Vec3& corner, int other, double begin, double end,
                    std::span<const Contact> contacts, std::span<const std::uint8_t> pressed) const {
  constexpr double kSamePoint = 1e-6;  // of the lever
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactId& id = contacts[c].id;
    const bool first = id.body_a == shape.body && id.body_b == other,
               second = id.body_b == shape.body && id.body_a == other;
    if (pressed[c] == 0 || (!first && !second)) continue;
    for (const double time : {begin, end}) {
      const Frame frame = frame_at(shape.body, time);
      const Vec3 local =
          frame.rotation.transpose() * ((first ? contacts[c].point_a : contacts[c].point_b) - frame.position);
      if ((local - corner).norm() <= kSamePoint * lever_[at(shape.body)]) return true;
    }
  }
  return false;
}

double Sweep::corners_cross(const Shape& corners, const Shape& chain, Query& query, double begin, double end,
                            std::span<const Contact> contacts, std::span<const std::uint8_t> pressed) {
  constexpr double kBehind = 1e-9;  // of the lever: not rounding
  double first = kNever;
  query.body_a = corners.body;
  query.body_b = chain.body;
  ConvexPiece tip;
  tip.kind = ConvexPiece::Kind::Vertices;
  tip.count = 1;
  for (int v = 0; v < static_cast<int>(corners.solid.vertex.size()); ++v) {
    // A chain that sinks into a soft notch has the notch's corner behind it, and is held by the sides: no feature of its own.
    if (corners.notch[at(v)] != 0) continue;
    if (is_held(corners, corners.solid.vertex[at(v)], chain.body, begin, end, contacts, pressed)) continue;
    tip.first = v;
    query.a = {&corners.solid, &tip, Mat3::Identity(), Vec3::Zero()};
    for (const ConvexPiece& segment : chain.solid.piece) {
      query.b = {&chain.solid, &segment, Mat3::Identity(), Vec3::Zero()};
      first = std::min(first, crosses(query, begin, std::min(end, first), kBehind * lever_[at(corners.body)]));
    }
  }
  return first;
}

void Sweep::place(Query& query, double time) const {
  const Frame a = frame_at(query.body_a, time), b = frame_at(query.body_b, time);
  query.a.rotation = a.rotation;
  query.a.position = a.position;
  query.b.rotation = b.rotation;
  query.b.position = b.position;
}

double Sweep::separation(const Query& query, const Vec3& n) {
  const Vec3 low = support_of(query.a, -n);
  if (is_half_space(query.b)) return n.dot(low - query.b.position) - query.b.piece->offset;
  return n.dot(low - support_of(query.b, n));
}

// How far apart along n, and for how long no deeper than allowed.
Sweep::Direction Sweep::judge(const Query& query, const Vec3& n, double time) const {
  Direction direction{n, separation(query, n), -1};
  if (!(direction.separation >= -0.5 * query.allowed - query.before)) return direction;
  const model::Twist &va = leg_at(query.body_a, time).twist, &vb = leg_at(query.body_b, time).twist;
  double closing = std::max(0.0, -n.dot(va.linear - vb.linear)) + n.cross(va.angular).norm() * query.lever_a;
  if (is_half_space(query.b))  // n turns with the plane
    closing += vb.angular.norm() * ((query.a.position - query.b.position).norm() + query.lever_a);
  else
    closing += n.cross(vb.angular).norm() * query.lever_b;
  direction.lasts = closing > 0 ? (direction.separation + query.before + query.allowed) / closing : kNever;
  return direction;
}

Sweep::Direction Sweep::longest_lasting(const Query& query, double time, double end) const {
  Direction best{Vec3::Zero(), -kNever, -1};
  const auto take = [&](const Vec3& n) {
    const Direction direction = judge(query, n, time);
    if (direction.lasts > best.lasts || (direction.lasts == best.lasts && direction.separation > best.separation))
      best = direction;
    return best.lasts >= end - time;
  };
  if (is_half_space(query.b)) {
    take(query.b.rotation * query.b.piece->normal);
    return best;
  }
  if (!query.axis.isZero(0) && take(query.axis)) return best;
  for (const Vec3& n : query.normals)
    if (take(n)) return best;
  const Separation separation = convex_separation(query.a, query.b, model_.dimension == 2);
  if (separation.normal.allFinite()) take(separation.normal);
  return best;
}

// When the two pieces overlap by more than they may; kNever if they do not.
double Sweep::pieces_pass(Query& query, double begin, double end) {
  double time = begin;
  for (int k = 0; time < end; ++k) {
    ++advances_;
    const double leg = leg_end(query, time, end);
    place(query, time);
    Direction best = longest_lasting(query, time, leg);
    if (best.lasts < 0 && k == 0) {  // they overlap from the start: what is more than that is new
      query.before = -best.separation;
      best = judge(query, best.n, time);
    }
    if (best.lasts < 0) return time;
    query.axis = best.n;
    if (k == kMostAdvances) return time;
    time += std::max(best.lasts, 1e-9 * (end - begin));
    if (time < leg) continue;
    time = leg;
  }
  place(query, end);
  return longest_lasting(query, end, end).lasts < 0 ? end : kNever;
}

// A point against a segment, in its frame: from which side to which?
double Sweep::crosses(const Query& query, double begin, double end, double depth) {
  const bool point_is_a = query.a.piece->count == 1;
  if (!point_is_a && query.b.piece->count > 1) {  // two segments: the ends of each against the other
    double first = kNever;
    for (const bool swap : {false, true})
      for (int k = 0; k < 2; ++k) {
        Query one = query;
        PlacedPiece& turned_to_point = swap ? one.b : one.a;
        ConvexPiece tip = *turned_to_point.piece;
        tip.first += k;
        tip.count = 1;
        turned_to_point.piece = &tip;
        first = std::min(first, crosses(one, begin, std::min(end, first)));
      }
    return first;
  }
  const PlacedPiece &point = point_is_a ? query.a : query.b, &segment = point_is_a ? query.b : query.a;
  const Vec3 tip = point.solid->vertex[at(point.piece->first)];
  const Vec3* const ends = segment.solid->vertex.data() + segment.piece->first;
  const int moved = point_is_a ? query.body_a : query.body_b, fixed = point_is_a ? query.body_b : query.body_a;
  const Vec3 along = ends[1] - ends[0];
  const double length = along.norm();
  const Vec3 tangent = along / length, normal(-tangent.y(), tangent.x(), 0);
  const auto local = [&](double time) -> Vec3 {
    const Frame f = frame_at(fixed, time), m = frame_at(moved, time);
    return f.rotation.transpose() * (m.position + m.rotation * tip - f.position) - ends[0];
  };
  const double noise = 1e-12 * length;
  double before_time = begin, before = normal.dot(local(begin));
  if (std::fabs(before) <= noise) {  // it touches: on the side that a contact says
    double side = 0;
    for (const Vec3& n : query.normals) {
      const Vec3 into = frame_at(fixed, begin).rotation.transpose() * (point_is_a ? n : Vec3(-n));
      if (std::fabs(normal.dot(into)) > std::fabs(side)) side = normal.dot(into);
    }
    if (side == 0) return kNever;
    before = std::copysign(2 * noise, side);
  }
  const double turned = turned_[at(moved)] + turned_[at(fixed)];
  const int samples = 1 + std::min(kMostAdvances, static_cast<int>(turned / kArc));
  times_.clear();
  for (int k = 1; k <= samples; ++k) times_.push_back(begin + (end - begin) * k / samples);
  for (int body : {moved, fixed})
    for (int k = first_leg_[at(body)]; k < first_leg_[at(body) + 1]; ++k)
      if (legs_[at(k)].end > begin && legs_[at(k)].end < end) times_.push_back(legs_[at(k)].end);
  std::ranges::sort(times_);
  advances_ += static_cast<std::int64_t>(times_.size());
  for (const double time : times_) {
    const Vec3 now = local(time);
    const double height = normal.dot(now);
    if (std::signbit(height) != std::signbit(before) && std::fabs(height) > std::max(2 * noise, depth)) {
      const double share = std::fabs(before) / (std::fabs(before) + std::fabs(height));
      const double x = tangent.dot((1 - share) * local(before_time) + share * now);
      // Not at the crossing itself but behind it: a stepper must see that it is through.
      if (x >= -noise && x <= length + noise) return before_time + (time - before_time) * (0.5 + 0.5 * share);
    }
    if (std::fabs(height) > std::max(noise, depth)) before = height;
    before_time = time;
  }
  return kNever;
}

}  // namespace stickslip::collision
