// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the end of a run changes with unknowns. It watches a simulation, and follows every step with its derivative:
//
//     simulation::Simulation simulation(model, method);
//     RunSensitivity sensitivity(simulation);
//     sensitivity.begin(directions, RunSensitivity::Of::Motion);
//     if (simulation.run_until(duration)) ... simulation.state(), sensitivity.tangents()
//
//     ds_0 = direction.start,    ds_(k+1) = A_k ds_k + B_k du          (step_sensitivity.h)
//
// The run is that of the simulation: a step that is taken in parts is differentiated part by part, with the lengths of
// the parts as they are. Sub-steps of second-order are differentiated with their lengths: flights with impacts in closed
// form (flight_sensitivity.h), up to the first step that is more than that, and from then on by repeating them
// (sub_step_sensitivity.h). So are the parts of runge-kutta (flow_sensitivity.h). Any function of the run is differentiated by a difference along the tangents, which costs no
// other run (scene_sensitivity.h).
//
// Tangents carried forward with the run: Griewank and Walther 2008. Cost: that of a step's derivative (step_sensitivity.h)
// per step; all unknowns share its factorisation.
#pragma once

#include "stickslip/sensitivity/flight_sensitivity.h"
#include "stickslip/sensitivity/flow_sensitivity.h"
#include "stickslip/sensitivity/step_sensitivity.h"
#include "stickslip/sensitivity/sub_step_sensitivity.h"
#include "stickslip/simulation/part_watcher.h"
#include "stickslip/simulation/simulation.h"

#include <memory>
#include <string>

namespace stickslip::stepping {
class SecondOrder;
}

namespace stickslip::sensitivity {

// Two bodies that were apart met, within a step that was cut there.
struct Touch {
  double time = 0;
  int body_a = -1, body_b = -1;
};

class RunSensitivity final : public simulation::PartWatcher {
 public:
  // Watches the simulation, which must outlive it.
  explicit RunSensitivity(simulation::Simulation& simulation) : simulation_(simulation) {
    simulation_.watch_parts(this);
  }
  ~RunSensitivity() override;
  RunSensitivity(const RunSensitivity&) = delete;
  RunSensitivity& operator=(const RunSensitivity&) = delete;

  // Why tangents of this model and method cannot be made; empty when they can.
  [[nodiscard]] static std::string objection_to(const model::Model& model, const stepping::Method& method) {
    return SubStepSensitivity::is_for(method) ? SubStepSensitivity::objection_to(model, method)
           : FlowSensitivity::is_for(method)  ? FlowSensitivity::objection_to(model, method)
                                              : StepEquations::objection_to(model, method);
  }
  // Whether every step has a derivative, and is quick to differentiate by many unknowns.
  [[nodiscard]] static bool covers_all_steps(const model::Model& model, const stepping::Method& method) {
    return StepEquations::objection_to(model, method).empty();
  }
  // Whether steps are repeated beside themselves: changes of the model are to be small on both sides then.
  [[nodiscard]] static bool repeats(const stepping::Method& method) {
    return SubStepSensitivity::is_for(method) || FlowSensitivity::is_for(method);
  }
  // Whether tangents may be found although steps of this kind have none in general: of flights with impacts. A run then
  // says by tangents_known() whether it was one.
  [[nodiscard]] static bool covers_flights(const model::Model& model, const stepping::Method& method) {
    return FlightSensitivity::covers(model, method);
  }

  // From the simulation's present state on. Without directions only touches are noted. The directions must outlive the
  // run. Of::Motion: contacts_along() will not be asked for, which makes round bodies on planes quicker.
  enum class Of { Motion, MotionAndForces };
  void begin(std::span<const Direction> directions, Of what);

  [[nodiscard]] const Eigen::MatrixXd& tangents() const { return tangents_; }  // one column per direction
  // False without directions, and after a step that has no derivative here.
  [[nodiscard]] bool tangents_known() const { return tangents_known_; }
  [[nodiscard]] const std::string& why_unknown() const { return why_unknown_; }  // of such a step
  [[nodiscard]] std::span<const Touch> touches() const { return touches_; }
  // Of::MotionAndForces, runs of steps: the simulation's contacts with unknown k changed by `amount`, where `model` has it
  // and `moved` is the end of the step.
  void contacts_along(Eigen::Index k, double amount, const model::Model& model, const model::State& moved,
                      std::vector<contact::ContactResult>& results) const;
  // The events of the simulation's last step, likewise.
  void events_along(Eigen::Index k, double amount, std::vector<stepping::Event>& events) const;
  [[nodiscard]] double worst_balance() const { return worst_balance_; }  // how well the equations of motion hold
  // Redundant contacts shared the load in a way that is not known: derivatives of contact forces, or all, are in doubt.
  [[nodiscard]] bool forces_open() const {
    return (derivative_ != nullptr && derivative_->forces_open()) || (repeating_ && sub_steps_->forces_open());
  }
  [[nodiscard]] bool motion_open() const { return derivative_ != nullptr && derivative_->motion_open(); }

  void begin_step() override;
  void before_part(stepping::Stepper& stepper, const stepping::World& world) override;
  void after_part(const stepping::World& world, double h, const stepping::StepReport& report) override;
  void take_back() override;

 private:
  void stop_noting();
  void differentiate(const stepping::World& world, double h);
  void lose(std::string why);
  void find_touches(std::span<const stepping::Event> events);

  simulation::Simulation& simulation_;
  std::unique_ptr<StepSensitivity> derivative_;  // one of the four; this one is kept from run to run
  std::unique_ptr<FlightSensitivity> flight_;
  std::unique_ptr<SubStepSensitivity> sub_steps_;
  std::unique_ptr<FlowSensitivity> flow_;
  stepping::SecondOrder* noting_ = nullptr;       // the stepper that notes its sub-steps for sub_steps_
  stepping::RungeKutta* noting_parts_ = nullptr;  // the one that notes its parts for flow_
  bool repeating_ = false, flew_ = false;         // sub_steps_ makes the tangents; flight_ made some
  Eigen::MatrixXd tangents_;
  bool tangents_known_ = false, any_step_ = false;
  std::string why_unknown_;
  double worst_balance_ = 0;
  std::vector<Touch> touches_;
  std::unique_ptr<collision::Collider> collider_;  // of contacts_along()
  model::State before_;
  std::vector<collision::ContactId> closed_;  // at the start of the part
  // At the begin of the step, to go back to.
  struct Kept {
    Eigen::MatrixXd tangents;
    bool known = false;
    std::size_t touches = 0;
  };
  Kept kept_;
};

}  // namespace stickslip::sensitivity
