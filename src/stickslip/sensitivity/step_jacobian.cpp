// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/step_jacobian.h"

#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {
namespace {

using Eigen::Index;
using stepping::index;

// How far geometry is moved for a difference, relative to its size: the error of a central difference is its square.
constexpr double kDisplacement = 1e-5;

// (plus - minus) / width, in place of plus.
void take_difference(const StepEquations::Values& minus, double width, StepEquations::Values& plus) {
  plus.balance = (plus.balance - minus.balance) / width;
  plus.approach = (plus.approach - minus.approach) / width;
  plus.mu = (plus.mu - minus.mu) / width;
  plus.slip = (plus.slip - minus.slip) / width;
  plus.normal_impulse = (plus.normal_impulse - minus.normal_impulse) / width;
}

void set_zero(const StepEquations::Values& like, StepEquations::Values& values) {
  values.balance.setZero(like.balance.size());
  values.approach.setZero(like.approach.size());
  values.mu.setZero(like.mu.size());
  values.slip.setZero(2, like.slip.cols());
  values.normal_impulse.setZero(like.normal_impulse.size());
}

}  // namespace

StepJacobian::StepJacobian(const model::Model& model, const stepping::Method& method,
                           std::span<const Direction> directions)
    : model_(model), directions_(directions.begin(), directions.end()), equations_(model, method) {
  const stepping::MotionModel motion = method.motion;
  linear_ = !equations_.end_geometry() && motion != stepping::MotionModel::QuasiStatic;
  steady_ = motion == stepping::MotionModel::Dynamic;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const contact::BodyTraits& traits = equations_.traits()[i];
    const bool damped = model.bodies[i].linear_damping != 0 || model.bodies[i].angular_damping != 0;
    if (traits.movable) steady_ &= traits.isotropic && !traits.pushed && !traits.driven && !damped;
  }
  for (const Direction& direction : directions_) {
    const bool varies = direction.low != nullptr;
    low_.push_back(varies ? std::make_unique<StepEquations>(*direction.low, method) : nullptr);
    high_.push_back(varies ? std::make_unique<StepEquations>(*direction.high, method) : nullptr);
  }
}

void StepJacobian::linearise(const model::State& before, const StepSpan& span, const Eigen::VectorXd& velocity,
                             std::span<const ActiveContact> contacts) {
  before_ = &before;
  span_ = span;
  velocity_ = &velocity;
  contacts_ = contacts;
  equations_.evaluate(before, span, velocity, contacts, here_);
  list_rows();
  straight_ =
      steady_ && std::ranges::none_of(contacts, [&](const ActiveContact& one) { return equations_.bends(one); });
  differentiate_by_velocity();
}

// What impulses do, and how large things are, before other evaluations. Velocity per impulse of each contact makes all
// columns of a matrix alike.
void StepJacobian::list_rows() {
  const Index n = velocity_->size();
  first_.clear();
  size_ = n;
  for (const ActiveContact& active : contacts_) {
    first_.push_back(size_);
    size_ += active.tangents + (active.support < 0 ? 1 : 0);
  }
  weight_.assign(contacts_.size(), 1.0);
  length_ = 0;
  response_.resize(n, size_ - n);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    Index column = first_[c] - n;
    double sum = 0;
    for (int k = contacts_[c].support < 0 ? 0 : 1; k <= contacts_[c].tangents; ++k, ++column) {
      equations_.response(c, k, response_.col(column));
      if (k == 0) continue;
      sum += equations_.row(c, k).dot(response_.col(column));
      length_ = std::max({length_, equations_.rows(c).moment_a[k].norm(), equations_.rows(c).moment_b[k].norm()});
    }
    if (sum > 0) weight_[c] = sum / contacts_[c].tangents;
  }
  if (!(length_ > 0)) length_ = 1;
}

void StepJacobian::differentiate_by_velocity() {
  const Index n = velocity_->size(), m = static_cast<Index>(contacts_.size());
  balance_v_.setIdentity(n, n);
  approach_v_.setZero(m, n);
  slip_v_.setZero(2 * m, n);
  if (linear_ || straight_) {
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const auto i = static_cast<Index>(c);
      if (contacts_[c].support < 0) equations_.put_row(c, 0, approach_v_, i);
      for (int k = 1; k <= contacts_[c].tangents; ++k) equations_.put_row(c, k, slip_v_, 2 * i + k - 1);
    }
    return;
  }
  const auto freedoms = equations_.freedoms();
  moved_velocity_ = *velocity_;
  for (Index i = 0; i < n; ++i) {
    const double amount = kDisplacement * (freedoms[static_cast<std::size_t>(i)].axis < 3 ? length_ : 1.0) / span_.h;
    const double here = (*velocity_)[i];
    moved_velocity_[i] = here - amount;
    equations_.evaluate(*before_, span_, moved_velocity_, contacts_, minus_);
    moved_velocity_[i] = here + amount;
    equations_.evaluate(*before_, span_, moved_velocity_, contacts_, plus_);
    moved_velocity_[i] = here;
    take_difference(minus_, 2 * amount, plus_);
    balance_v_.col(i) = plus_.balance;
    approach_v_.col(i) = plus_.approach;
    for (Index c = 0; c < m; ++c) slip_v_.block<2, 1>(2 * c, i) = plus_.slip.col(c);
  }
}

double StepJacobian::amount_for(const Eigen::Ref<const Eigen::VectorXd>& direction) const {
  double largest = 0;
  for (Index i = 0; i + kBodyTangent <= direction.size(); i += kBodyTangent) {
    largest = std::max({largest, direction.segment<3>(i + kPosition).norm() / length_,
                        direction.segment<3>(i + kRotation).norm(),
                        span_.h * direction.segment<3>(i + kLinear).norm() / length_,
                        span_.h * direction.segment<3>(i + kAngular).norm()});
  }
  return largest > 0 ? kDisplacement / largest : 0;
}

const StepEquations::Values& StepJacobian::along(Index k, const Eigen::MatrixXd& tangents) {
  const auto i = static_cast<std::size_t>(k);
  const auto direction = tangents.col(k);
  const bool varies = low_[i] != nullptr;
  set_zero(here_, along_);
  if (straight_ && !varies) {
    const auto freedoms = equations_.freedoms();
    for (std::size_t f = 0; f < freedoms.size(); ++f)
      along_.balance[static_cast<Index>(f)] = -direction[freedoms[f].body * kBodyTangent + kLinear + freedoms[f].axis];
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const collision::Contact& contact = contacts_[c].contact;
      along_.approach[static_cast<Index>(c)] =
          contact.normal.dot(direction.segment<3>(contact.id.body_a * kBodyTangent + kPosition) -
                             direction.segment<3>(contact.id.body_b * kBodyTangent + kPosition)) /
          span_.h;
    }
    return along_;
  }
  const double amount = varies ? 0 : amount_for(direction);
  const double below = varies ? directions_[i].below : amount, above = varies ? directions_[i].above : amount;
  if (!(below + above > 0)) return along_;
  move_along(*before_, direction, -below, moved_);
  (varies ? *low_[i] : equations_).evaluate(moved_, span_, *velocity_, contacts_, minus_);
  move_along(*before_, direction, above, moved_);
  (varies ? *high_[i] : equations_).evaluate(moved_, span_, *velocity_, contacts_, along_);
  take_difference(minus_, below + above, along_);
  return along_;
}

void StepJacobian::take_step(const model::State& end, const Eigen::Ref<const Eigen::MatrixXd>& dv,
                             Eigen::MatrixXd& tangents) const {
  const auto freedoms = equations_.freedoms();
  for (Index k = 0; k < tangents.cols(); ++k) {
    auto column = tangents.col(k);
    for (std::size_t i = 0; i < freedoms.size(); ++i) {
      const Index body = freedoms[i].body * kBodyTangent;
      const double change = dv(static_cast<Index>(i), k);
      const int axis = freedoms[i].axis;
      column[body + kLinear + axis] = change;
      if (axis < 3) column[body + kPosition + axis] += span_.h * change;
    }
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      if (!equations_.traits()[i].free_rotation) continue;
      const Index body = static_cast<Index>(i) * kBodyTangent;
      const Vec3 dw = span_.h * column.segment<3>(body + kAngular);
      auto turn = column.segment<3>(body + kRotation);
      if (model_.bodies[i].planar()) {
        turn += dw;
      } else {
        const Vec3 w = span_.h * end.bodies[i].velocity.angular;
        turn = rotation_of(w) * Vec3(turn) + left_jacobian(w) * dw;
      }
    }
    follow_drives(end, k, tangents);
  }
}

// Prescribed degrees of freedom change with the unknown as their functions of time do.
void StepJacobian::follow_drives(const model::State& end, Index k, Eigen::MatrixXd& tangents) const {
  const Direction& direction = directions_[static_cast<std::size_t>(k)];
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    if (!equations_.traits()[i].driven) continue;
    const Index body = static_cast<Index>(i) * kBodyTangent;
    Eigen::Matrix<double, kBodyTangent, 1> d = Eigen::Matrix<double, kBodyTangent, 1>::Zero();
    if (direction.low != nullptr) {
      model::BodyState low = end.bodies[i], high = low;
      model::apply_drive(direction.low->bodies[i].drive, span_.end_time, low);
      model::apply_drive(direction.high->bodies[i].drive, span_.end_time, high);
      d = difference(low, high) / (direction.below + direction.above);
    }
    const model::Drive& drive = model_.bodies[i].drive;
    for (int axis = 0; axis < 3; ++axis) {
      if (drive.translation[index(axis)])
        for (const int at : {kPosition + axis, kLinear + axis}) tangents(body + at, k) = d[at];
      if (drive.angle || drive.orientation)
        for (const int at : {kRotation + axis, kAngular + axis}) tangents(body + at, k) = d[at];
    }
  }
}

}  // namespace stickslip::sensitivity
