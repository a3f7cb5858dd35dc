// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pieces of study files that several readers need: parameters of the scene, and how they vary.
#pragma once

#include "stickslip/scene/table_reader.h"
#include "stickslip/study/study.h"

#include <string>
#include <vector>

namespace stickslip::study {

// The parameter that a key names, or null for duration, method.step and the like. Throws when the scene has no such parameter.
[[nodiscard]] const scene::Parameter* varied_parameter(const scene::Scene& scene, const std::string& name,
                                                       const scene::Place& place);

// A table of parameters with how they vary.
[[nodiscard]] std::vector<Variation> read_variations(const scene::Value& table, const scene::Scene& scene,
                                                     const expression::Scope& constants);

}  // namespace stickslip::study
