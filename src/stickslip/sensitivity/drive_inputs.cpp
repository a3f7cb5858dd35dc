// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/drive_inputs.h"

#include "stickslip/sensitivity/tangent.h"

#include <algorithm>

namespace stickslip::sensitivity {

using Eigen::Index;

DriveInputs::DriveInputs(const PrescribedChanges& changes) {
  for (std::size_t k = 0; k < changes.unknowns(); ++k)
    for (const DriveChange& change : changes.of(k)) {
      rows_.resize(std::max(rows_.size(), static_cast<std::size_t>(change.body) + 1));
      auto& rows = rows_[static_cast<std::size_t>(change.body)];
      for (int axis = 0; axis < 3; ++axis) {
        if (change.translation[axis]) rows.insert(rows.end(), {kPosition + axis, kLinear + axis});
        if (change.rotation) rows.insert(rows.end(), {kRotation + axis, kAngular + axis});
      }
      std::ranges::sort(rows);
      rows.erase(std::ranges::unique(rows).begin(), rows.end());
    }
  rows_.resize(std::max(rows_.size(), changes.model_bodies()));
  for (const auto& rows : rows_) per_time_ += std::ssize(rows);
}

void DriveInputs::begin(Index first, Index end) {
  first_ = first;
  end_ = end;
  inputs_.clear();
  exhausted_ = false;
}

void DriveInputs::give(int body, double time, std::ptrdiff_t width, double* to) {
  const auto& rows = rows_[static_cast<std::size_t>(body)];
  if (rows.empty()) return;
  auto known = std::ranges::find_if(inputs_, [&](const Input& one) { return one.body == body && one.time == time; });
  if (known == inputs_.end()) {
    const auto at = std::ssize(inputs_);
    if (first_ + at + std::ssize(rows) > end_) {
      exhausted_ = true;
      return;
    }
    for (const Index row : rows) inputs_.push_back({body, row, time});
    known = inputs_.begin() + at;
  }
  Index column = first_ + (known - inputs_.begin());
  for (const Index row : rows) to[row * width + column++] += 1;
}

}  // namespace stickslip::sensitivity
