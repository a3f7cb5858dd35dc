// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/semismooth.h"

namespace stickslip::complementarity {

bool active_set_direction(McpSearch& search) {
  const McpEvaluation& box = search.evaluation;
  const McpPoint& p = search.current;
  for (Eigen::Index i = 0; i < p.x.size(); ++i) {
    const double target = p.x[i] - p.f[i];
    const bool at_lower = target <= box.lower[i], at_upper = target >= box.upper[i];
    const bool active = at_lower || at_upper;
    search.dx[i] = active ? 1 : 0;
    search.df[i] = active ? 0 : 1;
    search.phi[i] = at_lower ? box.lower[i] - p.x[i] : at_upper ? box.upper[i] - p.x[i] : -p.f[i];
  }
  search.system.set(search.evaluation.J, search.dx, search.df);
  return search.system.newton(search.phi, search.direction);
}

McpOutcome semismooth_newton(McpSearch& search, LevenbergMarquardt& fallback, int limit) {
  constexpr int kActiveSetTrials = 4, kNewtonTrials = 10, kFreeTrials = 3;
  McpOutcome outcome = McpOutcome::IterationLimit;
  for (int k = 0; search.next_iteration("semismooth", outcome); ++k) {
    if (k == limit) return McpOutcome::IterationLimit;
    if (active_set_direction(search) && search.line_search(search.direction, kActiveSetTrials, kFreeTrials)) continue;
    search.linearise();
    search.gradient = -search.phi;
    if (search.system.newton(search.gradient, search.direction) &&
        search.line_search(search.direction, kNewtonTrials, kFreeTrials))
      continue;
    if (!fallback.step(search)) return McpOutcome::Stationary;
  }
  return outcome;
}

}  // namespace stickslip::complementarity
