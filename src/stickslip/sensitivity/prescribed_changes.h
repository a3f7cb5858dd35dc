// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How prescribed degrees of freedom change with unknowns: as their functions of time do, whatever the run is.
//
//     ds(t) = (s_high(t) - s_low(t)) / width        of the components that the unknown enters
#pragma once

#include "stickslip/sensitivity/direction.h"
#include "stickslip/sensitivity/model_difference.h"

#include <span>
#include <vector>

namespace stickslip::sensitivity {

class PrescribedChanges {
 public:
  // Both must outlive it.
  PrescribedChanges(const model::Model& model, std::span<const Direction> directions);

  // Which parts of which bodies change with unknown k.
  [[nodiscard]] std::span<const DriveChange> of(std::size_t k) const { return changes_[k]; }
  // The components of tangent k that follow functions of time, at the time of the state.
  void put(const model::State& now, Eigen::Index k, Eigen::MatrixXd& tangents) const;
  // Those that follow functions of time do not start elsewhere.
  void clear(Eigen::Ref<Eigen::VectorXd> tangent) const;

 private:
  const model::Model& model_;
  std::span<const Direction> directions_;
  std::vector<std::vector<DriveChange>> changes_;  // per direction
};

}  // namespace stickslip::sensitivity
