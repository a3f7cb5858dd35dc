// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Solves one island's contact problem for a stepper, as tightly as rounding allows, and certifies the answer.
//
// A step is accepted at Method::certificate, but every solve aims at kAim: what a solver leaves in the velocity of a
// contact that should stick, the body creeps. In order of cost:
//   1. the closed form, for a single contact,
//   2. the impulses of the previous step, if they still solve the problem (bodies at rest, steady sliding),
//   3. Newton's method in the modes of the previous step (mode_newton.h), for a few contacts,
//   4. all contacts stuck, with the load spread (ModeNewton::hold), for a body at rest on many points,
//   5. a few steps of the general Newton method from the previous impulses, for many contacts close to rest,
//   6. sweeps with momentum, for many compliant contacts (compliance = "normal"), with Newton's method on those that keep
//      sweeps from ending; close to rest before 5,
//   7. the general solver, then again Newton to polish its answer.
// Friction pyramids go to pyramid_solver.h. Whatever answers, the certificate is contact_residual() of the problem that
// was posed.
#pragma once

#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/method.h"
#include "stickslip/stepping/mode_newton.h"
#include "stickslip/stepping/pyramid_solver.h"

#include <vector>

namespace stickslip::stepping {

class ProblemSolver {
 public:
  // Islands so large, and with a W so well conditioned because all contacts give way, that sweeps come first. Their
  // solver makes better use of threads than other islands beside it would.
  [[nodiscard]] static bool sweeps(const contact::Island& island);

  // The residual that solves aim at: far above rounding of small problems, far below anything observable.
  static constexpr double kAim = 1e-13;

  // island.r: start in, impulses out. island.summary tells how it ended; true when certified at the tolerance.
  // threads: for solvers that use several within an island.
  bool solve(const Method& method, contact::Island& island, int threads = 1);

 private:
  bool solve_cone(const Method& method, contact::Island& island, int threads);
  bool sweep(const Method& method, contact::Island& island, int threads);
  bool try_polish(contact::Island& island);
  bool polish_once(contact::Island& island);
  bool try_hold(contact::Island& island);
  bool near_rest(const Method& method, contact::Island& island);
  void tighten(const Method& method, contact::Island& island, double tolerance, int iterations);
  static void solve_single(const complementarity::ContactProblem& problem, std::vector<double>& r);
  static bool accept(contact::Island& island, const complementarity::Residual& residual, const char* solver);

  complementarity::ContactSolver cone_;
  ModeNewton newton_;
  PyramidSolver pyramid_;
  std::vector<double> r_;
};

}  // namespace stickslip::stepping
