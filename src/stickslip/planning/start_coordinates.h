// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Start coordinates as unknowns: the scene's document is rewritten so that "ball.vx" reads a parameter of its own.
#pragma once

#include "stickslip/expression/expression.h"
#include "stickslip/planning/plan.h"

namespace stickslip::planning {

// Ties the unknown to the coordinate that `start` names ("ball.vx") of a body in the document. scene, constants: what
// the document makes, and its parameters. Returns the number that stood there. Throws SceneError.
double tie_to_start(const scene::Value& start, const std::string& what, const scene::Scene& scene,
                    const expression::Scope& constants, scene::Document& document, Unknown& unknown);

// The coordinate of a body by its name ("vx"), as its place in the body's tangent. Throws SceneError.
[[nodiscard]] int component_named(const std::string& name, const model::Body& body, const std::string& what,
                                  const scene::Place& place);
void set_component(int component, double value, model::BodyState& body);

// The table of parameters; made when there is none.
[[nodiscard]] scene::Value& parameters_of(scene::Document& document);
// Replaces or adds an entry of a table.
void set_entry(scene::Value& table, const std::string& key, scene::Value value);

}  // namespace stickslip::planning
