// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the end of one step changes with its start and with the model, by implicit differentiation of the equations that
// the step satisfies (step_equations.h), every contact staying in its mode:
//
//     F(y; s, u) = 0     =>     dy = -F_y^-1 (F_s ds + F_u du),      y = (v+, p)
//
//   mode     normal row        tangential rows
//   open     not there         not there
//   stick    d approach = 0    d slip = 0
//   slide    d approach = 0    d p_t + d(mu p_n t) = 0,   t = slip / |slip|   (plane: t is constant)
//
// The derivatives of the laws are analytic; those of geometry, inertia and forces come from step_jacobian.h: with an error
// of about 1e-10 where the unknown enters the model, of 1e-7 or none where it enters the start or prescribed motion only.
// Where a contact changes its mode in between two steps the end of a run on a fixed grid has a corner, and this is the
// derivative on the side where the run is.
//
// Solutions of complementarity problems are differentiable functions of the data where no contact is between two modes
// and F_y is regular: Robinson 1980.
//
// Redundant contacts leave open how they share the load: load_sharing.h.
//
// Cost: that of the linearisation, and one small dense factorisation. Round bodies on planes: round_step.h.
#pragma once

#include "stickslip/sensitivity/load_sharing.h"
#include "stickslip/sensitivity/round_step.h"
#include "stickslip/stepping/stepper.h"

#include <Eigen/LU>

namespace stickslip::sensitivity {

class StepSensitivity {
 public:
  // All must outlive it.
  StepSensitivity(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);

  // Whether it was made for these directions, none of which enters the model.
  [[nodiscard]] bool serves(std::span<const Direction> directions) const;
  // Before the first step: prescribed degrees of freedom do not start elsewhere. with_forces: whether contacts_along()
  // will be asked for; round bodies on planes are quicker without.
  void begin(bool with_forces, Eigen::MatrixXd& tangents);

  // The changes of the state, one column per direction: those at the start of the step become those at its end.
  // before: the state at the start, which must stay until contacts_along(); world: what the stepper left at the end.
  void advance(const model::State& before, double h, const stepping::World& world, Eigen::MatrixXd& tangents);

  // The parts of a step so far did not happen; the tangents are the caller's.
  void take_back() { contacts_.clear(); }

  // Of the last step, with unknown k changed by `amount`: force and relative velocity of the contacts that pressed, at
  // their places in world.contacts.
  void contacts_along(Eigen::Index k, double amount, std::vector<contact::ContactResult>& results);

  // Of the last step: how well the equations hold, relative to the largest velocity or what gravity adds in the step.
  [[nodiscard]] double balance_error() const { return balance_error_; }

  // Of all steps: whether contacts shared the load in a way that is not known (load_sharing.h). Forces: their derivatives
  // are in doubt. Motion: the share moved bodies, and the tangents are in doubt.
  [[nodiscard]] bool forces_open() const { return sharing_.forces_open(); }
  [[nodiscard]] bool motion_open() const { return sharing_.motion_open(); }

 private:
  void list_contacts(const stepping::World& world);
  void weigh_gaps(const model::State& before, const stepping::World& world);
  void add_supports(const model::State& before);
  void fill_matrix();
  void fill_right_side(const Eigen::MatrixXd& along);
  void solve(const SolvedStep& step);
  template <int M>
  bool solve_for_impulses();

  const model::Model& model_;
  StepJacobian jacobian_;
  RoundStep round_step_;
  bool rounds_ = false;  // round_step_ may be asked
  LoadSharing sharing_;
  double balance_error_ = 0;

  // Of the last step.
  StepSpan span_;
  std::vector<ActiveContact> contacts_;
  std::vector<std::size_t> place_;  // of each contact in world.contacts
  Eigen::VectorXd velocity_;        // v+
  Eigen::MatrixXd start_;           // changes at the start of the step
  Eigen::MatrixXd matrix_, right_;  // solve() leaves the solution in right_
  StepEquations::Values values_;
};

}  // namespace stickslip::sensitivity
