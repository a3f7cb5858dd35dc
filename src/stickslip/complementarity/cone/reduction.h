// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The global form reduced to the local one, and the way back:
//
//     M v = H r + f,  u = H'v + R r + w     ->     u = W r + q,   W = H' M^-1 H + R,   q = H' M^-1 f + w
//     v = M^-1 (H r + f)
//
// M of a system of bodies is block diagonal: its connected components are inverted one by one as small dense matrices,
// and W is summed body by body, one block for each pair of contacts that a body has. Components of more than kLargeBody
// unknowns (finite elements) go through a sparse LU of all of M instead.
//
// Assumptions: M invertible, not necessarily symmetric. Cost: sum over bodies of (contacts of the body)^2 D^2 b, b the
// body's degrees of freedom. Repeated reductions of one pattern allocate nothing on the block-diagonal path.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"

#include <Eigen/SparseLU>
#include <memory>
#include <vector>

namespace stickslip::complementarity {

class Reduction {
 public:
  // False when M is singular to working precision (or not a number).
  [[nodiscard]] bool reduce(const GlobalContactProblem& problem);

  [[nodiscard]] const ContactProblem& local() const { return local_; }
  // tr W_cc of each contact, as contact_residual.h wants it.
  [[nodiscard]] const std::vector<double>& block_trace() const { return block_trace_; }

  void velocities(const GlobalContactProblem& problem, const std::vector<double>& r, Eigen::VectorXd& v);

 private:
  static constexpr int kLargeBody = 24;

  // One nonzero block of H: the rows of one body, the D columns of one contact.
  struct Touch {
    int contact;
    int first;  // in touch_value_: b x D numbers of H, then b x D numbers of M^-1 H, column-major
  };

  void find_bodies(const GlobalContactProblem& problem);
  [[nodiscard]] bool invert_bodies(const GlobalContactProblem& problem);
  void collect_touches(const GlobalContactProblem& problem);
  void build_pattern(int contacts);
  void sum_blocks();
  [[nodiscard]] bool reduce_by_sparse_lu(const GlobalContactProblem& problem);
  void apply_inverse(const Eigen::VectorXd& x, Eigen::VectorXd& out);
  void finish(const GlobalContactProblem& problem);

  ContactProblem local_;
  std::vector<double> block_trace_;
  std::vector<int> root_, body_of_, row_in_body_, body_start_, body_row_;  // bodies: components of M's pattern
  std::vector<std::size_t> inverse_start_;
  std::vector<double> inverse_, touch_value_;  // dense inverses, column-major
  std::vector<int> touch_start_;               // of each body
  std::vector<Touch> touch_;
  std::vector<int> touch_count_, contact_touch_start_, contact_touch_, mark_, touch_body_;
  int largest_body_ = 0;
  bool sparse_ = false;
  std::unique_ptr<Eigen::SparseLU<Eigen::SparseMatrix<double>>> lu_;
  Eigen::VectorXd free_velocity_, forces_;
};

}  // namespace stickslip::complementarity
