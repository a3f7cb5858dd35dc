// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The loop: a model in motion.
//
//     Simulation run(model, method);
//     run.run_until(10.0, [](const Simulation& now) { ...; return true; });
//     if (const StepFailure* failure = run.failure()) ...
//
//     step():  collide -> assemble -> solve -> certify -> update       (the stepper's page, stepping/<name>.cpp)
//              -> observe: counters, worst certificate, mode timeline, audit
//
// The model and the method are read during the whole run and must outlive it. A step that no solver could certify is
// tried again in halves, quarters and eighths (the report counts them as sub-steps and a fall-back): other problems,
// each certified on its own. When that fails too the whole step is taken with Method::certificate_at_worst in place of
// the certificate, and counted (Counters::at_worst). Where not even that is reached the run ends: step() then reports
// it, failure() keeps the problem, and the state is the last certified one. Every step ends at t_0 + k h, with k
// counted as an integer; only run_until() may end with a shorter one.
//
// Further parts: checkpoint.cpp, overlaps.cpp.
#pragma once

#include "stickslip/contact/reported_share.h"
#include "stickslip/simulation/audit_summary.h"
#include "stickslip/simulation/mode_timeline.h"
#include "stickslip/stepping/stepper.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::simulation {

class Audit;
class PartWatcher;

struct Counters {
  std::int64_t steps = 0, solves = 0, sub_steps = 0, fallbacks = 0, events = 0;
  std::int64_t divisions = 0, passages = 0;  // of steps (guarded_stepper.h)
  int most_contacts = 0;
  double worst_residual = 0, worst_time = 0;  // largest certificate, and the end of its step
  std::int64_t at_worst = 0;                  // steps above the certificate, taken at certificate_at_worst
};

// Two bodies that overlap, for reports.
struct Overlap {
  std::string body_a, body_b;
  double depth = 0;
};

class Simulation {
 public:
  // Return false to stop the run.
  using Observer = std::function<bool(const Simulation&)>;

  // Without a collider, the one that the method names. Throws std::invalid_argument for a name that is not registered
  // or a step that is not positive.
  Simulation(const model::Model& model, const stepping::Method& method,
             std::unique_ptr<collision::Collider> collider = nullptr);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  stepping::StepReport step();

  // Steps until `time`, calling the observer after each step. True when the time was reached.
  bool run_until(double time, const Observer& observer = {});

  [[nodiscard]] const model::Model& model() const { return world_.model; }
  [[nodiscard]] const stepping::Method& method() const { return method_; }
  [[nodiscard]] const model::State& state() const { return world_.state; }
  [[nodiscard]] double time() const { return world_.state.time; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const ModeTimeline& timeline() const { return timeline_; }
  [[nodiscard]] const stepping::StepReport& last_report() const { return report_; }

  // Contacts of the last step, geometry at its end. Made when first asked for after a step. Forces in their canonical share
  // (contact/canonical_share.h, contact/reported_share.h); balanced_contacts(): in any, for sums that do not depend on it.
  [[nodiscard]] std::span<const contact::ContactResult> contacts() const;
  [[nodiscard]] std::span<const contact::ContactResult> balanced_contacts() const;

  // Null while every step was certified and the audit holds. A violated audit has a reason and no problem.
  [[nodiscard]] const stepping::StepFailure* failure() const {
    return !failed_ ? nullptr : audit_failed_ ? &audit_failure_ : &stepper_->failure();
  }
  // What the audit found so far (audit.h); `on` is false when the method switches it off.
  [[nodiscard]] const AuditSummary& audit() const;

  // Null: no watcher. It must outlive the simulation, or be taken away before (part_watcher.h).
  void watch_parts(PartWatcher* watcher) { watcher_ = watcher; }

  // Pairs of bodies that overlap by more than `relative` times their smaller thickness, by geometry
  // (collision/overlaps.h).
  [[nodiscard]] std::vector<Overlap> overlaps(double relative = 1e-6);
  // Moves free bodies apart, without giving them velocity, until nothing overlaps. False when that did not succeed.
  bool resolve_overlaps();

  // Goes on where another simulation is, with this model and method: state, time, modes and counters are taken over,
  // prescribed bodies follow their own functions. A new grid of steps starts at that time. The bodies must be as many;
  // throws std::invalid_argument.
  void continue_from(const Simulation& before);

  // Goes on from another state of this model; nothing is known of contacts before, and a new grid of steps starts at
  // its time. Prescribed bodies follow their functions. Throws std::invalid_argument when the bodies are not as many.
  void set_state(const model::State& state);

  // Everything that later steps depend on: a run that resumes has the same bits as one that never stopped.
  [[nodiscard]] std::string checkpoint() const;
  void restore(std::string_view bytes);  // throws std::runtime_error when the bytes are not of this model

 private:
  void advance(double h, double end);
  stepping::StepReport advance_part(double h, double end);
  bool advance_at_worst(double h, double end);
  bool advance_in_parts(double h, double end, int halvings, stepping::StepReport& total);
  void observe(double begin);
  void count_and_audit(double begin);
  void begin_audit();
  void fail_audit();

  stepping::Method method_;  // its certificate is the larger one while a step is taken at worst
  double certificate_;       // the one asked for
  std::unique_ptr<collision::Collider> collider_;
  stepping::World world_;
  std::unique_ptr<stepping::Stepper> stepper_;
  PartWatcher* watcher_ = nullptr;
  double start_time_ = 0;
  std::int64_t step_index_ = 0;  // the next step ends at start_time_ + (step_index_ + 1) h
  bool failed_ = false, audit_failed_ = false, audit_begun_ = false;
  stepping::StepFailure audit_failure_;
  std::unique_ptr<Audit> audit_;  // null: switched off
  stepping::StepReport report_;
  std::vector<stepping::Event> events_;  // of a step that was done in parts
  Counters counters_;
  ModeTimeline timeline_;
  mutable std::vector<contact::ContactResult> results_;
  mutable std::vector<collision::Contact> refreshed_;
  mutable bool results_current_ = false, results_shared_ = false;
  bool shares_ = false;  // rigid contacts, exact cones
  mutable contact::ReportedShare reported_share_;
};

}  // namespace stickslip::simulation
