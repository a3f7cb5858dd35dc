// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// EulerStep: which contacts take part in a step, and which of them are impacts.
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/euler_step.h"
#include "stickslip/stepping/impact_law.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::relative_velocity;

namespace {

constexpr double kTouching = 1e-9;  // gap of a closed contact, relative to the arm of its point

double approach_of(const collision::Contact& contact, const model::State& state) {
  contact::ContactRows row;
  contact::set_rows<3>(contact, state, row);
  return -relative_velocity(row, 0, state.bodies[index(row.a)].velocity, state.bodies[index(row.b)].velocity);
}

}  // namespace

// How far bodies can get is not known before the solve: as far as forces alone change their velocity (without inertia:
// as fast as forces move them against their damping), and without inertia as fast as what drives them.
void EulerStep::find_contacts(World& world) {
  double change = 0;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (motion_.model != MotionModel::Dynamic) change = std::max(change, speed_of(drive_[i]));
    if (!world.traits[i].movable) continue;
    // Where nothing damps a body, forces alone do not decide how fast it is: the balance does.
    const model::Body& body = world.model.bodies[i];
    const bool damped = body.linear_damping > 0 && (body.angular_damping > 0 || !world.traits[i].free_rotation);
    if (motion_.model == MotionModel::QuasiStatic && !damped) continue;
    change = std::max(change, speed_of(scaled_sum(1, free_[i], -1, reference_[i])));
  }
  acceleration_ = change / h_;
  contacts_ = world.contacts;
  if (rules_.end_geometry)
    std::erase_if(contacts_, [](const collision::Contact& contact) { return contact.id.element > 0; });
  world.collider.find(world.model, at_, 2 * h_ * change, h_, contacts_);
  if (has_patches_) divide_patches(world);
  carry_over(world.memory, contacts_, memory_);
  open_.clear();
  open_memory_.clear();
  if (rules_.closed_only)
    choose_closed();
  else if (!watched_.empty())
    leave_out_watched();
  overlap_.resize(contacts_.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) overlap_[c] = overlap_left(world, contacts_[c]);
}

// What is left at the end of a step of the overlap at its start (rest.h: closing_speed). Without inertia nothing is
// thrown.
double EulerStep::overlap_left(const World& world, const collision::Contact& contact) const {
  if (!(contact.gap < 0) || is_compliant(world, contact)) return 0;
  const auto a = index(contact.id.body_a), b = index(contact.id.body_b);
  double driven = 0;
  if (!rules_.closed_only && (world.traits[a].driven || world.traits[b].driven)) {
    contact::ContactRows row;
    contact::set_rows<3>(contact, at_, row);
    driven = relative_velocity(row, 0, drive_[a], drive_[b]);
  }
  const double speed = closing_speed(contact.gap, h_, whole_step_, driven, [&] {
    if (motion_.model != MotionModel::Dynamic) return std::numeric_limits<double>::infinity();
    return parting_limit(contact, at_, world.state.bodies[a].velocity, world.state.bodies[b].velocity,
                         world.model.gravity.norm(), h_);
  });
  return speed == contact.gap / h_ ? 0.0 : std::min(0.0, contact.gap - h_ * speed);
}

// Points of rims that would sink in at the velocities found: then the problems are posed again with them. Compliant
// surfaces give way at the points that there are.
bool EulerStep::more_contacts(World& world) {
  if (contacts_.size() < 2) return false;
  if (!world.collider.find_more(world.model, at_, velocity_, h_, contacts_, more_)) return false;
  std::erase_if(more_, [&](const collision::Contact& contact) { return is_compliant(world, contact); });
  for (const collision::Contact& contact : more_) {
    const auto at = std::ranges::lower_bound(contacts_, contact.id, {}, &collision::Contact::id) - contacts_.begin();
    ContactMemory memory;
    memory.id = contact.id;
    const auto known = std::ranges::lower_bound(world.memory, contact.id, {}, &ContactMemory::id);
    if (known != world.memory.end() && known->id == contact.id) memory = *known;
    contacts_.insert(contacts_.begin() + at, contact);
    memory_.insert(memory_.begin() + at, memory);
    overlap_.insert(overlap_.begin() + at, overlap_left(world, contact));
  }
  if (more_.empty()) return false;
  warm_ = false;
  rim_points_added_ = true;
  return true;
}

double EulerStep::acceleration_of(const collision::Contact& contact, const model::State& state) const {
  double acceleration = acceleration_;
  for (const auto& [body, point] :
       {std::pair{contact.id.body_a, &contact.point_a}, {contact.id.body_b, &contact.point_b}}) {
    const model::BodyState& s = state.bodies[index(body)];
    acceleration += s.velocity.angular.squaredNorm() * (*point - s.pose.position).norm();
  }
  return 2 * acceleration;
}

double EulerStep::drift_of(const collision::Contact& contact, const model::State& state) const {
  if (motion_.model != MotionModel::Dynamic) return 0;
  return 0.5 * whole_step_ * whole_step_ * acceleration_of(contact, state);
}

bool EulerStep::closed(const collision::Contact& contact, const model::State& state) const {
  if (contact.gap <= kTouching * arm_of(contact, state)) return true;
  const double drift = drift_of(contact, state);
  return contact.gap <= drift && std::fabs(approach_of(contact, state)) * whole_step_ <= 2 * drift;
}

void EulerStep::find_closed(World& world, std::vector<collision::Contact>& contacts) const {
  double margin = 0;
  contacts.insert(contacts.end(), world.contacts.begin(), world.contacts.end());
  contacts.insert(contacts.end(), contacts_.begin(), contacts_.end());  // those of the trial: one may have just closed
  for (const collision::Contact& contact : contacts)
    margin = std::max(margin, kTouching * arm_of(contact, world.state) + drift_of(contact, world.state));
  contacts = world.contacts;
  world.collider.find(world.model, world.state, margin, 0, contacts);
  std::erase_if(contacts, [&](const collision::Contact& contact) {
    return is_compliant(world, contact) || !closed(contact, world.state);
  });
}

// Contacts that are closed, or were pressed together in the step before: psi/h takes out what they drift.
void EulerStep::choose_closed() {
  const auto takes_part = [&](std::size_t c) { return memory_[c].touching || closed(contacts_[c], at_); };
  keep_contacts(takes_part);
  // One that has just closed and whose bodies still approach, faster than by resting: an impact comes before the step.
  meets_ = false;
  for (std::size_t c = 0; c < contacts_.size() && !meets_; ++c)
    meets_ = !memory_[c].touching && approach_of(contacts_[c], at_) > settling_speed(contacts_[c], at_);
}

void EulerStep::leave_out_watched() {
  keep_contacts([&](std::size_t c) { return !std::ranges::binary_search(watched_, contacts_[c].id); });
}

// The slowest approach that is an impact: above what forces and turning give a resting contact within a step.
double EulerStep::settling_speed(const collision::Contact& contact, const model::State& state) const {
  const double noise = 1e-12 * (speed_of(state.bodies[index(contact.id.body_a)].velocity) +
                                speed_of(state.bodies[index(contact.id.body_b)].velocity));
  return std::max(noise, 2 * drift_of(contact, state) / whole_step_);
}

bool EulerStep::add_impacts(const World& world, bool inelastic_too, std::vector<collision::ContactId>& ids) const {
  if (motion_.model != MotionModel::Dynamic) return false;
  const std::vector<model::Twist>& fall = supports_in_problem_ ? free_ : bare_;  // without what supports do
  bool any = false;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ContactMemory& memory = memory_[c];
    if (!memory.touching || memory.touched_before || is_compliant(world, contacts_[c])) continue;
    const contact::ContactRows& row = rows_[c];
    const auto a = index(row.a), b = index(row.b);
    const double start = relative_velocity(row, 0, reference_[a], reference_[b]);
    const double approach = -start - relative_velocity(row, 0, drive_[a], drive_[b]);
    const double falling = (start - relative_velocity(row, 0, fall[a], fall[b])) / h_;
    const double e = world.model.surfaces[index(contacts_[c].surface)].restitution;
    const double settling = settling_speed(contacts_[c], world.state);
    // A corner that turns past another body meets it on the way in and is already on its way out where the step ends.
    // Pressed apart there, the two would gain energy: they have met before.
    const bool parting = rules_.end_geometry && -approach > settling;
    if (!rebounds(e, approach, falling, whole_step_) && !(inelastic_too && approach > settling) && !parting) continue;
    const auto at = std::ranges::lower_bound(ids, contacts_[c].id);
    if (at != ids.end() && *at == contacts_[c].id) continue;
    ids.insert(at, contacts_[c].id);
    any = true;
  }
  return any;
}

}  // namespace stickslip::stepping
