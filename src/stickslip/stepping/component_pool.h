// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The components of a part of a second-order step on several threads (method.threads). Each worker has a world of its own,
// a copy of the state at the start of the part, with a collider and the workspaces of ComponentAdvance; what came out is
// taken over in the order of the components, up to the first that did not reach the end of the part. So the result is, bit
// for bit, that of one thread, whatever worker took which component.
//
// Forces on different components do not read each other's bodies (components.h); force functions that may read everything make
// one component of all. Prescribed motions are called by several threads at once.
//
// Cost: a copy of the state per worker and part, and waking them: some ten microseconds.
#pragma once

#include "stickslip/complementarity/worker_pool.h"
#include "stickslip/stepping/component_advance.h"

#include <exception>
#include <memory>
#include <span>
#include <vector>

namespace stickslip::stepping {

class ComponentPool {
 public:
  // Is it worth it: several components that do not rest, with enough contacts? Never where the
  // collider is not the one that the method names, of which each worker has its own.
  [[nodiscard]] bool pays(const World& world, const Components& components, std::span<const Component> all,
                          std::span<const std::size_t> moving);
  // Advances those of `all` that `moving` lists. as: how the part began (before, H, end_time, touches beyond ends).
  void advance(const World& world, std::span<Component> all, std::span<const std::size_t> moving,
               const ComponentAdvance& as, const model::State& before, double H, double end_time);
  // What came out of the k-th of them, into the world and what `run` has counted. Failed: failed() says at what.
  ComponentAdvance::Outcome take(std::size_t k, std::span<const Component> all, World& world, ComponentAdvance& run);
  void failed(std::size_t k, StepReport& report, StepFailure& failure) const;
  void forget() { workers_.clear(); }

 private:
  struct Worker {
    std::unique_ptr<collision::Collider> collider;
    World world;
    ComponentAdvance run;
    explicit Worker(const World& of, std::unique_ptr<collision::Collider> own)
        : collider(std::move(own)), world(of.model, of.method, *collider) {}
  };
  struct Result {
    ComponentAdvance::Outcome outcome = ComponentAdvance::Outcome::Done;
    std::size_t component = 0;
    ComponentAdvance::Counts counts;
    std::vector<model::BodyState> bodies;  // of the component
    std::vector<collision::Waypoint> waypoints;
    StepReport failed_report;
    StepFailure failure;
    std::exception_ptr thrown;
  };
  void advance_one(Worker& worker, Component& component, double H, Result& result) const;

  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Result> results_;
  complementarity::WorkerPool pool_;
  bool can_double_ = true;
};

}  // namespace stickslip::stepping
