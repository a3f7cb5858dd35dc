// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contacts that share their load in more than one way: four feet on a floor, a peg between two walls. The matrix K of
// the step (step_sensitivity.h) is then singular. Where feet slide in different directions (the body turns), friction,
// and with it the motion, depends on the share, so the derivative must be that of the share which the solver took. Its
// Newton steps in fixed modes (stepping/mode_newton.h) stay next to the impulses of the step before:
//
//     L' P (p - p_0) = 0,    L' K = 0        =>        L' P (dp - dp_0) + d(L' P) (p - p_0) = 0
//
//   symbol  variable      meaning
//   L       left          rows that depend on each other: L' J = 0 over normal rows and the rows of sticking contacts
//   P       proximal      own response of each contact to a normal impulse; 0 for the friction of sliding ones
//   N       loose         impulses (and velocities) that leave all equations as they are: K N = 0
//   p_0     kept          the forces of the step before, in the frames of this one
//   z                     J z = P (p - p_0) in the sense of least squares:  dL' P (p - p_0) = -L' dJ z
//
// dp is the smallest solution plus N c, with c from the condition above. Whether the solver did choose this way is
// looked at in p itself: L' P (p - p_0) = 0 or, for contacts that it holds at rest, L' P p = 0. Otherwise the share is
// not known; where it moves bodies, the derivative is in doubt and says so.
//
// Derivatives of solutions of least squares where the rank stays: Golub and Pereyra 1973.
//
// Left out: that a second Newton step has another L, O(h) of the term with d(L' P).
// Cost: a rank-revealing factorisation, and two evaluations of the equations per direction where forces change.
#pragma once

#include "stickslip/sensitivity/step_jacobian.h"

namespace stickslip::sensitivity {

// A step linearised at its solution. Impulses are unknowns in units of velocity, p weight.
struct SolvedStep {
  StepJacobian& jacobian;
  double h;
  const Eigen::VectorXd& velocity;  // v+
  const std::vector<ActiveContact>& contacts;
  const Eigen::MatrixXd& start;   // changes at the start of the step, one column per direction
  const Eigen::MatrixXd& matrix;  // K
};

class LoadSharing {
 public:
  void begin();
  // right becomes K^-1 right for the share that the solver took.
  void solve(const SolvedStep& step, Eigen::MatrixXd& right);
  // Before the next step is linearised: what its share depends on. Takes the contacts of the last step, and how v+ and p
  // changed in it; without contacts nothing is known of it.
  void keep(double h, const StepJacobian& jacobian, std::vector<ActiveContact>& contacts, Eigen::MatrixXd& solved);
  // The share of a step that had one only.
  void share_known() { open_ = false; }

  [[nodiscard]] bool forces_open() const { return forces_open_; }
  [[nodiscard]] bool motion_open() const { return motion_open_; }

 private:
  void take_kept(const SolvedStep& step, Eigen::VectorXd& kept, Eigen::MatrixXd& change) const;
  void change_of_choice(const SolvedStep& step, const Eigen::MatrixXd& left, const Eigen::VectorXd& moved,
                        const Eigen::MatrixXd& solved, Eigen::MatrixXd& change);

  struct Kept {
    std::vector<ActiveContact> contacts;
    std::vector<Eigen::Index> first;
    std::vector<double> weight;
    Eigen::MatrixXd changes;
    double h = 1;
  };
  Kept last_;
  StepEquations::Values values_;
  bool open_ = false, forces_open_ = false, motion_open_ = false;
};

}  // namespace stickslip::sensitivity
