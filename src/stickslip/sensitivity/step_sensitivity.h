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
// The derivatives of the laws are analytic; those of geometry, inertia and forces are differences of F around the
// solution, which costs no run and no contact solve: central ones, with an error of about 1e-10, where the unknown
// enters the model; StepEquations::slopes(), with an error of about 1e-7, where it enters the start or prescribed
// motion only. Where a contact changes its mode in between two steps the end of a run on a fixed grid has a corner, and
// this is the derivative on the side where the run is.
//
// Redundant contacts leave open how they share the load: redundant_contacts.cpp.
//
// Cost: 2 evaluations of F per unknown that enters the model and then, for rows at the end of the step, per free degree
// of freedom; up to 9 evaluations of each contact's rows for all other unknowns together, none for balls on planes; one
// small dense factorisation.
#pragma once

#include "stickslip/sensitivity/model_difference.h"
#include "stickslip/sensitivity/step_equations.h"
#include "stickslip/stepping/stepper.h"

#include <Eigen/LU>

namespace stickslip::sensitivity {

// One unknown on which the run depends: through its start, through the model, or both.
struct Direction {
  // Models with the unknown a little below and above; null: the model does not depend on it. They must outlive the run.
  const model::Model* low = nullptr;
  const model::Model* high = nullptr;
  double below = 0, above = 0;  // how far; below = 0: low is the model itself
  Eigen::VectorXd start;        // change of the initial state per unit (tangent.h)
  bool drives_only = false;     // low and high differ from the model in prescribed motion and start only
};

class StepSensitivity {
 public:
  StepSensitivity(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);

  // Whether it was made for these directions, none of which enters the model.
  [[nodiscard]] bool serves(std::span<const Direction> directions) const;
  // Before the first step: prescribed degrees of freedom do not start elsewhere.
  void begin(Eigen::MatrixXd& tangents);

  // Whether contacts_along() will not be asked for: round bodies on planes are then quicker.
  void ends_only(bool yes) { round_ = yes && all_round(); }

  // The changes of the state, one column per direction: those at the start of the step become those at its end.
  // before: the state at the start; world: what the stepper left at the end.
  void advance(const model::State& before, const StepSpan& span, const stepping::World& world,
               Eigen::MatrixXd& tangents);

  // Of the last step, with unknown k changed by `amount`: force and relative velocity of the contacts that pressed, at
  // their places in world.contacts. before: as in advance().
  void contacts_along(Eigen::Index k, double amount, const model::State& before,
                      std::vector<contact::ContactResult>& results);

  // Of the last step: how well the equations hold, relative to the largest velocity or what gravity adds in the step.
  [[nodiscard]] double balance_error() const { return balance_error_; }

  // Of all steps: whether contacts shared the load in a way that is not known (redundant_contacts.cpp). Forces: their
  // derivatives are in doubt. Motion: the share moved bodies, and the tangents are in doubt.
  [[nodiscard]] bool forces_open() const { return forces_open_; }
  [[nodiscard]] bool motion_open() const { return motion_open_; }

 private:
  [[nodiscard]] bool all_round() const;
  template <int D>
  bool advance_round(const model::State& before, const StepSpan& span, const stepping::World& world,
                     Eigen::MatrixXd& tangents);
  void list_contacts(const StepSpan& span, const stepping::World& world);
  void add_supports(const model::State& before, const StepSpan& span);
  void keep_rows();
  void differentiate_drives(const StepSpan& span, const stepping::World& world, Eigen::Index k,
                            Eigen::MatrixXd& drives) const;
  void put_rows();
  void differentiate_by_velocity(const model::State& before, const StepSpan& span);
  void fill_matrix();
  void list_prescribed();
  void list_moves();
  void fill_right_side(Eigen::Index k);
  void take_velocity_slopes(const StepSpan& span);
  void fill_quick(const Eigen::MatrixXd& tangents);
  void differentiate_along(const model::State& before, const StepSpan& span, Eigen::Index k,
                           const Eigen::MatrixXd& tangents);
  [[nodiscard]] double amount_for(const Eigen::Ref<const Eigen::VectorXd>& direction, double h) const;
  void solve(const model::State& before);
  bool solve_for_impulses();
  void solve_redundant(const model::State& before);
  void take_kept(Eigen::VectorXd& kept, Eigen::MatrixXd& change) const;
  void list_shared(const StepEquations& equations, Eigen::MatrixXd& rows, Eigen::VectorXd& proximal) const;
  void change_of_choice(const model::State& before, const Eigen::MatrixXd& left, const Eigen::VectorXd& moved,
                        Eigen::MatrixXd& change);
  template <int M>
  bool solve_small();
  void take_step(const StepSpan& span, const stepping::World& world, Eigen::MatrixXd& tangents) const;
  void take_step(const StepSpan& span, const stepping::World& world, Eigen::Index k, Eigen::MatrixXd& tangents) const;

  const model::Model& model_;
  std::vector<Direction> directions_;
  StepEquations equations_;
  std::vector<std::unique_ptr<StepEquations>> low_, high_;  // per direction, null without models
  bool linear_ = false;  // F is linear in v+: rows at the start of the step, Newton's law
  bool round_ = false;   // steps of round bodies have a path of their own (round_bodies.cpp)
  bool plain_ = false;   // of the last step: the balance has v+ with factor one
  double balance_error_ = 0, length_ = 1;

  std::vector<ActiveContact> contacts_;
  std::vector<Eigen::Index> first_;  // of each contact's impulses among the unknowns
  std::vector<std::size_t> place_;   // of each contact in world.contacts
  StepSpan span_;
  std::vector<double> weight_;  // of each contact: velocity per impulse
  Eigen::VectorXd velocity_;    // v+
  StepEquations::Values here_, minus_, plus_;
  Eigen::MatrixXd balance_v_, approach_v_, slip_v_;  // derivatives by v+
  StepEquations::Values along_;                      // derivative along one direction
  Eigen::MatrixXd response_, row_;                   // velocities per impulse; one row of a contact
  Eigen::MatrixXd matrix_, right_;                   // solve() leaves the solution in right_
  Eigen::MatrixXd start_;                            // changes at the start of the step
  Eigen::MatrixXd drives_;                           // change of prescribed degrees of freedom at the end, for slow_
  std::vector<std::pair<Eigen::Index, Eigen::Index>> prescribed_;  // places in a tangent: first, count
  std::vector<Eigen::Index> quick_, slow_;                         // directions that slopes() serves, and the others
  std::vector<int> touched_;                                       // contact of each body, in advance_round()
  std::vector<bool> moves_;                                        // 12 per body: some direction changes it
  StepEquations::Slopes slopes_;
  std::vector<std::vector<DriveChange>> drive_changes_;  // per direction
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  model::State moved_;
  // The contacts of the step before and how their impulses changed.
  struct LastStep {
    std::vector<ActiveContact> contacts;
    std::vector<Eigen::Index> first;
    std::vector<double> weight;
    Eigen::MatrixXd changes;
    double h = 1;
  };
  LastStep last_;
  bool share_open_ = false, forces_open_ = false, motion_open_ = false;
};

}  // namespace stickslip::sensitivity
