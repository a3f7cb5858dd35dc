// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Whether the bodies of a simulation have come to rest: every body that moves freely had no velocity at the ends of
// kRestingSteps steps in a row, or has been slower than a given speed (its centre, and its turning times the unit of
// length) for kSlowTime.
#pragma once

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/model/model.h"

#include <vector>

namespace stickslip::simulation {

class RestWatch {
 public:
  static constexpr int kRestingSteps = 3;
  static constexpr double kSlowTime = 0.1;
  static constexpr double kSpeed = 1e-6;

  // begin: the time at which the watch starts.
  RestWatch(const model::Model& model, double begin, double speed = kSpeed)
      : traits_(contact::body_traits(model)), speed_(speed), slow_since_(begin) {}

  // After each step. True when the bodies rest.
  bool see(const model::State& state);
  [[nodiscard]] bool at_rest() const { return at_rest_; }

 private:
  std::vector<contact::BodyTraits> traits_;
  double speed_;
  double slow_since_;
  int resting_ = 0;  // steps in a row without any velocity
  bool at_rest_ = false;
};

}  // namespace stickslip::simulation
