// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Second order for bodies on supports (2.5D): local extrapolation of the implicit Euler step.
//
//     y_h: one step of h,   y_hh: two steps of h/2,      y = 2 y_hh - y_h        (positions, angle and velocities)
//
// The error of one Euler step is c h^2 + O(h^3) where friction varies smoothly, and two half steps make c h^2 / 2:
// their combination is free of it. Sliding on supports is smooth except in the instant of rest, which costs O(h^2)
// once. Bodies that touch or hit each other within the step keep y_hh: a combination of two states without penetration
// may penetrate. Impacts: euler_stepper.h.
//
// Richardson extrapolation: Hairer, Norsett and Wanner 1993, II.4. Cost: three contact solves per step. Planar bodies
// only.
#pragma once

#include "stickslip/stepping/euler_stepper.h"

namespace stickslip::stepping {

class ExtrapolatedEuler final : public Stepper {
 public:
  ExtrapolatedEuler() : coarse_(EulerRules{}), fine_(EulerRules{}) {}
  StepReport advance(World& world, double h, double end_time) override;
  void save(ByteWriter& out) const override;
  void restore(ByteReader& in) override;

 private:
  void mark_touching(std::span<const collision::Contact> contacts, std::span<const ContactMemory> memory);

  void add(const StepReport& half, StepReport& report);

  EulerStep coarse_;
  EulerStepper fine_;
  World::Snapshot start_;
  std::vector<Event> events_;
  std::vector<char> touched_;  // bodies that touched another one within the step
};

}  // namespace stickslip::stepping
