// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/contact_bend.h"

#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {

using stepping::index;

namespace {

constexpr double kDisplacement =
    1e-5;  // of the size of a contact: error and rounding of central differences below 1e-9

bool is_point(const model::Model& model, int body, int shape) {
  return std::holds_alternative<model::PointSet>(model.bodies[index(body)].shapes[index(shape)].shape);
}

}  // namespace

void ContactBends::set(const collision::Contact& contact, const contact::ContactRows& rows, const MovedBody& a,
                       const MovedBody& b, const ContactBend* from, std::ptrdiff_t width, rows::Arena& arena,
                       ContactBend& bend) {
  for (int k = 0; k < model_.dimension; ++k) bend.direction[k] = rows.direction[k];
  bend.arm_a = contact.point_a - a.at.pose.position;
  bend.arm_b = contact.point_b - b.at.pose.position;
  bend.normal = bend.d_direction[0] = arena.take(3);
  bend.d_arm_a = arena.take(3);
  bend.d_arm_b = arena.take(3);
  const PlaneContact::Side side = PlaneContact::side_of(model_, contact.id);
  if (side == PlaneContact::Side::None)
    bend_by_differences(contact, a, b, width, arena, bend);
  else
    bend_on_plane(contact, side, a, b, width, arena, bend);
  carry(from, width, arena, bend);
}

void ContactBends::bend_on_plane(const collision::Contact& contact, PlaneContact::Side side, const MovedBody& a,
                                 const MovedBody& b, std::ptrdiff_t width, rows::Arena& arena,
                                 ContactBend& bend) const {
  const bool plane_is_a = side == PlaneContact::Side::A;
  const MovedBody &plane = plane_is_a ? a : b, &other = plane_is_a ? b : a;
  const Vec3 &n = contact.normal, &arm = plane_is_a ? bend.arm_b : bend.arm_a;
  double* const d_arm = plane_is_a ? bend.d_arm_b : bend.d_arm_a;
  double* const foot = plane_is_a ? bend.d_arm_a : bend.d_arm_b;
  const bool point = plane_is_a ? is_point(model_, contact.id.body_b, contact.id.shape_b)
                                : is_point(model_, contact.id.body_a, contact.id.shape_a);
  if (plane.pose != nullptr) rows::add_cross(width, -1, n, plane.pose + 3 * width, bend.normal);
  if (!point) rows::add(3 * width, arm.dot(n), bend.normal, d_arm);
  // The foot of the point on the plane, and the gap between them.
  const Vec3 to_point = (plane_is_a ? contact.point_b : contact.point_a) - plane.at.pose.position;
  double* const gap = arena.take(1);
  rows::add(3 * width, 1, d_arm, foot);
  if (other.pose != nullptr) rows::add(3 * width, 1, other.pose, foot);
  if (plane.pose != nullptr) rows::add(3 * width, -1, plane.pose, foot);
  rows::add_dot(width, n, foot, gap);
  rows::add_dot(width, to_point, bend.normal, gap);
  rows::add_outer(width, -n, gap, foot);
  rows::add(3 * width, plane_is_a ? contact.gap : -contact.gap, bend.normal, foot);
}

void ContactBends::bend_by_differences(const collision::Contact& contact, const MovedBody& a, const MovedBody& b,
                                       std::ptrdiff_t width, rows::Arena& arena, ContactBend& bend) {
  const auto ia = index(contact.id.body_a), ib = index(contact.id.body_b);
  const double size = std::max({bend.arm_a.norm(), bend.arm_b.norm(), 1e-9});
  state_.bodies[ia].pose = a.at.pose;
  state_.bodies[ia].angle = a.at.angle;
  state_.bodies[ib].pose = b.at.pose;
  state_.bodies[ib].angle = b.at.angle;
  moved_.resize(1);
  Vec3 low[3], high[3];
  const auto look = [&](std::size_t body, const Vec3& shift, const Vec3& turn, Vec3* to) {
    const model::BodyState kept = state_.bodies[body];
    state_.bodies[body].pose.position += shift;
    if (!turn.isZero(0)) stepping::turn(state_.bodies[body], turn, 1, model_.dimension == 2);
    moved_[0] = contact;
    collider_.refresh(model_, state_, moved_);
    to[0] = moved_[0].normal;
    to[1] = moved_[0].point_a - state_.bodies[ia].pose.position;
    to[2] = moved_[0].point_b - state_.bodies[ib].pose.position;
    state_.bodies[body] = kept;
  };
  const auto move = [&](std::size_t body, int axis, bool turns, const double* along, double sign) {
    const double amount = turns ? kDisplacement : kDisplacement * size;
    const Vec3 shift = turns ? Vec3(Vec3::Zero()) : Vec3(amount * Vec3::Unit(axis)),
               turn = turns ? Vec3(amount * Vec3::Unit(axis)) : Vec3(Vec3::Zero());
    look(body, -shift, -turn, low);
    look(body, shift, turn, high);
    double* const to[3] = {bend.normal, bend.d_arm_a, bend.d_arm_b};
    for (int i = 0; i < 3; ++i) rows::add_outer(width, sign / (2 * amount) * (high[i] - low[i]), along, to[i]);
  };
  double* const apart = arena.take(3);  // of b from a
  if (b.pose != nullptr) rows::add(3 * width, 1, b.pose, apart);
  if (a.pose != nullptr) rows::add(3 * width, -1, a.pose, apart);
  const bool planar = model_.dimension == 2;
  for (int axis = 0; axis < 3; ++axis) {
    if (!planar || axis < 2) move(ib, axis, false, apart + axis * width, 1);
    if (planar && axis < 2) continue;
    if (a.pose != nullptr) move(ia, axis, true, a.pose + (3 + axis) * width, 1);
    if (b.pose != nullptr) move(ib, axis, true, b.pose + (3 + axis) * width, 1);
  }
}

void ContactBends::carry(const ContactBend* from, std::ptrdiff_t width, rows::Arena& arena, ContactBend& bend) const {
  const double* const dn = bend.normal;
  double* const dt = bend.d_direction[1] = arena.take(3);
  if (model_.dimension == 2) {
    rows::add(width, 1, dn + width, dt);
    rows::add(width, -1, dn, dt + width);
    return;
  }
  const Vec3 &n = bend.direction[0], &t = bend.direction[1];
  const Vec3 f = from != nullptr ? from->direction[1] : t;
  double* const part = arena.take(2);
  if (from != nullptr) {
    rows::add(3 * width, 1, from->d_direction[1], dt);
    rows::add_dot(width, n, dt, part);
  }
  rows::add_dot(width, f, dn, part);
  rows::add_outer(width, -n, part, dt);
  rows::add(3 * width, -f.dot(n), dn, dt);
  rows::add_dot(width, t, dt, part + width);
  rows::add_outer(width, -t, part + width, dt);
  const double length = (f - f.dot(n) * n).norm();
  if (length != 1) rows::add(3 * width, 1 / length - 1, dt, dt);
  double* const db = bend.d_direction[2] = arena.take(3);
  rows::add_cross(width, -1, t, dn, db);
  rows::add_cross(width, 1, n, dt, db);
}

}  // namespace stickslip::sensitivity
