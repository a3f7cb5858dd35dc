// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A run and how its end changes with unknowns: the steps of `stickslip run`, each followed by its derivative.
//
//     RunSensitivity run(model, method);
//     if (run.run_until(duration, directions)) ... run.end(), run.tangents()
//
//     ds_0 = direction.start,    ds_(k+1) = A_k ds_k + B_k du          (step_sensitivity.h)
//
// Steps that are cut at impacts are differentiated with the length of the cut (flight_sensitivity.h).
//
// Any function of the run is differentiated by a difference along the tangents, which costs no other run
// (scene_sensitivity.h). A step that no solver certifies ends the run; it is not tried in parts as
// simulation/ does, since parts have no fixed place.
#pragma once

#include "stickslip/sensitivity/flight_sensitivity.h"
#include "stickslip/sensitivity/step_sensitivity.h"
#include "stickslip/simulation/mode_timeline.h"

#include <functional>
#include <memory>
#include <string>

namespace stickslip::sensitivity {

// Two bodies that were apart met, within a step that was cut there.
struct Touch {
  double time = 0;
  int body_a = -1, body_b = -1;
};

class RunSensitivity {
 public:
  // Throws std::invalid_argument for a stepper or collider that is not registered. Both must outlive the run.
  RunSensitivity(const model::Model& model, const stepping::Method& method);
  ~RunSensitivity();
  RunSensitivity(const RunSensitivity&) = delete;
  RunSensitivity& operator=(const RunSensitivity&) = delete;

  // Why tangents of this model and method cannot be made; empty when they can. Runs without directions always can.
  [[nodiscard]] static std::string objection_to(const model::Model& model, const stepping::Method& method) {
    return StepEquations::objection_to(model, method);
  }

  // Whether tangents may be found although steps of this kind have none in general: of flights with impacts. A run then
  // says by tangents_known() whether it was one.
  [[nodiscard]] static bool covers_flights(const model::Model& model, const stepping::Method& method) {
    return FlightSensitivity::covers(model, method);
  }

  // Called at the start and after every step; false ends the run.
  using Watch = std::function<bool(const RunSensitivity&)>;

  // Everything as constructed, from the model's initial state as it is now; workspaces are kept. Not with supports.
  void restart();
  // Before run_until(): another state than the model's initial one, without memory of contacts.
  void start_from(const model::State& state) { world_.state = state; }
  // From the model's initial state, or that of start_from(). False when a step was not certified: failed_at() is its
  // start.
  bool run_until(double time, std::span<const Direction> directions = {}, const Watch& watch = {});

  [[nodiscard]] const model::State& end() const { return world_.state; }
  [[nodiscard]] const Eigen::MatrixXd& tangents() const { return tangents_; }  // one column per direction
  [[nodiscard]] bool tangents_known() const { return tangents_known_; }
  [[nodiscard]] const simulation::ModeTimeline& timeline() const { return timeline_; }
  [[nodiscard]] std::span<const Touch> touches() const { return touches_; }
  [[nodiscard]] std::span<const stepping::Event> events() const { return events_; }  // of the last step
  // Contacts of the last step, geometry at its end.
  void contacts(std::vector<contact::ContactResult>& results) const;
  // The same with unknown k changed by `amount`, where `model` has it and `moved` is the end of the step.
  void contacts_along(Eigen::Index k, double amount, const model::Model& model, const model::State& moved,
                      std::vector<contact::ContactResult>& results) const;
  [[nodiscard]] double failed_at() const { return world_.state.time; }
  [[nodiscard]] double worst_residual() const { return worst_residual_; }  // certificates: complementarity
  [[nodiscard]] double worst_balance() const { return worst_balance_; }    // equations of motion; runs with directions
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  // Redundant contacts shared the load in a way that is not known: derivatives of contact forces, or all, are in doubt.
  [[nodiscard]] bool forces_open() const { return derivative_ != nullptr && derivative_->forces_open(); }
  [[nodiscard]] bool motion_open() const { return derivative_ != nullptr && derivative_->motion_open(); }

 private:
  bool step(double h, double end_time);
  void begin_tangents(std::span<const Direction> directions);
  void differentiate(const StepSpan& span);
  void find_touches();

  std::unique_ptr<collision::Collider> collider_;
  stepping::World world_;
  std::unique_ptr<stepping::Stepper> stepper_;
  std::string fresh_;  // the stepper's memory before the first step
  simulation::ModeTimeline timeline_;
  std::vector<Touch> touches_;
  Eigen::MatrixXd tangents_;
  bool tangents_known_ = false;
  std::unique_ptr<StepSensitivity> derivative_;  // one of the two; null: a run without directions
  std::unique_ptr<FlightSensitivity> flight_;
  std::span<const stepping::Event> events_;
  model::State before_;
  std::vector<collision::ContactId> closed_;  // at the start of the step
  double worst_residual_ = 0, worst_balance_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace stickslip::sensitivity
