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

#include "stickslip/stepping/stepper.h"
#include "stickslip/stepping/world.h"

#include <vector>

namespace stickslip::stepping {

// Whether contacts can run off the end of a feature: planes, balls and points have none.
[[nodiscard]] bool features_end(const model::Model& model);

class FeatureEnds {
 public:
  // Closed contacts at the end of a step of length h that collision no longer finds there. margin: with which the
  // contacts of the step were found. True when there are any.
  [[nodiscard]] bool find(World& world, double margin, double h);
  // From the start of a step of length h that find() said loses a contact, which put_back() restores: to the instant just
  // after the contact is lost, or over all of h when it was not found at the start either. advance(h, end_time): the
  // stepper's own step.
  template <class Advance, class PutBack>
  [[nodiscard]] StepReport advance_to_loss(World& world, double margin, double h, double end_time, Advance&& advance,
                                           PutBack&& put_back);

 private:
  // Without those that were not found at the start of the step either (a pair of features that collision takes for what
  // lies ahead); world.state is that start. True when any are left.
  [[nodiscard]] bool keep_present(World& world, double margin);
  // Is one of them gone here? One that has opened before is not what is looked for.
  [[nodiscard]] bool lost_some(World& world, double margin);
  void list_present(World& world, double margin);
  [[nodiscard]] bool is_present(const collision::ContactId& id) const;
  [[nodiscard]] bool is_replaced(const World& world, const collision::Contact& contact, double h) const;

  std::vector<collision::Contact> present_;  // what collision finds
  std::vector<collision::Contact> lost_;
};

template <class Advance, class PutBack>
StepReport FeatureEnds::advance_to_loss(World& world, double margin, double h, double end_time, Advance&& advance,
                                        PutBack&& put_back) {
  constexpr double kInstantOfEnd = 1e-7;  // of the step: how exactly the instant is found
  put_back();
  if (!keep_present(world, margin)) return advance(h, end_time);
  const double begin = world.state.time;
  double low = 0, high = h;
  while (high - low > kInstantOfEnd * h) {
    const double middle = 0.5 * (low + high);
    put_back();
    const StepReport report = advance(middle, begin + middle);
    if (!report.certified) break;
    (lost_some(world, margin) ? high : low) = middle;
  }
  put_back();
  return high < h * (1 - kInstantOfEnd) ? advance(high, begin + high) : advance(h, end_time);
}

}  // namespace stickslip::stepping
