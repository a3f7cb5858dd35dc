// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Finds potential contacts. The only part of stickslip that knows shapes, and planar from spatial geometry.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/model/model.h"

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

  // The same feature pairs in another configuration: refreshes gap, points and normal of each contact in place.
  virtual void refresh(const model::Model& model, const model::State& state, std::vector<Contact>& contacts) = 0;
};

}  // namespace stickslip::collision
