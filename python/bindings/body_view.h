// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.Body: a body of a simulation, by its place. Holds the Python object of the simulation rather than the C++ one:
// the collector of cycles then sees the way from a function that holds a Body to the simulation that calls the function.
#pragma once

#include "handles.h"

namespace stickslip::python {

struct BodyView {
  using MadeByInit = BodyView;
  py::object owner;        // the stickslip.Simulation
  Simulation* simulation;  // in it
  std::size_t index;

  // The caller looks at the simulation meanwhile.
  [[nodiscard]] const model::BodyState& state() const { return simulation->run().state().bodies[index]; }
  [[nodiscard]] const model::Body& body() const { return simulation->scene().model.bodies[index]; }
};

}  // namespace stickslip::python
