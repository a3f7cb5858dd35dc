// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The terms of one contact in a first-order step, written once for all steps of that order (stewart_trinkle.h and its
// fixed-size kernel, euler_step.h, the first-order part of second_order.h), and for their derivatives (sensitivity/):
//
//     u = W r + q,      q_n = J_n v_free + s(psi),      q_t = J_t (v_free + v_drive),      |r_t| <= mu r_n
//
//   s(psi)   psi / h for a gap that may close. An overlap leaves within a whole step at the soonest, and not faster
//            than parting_limit() says (rest.h); without inertia nothing is thrown, and there is no such limit.
//            Prescribed bodies stand in psi where they will be at the end of h, and their motion enters only there.
//   mu       static while the contact sticks, kinetic while it slides; one that was open is taken by how it meets
//   r        starts from the force of the last step
//
// Symbol     variable          meaning
//   J        ContactRows       normal, tangents
//   v_free   free              velocities at the end of the step without contacts (contact/body_dynamics.h)
//   v_drive  drive             of prescribed degrees of freedom at the end of the step
//   v        start             velocities at the start of the step
//   psi      gap               without what rounding leaves of it
//
// Cost: O(1) per contact.
#pragma once

#include "stickslip/contact/contact_response.h"
#include "stickslip/contact/material.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/rest.h"
#include "stickslip/stepping/world.h"

#include <algorithm>
#include <limits>

namespace stickslip::stepping {

// Velocities of the two bodies of a contact.
struct PairVelocities {
  const model::Twist &a, &b;
};

// The velocities that meet in a contact.
struct ContactMotion {
  PairVelocities free, drive, start;
  bool driven;  // one of the bodies is prescribed
};

// q_n without s(psi), and q_t.
template <int D>
inline void set_free_terms(const contact::ContactRows& rows, const PairVelocities& free, const PairVelocities& drive,
                           bool driven, double* q) {
  for (int k = 0; k < D; ++k) q[k] = contact::velocity_along<D>(rows, k, free.a, free.b);
  if (!driven) return;
  for (int k = 1; k < D; ++k) q[k] += contact::velocity_along<D>(rows, k, drive.a, drive.b);
}
inline void set_free_terms(int dimension, const contact::ContactRows& rows, const PairVelocities& free,
                           const PairVelocities& drive, bool driven, double* q) {
  if (dimension == 2)
    set_free_terms<2>(rows, free, drive, driven, q);
  else
    set_free_terms<3>(rows, free, drive, driven, q);
}

// s(psi). `at`: where the gap was evaluated; driven: J_n v_drive; whole_step: of the run, h may be a part of it.
[[nodiscard]] inline double gap_term(const World& world, const collision::Contact& contact, const model::State& at,
                                     double gap, const PairVelocities& start, double driven, double h,
                                     double whole_step) {
  return closing_speed(gap, h, whole_step, driven, [&] {
    if (world.method.motion != MotionModel::Dynamic) return std::numeric_limits<double>::infinity();
    return parting_limit(contact, at, start.a, start.b, world.model.gravity.norm(), h);
  });
}

// The same for a contact whose rows are those of its gap.
template <int D>
[[nodiscard]] inline double rigid_gap_term(const World& world, const collision::Contact& contact,
                                           const contact::ContactRows& rows, const model::State& at,
                                           const ContactMotion& v, double h, double whole_step) {
  return gap_term(world, contact, at, without_rounding_noise(contact, at), v.start,
                  v.driven ? contact::velocity_along<D>(rows, 0, v.drive.a, v.drive.b) : 0.0, h, whole_step);
}

// ds / dpsi while the overlap leaves as it does: at once, over a whole step, or as fast as the limit lets it (whose own
// change is left out).
[[nodiscard]] inline double gap_slope(const World& world, const collision::Contact& contact, const model::State& at,
                                      double gap, const PairVelocities& start, double driven, double h,
                                      double whole_step) {
  const double overlap = gap - h * driven, longer = std::max(h, whole_step);
  if (gap >= 0 || overlap >= 0) return 1 / h;
  if (world.method.motion == MotionModel::Dynamic &&
      -overlap / longer > parting_limit(contact, at, start.a, start.b, world.model.gravity.norm(), h))
    return 0;
  return 1 / longer;
}

// mu; sets the mode of a contact that was open.
[[nodiscard]] inline double friction_term(const World& world, const collision::Contact& contact,
                                          const contact::ContactRows& rows, const PairVelocities& start,
                                          contact::Mode& mode) {
  if (mode == contact::Mode::Open) mode = mode_before_touch(rows, world.model.dimension, start.a, start.b);
  return contact::friction_coefficient(world.model.surfaces[index(contact.surface)], mode);
}

// r to start from.
inline void set_start(const contact::ContactRows& rows, int dimension, const Vec3& force, double h, double* r) {
  for (int k = 0; k < dimension; ++k) r[k] = h * force.dot(rows.direction[k]);
}

}  // namespace stickslip::stepping
