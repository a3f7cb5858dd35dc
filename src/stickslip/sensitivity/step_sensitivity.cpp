// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/step_sensitivity.h"

#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {
namespace {

using Eigen::Index;
using stepping::index;

// How far geometry is moved for a difference, relative to its size: the error of a central difference is its square.
constexpr double kDisplacement = 1e-5;
// A support point slower than this, relative to the fastest one, stands still: the body turns about it.
constexpr double kStandsStill = 1e-6;
constexpr double kSingular = 1e-10;  // pivot, relative to the largest

// (plus - minus) / width, in place of plus.
void take_difference(const StepEquations::Values& minus, double width, StepEquations::Values& plus) {
  plus.balance = (plus.balance - minus.balance) / width;
  plus.approach = (plus.approach - minus.approach) / width;
  plus.mu = (plus.mu - minus.mu) / width;
  plus.slip = (plus.slip - minus.slip) / width;
  plus.normal_impulse = (plus.normal_impulse - minus.normal_impulse) / width;
}

}  // namespace

StepSensitivity::StepSensitivity(const model::Model& model, const stepping::Method& method,
                                 std::span<const Direction> directions)
    : model_(model), directions_(directions.begin(), directions.end()), equations_(model, method) {
  linear_ = !equations_.end_geometry() && stepping::motion_model(method.motion) != stepping::MotionModel::QuasiStatic;
  for (const Direction& direction : directions_) {
    const bool varies = direction.low != nullptr;
    low_.push_back(varies ? std::make_unique<StepEquations>(*direction.low, method) : nullptr);
    high_.push_back(varies ? std::make_unique<StepEquations>(*direction.high, method) : nullptr);
  }
}

void StepSensitivity::advance(const model::State& before, const StepSpan& span, const stepping::World& world,
                              Eigen::MatrixXd& tangents) {
  const auto freedoms = equations_.freedoms();
  velocity_.resize(static_cast<Index>(freedoms.size()));
  for (std::size_t i = 0; i < freedoms.size(); ++i) {
    const model::Twist& v = world.state.bodies[index(freedoms[i].body)].velocity;
    velocity_[static_cast<Index>(i)] =
        freedoms[i].axis < 3 ? v.linear[freedoms[i].axis] : v.angular[freedoms[i].axis - 3];
  }
  list_contacts(span, world);
  if (equations_.supports() > 0) add_supports(before, span);
  equations_.evaluate(before, span, velocity_, contacts_, here_);
  const double speed = velocity_.size() > 0 ? velocity_.cwiseAbs().maxCoeff() : 0;
  balance_error_ = here_.balance.size() > 0 && speed > 0 ? here_.balance.cwiseAbs().maxCoeff() / speed : 0;
  keep_rows();
  differentiate_by_velocity(before, span);
  fill_matrix();
  right_.setZero(matrix_.rows(), tangents.cols());
  for (Index k = 0; k < tangents.cols(); ++k) fill_right_side(before, span, k, tangents);
  take_step(span, world, solve(), tangents);
}

void StepSensitivity::list_contacts(const StepSpan& span, const stepping::World& world) {
  contacts_.clear();
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const stepping::ContactMemory& memory = world.memory[c];
    if (!memory.touching) continue;
    ActiveContact active;
    active.contact = world.contacts[c];
    active.slides = memory.mode == contact::Mode::Slide;
    active.tangents = model_.dimension == 3 ? 2 : 1;
    contact::set_frame(active.contact.normal, model_.dimension, active.rows);
    for (int k = 0; k <= active.tangents; ++k) active.p[k] = span.h * memory.force.dot(active.rows.direction[k]);
    contacts_.push_back(active);
  }
}

// Friction of supports that slide follows from their slip; that of supports that stand still from the balance.
void StepSensitivity::add_supports(const model::State& before, const StepSpan& span) {
  const std::size_t first = contacts_.size();
  for (int s = 0; s < equations_.supports(); ++s) {
    ActiveContact active;
    active.support = s;
    active.tangents = 2;
    contacts_.push_back(active);
  }
  equations_.evaluate(before, span, velocity_, contacts_, here_);
  const auto slips = here_.slip.rightCols(equations_.supports());
  const double fastest = slips.colwise().norm().maxCoeff();
  std::vector<std::pair<std::size_t, int>> open;
  for (std::size_t c = first; c < contacts_.size(); ++c) {
    const auto column = static_cast<Index>(c);
    const Vec2 slip = here_.slip.col(column);
    ActiveContact& active = contacts_[c];
    active.p[0] = here_.normal_impulse[column];
    active.slides = slip.norm() > kStandsStill * fastest;
    for (int k = 1; k <= 2; ++k) {
      if (active.slides)
        active.p[k] = -here_.mu[column] * active.p[0] * slip[k - 1] / slip.norm();
      else
        open.emplace_back(c, k);
    }
  }
  if (open.empty()) return;
  equations_.evaluate(before, span, velocity_, contacts_, here_);
  Eigen::MatrixXd response(velocity_.size(), static_cast<Index>(open.size()));
  for (std::size_t i = 0; i < open.size(); ++i)
    equations_.response(open[i].first, open[i].second, response.col(static_cast<Index>(i)));
  const Eigen::VectorXd p = response.completeOrthogonalDecomposition().solve(here_.balance);
  for (std::size_t i = 0; i < open.size(); ++i) contacts_[open[i].first].p[open[i].second] = p[static_cast<Index>(i)];
}

// Of the solution, before other evaluations: what impulses do, and how large things are. Velocity per impulse of each
// contact makes all columns of the matrix alike; the largest lever is the size of things.
void StepSensitivity::keep_rows() {
  first_.clear();
  Index size = velocity_.size();
  for (const ActiveContact& active : contacts_) {
    first_.push_back(size);
    size += active.tangents + (active.support < 0 ? 1 : 0);
  }
  weight_.assign(contacts_.size(), 1.0);
  length_ = 0;
  response_.resize(velocity_.size(), size - velocity_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    Index column = first_[c] - velocity_.size();
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

void StepSensitivity::differentiate_by_velocity(const model::State& before, const StepSpan& span) {
  const Index n = velocity_.size(), m = static_cast<Index>(contacts_.size());
  balance_v_.setIdentity(n, n);
  approach_v_.setZero(m, n);
  slip_v_.setZero(2 * m, n);
  if (linear_) {
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const auto i = static_cast<Index>(c);
      if (contacts_[c].support < 0) approach_v_.row(i) = equations_.row(c, 0);
      for (int k = 1; k <= contacts_[c].tangents; ++k) slip_v_.row(2 * i + k - 1) = equations_.row(c, k);
    }
    return;
  }
  const auto freedoms = equations_.freedoms();
  Eigen::VectorXd v = velocity_;
  for (Index i = 0; i < n; ++i) {
    const double amount = kDisplacement * (freedoms[static_cast<std::size_t>(i)].axis < 3 ? length_ : 1.0) / span.h;
    v[i] = velocity_[i] - amount;
    equations_.evaluate(before, span, v, contacts_, minus_);
    v[i] = velocity_[i] + amount;
    equations_.evaluate(before, span, v, contacts_, plus_);
    v[i] = velocity_[i];
    take_difference(minus_, 2 * amount, plus_);
    balance_v_.col(i) = plus_.balance;
    approach_v_.col(i) = plus_.approach;
    for (Index c = 0; c < m; ++c) slip_v_.block<2, 1>(2 * c, i) = plus_.slip.col(c);
  }
}

// Impulses are unknowns in units of velocity, p weight.
void StepSensitivity::fill_matrix() {
  const Index n = velocity_.size(), size = n + response_.cols();
  matrix_.setZero(size, size);
  matrix_.topLeftCorner(n, n) = balance_v_;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ActiveContact& active = contacts_[c];
    const auto i = static_cast<Index>(c);
    const double w = weight_[c];
    Index row = first_[c];
    const Index normal = row, count = active.tangents + (active.support < 0 ? 1 : 0);
    matrix_.block(0, row, n, count) = -response_.middleCols(row - n, count) / w;
    if (active.support < 0) matrix_.block(row++, 0, 1, n) = approach_v_.row(i);
    const Vec2 slip = here_.slip.col(i);
    const double speed = slip.norm(), mu = here_.mu[i];
    if (!active.slides) {
      matrix_.block(row, 0, active.tangents, n) = slip_v_.middleRows(2 * i, active.tangents);
    } else if (active.tangents == 1) {
      matrix_(row, row) = 1;
      matrix_(row, normal) = active.p[1] > 0 ? -mu : mu;
    } else {
      const Vec2 t = slip / speed;
      const Eigen::Matrix2d turn = mu * active.p[0] * w / speed * (Eigen::Matrix2d::Identity() - t * t.transpose());
      matrix_.block<2, 2>(row, row).setIdentity();
      if (active.support < 0) matrix_.block<2, 1>(row, normal) = mu * t;
      matrix_.block(row, 0, 2, n) = turn * slip_v_.middleRows(2 * i, 2);
    }
  }
}

double StepSensitivity::amount_for(const Eigen::Ref<const Eigen::VectorXd>& direction, double h) const {
  double largest = 0;
  for (Index i = 0; i + kBodyTangent <= direction.size(); i += kBodyTangent) {
    largest = std::max(
        {largest, direction.segment<3>(i + kPosition).norm() / length_, direction.segment<3>(i + kRotation).norm(),
         h * direction.segment<3>(i + kLinear).norm() / length_, h * direction.segment<3>(i + kAngular).norm()});
  }
  return largest > 0 ? kDisplacement / largest : 0;
}

void StepSensitivity::differentiate_along(const model::State& before, const StepSpan& span, Index k,
                                          const Eigen::MatrixXd& tangents) {
  const auto i = static_cast<std::size_t>(k);
  const bool varies = low_[i] != nullptr;
  const double amount = varies ? 0 : amount_for(tangents.col(k), span.h);
  const double below = varies ? directions_[i].below : amount, above = varies ? directions_[i].above : amount;
  if (!(below + above > 0)) {
    along_ = here_;
    take_difference(here_, 1, along_);
    return;
  }
  move_along(before, tangents.col(k), -below, moved_);
  (varies ? *low_[i] : equations_).evaluate(moved_, span, velocity_, contacts_, minus_);
  move_along(before, tangents.col(k), above, moved_);
  (varies ? *high_[i] : equations_).evaluate(moved_, span, velocity_, contacts_, along_);
  take_difference(minus_, below + above, along_);
}

void StepSensitivity::fill_right_side(const model::State& before, const StepSpan& span, Index k,
                                      const Eigen::MatrixXd& tangents) {
  differentiate_along(before, span, k, tangents);
  auto right = right_.col(k);
  right.head(velocity_.size()) = -along_.balance;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ActiveContact& active = contacts_[c];
    const auto i = static_cast<Index>(c);
    Index row = first_[c];
    if (active.support < 0) right[row++] = -along_.approach[i];
    const Vec2 slip = here_.slip.col(i), change = along_.slip.col(i);
    const double w = weight_[c], mu = here_.mu[i];
    const double limit = w * (active.p[0] * along_.mu[i] + mu * along_.normal_impulse[i]);  // d(mu p_n), p_n apart
    if (!active.slides) {
      right.segment(row, active.tangents) = -change.head(active.tangents);
    } else if (active.tangents == 1) {
      right[row] = active.p[1] > 0 ? limit : -limit;
    } else {
      const double speed = slip.norm();
      const Vec2 t = slip / speed;
      right.segment<2>(row) = -limit * t - mu * active.p[0] * w / speed * (change - t * t.dot(change));
    }
  }
}

Eigen::MatrixXd StepSensitivity::solve() const {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(matrix_);
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (pivots.size() == 0 || pivots.minCoeff() > kSingular * pivots.maxCoeff()) return lu.solve(right_);
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(kSingular);
  decomposition.compute(matrix_);
  return decomposition.solve(right_);
}

void StepSensitivity::take_step(const StepSpan& span, const stepping::World& world, const Eigen::MatrixXd& change,
                                Eigen::MatrixXd& tangents) const {
  const std::size_t n = model_.bodies.size();
  const auto freedoms = equations_.freedoms();
  for (Index k = 0; k < tangents.cols(); ++k) {
    auto column = tangents.col(k);
    for (std::size_t i = 0; i < freedoms.size(); ++i) {
      const Index body = freedoms[i].body * kBodyTangent;
      const double dv = change(static_cast<Index>(i), k);
      const int axis = freedoms[i].axis;
      column[body + (axis < 3 ? kLinear + axis : kAngular + axis - 3)] = dv;
      if (axis < 3) column[body + kPosition + axis] += span.h * dv;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!equations_.traits()[i].free_rotation) continue;
      const Index body = static_cast<Index>(i) * kBodyTangent;
      const Vec3 w = span.h * world.state.bodies[i].velocity.angular;
      const Vec3 dw = span.h * column.segment<3>(body + kAngular);
      auto turn = column.segment<3>(body + kRotation);
      if (model_.bodies[i].planar())
        turn += dw;
      else
        turn = rotation_of(w) * Vec3(turn) + left_jacobian(w) * dw;
    }
    follow_drives(span, world, k, tangents);
  }
}

// Prescribed degrees of freedom change with the unknown as their functions of time do.
void StepSensitivity::follow_drives(const StepSpan& span, const stepping::World& world, Index k,
                                    Eigen::MatrixXd& tangents) const {
  const Direction& direction = directions_[static_cast<std::size_t>(k)];
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    if (!equations_.traits()[i].driven) continue;
    const Index body = static_cast<Index>(i) * kBodyTangent;
    Eigen::Matrix<double, kBodyTangent, 1> d = Eigen::Matrix<double, kBodyTangent, 1>::Zero();
    if (direction.low != nullptr) {
      model::BodyState low = world.state.bodies[i], high = low;
      model::apply_drive(direction.low->bodies[i].drive, span.end_time, low);
      model::apply_drive(direction.high->bodies[i].drive, span.end_time, high);
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
