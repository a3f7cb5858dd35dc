// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/pyramid_start.h"

namespace stickslip::complementarity {

template <int D>
bool PyramidStart<D>::solve(const ScaledIsland<D>& island, int directions, Budget& budget, std::vector<double>& r) {
  problem_.W.block_size = D;
  problem_.W.row_start = island.row_start;
  problem_.W.column = island.column;
  problem_.W.diagonal = island.diagonal;
  problem_.W.value = island.W;
  problem_.q = island.q;
  problem_.mu = island.mu;
  problem_.kind = island.kind;
  problem_.normal_impulse = island.given;

  builder_.build(problem_, directions, form_);
  SolverOptions options;
  options.max_iterations = 20 * static_cast<int>(form_.problem.size()) + 200;
  z_.setZero(form_.problem.size());
  const SolverSummary summary = solver_.solve(form_.problem, z_, options);
  // A pivot touches a few rows and columns of the basis, which is as large as the number of closed directions.
  const double n = static_cast<double>(form_.problem.size());
  budget.spend(static_cast<double>(summary.iterations) * n * n);
  if (z_.size() != form_.problem.size() || !z_.allFinite()) return false;
  form_.impulses(z_, r);
  return true;
}

template class PyramidStart<2>;
template class PyramidStart<3>;

}  // namespace stickslip::complementarity
