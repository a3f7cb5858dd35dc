// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Frictional contact with the exact (quadratic) Coulomb cone, in local form:
//
//     u = W r + q
//     frictional contact c:  K_mu contains r_c  _|_  (u_n + mu |u_t|, u_t) in the dual cone,
//                            K_mu = { (r_n, r_t) : |r_t| <= mu r_n }
//     support:               r_n is given (>= 0), |r_t| <= mu r_n, friction dissipates most against u_t, u_n is ignored
//     bilateral block:       u_c = 0, r_c free (a joint: rows that must stay closed)
//
// and in global form, where the bodies' velocities v are kept:
//
//     M v = H r + f,   u = H' v + R r + w          (R: compliance, block diagonal)
//
// Symbols: r contact impulses, u relative velocities, W Delassus matrix, D = dimension of a contact's block (2: planar,
// normal and one tangent; 3: spatial, normal and two tangents). Order within a block: normal, tangent[, tangent].
// A planar contact may stand in a D = 3 problem: give its second tangent a zero row and column, a positive diagonal
// entry and q = 0; the law is then exactly the planar one.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstdint>
#include <string>
#include <vector>

namespace stickslip::complementarity {

enum class ContactKind : std::uint8_t { Frictional, Support, Bilateral };

// Square matrix of D x D blocks in compressed block rows. Columns ascend within a row, the diagonal block is always
// stored, and the pattern is symmetric (values need not be). Blocks are row-major.
struct BlockMatrix {
  int block_size = 3;
  std::vector<int> row_start{0};  // rows + 1
  std::vector<int> column;        // block column of each stored block
  std::vector<int> diagonal;      // index of the diagonal block of each row
  std::vector<double> value;      // block_size^2 numbers per stored block

  [[nodiscard]] int rows() const { return static_cast<int>(diagonal.size()); }
};

struct ContactProblem {
  BlockMatrix W;
  std::vector<double> q;               // D per contact
  std::vector<double> mu;              // 1 per contact, >= 0 (ignored for bilateral blocks)
  std::vector<ContactKind> kind;       // empty: all frictional
  std::vector<double> normal_impulse;  // 1 per contact, read for supports only; empty when there are none

  [[nodiscard]] int dimension() const { return W.block_size; }
  [[nodiscard]] int contacts() const { return W.rows(); }
};

struct GlobalContactProblem {
  int dimension = 3;
  Eigen::SparseMatrix<double> M;  // degrees of freedom, square, invertible
  Eigen::SparseMatrix<double> H;  // degrees of freedom x (D contacts)
  Eigen::VectorXd f, w;
  std::vector<double> mu;
  std::vector<double> compliance;  // empty (rigid), or D x D row-major per contact: added to the diagonal blocks of W
  std::vector<ContactKind> kind;
  std::vector<double> normal_impulse;

  [[nodiscard]] int contacts() const { return static_cast<int>(mu.size()); }
};

// Empty text when the problem is well formed; otherwise one line that says what is wrong.
[[nodiscard]] std::string validate(const ContactProblem& problem);
[[nodiscard]] std::string validate(const ContactProblem& problem,
                                   std::vector<int>& workspace);  // allocates nothing twice
[[nodiscard]] std::string validate(const GlobalContactProblem& problem);

// Block form of a scalar sparse matrix (pattern made symmetric, diagonal blocks added).
[[nodiscard]] BlockMatrix make_block_matrix(const Eigen::SparseMatrix<double>& W, int block_size);

// Adds a contact compliance (D x D row-major per contact) to the diagonal blocks of W.
void add_compliance(ContactProblem& problem, const std::vector<double>& compliance);

}  // namespace stickslip::complementarity
