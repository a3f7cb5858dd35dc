// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Proofs that an affine problem has no solution. A ray of Lemke's method proves nothing in general; this does:
//
//     Every solution lies in the polyhedron   P = { lower <= z <= upper,  w_i >= 0 where upper_i = inf (z_i never
//     stands at an upper bound),  w_i <= 0 where lower_i = -inf,  w_i = 0 for free unknowns },  w = M z + q. P is empty
//     if some y with  y_i >= 0 (rows w_i >= 0),  y_i <= 0 (rows w_i <= 0),  y_i = 0 (rows without a condition) has max
//     over the box of  y' (M z + q)  =  q' y + sum_j max_{lower_j <= z_j <= upper_j} (M' y)_j z_j  <  0.   (Farkas)
//
// Four places to look for y, from cheap to thorough: single rows (y = +-e_i); the equations of free unknowns alone; the
// direction of a ray of Lemke's method (which is such a y when M is copositive-plus); and the linear program "find a
// point of P", whose optimality conditions are the affine problem  [0 -M'; M 0](z, y) + (0, q)  with a skew, hence
// monotone, matrix: there Lemke's ray always gives y.
//
// Whatever the source, y is checked here from M and q with a margin for rounding: where z_j has no bound, (M' y)_j may
// exceed zero by rounding of that very sum only (a larger slack would rule out solutions far away), and the maximum
// must lie below zero by 1e-8 of the sum of its terms. Cost: one product with M' per check; the linear program is an
// affine problem of twice the size.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/certified_lemke.h"
#include "stickslip/complementarity/deadline.h"

#include <vector>

namespace stickslip::complementarity {

// True when y (size n) proves that the problem has no solution.
[[nodiscard]] bool proves_infeasible(const AffineProblem& problem, const double* y);

class InfeasibilityProver {
 public:
  // True when some single row proves it.
  [[nodiscard]] bool prove_by_row(const AffineProblem& problem);
  // Signs of y that do not fit are set to zero before the check.
  [[nodiscard]] bool prove_by_ray(const AffineProblem& problem, const std::vector<double>& ray);
  // True when the equations of free unknowns contradict each other.
  [[nodiscard]] bool prove_by_equations(const AffineProblem& problem);
  [[nodiscard]] bool prove_by_linear_program(const AffineProblem& problem, const Deadline& deadline);

  // The y of the last proof.
  [[nodiscard]] const std::vector<double>& certificate() const { return y_; }

 private:
  void polish(const AffineProblem& problem);
  void build_linear_program(const AffineProblem& problem);

  std::vector<double> y_;
  AffineProblem program_;
  CertifiedLemke lemke_;
  Eigen::VectorXd point_;
};

}  // namespace stickslip::complementarity
