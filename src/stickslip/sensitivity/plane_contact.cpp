// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/plane_contact.h"

#include "stickslip/stepping/motion.h"

namespace stickslip::sensitivity {

using contact::ContactRows;
using stepping::index;

namespace {

bool is_plane(const model::Body& body, int shape) {
  return std::holds_alternative<model::HalfSpace>(body.shapes[index(shape)].shape);
}

bool is_point(const model::Body& body, int shape) {
  return std::holds_alternative<model::PointSet>(body.shapes[index(shape)].shape);
}

// A round shape about the centre of mass, or a point that does not turn.
bool round_about_centre(const model::Body& body, int shape) {
  if (is_point(body, shape)) return !body.rotates();
  const model::PlacedShape& placed = body.shapes[index(shape)];
  return (std::holds_alternative<model::Sphere>(placed.shape) || std::holds_alternative<model::Disc>(placed.shape)) &&
         placed.pose.position.isZero(0);
}

Vec3 arm(const Vec3& point, const model::State& state, int body) {
  return point - state.bodies[index(body)].pose.position;
}

}  // namespace

PlaneContact::Side PlaneContact::side_of(const model::Model& model, const collision::ContactId& id) {
  const model::Body &a = model.bodies[index(id.body_a)], &b = model.bodies[index(id.body_b)];
  if (is_plane(b, id.shape_b) && round_about_centre(a, id.shape_a)) return Side::B;
  if (is_plane(a, id.shape_a) && round_about_centre(b, id.shape_b)) return Side::A;
  return Side::None;
}

bool PlaneContact::bends(const model::Model& model, std::span<const contact::BodyTraits> traits,
                         const collision::ContactId& id, const model::State& state) {
  const Side side = side_of(model, id);
  if (side == Side::None) return true;
  const auto plane = index(side == Side::A ? id.body_a : id.body_b);
  return traits[plane].movable || !state.bodies[plane].velocity.angular.isZero(0);
}

PlaneContact::PlaneContact(const model::Model& model, const collision::Contact& contact, const model::State& state,
                           Side side)
    : contact_(contact),
      plane_is_a_(side == Side::A),
      round_(plane_is_a_ ? !is_point(model.bodies[index(contact.id.body_b)], contact.id.shape_b)
                         : !is_point(model.bodies[index(contact.id.body_a)], contact.id.shape_a)),
      arm_a_(arm(contact.point_a, state, contact.id.body_a)),
      arm_b_(arm(contact.point_b, state, contact.id.body_b)),
      to_point_(plane_is_a_ ? arm(contact.point_b, state, contact.id.body_a)
                            : arm(contact.point_a, state, contact.id.body_b)) {}

void PlaneContact::shift(int axis, int tangents, ContactRows& rows) const {
  const Vec3 along = this->along(axis);
  for (int k = 0; k <= tangents; ++k) {
    if (plane_is_a_)
      rows.moment_a[k] += along.cross(rows.direction[k]);
    else
      rows.moment_b[k] -= along.cross(rows.direction[k]);
  }
}

void PlaneContact::turn(int axis, int tangents, ContactRows& rows) const {
  const Vec3& n = contact_.normal;
  const Vec3 dn = Vec3::Unit(axis).cross(n);
  const Vec3 touching = round_ ? Vec3((plane_is_a_ ? arm_b_ : arm_a_).dot(n) * dn) : Vec3(Vec3::Zero());
  const double gap = dn.dot(to_point_);  // its change, up to the sign
  const Vec3 foot = touching - gap * n + (plane_is_a_ ? contact_.gap : -contact_.gap) * dn;
  const Vec3 &da = plane_is_a_ ? foot : touching, &db = plane_is_a_ ? touching : foot;
  for (int k = 0; k <= tangents; ++k) {
    const Vec3 d = k == 0 ? dn : Vec3(-rows.direction[k].dot(dn) * n);
    rows.moment_a[k] += da.cross(rows.direction[k]) + arm_a_.cross(d);
    rows.moment_b[k] += db.cross(rows.direction[k]) + arm_b_.cross(d);
  }
  for (int k = tangents; k >= 0; --k) rows.direction[k] += k == 0 ? dn : Vec3(-rows.direction[k].dot(dn) * n);
}

}  // namespace stickslip::sensitivity
