// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A second-order step in parts. The contacts of a step are pairs of features found at its start. A corner that slides
// off the end of a face, or a ball that rolls over an edge, leaves its pair within the step; the next step would notice
// up to h too late. So after a step collision is asked again: where a closed contact is no longer found, the instant at
// which it is lost is bisected over the length of the step, which ends there and goes on with what is found then.
#include "stickslip/stepping/rest.h"
#include "stickslip/stepping/second_order.h"

#include <algorithm>

namespace stickslip::stepping {
namespace {

constexpr int kMostParts = 8;      // of a step that ends at such instants; beyond, the rest as it is
constexpr double kPrecise = 1e-7;  // of the step: how exactly the instant is found

}  // namespace

StepReport SecondOrder::advance(World& world, double h, double end_time) {
  if (!prepared_) prepare(world);
  if (!features_end_) return advance_part(world, h, end_time);
  keep(world, step_start_);
  all_events_.clear();
  StepReport report;
  report.sub_steps = 0;
  for (int part = 0; report.certified; ++part) {
    const double left = part == 0 ? h : end_time - world.state.time;
    keep(world, part_start_);
    StepReport of_part = advance_part(world, left, end_time);
    // Where first order had to help, instants to second order are of no use.
    if (of_part.certified && of_part.fallbacks == 0 && part < kMostParts && list_lost(world, left))
      of_part = advance_to_end_of_feature(world, left, end_time);
    report.include(of_part);
    all_events_.insert(all_events_.end(), events_.begin(), events_.end());
    if (!(end_time - world.state.time > 1e-9 * h)) break;
  }
  if (!report.certified) put_back(world, step_start_);
  if (report.certified && world.state.time != end_time) world.state.time = end_time;
  report.events = all_events_;
  return report;
}

// From part_start_, whose end a contact in lost_ does not reach: to the instant just after it is lost, or over all of h
// when it was not found at the start either (a pair of features that collision takes for what lies ahead).
StepReport SecondOrder::advance_to_end_of_feature(World& world, double h, double end_time) {
  const double begin = part_start_.world.state.time;
  put_back(world, part_start_);
  list_present(world);
  std::erase_if(lost_, [&](const collision::Contact& contact) { return !is_present(contact.id); });
  if (lost_.empty()) return advance_part(world, h, end_time);
  double low = 0, high = h;
  while (high - low > kPrecise * h) {
    const double middle = 0.5 * (low + high);
    put_back(world, part_start_);
    const StepReport report = advance_part(world, middle, begin + middle);
    if (!report.certified) break;
    (lost_some(world) ? high : low) = middle;
  }
  put_back(world, part_start_);
  if (!(high < h * (1 - kPrecise))) return advance_part(world, h, end_time);
  const StepReport report = advance_part(world, high, begin + high);
  // Forces change at once where a contact ends: what they were predicts nothing.
  for (BodyHistory& body : body_history_) body.h = 0;
  for (ContactHistory& contact : history_) contact.margins_known = false;
  return report;
}

void SecondOrder::list_present(World& world) {
  present_ = world.contacts;
  world.collider.find(world.model, world.state, margin_, 0, present_);
}

// Closed contacts that collision no longer finds, into lost_.
bool SecondOrder::list_lost(World& world, double h) {
  lost_.clear();
  for (std::size_t c = 0; c < world.memory.size(); ++c)
    if (world.memory[c].mode != contact::Mode::Open) lost_.push_back(world.contacts[c]);
  if (lost_.empty()) return false;
  list_present(world);
  std::erase_if(lost_, [&](const collision::Contact& contact) { return is_present(contact.id); });
  if (lost_.empty()) return false;
  world.collider.refresh(world.model, world.state, lost_);
  std::erase_if(lost_, [&](const collision::Contact& contact) { return is_replaced(world, contact, h); });
  return !lost_.empty();
}

bool SecondOrder::is_present(const collision::ContactId& id) const {
  return std::ranges::binary_search(present_, id, {}, &collision::Contact::id);
}

// Another pair of features holds the same bodies in the same direction, no farther off than contacts move in the step:
// the point has gone over into the next facet, or is named by where it lies (the rim of a cap over an edge).
bool SecondOrder::is_replaced(const World& world, const collision::Contact& contact, double h) const {
  const auto known = std::ranges::lower_bound(world.memory, contact.id, {}, &ContactMemory::id);
  const double way = 4 * h * known->relative_velocity.norm() + 1e-9 * arm_of(contact, world.state);
  return std::ranges::any_of(present_, [&](const collision::Contact& other) {
    return other.id.body_a == contact.id.body_a && other.id.body_b == contact.id.body_b &&
           other.normal.dot(contact.normal) > 1 - 1e-12 && (other.point_a - contact.point_a).norm() <= way;
  });
}

// Is one of lost_ gone here? One that has opened before is not what is looked for.
bool SecondOrder::lost_some(World& world) {
  list_present(world);
  return std::ranges::any_of(lost_, [&](const collision::Contact& contact) {
    const auto at = std::ranges::lower_bound(world.memory, contact.id, {}, &ContactMemory::id);
    const bool closed = at != world.memory.end() && at->id == contact.id && at->mode != contact::Mode::Open;
    return closed && !is_present(contact.id);
  });
}

void SecondOrder::keep(const World& world, Snapshot& kept) const {
  world.save(kept.world);
  kept.body_history = body_history_;
  kept.history = history_;
}

void SecondOrder::put_back(World& world, const Snapshot& kept) {
  world.restore(kept.world);
  body_history_ = kept.body_history;
  history_ = kept.history;
}

}  // namespace stickslip::stepping
