// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/svg_file.h"

#include "stickslip/files/regular_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace stickslip::scene {
namespace {

constexpr std::size_t kLargestFile = 64U << 20;

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// Value of the attribute `d` inside the text of one tag; npos-free: empty when there is none.
std::string_view d_attribute(std::string_view tag) {
  for (std::size_t i = 1; i < tag.size(); ++i) {
    if (tag[i] != 'd' || !is_space(tag[i - 1])) continue;
    std::size_t j = i + 1;
    while (j < tag.size() && is_space(tag[j])) ++j;
    if (j >= tag.size() || tag[j] != '=') continue;
    ++j;
    while (j < tag.size() && is_space(tag[j])) ++j;
    if (j >= tag.size() || (tag[j] != '"' && tag[j] != '\'')) continue;
    const std::size_t end = tag.find(tag[j], j + 1);
    return end == std::string_view::npos ? std::string_view() : tag.substr(j + 1, end - j - 1);
  }
  return {};
}

}  // namespace

// A tag ends at the first '>', or where the file does: each character is looked at once, whatever the file holds.
std::string first_path_in(std::string_view svg) {
  for (std::size_t at = svg.find("<path"); at != std::string_view::npos;) {
    const std::size_t end = std::min(svg.find('>', at), svg.size());
    const std::string_view tag = svg.substr(at + 5, end - at - 5);
    if (const std::string_view data = d_attribute(tag); !data.empty()) return std::string(data);
    at = svg.find("<path", end);
  }
  throw std::runtime_error("the file has no path with data");
}

std::string first_path_of(const std::filesystem::path& file) {
  std::string text;
  try {
    text = files::read_regular_file(file, kLargestFile);
  } catch (const files::FileError& error) {
    throw std::runtime_error(fmt::format("cannot read '{}': it {}", file.string(), error.what()));
  }
  return first_path_in(text);
}

}  // namespace stickslip::scene
