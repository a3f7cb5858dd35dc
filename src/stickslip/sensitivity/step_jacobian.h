// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The equations of a step (step_equations.h) linearised around velocities and impulses that need not solve them:
//
//     F(v+ + dv, p + dp; s + ds, u + du)  =  F + F_v dv + F_p dp + F_s ds + F_u du
//
// F_p is known; F_v, F_s and F_u are central differences of F, which cost no contact solve: their error is about 1e-10.
// Where nothing bends (balls, discs and particles on planes that do not turn, forces and inertia that do not change)
// they are known as well, and no difference is taken:
//
//     balance_v = 1,  approach_v = J_n,  slip_v = J_t,     balance_s ds = -dv_0,  approach_s ds = J_n dq_0 / h
//
// Symbol   variable                            meaning
//   F_v    balance_v, approach_v, slip_v       rows by freedoms
//   F_p    response                            velocity per impulse, one column per row of each contact
//   ds     tangents                            tangent.h, one column per direction
//
// Cost: 2 evaluations of F per free degree of freedom and 2 per direction; one in all where nothing bends.
#pragma once

#include "stickslip/sensitivity/step_sensitivity.h"

namespace stickslip::sensitivity {

class StepJacobian {
 public:
  StepJacobian(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);

  [[nodiscard]] StepEquations& equations() { return equations_; }
  [[nodiscard]] const StepEquations& equations() const { return equations_; }

  // Everything but the derivative along directions. What is given must outlive the calls of along() that follow.
  void linearise(const model::State& before, const StepSpan& span, const Eigen::VectorXd& velocity,
                 std::span<const ActiveContact> contacts);
  // F_s ds + F_u du along one direction, ds = tangents.col(k).
  const StepEquations::Values& along(Eigen::Index k, const Eigen::MatrixXd& tangents);
  // From changes at the start of the step to those at its end, where the bodies move as `end` says: dv (by freedoms),
  // one column per direction.
  void take_step(const model::State& end, const Eigen::Ref<const Eigen::MatrixXd>& dv, Eigen::MatrixXd& tangents) const;

  [[nodiscard]] const StepEquations::Values& here() const { return here_; }
  [[nodiscard]] const Eigen::MatrixXd& balance_v() const { return balance_v_; }
  [[nodiscard]] const Eigen::MatrixXd& approach_v() const { return approach_v_; }
  [[nodiscard]] const Eigen::MatrixXd& slip_v() const { return slip_v_; }  // two rows per contact
  [[nodiscard]] const Eigen::MatrixXd& response() const { return response_; }
  // Unknowns: velocities, then the impulses of each contact from first(c) on; size() in all. Supports have no normal.
  [[nodiscard]] Eigen::Index first(std::size_t c) const { return first_[c]; }
  [[nodiscard]] Eigen::Index size() const { return size_; }
  [[nodiscard]] double weight(std::size_t c) const { return weight_[c]; }  // velocity per impulse along the tangents

 private:
  void list_rows();
  void differentiate_by_velocity();
  void follow_drives(const model::State& end, Eigen::Index k, Eigen::MatrixXd& tangents) const;
  [[nodiscard]] double amount_for(const Eigen::Ref<const Eigen::VectorXd>& direction) const;

  const model::Model& model_;
  std::vector<Direction> directions_;
  StepEquations equations_;
  std::vector<std::unique_ptr<StepEquations>> low_, high_;  // per direction, null without models
  bool linear_ = false;    // F is linear in v+: rows at the start of the step, Newton's law
  bool steady_ = false;    // neither inertia nor forces depend on the state
  bool straight_ = false;  // of the last step: nothing bends
  double length_ = 1;      // size of things: the largest lever

  const model::State* before_ = nullptr;
  const Eigen::VectorXd* velocity_ = nullptr;
  std::span<const ActiveContact> contacts_;
  StepSpan span_;
  std::vector<Eigen::Index> first_;
  std::vector<double> weight_;
  Eigen::Index size_ = 0;
  StepEquations::Values here_, along_, minus_, plus_;
  Eigen::MatrixXd balance_v_, approach_v_, slip_v_, response_;
  Eigen::VectorXd moved_velocity_;
  model::State moved_;
};

}  // namespace stickslip::sensitivity
