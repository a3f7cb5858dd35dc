// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/component_pool.h"

#include "stickslip/collision/registry.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <typeinfo>

namespace stickslip::stepping {

using Outcome = ComponentAdvance::Outcome;

namespace {

// A caller may have given another collider than the method names.
bool is_like(const collision::Collider& a, const collision::Collider& b) {
  return typeid(a) == typeid(b);
}

}  // namespace

bool ComponentPool::pays(const World& world, const Components& components, std::span<const Component> all,
                         std::span<const std::size_t> moving) {
  // A trial takes about a microsecond for each contact, and waking a thread some ten.
  constexpr std::size_t kWorthSharing = 32;  // contacts
  if (world.method.threads <= 1 || moving.size() <= 1 || !can_double_) return false;
  std::size_t contacts = 0;
  for (std::size_t k : moving) contacts += all[k].contacts.size();
  if (contacts < kWorthSharing) return false;
  while (workers_.size() < std::min(static_cast<std::size_t>(world.method.threads), moving.size())) {
    std::unique_ptr<collision::Collider> collider = collision::make_collider(world.method.collider);
    can_double_ = collider != nullptr && is_like(*collider, world.collider);
    if (!can_double_) return false;
    workers_.push_back(std::make_unique<Worker>(world, std::move(collider)));
    workers_.back()->run.prepare(world, components);
  }
  return true;
}

void ComponentPool::advance(const World& world, std::span<Component> all, std::span<const std::size_t> moving,
                            const ComponentAdvance& as, const model::State& before, double H, double end_time) {
  const int threads = std::min(world.method.threads, static_cast<int>(moving.size()));
  results_.resize(std::max(results_.size(), moving.size()));
  for (int w = 0; w < threads; ++w) {
    Worker& worker = *workers_[index(w)];
    worker.world.traits = world.traits;
    worker.world.state = before;
    worker.run.begin_part(worker.world, before, H, end_time);
    worker.run.share_energy(static_cast<int>(moving.size()));
    worker.run.search.treat_beyond_ends_as(as.search);
    worker.run.step.data.jumps = as.step.data.jumps;
  }
  pool_.run(threads, static_cast<int>(moving.size()), [&](int w, int k) {
    Result& result = results_[index(k)];
    result.component = moving[index(k)];
    advance_one(*workers_[index(w)], all[result.component], H, result);
  });
}

void ComponentPool::advance_one(Worker& worker, Component& component, double H, Result& result) const {
  result.thrown = nullptr;
  worker.world.waypoints.clear();
  try {
    result.outcome = worker.run.advance(worker.world, component, H);
    if (result.outcome == Outcome::Failed)
      worker.run.fail(worker.world, component, result.failed_report, result.failure);
  } catch (...) {
    result.thrown = std::current_exception();
  }
  worker.run.move_counts_to(result.counts);
  result.bodies.clear();
  for (const BodyStart& start : component.bodies) result.bodies.push_back(worker.world.state.bodies[index(start.body)]);
  std::swap(result.waypoints, worker.world.waypoints);
}

Outcome ComponentPool::take(std::size_t k, std::span<const Component> all, World& world, ComponentAdvance& run) {
  const Result& result = results_[k];
  if (result.thrown) std::rethrow_exception(result.thrown);
  const Component& component = all[result.component];
  for (std::size_t b = 0; b < component.bodies.size(); ++b)
    world.state.bodies[index(component.bodies[b].body)] = result.bodies[b];
  world.waypoints.insert(world.waypoints.end(), result.waypoints.begin(), result.waypoints.end());
  run.add(result.counts);
  return result.outcome;
}

void ComponentPool::failed(std::size_t k, StepReport& report, StepFailure& failure) const {
  report = results_[k].failed_report;
  failure = results_[k].failure;
}

}  // namespace stickslip::stepping
