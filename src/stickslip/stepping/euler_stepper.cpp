// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/euler_stepper.h"

namespace stickslip::stepping {

StepReport EulerStepper::advance(World& world, double h, double end_time) {
  StepReport report;
  if (step_.solve(world, h, end_time, report, failure_))
    step_.commit(world);
  else
    report.certified = false;
  return report;
}

}  // namespace stickslip::stepping
