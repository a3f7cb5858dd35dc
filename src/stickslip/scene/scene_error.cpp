// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/scene_error.h"

#include <fmt/format.h>

namespace stickslip::scene {
namespace {

std::string one_line(const Place& place, const std::string& message, const std::string& hint) {
  std::string text;
  if (!place.file.empty()) text += place.file + ":";
  if (place.line > 0) text += fmt::format("{}:{}:", place.line, place.column);
  if (!text.empty()) text += ' ';
  text += message;
  if (!hint.empty()) text += fmt::format(" ({})", hint);
  return text;
}

}  // namespace

SceneError::SceneError(Place place, std::string message, std::string hint)
    : std::runtime_error(one_line(place, message, hint)),
      place_(std::move(place)),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

}  // namespace stickslip::scene
