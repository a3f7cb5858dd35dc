// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/step_jacobian.h"

#include "stickslip/sensitivity/plane_contact.h"
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

// Sum of the columns at these places times changes. R rows, known to the compiler.
template <int R>
void sum_columns(const double* columns, const std::vector<Index>& places, const double* change, double* to) {
  double sum[R] = {};
  for (const Index place : places) {
    const double *column = columns + place * R, amount = change[place];
    for (int i = 0; i < R; ++i) sum[i] += amount * column[i];
  }
  std::copy_n(sum, R, to);
}

}  // namespace

StepJacobian::StepJacobian(const model::Model& model, const stepping::Method& method,
                           std::span<const Direction> directions)
    : model_(model),
      directions_(directions.begin(), directions.end()),
      prescribed_(model, directions_),
      equations_(model, method),
      slopes_(equations_),
      covered_(StepSlopes::cover(model, method)) {
  linear_ = !equations_.end_geometry() && method.motion != stepping::MotionModel::QuasiStatic;
  for (const Direction& direction : directions_) {
    const bool varies = direction.low != nullptr;
    low_.push_back(varies ? std::make_unique<StepEquations>(*direction.low, method) : nullptr);
    high_.push_back(varies ? std::make_unique<StepEquations>(*direction.high, method) : nullptr);
    by_slopes_.push_back(covered_ && !direction.enters_model());
  }
  any_by_slopes_ = std::ranges::find(by_slopes_, true) != by_slopes_.end();
  all_by_slopes_ = covered_ && std::ranges::find(by_slopes_, false) == by_slopes_.end();
  list_moves();
}

void StepJacobian::list_moves() {
  moves_.assign(model_.bodies.size() * kBodyTangent, false);
  const auto mark = [&](int body, int place) { moves_[index(body * kBodyTangent + place)] = true; };
  for (const Freedom& f : equations_.freedoms()) mark(f.body, kPosition + f.axis);
  for (std::size_t k = 0; k < directions_.size(); ++k)
    for (const DriveChange& change : prescribed_.of(k))
      for (int axis = 0; axis < 3; ++axis) {
        if (change.translation[axis]) mark(change.body, kPosition + axis);
        if (change.rotation && (model_.dimension == 3 || axis == 2)) mark(change.body, kRotation + axis);
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
  const auto bends = [&](const ActiveContact& one) {
    return one.support >= 0 || PlaneContact::bends(model_, equations_.traits(), one.contact.id, equations_.terms().at);
  };
  plain_ = linear_ || (covered_ && std::ranges::none_of(contacts, bends));
  if (any_by_slopes_) {  // before other evaluations
    slopes_.evaluate(span, length_, contacts, moves_);
    changing_.clear();
    for (Index j = 0; j < slopes_.matrix().cols(); ++j)
      if (!slopes_.matrix().col(j).isZero(0)) changing_.push_back(j);
  }
  differentiate_by_velocity();
}

// What impulses do, and how large the contacts are. Velocity per impulse of each contact makes all columns of a matrix
// alike.
void StepJacobian::list_rows() {
  const Index n = freedoms();
  first_.clear();
  size_ = n;
  for (const ActiveContact& active : contacts_) {
    first_.push_back(size_);
    size_ += active.row_count();
  }
  weight_.assign(contacts_.size(), 1.0);
  length_ = 0;
  response_.resize(n, size_ - n);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const contact::ContactRows& rows = equations_.terms().rows[c];
    Index column = first_[c] - n;
    double sum = 0;
    for (int k = contacts_[c].first_row(); k <= contacts_[c].tangents; ++k, ++column) {
      equations_.response(c, k, response_.col(column));
      if (k == 0) continue;
      row_.setZero(1, n);
      equations_.put_row(c, k, row_, 0);
      sum += row_.row(0).dot(response_.col(column));
      length_ = std::max({length_, rows.moment_a[k].norm(), rows.moment_b[k].norm()});
    }
    if (sum > 0) weight_[c] = sum / contacts_[c].tangents;
  }
  if (!(length_ > 0)) length_ = 1;
}

// Rows that do not turn: approach and slip change with v+ as the rows have it.
void StepJacobian::take_rows() {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const auto i = static_cast<Index>(c);
    if (contacts_[c].support < 0) equations_.put_row(c, 0, approach_v_, i);
    for (int k = 1; k <= contacts_[c].tangents; ++k) equations_.put_row(c, k, slip_v_, 2 * i + k - 1);
  }
}

void StepJacobian::differentiate_by_velocity() {
  const Index n = freedoms(), m = std::ssize(contacts_);
  balance_v_.setIdentity(n, n);
  approach_v_.setZero(m, n);
  slip_v_.setZero(2 * m, n);
  if (plain_ || all_by_slopes_) take_rows();
  if (plain_) return;
  const auto freedoms = equations_.freedoms();
  if (all_by_slopes_) {
    for (Index i = 0; i < n; ++i) {
      const Eigen::VectorXd slope = slopes_.by_velocity(span_, freedoms[static_cast<std::size_t>(i)]);
      balance_v_.col(i) += slope.head(n);
      for (Index c = 0; c < m; ++c) {
        approach_v_(c, i) = slope[n + 3 * c];
        slip_v_.block<2, 1>(2 * c, i) += slope.segment<2>(n + 3 * c + 1);
      }
    }
    return;
  }
  moved_velocity_ = *velocity_;
  for (Index i = 0; i < n; ++i) {
    const double amount = kDisplacement * (freedoms[static_cast<std::size_t>(i)].axis < 3 ? length_ : 1.0) / span_.h;
    const double here = (*velocity_)[i];
    moved_velocity_[i] = here - amount;
    equations_.evaluate(*before_, span_, moved_velocity_, contacts_, minus_);
    moved_velocity_[i] = here + amount;
    equations_.evaluate(*before_, span_, moved_velocity_, contacts_, plus_);
    moved_velocity_[i] = here;
    balance_v_.col(i) = (plus_.balance - minus_.balance) / (2 * amount);
    approach_v_.col(i) = (plus_.approach - minus_.approach) / (2 * amount);
    for (Index c = 0; c < m; ++c)
      slip_v_.block<2, 1>(2 * c, i) = (plus_.slip.col(c) - minus_.slip.col(c)) / (2 * amount);
  }
}

std::pair<double, double> StepJacobian::amounts(Index k, const Eigen::Ref<const Eigen::VectorXd>& tangent) const {
  const auto i = static_cast<std::size_t>(k);
  if (low_[i] != nullptr) return {directions_[i].below, directions_[i].above};
  double largest = 0;
  for (Index at = 0; at + kBodyTangent <= tangent.size(); at += kBodyTangent) {
    const auto d = tangent.segment<kBodyTangent>(at);
    largest = std::max({largest, d.segment<3>(kPosition).norm() / length_, d.segment<3>(kRotation).norm(),
                        span_.h * d.segment<3>(kLinear).norm() / length_, span_.h * d.segment<3>(kAngular).norm()});
  }
  const double amount = largest > 0 ? kDisplacement / largest : 0;
  return {amount, amount};
}

StepEquations& StepJacobian::evaluate_beside(Index k, double amount, const Eigen::Ref<const Eigen::VectorXd>& tangent,
                                             const Eigen::VectorXd& velocity, std::span<const ActiveContact> contacts,
                                             StepEquations::Values& values) {
  const auto i = static_cast<std::size_t>(k);
  const bool lower = std::signbit(amount);  // -0: as far as it goes down
  StepEquations& equations = low_[i] == nullptr ? equations_ : lower ? *low_[i] : *high_[i];
  move_along(*before_, tangent, amount, moved_);
  equations.evaluate(moved_, span_, velocity, contacts, values);
  return equations;
}

const Eigen::MatrixXd& StepJacobian::along(const model::State& end, Eigen::MatrixXd& tangents) {
  along_.setZero(freedoms() + 5 * std::ssize(contacts_), tangents.cols());
  for (Index k = 0; k < tangents.cols(); ++k) {
    if (!by_slopes_[static_cast<std::size_t>(k)]) {
      take_difference(k, tangents);
      continue;
    }
    prescribed_.put(end, k, tangents);
    take_slopes(k, tangents);
  }
  return along_;
}

void StepJacobian::take_slopes(Index k, const Eigen::MatrixXd& tangents) {
  const Eigen::MatrixXd& slopes = slopes_.matrix();
  const double* change = tangents.data() + k * tangents.rows();
  double* sum = along_.data() + k * along_.rows();
  switch (slopes.rows()) {
    case 6: return sum_columns<6>(slopes.data(), changing_, change, sum);  // a planar body, a particle in space
    case 9: return sum_columns<9>(slopes.data(), changing_, change, sum);  // a body in space
    default:
      for (const Index place : changing_) along_.col(k).head(slopes.rows()) += change[place] * slopes.col(place);
  }
}

void StepJacobian::take_difference(Index k, const Eigen::MatrixXd& tangents) {
  const auto [below, above] = amounts(k, tangents.col(k));
  const double width = below + above;
  if (!(width > 0)) return;
  evaluate_beside(k, -below, tangents.col(k), *velocity_, contacts_, minus_);
  evaluate_beside(k, above, tangents.col(k), *velocity_, contacts_, plus_);
  const Index n = freedoms(), m = std::ssize(contacts_);
  auto column = along_.col(k);
  column.head(n) = (plus_.balance - minus_.balance) / width;
  for (Index c = 0; c < m; ++c) {
    column[n + 3 * c] = (plus_.approach[c] - minus_.approach[c]) / width;
    column.segment<2>(n + 3 * c + 1) = (plus_.slip.col(c) - minus_.slip.col(c)) / width;
  }
  column.segment(n + 3 * m, m) = (plus_.mu - minus_.mu) / width;
  column.tail(m) = (plus_.normal_impulse - minus_.normal_impulse) / width;
}

void StepJacobian::take_step(const model::State& end, const Eigen::Ref<const Eigen::MatrixXd>& dv,
                             Eigen::MatrixXd& tangents) const {
  const auto freedoms = equations_.freedoms();
  for (Index k = 0; k < tangents.cols(); ++k) {
    double* column = tangents.data() + k * tangents.rows();
    for (std::size_t i = 0; i < freedoms.size(); ++i) {
      const Index body = freedoms[i].body * kBodyTangent;
      const double change = dv(static_cast<Index>(i), k);
      const int axis = freedoms[i].axis;
      column[body + kLinear + axis] = change;
      if (axis < 3) column[body + kPosition + axis] += span_.h * change;
    }
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      if (!equations_.traits()[i].free_rotation) continue;
      auto d = tangents.col(k).segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent);
      turn_tangent(span_.h * end.bodies[i].velocity.angular, span_.h * d.segment<3>(kAngular),
                   model_.bodies[i].planar(), d.segment<3>(kRotation));
    }
    if (!by_slopes_[static_cast<std::size_t>(k)]) prescribed_.put(end, k, tangents);
  }
}

}  // namespace stickslip::sensitivity
