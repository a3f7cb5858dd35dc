// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/supports.h"

#include <algorithm>

namespace stickslip::stepping {

void Supports::collect(const model::Model& model) {
  const int n = static_cast<int>(model.bodies.size());
  for (int i = 0; i < n; ++i) {
    const model::Support& support = model.bodies[static_cast<std::size_t>(i)].support;
    if (support.points.empty()) continue;
    const int plane = support.on < 0 ? n : support.on;
    footings.push_back({i, plane, points.size(), support.points.size()});
    for (const model::Support::Point& point : support.points)
      points.push_back({i, plane, point.position, point.load, support.friction, Vec3::Zero()});
  }
  take_restored();
}

void Supports::take_restored() {
  for (std::size_t s = 0; s < std::min(points.size(), restored_.size()); ++s) points[s].force = restored_[s];
}

void Supports::save(ByteWriter& out) const {
  out.put_list(points, [&](const SupportPoint& support) { out.put_matrix(support.force); });
}

void Supports::restore(ByteReader& in) {
  restored_.clear();
  in.get_list(restored_, [&](Vec3& force) { in.get_matrix(force); });
  take_restored();
}

}  // namespace stickslip::stepping
