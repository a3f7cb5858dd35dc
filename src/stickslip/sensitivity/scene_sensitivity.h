// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of a scene's observables with respect to its parameters and its initial state, by one run (runs/run.h)
// that RunSensitivity watches.
//
//     const ParameterDirections unknowns(document, overrides, {"vx", "mu", "ball.wz"});
//     const ObservableDerivatives d = differentiate(unknowns);          d.value(j, i) = d observable_j / d parameter_i
//
// A parameter may enter anywhere: start, mass, shape, friction, prescribed motion, the observable itself. A name with a
// dot is a number of the initial state (start_coordinate.h). Observables are watched along the run and along its shadows,
// the runs with a parameter a little lower or higher as the tangents say:
//
//     state_i(t) = state(t) (+) amount_i tangent_i(t)        d f / d p_i = (f of the shadow above - f below) / width
//
// so that sums, means, extremes and first times over the run have derivatives like values of its end. Shadows stay in
// the modes of the run: conditions on touching and sliding do not change.
//
// Cost: that of the run with its derivatives (run_sensitivity.h), and two evaluations of all observables per parameter
// and step; where observables are functions of the end alone, at its end.
#pragma once

#include "stickslip/runs/run.h"
#include "stickslip/scene/scene.h"
#include "stickslip/sensitivity/run_sensitivity.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

// A scene, and scenes with each parameter a little lower and higher. Where a parameter only moves the start and
// prescribed bodies, the lower one is the scene itself and the higher one very near (step_slopes.h); but not for
// second-order, whose sub-steps are repeated on both sides.
class ParameterDirections {
 public:
  // Throws SceneError when the scene is not valid or has no such parameter or start coordinate.
  ParameterDirections(const scene::Document& document, std::span<const scene::Override> overrides,
                      std::span<const std::string> parameters);

  [[nodiscard]] const scene::Scene& scene() const { return *scene_; }
  [[nodiscard]] std::span<const Direction> directions() const { return directions_; }
  // Whether anything that is observed can change with it: neither the run nor the observables do otherwise.
  [[nodiscard]] bool matters(std::size_t k) const { return matters_[k]; }
  [[nodiscard]] const scene::Scene& low(std::size_t k) const { return low_[k] ? *low_[k] : *scene_; }
  [[nodiscard]] const scene::Scene& high(std::size_t k) const { return high_[k] ? *high_[k] : *scene_; }

 private:
  void add(const scene::Document& document, std::vector<scene::Override>& overrides, const std::string& name);
  void add_start(const std::string& name);

  std::unique_ptr<scene::Scene> scene_;
  model::State start_;
  std::vector<std::unique_ptr<scene::Scene>> low_, high_;  // null: the scene itself
  std::vector<Direction> directions_;
  std::vector<bool> matters_;
};

// The observables at one moment of the run and of its shadows: (observable, parameter).
struct Moment {
  double time = 0;
  std::vector<double> values;
  Eigen::MatrixXd low, high;
};

struct ObservableDerivatives {
  bool finished = false;        // the run came to its end, or to a stop condition, and every step has a derivative
  std::string reason;           // why not
  bool stopped = false;         // by a stop condition
  std::vector<double> values;   // of the observables; nan: not defined
  Eigen::MatrixXd low, high;    // values of the shadows: (observable, parameter)
  Eigen::MatrixXd derivatives;  // (observable, parameter)
  std::vector<bool> in_doubt;   // per observable: redundant contacts shared their load in a way that is not known
  double end_time = 0, residual = 0;
  std::int64_t steps = 0;
  std::vector<Moment> moments;  // as asked for
  [[nodiscard]] double value(std::size_t observable, std::size_t parameter) const {
    return derivatives(static_cast<Eigen::Index>(observable), static_cast<Eigen::Index>(parameter));
  }
};

// RunSensitivity::objection_to the scene's model and method must be empty. Throws SceneError when an observable of the
// run is not a number.
// every > 0: also the moments at every such time, as sum_every() takes them (at the end of the step that reaches them).
// The hook sees every step, and can only end the run by what it throws (runs::asking).
// Many unknowns of functions of the end: by one sweep back over the run (run_adjoint.h), where that is possible.
enum class TangentSweep : char { Best, Forward, Back };
[[nodiscard]] ObservableDerivatives differentiate(const ParameterDirections& unknowns, double every = 0,
                                                  const runs::Run::Hook& hook = {},
                                                  TangentSweep sweep = TangentSweep::Best);

}  // namespace stickslip::sensitivity
