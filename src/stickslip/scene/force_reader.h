// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Forces on a body: the keys force, torque, linear_damping and angular_damping.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/scene/table_reader.h"

#include <string>
#include <utility>
#include <vector>

namespace stickslip::scene {

// `state` is the scope of forces (parameters, time, all bodies); `indices` are those of a copy.
void read_forces(const TableReader& table, const Scope& state,
                 const std::vector<std::pair<std::string, double>>& indices, model::Body& body);

}  // namespace stickslip::scene
