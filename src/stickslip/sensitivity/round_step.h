// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The derivative of a step in closed form, for balls, discs and particles that each touch nothing or one plane that
// stands still. Rows do not turn, bodies do not know of each other, and the equations of step_sensitivity.h are those of
// one contact:
//
//     G = J A^-1 J',   w = J dv_0         dv+ = dv_0 + A^-1 J' dp
//     normal      G_n dp = -w_n - J_n dq_0 / h
//     stick       G_t dp = -w_t
//     slide       dp_t + mu t dp_n + (mu p_n / |u_t|) (1 - t t') (w_t + G_t dp) = 0,      t = u_t / |u_t|
//
// Cost: one small inverse per contact and step; no evaluation of geometry.
#pragma once

#include "stickslip/sensitivity/step_equations.h"

namespace stickslip::sensitivity {

class RoundStep {
 public:
  // The equations must outlive it.
  explicit RoundStep(const StepEquations& equations) : equations_(equations) {}

  // Of models that StepSlopes covers, and directions that do not enter the model: whether nothing else than contacts
  // makes their steps differ from flight.
  [[nodiscard]] static bool covers(const model::Model& model);

  // The changes at the start of the step become those at its end. False, and nothing changed: the step is not of this
  // kind.
  [[nodiscard]] bool advance(const model::State& before, double h, const stepping::World& world,
                             Eigen::MatrixXd& tangents);
  // Of the last step, relative to the largest velocity or what gravity adds in the step.
  [[nodiscard]] double balance_error() const { return balance_error_; }

 private:
  template <int D>
  bool advance_in(const model::State& before, double h, const stepping::World& world, Eigen::MatrixXd& tangents);

  const StepEquations& equations_;
  double balance_error_ = 0;
  std::vector<int> touched_;  // contact of each body
  Eigen::MatrixXd start_;
};

}  // namespace stickslip::sensitivity
