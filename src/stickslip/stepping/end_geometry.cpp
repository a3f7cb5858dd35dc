// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/end_geometry.h"

#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

namespace {

constexpr int kLookAfter = 3;            // iterations: most steps are done by then
constexpr int kHoldAfter = 12;           // from then on, places of soft contacts do not jump
constexpr double kJump = 1e-3;           // of the arm: how far closest points move at once to have jumped
constexpr double kSameNormal = 0.9;      // cosine
constexpr std::size_t kMostPlaces = 12;  // of one pair

bool same_pair(collision::ContactId a, const collision::ContactId& b) {
  a.element = b.element;
  return a == b;
}

}  // namespace

EndGeometry::Place EndGeometry::place_of(const collision::Contact& contact, const model::State& at) {
  const model::Pose &a = at.bodies[index(contact.id.body_a)].pose, &b = at.bodies[index(contact.id.body_b)].pose;
  return {a.orientation.conjugate() * (contact.point_a - a.position),
          b.orientation.conjugate() * (contact.point_b - b.position)};
}

// A contact that stays where it was on its bodies.
void EndGeometry::move_with_bodies(const Place& place, const model::State& at, collision::Contact& contact) {
  const model::Pose &a = at.bodies[index(contact.id.body_a)].pose, &b = at.bodies[index(contact.id.body_b)].pose;
  contact.point_a = a.position + a.orientation * place.local_a;
  contact.point_b = b.position + b.orientation * place.local_b;
  contact.gap = contact.normal.dot(contact.point_a - contact.point_b);
}

// All bodies at the end of the step that the last velocities lead to.
void EndGeometry::move_to_estimate(const World& world, StepData& step) {
  step.at.time = step.end_time;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (!world.traits[i].movable) continue;
    model::BodyState& s = step.at.bodies[i];
    displace_from(world.state.bodies[i], step.velocity[i], step.h, world.traits[i], world.model.bodies[i].planar(), s);
    s.velocity = scaled_sum(1, step.velocity[i], 1, step.drive[i]);
  }
}

void EndGeometry::refresh(World& world, int iteration, bool divided, StepData& step) {
  if (iteration < kLookAfter || divided) {
    if (iteration == 1) {
      gap_before_.clear();
      for (const collision::Contact& contact : step.contacts)
        gap_before_.push_back(without_rounding_noise(contact, step.at));
    }
    move_to_estimate(world, step);
    world.collider.refresh(world.model, step.at, step.contacts);
    return;
  }
  places_.clear();
  found_.clear();
  for (const collision::Contact& contact : step.contacts) {
    places_.push_back(place_of(contact, step.at));
    if (contact.id.element == 0) found_.push_back(contact);
  }
  move_to_estimate(world, step);
  world.collider.refresh(world.model, step.at, found_);
  merged_.clear();
  merged_memory_.clear();
  merged_overlap_.clear();
  std::size_t c = 0;
  for (const collision::Contact& now : found_) {
    const std::size_t begin = c;
    while (c < step.contacts.size() && same_pair(step.contacts[c].id, now.id)) ++c;
    follow(world, step, now, {begin, c}, iteration);
  }
  if (merged_.size() > step.contacts.size()) step.warm = false;  // the islands change
  step.contacts.swap(merged_);
  step.memory.swap(merged_memory_);
  step.overlap.swap(merged_overlap_);
}

// The contacts [begin, end) of one pair in the new estimate: its closest points are those of `now`, at one of their
// places or at a new one; the others move with their bodies.
void EndGeometry::follow(const World& world, const StepData& step, const collision::Contact& now, Range of_pair,
                         int iteration) {
  const std::size_t begin = of_pair.begin, first = merged_.size(), count = of_pair.end - begin;
  const Place place = place_of(now, step.at);
  const double jump = kJump * arm_of(now, step.at);
  std::size_t nearest = count;
  for (std::size_t k = 0; k < count; ++k) {
    const Place& old = places_[begin + k];
    merged_.push_back(step.contacts[begin + k]);
    merged_memory_.push_back(step.memory[begin + k]);
    merged_overlap_.push_back(step.overlap[begin + k]);
    move_with_bodies(old, step.at, merged_.back());
    const bool near = (old.local_a - place.local_a).norm() <= jump || (old.local_b - place.local_b).norm() <= jump;
    if (near && nearest == count) nearest = k;
  }
  const bool soft = step.is_compliant(world, now);
  if (nearest == count && soft && iteration >= kHoldAfter) return;
  const bool other = soft || now.normal.dot(step.contacts[begin].normal) < kSameNormal;
  if (nearest == count && (other || count >= kMostPlaces)) nearest = 0;
  if (nearest == count) {
    merged_.push_back(now);
    merged_memory_.push_back(step.memory[begin]);
    merged_overlap_.push_back(step.overlap[begin]);
    merged_memory_.back().id.element = static_cast<int>(count);
  }
  merged_[first + nearest] = now;
  merged_[first + nearest].id.element = static_cast<int>(nearest);
}

bool EndGeometry::same_problem(const World& world, bool divided, const StepData& step) const {
  if (step.forces_vary || !step.supports.empty() || divided || step.gamma > 0 ||
      step.motion.model == MotionModel::QuasiStatic)
    return false;
  for (std::size_t i = 0; i < world.traits.size(); ++i)
    if (!world.traits[i].isotropic && world.model.bodies[i].angular_damping > 0) return false;
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const collision::Contact& contact = step.contacts[c];
    const contact::ContactRows& row = step.rows[c];
    if (contact.normal != row.direction[0]) return false;
    double size = contact.point_a.lpNorm<1>() + contact.point_b.lpNorm<1>();
    for (const bool second : {false, true}) {
      const auto body = index(second ? row.b : row.a);
      const contact::BodyTraits& traits = world.traits[body];
      const Vec3& position = step.at.bodies[body].pose.position;
      size += position.lpNorm<1>();
      const bool turned = !step.drive[body].angular.isZero(0);  // how fast its surface moves depends on the place
      if (!traits.free_rotation && !turned) continue;
      if (traits.free_rotation && (!traits.isotropic || traits.locked_rotation)) return false;
      const Vec3 arm = (second ? contact.point_b : contact.point_a) - position;
      const Vec3* moment = second ? row.moment_b : row.moment_a;
      for (int k = 0; k < 2; ++k)
        if ((arm.cross(row.direction[k]) - moment[k]).lpNorm<1>() > kGapNoise * size) return false;
    }
    const double expected = gap_before_[c] + step.h * contact::relative_velocity(row, 0, step.velocity[index(row.a)],
                                                                                 step.velocity[index(row.b)]);
    if (std::fabs(contact.gap - expected) > kGapNoise * size) return false;
  }
  return true;
}

}  // namespace stickslip::stepping
