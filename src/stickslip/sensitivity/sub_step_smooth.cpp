// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Smooth sub-steps in closed form (smooth_tangent.h), for the unknowns that enter them through the start, prescribed
// motion, gravity and friction.
#include "stickslip/contact/material.h"
#include "stickslip/sensitivity/sub_step_sensitivity.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>

namespace stickslip::sensitivity {

using Eigen::Index;
using stepping::ContactStart;
using stepping::index;
using stepping::SubStep;

// Which unknowns those are.
void SubStepSensitivity::list_smooth() {
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const Direction& direction = directions_[k];
    SmoothChange change;
    change.column = static_cast<Index>(k);
    change.friction.assign(model_.surfaces.size(), {});
    if (direction.low != nullptr) {
      const model::Model &low = *direction.low, &high = *direction.high;
      if (low.surfaces.size() != high.surfaces.size() || model_.surfaces.size() != low.surfaces.size()) continue;
      model::Model alike = high;
      alike.gravity = low.gravity;
      for (std::size_t s = 0; s < low.surfaces.size(); ++s) {
        const double width = direction.width();
        change.friction[s] = {(high.surfaces[s].friction_static - low.surfaces[s].friction_static) / width,
                              (high.surfaces[s].friction_kinetic - low.surfaces[s].friction_kinetic) / width};
        alike.surfaces[s].friction_static = low.surfaces[s].friction_static;
        alike.surfaces[s].friction_kinetic = low.surfaces[s].friction_kinetic;
        alike.surfaces[s].restitution = low.surfaces[s].restitution;  // of impacts
      }
      change.enters |= std::ranges::any_of(change.friction, [](const auto& one) { return one.first != 0 || one.second != 0; });
      change.gravity = (high.gravity - low.gravity) / direction.width();
      change.enters |= !change.gravity.isZero(0);
      const auto breakpoints = [](const model::Model& a, const model::Model& b) {
        return std::ranges::equal(a.bodies, b.bodies, [](const model::Body& x, const model::Body& y) {
          return x.drive.breakpoints == y.drive.breakpoints;
        });
      };
      if (!same_but_for_motion(low, alike) || !breakpoints(low, high) || !breakpoints(low, model_)) continue;
    }
    smooth_columns_.push_back(std::move(change));
  }
  is_smooth_.assign(directions_.size(), false);
  for (const SmoothChange& change : smooth_columns_) is_smooth_[static_cast<std::size_t>(change.column)] = true;
}

// What the sub-step reads, of body b, at a time of its drive that changes with `later` (a row; null: it does not).
void SubStepSensitivity::give_driven(int b, double time, const model::BodyState& at, const double* later, double* to) {
  const Index width = std::ssize(smooth_columns_);
  const auto bodies = prescribed_.bodies();
  const auto found = std::ranges::lower_bound(bodies, b);
  if (found != bodies.end() && *found == b) {
    const PrescribedChanges::Columns& changes = prescribed_.at(time);
    const Index first = (found - bodies.begin()) * kBodyTangent;
    for (Index row = 0; row < kBodyTangent; ++row)
      for (Index k = 0; k < width; ++k)
        to[row * width + k] = changes(first + row, smooth_columns_[static_cast<std::size_t>(k)].column);
  }
  if (later == nullptr) return;
  const model::Drive& drive = model_.bodies[index(b)].drive;
  model::Twist velocity, acceleration;
  for (int axis = 0; axis < 3; ++axis) {
    if (!drive.translation[index(axis)]) continue;
    velocity.linear[axis] = at.velocity.linear[axis];
    acceleration.linear[axis] = drive.translation[index(axis)](time).second;
  }
  if (drive.angle) acceleration.angular.z() = drive.angle(time).second;
  if (drive.orientation) acceleration.angular = drive.orientation(time).angular_acceleration;
  if (drive.angle || drive.orientation) velocity.angular = at.velocity.angular;
  rows::add_outer(width, velocity.linear, later, to + kPosition * width);
  rows::add_outer(width, velocity.angular, later, to + kRotation * width);
  rows::add_outer(width, acceleration.linear, later, to + kLinear * width);
  rows::add_outer(width, acceleration.angular, later, to + kAngular * width);
}

// How the length changes, and how much later the sub-step begins: false where that does not.
bool SubStepSensitivity::give_lengths(const SubStep& one, double* length, double* later) const {
  bool shifted = false;
  for (std::size_t k = 0; k < smooth_columns_.size(); ++k) {
    const Index column = smooth_columns_[k].column;
    const double offset = one.component.offset > 0 ? offset_[column] : 0.0, longest = one.held ? 0.0 : longest_[column];
    later[k] = offset;
    length[k] = one.length.fixed > 0 ? one.length.share * longest : -one.length.part * offset;
    shifted |= later[k] != 0 || length[k] != 0;
  }
  return shifted;
}

// False: it is none of this kind, or its equations do not decide.
bool SubStepSensitivity::differentiate_smooth(const SubStep& one, Eigen::MatrixXd& tangents) {
  if (smooth_columns_.empty() || follows_turns_ || !smooth_.covers(one)) return false;
  const Index width = std::ssize(smooth_columns_);
  const stepping::Component& component = one.component;
  smooth_.begin(one, width);
  const auto gather = [&](const Eigen::MatrixXd& from, Index row, Index count, double* to) {
    for (Index k = 0; k < width; ++k) {
      const double* const column = from.col(smooth_columns_[static_cast<std::size_t>(k)].column).data() + row;
      for (Index i = 0; i < count; ++i) to[i * width + k] = column[i];
    }
  };
  static_assert(SmoothTangent::kVelocity == kLinear && SmoothTangent::kPose == kPosition);
  for (std::size_t i = 0; i < component.bodies.size(); ++i) {
    const Index b = component.bodies[i].body;
    gather(tangents, b * kBodyTangent, kBodyTangent, smooth_.body(i));
    gather(now_.acceleration, 6 * b, 6, smooth_.body(i) + SmoothTangent::kAcceleration * width);
  }
  gather(now_.length, component.bodies[0].body, 1, smooth_.rest(SmoothTangent::kLastLength));
  later_.setZero(3, width);
  double* const length = smooth_.rest(SmoothTangent::kLength);
  const bool shifted = give_lengths(one, length, later_.row(0).data());
  later_.row(1) = later_.row(2) = later_.row(0);
  rows::add(width, 0.5, length, later_.row(1).data());
  rows::add(width, 1, length, later_.row(2).data());
  const double begin = tape_.begin + component.offset, end_offset = component.offset + one.smooth.h;
  const double end = end_offset >= tape_.length * (1 - 1e-12) ? tape_.end : tape_.begin + end_offset;
  for (std::size_t j = 0; j < component.driven.size(); ++j) {
    const int b = component.driven[j];
    const auto at = component.bodies.size() + j;
    double* const to = smooth_.driven(j);
    const auto later = [&](Index row) { return shifted ? later_.row(row).data() : nullptr; };
    give_driven(b, component.offset > 0 ? begin : tape_.start.time, one.state.bodies[index(b)], later(0),
                to + SmoothTangent::kStart * width);
    give_driven(b, begin + 0.5 * one.smooth.h, one.smooth.last.mid[at], later(1), to + SmoothTangent::kMid * width);
    give_driven(b, end, one.smooth.last.end[at], later(2), to + SmoothTangent::kEnd * width);
  }
  give_model(one);
  if (!smooth_.advance()) return false;
  take_smooth(one, length, tangents);
  return true;
}

void SubStepSensitivity::give_model(const SubStep& one) {
  const Index width = std::ssize(smooth_columns_);
  for (Index k = 0; k < width; ++k) {
    const SmoothChange& change = smooth_columns_[static_cast<std::size_t>(k)];
    for (int axis = 0; axis < 3 && change.enters; ++axis)
      smooth_.rest(SmoothTangent::kGravity + axis)[k] = change.gravity[axis];
    for (std::size_t c = 0; c < one.smooth.closed.size(); ++c) {
      const ContactStart& start = one.component.contacts[index(one.smooth.closed[c])];
      const auto& friction = change.friction[index(start.contact.surface)];
      double* const to = smooth_.contact(c) + k;
      to[SmoothTangent::kFriction * width] = start.mode == contact::Mode::Slide ? friction.second : friction.first;
      const auto known = now_.reserves.find(start.contact.id);
      if (known != now_.reserves.end() && start.slip_peak > 0)
        to[SmoothTangent::kSlipPeak * width] = known->second(3, change.column);
    }
  }
}

// The end becomes the start of the next.
void SubStepSensitivity::take_smooth(const SubStep& one, const double* length, Eigen::MatrixXd& tangents) {
  const Index width = std::ssize(smooth_columns_);
  const auto scatter = [&](const double* from, Index count, auto&& to) {
    for (Index k = 0; k < width; ++k) {
      double* const column = to(smooth_columns_[static_cast<std::size_t>(k)].column);
      for (Index i = 0; i < count; ++i) column[i] = from[i * width + k];
    }
  };
  for (Index k = 0; k < width; ++k) {
    const Index column = smooth_columns_[static_cast<std::size_t>(k)].column;
    offset_[column] = (one.component.offset > 0 ? offset_[column] : 0.0) + length[k];
    if (one.held) longest_[column] = 0;
    for (const stepping::BodyStart& body : one.component.bodies) now_.length(body.body, column) = length[k];
  }
  for (std::size_t i = 0; i < one.component.bodies.size(); ++i) {
    const Index b = one.component.bodies[i].body;
    const double* const end = smooth_.body_end(i);
    scatter(end, kBodyTangent, [&](Index k) { return tangents.col(k).data() + b * kBodyTangent; });
    scatter(end + SmoothTangent::kAcceleration * width, 6, [&](Index k) { return now_.acceleration.col(k).data() + 6 * b; });
  }
  for (std::size_t c = 0; c < one.smooth.closed.size(); ++c) {
    const collision::ContactId& id = one.component.contacts[index(one.smooth.closed[c])].contact.id;
    auto &reserves = now_.reserves[id];
    auto &impulses = impulses_[id];
    if (reserves.cols() == 0) reserves.setZero(4, std::ssize(directions_));
    if (impulses.cols() == 0) impulses.setZero(3, std::ssize(directions_));
    const double* const end = smooth_.contact_end(c);
    scatter(end + SmoothTangent::kReserves * width, 4, [&](Index k) { return reserves.col(k).data(); });
    for (Index k = 0; k < width; ++k)
      for (Index d = 0; d < 3; ++d)
        impulses(d, smooth_columns_[static_cast<std::size_t>(k)].column) += end[(SmoothTangent::kImpulse + d) * width + k];
  }
}

}  // namespace stickslip::sensitivity
