// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Generators of affine test problems, so that tests and benchmarks need no files. Random ones take a seed and give the
// same numbers on every machine.
//
//     murty(n)          M lower triangular, 1 on and 2 below the diagonal, q = -1 (Murty 1978)
//     murty_upper(n)    its transpose: 2^n - 1 pivots for least-index methods
//     murty_lemke(n)    q_i = -(2^n + ... + 2^(n-i+1)): 2^n - 1 pivots for Lemke with covering vector 1
//     fathi(n)          M = L L' with L = murty's matrix (Fathi 1979); fathi_lemke with murty_lemke's q
//     harker_pang(n)    A'A + B - B' + diag, dense, positive definite, ill conditioned (Harker, Pang 1990)
//     p_matrix(n)       A^-1 B with A, B row dominant: a P-matrix, not positive definite
//     m_matrix(n)       sparse, off-diagonals <= 0, row dominant
//     obstacle(k)       membrane over a paraboloid on a k x k grid, z = height above the obstacle
//     semidefinite(n)   A'A of rank n/2; a third of the pairs is zero on both sides (known solution)
//     monotone(n)       A'A of rank n/5 plus sparse skew, equally degenerate (known solution)
//     slide, stack, painleve      one Stewart-Trinkle time step with a friction pyramid, as LCP or mixed LCP
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"

#include <Eigen/Core>
#include <cstdint>

namespace stickslip::complementarity {

struct KnownProblem {
  AffineProblem problem;
  Eigen::VectorXd solution;
};

[[nodiscard]] AffineProblem murty(int n);
[[nodiscard]] AffineProblem murty_upper(int n);
[[nodiscard]] AffineProblem murty_lemke(int n);
[[nodiscard]] AffineProblem fathi(int n);
[[nodiscard]] AffineProblem fathi_lemke(int n);
[[nodiscard]] AffineProblem harker_pang(int n, std::uint64_t seed);
[[nodiscard]] AffineProblem p_matrix(int n, std::uint64_t seed);
[[nodiscard]] AffineProblem m_matrix(int n, std::uint64_t seed);
[[nodiscard]] AffineProblem obstacle(int k);
[[nodiscard]] KnownProblem semidefinite(int n, std::uint64_t seed);
[[nodiscard]] KnownProblem monotone(int n, std::uint64_t seed);

// One Stewart-Trinkle step:   M (v+ - v) = h F + W_n p_n + W_f p_f,
//     0 <= p_n _|_ W_n' v+ + gap/h >= 0,   0 <= p_f _|_ W_f' v+ + E s >= 0,   0 <= s _|_ mu p_n - E' p_f >= 0.
struct ContactStep {
  Eigen::MatrixXd mass, normal, friction;  // friction: d columns per contact, contact after contact
  Eigen::VectorXd mu, velocity, force, gap;
  double step = 0.01;

  [[nodiscard]] int contacts() const { return static_cast<int>(normal.cols()); }
  [[nodiscard]] int directions() const { return static_cast<int>(friction.cols() / normal.cols()); }
};

// Unknowns (p_n, p_f, s) of all contacts; the matrix is dense when it is mostly full.
[[nodiscard]] AffineProblem contact_lcp(const ContactStep& step);
// Unknowns (v+ free, p_n, p_f, s).
[[nodiscard]] MixedLcp contact_mixed_lcp(const ContactStep& step);

struct SlideOptions {
  int contacts = 3, directions = 8;
  double mu = 0.5, vx = 1, vy = 0.3, vz = 0, spin = 0.5;
  bool reference_in_plane = true;  // velocities of the point in the contact plane (fewer nonzeros) or of the centre
};
// A block of 1 kg, 0.2 x 0.1 x 0.1 m, on a plane.
[[nodiscard]] ContactStep slide(const SlideOptions& options);
// Boxes on top of each other, two contacts per interface (more than equilibrium needs), pushed at the top by a multiple
// of the weight of one box.
[[nodiscard]] ContactStep stack(int boxes, double mu = 0.5, double push = 0);
// A rod that slides on its tip, above the Painleve threshold for mu > 4/3.
[[nodiscard]] ContactStep painleve(double mu);

}  // namespace stickslip::complementarity
