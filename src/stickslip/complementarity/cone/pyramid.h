// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Frictional contact with the cone replaced by a pyramid of d sides: an LCP (local form) or a mixed LCP (global form,
// where M need not be invertible), and the way back to impulses.
//
//     r_c = (p_n, sum_k e_k p_k),    e_k: d unit vectors around the disc (D = 3), or +1 and -1 (D = 2)
//     0 <= p_n _|_ u_n >= 0,    0 <= p_k _|_ e_k . u_t + s >= 0,    0 <= s _|_ mu p_n - sum_k p_k >= 0
//
// (Stewart and Trinkle 1996). The polygon of tangential impulses is inscribed in the disc mu p_n. s is the slip speed. Special contacts:
//
//     mu = 0       only p_n (r_t = 0)
//     support      p_n is given: no unknown and no row for it, mu p_n becomes a number
//     bilateral    D free unknowns r_c with rows u_c = 0
//
// Written with r = G x + r0:
//     local     G' (W (G x + r0) + q) + structure
//     global    M v - H (G x + r0) - f = 0,   G' (H' v + R r + w) + structure
//
// Symbol   meaning
//   x      the unknowns: p_n, p_k and s of each contact
//   r0     given normal impulses of supports
//   W, q, M, H, R, f, w      contact_problem.h
//
// Cost: d + 2 unknowns per contact; (d + 1)^2 entries for each block of W.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/cone/contact_problem.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

namespace stickslip::complementarity {

// The unit vectors e_k of a pyramid, D - 1 numbers each; e_0 at the given angle from the first tangent. Opposite ones are
// exact negatives of each other where their number is even.
void pyramid_directions(int dimension, int directions, double angle, std::vector<double>& e);

// The unknowns of all contacts, contact after contact: normal, friction directions, slip speed; bilateral: D
// components.
struct PyramidLayout {
  int dimension = 3;
  std::vector<int> first;         // unknown of each contact, contacts + 1 entries
  std::vector<double> direction;  // D per unknown: what it adds to its contact's impulse (0 for slip speeds)
  std::vector<double> lower, q;   // bounds; constants mu * given
  std::vector<double> given;      // r0
  std::vector<int> slip;          // unknown s of each contact, -1 where there is none
  std::vector<double> grip;       // mu, where s limits an unknown normal impulse, else 0
  std::vector<double> around;     // e_k

  void lay_out(int dimension, int directions, double angle, const std::vector<double>& mu,
               const std::vector<ContactKind>& kind, const std::vector<double>& normal_impulse);
  [[nodiscard]] int size() const { return static_cast<int>(lower.size()); }
  // The part of entry (row, column) of a contact's own block that does not depend on W.
  [[nodiscard]] double structure(int contact, int row, int column) const;
};

struct PyramidForm {
  AffineProblem problem;
  Eigen::Index degrees_of_freedom = 0;        // leading free unknowns v (global form), else 0
  Eigen::SparseMatrix<double> from_unknowns;  // G
  Eigen::VectorXd given;                      // r0
  std::vector<Eigen::Index> slip_index;       // unknown s of each contact, -1 where there is none

  // D impulses per contact.
  [[nodiscard]] Eigen::VectorXd impulses(const Eigen::VectorXd& z) const;
  void impulses(const Eigen::VectorXd& z, std::vector<double>& r) const;
  // Velocities of the bodies (global form).
  [[nodiscard]] Eigen::VectorXd velocities(const Eigen::VectorXd& z) const { return z.head(degrees_of_freedom); }
};

// Makes the local form in place: no allocation in repeated calls of one size and pattern.
class PyramidBuilder {
 public:
  // directions: d >= 3 for spatial contacts; planar ones always have two. angle: of e_0 from the first tangent. The
  // problem must be valid.
  void build(const ContactProblem& problem, int directions, PyramidForm& form, double angle = 0);

 private:
  void find_mirrors(const BlockMatrix& W);
  void assemble_matrix(const ContactProblem& problem);
  void add_column(const BlockMatrix& W, int contact, int unknown);
  void assemble_vectors(const ContactProblem& problem, PyramidForm& form) const;

  PyramidLayout layout_;
  std::vector<int> mirror_, cursor_;  // transposed block of each block
  std::vector<int> outer_, row_;      // the matrix in compressed columns
  std::vector<double> value_;
};

[[nodiscard]] PyramidForm make_pyramid(const ContactProblem& problem, int directions, double angle = 0);
[[nodiscard]] PyramidForm make_pyramid(const GlobalContactProblem& problem, int directions, double angle = 0);

}  // namespace stickslip::complementarity
