// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Laws of contact, positions and what is known of contacts at the end of a sub-step (smooth_tangent.h).
#include "stickslip/contact/material.h"
#include "stickslip/sensitivity/smooth_tangent.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {

using contact::Mode;
using Eigen::Index;
using stepping::ContactTrial;
using stepping::index;

namespace {

constexpr double kSingular = 1e-11;        // as in frozen_modes.h
constexpr double kRegularisation = 1e-10;  // as in position_update.cpp

template <int N>
bool invert_small(const Eigen::MatrixXd& matrix, Eigen::MatrixXd& inverse) {
  const Eigen::Matrix<double, N, N> fixed = matrix;
  const double determinant = fixed.determinant(), size = fixed.rowwise().norm().prod();
  if (!(std::fabs(determinant) > kSingular * size)) return false;
  inverse = fixed.inverse();
  return true;
}

}  // namespace

// Of laws_. False: it is singular.
bool SmoothPassTangent::invert() {
  if (laws_.rows() == 1) return invert_small<1>(laws_, inverse_);
  if (laws_.rows() == 2) return invert_small<2>(laws_, inverse_);
  if (laws_.rows() == 3) return invert_small<3>(laws_, inverse_);
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(laws_);
  if (!(lu.rcond() > kSingular)) return false;
  inverse_ = lu.inverse();
  return true;
}

double SmoothColumns::friction_of(std::size_t c) const {
  return contact::friction_coefficient(model_.surfaces[index(start_of(c).contact.surface)], start_of(c).mode);
}

// Whether friction opposes the mean of the slips at the start and at the end.
bool SmoothColumns::mean_law(std::size_t c) const {
  const stepping::ContactStart& start = start_of(c);
  if (start.mode != Mode::Slide || start.end_law) return false;
  return !ends_slip_ || std::ranges::find(one_->stopping, record_->closed[c]) == one_->stopping.end();
}

// W_ = J A^-1 J' with the rows `to` and `by`.
void SmoothPassTangent::fill_response(const Solved& solved, std::span<const ContactBend> by,
                                      std::span<const ContactBend> to) {
  const Index D = model_.dimension;
  W_.setZero(std::ssize(to) * D, std::ssize(by) * D);
  for (std::size_t c = 0; c < by.size(); ++c)
    for (const bool by_a : {true, false}) {
      const int body = by_a ? start_of(c).rows.a : start_of(c).rows.b, place = place_of(body);
      if (place < 0) continue;
      const contact::BodyDynamics& dynamics = solved.pass->dynamics[index(place)];
      for (Index l = 0; l < D; ++l) {
        const Vec3& d = by[c].direction[l];
        const Vec3 push = (by_a ? 1 : -1) * dynamics.inverse_mass.cwiseProduct(d);
        const Vec3 turn = (by_a ? 1 : -1) * (dynamics.inverse_inertia * (by_a ? by[c].arm_a : by[c].arm_b).cross(d));
        for (std::size_t e = 0; e < to.size(); ++e)
          for (const bool to_a : {true, false}) {
            if ((to_a ? start_of(e).rows.a : start_of(e).rows.b) != body) continue;
            const Vec3 moved = push + turn.cross(to_a ? to[e].arm_a : to[e].arm_b);
            for (Index k = 0; k < D; ++k)
              W_(static_cast<Index>(e) * D + k, static_cast<Index>(c) * D + l) +=
                  (to_a ? 1 : -1) * to[e].direction[k].dot(moved);
          }
      }
    }
}

// Velocities, or moves, by changes of impulses: D rows.
void SmoothPassTangent::apply(std::span<const ContactBend> bends, std::size_t c, const double* impulse,
                              const Solved& solved, std::vector<double*>& velocity) {
  double* const push = arena_.take(3);
  for (int k = 0; k < model_.dimension; ++k) rows::add_outer(width_, bends[c].direction[k], impulse + k * width_, push);
  for (const bool is_a : {true, false}) {
    const int place = place_of(is_a ? start_of(c).rows.a : start_of(c).rows.b);
    if (place < 0) continue;
    const contact::BodyDynamics& dynamics = solved.pass->dynamics[index(place)];
    const double sign = is_a ? 1 : -1;
    double* const to = velocity[index(place)];
    for (int axis = 0; axis < 3; ++axis)
      rows::add(width_, sign * dynamics.inverse_mass[axis], push + axis * width_, to + axis * width_);
    if (!traits_[body_of(index(place))].free_rotation) continue;
    double* const moment = arena_.take(3);
    rows::add_cross(width_, sign, is_a ? bends[c].arm_a : bends[c].arm_b, push, moment);
    rows::add_product(width_, dynamics.inverse_inertia, moment, to + 3 * width_);
  }
}

// The laws of contact, linearised: changes of impulses, and of velocities and slips with them.
bool SmoothPassTangent::solve_laws(Solved& solved) {
  const int D = model_.dimension;
  const std::size_t n = closed();
  fill_response(solved, solved.bends_mid, solved.bends_end);
  laws_ = W_;
  double* const right = arena_.take(static_cast<Index>(n) * D);
  for (std::size_t c = 0; c < n; ++c) {
    const stepping::ContactStart& start = start_of(c);
    const ContactTrial& out = trial_of(c);
    const double* const p = solved.first ? out.p_first : out.p;
    const bool slides = solved.first ? out.slides_first : out.slides;
    const bool closes = solved.first ? out.closed_first : out.closed, means = mean_law(c);
    const double mu = friction_of(c);
    const Index N = static_cast<Index>(c) * D, T = N + 1, tangents = D - 1;
    if (!closes) {
      laws_.middleRows(N, D).setZero();
      laws_.block(N, N, D, D).setIdentity();
      continue;
    }
    double* const known = arena_.take(D);  // of what friction opposes
    for (int k = 0; k < D; ++k) {
      rows::add(width_, 1, solved.slip[c] + k * width_, known + k * width_);
      if (k > 0 && means) rows::add(width_, 1, start_slip_[c] + k * width_, known + k * width_);
    }
    double* const to = right + N * width_;
    rows::add(width_, -1, known, to);
    if (!slides && mu > 0) {
      rows::add(tangents * width_, -1, known + width_, to + width_);
      continue;
    }
    laws_.middleRows(T, tangents).setZero();
    laws_.block(T, T, tangents, tangents).setIdentity();
    if (!slides) continue;  // without friction, and without slip
    const contact::ContactRows& rows_end = solved.pass->rows_end[c];
    const model::Twist va = moved(rows_end.a, When::Predicted, &solved).at.velocity,
                       vb = moved(rows_end.b, When::Predicted, &solved).at.velocity;
    Eigen::Vector2d u = Eigen::Vector2d::Zero();
    for (int k = 1; k < D; ++k)
      u[k - 1] = contact::relative_velocity(rows_end, k, va, vb) + (means ? start.velocity[k] : 0);
    const double speed = u.norm();
    Eigen::Vector2d d = u / speed;
    if (mu * p[0] > 0)  // where slip just begins, friction knows its direction better
      for (int k = 1; k < D; ++k) d[k - 1] = -p[k] / (mu * p[0]);
    if (!(speed > 0) || !d.allFinite()) return false;
    const double* const friction = in_rest(kContacts + kContactInputs * static_cast<int>(c) + kFriction);
    for (Index k = 0; k < tangents; ++k) {
      laws_(T + k, N) += mu * d[k];
      rows::add(width_, -p[0] * d[k], friction, to + (1 + k) * width_);
      for (Index l = 0; l < tangents && D == 3; ++l) {
        const double across = mu * p[0] / speed * ((k == l ? 1.0 : 0.0) - d[k] * d[l]);
        laws_.row(T + k) += across * W_.row(T + l);
        rows::add(width_, -across, known + (1 + l) * width_, to + (1 + k) * width_);
      }
    }
  }
  if (!invert()) return false;
  double* const dp = arena_.take(static_cast<Index>(n) * D);
  for (Index i = 0; i < inverse_.rows(); ++i)
    for (Index j = 0; j < inverse_.cols(); ++j) rows::add(width_, inverse_(i, j), right + j * width_, dp + i * width_);
  solved.impulse.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    solved.impulse[c] = dp + static_cast<Index>(c) * D * width_;
    apply(solved.bends_mid, c, solved.impulse[c], solved, solved.velocity);
    for (Index k = 0; k < D; ++k)
      for (Index j = 0; j < W_.cols(); ++j)
        rows::add(width_, W_(static_cast<Index>(c) * D + k, j), dp + j * width_, solved.slip[c] + k * width_);
  }
  return true;
}

// Mean accelerations and poses, as PositionUpdate::move.
void SmoothTangent::move(const Solved& solved) {
  const stepping::Component& component = one_->component;
  const double h = record_->h, between = 0.5 * (h + component.acceleration_h);
  const bool with_jerk = component.acceleration_known && h > 0.2 * component.acceleration_h;
  const auto n = static_cast<std::size_t>(bodies_);
  std::vector<double*> acceleration(n);
  jerk_.assign(n, nullptr);
  pose_.resize(n);
  const double *const dh = in_rest(kLength), *const last = in_rest(kLastLength);
  for (std::size_t i = 0; i < n; ++i) {
    const contact::BodyTraits& traits = traits_[body_of(i)];
    const model::Twist &v0 = one_->state.bodies[body_of(i)].velocity, &v1 = solved.pass->end[i].velocity;
    const model::Twist &a = trial_->acceleration[i], &j = record_->jerk[i];
    const auto add_twist = [&](double s, const model::Twist& v, const double* x, double* to) {
      rows::add_outer(width_, s * v.linear, x, to);
      rows::add_outer(width_, s * v.angular, x, to + 3 * width_);
    };
    double* const da = acceleration[i] = arena_.take(6);
    rows::add(6 * width_, 1 / h, solved.velocity[i], da);
    rows::add(6 * width_, -1 / h, in_body(i, kVelocity), da);
    add_twist(-1 / h, a, dh, da);
    double* const dx = arena_.take(6);
    model::Twist x = stepping::scaled_sum(0.5 * h, v0, 0.5 * h, v1);
    rows::add(6 * width_, 0.5 * h, solved.velocity[i], dx);
    rows::add(6 * width_, 0.5 * h, in_body(i, kVelocity), dx);
    add_twist(0.5, stepping::scaled_sum(1, v0, 1, v1), dh, dx);
    jerk_[i] = arena_.take(6);
    if (with_jerk) {
      rows::add(6 * width_, 1 / between, da, jerk_[i]);
      rows::add(6 * width_, -1 / between, in_body(i, kAcceleration), jerk_[i]);
      add_twist(-0.5 / between, j, dh, jerk_[i]);
      add_twist(-0.5 / between, j, last, jerk_[i]);
      x = stepping::scaled_sum(1, x, -h * h * h / 12, j);
      rows::add(6 * width_, -h * h * h / 12, jerk_[i], dx);
      add_twist(-0.25 * h * h, j, dh, dx);
    }
    pose_[i] = arena_.take(6);
    for (int axis = 0; axis < 3; ++axis) {
      rows::add(width_, 1, in_body(i, kPose + axis), pose_[i] + axis * width_);
      if (traits.free_translation[index(axis)]) rows::add(width_, 1, dx + axis * width_, pose_[i] + axis * width_);
    }
    if (traits.free_rotation) turn(i, x.angular, dx + 3 * width_, in_body(i, kPose + 3), pose_[i] + 3 * width_);
  }
  acceleration_ = acceleration;
}

// As PositionUpdate::list_defects. False: it listed others.
bool SmoothTangent::list_closing() {
  closing_.clear();
  const std::vector<double>& moved = record_->closing;
  for (std::size_t c = 0; c < closed(); ++c) {
    if (!trial_of(c).closed) continue;
    const bool sticks = start_of(c).mode != Mode::Slide && !trial_of(c).slides;
    for (int k = 0; k < (sticks ? model_.dimension : 1); ++k) {
      const std::size_t at = closing_.size();
      if (!moved.empty() &&
          (at >= moved.size() || record_->closing_row[at] != static_cast<int>(c) * model_.dimension + k))
        return false;
      closing_.push_back({c, k, moved.empty() ? 0.0 : -moved[at]});
    }
  }
  return moved.empty() || moved.size() == closing_.size();
}

// How the gap changes with the poses at the end.
void SmoothTangent::take_gap(const collision::Contact& contact, double* gap) {
  for (const bool is_a : {true, false}) {
    const MovedBody body = moved(is_a ? contact.id.body_a : contact.id.body_b, When::End, &last_);
    if (body.pose == nullptr) continue;
    const Vec3 arm = (is_a ? contact.point_a : contact.point_b) - body.at.pose.position;
    rows::add_dot(width_, (is_a ? 1 : -1) * contact.normal, body.pose, gap);
    rows::add_dot(width_, (is_a ? 1 : -1) * arm.cross(contact.normal), body.pose + 3 * width_, gap);
  }
}

// How the gap of a closed contact before that, or what a sticking one has slipped, changes.
void SmoothTangent::know_defect(const Row& row, std::span<const MovedBody> between, double* defect) {
  const stepping::ContactStart& start = start_of(row.contact);
  const ContactTrial& out = trial_of(row.contact);
  const double h = record_->h;
  if (row.k == 0) return take_gap(out.contact, defect);
  const auto at = [&](int body) {
    const int place = place_of(body);
    return place >= 0 ? between[index(place)] : moved(body, When::Mid, &last_);
  };
  const MovedBody a = at(start.rows.a), b = at(start.rows.b);
  const ContactBend& bend = last_.bends_mid[row.contact];
  double* const middle = arena_.take(1);
  take_slip(bend, row.k, a, b, middle);
  rows::add(width_, h / 6, start_slip_[row.contact] + row.k * width_, defect);
  rows::add(width_, 4 * h / 6, middle, defect);
  rows::add(width_, h / 6, last_.slip[row.contact] + row.k * width_, defect);
  const double slip =
      contact::relative_velocity(last_.pass->rows_mid[row.contact], row.k, a.at.velocity, b.at.velocity);
  rows::add(width_, (start.velocity[row.k] + 4 * slip + out.u1[row.k]) / 6, in_rest(kLength), defect);
}

// q1 <- q1 (+) A^-1 J' (J A^-1 J')^-1 (-defect), as PositionUpdate::project.
bool SmoothTangent::close_gaps(const Solved& solved) {
  if (!list_closing()) return false;
  if (closing_.empty()) return true;
  const double h = record_->h;
  const auto n = static_cast<std::size_t>(bodies_);
  std::vector<MovedBody> between(n);
  std::vector<model::Twist> moved_by(n);
  std::vector<double*> change(n), push(n);
  for (std::size_t i = 0; i < n; ++i) {
    const model::Twist &v0 = one_->state.bodies[body_of(i)].velocity, &v1 = solved.pass->end[i].velocity;
    const model::Twist& j = record_->jerk[i];
    const model::Twist mean = stepping::scaled_sum(0.5, v0, 0.5, v1);
    between[i].at = solved.pass->mid[i];
    between[i].at.velocity = stepping::scaled_sum(1, mean, -h * h / 8, j);
    double* const d = arena_.take(6);
    rows::add(6 * width_, 0.5, in_body(i, kVelocity), d);
    rows::add(6 * width_, 0.5, solved.velocity[i], d);
    rows::add(6 * width_, -h * h / 8, jerk_[i], d);
    rows::add_outer(width_, -h / 4 * j.linear, in_rest(kLength), d);
    rows::add_outer(width_, -h / 4 * j.angular, in_rest(kLength), d + 3 * width_);
    between[i].velocity = d;
    change[i] = arena_.take(6);
    push[i] = arena_.take(6);
  }
  // What the rows that turned do with what they are moved by.
  for (const Row& row : closing_) {
    const ContactBend& bend = solved.bends_end[row.contact];
    const Vec3& direction = bend.direction[row.k];
    for (const bool is_a : {true, false}) {
      const int place = place_of(is_a ? start_of(row.contact).rows.a : start_of(row.contact).rows.b);
      if (place < 0 || row.moved == 0) continue;
      const double p = is_a ? row.moved : -row.moved;
      const Vec3& arm = is_a ? bend.arm_a : bend.arm_b;
      const contact::BodyDynamics& dynamics = solved.pass->dynamics[index(place)];
      double* const to = push[index(place)];
      moved_by[index(place)].linear += p * dynamics.inverse_mass.cwiseProduct(direction);
      rows::add(3 * width_, p, bend.d_direction[row.k], to);
      if (!traits_[body_of(index(place))].free_rotation) continue;
      moved_by[index(place)].angular += p * dynamics.inverse_inertia * arm.cross(direction);
      rows::add_cross(width_, p, arm, bend.d_direction[row.k], to + 3 * width_);
      rows::add_cross(width_, -p, direction, is_a ? bend.d_arm_a : bend.d_arm_b, to + 3 * width_);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const contact::BodyDynamics& dynamics = solved.pass->dynamics[i];
    rows::add_outer(width_, -0.5 * model_.bodies[body_of(i)].linear_damping * moved_by[i].linear, in_rest(kLength),
                    push[i]);
    for (int axis = 0; axis < 3; ++axis)
      rows::add(width_, dynamics.inverse_mass[axis], push[i] + axis * width_, change[i] + axis * width_);
    if (!traits_[body_of(i)].free_rotation) continue;
    add_turned_inertia(solved, i, moved_by[i].angular, push[i] + 3 * width_);
    rows::add_product(width_, dynamics.inverse_inertia, push[i] + 3 * width_, change[i] + 3 * width_);
  }
  fill_response(solved, solved.bends_end, solved.bends_end);
  const int D = model_.dimension;
  const Index count = std::ssize(closing_);
  laws_.resize(count, count);
  double* const right = arena_.take(count);
  for (Index r = 0; r < count; ++r) {
    const Row& row = closing_[static_cast<std::size_t>(r)];
    const Index at = static_cast<Index>(row.contact) * D + row.k;
    for (Index s = 0; s < count; ++s) {
      const Row& by = closing_[static_cast<std::size_t>(s)];
      laws_(r, s) = W_(at, static_cast<Index>(by.contact) * D + by.k) * (r == s ? 1 + kRegularisation : 1.0);
    }
    know_defect(row, between, right + r * width_);
    const auto displaced = [&](int body) {
      const int place = place_of(body);
      MovedBody moved;
      if (place < 0) return moved;
      moved.at.velocity = moved_by[index(place)];
      moved.velocity = change[index(place)];
      return moved;
    };
    take_slip(solved.bends_end[row.contact], row.k, displaced(start_of(row.contact).rows.a),
              displaced(start_of(row.contact).rows.b), right + r * width_);
  }
  if (!invert()) return false;
  double* const moved = arena_.take(count);
  for (Index r = 0; r < count; ++r)
    for (Index s = 0; s < count; ++s) rows::add(width_, -inverse_(r, s), right + s * width_, moved + r * width_);
  std::vector<double*> by_contact(closed(), nullptr);
  for (Index r = 0; r < count; ++r) {
    const Row& row = closing_[static_cast<std::size_t>(r)];
    if (by_contact[row.contact] == nullptr) by_contact[row.contact] = arena_.take(D);
    rows::add(width_, 1, moved + r * width_, by_contact[row.contact] + row.k * width_);
  }
  for (std::size_t c = 0; c < closed(); ++c)
    if (by_contact[c] != nullptr) apply(solved.bends_end, c, by_contact[c], solved, change);
  for (std::size_t i = 0; i < n; ++i) {
    const contact::BodyTraits& traits = traits_[body_of(i)];
    double* const pose = arena_.take(6);
    rows::add(3 * width_, 1, pose_[i], pose);
    rows::add(3 * width_, 1, change[i], pose);
    if (traits.free_rotation)
      turn(i, moved_by[i].angular, change[i] + 3 * width_, pose_[i] + 3 * width_, pose + 3 * width_);
    pose_[i] = pose;
  }
  return true;
}

// Reserves of force and impulses, as ComponentStep::accept and SubStepSensitivity::repeat have them.
void SmoothTangent::take_contacts(const Solved& solved, Columns& output) {
  const int D = model_.dimension;
  const double* const dh = in_rest(kLength);
  std::vector<collision::Contact> contacts;
  std::vector<contact::ContactRows> frames;
  for (std::size_t c = 0; c < closed(); ++c) {
    contacts.push_back(trial_of(c).contact);
    frames.push_back(trial_of(c).rows);
  }
  bend(When::End, &solved, contacts, frames, &start_bends_, final_bends_);
  for (std::size_t c = 0; c < closed(); ++c) {
    const stepping::ContactStart& start = start_of(c);
    const ContactTrial& out = trial_of(c);
    double* const to = output.row(first_driven() + kContactRows * static_cast<Index>(c)).data();
    const double *const dp = solved.impulse[c], *const slip = solved.slip[c];
    take_reserves(solved, c, to);
    if (start.mode == Mode::Slide) {
      const double speed = stepping::tangential_norm(out.u1, D);
      const int given = kContacts + kContactInputs * static_cast<int>(c);
      if (speed <= start.slip_peak) rows::add(width_, 1, in_rest(given + kSlipPeak), to + 3 * width_);
      for (int k = 1; k < D && speed > start.slip_peak; ++k)
        rows::add(width_, out.u1[k] / speed, slip + k * width_, to + 3 * width_);
    }
    rows::add(width_, 0.5, dh, to + 2 * width_);
    for (int k = 0; k < D; ++k) {
      rows::add_outer(width_, out.rows.direction[k], dp + k * width_, to + kImpulse * width_);
      rows::add(3 * width_, out.p[k], final_bends_[c].d_direction[k], to + kImpulse * width_);
    }
  }
}

// How the response of a contact along its row k to an impulse along it changes.
const double* SmoothTangent::response_change(const Solved& solved, std::size_t c, int k) {
  const ContactBend &mid = solved.bends_mid[c], &end = solved.bends_end[c];
  double* const change = arena_.take(1);
  for (const bool is_a : {true, false}) {
    const int place = place_of(is_a ? start_of(c).rows.a : start_of(c).rows.b);
    if (place < 0) continue;
    const auto i = index(place);
    const contact::BodyDynamics& dynamics = solved.pass->dynamics[i];
    const Vec3 &inverse = dynamics.inverse_mass, &d_mid = mid.direction[k], &d_end = end.direction[k];
    rows::add_dot(width_, inverse.cwiseProduct(d_mid), end.d_direction[k], change);
    rows::add_dot(width_, inverse.cwiseProduct(d_end), mid.d_direction[k], change);
    rows::add(
        width_,
        -0.5 * model_.bodies[body_of(i)].linear_damping * inverse.cwiseProduct(d_mid).dot(inverse.cwiseProduct(d_end)),
        in_rest(kLength), change);
    if (!traits_[body_of(i)].free_rotation) continue;
    const Vec3 &arm_mid = is_a ? mid.arm_a : mid.arm_b, &arm_end = is_a ? end.arm_a : end.arm_b;
    const Vec3 by = dynamics.inverse_inertia * arm_mid.cross(d_mid),
               to = dynamics.inverse_inertia * arm_end.cross(d_end);
    // d (arm x d) . v = d_arm . (d x v) + d_d . (v x arm)
    rows::add_dot(width_, d_end.cross(by), is_a ? end.d_arm_a : end.d_arm_b, change);
    rows::add_dot(width_, by.cross(arm_end), end.d_direction[k], change);
    rows::add_dot(width_, d_mid.cross(to), is_a ? mid.d_arm_a : mid.d_arm_b, change);
    rows::add_dot(width_, to.cross(arm_mid), mid.d_direction[k], change);
    double* const turned = arena_.take(3);
    add_turned_inertia(solved, i, by, turned);
    rows::add_dot(width_, to, turned, change);
  }
  return change;
}

// Of the normal force and of friction: force_margins(). What is let go has them by its velocity.
void SmoothTangent::take_reserves(const Solved& solved, std::size_t c, double* to) {
  const int D = model_.dimension;
  const double h = record_->h;
  const stepping::ContactStart& start = start_of(c);
  const ContactTrial& out = trial_of(c);
  const double *const dh = in_rest(kLength), *const dp = solved.impulse[c], *const slip = solved.slip[c];
  const double mu = model_.surfaces[index(start.contact.surface)].friction_static;
  const stepping::Margins margins = stepping::force_margins(out, mu, h, D);
  rows::add(width_, 1 / h, dp, to);
  if (!out.closed && out.u1[0] > 0) {
    rows::add(width_, -1 / (h * out.g[0]), slip, to);
    rows::add(width_, out.u1[0] / (h * out.g[0] * out.g[0]), response_change(solved, c, 0), to);
  }
  rows::add(width_, -margins.normal / h, dh, to);
  if (start.mode == Mode::Slide) return;  // a reserve of friction is read while the contact sticks
  double* const grip = to + width_;
  const double friction = stepping::tangential_norm(out.p, D), speed = stepping::tangential_norm(out.u1, D);
  rows::add(width_, mu / h, dp, grip);
  rows::add(width_, out.p[0] / h, in_rest(kContacts + kContactInputs * static_cast<int>(c) + kFriction), grip);
  for (int k = 1; k < D && friction > 0; ++k) rows::add(width_, -out.p[k] / friction / h, dp + k * width_, grip);
  if ((out.slides || !out.closed) && speed > 0) {
    const int across = D == 3 && out.g[2] > out.g[1] ? 2 : 1;
    const double g = out.g[across];
    for (int k = 1; k < D; ++k) rows::add(width_, -out.u1[k] / speed / (g * h), slip + k * width_, grip);
    rows::add(width_, speed / (g * g * h), response_change(solved, c, across), grip);
  }
  rows::add(width_, -margins.tangential / h, dh, grip);
}

void SmoothTangent::take_watched(const Solved& solved, Columns& output) {
  const auto D = static_cast<Index>(model_.dimension);
  take_gap(trial_->contacts[index(watched_)].contact, output.row(first_watched() + kGap).data());
  const auto found = std::ranges::find(record_->closed, watched_);
  if (found == record_->closed.end()) return;
  const auto c = static_cast<std::size_t>(found - record_->closed.begin());
  std::copy_n(start_slip_[c], D * width_, output.row(first_watched() + kSlipBefore).data());
  std::copy_n(solved.slip[c], D * width_, output.row(first_watched() + kSlipAfter).data());
  std::copy_n(solved.impulse[c], D * width_, output.row(first_watched() + kPush).data());
}

}  // namespace stickslip::sensitivity
