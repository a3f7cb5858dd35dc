// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/semismooth_newton.h"

namespace stickslip::complementarity {
namespace {

constexpr double kSmallestAlpha = 1e-13, kLargestAlpha = 1e2;
constexpr int kMaxSubproblems = 300;

// The next proximal weight: smaller the easier the last subproblem was.
double next_alpha(double alpha, bool solved, int iterations, const NewtonSettings& settings) {
  if (!solved) return std::min(kLargestAlpha, settings.growth * alpha);
  const double factor = iterations <= settings.easy ? 0.3 : iterations <= settings.fair ? 0.55 : 1.0;
  return std::max(kSmallestAlpha, factor * alpha);
}

}  // namespace

template <int D>
bool semismooth_newton(ProximalNewton<D>& engine, IslandSearch<D>& search, const NewtonSettings& settings) {
  double alpha = settings.alpha, best = std::numeric_limits<double>::infinity();  // of this run, not of earlier ones
  double mark = best;
  int marked_at = 0;
  std::vector<double>& r = engine.r();
  for (int k = 0; k < kMaxSubproblems && !search.finished(); ++k) {
    const typename ProximalNewton<D>::Subproblem problem{
        alpha, settings.rho, 0.0, settings.reduction, settings.refine, settings.max_iterations};
    const typename ProximalNewton<D>::Outcome outcome = engine.solve(search, problem, "newton");
    if (search.reached()) return true;
    if (!outcome.solved && !(outcome.end < 0.5 * outcome.start)) r = engine.start();
    alpha = next_alpha(alpha, outcome.solved, outcome.iterations, settings);
    best = std::min(best, outcome.best);
    if (best < 0.5 * mark)
      mark = best, marked_at = k;
    else if (k - marked_at >= settings.patience)
      break;
  }
  return search.reached();
}

template bool semismooth_newton<2>(ProximalNewton<2>&, IslandSearch<2>&, const NewtonSettings&);
template bool semismooth_newton<3>(ProximalNewton<3>&, IslandSearch<3>&, const NewtonSettings&);

}  // namespace stickslip::complementarity
