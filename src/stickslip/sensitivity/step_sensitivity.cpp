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
constexpr double kDoubtful = 1e-8;   // likewise, where rows are differences

// (plus - minus) / width, in place of plus.
void take_difference(const StepEquations::Values& minus, double width, StepEquations::Values& plus) {
  plus.balance = (plus.balance - minus.balance) / width;
  plus.approach = (plus.approach - minus.approach) / width;
  plus.mu = (plus.mu - minus.mu) / width;
  plus.slip = (plus.slip - minus.slip) / width;
  plus.normal_impulse = (plus.normal_impulse - minus.normal_impulse) / width;
}

// As many velocities as impulses, a particle on one contact: all sizes are known to the compiler.
//     p = S^-1 (b - R a),   v = a - T p        with [a; b] the right side and [1 T; R .] the matrix
template <int M>
void solve_square(const Eigen::MatrixXd& matrix, const Eigen::Matrix<double, M, M>& inverse, Eigen::MatrixXd& right) {
  const Eigen::Matrix<double, M, M> push = matrix.topRightCorner<M, M>();
  const Eigen::Matrix<double, M, M> by_velocity = inverse * matrix.bottomLeftCorner<M, M>();
  double* column = right.data();
  for (Index k = 0; k < right.cols(); ++k, column += 2 * M) {
    Eigen::Map<Eigen::Matrix<double, M, 1>> top(column), bottom(column + M);
    const Eigen::Matrix<double, M, 1> impulse = inverse * bottom - by_velocity * top;
    bottom = impulse;
    top -= push * impulse;
  }
}

}  // namespace

StepSensitivity::StepSensitivity(const model::Model& model, const stepping::Method& method,
                                 std::span<const Direction> directions)
    : model_(model), directions_(directions.begin(), directions.end()), equations_(model, method) {
  linear_ = !equations_.end_geometry() && method.motion != stepping::MotionModel::QuasiStatic;
  for (const Direction& direction : directions_) {
    const bool varies = direction.low != nullptr;
    low_.push_back(varies ? std::make_unique<StepEquations>(*direction.low, method) : nullptr);
    high_.push_back(varies ? std::make_unique<StepEquations>(*direction.high, method) : nullptr);
  }
  list_prescribed();
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const Direction& direction = directions_[k];
    drive_changes_.push_back(direction.low == nullptr ? std::vector<DriveChange>()
                                                      : drive_changes(*direction.low, *direction.high));
    const bool motion_only = direction.low == nullptr || direction.drives_only;
    if (!equations_.knows_slopes() || !motion_only)
      slow_.push_back(static_cast<Index>(k));
    else if (!drive_changes_.back().empty() || !direction.start.isZero(0))
      quick_.push_back(static_cast<Index>(k));  // others change nothing: their tangents stay zero
  }
  list_moves();
  drives_.setZero(static_cast<Index>(model_.bodies.size()) * kBodyTangent, static_cast<Index>(directions_.size()));
}

void StepSensitivity::advance(const model::State& before, const StepSpan& span, const stepping::World& world,
                              Eigen::MatrixXd& tangents) {
  if (round_ && (model_.dimension == 2 ? advance_round<2>(before, span, world, tangents)
                                       : advance_round<3>(before, span, world, tangents)))
    return;
  const auto freedoms = equations_.freedoms();
  velocity_.resize(static_cast<Index>(freedoms.size()));
  for (std::size_t i = 0; i < freedoms.size(); ++i) {
    const model::Twist& v = world.state.bodies[index(freedoms[i].body)].velocity;
    velocity_[static_cast<Index>(i)] =
        freedoms[i].axis < 3 ? v.linear[freedoms[i].axis] : v.angular[freedoms[i].axis - 3];
  }
  last_.h = span_.h;
  last_.contacts.swap(contacts_);
  last_.first.swap(first_);
  last_.weight.swap(weight_);
  last_.changes.swap(right_);
  span_ = span;
  start_ = tangents;
  list_contacts(span, world);
  if (equations_.supports() > 0) add_supports(before, span);
  equations_.evaluate(before, span, velocity_, contacts_, here_);
  const double speed =
      std::max(velocity_.size() > 0 ? velocity_.cwiseAbs().maxCoeff() : 0.0, span.h * model_.gravity.norm());
  balance_error_ = here_.balance.size() > 0 && speed > 0 ? here_.balance.cwiseAbs().maxCoeff() / speed : 0;
  keep_rows();
  for (const Index k : slow_) differentiate_drives(span, world, k, drives_);
  for (const Index k : quick_) differentiate_drives(span, world, k, tangents);
  right_.setZero(velocity_.size() + response_.cols(), tangents.cols());
  if (!quick_.empty()) equations_.slopes(span, length_, contacts_, moves_, slopes_);  // before other evaluations
  if (!quick_.empty() && slow_.empty() && !linear_)
    take_velocity_slopes(span);
  else
    differentiate_by_velocity(before, span);
  if (!quick_.empty()) fill_quick(tangents);
  fill_matrix();
  for (const Index k : slow_) {
    differentiate_along(before, span, k, tangents);
    fill_right_side(k);
  }
  solve(before);
  take_step(span, world, tangents);
}

void StepSensitivity::list_contacts(const StepSpan& span, const stepping::World& world) {
  contacts_.clear();
  place_.clear();
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
    place_.push_back(c);
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
      row_.setZero(1, velocity_.size());
      equations_.put_row(c, k, row_, 0);
      sum += row_.row(0).dot(response_.col(column));
      length_ = std::max({length_, equations_.rows(c).moment_a[k].norm(), equations_.rows(c).moment_b[k].norm()});
    }
    if (sum > 0) weight_[c] = sum / contacts_[c].tangents;
  }
  if (!(length_ > 0)) length_ = 1;
}

// Rows that do not turn: approach and slip change with v+ as the rows have it.
void StepSensitivity::put_rows() {
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const auto i = static_cast<Index>(c);
    if (contacts_[c].support < 0) equations_.put_row(c, 0, approach_v_, i);
    for (int k = 1; k <= contacts_[c].tangents; ++k) equations_.put_row(c, k, slip_v_, 2 * i + k - 1);
  }
}

void StepSensitivity::differentiate_by_velocity(const model::State& before, const StepSpan& span) {
  const Index n = velocity_.size(), m = static_cast<Index>(contacts_.size());
  balance_v_.setIdentity(n, n);
  approach_v_.setZero(m, n);
  slip_v_.setZero(2 * m, n);
  plain_ = linear_;
  if (linear_) {
    put_rows();
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

// From along_.
void StepSensitivity::fill_right_side(Index k) {
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

void StepSensitivity::solve(const model::State& before) {
  if (plain_ && solve_for_impulses()) {
    share_open_ = false;
    return;
  }
  if (!plain_) {
    lu_.compute(matrix_);
    const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
    if (pivots.size() == 0 || pivots.minCoeff() > kDoubtful * pivots.maxCoeff()) {
      share_open_ = false;
      if (pivots.size() > 0) right_ = lu_.solve(right_);
      return;
    }
  }
  solve_redundant(before);
}

// The balance has v+ with factor one: what is left after it is put into the rows has the impulses alone. M of them;
// for one contact their number is known to the compiler.
template <int M>
bool StepSensitivity::solve_small() {
  const Index n = velocity_.size(), m = response_.cols();
  const auto push = matrix_.topRightCorner(n, m);
  const auto rows = matrix_.bottomLeftCorner(m, n);
  Eigen::Matrix<double, M, M> small = matrix_.bottomRightCorner(m, m);
  small.noalias() -= rows.lazyProduct(push);
  const Eigen::PartialPivLU<Eigen::Matrix<double, M, M>> lu(small);
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > kSingular * pivots.maxCoeff())) return false;
  const auto solve_column = [&](auto&& column) {
    auto top = column.head(n);
    auto bottom = column.tail(m);
    for (Index j = 0; j < n; ++j) bottom -= top[j] * rows.col(j);
    const Eigen::Matrix<double, M, 1> impulse = lu.solve(bottom);
    bottom = impulse;
    for (Index j = 0; j < m; ++j) top -= impulse[j] * push.col(j);
  };
  if constexpr (M != Eigen::Dynamic) {
    const Eigen::Matrix<double, M, M> inverse = lu.inverse();
    if (n == M) {
      solve_square<M>(matrix_, inverse, right_);
      return true;
    }
    double *right = right_.data(), *matrix = matrix_.data();
    const Index size = n + m;
    for (const std::vector<Index>* list : {&quick_, &slow_})
      for (const Index k : *list) {
        double *top = right + k * size, *bottom = top + n;
        Eigen::Matrix<double, M, 1> rest = Eigen::Map<Eigen::Matrix<double, M, 1>>(bottom);
        for (Index j = 0; j < n; ++j)
          for (int i = 0; i < M; ++i) rest[i] -= matrix[j * size + n + i] * top[j];
        const Eigen::Matrix<double, M, 1> impulse = inverse * rest;
        for (int i = 0; i < M; ++i) {
          bottom[i] = impulse[i];
          for (Index j = 0; j < n; ++j) top[j] -= matrix[(n + i) * size + j] * impulse[i];
        }
      }
  } else {
    for (Index k = 0; k < right_.cols(); ++k) solve_column(right_.col(k));
  }
  return true;
}

bool StepSensitivity::solve_for_impulses() {
  switch (response_.cols()) {
    case 0: return true;
    case 2: return solve_small<2>();
    case 3: return solve_small<3>();
    default: return solve_small<Eigen::Dynamic>();
  }
}

void StepSensitivity::take_step(const StepSpan& span, const stepping::World& world, Eigen::MatrixXd& tangents) const {
  for (const std::vector<Index>* list : {&quick_, &slow_})
    for (const Index k : *list) take_step(span, world, k, tangents);
  for (const Index k : slow_)
    for (const auto& [first, size] : prescribed_)
      tangents.col(k).segment(first, size) = drives_.col(k).segment(first, size);
}

void StepSensitivity::take_step(const StepSpan& span, const stepping::World& world, Index k,
                                Eigen::MatrixXd& tangents) const {
  const auto freedoms = equations_.freedoms();
  double* column = tangents.data() + k * tangents.rows();
  for (std::size_t i = 0; i < freedoms.size(); ++i) {
    const Index body = freedoms[i].body * kBodyTangent;
    const double dv = right_(static_cast<Index>(i), k);
    const int axis = freedoms[i].axis;
    column[body + (axis < 3 ? kLinear + axis : kAngular + axis - 3)] = dv;
    if (axis < 3) column[body + kPosition + axis] += span.h * dv;
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    if (!equations_.traits()[i].free_rotation) continue;
    const Index body = static_cast<Index>(i) * kBodyTangent;
    const Vec3 w = span.h * world.state.bodies[i].velocity.angular;
    const Vec3 dw = span.h * tangents.col(k).segment<3>(body + kAngular);
    auto turn = tangents.col(k).segment<3>(body + kRotation);
    if (model_.bodies[i].planar())
      turn += dw;
    else
      turn = rotation_of(w) * Vec3(turn) + left_jacobian(w) * dw;
  }
}

// The equations at the solution moved along: their rows are the frames of the moved impulses.
void StepSensitivity::contacts_along(Index k, double amount, const model::State& before,
                                     std::vector<contact::ContactResult>& results) {
  const auto i = static_cast<std::size_t>(k);
  const Index n = velocity_.size();
  StepEquations& equations = low_[i] == nullptr ? equations_ : amount < 0 ? *low_[i] : *high_[i];
  move_along(before, start_.col(k), amount, moved_);
  const Eigen::VectorXd velocity = velocity_ + amount * right_.col(k).head(n);
  std::vector<ActiveContact> contacts = contacts_;
  for (std::size_t c = 0; c < place_.size(); ++c)
    for (int j = 0; j <= contacts[c].tangents; ++j) contacts[c].p[j] += amount * right_(first_[c] + j, k) / weight_[c];
  equations.evaluate(moved_, span_, velocity, contacts, minus_);
  for (std::size_t c = 0; c < place_.size(); ++c) {
    contact::ContactResult& result = results[place_[c]];
    const contact::ContactRows& rows = equations.rows(c);
    result.force.setZero();
    for (int j = 0; j <= contacts[c].tangents; ++j) result.force += contacts[c].p[j] / span_.h * rows.direction[j];
    const Vec2 slip = minus_.slip.col(static_cast<Index>(c));
    result.relative_velocity.setZero();
    for (int j = 1; j <= contacts[c].tangents; ++j) result.relative_velocity += slip[j - 1] * rows.direction[j];
  }
}

}  // namespace stickslip::sensitivity
