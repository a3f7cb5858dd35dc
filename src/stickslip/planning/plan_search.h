// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One search for unknowns that satisfy the conditions: Levenberg-Marquardt within bounds.
//
//     minimise |r(u)|^2,   low <= u <= high,        (J'J + nu diag(J'J)) d = -J' r
//
// It begins with nu = 0, the Gauss-Newton step of least length (complete orthogonal decomposition, so that fewer
// conditions than unknowns need no special case). A step that does not make |r| smaller, or whose run fails, is
// rejected: nu = 1e-3, then five times as much; an accepted one makes nu ten times smaller, and 0 below 1e-6. Unknowns
// at a bound whose descent leads out of it stay there for the step; others are clipped. A search that has come closer
// by less than a third in ten iterations is given up.
//
// Symbol  variable     meaning
//   r     residual     of the conditions; an inequality that holds contributes nothing
//   J     jacobian     dr/du
//
// Cost: one run with derivatives per trial, 2 to 6 of them from a reasonable start; it does not grow with the steps.
#pragma once

#include "stickslip/planning/shooting.h"

namespace stickslip::planning {

struct SearchResult {
  enum class Ending { Solved, Stalled, IterationLimit, NeverRan };
  Ending ending = Ending::NeverRan;
  Eigen::VectorXd unknowns;  // the best ones
  Eigen::VectorXd residual;  // there
  double objective = 0;
  int iterations = 0;
  std::string cause;  // NeverRan: why the first run failed
  std::string note;   // not solved: which unknown changes nothing there, or which condition nothing changes
  double worst_residual = 0, worst_balance = 0;

  [[nodiscard]] double violation() const {
    return residual.size() > 0 ? residual.cwiseAbs().maxCoeff() : std::numeric_limits<double>::infinity();
  }
};

// Unknowns and residuals beyond those of the plan (multiple_shooting.h) stand behind them.
[[nodiscard]] SearchResult search(const Plan& plan, Target& target, const Eigen::VectorXd& start);

// What of a shot's values counts against the conditions, and its derivative.
void residual_of(const Target& target, const Shot& shot, Eigen::VectorXd& residual, Eigen::MatrixXd& jacobian);

}  // namespace stickslip::planning
