// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What contacts carry from step to step: modes, warm starts, which friction coefficient bounds them.
//
//     before a solve   mu by mode: static while the contact sticks, kinetic while it slides   friction_term()
//     after it         r on the cone and slipping, held by static friction: kinetic, again    weaken_broken_contacts()
//                      r_n = 0: open;  |u_t| above noise: slide;  turning: roll;  else stick  record_outcome()
//                      (a point or a corner that turns without slipping sticks: rolls())
//
//     noise = max(kVelocityNoise, certificate) (|v| + |q|)  +  what the certificate of the island leaves unknown of u
//     (noise.h)
//
// Symbol   variable      meaning
//   r, u   r, u          impulse and relative velocity, contact frame
//   q      q             velocities without the impulses
//
// Cost: linear in the contacts; weakening, in the stored blocks of W of contacts at the bound of static friction.
#pragma once

#include "stickslip/contact/contact_response.h"
#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"
#include "stickslip/stepping/world.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace stickslip::stepping {

// memory[c] for each contact: what `before` knows of the same id, else a fresh entry. Both lists in canonical order.
void carry_over(const std::vector<ContactMemory>& before, const std::vector<collision::Contact>& contacts,
                std::vector<ContactMemory>& memory);

// Adds contacts to a list in canonical order.
void insert_contacts(const std::vector<collision::Contact>& more, std::vector<collision::Contact>& contacts);
// So often at most a step is solved again with contacts that Collider::find_more adds: each time the part of a rim on
// which a body tips is halved, and what the point between would sink in falls to a quarter.
constexpr int kMostRimRounds = 12;

// How a contact that was not touching meets: at rest against each other (static friction holds) or sliding.
[[nodiscard]] contact::Mode mode_before_touch(const contact::ContactRows& rows, int dimension, const model::Twist& a,
                                              const model::Twist& b);

// Contacts held by static friction that slip although it is used up get the kinetic coefficient (and mode Slide). True
// when any did: the problem has to be solved again. What an island lists beyond `memory` is a support.
[[nodiscard]] bool weaken_broken_contacts(const model::Model& model, std::span<const collision::Contact> contacts,
                                          std::span<ContactMemory> memory, contact::Island& island);
// Is a contact held by static friction alone, and at its bound up to rounding? r: impulses, mu: the bound's.
[[nodiscard]] inline bool uses_up_static_friction(const model::Surface& surface, contact::Mode mode, double mu,
                                                  const double* r, int dimension) {
  return mode != contact::Mode::Slide && surface.friction_static != surface.friction_kinetic && r[0] > 0 &&
         tangential_norm(r, dimension) >= mu * r[0] * (1 - kVelocityNoise);
}

// Chains have no inside: Collider::find must be given the contacts of the last step, which tell on which side
// bodies were. Other shapes do without the copy.
[[nodiscard]] bool has_chains(const model::Model& model);

// Mode, force and relative velocity after a solve: r impulses, q velocities without them, va and vb velocities after
// it. Slip below `noise`, or below `certificate` of the velocities that meet in the contact, is none: a certified
// answer may leave so much of a velocity that is zero, and so may an iteration of the geometry that ends at that
// tolerance.
void record_outcome(const contact::ContactRows& rows, const model::Model& model, const double* r, const double* q,
                    const model::Twist& va, const model::Twist& vb, double h, double certificate, double noise,
                    ContactMemory& memory);

// Do the bodies turn against each other about an axis in the contact's tangent plane, so that the contact moves over both
// of them? Turning that moves the contact point by less than `noise` is none, and so is turning about a particle, the
// point of a tripod or a corner: the contact stays where it is on that body.
[[nodiscard]] bool rolls(const contact::ContactRows& rows, const model::Model& model, const collision::ContactId& id,
                         const model::Twist& a, const model::Twist& b, double noise);

// record_outcome() in a fixed size.
template <int D>
inline void record_fixed_outcome(const contact::ContactRows& rows, const model::Model& model, const double* r,
                                 const double* q, const model::Twist& va, const model::Twist& vb, double h,
                                 double certificate, double noise, ContactMemory& memory) {
  double u[3] = {}, scale = va.linear.lpNorm<1>() + vb.linear.lpNorm<1>();
  const double rate = 1 / h;
  memory.force.setZero();
  memory.relative_velocity.setZero();
  for (int k = 0; k < D; ++k) {
    u[k] = contact::velocity_along<D>(rows, k, va, vb);
    scale += std::fabs(q[k]);
    memory.force += r[k] * rate * rows.direction[k];
    memory.relative_velocity += u[k] * rows.direction[k];
  }
  memory.touched_before = memory.touching;
  memory.touching = r[0] > 0;
  if (!memory.touching)
    memory.mode = contact::Mode::Open;
  else if (tangential_norm(u, D) > std::max(kVelocityNoise, certificate) * scale + noise)
    memory.mode = contact::Mode::Slide;
  else
    memory.mode = rolls(rows, model, memory.id, va, vb, noise) ? contact::Mode::Roll : contact::Mode::Stick;
}

}  // namespace stickslip::stepping
