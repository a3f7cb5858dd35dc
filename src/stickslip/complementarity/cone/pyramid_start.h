// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A start for the exact-cone iterations from a problem that pivoting solves: the cone replaced by a pyramid
// (pyramid.h).
//
// Lemke's method ends with a solution of the pyramid problem whenever the cone problem has bodies behind it and q is in
// the range of W. In the plane the pyramid is the cone, and its solution the answer. In space it is off by the angle
// between directions, which is a good start. Slower than Newton by far: a last resort.
//
// Cost: a pivot for each unknown that becomes basic, each of them O(n^2) for n unknowns.
#pragma once

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/island.h"
#include "stickslip/complementarity/cone/island_search.h"
#include "stickslip/complementarity/cone/pyramid.h"

namespace stickslip::complementarity {

template <int D>
class PyramidStart {
 public:
  // Impulses of the pyramid problem with the given number of directions. False: none found; r is then left alone.
  [[nodiscard]] bool solve(const ScaledIsland<D>& island, int directions, Budget& budget, std::vector<double>& r);

 private:
  ContactProblem problem_;
  PyramidBuilder builder_;
  PyramidForm form_;
  AffineSolver solver_;
  Eigen::VectorXd z_;
};

}  // namespace stickslip::complementarity
