// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/smoothing.h"

#include "stickslip/complementarity/cone/semismooth_newton.h"

namespace stickslip::complementarity {
namespace {

constexpr int kMaxWidths = 200;
constexpr int kMaxFailures = 12;     // in a row
constexpr double kLastWidth = 1e-9;  // relative to the first
constexpr double kSmallestFactor = 0.03;

}  // namespace

template <int D>
bool smoothing_homotopy(ProximalNewton<D>& engine, IslandSearch<D>& search, const SmoothingSettings& settings) {
  const ScaledIsland<D>& island = search.island();
  std::vector<double>& r = engine.r();
  const double size = std::max(euclidean_norm(island.q), euclidean_norm(r));
  const double first = settings.width * size / std::sqrt(static_cast<double>(island.contacts));
  double width = first, factor = settings.factor;
  int failures = 0;
  for (int k = 0; k < kMaxWidths && failures < kMaxFailures && width > kLastWidth * first; ++k) {
    const typename ProximalNewton<D>::Subproblem problem{settings.alpha, settings.rho, width, 1e-3, settings.refine};
    const auto outcome = engine.solve(search, problem, "smoothing");
    if (search.finished()) return search.reached();
    if (outcome.solved || outcome.end < 1e-2 * width) {
      factor = std::max(kSmallestFactor, outcome.iterations <= 4 ? factor * factor : factor);
      width *= factor;
      failures = 0;
    } else {
      ++failures;
      r = engine.start();
      width /= factor;  // the last width that worked ...
      factor = std::sqrt(factor);
      width *= factor;  // ... and a smaller step from it
    }
  }
  return semismooth_newton(engine, search, {1e-6, settings.rho, 25, settings.refine});
}

template bool smoothing_homotopy<2>(ProximalNewton<2>&, IslandSearch<2>&, const SmoothingSettings&);
template bool smoothing_homotopy<3>(ProximalNewton<3>&, IslandSearch<3>&, const SmoothingSettings&);

}  // namespace stickslip::complementarity
