// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/pyramid_solver.h"

namespace stickslip::stepping {

bool PyramidSolver::solve(const Method& method, contact::Island& island) {
  builder_.build(island.problem, method.directions, form_);
  complementarity::SolverOptions options;
  options.tolerance = method.tolerance;
  island.summary = solver_.solve(form_.problem, z_, options, method.solver);
  form_.impulses(z_, island.r);
  return island.summary.solved();
}

}  // namespace stickslip::stepping
