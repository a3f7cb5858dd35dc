// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Shooting: from unknowns to what the conditions say at the end of the run, with the derivative.
//
//     u  ->  scene  ->  run of the simulator's own steps  ->  c(start, end),     dc/du from the run's tangents
//
// Unknowns that are start coordinates change the initial state alone: nothing but the run is repeated. Others make the
// scene anew, and twice more for the derivative (sensitivity/scene_sensitivity.h). Where steps have no exact derivative
// (located events, compliant contacts), whole runs are differenced: 2 per unknown. Such runs must depend smoothly on
// the unknowns, which steps on a fixed grid do not once contacts open or close: take a stepper that locates events.
#pragma once

#include "stickslip/planning/end_conditions.h"
#include "stickslip/sensitivity/run_sensitivity.h"

#include <memory>
#include <string>

namespace stickslip::planning {

struct Shot {
  bool ran = false;
  std::string cause;            // why not
  Eigen::VectorXd values;       // of the conditions; then of the objective, if there is one
  Eigen::MatrixXd derivatives;  // by the unknowns; empty when not asked for
  double worst_residual = 0;    // largest certificate of a step
  double worst_balance = 0;     // equations of motion; only with exact derivatives
};

// The scene at given unknowns, and how it changes with each of them.
struct Placed {
  const scene::Scene* scene = nullptr;  // null: cause says why there is none
  std::string cause;
  EndConditions* conditions = nullptr;
  std::vector<sensitivity::Direction> directions;  // one per unknown, if asked for
  std::vector<EndConditions*> low, high;           // likewise: of the scenes below and above
  // What of this is not the shooter's own.
  std::vector<std::unique_ptr<scene::Scene>> scenes;
  std::vector<std::unique_ptr<EndConditions>> made;
};

class Shooter {
 public:
  explicit Shooter(const Plan& plan);  // which must outlive the shooter; throws SceneError
  ~Shooter();
  Shooter(const Shooter&) = delete;
  Shooter& operator=(const Shooter&) = delete;

  [[nodiscard]] Shot shoot(const Eigen::VectorXd& unknowns, bool with_derivatives);
  // Valid until the next call, and as long as the shooter.
  [[nodiscard]] Placed place(const Eigen::VectorXd& unknowns, bool with_directions);

  [[nodiscard]] bool exact() const { return exact_; }  // derivatives by differentiating steps
  [[nodiscard]] const scene::Scene& scene() const { return *base_; }
  // Of the last shot that ran.
  [[nodiscard]] const std::vector<simulation::ModeInterval>& modes() const { return modes_; }
  [[nodiscard]] const std::vector<sensitivity::Touch>& touches() const { return touches_; }
  [[nodiscard]] std::int64_t runs() const { return runs_; }
  [[nodiscard]] const EndConditions& conditions() const { return *conditions_; }

 private:
  void place_start(const Eigen::VectorXd& unknowns, bool with_directions, Placed& placed);
  void place_scene(const Eigen::VectorXd& unknowns, bool with_directions, Placed& placed);
  Shot shoot_once(const Eigen::VectorXd& unknowns, bool with_derivatives);
  Shot shoot_by_differences(const Eigen::VectorXd& unknowns);
  void remember(const sensitivity::RunSensitivity& run);

  const Plan& plan_;
  std::unique_ptr<scene::Scene> base_;  // with the first guesses
  std::unique_ptr<EndConditions> conditions_;
  bool exact_ = false, start_only_ = false;
  std::vector<simulation::ModeInterval> modes_;
  std::vector<sensitivity::Touch> touches_;
  std::int64_t runs_ = 0;
};

// d conditions / d unknown, when the unknown moves the ends along these tangents.
void differentiate_ends(const model::State& start, const model::State& end,
                        const Eigen::Ref<const Eigen::VectorXd>& end_tangent, const sensitivity::Direction& direction,
                        EndConditions& low, EndConditions& high, Eigen::Ref<Eigen::VectorXd> derivative);

}  // namespace stickslip::planning
