// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The start of a step that may have to be taken back. The world is kept as World::Snapshot; a stepper that remembers
// something of its own from step to step keeps that beside it, and the two are put back together:
//
//     Rollback<Memory> start;
//     start.keep(world) = memory;
//     ... a trial ...
//     memory = start.put_back(world);
//
// A stepper without a memory of its own uses World::Snapshot alone. Cost: a copy of the state and of the contacts.
#pragma once

#include "stickslip/stepping/world.h"

namespace stickslip::stepping {

template <class Memory>
class Rollback {
 public:
  // Keeps the world; the caller fills in its own memory, which is as it was kept the last time.
  [[nodiscard]] Memory& keep(const World& world) {
    world.save(world_);
    return memory_;
  }
  [[nodiscard]] const Memory& put_back(World& world) const {
    world.restore(world_);
    return memory_;
  }
  [[nodiscard]] const model::State& state() const { return world_.state; }

 private:
  World::Snapshot world_;
  Memory memory_;
};

}  // namespace stickslip::stepping
