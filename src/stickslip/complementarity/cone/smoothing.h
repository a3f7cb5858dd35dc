// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Smoothing homotopy for friction with the exact cone: the fall-back for hard problems.
//
// The contact law smoothed with a width e (alart_curnier.h) is solved for a falling sequence of widths, each from the
// last solution; a width that fails is retried closer to the last good one. From the end point the unsmoothed Newton
// iteration (semismooth_newton.h) takes over. Far from the solution the smoothed path decides the modes of the contacts
// together, where the unsmoothed iteration can cycle between them. Two to ten times the cost of Newton alone on easy
// problems. Chen and Harker 1993 (complementarity problems), Fukushima, Luo and Tseng 2001 (second-order cones).
#pragma once

#include "stickslip/complementarity/cone/proximal_newton.h"

namespace stickslip::complementarity {

struct SmoothingSettings {
  double alpha = 1e-8, rho = 1;
  double factor = 0.3;  // first reduction of the width
  double width = 1;     // first width, relative to the mean size of the data
  int refine = 0;
};

// From engine.r(); the best point is left in the search, the end of the path in engine.r(). True: goal reached.
template <int D>
bool smoothing_homotopy(ProximalNewton<D>& engine, IslandSearch<D>& search, const SmoothingSettings& settings = {});

}  // namespace stickslip::complementarity
