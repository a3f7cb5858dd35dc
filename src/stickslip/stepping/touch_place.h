// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Where a touch is: on both bodies, or where one of them has ended. A contact measures its gap from the plane of a face
// (the line of an edge), which goes on past the end of that face. What flies over the end comes down to that plane, and
// touches nothing:
//
//        o    disc         | the gap of the disc over the plane of the face falls to zero there;
//     ___________ - - - - -v
//       paddle             the paddle has ended
//
// Two questions, answered by geometry alone (collision/separation.h): do the points of a contact lie on their bodies,
// and how deep do two bodies overlap?
//
// Cost: two distances of a point from a body per touch. Made once per run: the solids of all bodies.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/collision/overlaps.h"
#include "stickslip/model/model.h"

#include <optional>

namespace stickslip::stepping {

class TouchPlace {
 public:
  void prepare(const model::Model& model);
  // Without it every touch is taken as it is.
  [[nodiscard]] bool is_prepared() const { return overlaps_.has_value(); }

  // Is each point of the contact on its body? `state`: where the bodies were when the contact was evaluated.
  [[nodiscard]] bool is_on_bodies(const collision::Contact& contact, const model::State& state) const;
  // Of two bodies; 0 when they are apart.
  [[nodiscard]] double overlap(const model::State& state, int a, int b) { return overlaps_->depth(state, a, b); }
  // How deep they may overlap by what a step leaves.
  [[nodiscard]] double noise(int a, int b) const;

 private:
  collision::Solid point_;
  std::optional<collision::Overlaps> overlaps_;
};

}  // namespace stickslip::stepping
