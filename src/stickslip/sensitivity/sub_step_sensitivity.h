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
#include "stickslip/sensitivity/sub_step_repetition.h"
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

class SubStepSensitivity : public SubStepRepetition {
 public:
  // All must outlive it.
  SubStepSensitivity(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);
  ~SubStepSensitivity();
  // Whether the steps of this method consist of sub-steps at all.
  [[nodiscard]] static bool is_for(const stepping::Method& method);
  // Why steps of this model and method have no derivative here; empty when they can have one.
  [[nodiscard]] static std::string objection_to(const model::Model& model, const stepping::Method& method);
  // Before the first step that is differentiated: prescribed degrees of freedom do not start elsewhere.
  // flew: nothing but gravity acted so far.
  void begin(bool flew, Eigen::MatrixXd& tangents);
  // The changes at the start of the part on the tape become those at its end, the state given. False: why_not().
  [[nodiscard]] bool advance(const model::State& end, Eigen::MatrixXd& tangents);
  // Steps by what they read, of directions that change no model (run_adjoint.h): prescribed motion is given by the inputs,
  // and changes of the model have the columns that they say. Sub-steps without a closed form are refused.
  void take_inputs(DriveInputs& drives, std::span<const SmoothChange> model_inputs);

 private:
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
  [[nodiscard]] bool take(const stepping::SubStep& one, Eigen::Index k, double below, double above,
                          Eigen::MatrixXd& tangents);
  std::unique_ptr<collision::Collider> collider_;
  SmoothTangent smooth_;
  std::vector<SmoothChange> smooth_columns_;
  std::vector<Eigen::Index> listed_;  // their columns
  std::vector<bool> is_smooth_;       // per direction
  DriveInputs* drives_ = nullptr;     // columns are inputs of these
  PrescribedChanges::Columns later_;
};

}  // namespace stickslip::sensitivity
