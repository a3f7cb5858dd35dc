// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the end of a second-order step (stepping/second_order.h) changes with its start and with the model. The
// stepper notes the sub-steps and impacts that it accepts (stepping/sub_step_tape.h). Each is repeated by the stepper's own code from starts a little beside its own,
// with the model a little changed, every contact held in its mode:
//
//     sub-step     s1, tau = S(s0, u; modes)               tau from the condition that ended it
//     derivative   ds1 = (S(s0 + b ds0, u + b) - S(s0 - b ds0, u - b)) / 2b,         likewise d tau
//
// s0 is everything that the sub-step reads: poses and velocities of its bodies, their last mean acceleration with its
// length, reserves of force of its contacts, and the time that has passed in the step. So the instants of events are
// differentiated with everything else: a sub-step that ends at an event ends at another time beside it, and the last
// one of the step, which has what is left of it, takes the difference back. (For flights and impacts that is the
// saltation matrix of flight_sensitivity.h.)
//
//     end of a sub-step      condition held beside it (the value that the stepper left, near zero)
//     length                 the same part of the time left, or the same length
//     lift-off, slip         the line through two reserves of force, trial by trial as the stepper took it
//     touch                  gap;                        then the impact by its law, repeated beside it
//     stop, reversal         the reserve of friction in it; the slip
//
// Modes are held by solving each contact problem in them to rounding (stepping/frozen_modes.h), so that there is no
// noise of a solver in the differences. Where a sub-step changes too fast for that (slip that has hardly begun), it is
// repeated once more from closer by. What remains is the error of a central difference over 1e-6 of the unknown, or
// over 2e-6 of the state: 1e-12 relative, and rounding divided by that (1e-10), per sub-step.
//
// It is held against the run: the middle of both repetitions must be the sub-step itself. Where it is not, and where
// the derivative has no single value, advance() says why:
//
//     tie            a contact sticks at the limit of friction, or presses with nothing; the velocities after an impact
//                    have a corner; several contacts meet at one instant
//     not covered    a step at first order, contacts that run off a face, redundant contacts whose share moves bodies
//
// Cost: two sub-steps per unknown and sub-step, a few more at events.
#pragma once

#include "stickslip/collision/collider.h"
#include "stickslip/sensitivity/direction.h"
#include "stickslip/sensitivity/prescribed_changes.h"
#include "stickslip/sensitivity/smooth_tangent.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/component_step.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

// An unknown that sub-steps know in closed form: through the start, prescribed motion, and these.
struct SmoothChange {
  Eigen::Index column = 0;  // among the directions
  bool enters = false;      // the model, besides prescribed motion
  Vec3 gravity = Vec3::Zero();
  std::vector<std::pair<double, double>> friction;  // static and kinetic, per surface
};
// Those among the directions.
[[nodiscard]] std::vector<SmoothChange> smooth_changes(const model::Model& model,
                                                       std::span<const Direction> directions);

class DriveInputs;

class SubStepSensitivity {
 public:
  // All must outlive it.
  SubStepSensitivity(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);
  ~SubStepSensitivity();

  // Whether the steps of this method consist of sub-steps at all.
  [[nodiscard]] static bool is_for(const stepping::Method& method);
  // Why steps of this model and method have no derivative here; empty when they can have one.
  [[nodiscard]] static std::string objection_to(const model::Model& model, const stepping::Method& method);

  // Where the stepper of the run is to note what it does.
  [[nodiscard]] stepping::SubStepTape& tape() { return tape_; }

  // Before the first step that is differentiated: prescribed degrees of freedom do not start elsewhere.
  // flew: nothing but gravity acted so far.
  void begin(bool flew, Eigen::MatrixXd& tangents);
  // The changes at the start of the part on the tape become those at its end, the state given. False: why_not().
  [[nodiscard]] bool advance(const model::State& end, Eigen::MatrixXd& tangents);
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Of the last step: how the mean force of a contact changes with unknown k.
  [[nodiscard]] Vec3 force_change(const collision::ContactId& id, Eigen::Index k) const;
  // Of the last step: how the instant of an event in it changes with unknown k.
  [[nodiscard]] double instant_change(double time, Eigen::Index k) const;
  // Of all steps: contacts shared a load in more than one way, and the changes of their forces are the smallest ones.
  [[nodiscard]] bool forces_open() const { return forces_open_; }

  // What the next sub-step reads besides the state, one column per unknown.
  struct Histories {
    Eigen::MatrixXd acceleration;  // 6 rows per body
    Eigen::MatrixXd length;        // a row per body: of the sub-step that acceleration is a mean over
    std::map<collision::ContactId, Eigen::Matrix4Xd> reserves;  // normal, tangential, age; and the largest slip so far
  };
  // Steps by what they read, of directions that change no model (run_adjoint.h): prescribed motion is given by the inputs,
  // and changes of the model have the columns that they say. Sub-steps without a closed form are refused.
  void take_inputs(DriveInputs& drives, std::span<const SmoothChange> model_inputs);
  [[nodiscard]] Histories& histories() { return now_; }

  // The begin of a step, to go back to.
  void keep() { kept_ = now_; }
  void take_back() { now_ = kept_; }

 private:
  struct Side;
  // The end of a repetition.
  struct End {
    double tau = 0, offset = 0;
    std::vector<model::BodyState> bodies;
    std::vector<model::Twist> acceleration;
    Eigen::Matrix4Xd reserves;  // a column per contact
    Eigen::Matrix3Xd impulses;  // likewise
    double longest = 0;         // how much longer the next sub-step may be
  };

  [[nodiscard]] bool fail(const char* why);
  // Smooth sub-steps (sub_step_smooth.cpp).
  [[nodiscard]] bool differentiate_inputs(const stepping::SubStep& one, Eigen::MatrixXd& tangents);
  [[nodiscard]] bool differentiate_smooth(const stepping::SubStep& one, Eigen::MatrixXd& tangents);
  [[nodiscard]] std::optional<SmoothTangent::Trial> known_trial(const stepping::SubStep& one,
                                                                const stepping::Trial& trial, bool ends_slip,
                                                                const Eigen::MatrixXd& tangents);
  [[nodiscard]] bool sweep(const SmoothTangent::Trial& trial, const std::vector<double>& length, bool by_length,
                           const Eigen::MatrixXd& tangents);
  void change_length(const stepping::SubStep& one, const stepping::SubStepLength& length,
                     const std::vector<double>& longest, std::vector<double>& change) const;
  void change_longest(const stepping::SubStep& one, const stepping::SubStepAttempt& attempt,
                      const stepping::Trial& trial, const std::vector<double>& length,
                      std::vector<double>& longest) const;
  [[nodiscard]] bool find_event(const SmoothTangent::Trial& trial, std::vector<double>& length) const;
  void change_by_reserve(const SmoothTangent::Trial& trial, std::vector<double>& length) const;
  void give_model(const SmoothTangent::Trial& trial, Eigen::Index width);
  void take_smooth(const SmoothTangent::Trial& trial, const std::vector<double>& length,
                   const std::vector<double>& longest, Eigen::MatrixXd& tangents);
  [[nodiscard]] bool look_for_ties(const stepping::SubStep& one);
  [[nodiscard]] bool differentiate(const stepping::SubStep& one, Eigen::MatrixXd& tangents);
  [[nodiscard]] bool differentiate(const stepping::SubStep& one, Eigen::Index k, double below, double above, Side& low,
                                   Side& high, Eigen::MatrixXd& tangents);
  [[nodiscard]] bool differentiate_closer(const stepping::SubStep& one, Eigen::Index k, double below, double above,
                                          Eigen::MatrixXd& tangents);
  [[nodiscard]] Side& ready(std::unique_ptr<Side>& side, const model::Model& model);
  [[nodiscard]] double amount_beside(const stepping::SubStep& one, Eigen::Index k,
                                     const Eigen::MatrixXd& tangents) const;
  void place(const stepping::SubStep& one, Eigen::Index k, double amount, const Eigen::MatrixXd& tangents, Side& side);
  [[nodiscard]] bool repeat(const stepping::SubStep& one, Side& side, End& end);
  [[nodiscard]] bool repeat_impact(const stepping::SubStep& one, Side& side, End& end);
  [[nodiscard]] bool find_length(const stepping::SubStep& one, double tau, Side& side);
  [[nodiscard]] bool run(const stepping::Trial& trial, double tau, Side& side) const;
  [[nodiscard]] double length_of(const stepping::SubStepLength& length, const Side& side) const;
  [[nodiscard]] double longer_by(const stepping::SubStep& one, const stepping::SubStepAttempt& attempt,
                                 const Side& side) const;
  [[nodiscard]] bool take(const stepping::SubStep& one, Eigen::Index k, double below, double above,
                          Eigen::MatrixXd& tangents);

  const model::Model& model_;
  std::vector<Direction> directions_;
  std::vector<contact::BodyTraits> traits_;
  PrescribedChanges prescribed_;
  std::map<double, Eigen::VectorXd> instants_;  // ends of the sub-steps of the step, with their changes
  const stepping::Method& method_;
  std::unique_ptr<collision::Collider> collider_;
  SmoothTangent smooth_;
  std::vector<SmoothChange> smooth_columns_;
  std::vector<Eigen::Index> listed_;  // their columns
  std::vector<bool> is_smooth_;       // per direction
  DriveInputs* drives_ = nullptr;     // columns are inputs of these
  PrescribedChanges::Columns later_;
  stepping::SubStepTape tape_;
  std::unique_ptr<Side> middle_;  // the model itself, and where its trials are noted
  stepping::SubStepTape middle_tape_;
  std::vector<std::unique_ptr<Side>> low_, high_;                // per direction, made when first needed
  std::vector<std::unique_ptr<Side>> closer_low_, closer_high_;  // made when a repetition further off does not do
  Histories now_, kept_;
  Eigen::VectorXd offset_;                                     // of the component, within the step
  Eigen::VectorXd longest_;                                    // of the longest length that its next sub-step may have
  std::map<collision::ContactId, Eigen::Matrix3Xd> impulses_;  // over the step
  End lower_, higher_;
  long steps_ = 0;              // begun
  bool follows_turns_ = false;  // of the step: lengths that follow the turn of a slip matter
  bool located_ = false;        // of an impact: its instant was searched
  bool forces_open_ = false;
  std::string why_not_;
};

}  // namespace stickslip::sensitivity
