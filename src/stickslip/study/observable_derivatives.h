// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the observables of a run change with its parameters and its initial state: by implicit differentiation of its
// steps where that is possible (sensitivity/), one run in all; else by central differences, checked:
//
//   D(s) = (f(p + s) - f(p - s)) / (2 s) = f' + c s^2 + O(s^4)
//   f'   ~ (4 D(s/2) - D(s)) / 3         error ~ |D(s/2) - D(s)| / 3, and what rounding of f leaves: eps |f| / s
//
// At a bound of the parameter, on the side that is left, with D(s) = (4 f(p + s/2) - f(p + s) - 3 f(p)) / s, whose
// error is c s^2 + O(s^3).
//
// Where contacts stick, slide or part in another order on the two sides, the observable has a corner or a jump between
// them and a difference means little: the runs are compared by the order of their contact modes, and such derivatives
// are marked. There, differences to each side are taken as at a bound: where the modes of the runs of a side are the
// same, and left and right differ by far more than their errors, the observable has a corner in the scene itself (a
// block at the limit of friction). It has no derivative then, but one to the left and one to the right.
//
// Cost: four runs per parameter, three at a bound, six where the modes change.
#pragma once

#include "stickslip/scene/scene.h"
#include "stickslip/study/statistics.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace stickslip::study {

struct Derivative {
  double value = kNotANumber;  // nan: a run failed, the observable is not defined, or it has a corner here
  double error = kNotANumber;  // estimate
  bool same_modes = false;     // all runs went through the same contact modes
  bool implicit = false;       // by implicit differentiation: of the run's own modes, no estimate of the error
  std::string reason;          // why not by implicit differentiation; empty when it is, or when it was not asked for
  struct Side {
    double value = kNotANumber, error = kNotANumber;
  };
  bool corner = false;  // left and right are known and differ
  Side left, right;
};

struct Sensitivities {
  std::vector<std::string> parameters, observables;  // parameters: names with a dot are of the initial state
  std::vector<double> parameter_values, observable_values;
  std::vector<Derivative> derivatives;  // of observable j with respect to parameter i at [i * observables.size() + j]
  std::int64_t runs = 0;
  std::string note;  // on the stepper, where the scene leaves it open and another one was taken for its derivatives

  [[nodiscard]] const Derivative& at(std::size_t parameter, std::size_t observable) const {
    return derivatives[parameter * observables.size() + observable];
  }
};

enum class DerivativeMethod {
  Automatic,   // implicit where the scene and the observable allow it
  Implicit,    // others are nan; SceneError when the scene does not allow any
  Differences  // all
};

struct SensitivityOptions {
  double step = 1e-4;  // of a parameter, relative to its size (or to 1 when it is 0)
  int threads = 1;     // the result does not depend on it
  DerivativeMethod method = DerivativeMethod::Automatic;
  std::function<bool()> go_on = {};  // asked every few steps of all runs, in any thread; a no ends in runs::Interrupted
};

// Throws SceneError when the scene itself cannot be run or has no such parameter or start coordinate.
[[nodiscard]] Sensitivities sensitivities(const scene::Document& document, std::span<const scene::Override> overrides,
                                          const std::vector<std::string>& parameters,
                                          const SensitivityOptions& options = {});

}  // namespace stickslip::study
