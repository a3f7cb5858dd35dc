// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A time stepper: takes the world over one step of length h, with a certificate for every contact problem it solved.
#pragma once

#include "stickslip/complementarity/algorithm_info.h"
#include "stickslip/complementarity/cone/contact_problem.h"
#include "stickslip/math/byte_stream.h"
#include "stickslip/stepping/world.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::stepping {

// A change of contact mode that was located inside a step.
struct Event {
  double time = 0;
  collision::ContactId contact;
  contact::Mode from = contact::Mode::Open, to = contact::Mode::Open;
};

struct StepReport {
  bool certified = true;          // every contact problem of the step was solved to the tolerance
  double residual = 0;            // worst certificate of the step
  const char* solver = "";        // algorithm that solved the hardest problem (static text)
  int contacts = 0;               // potential contacts that took part
  int solves = 0;                 // contact problems solved (islands count one each)
  int sub_steps = 1;              // parts the step was divided into at events
  int fallbacks = 0;              // parts done by the first-order stepper because events piled up
  int divisions = 0;              // cuts of the step where a body would have passed through another
  int passages = 0;               // parts after which one had, though they could not be cut further
  std::span<const Event> events;  // valid until the next step

  // Counts a part of the step in. Events are for the caller to collect.
  void include(const StepReport& part) {
    certified = certified && part.certified;
    contacts = std::max(contacts, part.contacts);
    solves += part.solves;
    sub_steps += part.sub_steps;
    fallbacks += part.fallbacks;
    divisions += part.divisions;
    passages += part.passages;
    if (part.residual < residual) return;
    residual = part.residual;
    solver = part.solver;
  }
};

// What is left behind by a step that could not be certified.
struct StepFailure {
  double time = 0;                             // start of the step
  std::vector<collision::ContactId> contacts;  // of the problem, in its order
  complementarity::ContactProblem problem;
  double residual = 0;
  const char* solver = "";
  std::string reason;  // in words, where more is known than that no solver certified it (jamming, ...)
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  // Advances world.state from its time to end_time = time + h (given apart so that rounding of the time does not reach
  // the dynamics). When the report is not certified the state is the one before the step.
  [[nodiscard]] virtual StepReport advance(World& world, double h, double end_time) = 0;

  // Everything inside the stepper that influences later steps.
  virtual void save(ByteWriter& out) const = 0;
  virtual void restore(ByteReader& in) = 0;

  // The problem that could not be solved, after an uncertified step.
  [[nodiscard]] const StepFailure& failure() const { return failure_; }

 protected:
  StepFailure failure_;
};

// Steppers by name. Names registered here are what scenes and `stickslip list` know.
using StepperFactory = std::unique_ptr<Stepper> (*)();
// The stepper that the method names, in the form that its motion and the model need; null when the name is unknown.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const Method& method, const model::Model& model);
// Why a method cannot step a model, and what to change; empty when it can.
[[nodiscard]] std::string objection_to(const Method& method, const model::Model& model);
[[nodiscard]] std::span<const complementarity::AlgorithmInfo> steppers();
// The order with which the errors of a stepper fall, at best.
[[nodiscard]] int order_of(std::string_view stepper);
void register_stepper(complementarity::AlgorithmInfo info, StepperFactory factory);

}  // namespace stickslip::stepping
