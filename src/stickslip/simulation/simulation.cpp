// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/simulation.h"

#include "stickslip/collision/registry.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stickslip::simulation {
namespace {

std::unique_ptr<collision::Collider> collider_or_throw(std::unique_ptr<collision::Collider> given,
                                                       const stepping::Method& method) {
  if (!given) given = collision::make_collider(method.collider);
  if (!given) throw std::invalid_argument("unknown collider \"" + method.collider + "\"");
  return given;
}

}  // namespace

Simulation::Simulation(const model::Model& model, const stepping::Method& method,
                       std::unique_ptr<collision::Collider> collider)
    : collider_(collider_or_throw(std::move(collider), method)),
      world_(model, method, *collider_),
      stepper_(stepping::make_stepper(method.stepper)) {
  if (!stepper_) throw std::invalid_argument("unknown stepper \"" + method.stepper + "\"");
  if (!(method.step > 0) || !std::isfinite(method.step)) throw std::invalid_argument("the step must be positive");
  start_time_ = world_.state.time;
}

Simulation::~Simulation() = default;

stepping::StepReport Simulation::step() {
  if (failed_) return report_;
  const double begin = world_.state.time, h = world_.method.step;
  const double end = start_time_ + static_cast<double>(++step_index_) * h;
  report_ = stepper_->advance(world_, h, end);
  observe(begin);
  return report_;
}

bool Simulation::run_until(double time, const Observer& observer) {
  const double h = world_.method.step;
  constexpr double kRounding = 1e-9;  // of a step: shorter remainders are rounding of the grid
  while (!failed_ && time - world_.state.time > kRounding * h) {
    const double next = start_time_ + static_cast<double>(step_index_ + 1) * h;
    if (next <= time + kRounding * h) {
      step();
    } else {  // a shorter last step; the grid starts anew from here
      const double begin = world_.state.time;
      report_ = stepper_->advance(world_, time - begin, time);
      start_time_ = time;
      step_index_ = 0;
      observe(begin);
    }
    if (!failed_ && observer && !observer(*this)) return false;
  }
  return !failed_;
}

void Simulation::continue_from(const Simulation& before) {
  if (before.world_.state.bodies.size() != world_.state.bodies.size())
    throw std::invalid_argument("the simulation to go on from has another number of bodies");
  world_.state = before.world_.state;
  model::apply_drives(world_.model, world_.state.time, world_.state);
  // Contacts of other shapes mean nothing here; what they remember is found again by their ids.
  world_.contacts.clear();
  world_.memory = before.world_.memory;
  counters_ = before.counters_;
  timeline_ = before.timeline_;
  start_time_ = world_.state.time;
  step_index_ = 0;
  results_current_ = false;
}

void Simulation::observe(double begin) {
  results_current_ = false;
  if (!report_.certified) {
    failed_ = true;
    return;
  }
  ++counters_.steps;
  counters_.solves += report_.solves;
  counters_.sub_steps += report_.sub_steps;
  counters_.fallbacks += report_.fallbacks;
  counters_.events += static_cast<std::int64_t>(report_.events.size());
  counters_.most_contacts = std::max(counters_.most_contacts, report_.contacts);
  if (report_.residual > counters_.worst_residual) {
    counters_.worst_residual = report_.residual;
    counters_.worst_time = world_.state.time;
  }
  timeline_.record(world_, begin, report_.events);
}

std::span<const contact::ContactResult> Simulation::contacts() const {
  if (results_current_) return results_;
  refreshed_ = world_.contacts;
  world_.collider.refresh(world_.model, world_.state, refreshed_);
  results_.resize(refreshed_.size());
  for (std::size_t c = 0; c < results_.size(); ++c) {
    const stepping::ContactMemory& memory = world_.memory[c];
    results_[c] = {refreshed_[c], memory.mode, memory.force, memory.relative_velocity};
  }
  results_current_ = true;
  return results_;
}

}  // namespace stickslip::simulation
