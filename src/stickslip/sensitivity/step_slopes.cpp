// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/step_slopes.h"

#include "stickslip/contact/support_rows.h"
#include "stickslip/sensitivity/plane_contact.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>

namespace stickslip::sensitivity {

using contact::ContactRows;
using Eigen::Index;
using stepping::index;

namespace {

constexpr double kDisplacement = 1e-7;  // truncation and rounding of the rows are then alike

}  // namespace

bool StepSlopes::cover(const model::Model& model, const stepping::Method& method) {
  if (method.motion != stepping::MotionModel::Dynamic || contact::has_supports(model)) return false;
  return std::ranges::all_of(contact::body_traits(model), [](const contact::BodyTraits& traits) {
    return !traits.pushed && (!traits.free_rotation || (traits.isotropic && !traits.locked_rotation));
  });
}

// How the values change when the rows of a contact turn into `moved` over `amount` of the change in column `to` of the
// slopes; `from` (or -1): the column of the same change of the other body, with the opposite sign.
void StepSlopes::add_turn(std::size_t c, const ActiveContact& active, const ContactRows& moved, double amount, Index to,
                          Index from) {
  const StepEquations::Terms& terms = equations_.terms();
  const ContactRows& row = terms.rows[c];
  const auto a = index(row.a), b = index(row.b);
  const auto add = [&](Index line, double value) {
    slopes_(line, to) += value;
    if (from >= 0) slopes_(line, from) -= value;
  };
  Vec3 impulse = Vec3::Zero(), moment_a = Vec3::Zero(), moment_b = Vec3::Zero();
  for (int k = 0; k <= active.tangents; ++k) {
    const Vec3 d = (moved.direction[k] - row.direction[k]) / amount;
    const Vec3 da = (moved.moment_a[k] - row.moment_a[k]) / amount;
    const Vec3 db = (moved.moment_b[k] - row.moment_b[k]) / amount;
    impulse += active.p[k] * d;
    moment_a += active.p[k] * da;
    moment_b += active.p[k] * db;
    if (k == 0 && equations_.end_geometry()) continue;
    model::Twist va = terms.velocity[a], vb = terms.velocity[b];
    if (k > 0) {
      va = stepping::scaled_sum(1, va, 1, terms.drive[a]);
      vb = stepping::scaled_sum(1, vb, 1, terms.drive[b]);
    }
    add(first_row(c) + k, d.dot(va.linear - vb.linear) + da.dot(va.angular) - db.dot(vb.angular));
  }
  const auto freedoms = equations_.freedoms();
  for (std::size_t i = 0; i < freedoms.size(); ++i) {
    const Freedom& f = freedoms[i];
    if (f.body != row.a && f.body != row.b) continue;
    const contact::BodyDynamics& body = terms.dynamics[index(f.body)];
    const double push = f.axis < 3 ? body.inverse_mass[f.axis] * impulse[f.axis]
                                   : body.inverse_inertia.row(f.axis - 3).dot(f.body == row.a ? moment_a : moment_b);
    add(static_cast<Index>(i), f.body == row.a ? -push : push);
  }
}

// The rows turn with the plane alone.
void StepSlopes::add_plane_contact(std::size_t c, const ActiveContact& active, const std::vector<bool>& moves) {
  const StepEquations::Terms& terms = equations_.terms();
  const ContactRows& row = terms.rows[c];
  const PlaneContact::Side side = PlaneContact::side_of(equations_.model(), active.contact.id);
  const PlaneContact plane(equations_.model(), terms.contacts[c], terms.at, side);
  const int body = side == PlaneContact::Side::A ? row.a : row.b;
  const Vec3& turning = terms.drive[index(body)].angular;
  const bool pushed = equations_.traits()[index(body)].free_rotation;
  const auto asked = [&](int which, int place) { return moves[index(which * kBodyTangent + place)]; };
  for (int axis = 0; axis < 3; ++axis) {
    ContactRows moved = row;
    if (asked(row.a, kPosition + axis) || asked(row.b, kPosition + axis)) {
      const Index to = row.b * kBodyTangent + kPosition + axis, from = row.a * kBodyTangent + kPosition + axis;
      if (pushed) {
        plane.shift(axis, active.tangents, moved);
        add_turn(c, active, moved, 1, to, from);
        moved = row;
      } else {  // only slip, by the turning of the plane
        const Vec3 along = plane.along(axis);
        for (int k = 1; k <= active.tangents; ++k) {
          const double slip = along.cross(row.direction[k]).dot(turning);
          slopes_(first_row(c) + k, to) += slip;
          slopes_(first_row(c) + k, from) -= slip;
        }
      }
    }
    if (!asked(body, kRotation + axis)) continue;
    plane.turn(axis, active.tangents, moved);
    add_turn(c, active, moved, 1, body * kBodyTangent + kRotation + axis, -1);
  }
}

void StepSlopes::add_contact(std::size_t c, const StepSpan& span, double length, const ActiveContact& active,
                             const std::vector<bool>& moves) {
  const ContactRows& row = equations_.terms().rows[c];
  const Index first = first_row(c);
  const double per_gap = active.gap_weight / span.h;
  for (const bool is_a : {true, false}) {
    const int body = is_a ? row.a : row.b;
    const Index at = body * kBodyTangent;
    const double sign = is_a ? 1 : -1;
    const contact::BodyTraits& traits = equations_.traits()[index(body)];
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k <= active.tangents; ++k) {
        const double linear = sign * row.direction[k][axis];
        const double angular = sign * (is_a ? row.moment_a : row.moment_b)[k][axis];
        if (k == 0) {
          slopes_(first, at + kPosition + axis) += linear * per_gap;
          slopes_(first, at + kRotation + axis) += angular * per_gap;
          continue;
        }
        if (traits.driven && !traits.free_translation[index(axis)]) slopes_(first + k, at + kLinear + axis) += linear;
        if (traits.driven && !traits.free_rotation) slopes_(first + k, at + kAngular + axis) += angular;
      }
  }
  if (PlaneContact::side_of(equations_.model(), active.contact.id) != PlaneContact::Side::None) {
    add_plane_contact(c, active, moves);
    return;
  }
  const auto try_turn = [&](int body, int axis, bool rotation, Index from) {
    const Index to = body * kBodyTangent + (rotation ? kRotation : kPosition) + axis;
    const double amount = kDisplacement * (rotation ? 1 : length);
    model::BodyState& state = moved_.bodies[index(body)];
    const model::BodyState kept = state;
    if (rotation)
      turn_slightly(amount * Vec3::Unit(axis), state);
    else
      state.pose.position[axis] += amount;
    const ContactRows moved = equations_.rows_at(moved_, active);
    state = kept;
    add_turn(c, active, moved, amount, to, from);
  };
  const auto asked = [&](int body, int place) { return moves[index(body * kBodyTangent + place)]; };
  for (int axis = 0; axis < 3; ++axis) {
    if (asked(row.a, kPosition + axis) || asked(row.b, kPosition + axis))
      try_turn(row.b, axis, false, row.a * kBodyTangent + kPosition + axis);
    if (asked(row.b, kRotation + axis)) try_turn(row.b, axis, true, -1);
    if (asked(row.a, kRotation + axis)) try_turn(row.a, axis, true, -1);
  }
}

void StepSlopes::evaluate(const StepSpan& span, double length, std::span<const ActiveContact> contacts,
                          const std::vector<bool>& moves) {
  const model::Model& model = equations_.model();
  const StepEquations::Terms& terms = equations_.terms();
  const auto freedoms = equations_.freedoms();
  slopes_.setZero(std::ssize(freedoms) + 3 * std::ssize(contacts), std::ssize(model.bodies) * kBodyTangent);
  const auto by_differences = [&](const ActiveContact& one) {
    return PlaneContact::side_of(model, one.contact.id) == PlaneContact::Side::None;
  };
  if (std::ranges::any_of(contacts, by_differences)) moved_ = terms.at;
  for (std::size_t c = 0; c < contacts.size(); ++c) add_contact(c, span, length, contacts[c], moves);
  // Rows at the end of the step: a free body in space has turned by h w on top of its start.
  for (std::size_t i = 0; equations_.end_geometry() && i < model.bodies.size(); ++i) {
    if (!equations_.traits()[i].free_rotation || model.bodies[i].planar()) continue;
    auto block = slopes_.middleCols<3>(static_cast<Index>(i) * kBodyTangent + kRotation);
    block = (block * rotation_of(span.h * terms.velocity[i].angular)).eval();
  }
  for (std::size_t i = 0; i < freedoms.size(); ++i) {
    const Freedom& f = freedoms[i];
    const model::Body& body = model.bodies[index(f.body)];
    const contact::BodyDynamics& dynamics = terms.dynamics[index(f.body)];
    const double damping = f.axis < 3 ? body.linear_damping * dynamics.inverse_mass[f.axis]
                                      : body.angular_damping * dynamics.inverse_inertia(f.axis - 3, f.axis - 3);
    slopes_(static_cast<Index>(i), f.body * kBodyTangent + kLinear + f.axis) = -(1 - span.h * damping);
  }
}

Eigen::VectorXd StepSlopes::by_velocity(const StepSpan& span, const Freedom& f) const {
  const Index first = f.body * kBodyTangent + (f.axis < 3 ? kPosition : kRotation);
  Vec3 change = Vec3::Unit(f.axis % 3);
  if (f.axis >= 3 && !equations_.model().bodies[index(f.body)].planar())
    change = left_jacobian(-span.h * equations_.terms().velocity[index(f.body)].angular).col(f.axis - 3);
  return span.h * (slopes_.middleCols<3>(first) * change);
}

}  // namespace stickslip::sensitivity
