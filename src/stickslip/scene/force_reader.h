// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Forces on a body: the keys force, torque, linear_damping and angular_damping.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/motion/prescribed_motion.h"
#include "stickslip/scene/table_reader.h"

#include <string>
#include <utility>
#include <vector>

namespace stickslip::scene {

// `state` is the scope of forces (parameters, time, all bodies); `indices` are those of a copy. The times within the
// span at which a force of time alone jumps join the breakpoints of the body's drive.
void read_forces(const TableReader& table, const expression::Scope& state,
                 const std::vector<std::pair<std::string, double>>& indices, const motion::Span& span,
                 model::Body& body);

}  // namespace stickslip::scene
