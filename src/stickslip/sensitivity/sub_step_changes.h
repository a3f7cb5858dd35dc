// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What is known of a second-order step while its derivative is taken (sub_step_sensitivity.h): the notes of the stepper, the
// unknowns, and how the histories that sub-steps read change with them.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/sensitivity/direction.h"
#include "stickslip/sensitivity/prescribed_changes.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/sub_step_tape.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

class SubStepChanges {
 public:
  // Where the stepper of the run is to note what it does.
  [[nodiscard]] stepping::SubStepTape& tape() { return tape_; }
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
  [[nodiscard]] Histories& histories() { return now_; }
  // The begin of a step, to go back to.
  void keep() { kept_ = now_; }
  void take_back() { now_ = kept_; }

 protected:
  SubStepChanges(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions)
      : model_(model),
        directions_(directions.begin(), directions.end()),
        traits_(contact::body_traits(model)),
        prescribed_(model, directions_),
        method_(method) {}

  [[nodiscard]] bool fail(const char* why);
  const model::Model& model_;
  std::vector<Direction> directions_;
  std::vector<contact::BodyTraits> traits_;
  PrescribedChanges prescribed_;
  std::map<double, Eigen::VectorXd> instants_;  // ends of the sub-steps of the step, with their changes
  const stepping::Method& method_;
  stepping::SubStepTape tape_;
  Histories now_, kept_;
  Eigen::VectorXd offset_;                                     // of the component, within the step
  Eigen::VectorXd longest_;                                    // of the longest length that its next sub-step may have
  std::map<collision::ContactId, Eigen::Matrix3Xd> impulses_;  // over the step
  bool follows_turns_ = false;  // of the step: lengths that follow the turn of a slip matter
  bool forces_open_ = false;
  std::string why_not_;
};

}  // namespace stickslip::sensitivity
