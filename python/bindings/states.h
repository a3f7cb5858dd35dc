// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// States as structured arrays, one row per body in the order of the model: position, orientation (w, x, y, z), velocity,
// angular_velocity, angle. A state that comes from Python is checked: finite numbers, quaternions that are not zero, and
// bodies of the plane in the plane. Of planar bodies the angle counts, the orientation follows it.
#pragma once

#include "arrays.h"

#include "stickslip/model/model.h"

#include <vector>

namespace stickslip::python {

struct BodyRow {
  double position[3], orientation[4], velocity[3], angular_velocity[3], angle;
};

// Two numbers (plane) or three, finite.
[[nodiscard]] Vec3 vector_of(const py::handle& object, const char* name);
[[nodiscard]] Vec3 torque_of(const py::handle& object, const char* name);  // or one number, about z

[[nodiscard]] py::array_t<BodyRow> state_array(const model::State& state);

// Throws TypeError for an array of another kind, ValueError for numbers that are no state of the model. The time is not
// touched.
void read_state(const py::handle& array, const model::Model& model, model::State& state);

// The same for many: an array with a row of bodies for each state.
[[nodiscard]] std::vector<model::State> read_states(const py::handle& table, const model::Model& model);

// Throws ValueError when a number is not finite or a planar body leaves its plane.
void check_state(const model::Model& model, const model::State& state);

void bind_states(py::module_& module);

}  // namespace stickslip::python
