// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/damped_newton.h"

namespace stickslip::complementarity {
namespace {

constexpr double kFirst = 0.03, kGrowth = 3, kLast = 3;  // c: at first, its growth, where it starts again
constexpr int kPatience = 8;                             // steps without a better point after which c grows
constexpr double kBetter = 0.9;                          // of the best error
constexpr double kShare = 0.3;                           // of the island's error in every weight

}  // namespace

template <int D>
bool damped_newton(ProximalNewton<D>& engine, IslandSearch<D>& search, int max_steps) {
  double c = kFirst, mark = search.best();
  int since = 0;
  engine.begin_damping();
  for (int step = 0; step < max_steps && !search.finished(); ++step) {
    if (!engine.damped_step(search, c, kShare * search.last())) break;
    if (search.reached()) return true;
    if (search.best() < kBetter * mark)
      mark = search.best(), since = 0;
    else if (++since >= kPatience)
      since = 0, c = c > kLast ? kFirst : kGrowth * c;
  }
  return search.reached();
}

template bool damped_newton<2>(ProximalNewton<2>&, IslandSearch<2>&, int);
template bool damped_newton<3>(ProximalNewton<3>&, IslandSearch<3>&, int);

}  // namespace stickslip::complementarity
