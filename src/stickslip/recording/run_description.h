// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a reader needs to draw and label a run without the scene's files: bodies with shapes and mass, the laws between
// them, parameters and observables with their units. Kept in the recording as JSON text (/model).
//
// Drives and forces are functions and are not kept; they show in the recorded states.
#pragma once

#include "stickslip/model/model.h"

#include <string>
#include <vector>

namespace stickslip::recording {

struct Quantity {
  std::string name, unit, description;
  double value = 0;  // parameters only
};

struct RunDescription {
  std::string title, description;
  double duration = 0, tolerance = 0;  // tolerance: of the certificate
  std::vector<Quantity> parameters, observables;
  model::Model model;
};

[[nodiscard]] std::string to_json(const RunDescription& description);

// Throws RecordingError when the text is not what to_json writes.
[[nodiscard]] RunDescription description_from_json(const std::string& text);

}  // namespace stickslip::recording
