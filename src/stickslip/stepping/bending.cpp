// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/bending.h"

#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/rest.h"

#include <algorithm>

namespace stickslip::stepping {
namespace {

bool bends(const model::Shape& shape) {
  return std::holds_alternative<model::Superellipse>(shape) || std::holds_alternative<model::Superellipsoid>(shape) ||
         std::holds_alternative<model::Cylinder>(shape);
}

bool bends(const model::Model& model, const collision::ContactId& id) {
  const auto one = [&](int body, int shape) {
    const auto& shapes = model.bodies[index(body)].shapes;
    return index(shape) < shapes.size() && bends(shapes[index(shape)].shape);
  };
  return one(id.body_a, id.shape_a) || one(id.body_b, id.shape_b);
}

}  // namespace

bool has_bending_shapes(const model::Model& model) {
  return std::ranges::any_of(model.bodies, [](const model::Body& body) {
    return std::ranges::any_of(body.shapes, [](const model::PlacedShape& placed) { return bends(placed.shape); });
  });
}

// All bodies a share of the step further.
void Bending::advance(const World& world, const model::State& at, std::span<const model::Twist> velocity, double h) {
  middle_ = at;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (world.traits[i].movable)
      displace(middle_.bodies[i], velocity[i], h, world.traits[i], world.model.bodies[i].planar());
  }
}

bool Bending::move_to_middle(World& world, const model::State& at, std::span<const model::Twist> velocity, double h,
                             std::vector<collision::Contact>& contacts) {
  constexpr double kSinks = 1e-9;  // of the arm: an overlap that is not rounding
  candidates_.clear();
  moved_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const collision::ContactId& id = contacts[c].id;
    const bool turns = !velocity[index(id.body_a)].angular.isZero(0) || !velocity[index(id.body_b)].angular.isZero(0);
    if (!turns || id.element > 0 || !bends(world.model, id)) continue;
    candidates_.push_back(c);
    moved_.push_back(contacts[c]);
  }
  forget();
  if (moved_.empty()) return false;
  advance(world, at, velocity, h);
  world.collider.refresh(world.model, middle_, moved_);
  std::size_t sinking = 0;
  for (std::size_t k = 0; k < moved_.size(); ++k) {
    const collision::Contact& start = contacts[candidates_[k]];
    if (!(moved_[k].gap < std::min(0.0, start.gap) - kSinks * arm_of(start, at))) continue;
    candidates_[sinking] = candidates_[k];
    moved_[sinking++] = start;
  }
  if (sinking == 0) return false;
  moved_.resize(sinking);
  advance(world, at, velocity, 0.5 * h);
  world.collider.refresh(world.model, middle_, moved_);
  bends_.assign(contacts.size(), 0);
  for (std::size_t k = 0; k < sinking; ++k) {
    collision::Contact& contact = contacts[candidates_[k]];
    bends_[candidates_[k]] = 1;
    contact.point_a = moved_[k].point_a;
    contact.point_b = moved_[k].point_b;
    contact.normal = moved_[k].normal;
  }
  return true;
}

void Bending::rows_from_middle(World& world, const model::State& start, std::span<const model::Twist> velocity,
                               double h, double end_time, std::span<const collision::Contact> contacts) {
  forget();
  advance(world, start, velocity, 0.5 * h);
  model::apply_drives(world.model, end_time - 0.5 * h, middle_);
  of_rows_.assign(contacts.begin(), contacts.end());
  world.collider.refresh(world.model, middle_, of_rows_);
  bends_.assign(contacts.size(), 1);
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (contacts[c].id.element == 0) continue;
    of_rows_[c] = contacts[c];
    bends_[c] = 0;
  }
}

}  // namespace stickslip::stepping
