// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Proximal semismooth Newton for friction with the exact cone.
//
//     r <- solution of the contact law with u = W r + q + alpha (r - rbar), rbar = r        (proximal_newton.h)
//
// repeated with a weight alpha that falls while subproblems are easy and rises when one fails. The weight starts tiny:
// with the friction law the operator has small negative eigenvalues l, along which a proximal step multiplies the error
// by alpha / (alpha + l), so a large weight may even drive the iterates away; its only purpose is to give redundant
// contacts a unique answer. Changes of alpha are gentle (x 0.3, x 3): jumps of 10 lose problems.
//
// Islands with a warm start are the exception (settings_near_solution): a step of a pile starts from the impulses of
// the step before, and with a tiny weight Newton goes round in circles between two or three sets of modes. There the
// weight starts at the error of the start, a subproblem ends as soon as |F| is halved, and one that is not solved
// within a few steps is given up for a larger weight: half the Newton steps on piles of 100 spheres.
//
// Assumptions: block-scaled data, so that rho = 1 suits all contacts. Cost: a handful of factorisations as a rule.
#pragma once

#include "stickslip/complementarity/cone/proximal_newton.h"

namespace stickslip::complementarity {

struct NewtonSettings {
  double alpha = 1e-6, rho = 1;
  int patience = 25;  // subproblems without halving the best error
  int refine = 0;
  double growth = 3;        // of alpha after a subproblem that was not solved
  double reduction = 1e-2;  // of |F|, at which a subproblem counts as solved
  int max_iterations = 25;  // of a subproblem
  int easy = 4, fair = 10;  // iterations of a subproblem after which alpha falls by much, or by less
};

// error: that of the start.
[[nodiscard]] inline NewtonSettings settings_near_solution(double error) {
  return {std::clamp(error, 1e-6, 1e-2), 1.0, 60, 0, 10, 0.5, 6, 1, 3};
}

// From engine.r(), which the caller has looked at; the best point is left in the search. True when the goal was
// reached.
template <int D>
bool semismooth_newton(ProximalNewton<D>& engine, IslandSearch<D>& search, const NewtonSettings& settings = {});

}  // namespace stickslip::complementarity
