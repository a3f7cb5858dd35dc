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
// Moderate islands with a warm start are the exception (settings_near_solution): a step of a pile starts from the
// impulses of the step before, and with a tiny weight Newton goes round in circles between two or three sets of modes,
// 25 steps per weight, until the weight has grown to 1e-2. Starting there, and growing fast, takes a sixth of the time.
//
// Assumptions: block-scaled data, so that rho = 1 suits all contacts. Cost: a handful of factorisations as a rule.
#pragma once

#include "stickslip/complementarity/cone/proximal_newton.h"

namespace stickslip::complementarity {

struct NewtonSettings {
  double alpha = 1e-6, rho = 1;
  int patience = 25;  // subproblems without halving the best error
  int refine = 0;
  double growth = 3;  // of alpha after a subproblem that was not solved
};

[[nodiscard]] constexpr NewtonSettings settings_near_solution() {
  return {1e-2, 1.0, 25, 0, 100};
}

// From engine.r(), which the caller has looked at; the best point is left in the search. True when the goal was
// reached.
template <int D>
bool semismooth_newton(ProximalNewton<D>& engine, Search<D>& search, const NewtonSettings& settings = {});

}  // namespace stickslip::complementarity
