// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Semismooth Newton for one proximal subproblem, with a watchdog: the engine of semismooth_newton.h and smoothing.h.
//
//     F(r) = r - P(r - rho (W r + q + alpha (r - rbar))) = 0,   rbar: the start          (P: alart_curnier.h, width e)
//     [rho J (W + alpha I) + (I - J)] dr = -F                                             (newton_system.h)
//
// The proximal term makes the matrix invertible where contacts are redundant. It is not what makes the iteration
// converge from afar: near a hyperstatic solution the iterates travel along a curved, nearly flat valley of the cone,
// where a full step may raise |F| a thousandfold and the next one drop it to rounding. So full steps are taken without
// descent for a few iterations (the watchdog of Chamberlain et al. 1982); only when they lead nowhere the iteration
// goes back to the best point and searches along its direction, and after that to sweeps of Gauss-Seidel.
//
// Every iterate is offered to the search, whose error is that of the law itself and knows no alpha or e.
// Cost per iteration: one factorisation, two products with W.
#pragma once

#include "stickslip/complementarity/cone/gauss_seidel.h"
#include "stickslip/complementarity/cone/island_search.h"
#include "stickslip/complementarity/cone/newton_system.h"

namespace stickslip::complementarity {

template <int D>
class ProximalNewton {
 public:
  struct Subproblem {
    double alpha = 1e-6;      // proximal weight
    double rho = 1;           // step of the Alart-Curnier map
    double width = 0;         // of the smoothing; 0: none
    double reduction = 1e-2;  // of |F|, at which the subproblem counts as solved
    int refine = 0;           // refinement steps of each linear solve
    int max_iterations = 25;
  };
  struct Outcome {
    bool solved = false;
    int iterations = 0;
    double start = 0, end = 0;                              // |F|
    double best = std::numeric_limits<double>::infinity();  // error of the best point on the way
  };

  // Prepares for an island; r() holds the start.
  void begin(const ScaledIsland<D>& island, EliminationPlan& plan);
  Outcome solve(IslandSearch<D>& search, const Subproblem& problem, const char* note);
  // One full step with weights c sqrt(defect) + floor of the contacts' own (damped_newton.h). False: budget used up.
  // begin_damping(): before the first of such steps.
  void begin_damping() { mode_before_.clear(); }
  bool damped_step(IslandSearch<D>& search, double c, double floor);
  void allow_wrenches(bool allowed) { system_.allow_wrenches(allowed); }

  [[nodiscard]] std::vector<double>& r() { return r_; }
  // Where the last subproblem started.
  [[nodiscard]] const std::vector<double>& start() const { return rbar_; }
  [[nodiscard]] GaussSeidel<D>& sweeps() { return sweeps_; }
  // Evaluates u at r() and offers it.
  bool look(IslandSearch<D>& search);

 private:
  struct Point {
    std::vector<double> r, direction;
    double norm = 0;
    bool has_direction = false;
  };

  double evaluate(const ScaledIsland<D>& island, const Subproblem& problem, bool with_derivative);
  void weigh_contacts(const ScaledIsland<D>& island, double c, double floor);
  void follow_modes(double floor);
  void newton_direction(const Subproblem& problem);
  void make_reference(double norm);
  bool offer(IslandSearch<D>& search, Outcome& outcome) const;
  double step_back(IslandSearch<D>& search, const Subproblem& problem, int& sweeps_used);

  NewtonSystem<D> system_;
  GaussSeidel<D> sweeps_;
  std::vector<double> r_, u_, F_, J_, dr_, rbar_, weight_, factor_;
  std::vector<ContactMode> mode_, mode_before_;
  Point reference_;
};

[[nodiscard]] double euclidean_norm(const std::vector<double>& x);

}  // namespace stickslip::complementarity
