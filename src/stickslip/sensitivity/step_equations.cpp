// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/step_equations.h"

#include "stickslip/collision/registry.h"
#include "stickslip/contact/compliance.h"
#include "stickslip/contact/material.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>

namespace stickslip::sensitivity {

using contact::ContactRows;
using stepping::index;
using stepping::MotionModel;

namespace {

constexpr double kDisplacement = 1e-7;  // slopes(): truncation and rounding of the rows are then alike

// A round shape about the centre of mass, or a point that does not turn.
bool round_about_centre(const model::Body& body, int shape) {
  const model::PlacedShape& placed = body.shapes[index(shape)];
  if (std::holds_alternative<model::PointSet>(placed.shape)) return !body.rotates();
  return (std::holds_alternative<model::Sphere>(placed.shape) || std::holds_alternative<model::Disc>(placed.shape)) &&
         placed.pose.position.isZero(0);
}

// Which of the two bodies of a contact is a plane that something round about its centre, or a point that does not turn,
// lies on.
enum class PlaneSide { None, A, B };

PlaneSide plane_side(const model::Model& model, const collision::ContactId& id) {
  const model::Body &a = model.bodies[index(id.body_a)], &b = model.bodies[index(id.body_b)];
  const auto is_plane = [](const model::Body& body, int shape) {
    return std::holds_alternative<model::HalfSpace>(body.shapes[index(shape)].shape);
  };
  if (is_plane(b, id.shape_b) && round_about_centre(a, id.shape_a)) return PlaneSide::B;
  if (is_plane(a, id.shape_a) && round_about_centre(b, id.shape_b)) return PlaneSide::A;
  return PlaneSide::None;
}

bool is_round(const model::Model& model, const collision::ContactId& id, PlaneSide side) {
  const model::PlacedShape& shape = side == PlaneSide::B ? model.bodies[index(id.body_a)].shapes[index(id.shape_a)]
                                                         : model.bodies[index(id.body_b)].shapes[index(id.shape_b)];
  return !std::holds_alternative<model::PointSet>(shape.shape);
}

// How the rows of such a contact change per unit of a move of its bodies. e: the axis; n, t: normal and tangents.
//
//     plane turned by e      dn = e x n,   dt = -(t . dn) n,   the gap changes by dn . (arm to the point)
//     body b moved by e      n, t as they are; the foot of the point on the plane moves by the tangential part of e
class PlaneContact {
 public:
  PlaneContact(const collision::Contact& contact, const model::State& state, bool plane_is_a, bool round)
      : contact_(contact),
        plane_is_a_(plane_is_a),
        round_(round),
        arm_a_(contact.point_a - state.bodies[index(contact.id.body_a)].pose.position),
        arm_b_(contact.point_b - state.bodies[index(contact.id.body_b)].pose.position),
        to_point_((plane_is_a ? contact.point_b : contact.point_a) -
                  state.bodies[index(plane_is_a ? contact.id.body_a : contact.id.body_b)].pose.position) {}

  [[nodiscard]] Vec3 along(int axis) const { return Vec3::Unit(axis) - contact_.normal[axis] * contact_.normal; }
  void shift(int axis, int tangents, ContactRows& rows) const {
    const Vec3 along = this->along(axis);
    for (int k = 0; k <= tangents; ++k) {
      if (plane_is_a_)
        rows.moment_a[k] += along.cross(rows.direction[k]);
      else
        rows.moment_b[k] -= along.cross(rows.direction[k]);
    }
  }

  void turn(int axis, int tangents, ContactRows& rows) const {
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

 private:
  const collision::Contact& contact_;
  bool plane_is_a_, round_;
  Vec3 arm_a_, arm_b_, to_point_;
};

}  // namespace

StepEquations::StepEquations(const model::Model& model, const stepping::Method& method)
    : model_(model),
      method_(method),
      collider_(collision::make_collider(method.collider)),
      traits_(contact::body_traits(model)),
      motion_(method.motion),
      end_geometry_(method.stepper == "implicit") {
  const std::size_t n = model.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    const model::Body& body = model.bodies[i];
    for (int k = 0; k < 3; ++k)
      if (traits_[i].free_translation[index(k)]) freedoms_.push_back({static_cast<int>(i), k});
    if (traits_[i].free_rotation)
      for (int k = body.planar() ? 2 : 0; k < 3; ++k)
        if (body.planar() || !body.drive.rotation_locked[index(k)]) freedoms_.push_back({static_cast<int>(i), 3 + k});
    for (const model::Support::Point& point : body.support.points)
      supports_.push_back({static_cast<int>(i), body.support.on < 0 ? static_cast<int>(n) : body.support.on,
                           point.position, point.load, body.support.friction});
  }
  knows_slopes_ = knows_slopes(model, method);
  velocity_.resize(n + 1);
  drive_.resize(n + 1);
  free_.resize(n + 1);
  dynamics_.resize(n + 1);
}

bool StepEquations::knows_slopes(const model::Model& model, const stepping::Method& method) {
  if (method.motion != MotionModel::Dynamic || contact::has_supports(model)) return false;
  return std::ranges::all_of(contact::body_traits(model), [](const contact::BodyTraits& traits) {
    return !traits.pushed && (!traits.free_rotation || (traits.isotropic && !traits.locked_rotation));
  });
}

std::string StepEquations::objection_to(const model::Model& model, const stepping::Method& method) {
  if (method.stepper != "implicit" && method.stepper != "stewart-trinkle")
    return "steps of \"" + method.stepper + "\" have no derivative here: take implicit or stewart-trinkle";
  if (method.friction != stepping::FrictionLaw::Cone && model.dimension == 3)
    return "a friction pyramid has no derivative here";
  if (method.compliance != stepping::SoftContacts::Off) return "steps with soft contacts have no derivative here";
  if (method.impacts != stepping::ImpactSearch::Auto) return "impacts that are located have no derivative here";
  for (const model::Surface& surface : model.surfaces)
    if (surface.restitution > 0) return "restitution on a fixed grid of steps makes the end of a run jump";
  return {};
}

void StepEquations::spread(const Eigen::VectorXd& velocity) {
  std::ranges::fill(velocity_, model::Twist{});
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    model::Twist& twist = velocity_[index(f.body)];
    (f.axis < 3 ? twist.linear[f.axis] : twist.angular[f.axis - 3]) = velocity[static_cast<Eigen::Index>(i)];
  }
}

void StepEquations::end_of(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
                           model::State& end) const {
  end = start;
  end.time = span.end_time;
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    model::BodyState& body = end.bodies[index(f.body)];
    const double v = velocity[static_cast<Eigen::Index>(i)];
    if (f.axis < 3) {
      body.pose.position[f.axis] += span.h * v;
      body.velocity.linear[f.axis] = v;
    } else {
      body.velocity.angular[f.axis - 3] = v;
    }
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i)
    if (traits_[i].free_rotation)
      stepping::turn(end.bodies[i], end.bodies[i].velocity.angular, span.h, model_.bodies[i].planar());
  model::apply_drives(model_, span.end_time, end);
}

void StepEquations::evaluate(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
                             std::span<const ActiveContact> contacts, Values& values) {
  const std::size_t n = model_.bodies.size();
  spread(velocity);
  if (end_geometry_) {
    end_of(start, span, velocity, at_);
  } else {
    at_ = start;
    model::apply_drives(model_, span.end_time, at_);
  }
  for (std::size_t i = 0; i < n; ++i)
    drive_[i] = traits_[i].driven ? stepping::part_of(traits_[i], at_.bodies[i].velocity, false) : model::Twist{};
  const model::State& forces_at = end_geometry_ ? at_ : start;
  const stepping::BodyMotion motion{motion_, span.h, 1.0};
  for (std::size_t i = 0; i < n; ++i) {
    if (!traits_[i].movable) continue;
    model::Twist reference;
    if (motion_ == MotionModel::Dynamic)
      reference = stepping::part_of(traits_[i], start.bodies[i].velocity, true);
    else if (motion_ == MotionModel::QuasiStatic)
      reference = velocity_[i];
    motion.evaluate(model_, static_cast<int>(i), traits_[i], start.bodies[i], forces_at, reference, dynamics_[i],
                    free_[i]);
  }

  at_.bodies.resize(n + 1);
  contacts_.clear();
  for (const ActiveContact& active : contacts)
    if (active.support < 0) contacts_.push_back(active.contact);
  if (!contacts_.empty()) collider_->refresh(model_, at_, contacts_);

  const auto count = static_cast<Eigen::Index>(contacts.size());
  values.approach.setZero(count);
  values.mu.setZero(count);
  values.normal_impulse.setZero(count);
  values.slip.setZero(2, count);
  rows_.resize(contacts.size());
  std::size_t next = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ActiveContact& active = contacts[c];
    const auto column = static_cast<Eigen::Index>(c);
    ContactRows& row = rows_[c];
    if (active.support >= 0) {
      const SupportPoint& support = supports_[index(active.support)];
      contact::set_support_rows(at_, support.body, support.plane, support.position, row);
      values.mu[column] = support.friction;
      values.normal_impulse[column] = span.h * support.load;
    } else {
      const collision::Contact& geometry = contacts_[next++];
      contact::set_rows_near(active.rows, geometry, at_, model_.dimension, row);
      values.approach[column] = geometry.gap / span.h;
      if (!end_geometry_)
        values.approach[column] += contact::relative_velocity(row, 0, velocity_[index(row.a)], velocity_[index(row.b)]);
      values.mu[column] = contact::friction_coefficient(model_.surfaces[index(geometry.surface)],
                                                        active.slides ? contact::Mode::Slide : contact::Mode::Stick);
    }
    const auto a = index(row.a), b = index(row.b);
    for (int k = 1; k <= active.tangents; ++k)
      values.slip(k - 1, column) = contact::relative_velocity(row, k, velocity_[a], velocity_[b]) +
                                   contact::relative_velocity(row, k, drive_[a], drive_[b]);
    for (int k = active.support >= 0 ? 1 : 0; k <= active.tangents; ++k) {
      const Vec3 impulse = active.p[k] * row.direction[k];
      free_[a].linear += dynamics_[a].inverse_mass.cwiseProduct(impulse);
      free_[a].angular += dynamics_[a].inverse_inertia * (active.p[k] * row.moment_a[k]);
      free_[b].linear -= dynamics_[b].inverse_mass.cwiseProduct(impulse);
      free_[b].angular -= dynamics_[b].inverse_inertia * (active.p[k] * row.moment_b[k]);
    }
  }
  values.balance.resize(static_cast<Eigen::Index>(freedoms_.size()));
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    const model::Twist& v = free_[index(f.body)];
    values.balance[static_cast<Eigen::Index>(i)] =
        velocity[static_cast<Eigen::Index>(i)] - (f.axis < 3 ? v.linear[f.axis] : v.angular[f.axis - 3]);
  }
}

bool StepEquations::bends(const collision::ContactId& id, const model::State& state) const {
  const auto is_plane = [&](int body, int shape) {
    return !traits_[index(body)].movable && state.bodies[index(body)].velocity.angular.isZero(0) &&
           std::holds_alternative<model::HalfSpace>(model_.bodies[index(body)].shapes[index(shape)].shape);
  };
  const model::Body &a = model_.bodies[index(id.body_a)], &b = model_.bodies[index(id.body_b)];
  return !(is_plane(id.body_a, id.shape_a) && round_about_centre(b, id.shape_b)) &&
         !(is_plane(id.body_b, id.shape_b) && round_about_centre(a, id.shape_a));
}

// How the values change when the rows of a contact turn into `moved` over `amount` of the change in column `to` of the
// slopes; `from` (or -1): the column of the same change of the other body, with the opposite sign.
void StepEquations::add_turn(std::size_t c, const ActiveContact& active, const ContactRows& moved, double amount,
                             Slopes& slopes, Eigen::Index to, Eigen::Index from) {
  const ContactRows& row = rows_[c];
  const auto a = index(row.a), b = index(row.b);
  const Eigen::Index first = std::ssize(freedoms_) + 3 * static_cast<Eigen::Index>(c);
  const auto add = [&](Eigen::Index line, double value) {
    slopes(line, to) += value;
    if (from >= 0) slopes(line, from) -= value;
  };
  Vec3 impulse = Vec3::Zero(), moment_a = Vec3::Zero(), moment_b = Vec3::Zero();
  for (int k = 0; k <= active.tangents; ++k) {
    const Vec3 d = (moved.direction[k] - row.direction[k]) / amount;
    const Vec3 da = (moved.moment_a[k] - row.moment_a[k]) / amount;
    const Vec3 db = (moved.moment_b[k] - row.moment_b[k]) / amount;
    impulse += active.p[k] * d;
    moment_a += active.p[k] * da;
    moment_b += active.p[k] * db;
    if (k == 0 && end_geometry_) continue;
    model::Twist va = velocity_[a], vb = velocity_[b];
    if (k > 0) {
      va = stepping::scaled_sum(1, va, 1, drive_[a]);
      vb = stepping::scaled_sum(1, vb, 1, drive_[b]);
    }
    add(first + k, d.dot(va.linear - vb.linear) + da.dot(va.angular) - db.dot(vb.angular));
  }
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    if (f.body != row.a && f.body != row.b) continue;
    const contact::BodyDynamics& body = dynamics_[index(f.body)];
    const double push = f.axis < 3 ? body.inverse_mass[f.axis] * impulse[f.axis]
                                   : body.inverse_inertia.row(f.axis - 3).dot(f.body == row.a ? moment_a : moment_b);
    add(static_cast<Eigen::Index>(i), f.body == row.a ? -push : push);
  }
}

void StepEquations::slopes_of_contact(std::size_t c, const StepSpan& span, double length, const ActiveContact& active,
                                      const std::vector<bool>& moves, Slopes& slopes) {
  const ContactRows& row = rows_[c];
  const Eigen::Index first = std::ssize(freedoms_) + 3 * static_cast<Eigen::Index>(c);
  for (const bool is_a : {true, false}) {
    const int body = is_a ? row.a : row.b;
    const Eigen::Index at = body * kBodyTangent;
    const double sign = is_a ? 1 : -1;
    const contact::BodyTraits& traits = traits_[index(body)];
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k <= active.tangents; ++k) {
        const double linear = sign * row.direction[k][axis];
        const double angular = sign * (is_a ? row.moment_a : row.moment_b)[k][axis];
        if (k == 0) {
          slopes(first, at + kPosition + axis) += linear / span.h;
          slopes(first, at + kRotation + axis) += angular / span.h;
          continue;
        }
        if (traits.driven && !traits.free_translation[index(axis)]) slopes(first + k, at + kLinear + axis) += linear;
        if (traits.driven && !traits.free_rotation) slopes(first + k, at + kAngular + axis) += angular;
      }
  }
  const auto try_turn = [&](int body, int axis, bool rotation, Eigen::Index from) {
    const Eigen::Index to = body * kBodyTangent + (rotation ? kRotation : kPosition) + axis;
    const double amount = kDisplacement * (rotation ? 1 : length);
    model::BodyState& state = moved_.bodies[index(body)];
    const model::BodyState kept = state;
    if (rotation)
      turn_slightly(amount * Vec3::Unit(axis), state);
    else
      state.pose.position[axis] += amount;
    one_.assign(1, contacts_[c]);
    collider_->refresh(model_, moved_, one_);
    ContactRows moved;
    contact::set_rows_near(active.rows, one_[0], moved_, model_.dimension, moved);
    state = kept;
    add_turn(c, active, moved, amount, slopes, to, from);
  };
  const auto asked = [&](int body, int place) { return moves[index(body * kBodyTangent + place)]; };
  const PlaneSide side = plane_side(model_, active.contact.id);
  if (side != PlaneSide::None) {
    // Something round, or a point that does not turn, on a plane: the rows turn with the plane alone.
    const PlaneContact plane(contacts_[c], at_, side == PlaneSide::A, is_round(model_, active.contact.id, side));
    const int body = side == PlaneSide::A ? row.a : row.b;
    const Vec3& turning = drive_[index(body)].angular;
    const bool pushed = traits_[index(body)].free_rotation;
    for (int axis = 0; axis < 3; ++axis) {
      ContactRows moved = row;
      if (asked(row.a, kPosition + axis) || asked(row.b, kPosition + axis)) {
        const Eigen::Index to = row.b * kBodyTangent + kPosition + axis, from = row.a * kBodyTangent + kPosition + axis;
        if (pushed) {
          plane.shift(axis, active.tangents, moved);
          add_turn(c, active, moved, 1, slopes, to, from);
          moved = row;
        } else {  // only slip, by the turning of the plane
          const Vec3 along = plane.along(axis);
          for (int k = 1; k <= active.tangents; ++k) {
            const double slip = along.cross(row.direction[k]).dot(turning);
            slopes(first + k, to) += slip;
            slopes(first + k, from) -= slip;
          }
        }
      }
      if (!asked(body, kRotation + axis)) continue;
      plane.turn(axis, active.tangents, moved);
      add_turn(c, active, moved, 1, slopes, body * kBodyTangent + kRotation + axis, -1);
    }
    return;
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (asked(row.a, kPosition + axis) || asked(row.b, kPosition + axis))
      try_turn(row.b, axis, false, row.a * kBodyTangent + kPosition + axis);
    if (asked(row.b, kRotation + axis)) try_turn(row.b, axis, true, -1);
    if (asked(row.a, kRotation + axis)) try_turn(row.a, axis, true, -1);
  }
}

// Rows at the end of the step: a free body in space has turned by h w on top of its start.
void StepEquations::turn_ends(const StepSpan& span, Slopes& slopes) const {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    if (!traits_[i].free_rotation || model_.bodies[i].planar()) continue;
    auto block = slopes.middleCols(static_cast<Eigen::Index>(i) * kBodyTangent + kRotation, 3);
    block = (block * rotation_of(span.h * velocity_[i].angular)).eval();
  }
}

void StepEquations::slopes(const StepSpan& span, double length, std::span<const ActiveContact> contacts,
                           const std::vector<bool>& moves, Slopes& slopes) {
  const auto count = static_cast<Eigen::Index>(contacts.size()), free = std::ssize(freedoms_);
  slopes.setZero(free + 3 * count, std::ssize(model_.bodies) * kBodyTangent);
  const auto by_differences = [&](const ActiveContact& one) {
    return plane_side(model_, one.contact.id) == PlaneSide::None;
  };
  if (std::ranges::any_of(contacts, by_differences)) moved_ = at_;
  for (std::size_t c = 0; c < contacts.size(); ++c) slopes_of_contact(c, span, length, contacts[c], moves, slopes);
  if (end_geometry_) turn_ends(span, slopes);
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    const model::Body& body = model_.bodies[index(f.body)];
    const contact::BodyDynamics& dynamics = dynamics_[index(f.body)];
    const bool linear = f.axis < 3;
    const double damping = linear ? body.linear_damping * dynamics.inverse_mass[f.axis]
                                  : body.angular_damping * dynamics.inverse_inertia(f.axis - 3, f.axis - 3);
    slopes(static_cast<Eigen::Index>(i), f.body * kBodyTangent + (linear ? kLinear + f.axis : kAngular + f.axis - 3)) =
        -(1 - span.h * damping);
  }
}

void StepEquations::response(std::size_t contact, int k, Eigen::Ref<Eigen::VectorXd> change) const {
  const ContactRows& row = rows_[contact];
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    const contact::BodyDynamics& body = dynamics_[index(f.body)];
    double value = 0;
    if (f.body == row.a || f.body == row.b) {
      const double sign = f.body == row.a ? 1 : -1;
      const Vec3& moment = f.body == row.a ? row.moment_a[k] : row.moment_b[k];
      value = f.axis < 3 ? body.inverse_mass[f.axis] * row.direction[k][f.axis]
                         : body.inverse_inertia.row(f.axis - 3).dot(moment);
      value *= sign;
    }
    change[static_cast<Eigen::Index>(i)] = value;
  }
}

Eigen::VectorXd StepEquations::row(std::size_t contact, int k) const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(1, std::ssize(freedoms_));
  put_row(contact, k, result, 0);
  return result.row(0);
}

void StepEquations::put_row(std::size_t contact, int k, Eigen::MatrixXd& matrix, Eigen::Index place) const {
  const ContactRows& row = rows_[contact];
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    if (f.body != row.a && f.body != row.b) continue;
    const double sign = f.body == row.a ? 1 : -1;
    const Vec3& moment = f.body == row.a ? row.moment_a[k] : row.moment_b[k];
    matrix(place, static_cast<Eigen::Index>(i)) = sign * (f.axis < 3 ? row.direction[k][f.axis] : moment[f.axis - 3]);
  }
}

}  // namespace stickslip::sensitivity
