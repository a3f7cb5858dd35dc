// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Does halving the step change a run as little as the order of its stepper claims? Certificates cannot tell: each step
// of a run may be solved to rounding while all of them together follow another motion (a top that first-order steps
// turn over).
//
//     x_i(t)   observable in the run with step h / 2^i
//     D_i      mean over the run of |x_(i+1) - x_i|, as a share of the range of x in all runs      should fall by 2^p
//
// Means over the run and not values at the end: two wrong runs may end alike, and an impact that shifts a little
// changes a velocity by all of its size for a moment. The verdict:
//
//     two runs        D_0 > kSuspect                                        suspect: a third run would tell
//     three or more   last D > kResolved and > 2^(-p/2) the one before       unsettled: the changes do not fall
//                     some D_i > kFar and D_(i+1) < 2^(-p-2) D_i             jumps: runs with steps from h / 2^i on
//                     follow
//                                                                            one motion, those with longer ones another
//     otherwise                                                              settles
//
// p: the order of the stepper. Half of it is allowed for changes of contact mode, which first-order steps do not
// locate. Cost of check_steps(): a run with half the step for each variant, and one with a quarter for those that are
// suspect.
#pragma once

#include "batch.h"

#include <span>
#include <string>
#include <vector>

namespace stickslip::app {

enum class StepVerdict { Settles, Suspect, Unsettled, Jumps };

// changes: D_0, D_1, ... of one observable. from: with Jumps, i + 1 for the last such i.
[[nodiscard]] StepVerdict judge_steps(std::span<const double> changes, int order, std::size_t& from);

// D_0, D_1, ... between runs that follow each other; nan where a run has no number.
[[nodiscard]] std::vector<double> mean_changes(std::span<const Result* const> runs, std::size_t observable);

// An observable whose changes contradict the order.
struct StepWarning {
  std::string observable;
  std::vector<double> steps;    // h, h/2, h/4, ...
  std::vector<double> changes;  // one fewer
  StepVerdict verdict = StepVerdict::Settles;
  std::size_t from = 0;  // steps[from] is the longest step of the motion that short steps follow (Jumps)
};

// All warnings about one run as a sentence: the worst in figures, the others by name. Empty when there are none.
[[nodiscard]] std::string warning_text(const std::vector<StepWarning>& warnings, const std::string& stepper);

// Of runs of one scene with steps that halve; all must have series. None when one of them did not finish.
[[nodiscard]] std::vector<StepWarning> check_halvings(const std::vector<scene::Observable>& observables,
                                                      std::span<const Result* const> runs, int order);

// For each variant: what runs with half and, if need be, a quarter of its step say. Steps chosen by a tolerance are
// checked by the choice itself.
struct StepCheck {
  std::string label, stepper;
  std::vector<StepWarning> warnings;
};
[[nodiscard]] std::vector<StepCheck> check_steps(const std::string& scene, int threads,
                                                 const std::vector<Variant>& variants);

// The same, for variants whose runs with the step and half of it are there already.
[[nodiscard]] std::vector<StepCheck> check_steps(const Batch& batch, const std::vector<Variant>& variants,
                                                 const std::vector<Result>& whole, const std::vector<Result>& half);

constexpr int kStepSamples = 400;  // of the series

}  // namespace stickslip::app
