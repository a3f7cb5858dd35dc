// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#pragma once

#include <string>
#include <string_view>

namespace stickslip::files {

// As the content of an XML element: marks escaped, control characters that XML does not have left out.
[[nodiscard]] inline std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\t')
      out += c;
  }
  return out;
}

}  // namespace stickslip::files
