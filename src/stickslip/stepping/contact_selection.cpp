// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/contact_selection.h"

#include "stickslip/stepping/compliant_contacts.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/corner_pass.h"
#include "stickslip/stepping/impact_law.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"
#include "stickslip/stepping/step_terms.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::relative_velocity;

namespace {

double approach_of(const collision::Contact& contact, const model::State& state) {
  contact::ContactRows row;
  contact::set_rows<3>(contact, state, row);
  return -relative_velocity(row, 0, state.bodies[index(row.a)].velocity, state.bodies[index(row.b)].velocity);
}

}  // namespace

// How far bodies can get is not known before the solve: as far as forces alone change their velocity (without inertia:
// as fast as forces move them against their damping), and without inertia as fast as what drives them.
void ContactSelection::find(World& world, CompliantContacts& compliant, StepData& step) {
  rim_points_added_ = false;
  double change = 0;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (step.motion.model != MotionModel::Dynamic) change = std::max(change, step.speed_of(step.drive[i]));
    if (!world.traits[i].movable) continue;
    // Where nothing damps a body, forces alone do not decide how fast it is: the balance does.
    const model::Body& body = world.model.bodies[i];
    const bool damped = body.linear_damping > 0 && (body.angular_damping > 0 || !world.traits[i].free_rotation);
    if (step.motion.model == MotionModel::QuasiStatic && !damped) continue;
    change = std::max(change, step.speed_of(scaled_sum(1, step.free[i], -1, step.reference[i])));
  }
  acceleration_ = change / step.h;
  step.contacts = world.contacts;
  if (step.rules.end_geometry)
    std::erase_if(step.contacts, [](const collision::Contact& contact) { return contact.id.element > 0; });
  world.collider.find(world.model, step.at, 2 * step.h * change, step.h, step.contacts);
  if (!step.rules.closed_only) leave_out_passing(world, step.h, step.contacts);
  if (compliant.has_patches()) compliant.divide_patches(world, step);
  carry_over(world.memory, step.contacts, step.memory);
  open_.clear();
  open_memory_.clear();
  if (step.rules.closed_only)
    choose_closed(step);
  else if (!watched_.empty())
    keep_contacts(step, [&](std::size_t c) { return !std::ranges::binary_search(watched_, step.contacts[c].id); });
  step.overlap.resize(step.contacts.size());
  for (std::size_t c = 0; c < step.contacts.size(); ++c) step.overlap[c] = overlap_left(world, step, step.contacts[c]);
}

// What is left at the end of a step of the overlap at its start (step_terms.h).
double ContactSelection::overlap_left(const World& world, const StepData& step,
                                      const collision::Contact& contact) const {
  if (!(contact.gap < 0) || step.is_compliant(world, contact)) return 0;
  const auto a = index(contact.id.body_a), b = index(contact.id.body_b);
  double driven = 0;
  if (!step.rules.closed_only && (world.traits[a].driven || world.traits[b].driven)) {
    contact::ContactRows row;
    contact::set_rows<3>(contact, step.at, row);
    driven = relative_velocity(row, 0, step.drive[a], step.drive[b]);
  }
  const double speed =
      gap_term(world, contact, step.at, contact.gap, {world.state.bodies[a].velocity, world.state.bodies[b].velocity},
               driven, step.h, step.whole_step);
  return speed == contact.gap / step.h ? 0.0 : std::min(0.0, contact.gap - step.h * speed);
}

bool ContactSelection::add_rim_points(World& world, StepData& step) {
  if (step.contacts.size() < 2) return false;
  if (!world.collider.find_more(world.model, step.at, step.velocity, step.h, step.contacts, more_)) return false;
  std::erase_if(more_, [&](const collision::Contact& contact) { return step.is_compliant(world, contact); });
  for (const collision::Contact& contact : more_) {
    const auto at =
        std::ranges::lower_bound(step.contacts, contact.id, {}, &collision::Contact::id) - step.contacts.begin();
    ContactMemory memory;
    memory.id = contact.id;
    const auto known = std::ranges::lower_bound(world.memory, contact.id, {}, &ContactMemory::id);
    if (known != world.memory.end() && known->id == contact.id) memory = *known;
    step.contacts.insert(step.contacts.begin() + at, contact);
    step.memory.insert(step.memory.begin() + at, memory);
    step.overlap.insert(step.overlap.begin() + at, overlap_left(world, step, contact));
  }
  if (more_.empty()) return false;
  step.warm = false;
  rim_points_added_ = true;
  return true;
}

double ContactSelection::acceleration_of(const collision::Contact& contact, const model::State& state) const {
  double acceleration = acceleration_;
  for (const auto& [body, point] :
       {std::pair{contact.id.body_a, &contact.point_a}, {contact.id.body_b, &contact.point_b}}) {
    const model::BodyState& s = state.bodies[index(body)];
    acceleration += s.velocity.angular.squaredNorm() * (*point - s.pose.position).norm();
  }
  return 2 * acceleration;
}

double ContactSelection::drift_of(const StepData& step, const collision::Contact& contact,
                                  const model::State& state) const {
  if (step.motion.model != MotionModel::Dynamic) return 0;
  return 0.5 * step.whole_step * step.whole_step * acceleration_of(contact, state);
}

bool ContactSelection::closed(const StepData& step, const collision::Contact& contact,
                              const model::State& state) const {
  if (contact.gap <= kClosedGap * arm_of(contact, state)) return true;
  const double drift = drift_of(step, contact, state);
  return contact.gap <= drift && std::fabs(approach_of(contact, state)) * step.whole_step <= 2 * drift;
}

void ContactSelection::find_closed(World& world, const StepData& step,
                                   std::vector<collision::Contact>& contacts) const {
  double margin = 0;
  contacts.insert(contacts.end(), world.contacts.begin(), world.contacts.end());
  contacts.insert(contacts.end(), step.contacts.begin(),
                  step.contacts.end());  // those of the trial: one may have just closed
  for (const collision::Contact& contact : contacts)
    margin = std::max(margin, kClosedGap * arm_of(contact, world.state) + drift_of(step, contact, world.state));
  contacts = world.contacts;
  world.collider.find(world.model, world.state, margin, 0, contacts);
  std::erase_if(contacts, [&](const collision::Contact& contact) {
    return step.is_compliant(world, contact) || !closed(step, contact, world.state);
  });
}

template <class TakesPart>
void ContactSelection::keep_contacts(StepData& step, TakesPart takes_part) {
  std::size_t kept = 0;
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    if (takes_part(c)) {
      step.contacts[kept] = step.contacts[c];
      step.memory[kept++] = step.memory[c];
    } else {
      open_.push_back(step.contacts[c]);
      open_memory_.push_back(step.memory[c]);
    }
  }
  step.contacts.resize(kept);
  step.memory.resize(kept);
}

void ContactSelection::merge_open(StepData& step) {
  for (std::size_t c = 0; c < open_.size(); ++c) {
    const auto at = std::ranges::lower_bound(step.memory, open_[c].id, {}, &ContactMemory::id);
    step.contacts.insert(step.contacts.begin() + (at - step.memory.begin()), open_[c]);
    open_memory_[c].mode = contact::Mode::Open;
    open_memory_[c].touched_before = open_memory_[c].touching = false;
    open_memory_[c].force.setZero();
    step.memory.insert(at, open_memory_[c]);
  }
}

// Contacts that are closed, or were pressed together in the step before: psi/h takes out what they drift.
void ContactSelection::choose_closed(StepData& step) {
  const auto takes_part = [&](std::size_t c) {
    return step.memory[c].touching || closed(step, step.contacts[c], step.at);
  };
  keep_contacts(step, takes_part);
  // One that has just closed and whose bodies still approach, faster than by resting: an impact comes before the step.
  meets_ = false;
  for (std::size_t c = 0; c < step.contacts.size() && !meets_; ++c)
    meets_ = !step.memory[c].touching &&
             approach_of(step.contacts[c], step.at) > settling_speed(step, step.contacts[c], step.at);
}

// The slowest approach that is an impact: above what forces and turning give a resting contact within a step.
double ContactSelection::settling_speed(const StepData& step, const collision::Contact& contact,
                                        const model::State& state) const {
  const double noise = kVelocityNoise * (step.speed_of(state.bodies[index(contact.id.body_a)].velocity) +
                                         step.speed_of(state.bodies[index(contact.id.body_b)].velocity));
  return std::max(noise, 2 * drift_of(step, contact, state) / step.whole_step);
}

bool ContactSelection::add_impacts(const World& world, const StepData& step, bool inelastic_too,
                                   std::vector<collision::ContactId>& ids) const {
  if (step.motion.model != MotionModel::Dynamic) return false;
  const std::vector<model::Twist>& fall = step.falling();
  bool any = false;
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const ContactMemory& memory = step.memory[c];
    if (!memory.touching || memory.touched_before || step.is_compliant(world, step.contacts[c])) continue;
    const contact::ContactRows& row = step.rows[c];
    const auto a = index(row.a), b = index(row.b);
    const double start = relative_velocity(row, 0, step.reference[a], step.reference[b]);
    const double approach = -start - relative_velocity(row, 0, step.drive[a], step.drive[b]);
    const double falling = (start - relative_velocity(row, 0, fall[a], fall[b])) / step.h;
    const double e = world.model.surfaces[index(step.contacts[c].surface)].restitution;
    const double settling = settling_speed(step, step.contacts[c], world.state);
    // A corner that turns past another body meets it on the way in and is already on its way out where the step ends.
    // Pressed apart there, the two would gain energy: they have met before.
    const bool parting = step.rules.end_geometry && -approach > settling;
    if (!rebounds(e, approach, falling, step.whole_step) && !(inelastic_too && approach > settling) && !parting)
      continue;
    const auto at = std::ranges::lower_bound(ids, step.contacts[c].id);
    if (at != ids.end() && *at == step.contacts[c].id) continue;
    ids.insert(at, step.contacts[c].id);
    any = true;
  }
  return any;
}

}  // namespace stickslip::stepping
