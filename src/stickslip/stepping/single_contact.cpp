// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of stewart_trinkle.h.
//
// The Stewart-Trinkle step of a world in which one contact is within reach: what the general path does with rows, an
// island and its problem, on the stack and in a fixed size (D: tangents plus one).
//
//     W = J A^-1 J',  q by step_terms.h,  r by the closed form (one_contact.h),  v+ = v_free + A^-1 J' r
//
// The certificate is evaluated from W, q and r, as for every problem. Whatever is out of the ordinary (another solver
// or friction model, static friction that breaks, an answer above ProblemSolver::kAim) is left to the general path:
// nothing in the world has been changed by then.
#include "stickslip/complementarity/cone/one_contact.h"
#include "stickslip/complementarity/cone/one_contact_residual.h"
#include "stickslip/contact/contact_response.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/step_terms.h"
#include "stickslip/stepping/stewart_trinkle.h"

#include <cmath>

namespace stickslip::stepping {

using contact::BodyDynamics;
using contact::ContactRows;
using contact::Mode;

namespace {

// W += J A^-1 J' of one body.
template <int D>
void add_body(const ContactRows& rows, const Vec3* moment, const Vec3* turn, const BodyDynamics& dynamics, bool turns,
              double* W) {
  if (turns) {
    contact::add_response<D>(rows.direction, moment, rows.direction, turn, dynamics.inverse_mass, 1, W);
    return;
  }
  for (int l = 0; l < D; ++l) {
    const Vec3 push = dynamics.inverse_mass.cwiseProduct(rows.direction[l]);
    for (int k = 0; k < D; ++k) W[k * D + l] += rows.direction[k].dot(push);
  }
}

// v += A^-1 J' r of one body (sign: of the side it is on), rounding noise removed as in rest.h.
template <int D>
void push_body(const ContactRows& rows, const Vec3* turn, const double* r, double sign, const BodyDynamics& dynamics,
               bool turns, const model::Twist& free, model::Twist& v) {
  Vec3 impulse = r[0] * rows.direction[0];
  double sum = std::fabs(r[0]), angular = 0;
  for (int k = 1; k < D; ++k) {
    impulse += r[k] * rows.direction[k];
    sum += std::fabs(r[k]);
  }
  v.linear += sign * dynamics.inverse_mass.cwiseProduct(impulse);
  remove_noise(kVelocityNoise * (sum * dynamics.inverse_mass.maxCoeff() + free.linear.lpNorm<1>()), v.linear);
  if (!turns) return;
  for (int k = 0; k < D; ++k) {
    v.angular += sign * r[k] * turn[k];
    angular += std::fabs(r[k]) * turn[k].lpNorm<1>();
  }
  remove_noise(kVelocityNoise * (angular + free.angular.lpNorm<1>()), v.angular);
}

}  // namespace

template <int D>
bool StewartTrinkle::resolve_single(World& world, double h, StepReport& report) {
  if (contacts_.size() != 1 || !plain_ || resting_.any()) return false;
  const collision::Contact& contact = contacts_[0];
  const auto a = index(contact.id.body_a), b = index(contact.id.body_b);
  const BodyDynamics &dynamics_a = dynamics_[a], &dynamics_b = dynamics_[b];
  if (!dynamics_a.movable && !dynamics_b.movable) return false;
  const bool turns_a = world.traits[a].free_rotation, turns_b = world.traits[b].free_rotation;
  ContactRows rows;
  contact::set_rows<D>(contact, world.state, rows);
  if (turns_a || turns_b) contact::set_turns<D>(dynamics_a, dynamics_b, rows);
  double W[D * D] = {}, q[D], r[D];
  if (dynamics_a.movable) add_body<D>(rows, rows.moment_a, rows.turn_a, dynamics_a, turns_a, W);
  if (dynamics_b.movable) add_body<D>(rows, rows.moment_b, rows.turn_b, dynamics_b, turns_b, W);

  const bool known = world.memory.size() == 1 && world.memory[0].id == contact.id;
  if (!known) carry_over(world.memory, contacts_, memory_);
  const ContactMemory& before = known ? world.memory[0] : memory_[0];
  Mode mode = before.mode;
  const model::Surface& surface = world.model.surfaces[index(contact.surface)];
  const ContactMotion motion = motion_at(world, a, b);
  const double mu = friction_term(world, contact, rows, motion.start, mode);
  set_free_terms<D>(rows, motion.free, motion.drive, motion.driven, q);
  q[0] += rigid_gap_term<D>(world, contact, rows, world.state, motion, h, world.method.step);

  double slip_rate = 0;
  (void)complementarity::solve_frictional_contact<D>(W, q, mu, r, slip_rate);
  if (uses_up_static_friction(surface, mode, mu, r, D)) return false;
  const double error = complementarity::one_contact_error<D>(mu, W, q, r);
  if (!(error <= ProblemSolver::kAim)) return false;
  report.contacts = report.solves = 1;
  report.residual = error;
  report.solver = "one-contact";

  set_free_velocities(world);
  model::Twist &va = world.state.bodies[a].velocity, &vb = world.state.bodies[b].velocity;
  if (r[0] != 0) {
    if (dynamics_a.movable) push_body<D>(rows, rows.turn_a, r, 1, dynamics_a, turns_a, free_[a], va);
    if (dynamics_b.movable) push_body<D>(rows, rows.turn_b, r, -1, dynamics_b, turns_b, free_[b], vb);
  }
  add_drives(world);

  if (!known) world.memory.swap(memory_);
  ContactMemory& memory = world.memory[0];
  memory.mode = mode;
  record_fixed_outcome<D>(rows, world.model, r, q, va, vb, h, world.method.certificate, 0, memory);
  world.contacts.swap(contacts_);
  return true;
}

template bool StewartTrinkle::resolve_single<2>(World& world, double h, StepReport& report);
template bool StewartTrinkle::resolve_single<3>(World& world, double h, StepReport& report);

}  // namespace stickslip::stepping
