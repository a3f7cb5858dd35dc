// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contacts that are lost within a second-order step. The contacts of a step are pairs of features found at its start.
// A corner that slides off the end of a face, or a ball that rolls over an edge, leaves its pair within the step; the
// next step would notice up to h too late. So after a step collision is asked again which closed contacts it still
// finds.
//
// Cost: one query of the collider per step of a scene whose features end, and one per trial of the search for the instant.
#pragma once

#include "stickslip/stepping/world.h"

#include <vector>

namespace stickslip::stepping {

class FeatureEnds {
 public:
  // Closed contacts at the end of a step of length h that collision no longer finds there. margin: with which the
  // contacts of the step were found. True when there are any.
  [[nodiscard]] bool find(World& world, double margin, double h);
  // Without those that were not found at the start of the step either (a pair of features that collision takes for what
  // lies ahead); world.state is that start. True when any are left.
  [[nodiscard]] bool keep_present(World& world, double margin);
  // Is one of them gone here? One that has opened before is not what is looked for.
  [[nodiscard]] bool lost_some(World& world, double margin);

 private:
  void list_present(World& world, double margin);
  [[nodiscard]] bool is_present(const collision::ContactId& id) const;
  [[nodiscard]] bool is_replaced(const World& world, const collision::Contact& contact, double h) const;

  std::vector<collision::Contact> present_;  // what collision finds
  std::vector<collision::Contact> lost_;
};

}  // namespace stickslip::stepping
