// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/prescribed_changes.h"

#include "stickslip/motion/prescribed_motion.h"
#include "stickslip/motion/prescribed_rotation.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/sensitivity/tangent_rows.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace stickslip::sensitivity {

using Eigen::Index;
using stepping::index;

PrescribedChanges::PrescribedChanges(const model::Model& model, std::span<const Direction> directions)
    : model_(model), directions_(directions) {
  for (Known& one : known_) one.time = std::numeric_limits<double>::quiet_NaN();
  for (const Direction& direction : directions) {
    changes_.push_back(direction.low == nullptr ? std::vector<DriveChange>()
                                                : drive_changes(*direction.low, *direction.high));
    for (const DriveChange& change : changes_.back()) bodies_.push_back(change.body);
  }
  std::ranges::sort(bodies_);
  bodies_.erase(std::ranges::unique(bodies_).begin(), bodies_.end());
  for (std::size_t k = 0; k < changes_.size(); ++k)
    for (const DriveChange& change : changes_[k]) list(k, change);
}

void PrescribedChanges::list(std::size_t k, const DriveChange& change) {
  const Direction& direction = directions_[k];
  const auto i = index(change.body);
  const auto column = static_cast<Index>(k);
  const Index first = (std::ranges::lower_bound(bodies_, change.body) - bodies_.begin()) * kBodyTangent;
  const model::Drive &low = direction.low->bodies[i].drive, &high = direction.high->bodies[i].drive;
  const double per = 1 / direction.width();
  for (int axis = 0; axis < 3; ++axis) {
    if (!change.translation[axis]) continue;
    const auto a = motion::closed_form_of(low.translation[index(axis)]),
               b = motion::closed_form_of(high.translation[index(axis)]);
    if (a && b) {
      forms_.add((*b + *a * -1.0) * per);
      closed_.push_back({first + axis, column, Vec3::Zero()});
    } else {
      open_.push_back({first, column, i, axis});
    }
  }
  if (!change.rotation) return;
  std::optional<motion::ClosedForm> angle;
  Vec3 axis = Vec3::UnitZ();
  if (low.orientation) {
    const auto a = motion::closed_rotation_of(low.orientation), b = motion::closed_rotation_of(high.orientation);
    if (a && b && a->axis == b->axis && a->start.coeffs() == b->start.coeffs()) {
      angle = b->angle + a->angle * -1.0;
      axis = a->axis;
    }
  } else {
    const auto a = motion::closed_form_of(low.angle), b = motion::closed_form_of(high.angle);
    if (a && b) angle = *b + *a * -1.0;
  }
  if (!angle) {
    open_.push_back({first, column, i, 3});
    return;
  }
  forms_.add(*angle * per);
  closed_.push_back({first + kRotation, column, axis});
}

void PrescribedChanges::clear(Eigen::Ref<Eigen::VectorXd> tangent) const {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const model::Drive& drive = model_.bodies[i].drive;
    auto d = tangent.segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent);
    for (int axis = 0; axis < 3; ++axis)
      if (drive.translation[index(axis)]) d[kPosition + axis] = d[kLinear + axis] = 0;
    if (!drive.angle && !drive.orientation) continue;
    d.segment<3>(kRotation).setZero();
    d.segment<3>(kAngular).setZero();
  }
}

// What has no closed form. `here`: the model's own, evaluated when first asked for.
void PrescribedChanges::evaluate(const Open& open, double time, model::BodyState& here, bool& known,
                                 Columns& rows) const {
  const Direction& direction = directions_[static_cast<std::size_t>(open.column)];
  const double width = direction.width();
  const auto own = [&]() -> const model::BodyState& {
    if (!known) model::apply_drive(model_.bodies[open.body].drive, time, here);
    known = true;
    return here;
  };
  const auto at = [&](const model::Model& model, bool apart) {
    if (!apart) return own();
    model::BodyState state;
    const model::Drive& drive = model.bodies[open.body].drive;
    if (open.axis < 3) {
      const model::TimeJet jet = drive.translation[index(open.axis)](time);
      state.pose.position[open.axis] = jet.value;
      state.velocity.linear[open.axis] = jet.rate;
    } else if (drive.orientation) {
      const model::OrientationJet jet = drive.orientation(time);
      state.pose.orientation = jet.orientation;
      state.velocity.angular = jet.angular_velocity;
    } else {
      const model::TimeJet jet = drive.angle(time);
      state.pose.orientation = Quat(std::cos(0.5 * jet.value), 0, 0, std::sin(0.5 * jet.value));
      state.velocity.angular = Vec3(0, 0, jet.rate);
    }
    return state;
  };
  const model::BodyState low = at(*direction.low, direction.below > 0), high = at(*direction.high, direction.above > 0);
  const auto change = difference(low, high);
  const int value = open.axis < 3 ? kPosition + open.axis : kRotation, rate = open.axis < 3 ? kLinear + open.axis : kAngular;
  for (int i = 0; i < (open.axis < 3 ? 1 : 3); ++i) {
    rows(open.row + value + i, open.column) = change[value + i] / width;
    rows(open.row + rate + i, open.column) = change[rate + i] / width;
  }
}

void PrescribedChanges::evaluate(double time, Columns& rows) const {
  rows.setZero(std::ssize(bodies_) * kBodyTangent, std::ssize(directions_));
  forms_.evaluate(time, [&](std::size_t which, double value, double rate) {
    const Closed& to = closed_[which];
    constexpr int kRate = kLinear - kPosition;
    static_assert(kAngular - kRotation == kRate);
    if (to.axis.isZero(0)) {
      rows(to.row, to.column) += value;
      rows(to.row + kRate, to.column) += rate;
      return;
    }
    for (int i = 0; i < 3; ++i) {
      rows(to.row + i, to.column) += value * to.axis[i];
      rows(to.row + kRate + i, to.column) += rate * to.axis[i];
    }
  });
  if (open_.empty()) return;
  std::vector<model::BodyState> here(bodies_.size());
  std::vector<char> known(bodies_.size(), 0);
  for (const Open& open : open_) {
    const auto body = static_cast<std::size_t>(open.row / kBodyTangent);
    bool is_known = known[body] != 0;
    evaluate(open, time, here[body], is_known, rows);
    known[body] = is_known ? 1 : 0;
  }
}

const PrescribedChanges::Columns& PrescribedChanges::at(double time) const {
  for (const Known& one : known_)
    if (one.time == time) return one.rows;
  Known& one = known_[next_];
  next_ = (next_ + 1) % known_.size();
  one.time = time;
  evaluate(time, one.rows);
  return one.rows;
}

void PrescribedChanges::give(int body, double time, const model::BodyState& at, std::span<const Index> unknowns,
                             const double* later, std::ptrdiff_t width, double* to) const {
  const auto found = std::ranges::lower_bound(bodies_, body);
  if (found != bodies_.end() && *found == body) {
    const Columns& changes = this->at(time);
    const Index first = (found - bodies_.begin()) * kBodyTangent;
    for (Index row = 0; row < kBodyTangent; ++row)
      for (std::size_t k = 0; k < unknowns.size(); ++k)
        to[row * width + static_cast<Index>(k)] = changes(first + row, unknowns[k]);
  }
  if (later == nullptr) return;
  const model::Drive& drive = model_.bodies[index(body)].drive;
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

void PrescribedChanges::put(const model::State& now, Index k, Eigen::MatrixXd& tangents) const {
  if (changes_[static_cast<std::size_t>(k)].empty()) return;
  const Columns& rows = at(now.time);
  for (const DriveChange& change : changes_[static_cast<std::size_t>(k)]) {
    const Index from = (std::ranges::lower_bound(bodies_, change.body) - bodies_.begin()) * kBodyTangent,
                to = static_cast<Index>(change.body) * kBodyTangent;
    for (int axis = 0; axis < 3; ++axis)
      for (const int row : {kPosition + axis, kLinear + axis})
        if (change.translation[axis]) tangents(to + row, k) = rows(from + row, k);
    for (int row = 0; row < 3 && change.rotation; ++row)
      for (const int part : {kRotation + row, kAngular + row}) tangents(to + part, k) = rows(from + part, k);
  }
}

}  // namespace stickslip::sensitivity
