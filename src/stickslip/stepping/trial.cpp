// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/trial.h"

#include "stickslip/stepping/contact_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Mode;
using contact::relative_velocity;

double touch_tolerance(const ContactStart& start, const ContactTrial& contact, double h) {
  const double size = contact.contact.point_a.lpNorm<1>() + contact.contact.point_b.lpNorm<1>();
  return kInstantGapNoise * size + 1e-12 * h * std::fabs(start.velocity[0]);
}

void TrialData::begin(const World& world, double H, double step_end) {
  const std::size_t n = world.model.bodies.size();
  time = world.state.time;
  end_time = step_end;
  nearly_end = H * (1 - 1e-12);
  whole_step = std::max(H, world.method.step);
  // Movable bodies are placed by predictions, driven ones by place_driven(); what others read of a body that is neither
  // in the component (force functions) must be of now.
  const bool all = std::ranges::any_of(world.traits, [](const contact::BodyTraits& traits) { return traits.pushed; });
  for (Scratch* scratch : {&mid, &end}) {
    if (all || scratch->state.bodies.size() != n) scratch->state.bodies = world.state.bodies;
    scratch->placed.assign(n, std::numeric_limits<double>::quiet_NaN());
  }
  if (dynamics.size() == n) return;
  dynamics.resize(n);
  turns_freely.assign(n, 0);
  for (auto* list : {&free, &jerk, &drive_mid, &drive_end}) list->resize(n);
}

void TrialData::place_driven(const World& world, const Component& component, double when, Scratch& scratch) const {
  scratch.state.time = when;
  for (int b : component.driven) {
    if (scratch.placed[index(b)] == when) continue;
    scratch.placed[index(b)] = when;
    model::apply_drive(world.model.bodies[index(b)].drive, when, scratch.state.bodies[index(b)]);
    take_side(world, index(b), when, DriveJumps::Side::Before, scratch.state.bodies[index(b)]);
  }
}

const model::State& TrialData::place_ends(const World& world) {
  end.state.time = end_time;
  for (std::size_t b = 0; b < world.traits.size(); ++b) {
    if (!world.traits[b].driven) continue;
    end.placed[b] = end_time;
    model::apply_drive(world.model.bodies[b].drive, end_time, end.state.bodies[b]);
    take_side(world, b, end_time, DriveJumps::Side::Before, end.state.bodies[b]);
  }
  return end.state;
}

// Drives are functions that may be long: what stands in `end` already is copied.
void TrialData::place(const World& world, std::size_t b, double when, model::BodyState& state) const {
  if (end.placed[b] == when && !world.traits[b].movable)
    state = end.state.bodies[b];
  else
    model::apply_drive(world.model.bodies[b].drive, when, state);
  take_side(world, b, when, DriveJumps::Side::After, state);
}

void TrialData::place_all_driven(const World& world, double when, model::State& state) const {
  for (std::size_t b = 0; b < world.traits.size(); ++b)
    if (world.traits[b].driven) place(world, b, when, state.bodies[b]);
}

void TrialData::place_start(World& world, const Component& component) const {
  for (int b : component.driven) place(world, index(b), world.state.time, world.state.bodies[index(b)]);
}

bool TrialData::solve(const World& world, std::span<ContactMemory> memory) {
  if (closed.empty()) return true;
  contact::Island& island = system.islands()[0];
  if (frozen != nullptr) {
    do {
      if (!solve_frozen()) return false;
    } while (weaken_broken_contacts(world.model, closed_contacts, memory, island));
    return true;
  }
  solver_.solve(world.method, island);
  return solver_.finish(world, {system, dynamics, closed_contacts, memory}, island,
                        world.method.friction == FrictionLaw::Cone, report);
}

bool TrialData::solve_frozen() {
  contact::Island& island = system.islands()[0];
  const auto D = index(system.dimension());
  frozen_modes.laws.clear();
  for (std::size_t c = 0; c < closed.size(); ++c) {
    const ContactTrial& of = frozen->contacts[index(closed[c])];
    const bool is_closed = first_pass ? of.closed_first : of.closed, slides = first_pass ? of.slides_first : of.slides;
    frozen_modes.laws.push_back(!is_closed ? FrozenModes::Law::Open
                                : slides   ? FrozenModes::Law::Slide
                                           : FrozenModes::Law::Stick);
    for (std::size_t k = 0; k < D; ++k) island.r[c * D + k] = first_pass ? of.p_first[k] : of.p[k];
  }
  island.summary.residual.error = 0;
  return frozen_modes.solve(island.problem, island.r);
}

void TrialData::keep_first_pass(Trial& trial) const {
  for (int c : closed) {
    ContactTrial& out = trial.contacts[index(c)];
    std::copy_n(out.p, 3, out.p_first);
    out.closed_first = out.closed;
    out.slides_first = out.slides;
  }
}

void TrialData::take_velocities(const World& world, const Component& component, Trial& trial) {
  bodies_.clear();
  for (const BodyStart& start : component.bodies) {
    bodies_.push_back(start.body);
    end.state.bodies[index(start.body)].velocity = free[index(start.body)];
  }
  if (!closed.empty()) rest.apply_impulses(system, dynamics, free, bodies_, end.state);
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const contact::BodyTraits& traits = world.traits[b];
    model::Twist& v = end.state.bodies[b].velocity;
    const model::Twist before = part_of(traits, world.state.bodies[b].velocity, true);
    trial.acceleration[k] = scaled_sum(1 / trial.h, v, -1 / trial.h, before);
    acceleration[k] = trial.acceleration[k];
    if (traits.driven) v = scaled_sum(1, v, 1, drive_end[b]);
    trial.bodies[k].velocity = v;
  }
}

void TrialData::take_contacts(const Component& component, Trial& trial) {
  const int D = system.dimension();
  for (ContactTrial& contact : trial.contacts) {
    contact.closed = contact.slides = false;
    contact.g[0] = 0;  // took no part
  }
  if (closed.empty()) return;
  const contact::Island& island = system.islands()[0];
  double scale = 0;
  slip.resize(closed.size());
  for (std::size_t c = 0; c < closed.size(); ++c) {
    const ContactStart& start = component.contacts[index(closed[c])];
    ContactTrial& out = trial.contacts[index(closed[c])];
    const double* block = island.problem.W.value.data() + island.problem.W.diagonal[c] * D * D;
    const ContactRows& rows = rows_end[c];
    const model::Twist &va = end.state.bodies[index(rows.a)].velocity, &vb = end.state.bodies[index(rows.b)].velocity;
    double squared = 0;
    out.impulse.setZero();
    for (int k = 0; k < D; ++k) {
      out.p[k] = island.r[c * index(D) + index(k)];
      out.impulse += out.p[k] * rows_mid[c].direction[k];
      out.g[k] = block[k * D + k];
      const double q = island.problem.q[c * index(D) + index(k)];
      const bool mean_law = k > 0 && start.mode == Mode::Slide && !start.end_law;
      out.u1[k] = relative_velocity(rows, k, va, vb);
      const double u = mean_law ? out.u1[k] + start.velocity[k] : out.u1[k];  // what friction opposes
      scale = std::max(scale, std::fabs(q) + out.g[k] * std::fabs(out.p[k]));
      if (k > 0) squared += u * u;
    }
    out.closed = out.p[0] > 0;
    slip[c] = std::sqrt(squared);
  }
  // Velocities are differences of velocities, and no better than the solver's answer.
  const double noise = scale * std::max(4e-12, 10 * island.summary.residual.error);
  for (std::size_t c = 0; c < closed.size(); ++c) {
    ContactTrial& out = trial.contacts[index(closed[c])];
    out.slides = out.closed && slip[c] > noise;
    if (frozen == nullptr) continue;
    const ContactTrial& of = frozen->contacts[index(closed[c])];
    out.closed = first_pass ? of.closed_first : of.closed;
    out.slides = first_pass ? of.slides_first : of.slides;
  }
}

}  // namespace stickslip::stepping
