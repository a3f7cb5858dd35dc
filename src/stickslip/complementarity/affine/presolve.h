// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What can be decided before any solver runs.
//
//   * Rows that contain only their own unknown, one after the other:   w_i = M_ii z_i + r_i  with
//         M_ii > 0            z_i = mid(lower_i, upper_i, -r_i / M_ii)
//         M_ii < 0, z free    z_i = -r_i / M_ii
//         M_ii = 0            r_i > 0: lower bound, r_i < 0: upper bound; no such bound: a contradiction, up to
//         rounding
//     Each decision is forced, so the rest of the problem keeps all its solutions. Triangular problems (Murty's, on
//     which pivoting takes 2^n steps) end here. Fixed unknowns (lower = upper) count as decided.
//   * The rest falls into independent blocks: connected parts of the graph of M + M'.
//
// Cost: entries of M, but only the first few columns when M is dense and full.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"

#include <Eigen/Core>
#include <vector>

namespace stickslip::complementarity {

class Presolve {
 public:
  enum class Outcome { Nothing, Reduced, Solved, Infeasible };

  // Whether some row contains only its own unknown, or some unknown is fixed.
  [[nodiscard]] bool any_singleton(const AffineProblem& problem);

  // singleton: what any_singleton() says. Nothing: one block, no decided unknown. Otherwise z holds the decided values
  // (0 elsewhere) and the blocks are listed.
  Outcome run(const AffineProblem& problem, bool singleton, Eigen::VectorXd& z);

  [[nodiscard]] int blocks() const { return static_cast<int>(block_start_.size()) - 1; }
  // Whether the blocks carry rounded values of decided unknowns: a block without a solution then proves nothing.
  [[nodiscard]] bool rounded() const { return undecided_ < static_cast<int>(decided_.size()); }
  // Copies block b of the problem, with the decided unknowns moved into q. Storage of `block` is reused.
  void extract(const AffineProblem& problem, int b, AffineProblem& block);
  void scatter(int b, const Eigen::VectorXd& block_z, Eigen::VectorXd& z) const;
  // Unknowns of block b, ascending.
  [[nodiscard]] const int* members(int b) const { return member_.data() + block_start_[b]; }
  [[nodiscard]] int block_size(int b) const { return block_start_[b + 1] - block_start_[b]; }

 private:
  void count_entries(const AffineProblem& problem);
  void substitute(const AffineProblem& problem, int i, double value);
  [[nodiscard]] bool decide_rows(const AffineProblem& problem, Eigen::VectorXd& z);
  [[nodiscard]] bool decide(const AffineProblem& problem, int i, double diagonal, Eigen::VectorXd& z, bool& decided);
  void find_blocks(const AffineProblem& problem);
  void find_blocks_dense(const AffineProblem& problem);
  void find_blocks_sparse(const AffineProblem& problem);

  int undecided_ = 0;
  std::vector<char> decided_;
  std::vector<int> queue_, label_, member_, block_start_, position_, pending_;
  std::vector<double> others_;  // counts, as doubles: the compiler compares and adds several entries of M at once
  std::vector<double> remainder_, size_, diagonal_;
};

}  // namespace stickslip::complementarity
