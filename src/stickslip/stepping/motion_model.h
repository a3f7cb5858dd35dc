// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The three motion models as one linear equation per body,
//
//     A v+ = c + J' p,     A = a M + h C,     c = a M v_ref + h f
//
//   dynamic        a = 1, v_ref = v       Newton and Euler, damping implicit
//   first-order    a = 0                  a world of dampers: velocity is proportional to force
//   quasi-static   a -> 0                 forces balance; v_ref = the last iterate
//
// Quasi-static motion has no A to invert. It is found by proximal steps: with a small weight a, each solve answers
// a M (v - v_ref) = h f + J' p, and v_ref is then moved to v, until a M (v - v_ref) is nothing beside the forces. What
// remains is equilibrium, whatever a is; a only sets how fast it is reached. Starting from v_ref = 0 selects, where
// forces leave the motion open, the smallest one. Two ways to have no solution are told apart by what grows:
// velocities (forces that nothing balances) or impulses (jamming: no motion satisfies the contacts).
//
// Symbol   variable            meaning
//   a      weight              proximal weight; a M V = kShare h F for V the speeds, F the forces of the scene
//   C      Body::linear_damping, angular_damping
//   f      Wrench              gravity and applied forces (contact/body_dynamics.h)
//   J, p                       contact rows and impulses
//
// The motion models: Berard et al. 2007, section II. Cost: one evaluation of the forces per body.
#pragma once

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/stepping/method.h"

#include <string>

namespace stickslip::stepping {

// v_free = A^-1 (a M v_ref + h f) = v_ref + A^-1 h (f - C v_ref), written so that a free body keeps its bits. A^-1 is
// given; gyroscopic: a body that tumbles in space, whose angular velocity after h of torque-free motion from
// `orientation` takes the place of that of v_ref.
inline void set_free_velocity(const model::Body& body, const contact::BodyTraits& traits,
                              const contact::BodyDynamics& dynamics, const model::Wrench& wrench,
                              const model::Twist& reference, const Quat& orientation, double h, bool gyroscopic,
                              model::Twist& free) {
  free.linear = dynamics.inverse_mass.cwiseProduct(h * (wrench.force - body.linear_damping * reference.linear));
  for (std::size_t k = 0; k < 3; ++k)
    if (traits.free_translation[k]) free.linear[static_cast<int>(k)] += reference.linear[static_cast<int>(k)];
  if (!traits.free_rotation) return;
  const Vec3 w = gyroscopic && !traits.isotropic && !traits.locked_rotation
                     ? contact::gyroscopic_step(body.inertia, orientation, reference.angular, h)
                     : reference.angular;
  free.angular = w + dynamics.inverse_inertia * (h * (wrench.torque - body.angular_damping * w));
}

// A^-1 of one body and the velocity that it has without contacts.
struct BodyMotion {
  MotionModel model = MotionModel::Dynamic;
  double h = 0, weight = 1;

  void evaluate(const model::Model& world, int body, const contact::BodyTraits& traits, const model::BodyState& start,
                const model::State& forces_at, const model::Twist& reference, contact::BodyDynamics& dynamics,
                model::Twist& free) const;
};

// Empty when the motion model makes sense for the bodies; else what to change.
[[nodiscard]] std::string objection_to_motion(MotionModel motion, const model::Model& model);

}  // namespace stickslip::stepping
