// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Functions of (time, state) that Python gives to a run: forces and controllers at the begin of every step, whose pushes
// hold until its end, and observers after it. The caller holds the interpreter lock.
#pragma once

#include "states.h"

#include "stickslip/scene/scene.h"

#include <memory>
#include <string>
#include <vector>

namespace stickslip::python {

// A KeyError that tells the nearest name that is known, or all of them.
[[nodiscard]] py::key_error unknown(const char* what, const std::string& name, const std::vector<std::string>& known);

// The place of a body; throws KeyError with the nearest name.
[[nodiscard]] std::size_t body_index(const model::Model& model, const std::string& name);

// What pushes bodies besides the scene: kept until it is changed, and by functions, for one step.
struct Pushes {
  std::vector<model::Wrench> kept, called;
};

// Makes the bodies of a model feel the pushes.
void feel(model::Model& model, const std::shared_ptr<const Pushes>& pushes);

class Callbacks {
 public:
  // All throw TypeError for what cannot be called.
  void add_force(std::size_t body, const py::object& function);  // -> force, or (force, torque), or None
  void add_controller(const py::object& function);               // -> {body: force or (force, torque)}, or None
  void add_observer(const py::object& function);                 // -> False ends the run
  // For the collector of cycles: a function often holds the simulation that calls it.
  int traverse(visitproc visit, void* arg) const;

  [[nodiscard]] bool pushes() const { return !forces_.empty() || !controllers_.empty(); }
  [[nodiscard]] bool empty() const { return forces_.empty() && controllers_.empty() && observers_.empty(); }

  // Both pass on what the functions raise.
  void push(const model::Model& model, const model::State& state, std::vector<model::Wrench>& wrenches) const;
  [[nodiscard]] bool observe(const model::State& state) const;  // false: one said False

 private:
  struct Force {
    std::size_t body;
    py::object function;
  };
  std::vector<Force> forces_;
  std::vector<py::object> controllers_, observers_;
};

}  // namespace stickslip::python
