// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/plan_search.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kFirstDamping = 1e-3, kMoreDamping = 5, kLessDamping = 0.1, kNoDamping = 1e-6, kMostDamping = 1e10;
constexpr double kSmallestStep = 1e-15;  // relative
constexpr int kPatience = 10;            // iterations in which the conditions must come closer by
constexpr double kSlowDecrease = 0.7;
constexpr double kIdle = 1e-12;        // relative to the largest derivative
constexpr double kNearlyThere = 1e-5;  // the next step is likely the last: its derivative is not needed

class Minimiser {
 public:
  Minimiser(const Plan& plan, Target& target, const VectorXd& start)
      : plan_(plan), target_(target), unknowns_(static_cast<Index>(plan.unknowns.size())) {
    result_.unknowns = start;
  }

  SearchResult run() {
    Shot shot = target_.shoot(result_.unknowns, true);
    if (!shot.ran) {
      result_.cause = shot.cause;
      return result_;
    }
    take(shot);
    for (; result_.iterations < plan_.iterations; ++result_.iterations) {
      if (solved()) return end(SearchResult::Ending::Solved);
      if (result_.iterations % kPatience == 0) {  // slow convergence: another start is worth more
        if (norm_ > kSlowDecrease * norm_before_) return end(SearchResult::Ending::Stalled);
        norm_before_ = norm_;
      }
      if (!improve()) return end(SearchResult::Ending::Stalled);
    }
    return end(solved() ? SearchResult::Ending::Solved : SearchResult::Ending::IterationLimit);
  }

 private:
  [[nodiscard]] bool solved() const { return result_.violation() <= plan_.tolerance; }

  SearchResult& end(SearchResult::Ending ending) {
    result_.ending = ending;
    if (ending != SearchResult::Ending::Solved) result_.note = idle();
    return result_;
  }

  // An unknown or a condition that has no part in the derivative.
  [[nodiscard]] std::string idle() const {
    const double least = kIdle * (jacobian_.size() > 0 ? jacobian_.cwiseAbs().maxCoeff() : 0);
    for (Index i = 0; i < std::min(jacobian_.rows(), std::ssize(plan_.conditions)); ++i)
      if (std::abs(result_.residual[i]) > plan_.tolerance && jacobian_.row(i).cwiseAbs().maxCoeff() <= least)
        return fmt::format("no unknown changes \"{}\" there", plan_.conditions[static_cast<std::size_t>(i)].text);
    for (Index k = 0; k < std::min(jacobian_.cols(), unknowns_); ++k)
      if (jacobian_.col(k).cwiseAbs().maxCoeff() <= least)
        return fmt::format("the unknown '{}' changes no condition there",
                           plan_.unknowns[static_cast<std::size_t>(k)].name);
    return {};
  }

  void take(const Shot& shot) {
    residual_of(target_, shot, result_.residual, jacobian_);
    norm_ = result_.residual.norm();
    result_.worst_residual = shot.worst_residual;
    result_.worst_balance = std::max(result_.worst_balance, shot.worst_balance);
    if (shot.values.size() > target_.residuals()) result_.objective = shot.values[target_.residuals()];
  }

  // One accepted step; false when there is none.
  bool improve() {
    while (damping_ < kMostDamping) {
      const VectorXd trial = clipped(result_.unknowns + step());
      const double moved = (trial - result_.unknowns).cwiseAbs().maxCoeff();
      if (moved <= kSmallestStep * std::max(1.0, trial.cwiseAbs().maxCoeff())) {
        if (damping_ == 0 && !tried_damping_) {  // a flat or blocked direction: a damped step may differ
          damping_ = kFirstDamping;
          tried_damping_ = true;
          continue;
        }
        return false;
      }
      const bool likely_last = norm_ < kNearlyThere || !target_.exact();
      Shot shot = target_.shoot(trial, !likely_last);
      if (shot.ran && residual_norm(shot) < norm_) {
        result_.unknowns = trial;
        if (likely_last) {
          VectorXd residual;
          MatrixXd none;
          residual_of(target_, shot, residual, none);
          if (residual.cwiseAbs().maxCoeff() > plan_.tolerance) shot = target_.shoot(trial, true);
          if (!shot.ran) return false;
        }
        take(shot);
        damping_ = damping_ * kLessDamping < kNoDamping ? 0 : damping_ * kLessDamping;
        tried_damping_ = false;
        return true;
      }
      damping_ = damping_ == 0 ? kFirstDamping : damping_ * kMoreDamping;
    }
    return false;
  }

  [[nodiscard]] double residual_norm(const Shot& shot) const {
    VectorXd residual;
    MatrixXd none;
    residual_of(target_, shot, residual, none);
    return residual.norm();
  }

  [[nodiscard]] VectorXd clipped(VectorXd u) const {
    for (Index k = 0; k < unknowns_; ++k) {
      const Unknown& unknown = plan_.unknowns[static_cast<std::size_t>(k)];
      u[k] = std::clamp(u[k], unknown.low, unknown.high);
    }
    return u;
  }

  [[nodiscard]] bool blocked(Index k, double gradient) const {
    const Unknown& unknown = plan_.unknowns[static_cast<std::size_t>(k)];
    const double u = result_.unknowns[k];
    return (u <= unknown.low && gradient > 0) || (u >= unknown.high && gradient < 0);
  }

  [[nodiscard]] VectorXd step() const {
    const VectorXd gradient = jacobian_.transpose() * result_.residual;
    std::vector<Index> free;
    for (Index k = 0; k < gradient.size(); ++k)
      if (k >= unknowns_ || !blocked(k, gradient[k])) free.push_back(k);
    VectorXd d = VectorXd::Zero(gradient.size());
    if (free.empty()) return d;
    const MatrixXd J = jacobian_(Eigen::all, free);
    VectorXd part;
    if (damping_ == 0) {
      part = -J.completeOrthogonalDecomposition().solve(result_.residual);
    } else {
      MatrixXd normal = J.transpose() * J;
      const double floor = 1e-9 * normal.diagonal().maxCoeff();
      normal.diagonal() += damping_ * normal.diagonal().cwiseMax(floor);
      part = -normal.ldlt().solve(J.transpose() * result_.residual);
    }
    for (std::size_t i = 0; i < free.size(); ++i) d[free[i]] = part[static_cast<Index>(i)];
    return d;
  }

  const Plan& plan_;
  Target& target_;
  Index unknowns_;  // of the plan
  SearchResult result_;
  MatrixXd jacobian_;
  double norm_ = 0, damping_ = 0;
  double norm_before_ = std::numeric_limits<double>::infinity();
  bool tried_damping_ = false;
};

}  // namespace

void residual_of(const Target& target, const Shot& shot, VectorXd& residual, MatrixXd& jacobian) {
  const Index n = target.residuals();
  residual = shot.values.head(n);
  if (shot.derivatives.size() > 0) jacobian = shot.derivatives.topRows(n);
  for (Index i = 0; i < n; ++i) {
    if (!target.holds_by_itself(i, residual[i])) continue;
    residual[i] = 0;
    if (jacobian.size() > 0) jacobian.row(i).setZero();
  }
}

SearchResult search(const Plan& plan, Target& target, const VectorXd& start) {
  return Minimiser(plan, target, start).run();
}

}  // namespace stickslip::planning
