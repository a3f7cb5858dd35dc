// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Steppers that are one EulerStep per step: fully implicit geometry, Song-Pang-Kumar, and Stewart-Trinkle for the
// motion models and supports that stewart_trinkle.h does not know.
//
// Restitution of rigid contacts is Newton's, one step late, as in stewart_trinkle.h; compliant contacts need none.
#pragma once

#include "stickslip/stepping/euler_step.h"

namespace stickslip::stepping {

class EulerStepper final : public Stepper {
 public:
  explicit EulerStepper(EulerRules rules) : step_(rules) {}
  StepReport advance(World& world, double h, double end_time) override;
  void save(ByteWriter& out) const override { step_.save(out); }
  void restore(ByteReader& in) override { step_.restore(in); }

 private:
  EulerStep step_;
};

}  // namespace stickslip::stepping
