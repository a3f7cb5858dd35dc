// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a stepper works on: the constant model, the state that it advances, and what contacts remember between steps.
#pragma once

#include "stickslip/collision/collider.h"
#include "stickslip/collision/waypoint.h"
#include "stickslip/contact/body_dynamics.h"
#include "stickslip/contact/contact_result.h"
#include "stickslip/model/model.h"
#include "stickslip/stepping/method.h"

#include <cstdint>
#include <vector>

namespace stickslip::stepping {

// What a contact carries from one step to the next, found again by its id.
struct ContactMemory {
  collision::ContactId id;
  contact::Mode mode = contact::Mode::Open;
  Vec3 force = Vec3::Zero();                      // on body a, world frame, mean over the last step: the warm start
  Vec3 relative_velocity = Vec3::Zero();          // world frame, end of the last step
  bool touching = false, touched_before = false;  // pressed together in the last step, in the one before
  double deformation = 0;                         // of a compliant contact, along the normal
  Vec3 shear = Vec3::Zero();                      // the same along the tangents, world frame
};

struct World {
  const model::Model& model;
  const Method& method;
  collision::Collider& collider;
  std::vector<contact::BodyTraits> traits;  // of each body
  model::State state;

  std::vector<collision::Contact> contacts;  // potential contacts of the last step, canonical order
  std::vector<ContactMemory> memory;         // beside contacts, same order
  std::uint64_t revision = 0;                // counts how often state or memory were put back or given from outside

  // Where bodies were within the step when impacts changed their velocities: steppers note them, guarded_stepper.h
  // looks whether anything was passed on the way.
  std::vector<collision::Waypoint> waypoints;
  // After going back in time.
  void drop_later_waypoints() {
    std::erase_if(waypoints, [&](const collision::Waypoint& point) { return point.time > state.time; });
  }
  void note_waypoint(int body) {
    waypoints.push_back({body, state.time, state.bodies[static_cast<std::size_t>(body)]});
  }

  // All of the world that a step changes: the one rollback of a step that was tried.
  struct Snapshot {
    model::State state;
    std::vector<collision::Contact> contacts;
    std::vector<ContactMemory> memory;
  };
  void save(Snapshot& kept) const {
    kept.state = state;
    kept.contacts = contacts;
    kept.memory = memory;
  }
  void restore(const Snapshot& kept) {
    state = kept.state;
    contacts = kept.contacts;
    memory = kept.memory;
    ++revision;
    drop_later_waypoints();
  }

  World(const model::Model& model_in, const Method& method_in, collision::Collider& collider_in)
      : model(model_in),
        method(method_in),
        collider(collider_in),
        traits(contact::body_traits(model_in)),
        state(model::initial_state(model_in)) {}
};

}  // namespace stickslip::stepping
