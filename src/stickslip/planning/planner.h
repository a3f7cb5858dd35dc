// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Solves a plan: searches from several starts, tells solutions apart by their unknowns and their contact modes.
//
// What no search found is reported as not found, with the best violation: whether it exists is another question.
#pragma once

#include "stickslip/planning/end_conditions.h"
#include "stickslip/planning/plan.h"
#include "stickslip/planning/plan_search.h"

namespace stickslip::planning {

struct Solution {
  Eigen::VectorXd unknowns;
  double violation = 0;        // largest of the conditions
  Eigen::VectorXd residual;    // of each condition
  Eigen::MatrixXd influence;   // d (left - right) / d unknown there; empty when a run next to it fails
  double objective = 0;        // if there is one
  double dynamics = 0;         // residual of the equations of motion, worst step
  double complementarity = 0;  // certificate, worst step
  std::vector<simulation::ModeInterval> modes;
  std::vector<sensitivity::Touch> touches;  // located by the stepper
  int start = 0;                            // which search found it
  std::string origin;                       // where that began (starts.h)
  Eigen::VectorXd begun;                    // the unknowns there
  int iterations = 0;
};

struct PlanResult {
  enum class Status { Solved, NotFound };
  Status status = Status::NotFound;
  std::vector<Solution> solutions;  // the best first
  std::string method;               // what was done: "shooting", "multiple-shooting", "whole"
  std::string derivatives;          // "exact", "differences" or "mixed"
  int starts = 0, searches_solved = 0;
  std::int64_t runs = 0;
  double seconds = 0;  // of the searches
  // NotFound: the best attempt.
  Eigen::VectorXd closest;
  double violation = std::numeric_limits<double>::infinity();
  std::string violated;  // the condition that is violated most
  std::string cause;     // why no run was possible, if none was
  std::string note;      // of the search that came closest
};

[[nodiscard]] PlanResult solve(const Plan& plan);

}  // namespace stickslip::planning
