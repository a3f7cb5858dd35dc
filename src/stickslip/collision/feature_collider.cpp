// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/feature_collider.h"

#include "stickslip/collision/flat_cap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip::collision {
namespace {

// Up to here testing all pairs is cheaper than keeping bounding boxes.
constexpr std::size_t kFewPairs = 32;

// A vertex whose arm leans more than 30 degrees below the touching plane is not the one that touches; rotation within
// the step is added to it.
constexpr double kLean = 0.5;

// An impact at one corner may turn a body and send another corner off up to this many times as fast.
constexpr double kAfterImpact = 3;

bool is_prescribed(const model::Body& body) {
  if (body.mass == 0) return true;
  const model::Drive& drive = body.drive;
  if (!drive.translation[0] || !drive.translation[1]) return false;
  if (!body.planar() && !drive.translation[2]) return false;
  if (!body.rotates()) return true;
  if (body.planar()) return static_cast<bool>(drive.angle);
  const auto& locked = drive.rotation_locked;
  return drive.orientation || (locked[0] && locked[1] && locked[2]);
}

bool is_fixed(const model::Body& body) {
  const model::Drive& drive = body.drive;
  return body.mass == 0 && !drive.translation[0] && !drive.translation[1] && !drive.translation[2] && !drive.angle &&
         !drive.orientation;
}

}  // namespace

void FeatureCollider::prepare(const model::Model& model) {
  model_ = &model;
  bodies_ = model.bodies.data();
  body_count_ = model.bodies.size();
  geometry_.clear();
  first_geometry_ = {0};
  body_radius_.clear();
  prescribed_.clear();
  fixed_.clear();
  placed_ = false;
  turns_.clear();
  bounded_.clear();
  always_.clear();
  pairs_.clear();
  broad_phase_.reset();
  thin_shapes_ = cylinders_ = false;
  for (int body = 0; body < static_cast<int>(body_count_); ++body) {
    const model::Body& source = model.bodies[static_cast<std::size_t>(body)];
    double radius = 0;
    for (int shape = 0; shape < static_cast<int>(source.shapes.size()); ++shape) {
      geometry_.push_back(make_geometry(source.shapes[static_cast<std::size_t>(shape)], body, shape));
      const Geometry& g = geometry_.back();
      if (!g.unbounded()) radius = std::max(radius, g.box_centre.norm() + g.radius);
      thin_shapes_ = thin_shapes_ || g.polygon.thin;
      cylinders_ = cylinders_ || g.family == Family::Cylinder;
      if (!g.unbounded()) bounded_.push_back(static_cast<int>(geometry_.size()) - 1);
    }
    first_geometry_.push_back(static_cast<int>(geometry_.size()));
    body_radius_.push_back(radius);
    prescribed_.push_back(is_prescribed(source));
    fixed_.push_back(is_fixed(source));
    turns_.push_back(std::any_of(
        geometry_.begin() + first_geometry_[static_cast<std::size_t>(body)], geometry_.end(), [](const Geometry& g) {
          const bool particle = g.family == Family::Points && g.vertex.size() == 1 && g.vertex[0].isZero(0);
          return (g.family != Family::Ball && !particle) || !g.box_centre.isZero(0);
        }));
  }
  frame_.assign(body_count_, BodyFrame{});
  orientation_.assign(body_count_, Quat::Identity());
  centre_.assign(geometry_.size(), Vec3::Zero());
  speed_.assign(body_count_, 0);

  std::size_t bounded_pairs = 0;
  const int n = static_cast<int>(geometry_.size());
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      if (surface_of(model, a, b) < 0) continue;
      const bool unbounded =
          geometry_[static_cast<std::size_t>(a)].unbounded() || geometry_[static_cast<std::size_t>(b)].unbounded();
      if (unbounded) {
        always_.push_back({a, b, surface_of(model, a, b)});
      } else {
        ++bounded_pairs;
      }
    }
  }
  may_be_buried_ =
      n > 2 && std::ranges::any_of(geometry_, [](const Geometry& g) { return g.family == Family::Polyhedron; });
  few_pairs_ = bounded_pairs <= kFewPairs;
  if (!few_pairs_) return;
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      const int surface = surface_of(model, a, b);
      if (surface >= 0) pairs_.push_back({a, b, surface});
    }
  }
  list_partners();
}

void FeatureCollider::list_partners() {
  if (!may_be_buried_) return;
  first_partner_.assign(geometry_.size() + 1, 0);
  for (const ShapePair& pair : pairs_) {
    ++first_partner_[static_cast<std::size_t>(pair.a) + 1];
    ++first_partner_[static_cast<std::size_t>(pair.b) + 1];
  }
  std::partial_sum(first_partner_.begin(), first_partner_.end(), first_partner_.begin());
  partner_.resize(2 * pairs_.size());
  next_partner_.assign(first_partner_.begin(), first_partner_.end() - 1);
  for (const ShapePair& pair : pairs_) {
    partner_[static_cast<std::size_t>(next_partner_[static_cast<std::size_t>(pair.a)]++)] = pair.b;
    partner_[static_cast<std::size_t>(next_partner_[static_cast<std::size_t>(pair.b)]++)] = pair.a;
  }
}

int FeatureCollider::surface_of(const model::Model& model, int geometry_a, int geometry_b) const {
  const int a = geometry_[static_cast<std::size_t>(geometry_a)].body;
  const int b = geometry_[static_cast<std::size_t>(geometry_b)].body;
  if (a == b || (prescribed_[static_cast<std::size_t>(a)] && prescribed_[static_cast<std::size_t>(b)])) return -1;
  return model.surface_between(a, b);
}

void FeatureCollider::place_body(const model::State& state, std::size_t i) {
  const model::BodyState& body = state.bodies[i];
  BodyFrame& frame = frame_[i];
  frame.position = body.pose.position;
  if (turns_[i] && body.pose.orientation.coeffs() != orientation_[i].coeffs()) {
    orientation_[i] = body.pose.orientation;
    frame.rotation = body.pose.orientation.toRotationMatrix();
  }
}

void FeatureCollider::place_bodies(const model::State& state, bool with_velocity) {
  for (std::size_t i = 0; i < body_count_; ++i) {
    const model::BodyState& body = state.bodies[i];
    BodyFrame& frame = frame_[i];
    if (fixed_[i] && placed_ && body.pose.position == frame.position &&
        body.pose.orientation.coeffs() == orientation_[i].coeffs())
      continue;
    place_body(state, i);
    if (!with_velocity) continue;
    frame.linear = body.velocity.linear;
    frame.angular = body.velocity.angular;
    const double spin2 = body.velocity.angular.squaredNorm();
    frame.spin = spin2 > 0 ? std::sqrt(spin2) : 0;
  }
  if (!with_velocity) return;
  placed_ = true;
  for (std::size_t i = 0; i < geometry_.size(); ++i) {
    const Geometry& g = geometry_[i];
    if (g.unbounded()) continue;
    const BodyFrame& frame = frame_[static_cast<std::size_t>(g.body)];
    centre_[i] = frame.position;
    if (turns_[static_cast<std::size_t>(g.body)]) centre_[i] += frame.rotation * g.box_centre;
  }
}

// Bounding boxes that two shapes must share to be in reach: each is grown by its own part of the reach.
void FeatureCollider::bound_shapes(double margin, double horizon) {
  bounds_.resize(bounded_.size());
  for (std::size_t i = 0; i < bounded_.size(); ++i) {
    const Geometry& g = geometry_[static_cast<std::size_t>(bounded_[i])];
    const auto body = static_cast<std::size_t>(g.body);
    const BodyFrame& frame = frame_[body];
    speed_[body] = frame.linear.norm() + frame.spin * body_radius_[body];
    const double grow = 0.5 * margin + horizon * speed_[body];
    const Vec3& centre = centre_[static_cast<std::size_t>(bounded_[i])];
    Vec3 half = g.box_half;
    if (g.family != Family::Ball) half = frame.rotation.cwiseAbs() * g.box_half;
    half += Vec3::Constant(grow);
    bounds_[i] = {centre - half, centre + half};
  }
}

void FeatureCollider::list_pairs(const model::Model& model, double margin, double horizon) {
  if (few_pairs_) return;
  bound_shapes(margin, horizon);
  const auto allowed = [&](int i, int j) {
    return surface_of(model, bounded_[static_cast<std::size_t>(i)], bounded_[static_cast<std::size_t>(j)]) >= 0;
  };
  if (!broad_phase_.update(bounds_, allowed)) return;
  // Both lists are in canonical order: merge them.
  pairs_.clear();
  auto always = always_.begin();
  for (const IndexPair& pair : broad_phase_.pairs()) {
    const int a = bounded_[static_cast<std::size_t>(pair.a)], b = bounded_[static_cast<std::size_t>(pair.b)];
    for (; always != always_.end() && std::pair(always->a, always->b) < std::pair(a, b); ++always) {
      pairs_.push_back(*always);
    }
    pairs_.push_back({a, b, surface_of(model, a, b)});
  }
  pairs_.insert(pairs_.end(), always, always_.end());
  list_partners();
}

// For how long present velocities are followed. What has passed a shape without thickness unseen is never found again.
double FeatureCollider::sweep_of(double horizon) const {
  return thin_shapes_ ? kAfterImpact * horizon : horizon;
}

// Gaps below this may close within the horizon.
double FeatureCollider::reach_of(const Geometry& ga, const Geometry& gb, double margin, double horizon) const {
  const auto a = static_cast<std::size_t>(ga.body), b = static_cast<std::size_t>(gb.body);
  const BodyFrame &fa = frame_[a], &fb = frame_[b];
  double turning = 0;
  if (fa.spin > 0 || fb.spin > 0) {
    // A turning half-space sweeps past the other body as fast as that is far away.
    const double apart = ga.unbounded() || gb.unbounded() ? (fa.position - fb.position).norm() : 0;
    const double lever_a = ga.unbounded() ? apart + body_radius_[b] : body_radius_[a];
    const double lever_b = gb.unbounded() ? apart + body_radius_[a] : body_radius_[b];
    turning = (fa.spin > 0 ? fa.spin * lever_a : 0) + (fb.spin > 0 ? fb.spin * lever_b : 0);
  }
  return margin + horizon * ((fa.linear - fb.linear).norm() + turning);
}

void FeatureCollider::search_pair(const ShapePair& pair, double margin, double horizon, std::span<const Vec3> blocked,
                                  std::vector<Contact>& contacts) {
  const double sweep = sweep_of(horizon);
  const Geometry &ga = geometry_[static_cast<std::size_t>(pair.a)], &gb = geometry_[static_cast<std::size_t>(pair.b)];
  const BodyFrame &fa = frame_[static_cast<std::size_t>(ga.body)], &fb = frame_[static_cast<std::size_t>(gb.body)];
  const double apart2 =
      (centre_[static_cast<std::size_t>(pair.a)] - centre_[static_cast<std::size_t>(pair.b)]).squaredNorm();
  const double radii = ga.radius + gb.radius;  // infinite with half-spaces
  if (!few_pairs_) {                           // most pairs of the list end here
    const double bound =
        radii + margin +
        sweep * (speed_[static_cast<std::size_t>(ga.body)] + speed_[static_cast<std::size_t>(gb.body)]);
    if (apart2 > bound * bound) return;
  }
  const double reach = reach_of(ga, gb, margin, sweep), limit = radii + reach;
  if (apart2 > limit * limit) return;
  const bool swapped = ga.family > gb.family;
  PairSearch search_state{swapped ? Placed{gb, fb} : Placed{ga, fa},
                          swapped ? Placed{ga, fa} : Placed{gb, fb},
                          swapped,
                          {ga.body, gb.body, ga.shape, gb.shape, 0, 0},
                          pair.surface,
                          reach,
                          horizon > 0 ? margin : 0,
                          horizon,
                          kLean + horizon * (fa.spin + fb.spin),
                          previous_,
                          scratch_,
                          contacts,
                          contacts.size(),
                          blocked,
                          any_depth_};
  search(search_state);
}

void FeatureCollider::find(const model::Model& model, const model::State& state, double margin, double horizon,
                           std::vector<Contact>& contacts) {
  if (&model != model_ || model.bodies.data() != bodies_ || model.bodies.size() != body_count_) prepare(model);
  place_bodies(state, true);
  list_pairs(model, margin, sweep_of(horizon));
  if (thin_shapes_) {
    previous_.swap(contacts);
    contacts.reserve(previous_.capacity());
  }
  contacts.clear();
  for (const ShapePair& pair : pairs_) {
    const std::size_t first = contacts.size();
    search_pair(pair, margin, horizon, {}, contacts);
    if (may_be_buried_ && contacts.size() > first) drop_buried(pair, margin, horizon, first, contacts);
  }
  if (!unexplained_.empty()) explain_overlaps(margin, horizon, contacts);
}

bool FeatureCollider::find_moving(const model::Model& model, const model::State& state, double margin, double horizon,
                                  std::span<const Stillness> stillness, std::vector<Contact>& contacts,
                                  std::vector<int>& disturbed) {
  if (&model != model_ || model.bodies.data() != bodies_ || model.bodies.size() != body_count_) prepare(model);
  if (thin_shapes_) return false;  // which side bodies are on is known from all contacts of the step before
  place_bodies(state, true);
  list_pairs(model, margin, horizon);
  contacts.clear();
  disturbed.clear();
  for (const ShapePair& pair : pairs_) {
    const int a = geometry_[static_cast<std::size_t>(pair.a)].body,
              b = geometry_[static_cast<std::size_t>(pair.b)].body;
    const Stillness still_a = stillness[static_cast<std::size_t>(a)], still_b = stillness[static_cast<std::size_t>(b)];
    if (still_a != Stillness::Moving && still_b != Stillness::Moving) continue;
    if (still_a == Stillness::Resting || still_b == Stillness::Resting) {
      if (within_reach(pair, margin, horizon)) disturbed.push_back(still_a == Stillness::Resting ? a : b);
      continue;
    }
    if (!disturbed.empty()) continue;
    const std::size_t first = contacts.size();
    search_pair(pair, margin, horizon, {}, contacts);
    if (may_be_buried_ && contacts.size() > first) drop_buried(pair, margin, horizon, first, contacts);
  }
  if (!unexplained_.empty()) explain_overlaps(margin, horizon, contacts);
  return true;
}

// May one of the pair come to the other within the horizon, by their bounding balls and boxes, or be flush with it? A
// solid that moves by less than it is away from another one, and that is flush with it now (buried.h), is so a step
// later to twice the distance: kNear is above that.
bool FeatureCollider::within_reach(const ShapePair& pair, double margin, double horizon) const {
  constexpr double kNear = 1e-6;  // of the radius
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  const Geometry &ga = geometry_[a], &gb = geometry_[b];
  if (ga.unbounded() || gb.unbounded()) return true;
  const double reach = reach_of(ga, gb, margin, horizon) + kNear * (ga.radius + gb.radius);
  const double limit = ga.radius + gb.radius + reach;
  const Vec3 apart = (centre_[a] - centre_[b]).cwiseAbs();
  if (apart.squaredNorm() > limit * limit) return false;
  const auto half = [&](const Geometry& g) -> Vec3 {
    if (g.family == Family::Ball) return g.box_half;
    return frame_[static_cast<std::size_t>(g.body)].rotation.cwiseAbs() * g.box_half;
  };
  return (apart - half(ga) - half(gb)).maxCoeff() <= reach;
}

Placed FeatureCollider::placed(int body, int shape) const {
  const auto b = static_cast<std::size_t>(body);
  return {geometry_[static_cast<std::size_t>(first_geometry_[b] + shape)], frame_[b]};
}

bool FeatureCollider::find_more(const model::Model& model, const model::State& state,
                                std::span<const model::Twist> motion, double h, std::span<const Contact> contacts,
                                std::vector<Contact>& more) {
  more.clear();
  if (&model != model_ || model.bodies.data() != bodies_ || model.bodies.size() != body_count_) prepare(model);
  if (!cylinders_) return false;
  place_bodies(state, false);
  for (std::size_t i = 0; i < body_count_; ++i) {
    frame_[i].linear = motion[i].linear;
    frame_[i].angular = motion[i].angular;
  }
  for (const Contact& contact : contacts) {
    find_sinking(contact, false, h, contacts, more);
    find_sinking(contact, true, h, contacts, more);
  }
  return !more.empty();
}

// A point of a rim on a face: does another one of the same rim sink in?
void FeatureCollider::find_sinking(const Contact& contact, bool rim_is_b, double h, std::span<const Contact> contacts,
                                   std::vector<Contact>& more) const {
  const ContactId& id = contact.id;
  const FeatureCode rim = rim_is_b ? id.feature_b : id.feature_a, face = rim_is_b ? id.feature_a : id.feature_b;
  const Placed a = placed(id.body_a, id.shape_a), b = placed(id.body_b, id.shape_b);
  const Placed &cylinder = rim_is_b ? b : a, &other = rim_is_b ? a : b;
  if (cylinder.geometry.family != Family::Cylinder || feature_kind(rim) != FeatureKind::Vertex ||
      feature_kind(face) != FeatureKind::Face)
    return;
  const int cap = rim_of(feature_index(rim));
  if (cap < 0) return;
  const auto found = sinking_rim_point(other, feature_index(face), cylinder, cap, h);
  if (!found) return;
  Contact point = contact;
  (rim_is_b ? point.id.feature_b : point.id.feature_a) = *found;
  const auto is_it = [&](const Contact& known) { return known.id == point.id; };
  if (std::ranges::any_of(contacts, is_it) || std::ranges::any_of(more, is_it)) return;
  const Placement placement = evaluate(a, point.id.feature_a, b, point.id.feature_b, contact.normal);
  more.push_back({point.id, point.surface, placement.gap, placement.point_a, placement.point_b, placement.normal});
}

void FeatureCollider::refresh(const model::Model& model, const model::State& state, std::vector<Contact>& contacts) {
  if (&model != model_ || model.bodies.data() != bodies_ || model.bodies.size() != body_count_) prepare(model);
  // The contacts of one component among many know few bodies.
  const bool few = 2 * contacts.size() < body_count_;
  if (!few) place_bodies(state, false);
  for (Contact& contact : contacts) {
    const ContactId& id = contact.id;
    if (few)
      for (int body : {id.body_a, id.body_b}) place_body(state, static_cast<std::size_t>(body));
    const Placement placement = evaluate(placed(id.body_a, id.shape_a), id.feature_a, placed(id.body_b, id.shape_b),
                                         id.feature_b, contact.normal);
    contact.gap = placement.gap;
    contact.point_a = placement.point_a;
    contact.point_b = placement.point_b;
    contact.normal = placement.normal;
  }
}

}  // namespace stickslip::collision
