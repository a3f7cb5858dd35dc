// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/mesh_io.h"

#include "stickslip/files/regular_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace stickslip::model {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 30;

// Splits text into lines and lines into words, and knows where it is.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }

  // The next word of the line, empty at its end.
  std::string_view word() {
    const std::size_t begin = std::min(line_.find_first_not_of(" \t\r"), line_.size());
    line_.remove_prefix(begin);
    const std::size_t end = std::min(line_.find_first_of(" \t\r"), line_.size());
    const std::string_view word = line_.substr(0, end);
    line_.remove_prefix(end);
    return word;
  }

  double number() {
    std::string_view text = word();
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      fail(fmt::format("expected a number, found \"{}\"", text));
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(fmt::format("line {}: {}", number_, what));
  }

 private:
  std::string_view rest_, line_;
  int number_ = 0;
};

int obj_index(Lines& lines, std::string_view word, std::size_t vertices) {
  const std::string_view text = word.substr(0, word.find('/'));
  long index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) {
    lines.fail(fmt::format("expected a vertex index, found \"{}\"", word));
  }
  const long count = static_cast<long>(vertices);
  const long from_zero = index < 0 ? count + index : index - 1;
  if (index == 0 || from_zero < 0 || from_zero >= count) {
    lines.fail(fmt::format("vertex {} does not exist ({} so far)", index, count));
  }
  return static_cast<int>(from_zero);
}

Polyhedron parse_stl_text(std::string_view text) {
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces;
  Lines lines(text);
  std::vector<int> corners;
  bool in_facet = false;
  while (lines.next()) {
    const std::string_view key = lines.word();
    if (key == "facet") {
      in_facet = true;
      corners.clear();
    } else if (key == "vertex") {
      if (!in_facet) lines.fail("a vertex outside a facet");
      corners.push_back(static_cast<int>(vertices.size()));
      const double x = lines.number(), y = lines.number(), z = lines.number();
      vertices.emplace_back(x, y, z);
    } else if (key == "endfacet") {
      if (corners.size() != 3) lines.fail(fmt::format("a facet of {} vertices instead of 3", corners.size()));
      faces.push_back(corners);
      in_facet = false;
    } else if (!key.empty() && key != "solid" && key != "endsolid" && key != "outer" && key != "endloop") {
      lines.fail(fmt::format("unknown word \"{}\"", key));
    }
  }
  if (in_facet) lines.fail("the last facet is not finished");
  return close_surface(vertices, faces);
}

constexpr std::size_t kStlHeader = 84, kStlFacet = 50;

std::uint32_t stl_count(std::string_view bytes) {
  std::array<unsigned char, 4> raw{};
  std::memcpy(raw.data(), bytes.data() + 80, 4);
  return raw[0] | std::uint32_t{raw[1]} << 8 | std::uint32_t{raw[2]} << 16 | std::uint32_t{raw[3]} << 24;
}

Polyhedron parse_stl_binary(std::string_view bytes) {
  const std::size_t count = stl_count(bytes);
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces;
  for (std::size_t f = 0; f < count; ++f) {
    std::array<float, 12> numbers{};  // normal (ignored), then three vertices
    std::memcpy(numbers.data(), bytes.data() + kStlHeader + f * kStlFacet, sizeof numbers);
    const int first = static_cast<int>(vertices.size());
    for (std::size_t v = 3; v < 12; v += 3) {
      vertices.emplace_back(numbers[v], numbers[v + 1], numbers[v + 2]);
      if (!vertices.back().allFinite()) throw std::runtime_error(fmt::format("facet {} is not finite", f));
    }
    faces.push_back({first, first + 1, first + 2});
  }
  return close_surface(vertices, faces);
}

}  // namespace

Polyhedron parse_obj(std::string_view text) {
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces;
  Lines lines(text);
  while (lines.next()) {
    const std::string_view key = lines.word();
    if (key == "v") {
      const double x = lines.number(), y = lines.number(), z = lines.number();
      vertices.emplace_back(x, y, z);
    } else if (key == "f") {
      std::vector<int> face;
      for (std::string_view word = lines.word(); !word.empty(); word = lines.word()) {
        face.push_back(obj_index(lines, word, vertices.size()));
      }
      if (face.size() < 3) lines.fail(fmt::format("a face of {} vertices", face.size()));
      faces.push_back(std::move(face));
    }
    // Everything else (normals, textures, groups, materials, comments) does not change the solid.
  }
  return close_surface(vertices, faces);
}

// Many binary files begin with "solid" as well: the length decides.
Polyhedron parse_stl(std::string_view bytes) {
  const bool binary =
      bytes.size() >= kStlHeader && bytes.size() == kStlHeader + kStlFacet * std::size_t{stl_count(bytes)};
  if (binary) return parse_stl_binary(bytes);
  if (bytes.substr(0, 5) == "solid") return parse_stl_text(bytes);
  throw std::runtime_error(
      "neither a text STL (it does not begin with \"solid\") nor a binary one (its length does not "
      "fit its number of facets)");
}

Polyhedron read_mesh(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension != ".obj" && extension != ".stl") {
    throw std::runtime_error(fmt::format("{}: a mesh file ends in .obj or .stl", path.string()));
  }
  try {
    const std::string bytes = files::read_regular_file(path, kLargestFile);
    return extension == ".obj" ? parse_obj(bytes) : parse_stl(bytes);
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), problem.what()));
  }
}

}  // namespace stickslip::model
