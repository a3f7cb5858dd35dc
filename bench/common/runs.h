// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the solver benchmark collects: one Run per solver and problem.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace stickslip::bench {

// Ours counts as solved at 1e-8 in both errors of the certificate. Siconos scales its own stopping test differently
// from solver to solver: for it 2e-8 in the corpus' error counts, whatever it says about itself.
constexpr double kOurTolerance = 1e-8;
constexpr double kPeerTolerance = 2e-8;

struct Run {
  std::string solver;
  bool solved = false;
  double seconds = std::numeric_limits<double>::infinity();
  double error = std::numeric_limits<double>::infinity();
  std::string note;  // ours: the algorithm that answered; Siconos: why there is no answer
};

struct ProblemRuns {
  std::string name;
  std::string problem_class;
  std::string form;  // lcp, mlcp, ... : solvers of one form can be compared over all its classes
  int size = 0;
  Run ours;
  bool infeasible = false;  // we proved that there is no solution
  std::vector<Run> peers;

  // Fastest peer that solved the problem; null when none did.
  [[nodiscard]] const Run* best_peer() const {
    const Run* best = nullptr;
    for (const Run& run : peers)
      if (run.solved && (best == nullptr || run.seconds < best->seconds)) best = &run;
    return best;
  }
  [[nodiscard]] bool solved_by_anyone() const { return ours.solved || best_peer() != nullptr; }
};

}  // namespace stickslip::bench
