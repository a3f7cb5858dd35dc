// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The canonical share of loads (canonical_share.h) that are too large to be shared in every step: when forces are read.
//
// A step shares what up to CanonicalShare::kMostInStep contacts bear together, since there the motion can depend on it (a
// table that slides and turns). Of larger islands only the forces that are shown depend on it, so they are shared here, from
// what the step reports, in the geometry of its end (step_forces.h). Nothing that later steps read is changed: looking at
// forces does not move anything.
//
// Up to kMostSliding touching contacts while something slides, kMostSticking while bodies move together, kMostResting at
// rest, where the answer is kept until something changes. Larger ones stay as the solver left them.
//
// Cost: nothing without an island of more than kMostInStep potential contacts; else the dense factors of load_share.h for
// each island that is not what it was when last looked at.
#pragma once

#include "stickslip/contact/canonical_share.h"
#include "stickslip/contact/contact_result.h"
#include "stickslip/contact/step_forces.h"

#include <span>
#include <vector>

namespace stickslip::contact {

class ReportedShare {
 public:
  static constexpr std::size_t kMostSliding = 40, kMostSticking = 100, kMostResting = 400;

  // Forces, and whether contacts are open.
  void apply(const model::Model& model, const model::State& state, const ForceLaw& law,
             std::span<ContactResult> results);

 private:
  struct Kept {
    std::vector<double> input;
    std::vector<StepForces::Shared> shared;  // empty: not found
  };
  [[nodiscard]] bool list_large(const model::Model& model, std::span<const ContactResult> results);
  [[nodiscard]] bool rests(const model::Model& model, const model::State& state, const StepForces& forces,
                           std::size_t island, std::span<const ContactResult> results) const;
  int root_of(int body);

  CanonicalShare share_;
  std::vector<BodyTraits> traits_;
  std::vector<int> parent_, contacts_;  // of each body; potential contacts of each root
  std::vector<double> input_;
  std::vector<Kept> kept_;
};

}  // namespace stickslip::contact
