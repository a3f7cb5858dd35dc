// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How wrong are the observables of a run? Two coarser runs beside it tell, at half of its cost:
//
//     v(h), v(3h), v(6h)     an observable at the end of runs with the step, three and six times of it
//
//     error of order p:      e = C h^p   =>   E_1 = |v(h) - v(3h)| / (3^p - 1),   E_2 = |v(3h) - v(6h)| / (6^p - 3^p)
//
// both of which are e. The bar is E_1, an *estimate*, if
//
//     1. all three runs ended in the same way,
//     2. each pair of bodies went through the same contact modes in the same order in all three,
//     3. no run divided its steps (second-order does, to keep energy): what counts is then not h, 3h and 6h, and
//     4. 1/kAgree <= E_1 / E_2 <= kAgree: the differences fall as the order of the stepper claims.
//
// Where only 3 or 4 fails, the bar is a *bound*: the largest difference between the three runs, several times the
// error where the order holds; where 2 fails, three times that. That is no proof: runs whose neighbouring steps make the same mistake agree by chance;
// how often that happens is measured on random scenes (error_bars_test.cpp). Where 1 fails, or a run has no value, the
// observable is not resolved. Nothing is stated from two runs alone, which agree by chance more often. Differences below
// 1e-8 of the value are what rounding and the search of instants leave, and the largest is the bar; a time that was read
// off the grid of steps has the step; a stepper that divides steps by an error estimate of its own (runge-kutta) has an
// error that does not fall with h, and the larger difference is its bar.
//
// Cost: 1/3 + 1/6 of the run's steps.
#pragma once

#include "stickslip/runs/run.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::runs {

struct ErrorBar {
  enum class Claim : char {
    None,      // not resolved
    Bound,     // the error is at most this
    Estimate,  // the error is about this
  };
  Claim claim = Claim::None;
  double error = 0;     // what is claimed of the observable
  double spread = 0;    // largest difference between the three runs; nan: one of them has no value
  std::string why_not;  // no estimate
};

// "estimate", "bound", "none": as JSON and Python have it.
[[nodiscard]] std::string_view name_of(ErrorBar::Claim claim);

// "+- 2e-06", "+- at most 2e-06" or "not resolved".
[[nodiscard]] std::string text_of(const ErrorBar& bar);

// Of a run that came to its end: one bar per observable. The hook sees the steps of the coarser runs, and can only end
// them by what it throws.
[[nodiscard]] std::vector<ErrorBar> error_bars(const Run& run, const Run::Hook& hook = {});

// What three values and an order tell; grain: of observer.h.
[[nodiscard]] ErrorBar bar_of(double value, double at_three, double at_six, int order, double grain);

}  // namespace stickslip::runs
