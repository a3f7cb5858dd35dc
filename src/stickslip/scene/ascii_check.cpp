// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/ascii_check.h"

namespace stickslip::scene {
namespace {

// Where a string that opens at `begin` ends (one past its closing quotes); strings that never close end with the line
// or the text, as the TOML parser will complain about them.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool escapes = quote == '"';
  const bool long_form = text.substr(begin, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
  std::size_t i = begin + (long_form ? 3 : 1);
  while (i < text.size()) {
    const char c = text[i];
    if (c == '\\' && escapes) {
      i += 2;
    } else if (c == '\n' && !long_form) {
      return i;
    } else if (c == quote && (!long_form || text.substr(i, 3) == text.substr(begin, 3))) {
      i += long_form ? 3 : 1;
      // Up to two quotes may stand directly before the closing three.
      while (long_form && i < text.size() && text[i] == quote) ++i;
      return i;
    } else {
      ++i;
    }
  }
  return text.size();
}

}  // namespace

std::optional<TextPosition> find_non_ascii(std::string_view text) {
  // A byte order mark at the very beginning is harmless.
  std::size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (i < text.size()) {
    const char c = text[i];
    if (c == '#') {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      TextPosition position;
      for (std::size_t j = 0; j < i; ++j) {
        const bool continuation = (static_cast<unsigned char>(text[j]) & 0xC0U) == 0x80U;
        if (text[j] == '\n')
          position = {position.line + 1, 1};
        else if (!continuation)
          ++position.column;
      }
      return position;
    } else {
      ++i;
    }
  }
  return std::nullopt;
}

}  // namespace stickslip::scene
