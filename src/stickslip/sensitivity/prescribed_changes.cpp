// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/prescribed_changes.h"

#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <cmath>
#include <utility>

namespace stickslip::sensitivity {

using Eigen::Index;
using stepping::index;

PrescribedChanges::PrescribedChanges(const model::Model& model, std::span<const Direction> directions)
    : model_(model), directions_(directions) {
  for (const Direction& direction : directions)
    changes_.push_back(direction.low == nullptr ? std::vector<DriveChange>()
                                                : drive_changes(*direction.low, *direction.high));
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

void PrescribedChanges::put(const model::State& now, Index k, Eigen::MatrixXd& tangents) const {
  const Direction& direction = directions_[static_cast<std::size_t>(k)];
  const double width = direction.width();
  for (const DriveChange& change : changes_[static_cast<std::size_t>(k)]) {
    const auto i = index(change.body);
    const Index first = static_cast<Index>(i) * kBodyTangent;
    const model::Drive &low = direction.low->bodies[i].drive, &high = direction.high->bodies[i].drive;
    const model::BodyState& here = now.bodies[i];
    for (int axis = 0; axis < 3; ++axis) {
      if (!change.translation[axis]) continue;
      const auto at = [&](const model::Drive& drive, bool apart) -> std::pair<double, double> {
        if (!apart) return {here.pose.position[axis], here.velocity.linear[axis]};
        const model::TimeJet jet = drive.translation[index(axis)](now.time);
        return {jet.value, jet.rate};
      };
      const auto below = at(low, direction.below > 0), above = at(high, direction.above > 0);
      tangents(first + kPosition + axis, k) = (above.first - below.first) / width;
      tangents(first + kLinear + axis, k) = (above.second - below.second) / width;
    }
    if (!change.rotation) continue;
    const auto turned = [&](const model::Drive& drive, bool apart) {
      model::BodyState state = here;
      if (apart && drive.orientation) {
        const model::OrientationJet jet = drive.orientation(now.time);
        state.pose.orientation = jet.orientation;
        state.velocity.angular = jet.angular_velocity;
      } else if (apart) {
        const model::TimeJet jet = drive.angle(now.time);
        state.pose.orientation = Quat(std::cos(0.5 * jet.value), 0, 0, std::sin(0.5 * jet.value));
        state.velocity.angular = Vec3(0, 0, jet.rate);
      }
      return state;
    };
    const auto turn = difference(turned(low, direction.below > 0), turned(high, direction.above > 0));
    tangents.block<3, 1>(first + kRotation, k) = turn.segment<3>(kRotation) / width;
    tangents.block<3, 1>(first + kAngular, k) = turn.segment<3>(kAngular) / width;
  }
}

}  // namespace stickslip::sensitivity
