// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The points on which planar bodies stand (2.5D), with the friction forces that they remember: the start of the next
// solve. Each carries a given share of the weight, and rubs on a plane that stands still or on another body.
#pragma once

#include "stickslip/math/byte_stream.h"
#include "stickslip/model/model.h"

#include <vector>

namespace stickslip::stepping {

struct SupportPoint {
  int body = 0, plane = 0;
  Vec3 position = Vec3::Zero();  // body frame
  double load = 0, friction = 0;
  Vec3 force = Vec3::Zero();  // of the last step
};

// The points of one body.
struct Footing {
  int body = 0, plane = 0;
  std::size_t first = 0, count = 0;  // in Supports::points
};

struct Supports {
  std::vector<SupportPoint> points;
  std::vector<Footing> footings;
  bool in_problem = true;  // as rows of the contact problem; else by SupportBalance

  [[nodiscard]] bool empty() const { return points.empty(); }
  // Once per run; a plane that stands still has the number of bodies as its index.
  void collect(const model::Model& model);

  // Forces. What is read before the points are collected is kept until then.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  void take_restored();
  std::vector<Vec3> restored_;
};

}  // namespace stickslip::stepping
