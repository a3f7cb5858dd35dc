// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The same scene under several models, and a verdict: which observables depend on the model, and by how much. What
// `stickslip compare` and Model.compare() of Python show.
//
// A difference between two methods says something about the models only if it is larger than what the steps leave.
// Every method is therefore run twice, with its step and with half of it; the difference is its error bar, and an
// observable depends on the model when two methods differ by more than twice the sum of their bars. How large bars may
// be is told by how far the observable swings during the runs, so that one that ends at zero is judged too; one that
// never leaves the rounding of the others is zero.
#pragma once

#include "batch.h"
#include "step_check.h"

#include "stickslip/scene/scene.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace stickslip::app {

struct Comparison {
  std::vector<scene::Observable> observables;
  std::vector<std::string> bodies;
  std::vector<Variant> variants;
  std::vector<Result> coarse, fine;
  std::vector<StepCheck> checks;  // per method
  std::size_t asked = 0;          // the first methods: given, or of the scene's own motion model; the others are tried

  [[nodiscard]] double swing(std::size_t k) const;  // the largest value that the observable takes in any run
  [[nodiscard]] bool is_zero(std::size_t k) const;  // up to the rounding of the others
  [[nodiscard]] double bar(std::size_t method, std::size_t k) const;
};

// methods: names of steppers, or key=value pairs of [method] joined by '+' ("implicit+step=1e-4"); none: every stepper
// with the scene's motion model, then with the other ones, as far as they accept the scene. Throws SceneError, or
// std::runtime_error when a method cannot run.
[[nodiscard]] Comparison compare_methods(const scene::Document& document, const std::vector<scene::Override>& given,
                                         const std::vector<std::string>& methods, int threads,
                                         const std::function<bool()>& go_on = {});

struct Verdict {
  bool depends = false;
  double spread = 0, largest_bar = 0, low = 0, high = 0;
  std::size_t first = 0, second = 0;  // the methods that differ most
};

[[nodiscard]] Verdict judge(const Comparison& c, std::size_t k);
[[nodiscard]] std::string verdict_text(const Comparison& c, std::size_t k, const Verdict& v);

// Everything, as --json prints it.
[[nodiscard]] nlohmann::ordered_json to_json(const std::string& scene, const Comparison& c);

}  // namespace stickslip::app
