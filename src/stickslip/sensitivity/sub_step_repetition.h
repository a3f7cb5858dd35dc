// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A sub-step or an impact of a second-order step repeated by the stepper's own code, from a start a little beside its own and
// with the model a little changed, every contact held in its mode (sub_step_sensitivity.h has the conditions that end it).
//
// Cost: one sub-step each; several where its length is searched.
#pragma once

#include "stickslip/collision/collider.h"
#include "stickslip/sensitivity/direction.h"
#include "stickslip/sensitivity/prescribed_changes.h"
#include "stickslip/sensitivity/sub_step_changes.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/component_step.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

class SubStepRepetition : public SubStepChanges {
 protected:
  SubStepRepetition(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);
  ~SubStepRepetition();

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
  std::unique_ptr<Side> middle_;  // the model itself, and where its trials are noted
  stepping::SubStepTape middle_tape_;
  std::vector<std::unique_ptr<Side>> low_, high_;                // per direction, made when first needed
  std::vector<std::unique_ptr<Side>> closer_low_, closer_high_;  // made when a repetition further off does not do
  End lower_, higher_;
  long steps_ = 0;        // begun
  bool located_ = false;  // of an impact: its instant was searched
};

}  // namespace stickslip::sensitivity
