// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/newton.h"

namespace stickslip::complementarity {

McpOutcome josephy_newton(McpSearch& search, Linearisation& inner, LevenbergMarquardt& fallback, int limit) {
  constexpr int kTrials = 16, kFreeTrials = 3, kPatience = 3;
  constexpr double kShort = 1e-3;
  McpOutcome outcome = McpOutcome::IterationLimit;
  int short_steps = 0;
  for (int k = 0; search.next_iteration("newton", outcome); ++k) {
    if (k == limit) return McpOutcome::IterationLimit;
    // After a few crumbs from the line search in a row the Newton point is no guide any more.
    const bool useful = short_steps < kPatience;
    if (useful && inner.solve(search.evaluation, search.current, search.direction) &&
        search.line_search(search.direction, kTrials, kFreeTrials)) {
      short_steps = search.last_step < kShort ? short_steps + 1 : 0;
      continue;
    }
    short_steps = 0;
    search.linearise();
    if (!fallback.step(search)) return McpOutcome::Stationary;
  }
  return outcome;
}

}  // namespace stickslip::complementarity
