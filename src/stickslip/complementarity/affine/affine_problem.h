// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The affine box problem: find z with
//
//     lower <= z <= upper   and   w = M z + q,   with w_i >= 0 where z_i = lower_i, w_i <= 0 where z_i = upper_i,
//                                                     w_i = 0 strictly between (or for a free unknown).
//
// One form for all affine problems, so that one solver serves them:
//     LCP             lower = 0, upper = inf
//     mixed LCP       some unknowns free (lower = -inf, upper = inf), their rows are equations
//     box LCP/relay   finite bounds on both sides
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <limits>
#include <string>

namespace stickslip::complementarity {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct AffineProblem {
  // Exactly one of the two is used: dense where is_dense, else sparse (compressed, column-major).
  bool is_dense = false;
  Eigen::MatrixXd dense;
  Eigen::SparseMatrix<double> sparse;

  Eigen::VectorXd q, lower, upper;

  [[nodiscard]] Eigen::Index size() const { return q.size(); }
};

// Whether a matrix with so many entries is better kept dense.
[[nodiscard]] bool prefers_dense(Eigen::Index size, Eigen::Index entries);

// Ready-made special cases. M may be dense or sparse; a sparse M that is small or fuller than a quarter becomes dense.
[[nodiscard]] AffineProblem make_lcp(Eigen::MatrixXd M, Eigen::VectorXd q);
[[nodiscard]] AffineProblem make_lcp(Eigen::SparseMatrix<double> M, Eigen::VectorXd q);
[[nodiscard]] AffineProblem make_box_lcp(Eigen::SparseMatrix<double> M, Eigen::VectorXd q, Eigen::VectorXd lower,
                                         Eigen::VectorXd upper);

// Mixed LCP in blocks: u free, v >= 0,   0 = A u + C v + a,   0 <= v  _|_  D u + B v + b >= 0.
// A may be singular, and may have more rows than columns or the reverse: the system is then completed with
// zero columns (unknowns that stay 0) or zero rows (unknowns that nothing determines), both free.
struct MixedLcp {
  Eigen::SparseMatrix<double> A, B, C, D;
  Eigen::VectorXd a, b;
};

// The affine form and the way back: u = z.head(unknowns_free), v = z.tail(b.size()).
struct MixedLcpForm {
  AffineProblem problem;
  Eigen::Index unknowns_free = 0;
  [[nodiscard]] Eigen::VectorXd u(const Eigen::VectorXd& z) const { return z.head(unknowns_free); }
  [[nodiscard]] Eigen::VectorXd v(const Eigen::VectorXd& z, Eigen::Index m) const { return z.tail(m); }
};
[[nodiscard]] MixedLcpForm make_mixed_lcp(const MixedLcp& blocks);

// Empty text when the problem is well formed; otherwise one line that says what is wrong.
[[nodiscard]] std::string validate(const AffineProblem& problem);

}  // namespace stickslip::complementarity
