// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/smoothing_newton.h"

#include "stickslip/complementarity/mcp/semismooth.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

void set_smoothing(McpSearch& search, double mu) {
  search.evaluation.smoothing = mu;
  search.evaluation.refresh_merit(search.current);
  search.forget_merits();
}

}  // namespace

McpOutcome smoothing_newton(McpSearch& search, LevenbergMarquardt& fallback, int limit, double first_mu) {
  constexpr int kTrials = 12, kFreeTrials = 2, kInner = 12;
  constexpr double kShrink = 0.2, kSmallest = 1e-7;
  McpOutcome outcome = McpOutcome::IterationLimit;
  double mu = first_mu > 0 ? first_mu : std::clamp(search.current.natural, 1e-2, 10.0);
  set_smoothing(search, mu);
  int inner = 0, used = 0;
  for (; used < limit && search.next_iteration("smoothing", outcome); ++used) {
    search.linearise();
    if (search.phi.cwiseAbs().maxCoeff() <= mu || ++inner > kInner) {
      inner = 0;
      mu *= mu < 1e-2 ? kShrink * kShrink : kShrink;  // near the end the steps are good: be bold
      if (mu < kSmallest) break;
      set_smoothing(search, mu);
      search.linearise();
    }
    search.gradient = -search.phi;
    if (search.system.newton(search.gradient, search.direction) &&
        search.line_search(search.direction, kTrials, kFreeTrials))
      continue;
    search.linearise();
    if (!fallback.step(search)) inner = kInner;  // stationary for this mu: the next one may move again
  }
  set_smoothing(search, 0);
  if (search.current.natural <= search.target) return McpOutcome::Converged;
  if (outcome == McpOutcome::TimeLimit) return outcome;
  return semismooth_newton(search, fallback, std::max(limit - used, 10));
}

}  // namespace stickslip::complementarity
