// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/linear_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::contact {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr double kSlackNoise = 1e-13;  // of slacks: what rounding leaves of numbers of about 1
constexpr double kCostNoise = 1e-11;   // of reduced costs, for an objective of length 1
constexpr double kSmallestPivot = 1e-9;
constexpr int kRefresh = 200;
constexpr int kIdle = 20;           // exchanges that gain nothing, until Bland's rule
constexpr int kMostExchanges = 20;  // times rows and unknowns

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

void LinearProgram::begin(Index unknowns) {
  unknowns_ = static_cast<int>(unknowns);
  row_.clear();
  restart();
}

void LinearProgram::restart() {
  basic_.clear();
  nonbasic_.resize(at(unknowns_));
  for (int k = 0; k < unknowns_; ++k) nonbasic_[at(k)] = k;
  cost_.setZero(unknowns_);
  exchanges_ = 0;
  for (std::size_t i = 0; i < row_.size(); ++i) append(row_[i], unknowns_ + static_cast<int>(i));
}

void LinearProgram::add_row(const VectorXd& a, double b) {
  row_.push_back({a, std::max(b, 0.0)});
  append(row_.back(), unknowns_ + static_cast<int>(row_.size()) - 1);
}

// s = b - a' y, with the unknowns that are basic put in.
void LinearProgram::append(const Row& row, int slack) {
  const Index r = static_cast<Index>(basic_.size());
  if (T_.rows() <= r || T_.cols() != unknowns_) {
    const Index room = std::max<Index>(16, 2 * r);
    if (r == 0) {
      T_.resize(room, unknowns_);
      beta_.resize(room);
    } else {
      T_.conservativeResize(room, unknowns_);
      beta_.conservativeResize(room);
    }
  }
  T_.row(r).setZero();
  beta_[r] = row.b;
  for (Index k = 0; k < r; ++k) {
    if (!is_free(basic_[at(k)])) continue;
    const double a = row.a[basic_[at(k)]];
    T_.row(r) -= a * T_.row(k);
    beta_[r] -= a * beta_[k];
  }
  for (Index j = 0; j < unknowns_; ++j)
    if (is_free(nonbasic_[at(j)])) T_(r, j) -= row.a[nonbasic_[at(j)]];
  basic_.push_back(slack);
}

void LinearProgram::set_limit(Index row, double b) {
  const double more = b - row_[at(row)].b;
  row_[at(row)].b = b;
  const int slack = unknowns_ + static_cast<int>(row);
  for (Index k = 0; k < rows(); ++k)
    if (basic_[at(k)] == slack) beta_[k] += more;
  for (Index j = 0; j < unknowns_; ++j)
    if (nonbasic_[at(j)] == slack) beta_.head(rows()) -= more * T_.topRows(rows()).col(j);
}

void LinearProgram::drop_slack_rows(Index kept) {
  std::vector<char> dropped(row_.size(), 0);
  Index r = 0;
  for (Index k = 0; k < static_cast<Index>(basic_.size()); ++k) {
    const int variable = basic_[at(k)];
    if (!is_free(variable) && variable - unknowns_ >= kept && beta_[k] > 1e-6) {
      dropped[at(variable - unknowns_)] = 1;
      continue;
    }
    if (r != k) {
      T_.row(r) = T_.row(k);
      beta_[r] = beta_[k];
      basic_[at(r)] = variable;
    }
    ++r;
  }
  basic_.resize(at(r));
  std::vector<int> number(row_.size(), 0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (dropped[i] != 0) continue;
    number[i] = unknowns_ + static_cast<int>(next);
    if (next != i) row_[next] = std::move(row_[i]);
    ++next;
  }
  row_.resize(next);
  for (std::vector<int>* list : {&basic_, &nonbasic_})
    for (int& variable : *list)
      if (!is_free(variable)) variable = number[at(variable - unknowns_)];
}

void LinearProgram::set_costs(const VectorXd& c) {
  for (Index j = 0; j < unknowns_; ++j) cost_[j] = is_free(nonbasic_[at(j)]) ? c[nonbasic_[at(j)]] : 0.0;
  for (Index k = 0; k < rows(); ++k)
    if (is_free(basic_[at(k)])) cost_ += c[basic_[at(k)]] * T_.row(k).transpose();
}

// Column and row change places: x_j = (x_r - beta_r - sum of the others) / T_rj.
void LinearProgram::exchange(Index row, Index column) {
  const double pivot = T_(row, column);
  pivot_row_ = -T_.row(row).transpose() / pivot;
  pivot_row_[column] = 1 / pivot;
  const double value = -beta_[row] / pivot;
  for (Index k = 0; k < rows(); ++k) {
    if (k == row) continue;
    const double a = T_(k, column);
    if (a == 0) continue;
    T_(k, column) = 0;
    T_.row(k) += a * pivot_row_.transpose();
    beta_[k] += a * value;
  }
  const double cost = cost_[column];
  cost_[column] = 0;
  cost_ += cost * pivot_row_;
  T_.row(row) = pivot_row_.transpose();
  beta_[row] = value;
  std::swap(basic_[at(row)], nonbasic_[at(column)]);
  ++exchanges_;
}

// From y = 0, the slacks that are 0 change places with unknowns again, those with the largest pivots.
void LinearProgram::refresh() {
  std::vector<char> binds(row_.size(), 0);
  for (const int variable : nonbasic_)
    if (!is_free(variable)) binds[at(variable - unknowns_)] = 1;
  restart();
  for (std::size_t i = 0; i < row_.size(); ++i) {
    if (binds[i] == 0) continue;
    const auto r = static_cast<Index>(i);  // restart() lists rows in their order, and each moves once
    Index best = -1;
    double largest = kSmallestPivot;
    for (Index j = 0; j < unknowns_; ++j)
      if (is_free(nonbasic_[at(j)]) && std::fabs(T_(r, j)) > largest) largest = std::fabs(T_(r, j)), best = j;
    if (best >= 0) exchange(r, best);
  }
  exchanges_ = 0;
}

Index LinearProgram::entering(bool bland) const {
  Index best = -1;
  double largest = kCostNoise;
  for (Index j = 0; j < unknowns_; ++j) {
    const int variable = nonbasic_[at(j)];
    const double gain = is_free(variable) ? std::fabs(cost_[j]) : cost_[j];
    if (!(gain > (bland ? kCostNoise : largest))) continue;
    if (bland && best >= 0 && variable > nonbasic_[at(best)]) continue;
    largest = gain;
    best = j;
  }
  return best;
}

// -1: nothing limits the column.
Index LinearProgram::leaving(Index column, double sign, bool bland) const {
  double limit = std::numeric_limits<double>::infinity();
  const double slackness = bland ? 0 : kSlackNoise;
  for (Index k = 0; k < rows(); ++k) {
    const double a = -sign * T_(k, column);
    if (is_free(basic_[at(k)]) || !(a > kSmallestPivot)) continue;
    limit = std::min(limit, (std::max(beta_[k], 0.0) + slackness) / a);
  }
  Index best = -1;
  double largest = 0;
  for (Index k = 0; k < rows(); ++k) {
    const double a = -sign * T_(k, column);
    if (is_free(basic_[at(k)]) || !(a > kSmallestPivot) || std::max(beta_[k], 0.0) / a > limit) continue;
    const bool better = bland ? best < 0 || basic_[at(k)] < basic_[at(best)] : a > largest;
    if (!better) continue;
    largest = a;
    best = k;
  }
  return best;
}

bool LinearProgram::costs_are_best() const {
  return entering(true) < 0;
}

// Slacks below 0 leave (dual method). False: not found.
bool LinearProgram::meet_rows() {
  for (; exchanges_left_ > 0; --exchanges_left_) {
    Index row = -1;
    double lowest = -10 * kSlackNoise;
    for (Index k = 0; k < rows(); ++k)
      if (!is_free(basic_[at(k)]) && beta_[k] < lowest) lowest = beta_[k], row = k;
    if (row < 0) return true;
    Index best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < unknowns_; ++j) {
      const bool free = is_free(nonbasic_[at(j)]);
      const double t = free ? std::fabs(T_(row, j)) : T_(row, j);
      if (!(t > kSmallestPivot)) continue;
      const double ratio = free ? 0 : std::max(-cost_[j], 0.0) / t;
      const bool tie = best >= 0 && ratio <= least + 1e-12;
      if (best >= 0 && (tie ? t <= std::fabs(T_(row, best)) : ratio >= least)) continue;
      least = tie ? std::min(least, ratio) : ratio;
      best = j;
    }
    if (best < 0) return false;
    exchange(row, best);
  }
  return false;
}

LinearProgram::End LinearProgram::climb(const VectorXd& c) {
  int idle = 0;
  for (; exchanges_left_ > 0; --exchanges_left_) {
    if (exchanges_ > kRefresh) {
      refresh();
      set_costs(c);
    }
    const bool bland = idle > kIdle;
    const Index column = entering(bland);
    if (column < 0) return End::Bounded;
    const double sign = cost_[column] > 0 ? 1 : -1, gain = std::fabs(cost_[column]);
    const Index row = leaving(column, sign, bland);
    if (row < 0) {
      ray_.setZero(unknowns_);
      for (Index k = 0; k < rows(); ++k)
        if (is_free(basic_[at(k)])) ray_[basic_[at(k)]] = sign * T_(k, column);
      if (is_free(nonbasic_[at(column)])) ray_[nonbasic_[at(column)]] = sign;
      return End::Unbounded;
    }
    const double step = std::max(beta_[row], 0.0) / std::fabs(T_(row, column));
    idle = step * gain > 1e-13 ? 0 : idle + 1;
    exchange(row, column);
  }
  return End::Stalled;
}

LinearProgram::End LinearProgram::maximise(const VectorXd& c) {
  constexpr int kMostTries = 4;
  const double length = c.norm();
  const VectorXd unit = length > 0 ? VectorXd(c / length) : c;
  End end = End::Stalled;
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    exchanges_left_ = kMostExchanges * (static_cast<int>(rows()) + unknowns_ + 1);
    if (attempt == kMostTries - 1)
      restart();
    else if (attempt > 0 || exchanges_ > kRefresh)
      refresh();
    set_costs(unit);
    if (!costs_are_best()) cost_.setZero();  // any vertex will do to start from
    if (!meet_rows()) {
      exchanges_left_ = kMostExchanges * (static_cast<int>(rows()) + unknowns_ + 1);
      restart();
    }
    set_costs(unit);
    end = climb(unit);
    if (read_answer() && end != End::Stalled) return end;
  }
  return End::Stalled;
}

bool LinearProgram::read_answer() {
  y_.setZero(unknowns_);
  for (Index k = 0; k < rows(); ++k)
    if (is_free(basic_[at(k)])) y_[basic_[at(k)]] = beta_[k];
  const double rounding = 1e-12 * std::max(1.0, unknowns_ > 0 ? y_.cwiseAbs().maxCoeff() : 0.0);
  slack_.setZero(rows());
  for (Index k = 0; k < rows(); ++k)
    if (!is_free(basic_[at(k)])) slack_[basic_[at(k)] - unknowns_] = beta_[k];
  for (Index i = 0; i < rows(); ++i) {
    const Row& row = row_[at(i)];
    const double slack = row.b - row.a.dot(y_);
    if (!(std::fabs(slack - slack_[i]) <= rounding) || slack < -rounding) return false;
  }
  return true;
}

}  // namespace stickslip::contact
