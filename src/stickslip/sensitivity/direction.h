// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One unknown on which a run depends: through its start, through the model, or both.
#pragma once

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/model/model.h"
#include "stickslip/sensitivity/tangent.h"

#include <Eigen/Core>

#include <functional>
#include <span>

namespace stickslip::sensitivity {

struct Direction {
  // Models with the unknown a little below and above; null: the model does not depend on it. They must outlive the run.
  const model::Model* low = nullptr;
  const model::Model* high = nullptr;
  double below = 0, above = 0;  // how far; below = 0: low is the model itself
  // Models with the unknown only so much of that below and above, made when first asked for; empty: there are none.
  static constexpr double kCloser = 1.0 / 64;
  struct Pair {
    const model::Model *low, *high;
  };
  std::function<Pair()> closer;
  Eigen::VectorXd start;     // change of the initial state per unit (tangent.h); empty: none
  bool drives_only = false;  // low and high differ from the model in prescribed motion and start only

  [[nodiscard]] bool enters_model() const { return low != nullptr && !drives_only; }
  [[nodiscard]] double width() const { return below + above; }
};

// Closed forms have no columns for the place of a body that neither moves nor is driven: such unknowns are repeated.
[[nodiscard]] inline bool moves_what_is_fixed(std::span<const contact::BodyTraits> traits, const Direction& direction) {
  for (std::size_t b = 0; b < traits.size() && direction.start.size() > 0; ++b)
    if (!traits[b].movable && !traits[b].driven &&
        !direction.start.segment<kBodyTangent>(static_cast<Eigen::Index>(b) * kBodyTangent).isZero(0))
      return true;
  return false;
}

}  // namespace stickslip::sensitivity
