// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Quantities of bodies and contacts that expressions can ask for.
#pragma once

#include "stickslip/collision/overlaps.h"
#include "stickslip/contact/contact_result.h"
#include "stickslip/contact/step_forces.h"
#include "stickslip/expression/expression.h"
#include "stickslip/expression/expression_ops.h"
#include "stickslip/model/model.h"

#include <span>

namespace stickslip::expression {

using Contacts = std::span<const contact::ContactResult>;

[[nodiscard]] double body_component(const model::BodyState& state, BodyComponent component, bool planar);

// Over all contacts between bodies a and b; b = -1: between a and any body.
[[nodiscard]] double gap(Contacts contacts, int a, int b);
[[nodiscard]] double normal_force(Contacts contacts, int a, int b);
// Over all forces that give the same motion (contact/step_forces.h).
[[nodiscard]] contact::Interval normal_force_range(const EvaluationContext& context, int a, int b);
[[nodiscard]] double friction_force(Contacts contacts, int a, int b);
// Normal forces and friction, on a.
[[nodiscard]] Vec3 contact_force(Contacts contacts, int a, int b);
[[nodiscard]] double slip_speed(Contacts contacts, int a, int b);
// Mean of the contact points, weighted by their normal forces; infinite where none presses.
[[nodiscard]] Vec3 centre_of_pressure(Contacts contacts, int a, int b);
[[nodiscard]] bool touching(Contacts contacts, int a, int b);
[[nodiscard]] bool sliding(Contacts contacts, int a, int b);

// Depth of the deepest overlap of two bodies, by geometry.
[[nodiscard]] double worst_penetration(collision::Overlaps& overlaps, const model::State& state);
[[nodiscard]] double count_touching(Contacts contacts);

// The centre of mass of one body in the frame of another.
[[nodiscard]] Vec3 local_position(const model::State& state, int body, int frame);
// Angle of one body about the z axis of another, in (-pi, pi].
[[nodiscard]] double local_yaw(const model::State& state, int body, int frame);

// Of one body, or of all when body = -1.
[[nodiscard]] double kinetic_energy(const model::Model& model, const model::State& state, int body);
[[nodiscard]] double potential_energy(const model::Model& model, const model::State& state, int body);

}  // namespace stickslip::expression
