// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What sub-steps read of prescribed motion, as unknowns of its own: a column for each changing component of a driven body at
// each time at which it is read (run_adjoint.h).
#pragma once

#include "stickslip/sensitivity/prescribed_changes.h"

#include <span>
#include <vector>

namespace stickslip::sensitivity {

class DriveInputs {
 public:
  struct Input {
    int body = 0;
    Eigen::Index row = 0;  // among the twelve of its body (tangent.h)
    double time = 0;
  };

  // changes: of the unknowns of the run; it must outlive this.
  explicit DriveInputs(const PrescribedChanges& changes);

  // Columns from `first` to `end` are free.
  void begin(Eigen::Index first, Eigen::Index end);
  // Adds ones in the columns of these inputs to the twelve rows of `width` numbers. What it asked for before has the
  // columns that it got.
  void give(int body, double time, std::ptrdiff_t width, double* to);

  [[nodiscard]] std::span<const Input> inputs() const { return inputs_; }
  [[nodiscard]] bool has(int body) const { return !rows_[static_cast<std::size_t>(body)].empty(); }
  // Columns of one time, and whether there were too few.
  [[nodiscard]] Eigen::Index columns_per_time() const { return per_time_; }
  [[nodiscard]] bool exhausted() const { return exhausted_; }

 private:
  std::vector<std::vector<Eigen::Index>> rows_;  // per body: those that change
  Eigen::Index per_time_ = 0, first_ = 0, end_ = 0;
  std::vector<Input> inputs_;
  bool exhausted_ = false;
};

}  // namespace stickslip::sensitivity
