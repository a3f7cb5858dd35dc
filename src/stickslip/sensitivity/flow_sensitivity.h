// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the end of a Runge-Kutta step (stepping/runge_kutta.h) changes with its start and with the model. The stepper
// notes the parts that it accepts (stepping/flow_tape.h). Its stages are differentiated in closed form for all unknowns at
// once (flow_tangent.h), every contact in its mode. For unknowns that change shapes or masses, and where forces besides
// gravity act, each part is repeated by the stepper's own code from starts a little beside its own, with the model a little
// changed:
//
//     part         y1 = F(y0, t0, tau, u; modes)
//     derivative   dy1 = (F(y0 + b dy0, t0 + b dt0, tau + b dtau, u + b) - F(y0 - b ..., u - b)) / 2b
//
//     it ended at           dtau
//     the end of the step   -dt0, or half of that; with the breakpoint of a drive, if it is one
//     a length of its own   0: the error estimate chose it
//     a change of contact   -dg / (dg/dtau),  g the reserve that vanished (compliant_flow.h); then dy1 += dy1/dtau dtau
//
// y0: poses and velocities, shear and deformation of the contacts' layers; t0: the time. So instants of touch-down, lift-off, slip
// and stick are differentiated with everything else.
//
// The error is what the choice of lengths would add: of the size of the error that a part is allowed; and in repetitions
// that of a central difference over 1e-6 of the unknown. advance() says why not where the derivative has no single value (two changes at one
// instant).
//
// Cost: flow_tangent.h; of an unknown that is repeated two parts, two more at a change of contact; parts that the run tried and
// searches for instants are not repeated.
#pragma once

#include "stickslip/collision/collider.h"
#include "stickslip/sensitivity/direction.h"
#include "stickslip/sensitivity/flow_tangent.h"
#include "stickslip/sensitivity/prescribed_changes.h"
#include "stickslip/stepping/runge_kutta.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

class FlowSensitivity {
 public:
  // All must outlive it.
  FlowSensitivity(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);
  ~FlowSensitivity();

  // Whether the method's stepper writes the tape that is repeated here.
  [[nodiscard]] static bool is_for(const stepping::Method& method);
  // Why steps of this model and method have no derivative here; empty when they can have one.
  [[nodiscard]] static std::string objection_to(const model::Model& model, const stepping::Method& method);

  // Where the stepper of the run is to note what it does.
  [[nodiscard]] stepping::FlowTape& tape() { return tape_; }

  // Before the first step that is differentiated: prescribed degrees of freedom do not start elsewhere.
  void begin(Eigen::MatrixXd& tangents);
  // The changes at the start of the step on the tape become those at its end, the state given. False: why_not().
  [[nodiscard]] bool advance(const model::State& end, Eigen::MatrixXd& tangents);
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  // Of the last step: how the mean force of a contact changes with unknown k, and the instant of an event in it.
  [[nodiscard]] Vec3 force_change(const collision::ContactId& id, Eigen::Index k) const;
  [[nodiscard]] double instant_change(double time, Eigen::Index k) const;

  // The begin of a step, to go back to.
  void keep() { kept_ = now_; }
  void take_back() { now_ = kept_; }

 private:
  struct Side;
  // What layers of contacts keep, by unknown: three rows of shear in space, one of deformation.
  using Layers = std::map<collision::ContactId, Eigen::Matrix4Xd>;

  [[nodiscard]] bool fail(const char* why);
  [[nodiscard]] Side& ready(std::unique_ptr<Side>& side, const model::Model& model);
  [[nodiscard]] bool differentiate(const stepping::FlowPart& part, Eigen::MatrixXd& tangents);
  [[nodiscard]] bool differentiate_closed(const stepping::FlowPart& part, Eigen::MatrixXd& tangents);
  [[nodiscard]] bool is_that_of_the_run(const stepping::FlowPart& part) const;
  [[nodiscard]] bool by_length(const stepping::FlowPart& part);
  [[nodiscard]] double amount_beside(const stepping::FlowPart& part, Eigen::Index k,
                                     const Eigen::MatrixXd& tangents) const;
  [[nodiscard]] double length_change(const stepping::FlowPart& part, Eigen::Index k);
  void repeat(const stepping::FlowPart& part, Eigen::Index k, double amount, double tau,
              const Eigen::MatrixXd& tangents, Side& side, Eigen::VectorXd& values);
  void take(const stepping::FlowPart& part, Eigen::Index k, const Eigen::VectorXd& change, Eigen::MatrixXd& tangents);
  [[nodiscard]] double reserve(const stepping::FlowPart& part, const Eigen::VectorXd& values) const;

  const model::Model& model_;
  std::vector<Direction> directions_;
  const stepping::Method& method_;
  std::vector<contact::BodyTraits> traits_;
  PrescribedChanges prescribed_;
  FlowTangent closed_;
  stepping::FlowTape tape_;
  std::unique_ptr<Side> middle_;
  std::vector<std::unique_ptr<Side>> low_, high_;  // per direction
  Layers now_, kept_;
  Eigen::VectorXd offset_;                                     // of the time since the start of the step
  std::map<double, Eigen::VectorXd> instants_;                 // ends of parts with their changes
  std::map<collision::ContactId, Eigen::Matrix3Xd> impulses_;  // over the step
  Eigen::VectorXd lower_, higher_, per_length_, change_;
  std::string why_not_;
};

}  // namespace stickslip::sensitivity
