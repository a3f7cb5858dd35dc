// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Newton's method on a small contact problem whose modes are known from the previous step or from another solver.
//
//     open    r = 0                       stick   u = W r + q = 0
//     slide   u_n = 0,  r_t + mu r_n d = 0,  d = u_t / |u_t|
//
// Supports have r_n given and stick or slide likewise. The equations are smooth once the modes are fixed, so a warm
// start needs one or two steps to reach rounding, which is what exact sticking needs: a residual of 1e-9 would let a
// box creep by 1e-9 g h per step. Whether the modes were right is not decided here but by the certificate
// (contact_residual.h) of the result.
//
// Redundant contacts make W singular. Stick and normal rows get alpha r added on the matrix only (not on the residual),
// which selects the answer nearest to the start; the same factor is then reused to remove what alpha left.
//
// hold(): all pressed contacts stick, u = 0, as for a body at rest on many points. How they share the load is then free
// within limits: the smallest impulses are taken, and where they leave a contact outside its cone while others have
// reserve, alternate projections on the cones and on { W r + q = 0 } spread the load until every contact is inside.
// Cost: one dense LU of D n rows per step. No allocation.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace stickslip::stepping {

class ModeNewton {
 public:
  static constexpr int kMaxContacts = 12;  // beyond, a dense factor costs more than the general solver,
  static constexpr int kMaxAtRest = 64;    // but once is worth it where what follows is rest, at no cost at all

  // From r (also read for the modes), at most `steps` Newton steps; r is overwritten. False when a matrix was singular
  // or the numbers left the range of double; r is then of no use.
  bool polish(const complementarity::ContactProblem& problem, std::span<double> r, int steps);
  bool hold(const complementarity::ContactProblem& problem, std::span<double> r);

 private:
  enum class Law : char { Open, Stick, Slide };
  template <int D, int C>
  bool run(const complementarity::ContactProblem& problem, std::span<double> r, int steps);
  template <int D>
  bool run_hold(const complementarity::ContactProblem& problem, std::span<double> r);
  void prepare(int contacts, int n);
  template <int D, int C>
  void velocity(const complementarity::ContactProblem& problem, std::span<const double> r);
  template <int D, int C>
  void choose_laws(const complementarity::ContactProblem& problem, std::span<const double> r);
  template <int D>
  struct SlideLaw {
    double d[D] = {}, spread[D][D] = {};  // direction of the slip; how friction turns with it
  };
  template <int D>
  [[nodiscard]] static SlideLaw<D> slide_law(const double* u, double mu, double pressed, double scale);
  template <int D, int C>
  void fill_closed(const complementarity::ContactProblem& problem, std::span<const double> r, int c, int n);
  template <int D, int C>
  void fill(const complementarity::ContactProblem& problem, std::span<const double> r);

  std::vector<Law> law_;
  std::vector<double> u_, defect_, step_, matrix_;  // matrix_: row-major, then its LU
  std::vector<int> pivot_;
};

}  // namespace stickslip::stepping
