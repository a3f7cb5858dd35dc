// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/touch_place.h"

#include <algorithm>
#include <limits>

namespace stickslip::stepping {
namespace {

constexpr double kOff = 1e-6;    // of the body: a point that is farther off than this is not on it
constexpr double kNoise = 1e-7;  // of the smaller body: what the position update and impacts leave is far less

double scale_of(const collision::Solid& solid) {
  return solid.tree.empty() ? std::numeric_limits<double>::infinity() : solid.tree.front().radius;
}

}  // namespace

void TouchPlace::prepare(const model::Model& model) {
  model::PlacedShape shape;
  shape.shape = model::PointSet{{Vec3::Zero()}};
  point_ = collision::make_solid({&shape, 1}, model.dimension == 2);
  overlaps_.emplace(model);
}

bool TouchPlace::is_on_bodies(const collision::Contact& contact, const model::State& state) const {
  const auto on = [&](int body, const Vec3& x) {
    const collision::Solid& solid = overlaps_->solid(body);
    if (!solid.half_space.empty() || solid.tree.empty()) return true;                   // a half-space does not end
    if (std::ranges::any_of(solid.piece, &collision::ConvexPiece::point)) return true;  // the point is the body
    const double off = kOff * solid.tree.front().radius;
    model::Pose pose;
    pose.position = x;
    return collision::separation({point_, pose}, {solid, state.bodies[static_cast<std::size_t>(body)].pose}, 2 * off)
               .low <= off;
  };
  return on(contact.id.body_a, contact.point_a) && on(contact.id.body_b, contact.point_b);
}

double TouchPlace::noise(int a, int b) const {
  return kNoise * std::min(scale_of(overlaps_->solid(a)), scale_of(overlaps_->solid(b)));
}

}  // namespace stickslip::stepping
