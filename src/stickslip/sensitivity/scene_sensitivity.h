// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of a scene's observables at the end of its run with respect to its parameters, by one run.
//
//     const ParameterDirections unknowns(document, overrides, {"vx", "mu"});
//     const ObservableDerivatives d = differentiate(unknowns);          d.value(j, i) = d observable_j / d parameter_i
//
// A parameter may enter anywhere: start, mass, shape, friction, prescribed motion. Observables that remember the run
// (first_time, max_over_time, ...) or read contact forces have no derivative here: nan.
#pragma once

#include "stickslip/scene/scene.h"
#include "stickslip/sensitivity/run_sensitivity.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

// A scene, and scenes with each parameter a little lower and higher.
class ParameterDirections {
 public:
  // Throws SceneError when the scene is not valid or has no such parameter.
  ParameterDirections(const scene::Document& document, std::span<const scene::Override> overrides,
                      std::span<const std::string> parameters);

  [[nodiscard]] const scene::Scene& scene() const { return *scene_; }
  [[nodiscard]] std::span<const Direction> directions() const { return directions_; }
  [[nodiscard]] const scene::Scene& low(std::size_t k) const { return *low_[k]; }
  [[nodiscard]] const scene::Scene& high(std::size_t k) const { return *high_[k]; }

 private:
  std::unique_ptr<scene::Scene> scene_;
  std::vector<std::unique_ptr<scene::Scene>> low_, high_;
  std::vector<Direction> directions_;
};

struct ObservableDerivatives {
  bool finished = false;        // the run reached its duration with every step certified
  std::vector<double> values;   // of the observables
  Eigen::MatrixXd derivatives;  // (observable, parameter)
  [[nodiscard]] double value(std::size_t observable, std::size_t parameter) const {
    return derivatives(static_cast<Eigen::Index>(observable), static_cast<Eigen::Index>(parameter));
  }
};

// RunSensitivity::objection_to the scene's model and method must be empty.
[[nodiscard]] ObservableDerivatives differentiate(const ParameterDirections& unknowns);

}  // namespace stickslip::sensitivity
