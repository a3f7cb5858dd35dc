// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The part of StepSensitivity for unknowns that move prescribed bodies and the start only: their right sides
//
//     -F_s ds,      ds = tangents at the start; prescribed degrees of freedom as they change at the end of the step
//
// come from one matrix of slopes for all of them (step_equations.h).
#include "stickslip/sensitivity/step_sensitivity.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {

using Eigen::Index;
using stepping::index;

namespace {

// right = sum of columns times changes at their places. R rows, known to the compiler.
template <int R>
void sum_columns(const double* columns, const std::vector<Index>& places, const double* change, double* right) {
  double sum[R] = {};
  for (const Index place : places) {
    const double amount = change[place];
    for (int i = 0; i < R; ++i) sum[i] += amount * columns[i];
    columns += R;
  }
  for (int i = 0; i < R; ++i) right[i] = sum[i];
}

}  // namespace

void StepSensitivity::list_prescribed() {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const model::Drive& drive = model_.bodies[i].drive;
    const Index body = static_cast<Index>(i) * kBodyTangent;
    for (int axis = 0; axis < 3; ++axis) {
      if (!drive.translation[index(axis)]) continue;
      prescribed_.emplace_back(body + kPosition + axis, 1);
      prescribed_.emplace_back(body + kLinear + axis, 1);
    }
    if (!drive.angle && !drive.orientation) continue;
    prescribed_.emplace_back(body + kRotation, 3);
    prescribed_.emplace_back(body + kAngular, 3);
  }
}

void StepSensitivity::list_moves() {
  moves_.assign(model_.bodies.size() * kBodyTangent, false);
  for (const Freedom& f : equations_.freedoms())
    moves_[index(f.body) * kBodyTangent + index(f.axis < 3 ? kPosition + f.axis : kRotation + f.axis - 3)] = true;
  for (const auto& changes : drive_changes_)
    for (const DriveChange& change : changes)
      for (int axis = 0; axis < 3; ++axis) {
        if (change.translation[axis]) moves_[index(change.body) * kBodyTangent + index(kPosition + axis)] = true;
        const bool turns = model_.dimension == 3 || axis == 2;
        if (change.rotation && turns) moves_[index(change.body) * kBodyTangent + index(kRotation + axis)] = true;
      }
}

bool StepSensitivity::serves(std::span<const Direction> directions) const {
  return std::ranges::equal(directions, directions_, [](const Direction& a, const Direction& b) {
    return a.low == nullptr && b.low == nullptr && a.start.size() == b.start.size() && a.start == b.start;
  });
}

void StepSensitivity::begin(Eigen::MatrixXd& tangents) {
  contacts_.clear();
  share_open_ = forces_open_ = motion_open_ = false;
  for (std::size_t k = 0; k < directions_.size(); ++k)
    for (const auto& [first, size] : prescribed_)
      if (directions_[k].low == nullptr) tangents.col(static_cast<Index>(k)).segment(first, size).setZero();
}

// Derivatives by v+ from the slopes: rows at the end of the step turn with h v+, and in space by the mean of that turn.
void StepSensitivity::take_velocity_slopes(const StepSpan& span) {
  const Index n = velocity_.size(), m = static_cast<Index>(contacts_.size());
  balance_v_.setIdentity(n, n);
  approach_v_.setZero(m, n);
  slip_v_.setZero(2 * m, n);
  plain_ = std::ranges::none_of(contacts_, [&](const ActiveContact& one) { return equations_.bends(one); });
  if (plain_) {
    put_rows();
    return;
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    for (int k = 1; k <= contacts_[c].tangents; ++k)
      equations_.put_row(c, k, slip_v_, 2 * static_cast<Index>(c) + k - 1);
  const auto freedoms = equations_.freedoms();
  for (Index i = 0; i < n; ++i) {
    const Freedom& f = freedoms[static_cast<std::size_t>(i)];
    const Index first = f.body * kBodyTangent + (f.axis < 3 ? kPosition : kRotation);
    Vec3 change = Vec3::Unit(f.axis % 3);
    if (f.axis >= 3 && !model_.bodies[index(f.body)].planar())
      change = left_jacobian(-span.h * equations_.at().bodies[index(f.body)].velocity.angular).col(f.axis - 3);
    const auto slope = [&](Index line) { return span.h * slopes_.block<1, 3>(line, first).dot(change.transpose()); };
    for (Index j = 0; j < n; ++j) balance_v_(j, i) += slope(j);
    for (Index c = 0; c < m; ++c) {
      approach_v_(c, i) = slope(n + 3 * c);
      for (Index k = 0; k < 2; ++k) slip_v_(2 * c + k, i) += slope(n + 3 * c + 1 + k);
    }
  }
}

// Right sides of all quick directions at once: the laws of friction are put into the slopes. The tangents have the
// prescribed degrees of freedom at the end of the step already.
void StepSensitivity::fill_quick(const Eigen::MatrixXd& tangents) {
  const Index n = velocity_.size();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ActiveContact& active = contacts_[c];
    const Index slip = n + 3 * static_cast<Index>(c) + 1;
    if (!active.slides) continue;
    if (active.tangents == 1) {
      slopes_.row(slip).setZero();
      continue;
    }
    const Vec2 u = here_.slip.col(static_cast<Index>(c)), t = u / u.norm();
    const double factor = here_.mu[static_cast<Index>(c)] * active.p[0] * weight_[c] / u.norm();
    for (Index j = 0; j < slopes_.cols(); ++j) {
      const Vec2 change(slopes_(slip, j), slopes_(slip + 1, j));
      const Vec2 turned = factor * (change - t * t.dot(change));
      slopes_(slip, j) = turned[0];
      slopes_(slip + 1, j) = turned[1];
    }
  }
  // What each change does to all rows, column by column; most changes do nothing.
  const Index rows = right_.rows();
  thread_local std::vector<double> columns;
  thread_local std::vector<Index> places;
  columns.resize(static_cast<std::size_t>(rows * slopes_.cols()));
  places.clear();
  double* at = columns.data();
  for (Index j = 0; j < slopes_.cols(); ++j) {
    const double* slope = slopes_.data() + j;
    double* to = at;
    double sum = 0;
    const auto put = [&](Index line) {
      *to = -slope[line * slopes_.cols()];
      sum += std::fabs(*to++);
    };
    for (Index line = 0; line < n; ++line) put(line);
    for (std::size_t c = 0; c < contacts_.size(); ++c)
      for (int i = 0; i <= contacts_[c].tangents; ++i) put(n + 3 * static_cast<Index>(c) + i);
    if (sum == 0) continue;
    places.push_back(j);
    at = to;
  }
  for (const Index k : quick_) {
    const double* change = tangents.data() + k * tangents.rows();
    double* right = right_.data() + k * rows;
    switch (rows) {
      case 5: sum_columns<5>(columns.data(), places, change, right); break;  // a disc on one contact
      case 6: sum_columns<6>(columns.data(), places, change, right); break;  // a particle in space
      case 9: sum_columns<9>(columns.data(), places, change, right); break;  // a body in space
      default:
        for (std::size_t j = 0; j < places.size(); ++j)
          for (Index i = 0; i < rows; ++i)
            right[i] += change[places[j]] * columns[j * static_cast<std::size_t>(rows) + static_cast<std::size_t>(i)];
    }
  }
}

// Prescribed degrees of freedom change with the unknown as their functions of time do.
void StepSensitivity::differentiate_drives(const StepSpan& span, const stepping::World& world, Index column,
                                           Eigen::MatrixXd& drives) const {
  const Direction& direction = directions_[static_cast<std::size_t>(column)];
  const double width = direction.below + direction.above;
  for (const DriveChange& change : drive_changes_[static_cast<std::size_t>(column)]) {
    const auto i = index(change.body);
    const Index first = static_cast<Index>(i) * kBodyTangent;
    const model::Drive &low = direction.low->bodies[i].drive, &high = direction.high->bodies[i].drive;
    const model::BodyState& here = world.state.bodies[i];
    for (int axis = 0; axis < 3; ++axis) {
      if (!change.translation[axis]) continue;
      const auto at = [&](const model::Drive& drive, bool apart) -> std::pair<double, double> {
        if (!apart) return {here.pose.position[axis], here.velocity.linear[axis]};
        const model::TimeJet jet = drive.translation[index(axis)](span.end_time);
        return {jet.value, jet.rate};
      };
      const auto below = at(low, direction.below > 0), above = at(high, direction.above > 0);
      drives(first + kPosition + axis, column) = (above.first - below.first) / width;
      drives(first + kLinear + axis, column) = (above.second - below.second) / width;
    }
    if (!change.rotation) continue;
    const auto turned = [&](const model::Drive& drive, bool apart) {
      model::BodyState state = here;
      if (apart && drive.orientation) {
        const model::OrientationJet jet = drive.orientation(span.end_time);
        state.pose.orientation = jet.orientation;
        state.velocity.angular = jet.angular_velocity;
      } else if (apart) {
        const model::TimeJet jet = drive.angle(span.end_time);
        state.pose.orientation = Quat(std::cos(0.5 * jet.value), 0, 0, std::sin(0.5 * jet.value));
        state.velocity.angular = Vec3(0, 0, jet.rate);
      }
      return state;
    };
    const auto turn = difference(turned(low, direction.below > 0), turned(high, direction.above > 0));
    drives.block<3, 1>(first + kRotation, column) = turn.segment<3>(kRotation) / width;
    drives.block<3, 1>(first + kAngular, column) = turn.segment<3>(kAngular) / width;
  }
}

}  // namespace stickslip::sensitivity
