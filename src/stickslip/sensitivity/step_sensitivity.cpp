// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/step_sensitivity.h"

#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/step_terms.h"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {
namespace {

using Eigen::Index;
using stepping::index;

// A support point slower than this, relative to the fastest one, stands still: the body turns about it.
constexpr double kStandsStill = 1e-6;
constexpr double kSingular = 1e-10;  // pivot, relative to the largest
constexpr double kDoubtful = 1e-8;   // likewise, where rows are differences

bool is_part(double h, double whole_step) {
  return h < whole_step * (1 - 1e-9);
}

}  // namespace

StepSensitivity::StepSensitivity(const model::Model& model, const stepping::Method& method,
                                 std::span<const Direction> directions)
    : model_(model), jacobian_(model, method, directions), round_step_(jacobian_.equations()) {}

bool StepSensitivity::serves(std::span<const Direction> directions) const {
  return std::ranges::equal(directions, jacobian_.directions(), [](const Direction& a, const Direction& b) {
    return a.low == nullptr && b.low == nullptr && a.start.size() == b.start.size() && a.start == b.start;
  });
}

void StepSensitivity::begin(bool with_forces, Eigen::MatrixXd& tangents) {
  rounds_ = !with_forces && jacobian_.all_by_slopes() && RoundStep::covers(model_);
  contacts_.clear();
  sharing_.begin();
  for (std::size_t k = 0; k < jacobian_.directions().size(); ++k)
    if (jacobian_.directions()[k].low == nullptr) jacobian_.prescribed().clear(tangents.col(static_cast<Index>(k)));
}

void StepSensitivity::advance(const model::State& before, double h, const stepping::World& world,
                              Eigen::MatrixXd& tangents) {
  const bool part = is_part(h, world.method.step);
  if (rounds_ && !part && round_step_.advance(before, h, world, tangents)) {
    balance_error_ = round_step_.balance_error();
    return;
  }
  sharing_.keep(span_.h, jacobian_, contacts_, right_);
  span_ = {h, world.state.time};
  const auto freedoms = jacobian_.equations().freedoms();
  velocity_.resize(std::ssize(freedoms));
  for (std::size_t i = 0; i < freedoms.size(); ++i)
    velocity_[static_cast<Index>(i)] = freedoms[i].of(world.state.bodies[index(freedoms[i].body)].velocity);
  start_ = tangents;
  list_contacts(world);
  if (part && !jacobian_.equations().end_geometry()) weigh_gaps(before, world);
  if (jacobian_.equations().supports() > 0) add_supports(before);
  jacobian_.linearise(before, span_, velocity_, contacts_);
  const Eigen::VectorXd& balance = jacobian_.here().balance;
  const double speed =
      std::max(velocity_.size() > 0 ? velocity_.cwiseAbs().maxCoeff() : 0.0, h * model_.gravity.norm());
  balance_error_ = balance.size() > 0 && speed > 0 ? balance.cwiseAbs().maxCoeff() / speed : 0;
  fill_matrix();
  fill_right_side(jacobian_.along(world.state, tangents));
  const SolvedStep step{jacobian_, h, velocity_, contacts_, start_, matrix_};
  solve(step);
  jacobian_.take_step(world.state, right_.topRows(velocity_.size()), tangents);
}

void StepSensitivity::list_contacts(const stepping::World& world) {
  contacts_.clear();
  place_.clear();
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const stepping::ContactMemory& memory = world.memory[c];
    if (!memory.touching) continue;
    ActiveContact& active = contacts_.emplace_back();
    active.contact = world.contacts[c];
    active.slides = memory.mode == contact::Mode::Slide;
    active.tangents = model_.dimension == 3 ? 2 : 1;
    contact::set_frame(active.contact.normal, model_.dimension, active.rows);
    for (int k = 0; k <= active.tangents; ++k) active.p[k] = span_.h * memory.force.dot(active.rows.direction[k]);
    place_.push_back(c);
  }
}

// Overlaps may leave over the whole step.
void StepSensitivity::weigh_gaps(const model::State& before, const stepping::World& world) {
  jacobian_.equations().evaluate(before, span_, velocity_, contacts_, values_);
  const StepEquations::Terms& terms = jacobian_.equations().terms();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const collision::Contact& contact = terms.contacts[c];
    const auto a = index(contact.id.body_a), b = index(contact.id.body_b);
    contacts_[c].gap_weight =
        span_.h * stepping::gap_slope(world, contact, terms.at, stepping::without_rounding_noise(contact, terms.at),
                                      {before.bodies[a].velocity, before.bodies[b].velocity},
                                      contact::relative_velocity(terms.rows[c], 0, terms.drive[a], terms.drive[b]),
                                      span_.h, world.method.step);
  }
}

// Friction of supports that slide follows from their slip; that of supports that stand still from the balance.
void StepSensitivity::add_supports(const model::State& before) {
  StepEquations& equations = jacobian_.equations();
  const std::size_t first = contacts_.size();
  for (int s = 0; s < equations.supports(); ++s) {
    ActiveContact& active = contacts_.emplace_back();
    active.support = s;
    active.tangents = 2;
  }
  equations.evaluate(before, span_, velocity_, contacts_, values_);
  const double fastest = values_.slip.rightCols(equations.supports()).colwise().norm().maxCoeff();
  std::vector<std::pair<std::size_t, int>> open;
  for (std::size_t c = first; c < contacts_.size(); ++c) {
    const auto column = static_cast<Index>(c);
    const Vec2 slip = values_.slip.col(column);
    ActiveContact& active = contacts_[c];
    active.p[0] = values_.normal_impulse[column];
    active.slides = slip.norm() > kStandsStill * fastest;
    for (int k = 1; k <= 2; ++k) {
      if (active.slides)
        active.p[k] = -values_.mu[column] * active.p[0] * slip[k - 1] / slip.norm();
      else
        open.emplace_back(c, k);
    }
  }
  if (open.empty()) return;
  equations.evaluate(before, span_, velocity_, contacts_, values_);
  Eigen::MatrixXd response(velocity_.size(), std::ssize(open));
  for (std::size_t i = 0; i < open.size(); ++i)
    equations.response(open[i].first, open[i].second, response.col(static_cast<Index>(i)));
  const Eigen::VectorXd p = response.completeOrthogonalDecomposition().solve(values_.balance);
  for (std::size_t i = 0; i < open.size(); ++i) contacts_[open[i].first].p[open[i].second] = p[static_cast<Index>(i)];
}

// Impulses are unknowns in units of velocity, p weight.
void StepSensitivity::fill_matrix() {
  const Index n = velocity_.size(), size = jacobian_.size();
  matrix_.setZero(size, size);
  matrix_.topLeftCorner(n, n) = jacobian_.balance_v();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ActiveContact& active = contacts_[c];
    const auto i = static_cast<Index>(c);
    const double w = jacobian_.weight(c);
    Index row = jacobian_.first(c);
    const Index normal = row, count = active.row_count();
    matrix_.block(0, row, n, count) = -jacobian_.response().middleCols(row - n, count) / w;
    if (active.support < 0) matrix_.block(row++, 0, 1, n) = jacobian_.approach_v().row(i);
    const Vec2 slip = jacobian_.here().slip.col(i);
    const double speed = slip.norm(), mu = jacobian_.here().mu[i];
    const auto slip_v = jacobian_.slip_v().middleRows(2 * i, active.tangents);
    if (!active.slides) {
      matrix_.block(row, 0, active.tangents, n) = slip_v;
    } else if (active.tangents == 1) {
      matrix_(row, row) = 1;
      matrix_(row, normal) = active.p[1] > 0 ? -mu : mu;
    } else {
      const Vec2 t = slip / speed;
      const Eigen::Matrix2d turn = mu * active.p[0] * w / speed * (Eigen::Matrix2d::Identity() - t * t.transpose());
      matrix_.block<2, 2>(row, row).setIdentity();
      if (active.support < 0) matrix_.block<2, 1>(row, normal) = mu * t;
      matrix_.block(row, 0, 2, n) = turn * slip_v;
    }
  }
}

void StepSensitivity::fill_right_side(const Eigen::MatrixXd& along) {
  const Index n = velocity_.size(), m = std::ssize(contacts_);
  right_.resize(jacobian_.size(), along.cols());
  right_.topRows(n) = -along.topRows(n);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ActiveContact& active = contacts_[c];
    const auto i = static_cast<Index>(c);
    const Vec2 slip = jacobian_.here().slip.col(i);
    const double w = jacobian_.weight(c), mu = jacobian_.here().mu[i], speed = slip.norm();
    const Vec2 t = slip / speed;
    const double turn = mu * active.p[0] * w / speed;
    for (Index k = 0; k < along.cols(); ++k) {
      Index row = jacobian_.first(c);
      if (active.support < 0) right_(row++, k) = -along(n + 3 * i, k);
      const Vec2 change(along(n + 3 * i + 1, k), along(n + 3 * i + 2, k));
      // d(mu p_n), p_n apart
      const double limit = w * (active.p[0] * along(n + 3 * m + i, k) + mu * along(n + 4 * m + i, k));
      if (!active.slides)
        for (int j = 0; j < active.tangents; ++j) right_(row + j, k) = -change[j];
      else if (active.tangents == 1)
        right_(row, k) = active.p[1] > 0 ? limit : -limit;
      else
        right_.block<2, 1>(row, k) = -limit * t - turn * (change - t * t.dot(change));
    }
  }
}

void StepSensitivity::solve(const SolvedStep& step) {
  const Index impulses = jacobian_.size() - velocity_.size();
  bool solved = false;
  if (jacobian_.balance_is_plain()) {
    solved = impulses == 0   ? true
             : impulses == 2 ? solve_for_impulses<2>()
             : impulses == 3 ? solve_for_impulses<3>()
                             : solve_for_impulses<Eigen::Dynamic>();
  } else {
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(matrix_);
    const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
    solved = pivots.size() == 0 || pivots.minCoeff() > kDoubtful * pivots.maxCoeff();
    if (solved && pivots.size() > 0) right_ = lu.solve(right_).eval();
  }
  if (solved)
    sharing_.share_known();
  else
    sharing_.solve(step, right_);
}

// The balance has v+ with factor one: what is left after it is put into the rows has the impulses alone. M of them;
// for one contact their number is known to the compiler.
//     p = S^-1 (b - R a),   v = a - T p        with [a; b] the right side and [1 T; R Q] the matrix,  S = Q - R T
template <int M>
bool StepSensitivity::solve_for_impulses() {
  const Index n = velocity_.size(), m = M == Eigen::Dynamic ? jacobian_.size() - n : M;
  using Square = Eigen::Matrix<double, M, M>;
  const auto push = matrix_.topRightCorner(n, m);
  const auto rows = matrix_.bottomLeftCorner(m, n);
  Square small = matrix_.bottomRightCorner(m, m);
  small.noalias() -= rows.lazyProduct(push);
  const Eigen::PartialPivLU<Square> lu(small);
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > kSingular * pivots.maxCoeff())) return false;
  Square inverse;
  if constexpr (M != Eigen::Dynamic) inverse = lu.inverse();
  Eigen::Matrix<double, M, 1> rest(m);
  for (Index k = 0; k < right_.cols(); ++k) {
    auto top = right_.col(k).head(n);
    Eigen::Map<Eigen::Matrix<double, M, 1>> bottom(right_.data() + k * right_.rows() + n, m);
    rest = bottom;
    for (Index j = 0; j < n; ++j) rest -= top[j] * rows.col(j);
    if constexpr (M == Eigen::Dynamic)
      bottom = lu.solve(rest);
    else
      bottom.noalias() = inverse * rest;
    for (Index j = 0; j < m; ++j) top -= bottom[j] * push.col(j);
  }
  return true;
}

// The equations at the solution moved along: their rows are the frames of the moved impulses.
void StepSensitivity::contacts_along(Index k, double amount, std::vector<contact::ContactResult>& results) {
  const Eigen::VectorXd velocity = velocity_ + amount * right_.col(k).head(velocity_.size());
  std::vector<ActiveContact> contacts = contacts_;
  for (std::size_t c = 0; c < place_.size(); ++c)
    for (int j = 0; j <= contacts[c].tangents; ++j)
      contacts[c].p[j] += amount * right_(jacobian_.first(c) + j, k) / jacobian_.weight(c);
  const StepEquations& equations = jacobian_.evaluate_beside(k, amount, start_.col(k), velocity, contacts, values_);
  for (std::size_t c = 0; c < place_.size(); ++c) {
    contact::ContactResult& result = results[place_[c]];
    const contact::ContactRows& rows = equations.terms().rows[c];
    result.force.setZero();
    for (int j = 0; j <= contacts[c].tangents; ++j) result.force += contacts[c].p[j] / span_.h * rows.direction[j];
    result.relative_velocity.setZero();
    for (int j = 1; j <= contacts[c].tangents; ++j)
      result.relative_velocity += values_.slip(j - 1, static_cast<Index>(c)) * rows.direction[j];
  }
}

}  // namespace stickslip::sensitivity
