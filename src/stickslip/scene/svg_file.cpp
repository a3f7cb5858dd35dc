// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/svg_file.h"

#include <fmt/format.h>
#include <cctype>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace stickslip::scene {
namespace {

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

std::string first_path_in(std::string_view svg) {
  for (std::size_t at = svg.find("<path"); at != std::string_view::npos; at = svg.find("<path", at + 1)) {
    const std::size_t end = svg.find('>', at);
    const std::string_view tag = svg.substr(at + 5, end == std::string_view::npos ? end : end - at - 5);
    if (const std::string_view data = d_attribute(tag); !data.empty()) return std::string(data);
  }
  throw std::runtime_error("the file has no path with data");
}

std::string first_path_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream && !stream.eof()) throw std::runtime_error(fmt::format("cannot read '{}'", file.string()));
  return first_path_in(text);
}

}  // namespace stickslip::scene
