// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// EulerStep, fully implicit: contacts in the estimates of the end of the step, and the places from which they jumped.
//
// A pair's gap is that of its closest points. Where flat parts meet, closest points are many, and the pair names one:
// the gap is g = min_k g_k over places k, and an iteration that knows g_k of one place at a time opens it by closing
// another. Every place that a pair leaves by a jump (on both bodies, so that it is no sliding) therefore stays:
// material points x_a, x_b and a normal n,  g_k = n . (x_a - x_b) >= 0,  a contact of its own, which has the pair's id
// and an element number. g_k >= g, so that a place that was left bears no load unless it touches.
//
// Redundant contacts share their load in many ways, and with friction every way turns the bodies a little differently:
// a solver need not take the same way twice. The step is therefore done when the impulses of the last iteration solve
// the problem in the geometry that they lead to (EulerStep::still_solve), whatever another solve would find.
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/euler_step.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

namespace {

constexpr int kLookAfter = 3;            // iterations: most steps are done by then
constexpr double kJump = 1e-3;           // of the arm: how far closest points move at once to have jumped
constexpr double kSameNormal = 0.9;      // cosine
constexpr std::size_t kMostPlaces = 12;  // of one pair

bool same_pair(collision::ContactId a, const collision::ContactId& b) {
  a.element = b.element;
  return a == b;
}

}  // namespace

EulerStep::Place EulerStep::place_of(const collision::Contact& contact) const {
  const model::Pose &a = at_.bodies[index(contact.id.body_a)].pose, &b = at_.bodies[index(contact.id.body_b)].pose;
  return {a.orientation.conjugate() * (contact.point_a - a.position),
          b.orientation.conjugate() * (contact.point_b - b.position)};
}

// A contact that stays where it was on its bodies.
void EulerStep::move_with_bodies(const Place& place, collision::Contact& contact) const {
  const model::Pose &a = at_.bodies[index(contact.id.body_a)].pose, &b = at_.bodies[index(contact.id.body_b)].pose;
  contact.point_a = a.position + a.orientation * place.local_a;
  contact.point_b = b.position + b.orientation * place.local_b;
  contact.gap = contact.normal.dot(contact.point_a - contact.point_b);
}

void EulerStep::refresh_contacts(World& world, int iteration) {
  if (iteration < kLookAfter || has_patches_) {
    if (iteration == 1) {
      gap_before_.clear();
      for (const collision::Contact& contact : contacts_) gap_before_.push_back(without_rounding_noise(contact, at_));
    }
    move_to_estimate(world);
    world.collider.refresh(world.model, at_, contacts_);
    return;
  }
  places_.clear();
  found_.clear();
  for (const collision::Contact& contact : contacts_) {
    places_.push_back(place_of(contact));
    if (contact.id.element == 0) found_.push_back(contact);
  }
  move_to_estimate(world);
  world.collider.refresh(world.model, at_, found_);
  merged_.clear();
  merged_memory_.clear();
  merged_overlap_.clear();
  std::size_t c = 0;
  for (const collision::Contact& now : found_) {
    const std::size_t begin = c;
    while (c < contacts_.size() && same_pair(contacts_[c].id, now.id)) ++c;
    follow(world, now, begin, c);
  }
  if (merged_.size() > contacts_.size()) warm_ = false;  // the islands change
  contacts_.swap(merged_);
  memory_.swap(merged_memory_);
  overlap_.swap(merged_overlap_);
}

// The contacts [begin, end) of one pair in the new estimate: its closest points are those of `now`, at one of their
// places or at a new one; the others move with their bodies.
void EulerStep::follow(const World& world, const collision::Contact& now, std::size_t begin, std::size_t end) {
  const std::size_t first = merged_.size(), count = end - begin;
  const Place place = place_of(now);
  const double jump = kJump * arm_of(now, at_);
  std::size_t nearest = count;
  for (std::size_t k = 0; k < count; ++k) {
    const Place& old = places_[begin + k];
    merged_.push_back(contacts_[begin + k]);
    merged_memory_.push_back(memory_[begin + k]);
    merged_overlap_.push_back(overlap_[begin + k]);
    move_with_bodies(old, merged_.back());
    const bool near = (old.local_a - place.local_a).norm() <= jump || (old.local_b - place.local_b).norm() <= jump;
    if (near && nearest == count) nearest = k;
  }
  const bool other = is_compliant(world, now) || now.normal.dot(contacts_[begin].normal) < kSameNormal;
  if (nearest == count && (other || count >= kMostPlaces)) nearest = 0;
  if (nearest == count) {
    merged_.push_back(now);
    merged_memory_.push_back(memory_[begin]);
    merged_overlap_.push_back(overlap_[begin]);
    merged_memory_.back().id.element = static_cast<int>(count);
  }
  merged_[first + nearest] = now;
  merged_[first + nearest].id.element = static_cast<int>(nearest);
}

}  // namespace stickslip::stepping
