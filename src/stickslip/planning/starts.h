// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Where searches begin: the guesses of the plan file, then motions without contacts, then random places.
//
//     straight line     the unknowns with which the conditions hold if nothing touches and nothing is heavy
//     ballistic         if nothing touches
//     random            within the bounds; without bounds, within `scale` of the first guess. Several are drawn for
//                       each search, which begins at the one whose run comes closest
//
// Motions without contacts are found by the same search in the same scene with its contacts (and gravity) taken out.
// The straight line as a rule leads to motions that touch something before the end, the ballistic one to those that do
// not (docs/theory/planning.md).
#pragma once

#include "stickslip/planning/plan.h"

#include <Eigen/Core>

#include <optional>

namespace stickslip::planning {

struct Start {
  std::string name;  // "guess", "guess 2", "straight line", "ballistic", "random 3"
  Eigen::VectorXd unknowns;
  std::vector<Eigen::VectorXd> others;  // random: more to choose from
};

class Starts {
 public:
  explicit Starts(const Plan& plan) : plan_(plan) {}  // which must outlive this
  // Counted from 0; none when the plan wants no more.
  [[nodiscard]] std::optional<Start> at(int number);

 private:
  void add_free_motion(const char* name, Plan::Free kind);
  [[nodiscard]] Eigen::VectorXd guess(int number) const;
  [[nodiscard]] Eigen::VectorXd random(int number) const;

  const Plan& plan_;
  bool generated_ = false;
  std::vector<Start> free_motions_;
};

}  // namespace stickslip::planning
