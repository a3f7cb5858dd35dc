// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The rules of the first-order family, and what one implicit Euler step (euler_step.h) works on. The parts of the step
// read and fill it in this order:
//
//     field                      filled by                            with
//     at                         EulerStep, EndGeometry               the configuration where rows are evaluated: the
//                                                                     start of the step, then estimates of its end
//     dynamics, free             EulerStep (motion_model.h)           A^-1 and v_free of each body
//     drive                      EulerStep                            velocities of prescribed degrees of freedom
//     contacts, memory, overlap  ContactSelection, EndGeometry        contacts that take part
//     rows, system               ContactEquations                     J, W, q, mu of each island; then its impulses r
//     velocity, end              ContactEquations                     v+, and the end of the step
//
// Lists per body have one entry more than there are bodies, for a plane that stands still (supports without a body).
#pragma once

#include "stickslip/contact/compliance.h"
#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/bending.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/motion_model.h"
#include "stickslip/stepping/supports.h"
#include "stickslip/stepping/world.h"

#include <algorithm>
#include <vector>

namespace stickslip::stepping {

//   rule             psi+                          which contacts           rows, inertia, forces at
//   (none)           psi(q0) + h W_n' v+           within reach             the start of the step (Stewart-Trinkle)
//   end_geometry     psi(q+), by iteration         within reach             the end of the step (fully implicit)
//   closed_only      psi(q0) + h W_n' v+           closed at the start      the start (velocity level, Anitescu-Potra)
// With rows at the start, surfaces that bend take those of the middle of the step (bending.h). A step of end_geometry
// that would gain energy is taken with the rows of the start (ContactEquations::gains_energy).
struct EulerRules {
  bool end_geometry = false;
  bool compliant = false;  // surfaces deform as their compliance says; else all are rigid
  bool closed_only = false;
};

struct StepData {
  EulerRules rules;

  // Of the run.
  double whole_step = 0;  // h may be a part of it
  double body_arm = 0;    // largest radius of gyration: turns velocities of rotation into speeds
  Supports supports;
  bool bending_shapes = false;  // there are surfaces that bend

  // Of the step.
  BodyMotion motion;
  double h = 0, end_time = 0;
  double gamma = 0;          // impulse that rounds the tip of the friction cone
  int D = 3;                 // rows of a contact
  bool forces_vary = false;  // with the configuration
  bool warm = false;         // the islands' impulses are those of the last iteration

  // Per body. Velocities are those of free degrees of freedom, but for drive.
  std::vector<contact::BodyDynamics> dynamics;
  std::vector<model::Twist> free, drive, reference;  // reference: v_ref of motion_model.h
  std::vector<model::Twist> velocity, last;          // of this iteration and the one before
  model::State at, end;
  // Where supports are not in the problem: v_free without them (they are in free), and the sum of the magnitudes of
  // what they add.
  std::vector<model::Twist> bare, rubbing;

  // Per contact, in canonical order.
  std::vector<collision::Contact> contacts;
  std::vector<ContactMemory> memory;
  std::vector<double> overlap;  // what may be left of the penetration at the start of a part of a step, <= 0

  Bending bending;  // which of them have their rows in the middle of the step

  // Per contact, then per point of a support where those are in the problem.
  std::vector<contact::ContactRows> rows;
  contact::ContactSystem system;

  [[nodiscard]] bool is_support(int c) const { return index(c) >= contacts.size(); }
  [[nodiscard]] bool supports_are_posed() const { return supports.in_problem && !supports.empty(); }

  // The larger of translation and rotation times body_arm.
  [[nodiscard]] double speed_of(const model::Twist& v) const {
    return std::max(v.linear.lpNorm<Eigen::Infinity>(), v.angular.lpNorm<Eigen::Infinity>() * body_arm);
  }

  // The islands' impulses of one form of the problem are no start for the other.
  void put_supports_into_problem(bool put) {
    if (put != supports.in_problem) warm = false;
    supports.in_problem = put;
  }
  // Velocities at the end of the step without contacts and supports.
  [[nodiscard]] const std::vector<model::Twist>& falling() const { return supports.in_problem ? free : bare; }
  // What is left of a velocity below the rounding of the terms that it is the sum of (rest.h).
  void remove_support_noise(std::size_t body, model::Twist& v) const {
    remove_noise(kVelocityNoise * (rubbing[body].linear.x() + bare[body].linear.lpNorm<1>()), v.linear);
    remove_noise(kVelocityNoise * (rubbing[body].angular.z() + bare[body].angular.lpNorm<1>()), v.angular);
  }

  [[nodiscard]] bool is_compliant(const World& world, const collision::Contact& contact) const {
    return rules.compliant && contact::is_compliant(world.model.surfaces[index(contact.surface)].compliance);
  }
  // Null: rigid, or a support.
  [[nodiscard]] const model::Compliance* compliance_of(const World& world, int c) const {
    if (is_support(c) || !is_compliant(world, contacts[index(c)])) return nullptr;
    return &world.model.surfaces[index(contacts[index(c)].surface)].compliance;
  }
};

}  // namespace stickslip::stepping
