// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Evaluates the observables and stop conditions of a scene along a run.
//
// Call advance() once at the start and after every step, in order: it updates the functions over time (first_time,
// max_over_time, ...) and the stop conditions. Call evaluate() whenever the values of the observables are wanted; it
// has no memory. Neither allocates. A value that is not a number (other than a first_time that has not come yet) is
// reported as a SceneError with the name of the observable and the time.
#pragma once

#include "stickslip/scene/scene.h"
#include "stickslip/stepping/stepper.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stickslip::runs {

struct Observation {
  const model::State& state;
  std::span<const contact::ContactResult> contacts;
  std::span<const stepping::Event> events;  // of the step that led here
};

class Observer {
 public:
  explicit Observer(const scene::Scene& scene);  // which must outlive the observer

  // Whether advance() looks at the contacts; when not, they need not be made.
  [[nodiscard]] bool advance_needs_contacts() const { return advance_needs_contacts_; }
  void advance(const Observation& now);
  void evaluate(const Observation& now, std::span<double> values) const;  // one value per observable

  // Index of the stop condition that held at the last advance(), or -1.
  [[nodiscard]] int stopped_by() const { return stopped_by_; }

  // All that is remembered, for checkpoints.
  [[nodiscard]] std::vector<double> memory() const;
  void restore(std::span<const double> memory);  // of the same scene

 private:
  [[nodiscard]] expression::EvaluationContext context_of(const Observation& now) const;

  const scene::Scene& scene_;
  std::vector<expression::Tracker> trackers_;
  std::shared_ptr<collision::Overlaps> overlaps_;  // null: no expression asks for penetration
  bool advance_needs_contacts_ = false;
  int stopped_by_ = -1;
};

// How coarsely a run knows the value of an observable: the step for a time that was read off the grid (a multiple of
// the step to rounding; another step may well give the same number), else 0.
[[nodiscard]] double grain_of(const scene::Scene& scene, std::size_t observable, double value);

}  // namespace stickslip::runs
