// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/smooth_tangent.h"

#include "stickslip/contact/material.h"
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

constexpr std::size_t kMostRows = 100;  // of closed contacts: more are closed by another method (position_update.h)
constexpr double kSingular = 1e-11;     // as in frozen_modes.h

}  // namespace

bool SmoothTangent::covers(const Trial& trial) const {
  const stepping::SubStep& one = trial.one;
  const stepping::SmoothRecord& record = trial.record;
  if (!record.certified || record.h != trial.trial.h || record.closed.size() * 3 >= kMostRows) return false;
  return std::ranges::all_of(one.component.bodies, [&](const stepping::BodyStart& body) {
    const contact::BodyTraits& traits = traits_[index(body.body)];
    if (traits.pushed || traits.driven || traits.locked_rotation) return false;
    if (!traits.free_rotation || traits.isotropic || model_.bodies[index(body.body)].angular_damping != 0) return true;
    return std::ranges::any_of(record.closed, [&](int c) {  // it does not tumble
      const contact::ContactRows& rows = one.component.contacts[index(c)].rows;
      return rows.a == body.body || rows.b == body.body;
    });
  });
}

void SmoothTangent::begin(const Trial& trial, std::ptrdiff_t width) {
  const stepping::SubStep& one = trial.one;
  one_ = &one;
  trial_ = &trial.trial;
  record_ = &trial.record;
  ends_slip_ = trial.ends_slip;
  watched_ = trial.watched;
  bodies_ = std::ssize(one.component.bodies);
  driven_ = std::ssize(one.component.driven);
  place_.assign(model_.bodies.size(), -1);
  for (Index i = 0; i < bodies_; ++i) place_[body_of(static_cast<std::size_t>(i))] = static_cast<int>(i);
  for (Index j = 0; j < driven_; ++j)
    place_[index(one.component.driven[static_cast<std::size_t>(j)])] = -2 - static_cast<int>(j);
  const auto contacts = static_cast<Index>(closed());
  input_.setZero(first_rest() + kContacts + kContactInputs * contacts, width);
  output_.resize(first_watched() + (watched_ == stepping::kNoContact ? 0 : kWatchedRows), width);
}

bool SmoothTangent::advance() {
  changing_.clear();
  for (Index row = 0; row < input_.rows(); ++row)
    if (!input_.row(row).isZero(0)) changing_.push_back(row);
  const Index inputs = std::ssize(changing_);
  if (inputs >= input_.cols()) return run(input_, output_);
  if (inputs == 0) {
    output_.setZero();
    return true;
  }
  by_inputs_.setZero(input_.rows(), inputs);
  for (Index k = 0; k < inputs; ++k) by_inputs_(changing_[static_cast<std::size_t>(k)], k) = 1;
  by_input_.resize(output_.rows(), inputs);
  if (!run(by_inputs_, by_input_)) return false;
  output_.setZero();
  for (Index row = 0; row < output_.rows(); ++row)
    for (Index k = 0; k < inputs; ++k)
      rows::add(input_.cols(), by_input_(row, k), input_.row(changing_[static_cast<std::size_t>(k)]).data(),
                output_.row(row).data());
  return true;
}

bool SmoothTangent::run(const Columns& input, Columns& output) {
  used_ = &input;
  width_ = input.cols();
  arena_.reset(width_);
  bends_.set_state(one_->state);
  const auto n = static_cast<std::size_t>(bodies_);
  bend_start();
  std::vector<double*>& before = acceleration_;
  before.assign(n, nullptr);
  std::vector<model::Twist> a(n);
  const stepping::SmoothRecord& record = *record_;
  if (record.two_passes) {
    first_.first = true;
    first_.pass = &record.first;
    if (!take_pass(before, a, first_)) return false;
    for (std::size_t i = 0; i < n; ++i) {
      const model::Twist &v0 = one_->state.bodies[body_of(i)].velocity, &v1 = record.first.end[i].velocity;
      a[i] = stepping::scaled_sum(1 / record.h, v1, -1 / record.h, v0);
      before[i] = arena_.take(6);
      rows::add(6 * width_, 1 / record.h, first_.velocity[i], before[i]);
      rows::add(6 * width_, -1 / record.h, in_body(i, kVelocity), before[i]);
      rows::add_outer(width_, -a[i].linear / record.h, in_rest(kLength), before[i]);
      rows::add_outer(width_, -a[i].angular / record.h, in_rest(kLength), before[i] + 3 * width_);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = one_->component.bodies[i].acceleration;
      before[i] = const_cast<double*>(in_body(i, kAcceleration));  // read only
    }
  }
  last_.first = false;
  last_.pass = &record.last;
  if (!take_pass(before, a, last_)) return false;
  move(last_);
  if (!record.undone && !close_gaps(last_)) return false;
  output.setZero();
  for (std::size_t i = 0; i < n; ++i) {
    double* const to = output.row(kBodyRows * static_cast<Index>(i)).data();
    std::copy_n(pose_[i], 6 * width_, to + kPose * width_);
    std::copy_n(last_.velocity[i], 6 * width_, to + kVelocity * width_);
    std::copy_n(acceleration_[i], 6 * width_, to + kAcceleration * width_);
  }
  take_contacts(last_, output);
  if (watched_ != stepping::kNoContact) take_watched(last_, output);
  return output.allFinite();
}

void SmoothTangent::lengthen(std::span<const double> length) {
  const Index last = output_.cols() - 1;
  for (Index row = 0; row < output_.rows(); ++row)
    rows::add(last, output_(row, last), length.data(), output_.row(row).data());
}

MovedBody SmoothPassTangent::moved(int body, When when, const Solved* solved) const {
  const int place = place_of(body);
  if (place == -1) return {.at = one_->state.bodies[index(body)]};
  if (place >= 0) {
    const auto i = index(place);
    switch (when) {
      case When::Start: return {one_->state.bodies[index(body)], in_body(i, kPose), in_body(i, kVelocity)};
      case When::Mid: return {solved->pass->mid[i], solved->mid[i]};
      case When::Predicted: return {solved->pass->end[i], solved->end[i], solved->velocity[i]};
      case When::End: return {trial_->bodies[i], pose_[i], solved->velocity[i]};
    }
  }
  const Index first = first_driven() + kDrivenRows * (-2 - place);
  const auto at = static_cast<std::size_t>(bodies_ - 2 - place);
  const auto with = [&](const model::BodyState& state, int row) {
    return MovedBody{state, in(first + row), in(first + row + kVelocity)};
  };
  switch (when) {
    case When::Start: return with(one_->state.bodies[index(body)], kStart);
    case When::Mid: return with(solved->pass->mid[at], kMid);
    default: return with(solved->pass->end[at], kEnd);
  }
}

void SmoothPassTangent::bend(When when, const Solved* solved, std::span<const collision::Contact> contacts,
                             std::span<const contact::ContactRows> rows, const std::vector<ContactBend>* from,
                             std::vector<ContactBend>& bends) {
  bends.resize(contacts.size());
  for (std::size_t c = 0; c < contacts.size(); ++c)
    bends_.set(contacts[c], rows[c], moved(contacts[c].id.body_a, when, solved),
               moved(contacts[c].id.body_b, when, solved), from == nullptr ? nullptr : &(*from)[c], width_, arena_,
               bends[c]);
}

// Contacts and their slip at the start.
void SmoothPassTangent::bend_start() {
  start_bends_.resize(closed());
  start_slip_.resize(closed());
  for (std::size_t c = 0; c < closed(); ++c) {
    const stepping::ContactStart& start = start_of(c);
    const MovedBody a = moved(start.rows.a, When::Start, nullptr), b = moved(start.rows.b, When::Start, nullptr);
    bends_.set(start.contact, start.rows, a, b, nullptr, width_, arena_, start_bends_[c]);
    start_slip_[c] = arena_.take(model_.dimension);
    const bool at_rest = start.velocity[1] == 0 && start.velocity[2] == 0;  // put there by an event
    for (int k = 0; k < model_.dimension; ++k)
      if (k == 0 || !at_rest) take_slip(start_bends_[c], k, a, b, start_slip_[c] + k * width_);
  }
}

// How the velocity of a against b along row k changes.
void SmoothPassTangent::take_slip(const ContactBend& bend, int k, const MovedBody& a, const MovedBody& b,
                                  double* slip) {
  const Vec3& d = bend.direction[k];
  Vec3 apart = Vec3::Zero();
  for (const bool is_a : {true, false}) {
    const MovedBody& body = is_a ? a : b;
    const Vec3& arm = is_a ? bend.arm_a : bend.arm_b;
    const double sign = is_a ? 1 : -1;
    const model::Twist& v = body.at.velocity;
    apart += sign * (v.linear + v.angular.cross(arm));
    rows::add_dot(width_, sign * d.cross(v.angular), is_a ? bend.d_arm_a : bend.d_arm_b, slip);
    if (body.velocity == nullptr) continue;
    rows::add_dot(width_, sign * d, body.velocity, slip);
    rows::add_dot(width_, sign * arm.cross(d), body.velocity + 3 * width_, slip);
  }
  rows::add_dot(width_, apart, bend.d_direction[k], slip);
}

// A rotation that came before, and a turn by w.
void SmoothPassTangent::turn(std::size_t i, const Vec3& w, const double* dw, const double* from, double* to) {
  if (model_.bodies[body_of(i)].planar()) {
    rows::add(3 * width_, 1, from, to);
    rows::add(3 * width_, 1, dw, to);
    return;
  }
  rows::add_product(width_, rotation_of(w), from, to);
  rows::add_product(width_, left_jacobian(w), dw, to);
}

bool SmoothPassTangent::take_pass(const std::vector<double*>& acceleration, std::span<const model::Twist> a,
                                  Solved& solved) {
  const auto n = static_cast<std::size_t>(bodies_);
  for (auto* list : {&solved.mid, &solved.end, &solved.velocity}) list->resize(n);
  for (std::size_t i = 0; i < n; ++i) predict(i, acceleration[i], a[i], solved);
  const stepping::SmoothPass& pass = *solved.pass;
  bend(When::Mid, &solved, pass.contacts_mid, pass.rows_mid, &start_bends_, solved.bends_mid);
  bend(When::Predicted, &solved, pass.contacts_end, pass.rows_end, &solved.bends_mid, solved.bends_end);
  know_velocities(solved);
  know_slips(solved);
  return closed() == 0 || solve_laws(solved);
}

// Poses in the middle and at the end.
void SmoothPassTangent::predict(std::size_t i, const double* acceleration, const model::Twist& a, Solved& solved) {
  const contact::BodyTraits& traits = traits_[body_of(i)];
  const double h = record_->h;
  const model::Twist& v0 = one_->state.bodies[body_of(i)].velocity;
  const auto place = [&](double by_v, double by_a, double by_v_rate, double by_a_rate) {
    double *const pose = arena_.take(6), *const d = arena_.take(6);
    rows::add(6 * width_, by_v, in_body(i, kVelocity), d);
    if (acceleration != nullptr) rows::add(6 * width_, by_a, acceleration, d);
    rows::add_outer(width_, by_v_rate * v0.linear + by_a_rate * a.linear, in_rest(kLength), d);
    rows::add_outer(width_, by_v_rate * v0.angular + by_a_rate * a.angular, in_rest(kLength), d + 3 * width_);
    for (int axis = 0; axis < 3; ++axis) {
      rows::add(width_, 1, in_body(i, kPose + axis), pose + axis * width_);
      if (traits.free_translation[index(axis)]) rows::add(width_, 1, d + axis * width_, pose + axis * width_);
    }
    if (traits.free_rotation)
      turn(i, by_v * v0.angular + by_a * a.angular, d + 3 * width_, in_body(i, kPose + 3), pose + 3 * width_);
    return pose;
  };
  solved.mid[i] = place(0.5 * h, 0.125 * h * h, 0.5, 0.25 * h);
  solved.end[i] = place(h, 0.5 * h * h, 1, h);
}

Mat3 SmoothPassTangent::inertia_of(std::size_t i, const Quat& orientation) const {
  const model::Body& body = model_.bodies[body_of(i)];
  if (body.planar()) return Vec3(0, 0, body.inertia(2, 2)).asDiagonal();
  const Mat3 R = orientation.toRotationMatrix();
  return R * body.inertia * R.transpose();
}

// What the turning of its inertia at the predicted end, and a longer step, take from A w.
void SmoothPassTangent::add_turned_inertia(const Solved& solved, std::size_t i, const Vec3& w, double* momentum) {
  const model::Body& body = model_.bodies[body_of(i)];
  rows::add_outer(width_, -0.5 * body.angular_damping * w, in_rest(kLength), momentum);
  if (traits_[body_of(i)].isotropic) return;
  const Mat3 inertia = inertia_of(i, solved.pass->end[i].pose.orientation);
  const double* const turned = solved.end[i] + 3 * width_;  // dI w = e x I w + I (w x e)
  double* const across = arena_.take(3);
  rows::add_cross(width_, 1, inertia * w, turned, momentum);
  rows::add_cross(width_, -1, w, turned, across);
  rows::add_product(width_, inertia, across, momentum);
}

// Velocities at the end as long as the impulses are what they are.
void SmoothPassTangent::know_velocities(Solved& solved) {
  const double h = record_->h;
  const stepping::SmoothPass& pass = *solved.pass;
  std::vector<double*> push(static_cast<std::size_t>(bodies_));
  for (double*& p : push) p = arena_.take(6);
  for (std::size_t c = 0; c < closed(); ++c) {
    const ContactBend& bend = solved.bends_mid[c];
    const double* const p = solved.first ? trial_of(c).p_first : trial_of(c).p;
    Vec3 impulse = Vec3::Zero();
    double* const d_impulse = arena_.take(3);
    for (int k = 0; k < model_.dimension; ++k) {
      impulse += p[k] * bend.direction[k];
      rows::add(3 * width_, p[k], bend.d_direction[k], d_impulse);
    }
    for (const bool is_a : {true, false}) {
      const int place = place_of(is_a ? start_of(c).rows.a : start_of(c).rows.b);
      if (place < 0) continue;
      const double sign = is_a ? 1 : -1;
      double* const to = push[index(place)];
      rows::add(3 * width_, sign, d_impulse, to);
      if (!traits_[body_of(index(place))].free_rotation) continue;
      rows::add_cross(width_, sign, is_a ? bend.arm_a : bend.arm_b, d_impulse, to + 3 * width_);
      rows::add_cross(width_, -sign, impulse, is_a ? bend.d_arm_a : bend.d_arm_b, to + 3 * width_);
    }
  }
  for (std::size_t i = 0; i < push.size(); ++i) {
    const model::Body& body = model_.bodies[body_of(i)];
    const model::BodyState& start = one_->state.bodies[body_of(i)];
    const model::Twist &v0 = start.velocity, &v1 = pass.end[i].velocity;
    const double *const dv0 = in_body(i, kVelocity), *const dh = in_rest(kLength);
    const double c = body.linear_damping;
    double* const to = solved.velocity[i] = arena_.take(6);
    rows::add(3 * width_, body.mass - 0.5 * h * c, dv0, push[i]);
    rows::add(3 * width_, h * body.mass, in_rest(kGravity), push[i]);
    rows::add_outer(width_, body.mass * model_.gravity - 0.5 * c * (v0.linear + v1.linear), dh, push[i]);
    for (int axis = 0; axis < 3; ++axis) {
      if (pass.dynamics[i].inverse_mass[axis] != 0)
        rows::add(width_, pass.dynamics[i].inverse_mass[axis], push[i] + axis * width_, to + axis * width_);
      else
        rows::add(width_, 1, dv0 + axis * width_, to + axis * width_);
    }
    if (!traits_[body_of(i)].free_rotation) continue;
    double* const momentum = push[i] + 3 * width_;
    const double drag = body.angular_damping;
    const Mat3 inertia = inertia_of(i, start.pose.orientation);
    rows::add_product(width_, inertia, dv0 + 3 * width_, momentum);
    rows::add(3 * width_, -0.5 * h * drag, dv0 + 3 * width_, momentum);
    rows::add_outer(width_, -0.5 * drag * v0.angular, dh, momentum);
    if (!traits_[body_of(i)].isotropic) {  // dL0 = e x L0 + I0 (w0 x e)
      const double* const turned = in_body(i, kPose + 3);
      double* const across = arena_.take(3);
      rows::add_cross(width_, -1, inertia * v0.angular, turned, momentum);
      rows::add_cross(width_, 1, v0.angular, turned, across);
      rows::add_product(width_, inertia, across, momentum);
    }
    add_turned_inertia(solved, i, v1.angular, momentum);
    rows::add_product(width_, pass.dynamics[i].inverse_inertia, momentum, to + 3 * width_);
  }
}

void SmoothPassTangent::know_slips(Solved& solved) {
  solved.slip.resize(closed());
  for (std::size_t c = 0; c < closed(); ++c) {
    const MovedBody a = moved(start_of(c).rows.a, When::Predicted, &solved),
                    b = moved(start_of(c).rows.b, When::Predicted, &solved);
    solved.slip[c] = arena_.take(model_.dimension);
    for (int k = 0; k < model_.dimension; ++k) take_slip(solved.bends_end[c], k, a, b, solved.slip[c] + k * width_);
  }
}

}  // namespace stickslip::sensitivity
