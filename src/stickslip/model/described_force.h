// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A force function that tells more of itself than its value: of which bodies it depends, and which of its formulas it is
// on. Where that changes the force may jump, and a step should end. It is kept in Body::forces as any other function;
// description_of() finds it there again.
//
// Of any other function nothing is known: it may read everything, and is taken as smooth.
#pragma once

#include "stickslip/model/model.h"

#include <functional>
#include <vector>

namespace stickslip::model {

// One place at which a function goes on in one of several ways, by where a number lies: a comparison, abs, floor ...
struct Choice {
  double taken = 0;    // which way
  double at = 0;       // the number
  double spacing = 0;  // of the thresholds that `at` may cross: all its multiples; 0: zero is the only one
  int source = 0;      // of several functions: choices of one follow from those before it
};

struct DescribedForce {
  ForceFunction add;
  // Appends the choices that the value at a state rests on. Empty: none that depends on bodies.
  std::function<void(const State& state, std::vector<Choice>& choices)> choices;
  std::vector<int> reads;  // bodies whose state it reads

  void operator()(const State& state, Wrench& wrench) const { add(state, wrench); }
};

// Null: nothing is known of it.
[[nodiscard]] inline const DescribedForce* description_of(const ForceFunction& force) {
  return force.target<DescribedForce>();
}

}  // namespace stickslip::model
