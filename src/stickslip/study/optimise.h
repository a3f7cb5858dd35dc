// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Design by search: the parameters within bounds that make the objective of a study small.
//
//   minimise  F(d) = combine_i objective(trial i of the study with the design d),     low <= d <= high
//
// combine: sum, mean, worst, or the mean of the worst share (CVaR). The searches are NLopt's, in coordinates scaled to
// the unit cube: Nelder-Mead, BOBYQA and COBYLA (local, without derivatives), CRS (global, random with a fixed seed)
// and SLSQP (local, with derivatives: implicit differentiation of the runs where their scene allows it, else central
// differences, trial_gradient.cpp). One search is our own: Gauss-Newton for objectives that are sums of norms of
// residuals, in a box around the best design that grows and shrinks with what its model is worth (norm_search.h).
// Several starts: the given one, then points of a Sobol sequence. The trials of an evaluation run in parallel and are
// combined in their order: the search is the same for every number of threads.
//
// A trial without an objective (rejected, uncertified, not a number) makes the design undefined: the search sees a
// value above all it has seen, and the log says so.
#pragma once

#include "stickslip/study/trial_run.h"

#include <functional>
#include <string>
#include <vector>

namespace stickslip::study {

struct Evaluation {
  std::int64_t number = 0;  // from 1
  int start = 0;            // which search, from 0
  std::vector<double> design;
  double value = kNotANumber;      // nan: undefined
  std::vector<double> objectives;  // of the trials
  std::string cause;               // why it is undefined
  std::vector<double> gradient;    // d value / d design; empty: not asked for, or not defined
  bool implicit = false;           // the gradient: all trials by implicit differentiation
  bool crossed = false;            // the gradient: differences across a change of contact modes
  std::int64_t runs = 0;           // of trials, those for differences among them
  NormModel terms;                 // with a gradient and residuals: of all trials
};

struct OptimiseResult {
  Evaluation first, best;  // best.number = 0: no design was defined
  std::int64_t evaluations = 0, runs = 0;
  std::int64_t gradients = 0, implicit_gradients = 0;  // of the evaluations, those with a gradient
  std::int64_t crossed_gradients = 0;                  // by differences across a change of contact modes
  std::string ending;                                  // why the last search ended
};

// Called after every evaluation, in order; return false to end the search.
using EvaluationLog = std::function<bool(const Evaluation&)>;

// The study has [optimise].
[[nodiscard]] OptimiseResult optimise(const Study& study, const TrialRunner& runner, int threads,
                                      const EvaluationLog& log = {});

// One evaluation by itself.
[[nodiscard]] Evaluation evaluate_design(const Study& study, const TrialRunner& runner, int threads,
                                         const std::vector<double>& design, bool with_gradient = false);

// A scene that includes the study's scene and has the design as its parameters; `file` is where it will stand.
[[nodiscard]] std::string design_as_scene(const Study& study, const Evaluation& design,
                                          const std::filesystem::path& file);

}  // namespace stickslip::study
