// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The equations of a step (step_equations.h) linearised around velocities and impulses, which need not solve them:
//
//     F(v+ + dv, p + dp; s + ds, u + du)  =  F + F_v dv + F_p dp + F_s ds + F_u du
//
// F_p is known. Where a direction enters through the start and prescribed motion only, and the step is of a kind that
// step_slopes.h knows, F_s comes from there, and so does F_v when all directions are such; where rows do not turn
// (plane_contact.h) or are those of the start, F_v has the rows themselves. All else is a central difference of F beside
// the solution, which costs no contact solve: its error is about 1e-10.
//
// Symbol   variable                            meaning
//   F_v    balance_v, approach_v, slip_v       rows by freedoms
//   F_p    response                            velocity per impulse, one column per row of each contact
//   ds     tangents                            tangent.h, one column per direction
//
// Cost: 2 evaluations of F per direction that enters the model, and then 2 per free degree of freedom for rows at the end
// of the step; up to 9 evaluations of each contact's rows for all other directions together, none for round bodies and
// points on planes.
#pragma once

#include "stickslip/sensitivity/direction.h"
#include "stickslip/sensitivity/prescribed_changes.h"
#include "stickslip/sensitivity/step_slopes.h"

#include <utility>

namespace stickslip::sensitivity {

class StepJacobian {
 public:
  // Model, method and the models of the directions must outlive it.
  StepJacobian(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);
  StepJacobian(const StepJacobian&) = delete;
  StepJacobian& operator=(const StepJacobian&) = delete;

  [[nodiscard]] StepEquations& equations() { return equations_; }
  [[nodiscard]] const StepEquations& equations() const { return equations_; }
  [[nodiscard]] std::span<const Direction> directions() const { return directions_; }
  [[nodiscard]] const PrescribedChanges& prescribed() const { return prescribed_; }

  // Whether F_s of all directions comes from slopes: none enters the model, and they cover it.
  [[nodiscard]] bool all_by_slopes() const { return all_by_slopes_; }

  // Everything but the derivative along directions. What is given must outlive the calls that follow.
  void linearise(const model::State& before, const StepSpan& span, const Eigen::VectorXd& velocity,
                 std::span<const ActiveContact> contacts);
  // F_s ds + F_u du, a column per direction: a row per freedom, three per contact (approach, slip), one per contact (mu),
  // one per contact (given normal impulse). end: the state at the end of the step. Prescribed degrees of freedom of the
  // tangents may be those of the end of the step afterwards.
  const Eigen::MatrixXd& along(const model::State& end, Eigen::MatrixXd& tangents);
  // From changes at the start of the step to those at its end: dv (by freedoms), one column per direction.
  void take_step(const model::State& end, const Eigen::Ref<const Eigen::MatrixXd>& dv, Eigen::MatrixXd& tangents) const;

  [[nodiscard]] const StepEquations::Values& here() const { return here_; }
  [[nodiscard]] const Eigen::MatrixXd& balance_v() const { return balance_v_; }
  [[nodiscard]] const Eigen::MatrixXd& approach_v() const { return approach_v_; }
  [[nodiscard]] const Eigen::MatrixXd& slip_v() const { return slip_v_; }  // two rows per contact
  [[nodiscard]] const Eigen::MatrixXd& response() const { return response_; }
  [[nodiscard]] bool balance_is_plain() const { return plain_; }  // balance_v = 1
  // Unknowns: velocities, then the impulses of each contact from first(c) on; size() in all. Supports have no normal.
  [[nodiscard]] Eigen::Index freedoms() const { return std::ssize(equations_.freedoms()); }
  [[nodiscard]] Eigen::Index first(std::size_t c) const { return first_[c]; }
  [[nodiscard]] Eigen::Index size() const { return size_; }
  [[nodiscard]] double weight(std::size_t c) const { return weight_[c]; }  // velocity per impulse along the tangents

  // How far to go to both sides along direction k for a difference; both 0: it changes nothing.
  [[nodiscard]] std::pair<double, double> amounts(Eigen::Index k,
                                                  const Eigen::Ref<const Eigen::VectorXd>& tangent) const;
  // The equations with unknown k changed by `amount`: the start moved along its tangent, velocities and impulses as
  // given. What the equations that are returned went through is then theirs.
  StepEquations& evaluate_beside(Eigen::Index k, double amount, const Eigen::Ref<const Eigen::VectorXd>& tangent,
                                 const Eigen::VectorXd& velocity, std::span<const ActiveContact> contacts,
                                 StepEquations::Values& values);
  // The equations themselves, evaluated where they were linearised.
  StepEquations& evaluate_here(StepEquations::Values& values) {
    equations_.evaluate(*before_, span_, *velocity_, contacts_, values);
    return equations_;
  }

 private:
  void list_moves();
  void list_rows();
  void differentiate_by_velocity();
  void take_rows();
  void take_slopes(Eigen::Index k, const Eigen::MatrixXd& tangents);
  void take_difference(Eigen::Index k, const Eigen::MatrixXd& tangents);

  const model::Model& model_;
  std::vector<Direction> directions_;
  PrescribedChanges prescribed_;
  StepEquations equations_;
  std::vector<std::unique_ptr<StepEquations>> low_, high_;  // per direction, null without models
  StepSlopes slopes_;
  std::vector<bool> by_slopes_;  // per direction
  bool any_by_slopes_ = false, all_by_slopes_ = false;
  bool linear_ = false;      // F is linear in v+: rows at the start of the step, Newton's law
  bool covered_ = false;     // slopes_ covers the model
  std::vector<bool> moves_;  // 12 per body: some direction changes it

  // Of the last step.
  bool plain_ = false;
  double length_ = 1;  // size of the contacts: the largest lever
  const model::State* before_ = nullptr;
  const Eigen::VectorXd* velocity_ = nullptr;
  std::span<const ActiveContact> contacts_;
  StepSpan span_;
  std::vector<Eigen::Index> first_, changing_;  // changing_: columns of the slopes that are not zero
  std::vector<double> weight_;
  Eigen::Index size_ = 0;
  StepEquations::Values here_, minus_, plus_;
  Eigen::MatrixXd balance_v_, approach_v_, slip_v_, response_, row_, along_;
  Eigen::VectorXd moved_velocity_;
  model::State moved_;
};

}  // namespace stickslip::sensitivity
