// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Finds potential contacts. The only part of stickslip that knows shapes, and planar from spatial geometry.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/model/model.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stickslip::collision {

class Collider {
 public:
  virtual ~Collider() = default;

  // All feature pairs of bodies whose gap is below their reach, in canonical order, without duplicates. The reach of
  // a pair is `margin` + how far the two bodies can approach within `horizon` seconds at their present velocities.
  // Keeps its workspaces: no allocation once the number of contacts has stopped growing.
  // On entry `contacts` may hold those of the step before: shapes without thickness (chains) then keep what touched
  // them on its side, even when it has sunk in a little. Nothing else of the past influences the result.
  virtual void find(const model::Model& model, const model::State& state, double margin, double horizon,
                    std::vector<Contact>& contacts) = 0;

  // What find_moving is told of a body. Fixed: it has not moved since the last call and nothing depends on that. Resting:
  // the same, and bodies that approach it are reported (`disturbed`).
  enum class Stillness : std::uint8_t { Moving, Fixed, Resting };

  // As find(), without the contacts of two bodies that are both still. `disturbed` are the resting bodies that something
  // moving may reach within the step, or may be flush with; when there are any, `contacts` is not complete: the caller
  // has to treat them as moving and ask again. False: not known by this collider, find() has to be called.
  virtual bool find_moving(const model::Model& model, const model::State& state, double margin, double horizon,
                           std::span<const Stillness> stillness, std::vector<Contact>& contacts,
                           std::vector<int>& disturbed) {
    (void)model, (void)state, (void)margin, (void)horizon, (void)stillness, (void)contacts, (void)disturbed;
    return false;
  }

  // Some features are continua of which `find` lists a few points (the rim of a cylinder that stands). `contacts` is
  // what it found in `state`, `motion` the velocity of each body that a step of length h found with them, relative to
  // that configuration. Writes to `more` the points that would sink in deepest and are not in the list; true when there
  // are any: the step is to be solved again with them.
  virtual bool find_more(const model::Model& model, const model::State& state, std::span<const model::Twist> motion,
                         double h, std::span<const Contact> contacts, std::vector<Contact>& more) {
    (void)model, (void)state, (void)motion, (void)h, (void)contacts;
    more.clear();
    return false;
  }

  // The same feature pairs in another configuration: refreshes gap, points and normal of each contact in place.
  virtual void refresh(const model::Model& model, const model::State& state, std::vector<Contact>& contacts) = 0;
};

}  // namespace stickslip::collision
