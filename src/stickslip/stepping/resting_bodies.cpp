// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/resting_bodies.h"

#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <bit>

namespace stickslip::stepping {
namespace {

bool same_bits(const Vec3& x, const Vec3& y) {
  for (int k = 0; k < 3; ++k)
    if (std::bit_cast<std::uint64_t>(x[k]) != std::bit_cast<std::uint64_t>(y[k])) return false;
  return true;
}

bool same_bits(const model::Twist& x, const model::Twist& y) {
  return same_bits(x.linear, y.linear) && same_bits(x.angular, y.angular);
}

bool same_bits(const model::BodyState& x, const model::BodyState& y) {
  return same_bits(x.pose.position, y.pose.position) && same_bits(x.velocity, y.velocity) && x.angle == y.angle &&
         x.pose.orientation.coeffs() == y.pose.orientation.coeffs();
}

bool same_bits(const ContactMemory& x, const ContactMemory& y) {
  return x.mode == y.mode && x.touching == y.touching && x.touched_before == y.touched_before &&
         same_bits(x.force, y.force) && same_bits(x.relative_velocity, y.relative_velocity) &&
         x.deformation == y.deformation && same_bits(x.shear, y.shear);
}

bool is_zero(const model::Twist& v) {
  return v.linear.isZero(0) && v.angular.isZero(0);
}

}  // namespace

void RestingBodies::forget() {
  for (Component& component : components_) component.rests = false;
  std::ranges::fill(component_, -1);
  resting_ = 0;
}

void RestingBodies::wake_component(int component) {
  Component& awake = components_[index(component)];
  awake.rests = false;
  for (int body : awake.bodies) {
    component_[index(body)] = -1;
    stillness_[index(body)] = Stillness::Moving;
    ++active_;
  }
  --resting_;
}

void RestingBodies::wake(std::span<const int> bodies) {
  for (int body : bodies)
    if (component_[index(body)] >= 0) wake_component(component_[index(body)]);
}

void RestingBodies::wake_all() {
  for (std::size_t k = 0; k < components_.size(); ++k)
    if (components_[k].rests) wake_component(static_cast<int>(k));
}

bool RestingBodies::unchanged(const World& world, std::size_t body, std::span<const model::Twist> free,
                              std::span<const model::Twist> drive) const {
  return same_bits(free[body], kept_free_[body]) && is_zero(drive[body]) &&
         same_bits(world.state.bodies[body], kept_[body]);
}

void RestingBodies::begin_step(const World& world, double h, double reach, std::span<const model::Twist> free,
                               std::span<const model::Twist> drive) {
  const std::size_t n = world.state.bodies.size();
  if (component_.size() != n) {
    component_.assign(n, -1);
    stillness_.assign(n, Stillness::Moving);
    kept_.resize(n);
    kept_free_.resize(n);
  }
  if (world.revision != revision_ || h != h_ || reach != reach_) forget();
  revision_ = world.revision;
  h_ = h;
  reach_ = reach;
  active_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const contact::BodyTraits& traits = world.traits[i];
    if (component_[i] >= 0) {
      stillness_[i] = Stillness::Resting;
    } else if (traits.movable) {
      stillness_[i] = Stillness::Moving;
      ++active_;
    } else if (!traits.driven) {
      stillness_[i] = Stillness::Fixed;
    } else {
      const bool stands = is_zero(drive[i]) && same_bits(world.state.bodies[i], kept_[i]);
      stillness_[i] = stands ? Stillness::Fixed : Stillness::Moving;
      kept_[i] = world.state.bodies[i];
      active_ += stands ? 0 : 1;
    }
  }
  for (std::size_t i = 0; i < n && resting_ > 0; ++i)
    if (component_[i] >= 0 && !unchanged(world, i, free, drive)) wake_component(component_[i]);
}

void RestingBodies::report(StepReport& report) const {
  for (const Component& component : components_) {
    if (!component.rests) continue;
    report.contacts += component.contacts;
    if (component.residual < report.residual) continue;
    report.residual = component.residual;
    report.solver = component.solver;
  }
}

void RestingBodies::collect_resting(const World& world) {
  resting_contacts_.clear();
  resting_memory_.clear();
  if (resting_ == 0) return;
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const collision::ContactId& id = world.contacts[c].id;
    if (component_[index(id.body_a)] < 0 && component_[index(id.body_b)] < 0) continue;
    resting_contacts_.push_back(world.contacts[c]);
    resting_memory_.push_back(world.memory[c]);
  }
}

void RestingBodies::add_resting(std::vector<collision::Contact>& contacts, std::vector<ContactMemory>& memory) {
  if (resting_contacts_.empty()) return;
  merged_contacts_.clear();
  merged_memory_.clear();
  std::size_t rested = 0;
  for (std::size_t c = 0; c <= contacts.size(); ++c) {
    for (; rested < resting_contacts_.size() && (c == contacts.size() || resting_contacts_[rested].id < contacts[c].id);
         ++rested) {
      merged_contacts_.push_back(resting_contacts_[rested]);
      merged_memory_.push_back(resting_memory_[rested]);
    }
    if (c == contacts.size()) break;
    merged_contacts_.push_back(contacts[c]);
    merged_memory_.push_back(memory[c]);
  }
  contacts.swap(merged_contacts_);
  memory.swap(merged_memory_);
}

// same_: contacts that remember what they did before the step. Both lists are in canonical order, contacts of one id in the
// same one (contact_memory.h: carry_over()).
void RestingBodies::compare_memory(const World& world, const Outcome& outcome) {
  same_.assign(outcome.contacts.size(), 0);
  std::size_t k = 0;
  for (std::size_t c = 0; c < outcome.contacts.size(); ++c) {
    while (k < world.memory.size() && world.memory[k].id < outcome.contacts[c].id) ++k;
    const bool known = k < world.memory.size() && world.memory[k].id == outcome.contacts[c].id;
    same_[c] = known && same_bits(world.memory[k], outcome.memory[c]);
    k += known ? 1 : 0;
  }
}

void RestingBodies::end_step(const World& world, const Outcome& outcome) {
  collect_resting(world);
  compare_memory(world, outcome);
  // The pose follows the velocity: a body that has none before and after keeps its own.
  const auto stands = [&](std::size_t i) {
    return is_zero(outcome.start[i]) && same_bits(outcome.start[i], world.state.bodies[i].velocity) &&
           is_zero(outcome.drive[i]);
  };
  in_island_.assign(world.state.bodies.size(), 0);
  for (const contact::Island& island : outcome.system.islands()) {
    bool rests = true;
    bodies_.clear();
    for (int c : island.contacts) {
      rests = rests && same_[index(c)];
      const collision::ContactId& id = outcome.contacts[index(c)].id;
      for (const int body : {id.body_a, id.body_b}) {
        const auto i = index(body);
        if (!world.traits[i].movable) {
          rests = rests && stillness_[i] == Stillness::Fixed;
        } else if (!in_island_[i]) {
          in_island_[i] = 1;
          bodies_.push_back(body);
          rests = rests && stands(i);
        }
      }
    }
    if (rests) add_component(world, bodies_, outcome.free, &island);
  }
  for (std::size_t i = 0; i < component_.size(); ++i) {
    if (component_[i] >= 0 || in_island_[i] || !world.traits[i].movable || !stands(i)) continue;
    const int body = static_cast<int>(i);
    add_component(world, {&body, 1}, outcome.free, nullptr);
  }
}

void RestingBodies::add_component(const World& world, std::span<const int> bodies, std::span<const model::Twist> free,
                                  const contact::Island* island) {
  auto place = std::ranges::find_if(components_, [](const Component& component) { return !component.rests; });
  if (place == components_.end()) place = components_.emplace(place);
  place->bodies.assign(bodies.begin(), bodies.end());
  place->rests = true;
  place->residual = island != nullptr ? island->summary.residual.error : 0;
  place->solver = island != nullptr ? island->summary.solver : "";
  place->contacts = island != nullptr ? static_cast<int>(island->contacts.size()) : 0;
  ++resting_;
  for (int body : bodies) {
    component_[index(body)] = static_cast<int>(place - components_.begin());
    kept_[index(body)] = world.state.bodies[index(body)];
    kept_free_[index(body)] = free[index(body)];
  }
}

}  // namespace stickslip::stepping
