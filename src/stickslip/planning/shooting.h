// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Shooting: from unknowns to what the conditions say at the end of the run, with the derivative.
//
//     u  ->  scene  ->  run of the simulator's own steps  ->  c(start, end),     dc/du from the run's tangents
//
// Unknowns that are start coordinates change the initial state alone: nothing but the run is repeated. Others make the
// scene anew, and twice more for the derivative (sensitivity/scene_sensitivity.h). Flights with located impacts have
// exact derivatives (sensitivity/flight_sensitivity.h). Other runs with located events, and those with compliant
// contacts, are differenced as a whole: 2 runs per unknown. Such runs must depend smoothly on the unknowns, which steps
// on a fixed grid do not once contacts open or close: take a stepper that locates events.
#pragma once

#include "stickslip/planning/end_conditions.h"
#include "stickslip/sensitivity/run_sensitivity.h"

#include <memory>
#include <string>

namespace stickslip::planning {

struct Shot {
  bool ran = false;
  std::string cause;            // why not
  Eigen::VectorXd values;       // of the residuals; then of the objective, if there is one
  Eigen::MatrixXd derivatives;  // by the unknowns; empty when not asked for
  double worst_residual = 0;    // largest certificate of a step
  double worst_balance = 0;     // equations of motion; only with exact derivatives
};

// What a search works on: residuals as a function of unknowns.
class Target {
 public:
  virtual ~Target() = default;
  [[nodiscard]] virtual Shot shoot(const Eigen::VectorXd& unknowns, bool with_derivatives) = 0;
  [[nodiscard]] virtual Eigen::Index residuals() const = 0;
  [[nodiscard]] virtual bool holds_by_itself(Eigen::Index residual, double value) const = 0;  // of an inequality
  // How the last derivative was found: by differentiating steps, or by differences of runs.
  [[nodiscard]] virtual bool exact() const = 0;
};

// The scene at given unknowns, and how it changes with each of them.
struct SceneAtUnknowns {
  const scene::Scene* scene = nullptr;  // null: cause says why there is none
  std::string cause;
  EndConditions* conditions = nullptr;
  std::vector<sensitivity::Direction> directions;  // one per unknown, if asked for
  std::vector<EndConditions*> low, high;           // likewise: of the scenes below and above
  // What of this is not the shooter's own.
  std::vector<std::unique_ptr<scene::Scene>> scenes;
  std::vector<std::unique_ptr<EndConditions>> made;
};

// A run of the simulator with what watches it.
struct PlanRun {
  simulation::Simulation simulation;
  sensitivity::RunSensitivity sensitivity;
  std::string fresh;  // before the first step

  PlanRun(const model::Model& model, const stepping::Method& method)
      : simulation(model, method), sensitivity(simulation), fresh(simulation.checkpoint()) {}
  // Everything as constructed, from another state of the model, which may be at another time.
  void restart(const model::State& start) {
    simulation.restore(fresh);
    simulation.set_state(start);
  }
  // False: failure() says why.
  [[nodiscard]] bool run_until(double time, std::span<const sensitivity::Direction> directions) {
    sensitivity.begin(directions, sensitivity::RunSensitivity::Of::Motion);
    return simulation.run_until(time);
  }
  [[nodiscard]] std::string failure() const;
};

class Shooter final : public Target {
 public:
  explicit Shooter(const Plan& plan);  // which must outlive the shooter; throws SceneError
  ~Shooter() override;
  Shooter(const Shooter&) = delete;
  Shooter& operator=(const Shooter&) = delete;

  [[nodiscard]] Shot shoot(const Eigen::VectorXd& unknowns, bool with_derivatives) override;
  [[nodiscard]] Eigen::Index residuals() const override { return static_cast<Eigen::Index>(conditions_->size()); }
  [[nodiscard]] bool holds_by_itself(Eigen::Index residual, double value) const override {
    return conditions_->holds_by_itself(static_cast<std::size_t>(residual), value);
  }
  [[nodiscard]] bool exact() const override { return exact_; }
  // Valid until the next call, and as long as the shooter.
  [[nodiscard]] SceneAtUnknowns place(const Eigen::VectorXd& unknowns, bool with_directions);

  // How all derivatives so far were found.
  [[nodiscard]] const char* derivatives() const {
    return differences_ == 0 ? "exact" : exact_ones_ == 0 ? "differences" : "mixed";
  }
  [[nodiscard]] const scene::Scene& scene() const { return *base_; }
  // Of the last shot that ran.
  [[nodiscard]] const std::vector<simulation::ModeInterval>& modes() const { return modes_; }
  [[nodiscard]] const std::vector<sensitivity::Touch>& touches() const { return touches_; }
  [[nodiscard]] std::int64_t runs() const { return runs_; }
  void count_run() { ++runs_; }  // one that was made elsewhere
  // Asks the plan whether another run may begin; once it said no, never.
  [[nodiscard]] bool go_on() { return !stopped_ && !(stopped_ = plan_.go_on && !plan_.go_on()); }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] const EndConditions& conditions() const { return *conditions_; }

 private:
  void place_start(const Eigen::VectorXd& unknowns, bool with_directions, SceneAtUnknowns& placed);
  void place_scene(const Eigen::VectorXd& unknowns, bool with_directions, SceneAtUnknowns& placed);
  Shot shoot_once(const Eigen::VectorXd& unknowns, bool with_derivatives);
  Shot finish(const SceneAtUnknowns& placed, PlanRun& run, bool with_derivatives);
  Shot shoot_by_differences(const Eigen::VectorXd& unknowns);
  void remember(const PlanRun& run);

  const Plan& plan_;
  std::unique_ptr<scene::Scene> base_;  // with the first guesses
  std::unique_ptr<EndConditions> conditions_;
  bool exact_ = false, start_only_ = false, stopped_ = false;
  bool flights_ = false;  // exact derivatives depend on the run
  std::vector<simulation::ModeInterval> modes_;
  std::vector<sensitivity::Touch> touches_;
  std::unique_ptr<PlanRun> run_;  // of base_, when unknowns change nothing but its start
  std::int64_t runs_ = 0, exact_ones_ = 0, differences_ = 0;
};

// d conditions / d unknown, when the unknown moves the ends along these tangents.
void differentiate_ends(const model::State& start, const model::State& end,
                        const Eigen::Ref<const Eigen::VectorXd>& end_tangent, const sensitivity::Direction& direction,
                        EndConditions& low, EndConditions& high, Eigen::Ref<Eigen::VectorXd> derivative);

}  // namespace stickslip::planning
