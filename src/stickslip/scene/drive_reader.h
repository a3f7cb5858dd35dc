// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What governs each degree of freedom of a body: the keys fixed, motion and locked.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/motion/prescribed_motion.h"
#include "stickslip/scene/table_reader.h"

namespace stickslip::scene {

// `body` has its kind and its initial state (centre of mass, world frame) already.
[[nodiscard]] model::Drive read_drive(const TableReader& table, const model::Body& body, const motion::Span& span);

// Whether something is left to Newton's law: from the keys alone, before the drive can be made ...
struct DriveFreedom {
  bool translation = true, rotation = true;
};
[[nodiscard]] DriveFreedom freedom_of(const TableReader& table, const model::Body& body);
// ... and from the drive.
[[nodiscard]] DriveFreedom freedom_of(const model::Body& body);

}  // namespace stickslip::scene
