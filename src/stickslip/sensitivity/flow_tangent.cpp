// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/flow_tangent.h"

#include "stickslip/collision/registry.h"
#include "stickslip/contact/material.h"
#include "stickslip/sensitivity/model_difference.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/dormand_prince.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {

using contact::Mode;
using Eigen::Index;
using stepping::CompliantFlow;
using stepping::index;
namespace formula = stepping::dormand_prince;

// The part, taken again.
struct FlowTangent::Own {
  std::unique_ptr<collision::Collider> collider;
  stepping::World world;
  CompliantFlow flow;
  ContactBends bends;
  std::vector<collision::Contact> contacts;
  std::vector<stepping::FlowContact> modes;
  Eigen::VectorXd start, y, stage[formula::kStages];
  Columns d_start, dy, d_stage[formula::kStages];
  std::vector<Vec3> impulse;  // of each contact
  std::vector<double*> d_impulse;
  Columns d_impulses;

  Own(const model::Model& model, const stepping::Method& method)
      : collider(collision::make_collider(method.collider)),
        world(model, method, *collider),
        flow(world),
        bends(model, *collider) {}
};

FlowTangent::FlowTangent(const model::Model& model, const stepping::Method& method,
                         std::span<const Direction> directions, const PrescribedChanges& prescribed)
    : model_(model),
      prescribed_(prescribed),
      traits_(contact::body_traits(model)),
      own_(std::make_unique<Own>(model, method)) {
  place_.assign(traits_.size(), -1);
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    if (!traits_[i].movable) continue;
    place_[i] = static_cast<int>(movable_.size());
    movable_.push_back(static_cast<int>(i));
  }
  covers_.assign(directions.size(), false);
  list_unknowns(directions);
}

FlowTangent::~FlowTangent() = default;

void FlowTangent::list_unknowns(std::span<const Direction> directions) {
  const auto known_body = [](const contact::BodyTraits& t) {
    return !t.movable ||
           (!t.driven && !t.pushed && !t.locked_rotation && t.free_translation[0] && t.free_translation[1]);
  };
  if (!std::ranges::all_of(traits_, known_body)) return;
  for (const int body : movable_)
    if (model_.dimension == 3 && !traits_[index(body)].free_translation[2]) return;
  applies_ = true;
  const auto surfaces = std::ssize(model_.surfaces), width = std::ssize(directions);
  laws_.setZero(surfaces * kLaw, width);
  gravity_.setZero(3, width);
  for (Index k = 0; k < width; ++k) {
    const Direction& direction = directions[static_cast<std::size_t>(k)];
    if (moves_what_is_fixed(traits_, direction)) continue;
    const auto listed = std::ssize(unknowns_);
    if (direction.low != nullptr) {
      const model::Model &low = *direction.low, &high = *direction.high;
      if (std::ssize(low.surfaces) != surfaces || std::ssize(high.surfaces) != surfaces) continue;
      model::Model alike = high;
      alike.gravity = low.gravity;
      alike.surfaces = low.surfaces;
      const auto same_breakpoints = [](const model::Body& x, const model::Body& y) {
        return x.drive.breakpoints == y.drive.breakpoints;
      };
      if (!same_but_for_motion(low, alike) || !std::ranges::equal(low.bodies, high.bodies, same_breakpoints) ||
          !std::ranges::equal(low.bodies, model_.bodies, same_breakpoints))
        continue;
      for (Index s = 0; s < surfaces; ++s) {
        const model::Surface &a = low.surfaces[static_cast<std::size_t>(s)],
                             &b = high.surfaces[static_cast<std::size_t>(s)];
        const auto put = [&](Law law, double x, double y) {
          laws_(s * kLaw + law, listed) = (y - x) / direction.width();
        };
        put(kStatic, a.friction_static, b.friction_static);
        put(kKinetic, a.friction_kinetic, b.friction_kinetic);
        put(kStiffness, a.compliance.stiffness_normal, b.compliance.stiffness_normal);
        put(kStiffnessTangential, a.compliance.stiffness_tangential, b.compliance.stiffness_tangential);
        put(kDamping, a.compliance.damping_normal, b.compliance.damping_normal);
        put(kDampingTangential, a.compliance.damping_tangential, b.compliance.damping_tangential);
      }
      gravity_.col(listed) = (high.gravity - low.gravity) / direction.width();
    }
    unknowns_.push_back(k);
    covers_[static_cast<std::size_t>(k)] = true;
  }
}

void FlowTangent::begin(const stepping::FlowPart& part, bool by_length) {
  part_ = &part;
  const auto listed = std::ssize(unknowns_);
  width_ = listed + (by_length ? 1 : 0);
  bodies_.setZero(std::ssize(traits_) * kBodyTangent, width_);
  layers_.setZero(std::ssize(part.contacts) * kLayer, width_);
  later_.setZero(width_);
  length_.setZero(width_);
  if (by_length) length_[listed] = 1;
  laws_now_.setZero(laws_.rows(), width_);
  laws_now_.leftCols(listed) = laws_.leftCols(listed);
  gravity_now_.setZero(3, width_);
  gravity_now_.leftCols(listed) = gravity_.leftCols(listed);
}

const double* FlowTangent::law(std::size_t c, Law which) const {
  return laws_now_.row(static_cast<Index>(own_->contacts[c].surface) * kLaw + which).data();
}

MovedBody FlowTangent::moved(int body) const {
  const model::BodyState& at = own_->flow.state().bodies[index(body)];
  return {at, pose_[index(body)], velocity_[index(body)]};
}

// The start of the part, with its contacts as the stepper has them there.
void FlowTangent::start() {
  Own& own = *own_;
  std::swap(arena_, start_arena_);  // rows of the start live through all stages
  arena_.reset(width_);
  const int D = model_.dimension;
  own.world.state = part_->state;
  own.contacts = part_->contacts;
  own.modes = part_->modes;
  const std::size_t n = own.contacts.size();
  own.flow.begin(part_->state.time, own.contacts, own.modes, own.start);
  own.start.tail(part_->shear.size()) = part_->shear;
  own.d_start.setZero(own.start.size(), width_);
  for (std::size_t m = 0; m < movable_.size(); ++m) {
    const Index first = static_cast<Index>(m) * CompliantFlow::kBody;
    const auto change = bodies_.middleRows<kBodyTangent>(movable_[m] * kBodyTangent);
    own.d_start.middleRows<3>(first + CompliantFlow::kPosition) = change.middleRows<3>(kPosition);
    own.d_start.middleRows<3>(first + CompliantFlow::kLinear) = change.middleRows<3>(kLinear);
    own.d_start.middleRows<3>(first + CompliantFlow::kAngular) = change.middleRows<3>(kAngular);
    double* const turn = own.d_start.row(first + CompliantFlow::kTurn).data();
    const double* const by = change.row(kRotation).data();
    if (model_.bodies[index(movable_[m])].planar()) {
      rows::add(width_, 1, by + 2 * width_, turn);
      continue;
    }
    const auto q = own.start.segment<4>(first + CompliantFlow::kTurn);  // dq = (0, e) q / 2
    rows::add(3 * width_, 0.5 * q[3], by, turn);
    rows::add_cross(width_, -0.5, q.head<3>(), by, turn);
    rows::add_dot(width_, -0.5 * q.head<3>(), by, turn + 3 * width_);
  }
  // What a layer keeps is a vector in space, and y has its components.
  own.flow.evaluate(0, own.start, own.stage[0]);
  move_bodies(part_->state.time, later_.data());
  for (std::size_t m = 0; m < movable_.size(); ++m)
    take_turn(own.start, static_cast<Index>(m) * CompliantFlow::kBody, own.d_start, pose_[index(movable_[m])]);
  own.bends.set_state(part_->state);
  start_bends_.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    const collision::Contact& contact = own.flow.contacts()[c];
    own.bends.set(contact, own.flow.rows(c), moved(contact.id.body_a), moved(contact.id.body_b), nullptr, width_,
                  arena_, start_bends_[c]);
    const Index first = own.flow.shear_of(c);
    Vec3 shear = Vec3::Zero();
    for (int k = 1; k < D; ++k) shear += own.start[first + k - 1] * own.flow.rows(c).direction[k];
    for (int k = 1; k < D; ++k) {
      double* const to = own.d_start.row(first + k - 1).data();
      rows::add_dot(width_, own.flow.rows(c).direction[k], layer(c), to);
      rows::add_dot(width_, shear, start_bends_[c].d_direction[k], to);
    }
  }
  std::swap(arena_, start_arena_);
}

// The rotation that a change of y's orientation is: e = 2 vec(dq q*) / |q|^2.
void FlowTangent::take_turn(const Eigen::VectorXd& y, Index first, const Columns& dy, double* pose) const {
  const double* const dq = dy.row(first + CompliantFlow::kTurn).data();
  std::copy_n(dy.row(first + CompliantFlow::kPosition).data(), 3 * width_, pose);
  double* const turn = pose + 3 * width_;
  const auto m = static_cast<std::size_t>(first / CompliantFlow::kBody);
  if (model_.bodies[index(movable_[m])].planar()) {
    rows::add(width_, 1, dq, turn + 2 * width_);
    return;
  }
  const auto q = y.segment<4>(first + CompliantFlow::kTurn);
  const double scale = 2 / q.squaredNorm();
  rows::add(3 * width_, scale * q[3], dq, turn);
  rows::add_cross(width_, scale, q.head<3>(), dq, turn);
  rows::add_outer(width_, -scale * q.head<3>(), dq + 3 * width_, turn);
}

// Rows of poses and velocities, those of driven bodies at their time.
void FlowTangent::move_bodies(double time, const double* later) {
  const std::size_t bodies = traits_.size();
  for (auto* list : {&pose_, &velocity_, &wrench_}) list->assign(bodies, nullptr);
  const bool shifted = std::any_of(later, later + width_, [](double x) { return x != 0; });
  for (std::size_t i = 0; i < bodies; ++i) {
    if (!traits_[i].movable && !traits_[i].driven) continue;
    double* const all = arena_.take(kBodyTangent);
    pose_[i] = all;
    velocity_[i] = all + kLinear * width_;
    wrench_[i] = arena_.take(6);
    if (traits_[i].driven)
      prescribed_.give(static_cast<int>(i), time, own_->flow.state().bodies[i], unknowns_, shifted ? later : nullptr,
                       width_, all);
  }
}

void FlowTangent::take_slip(std::size_t c, int k, double& slip, double* change) {
  const ContactBend& bend = bends_[c];
  const collision::Contact& contact = own_->flow.contacts()[c];
  const Vec3& d = bend.direction[k];
  Vec3 apart = Vec3::Zero();
  for (const bool is_a : {true, false}) {
    const MovedBody body = moved(is_a ? contact.id.body_a : contact.id.body_b);
    const Vec3& arm = is_a ? bend.arm_a : bend.arm_b;
    const double sign = is_a ? 1 : -1;
    const model::Twist& v = body.at.velocity;
    apart += sign * (v.linear + v.angular.cross(arm));
    rows::add_dot(width_, sign * d.cross(v.angular), is_a ? bend.d_arm_a : bend.d_arm_b, change);
    if (body.velocity == nullptr) continue;
    rows::add_dot(width_, sign * d, body.velocity, change);
    rows::add_dot(width_, sign * arm.cross(d), body.velocity + 3 * width_, change);
  }
  slip = d.dot(apart);
  rows::add_dot(width_, apart, bend.d_direction[k], change);
}

void FlowTangent::differentiate_rate(const Eigen::VectorXd& y, const Eigen::VectorXd& rate, const Columns& dy,
                                     Columns& d_rate) {
  Own& own = *own_;
  const std::size_t n = own.contacts.size();
  for (std::size_t m = 0; m < movable_.size(); ++m) {
    const Index first = static_cast<Index>(m) * CompliantFlow::kBody;
    const auto i = index(movable_[m]);
    take_turn(y, first, dy, pose_[i]);
    std::copy_n(dy.row(first + CompliantFlow::kLinear).data(), 6 * width_, velocity_[i]);
  }
  d_rate.setZero(y.size(), width_);
  own.bends.set_state(own.flow.state());
  bends_.resize(n);
  force_value_.assign(n, Vec3::Zero());
  for (auto* list : {&gap_, &hold_, &grip_, &force_}) list->assign(n, nullptr);
  for (std::size_t c = 0; c < n; ++c) press(c, y, rate, dy, d_rate);
  for (std::size_t m = 0; m < movable_.size(); ++m) accelerate(m, y, rate, dy, d_rate);
}

void FlowTangent::press(std::size_t c, const Eigen::VectorXd& y, const Eigen::VectorXd& rate, const Columns& dy,
                        Columns& d_rate) {
  Own& own = *own_;
  const int D = model_.dimension;
  const collision::Contact& contact = own.flow.contacts()[c];
  const Mode mode = own.modes[c].mode;
  const MovedBody a = moved(contact.id.body_a), b = moved(contact.id.body_b);
  gap_[c] = arena_.take(1);
  for (const bool is_a : {true, false}) {
    const MovedBody& body = is_a ? a : b;
    if (body.pose == nullptr) continue;
    const Vec3 n = (is_a ? 1 : -1) * contact.normal,
               arm = (is_a ? contact.point_a : contact.point_b) - body.at.pose.position;
    rows::add_dot(width_, n, body.pose, gap_[c]);
    rows::add_dot(width_, arm.cross(n), body.pose + 3 * width_, gap_[c]);
  }
  force_[c] = arena_.take(3);
  hold_[c] = arena_.take(1);
  grip_[c] = arena_.take(1);
  ContactBend& bend = bends_[c];
  own.bends.set(contact, own.flow.rows(c), a, b, &start_bends_[c], width_, arena_, bend);
  if (mode == Mode::Open) return;  // its shear does not change in y
  const model::Surface& surface = model_.surfaces[index(contact.surface)];
  const model::Compliance& layer = surface.compliance;
  double u[3] = {}, e[3] = {};
  double *du[3], *de[3] = {};
  for (int k = 0; k < D; ++k) {
    du[k] = arena_.take(1);
    take_slip(c, k, u[k], du[k]);
  }
  const double normal = -layer.stiffness_normal * contact.gap - layer.damping_normal * u[0];
  double* const d_normal = hold_[c];
  rows::add(width_, -layer.stiffness_normal, gap_[c], d_normal);
  rows::add(width_, -layer.damping_normal, du[0], d_normal);
  rows::add(width_, -contact.gap, law(c, kStiffness), d_normal);
  rows::add(width_, -u[0], law(c, kDamping), d_normal);
  const Index first = own.flow.shear_of(c);
  const double K = layer.stiffness_tangential, C = layer.damping_tangential;
  for (int k = 1; k < D; ++k) {
    const double s = y[first + k - 1];
    e[k] = K * s - C * u[k];
    de[k] = arena_.take(1);
    rows::add(width_, K, dy.row(first + k - 1).data(), de[k]);
    rows::add(width_, -C, du[k], de[k]);
    rows::add(width_, s, law(c, kStiffnessTangential), de[k]);
    rows::add(width_, -u[k], law(c, kDampingTangential), de[k]);
  }
  const double strain = stepping::tangential_norm(e, D);
  double* const d_strain = arena_.take(1);
  for (int k = 1; k < D && strain > 0; ++k) rows::add(width_, e[k] / strain, de[k], d_strain);
  const bool slides = mode != Mode::Stick;
  // Reserves of friction: mu_s lambda_n - |e|, and |e| - mu_k lambda_n where it slides.
  const double mu = contact::friction_coefficient(surface, mode), sign = slides ? -1 : 1;
  rows::add(width_, sign * mu, d_normal, grip_[c]);
  rows::add(width_, sign * normal, law(c, slides ? kKinetic : kStatic), grip_[c]);
  rows::add(width_, -sign, d_strain, grip_[c]);
  double f[3] = {normal, 0, 0};
  double* df[3] = {d_normal, nullptr, nullptr};
  for (int k = 1; k < D; ++k) {
    df[k] = arena_.take(1);
    if (!slides) {
      if (strain > 0) f[k] = e[k];
      rows::add(width_, 1, de[k], df[k]);
    } else if (strain > 0) {
      const double d = e[k] / strain, size = surface.friction_kinetic * normal;
      f[k] = size * d;
      rows::add(width_, surface.friction_kinetic * d, d_normal, df[k]);
      rows::add(width_, normal * d, law(c, kKinetic), df[k]);
      rows::add(width_, size / strain, de[k], df[k]);
      rows::add(width_, -size * d / strain, d_strain, df[k]);
    }
    if (!(C > 0)) continue;
    double* const ds = d_rate.row(first + k - 1).data();
    rows::add(width_, 1 / C, df[k], ds);
    rows::add(width_, -K / C, dy.row(first + k - 1).data(), ds);
    rows::add(width_, -y[first + k - 1] / C, law(c, kStiffnessTangential), ds);
    rows::add(width_, -rate[first + k - 1] / C, law(c, kDampingTangential), ds);
  }
  for (int k = 0; k < D; ++k) {
    force_value_[c] += f[k] * bend.direction[k];
    rows::add_outer(width_, bend.direction[k], df[k], force_[c]);
    rows::add(3 * width_, f[k], bend.d_direction[k], force_[c]);
  }
  for (const bool is_a : {true, false}) {
    const auto body = index(is_a ? contact.id.body_a : contact.id.body_b);
    if (place_[body] < 0) continue;
    const double side = is_a ? 1 : -1;
    rows::add(3 * width_, side, force_[c], wrench_[body]);
    double* const torque = wrench_[body] + 3 * width_;
    rows::add_cross(width_, side, is_a ? bend.arm_a : bend.arm_b, force_[c], torque);
    rows::add_cross(width_, -side, force_value_[c], is_a ? bend.d_arm_a : bend.d_arm_b, torque);
  }
}

void FlowTangent::accelerate(std::size_t m, const Eigen::VectorXd& y, const Eigen::VectorXd& rate, const Columns& dy,
                             Columns& d_rate) {
  const auto i = index(movable_[m]);
  const model::Body& body = model_.bodies[i];
  const contact::BodyTraits& traits = traits_[i];
  const model::BodyState& s = own_->flow.state().bodies[i];
  const Index first = static_cast<Index>(m) * CompliantFlow::kBody;
  contact::BodyDynamics dynamics;
  contact::evaluate_inertia(body, traits, s.pose.orientation, 0, dynamics);
  const double *const dv = velocity_[i], *const dw = velocity_[i] + 3 * width_, *const turn = pose_[i] + 3 * width_;
  double *const force = wrench_[i], *const torque = wrench_[i] + 3 * width_;
  d_rate.middleRows<3>(first + CompliantFlow::kPosition) = dy.middleRows<3>(first + CompliantFlow::kLinear);
  rows::add(3 * width_, body.mass, gravity_now_.row(0).data(), force);
  rows::add(3 * width_, -body.linear_damping, dv, force);
  double* const a = d_rate.row(first + CompliantFlow::kLinear).data();
  for (int axis = 0; axis < 3; ++axis)
    rows::add(width_, dynamics.inverse_mass[axis], force + axis * width_, a + axis * width_);
  if (!traits.free_rotation) return;
  const Vec3& w = s.velocity.angular;
  rows::add(3 * width_, -body.angular_damping, dw, torque);
  if (!traits.isotropic) {
    // d(J x) = e x J x + J (x x e) for x held; torque - w x J w = J w'.
    const Mat3 R = s.pose.orientation.toRotationMatrix(), J = R * body.inertia * R.transpose();
    const Vec3 L = J * w, w_rate = rate.segment<3>(first + CompliantFlow::kAngular);
    double* const dL = arena_.take(3);
    const auto add_turned = [&](const Vec3& x, double* to) {
      double* const across = arena_.take(3);
      rows::add_cross(width_, -1, J * x, turn, to);
      rows::add_cross(width_, 1, x, turn, across);
      rows::add_product(width_, J, across, to);
    };
    add_turned(w, dL);
    rows::add_product(width_, J, dw, dL);
    rows::add_cross(width_, 1, L, dw, torque);
    rows::add_cross(width_, -1, w, dL, torque);
    double* const dJ = arena_.take(3);
    add_turned(w_rate, dJ);
    rows::add(3 * width_, -1, dJ, torque);
  }
  rows::add_product(width_, dynamics.inverse_inertia, torque, d_rate.row(first + CompliantFlow::kAngular).data());
  double* const to = d_rate.row(first + CompliantFlow::kTurn).data();
  if (body.planar()) {
    rows::add(width_, 1, dw + 2 * width_, to);
    return;
  }
  const auto q = y.segment<4>(first + CompliantFlow::kTurn);  // q' = (0, w) q / 2
  const double* const dq = dy.row(first + CompliantFlow::kTurn).data();
  const Vec3 v = q.head<3>();
  rows::add(3 * width_, 0.5 * q[3], dw, to);
  rows::add_cross(width_, -0.5, v, dw, to);
  rows::add_outer(width_, 0.5 * w, dq + 3 * width_, to);
  rows::add_cross(width_, 0.5, w, dq, to);
  rows::add_dot(width_, -0.5 * v, dw, to + 3 * width_);
  rows::add_dot(width_, -0.5 * w, dq, to + 3 * width_);
}

// How the share that is left of an open contact's layer changes.
double* FlowTangent::recovered(std::size_t c, bool normal) {
  double* const change = arena_.take(1);
  const model::Compliance& layer = model_.surfaces[index(own_->contacts[c].surface)].compliance;
  const double K = normal ? layer.stiffness_normal : layer.stiffness_tangential,
               C = normal ? layer.damping_normal : layer.damping_tangential;
  if (!(C > 0)) return change;
  const double share = own_->flow.recovery(c, part_->tau, normal), tau = part_->tau;
  rows::add(width_, -share * K / C, length_.data(), change);
  rows::add(width_, -share * tau / C, law(c, normal ? kStiffness : kStiffnessTangential), change);
  rows::add(width_, share * tau * K / (C * C), law(c, normal ? kDamping : kDampingTangential), change);
  return change;
}

void FlowTangent::take_ends() {
  Own& own = *own_;
  const int D = model_.dimension;
  const Index bodies = std::ssize(traits_) * kBodyTangent;
  ends_.setZero(bodies + std::ssize(own.contacts) * kContact, width_);
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    if (pose_[i] == nullptr) continue;
    const Index first = static_cast<Index>(i) * kBodyTangent;
    std::copy_n(pose_[i], 6 * width_, ends_.row(first).data());
    std::copy_n(velocity_[i], 6 * width_, ends_.row(first + kLinear).data());
  }
  for (std::size_t c = 0; c < own.contacts.size(); ++c) {
    const Index first = bodies + static_cast<Index>(c) * kContact;
    const auto to = [&](int row) { return ends_.row(first + row).data(); };
    const bool open = own.modes[c].mode == Mode::Open;
    rows::add(width_, 1, gap_[c], to(kGap));
    rows::add(width_, 1, hold_[c], to(kHold));
    rows::add(width_, 1, grip_[c], to(kGrip));
    std::copy_n(own.d_impulse[c], 3 * width_, to(kImpulse));
    const double share = open ? own.flow.recovery(c, part_->tau, false) : 1.0;
    const Index shear = own.flow.shear_of(c);
    const double* const d_share = open ? recovered(c, false) : nullptr;
    for (int k = 1; k < D; ++k) {
      const Vec3& d = own.flow.rows(c).direction[k];
      rows::add_outer(width_, share * d, own.dy.row(shear + k - 1).data(), to(kShear));
      rows::add(3 * width_, share * own.y[shear + k - 1], bends_[c].d_direction[k], to(kShear));
      if (open) rows::add_outer(width_, own.y[shear + k - 1] * d, d_share, to(kShear));
    }
    if (!open) continue;
    rows::add(width_, own.flow.recovery(c, part_->tau, true), layer(c) + 3 * width_, to(kDeformation));
    rows::add(width_, own.modes[c].deformation, recovered(c, true), to(kDeformation));
    rows::add(width_, 1, gap_[c], to(kHold));
    rows::add(width_, 1, to(kDeformation), to(kHold));
  }
}

std::span<const model::BodyState> FlowTangent::end() const {
  return own_->flow.state().bodies;
}

const FlowTangent::Columns& FlowTangent::advance() {
  Own& own = *own_;
  const double h = part_->tau, t0 = part_->state.time;
  start();
  const std::size_t n = own.contacts.size();
  own.d_impulses.setZero(static_cast<Index>(n) * 3, width_);
  own.d_impulse.resize(n);
  for (std::size_t c = 0; c < n; ++c) own.d_impulse[c] = own.d_impulses.row(static_cast<Index>(c) * 3).data();
  Eigen::RowVectorXd later;
  for (int i = 0; i < formula::kStages; ++i) {
    own.y = own.start;
    own.dy = own.d_start;
    for (int j = 0; j < i; ++j) {
      const double a = formula::kA[i][j];
      if (a == 0) continue;
      own.y += h * a * own.stage[j];
      rows::add(own.dy.size(), h * a, own.d_stage[j].data(), own.dy.data());
      for (Index row = 0; row < own.dy.rows(); ++row)
        rows::add(width_, a * own.stage[j][row], length_.data(), own.dy.row(row).data());
    }
    later = later_ + formula::kC[i] * length_;
    if (i > 0) own.flow.evaluate(formula::kC[i] * h, own.y, own.stage[i]);  // start() did the first one
    arena_.reset(width_);
    move_bodies(t0 + formula::kC[i] * h, later.data());
    differentiate_rate(own.y, own.stage[i], own.dy, own.d_stage[i]);
    for (std::size_t c = 0; c < n && i < 6; ++c) {
      const double a = formula::kA[6][i];
      rows::add(3 * width_, a * h, force_[c], own.d_impulse[c]);
      rows::add_outer(width_, a * force_value_[c], length_.data(), own.d_impulse[c]);
    }
  }
  take_ends();
  return ends_;
}

}  // namespace stickslip::sensitivity
