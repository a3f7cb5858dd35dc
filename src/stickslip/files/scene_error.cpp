// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/files/scene_error.h"

#include <fmt/format.h>

namespace stickslip::files {
namespace {

// Names from the file may hold anything; a message is one line that can be printed, and not a page.
std::string printable(const std::string& text) {
  constexpr std::size_t kLongest = 600;
  std::string result;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && code != 0x7f)
      result += c;
    else
      result += c == '\n' ? "\\n" : fmt::format("\\x{:02x}", code);
    if (result.size() > kLongest) return result + " ...";
  }
  return result;
}

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
    : std::runtime_error(one_line(place, printable(message), printable(hint))),
      place_(std::move(place)),
      message_(printable(message)),
      hint_(printable(hint)) {}

}  // namespace stickslip::files
