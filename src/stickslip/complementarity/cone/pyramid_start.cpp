// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/pyramid_start.h"

#include "stickslip/complementarity/cone/pyramid.h"

namespace stickslip::complementarity {

template <int D>
bool PyramidStart<D>::solve(const Island<D>& island, int directions, Budget& budget, std::vector<double>& r) {
  ContactProblem problem;
  problem.W.block_size = D;
  problem.W.row_start = island.row_start;
  problem.W.column = island.column;
  problem.W.diagonal = island.diagonal;
  problem.W.value = island.W;
  problem.q = island.q;
  problem.mu = island.mu;
  problem.kind = island.kind;
  problem.normal_impulse = island.given;

  const PyramidForm form = make_pyramid(problem, directions);
  SolverOptions options;
  options.max_iterations = 20 * static_cast<int>(form.problem.size()) + 200;
  Eigen::VectorXd z;
  const SolverSummary summary = solver_.solve(form.problem, z, options);
  // A pivot touches a few rows and columns of the basis, which is as large as the number of closed directions.
  const double n = static_cast<double>(form.problem.size());
  budget.spend(static_cast<double>(summary.iterations) * n * n);
  if (z.size() != form.problem.size() || !z.allFinite()) return false;
  const Eigen::VectorXd impulses = form.impulses(z);
  r.assign(impulses.data(), impulses.data() + impulses.size());
  return true;
}

template class PyramidStart<2>;
template class PyramidStart<3>;

}  // namespace stickslip::complementarity
