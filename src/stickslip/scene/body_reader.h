// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Bodies of a scene file.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/motion/prescribed_motion.h"
#include "stickslip/scene/shape_reader.h"
#include "stickslip/scene/support_reader.h"
#include "stickslip/scene/table_reader.h"

#include <string>
#include <vector>

namespace stickslip::scene {

// A body to be read: one entry of [[body]], or one of its copies.
struct BodyPlan {
  const Value* table = nullptr;
  std::string name;
  std::vector<std::pair<std::string, double>> indices;  // i, j, k, index of a copy
  Vec3 packed = Vec3::Zero();                           // its place in the packing (packing.h)
};

// The names of all bodies in order, copies included, checked for repetition. Throws SceneError.
[[nodiscard]] std::vector<BodyPlan> plan_bodies(const Value& bodies, const expression::Scope& constants,
                                                std::size_t most);

struct BodyContext {
  ShapeContext shapes;
  motion::Span span;
  const expression::Scope& constants;       // parameters
  const expression::Scope& state;           // parameters, time and all bodies: for forces
  const std::vector<model::Body>& earlier;  // bodies read so far: for `frame`
  SupportContext supports;
};

[[nodiscard]] model::Body read_body(const BodyPlan& plan, const BodyContext& context);

}  // namespace stickslip::scene
