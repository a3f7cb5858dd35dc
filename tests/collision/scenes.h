// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Small models for collision tests.
#pragma once

#include "stickslip/collision/feature_collider.h"
#include "stickslip/model/primitives.h"

#include <random>
#include <vector>

namespace stickslip::collision::testing {

inline model::Body free_body(model::Shape shape, bool planar, model::Pose in_body = {}) {
  model::Body body;
  body.kind = planar ? model::BodyKind::Planar : model::BodyKind::Spatial;
  body.mass = 1;
  body.inertia = Mat3::Identity();
  body.shapes.push_back({std::move(shape), in_body});
  return body;
}

// Every pair may touch, all with surface 0.
inline model::Model make_model(std::vector<model::Body> bodies, int dimension) {
  model::Model model;
  model.dimension = dimension;
  model.bodies = std::move(bodies);
  model.surfaces.resize(1);
  model.laws = model::PairLaws(model.bodies.size(), 0);
  return model;
}

inline model::Model pair_of(model::Shape a, model::Shape b, bool planar) {
  return make_model({free_body(std::move(a), planar), free_body(std::move(b), planar)}, planar ? 2 : 3);
}

inline model::State state_of(const model::Model& model) {
  model::State state;
  state.bodies.resize(model.bodies.size());
  return state;
}

inline void turn_planar(model::BodyState& body, double angle) {
  body.angle = angle;
  body.pose.orientation = Quat(std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle));
}

inline std::vector<Contact> find(const model::Model& model, const model::State& state, double margin,
                                 double horizon = 0) {
  FeatureCollider collider;
  std::vector<Contact> contacts;
  collider.find(model, state, margin, horizon, contacts);
  return contacts;
}

inline Quat random_orientation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const double w = normal(random), x = normal(random), y = normal(random), z = normal(random);
  return Quat(w, x, y, z).normalized();
}

inline Vec3 random_vector(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  const double x = uniform(random), y = uniform(random), z = uniform(random);
  return {x, y, z};
}

}  // namespace stickslip::collision::testing
