// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Newton and Euler for one body over one step: what its velocity becomes without contacts, and how it answers impulses.
//
//     M v+ = M v + h (f - C v_theta) + gyroscopic + J' p        v_theta = (1 - theta) v + theta v+
//
// so that   v+ = v_free + A^-1 J' p,   A = M + theta h C.
//
// Symbol            variable            meaning
//   A^-1            BodyDynamics        inverse_mass (per world axis) and inverse_inertia (world frame)
//   v_free          Twist               velocity at the end of the step if nothing touched
//   C               Body::linear_damping, angular_damping
//   theta           damping_weight      1: implicit (Stewart-Trinkle), 1/2: midpoint (second order)
//
// A prescribed degree of freedom has inverse mass 0 and its drive's velocity; a body of mass 0 without a drive stands
// still. Rotations locked about world axes: the inertia of the remaining axes is inverted, the locked rows are 0.
//
// The gyroscopic term of the first-order stepper is the implicit midpoint rule in the body frame,
//     I (w1 - w0) + h w_m x I w_m = 0,   w_m = (w0 + w1) / 2,
// which keeps kinetic energy and the length of the angular momentum exactly (both are quadratic). Turning the body with
// exp(h w1) leaves w1's body components as they are, so the free top neither gains nor loses energy at any step size.
//
// Cost: a few flops for particles, planar bodies and isotropic inertia; about 150 otherwise. No allocation.
#pragma once

#include "stickslip/model/model.h"

#include <array>
#include <vector>

namespace stickslip::contact {

// What is constant in a run about a body's degrees of freedom.
struct BodyTraits {
  std::array<bool, 3> free_translation{};  // per world axis
  bool free_rotation = false;              // about z (planar) or in space
  bool locked_rotation = false;            // spatial, some world axes locked
  bool isotropic = true;                   // the inertia is the same about all axes (or only one axis exists)
  bool movable = false;                    // any free degree of freedom
  bool driven = false;                     // any prescribed degree of freedom with a drive
  bool pushed = false;                     // any force besides gravity
};
[[nodiscard]] std::vector<BodyTraits> body_traits(const model::Model& model);

struct BodyDynamics {
  Vec3 inverse_mass = Vec3::Zero();     // per world axis, 0 where prescribed
  Mat3 inverse_inertia = Mat3::Zero();  // world frame
  bool movable = false;
};

// A^-1 of a body in the given orientation; damping_time = theta h.
void evaluate_inertia(const model::Body& body, const BodyTraits& traits, const Quat& orientation, double damping_time,
                      BodyDynamics& dynamics);

// Gravity, the body's force functions, nothing else.
[[nodiscard]] model::Wrench applied_wrench(const model::Model& model, int body, const BodyTraits& traits,
                                           const model::State& state);

// Inertia in the world frame times a world vector.
[[nodiscard]] Vec3 angular_momentum(const model::Body& body, const Quat& orientation, const Vec3& angular_velocity);

// Angular velocity (world frame) after h of torque-free motion by the implicit midpoint rule in the body frame.
[[nodiscard]] Vec3 gyroscopic_step(const Mat3& inertia, const Quat& orientation, const Vec3& angular_velocity,
                                   double h);

// Torque-free motion over h to fourth order: turns the orientation and returns the angular velocity (world frame)
// after it. Three steps of the midpoint rule, of 1.35 h, -1.70 h and 1.35 h (Yoshida's composition), each of which
// keeps the energy and the length of the angular momentum; the body turns by the mean of the angular velocities before
// and after, which makes each step symmetric in time.
[[nodiscard]] Vec3 free_turn(const Mat3& inertia, const Vec3& angular_velocity, double h, Quat& orientation);

[[nodiscard]] double kinetic_energy(const model::Model& model, const model::State& state);
[[nodiscard]] double potential_energy(const model::Model& model, const model::State& state);  // of gravity

}  // namespace stickslip::contact
