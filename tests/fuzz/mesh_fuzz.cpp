// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any bytes as a mesh in OBJ and in STL: a std::runtime_error of one line, or a closed surface whose faces
// name existing corners.
#include "stickslip/model/mesh_io.h"

#include "tests/fuzz/fuzz_support.h"

#include <cstdint>
#include <stdexcept>

namespace {

using namespace stickslip;

void check(const model::Polyhedron& solid) {
  for (const std::vector<int>& face : solid.faces) {
    fuzz::require(face.size() >= 3, "a face with less than three corners");
    for (const int corner : face)
      fuzz::require(corner >= 0 && static_cast<std::size_t>(corner) < solid.vertices.size(),
                    "a corner that is not there");
  }
  for (const Vec3& vertex : solid.vertices) fuzz::require(vertex.allFinite(), "a corner that is not finite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (model::Polyhedron (*const parse)(std::string_view) : {model::parse_obj, model::parse_stl}) {
    try {
      check(parse(bytes));
    } catch (const std::runtime_error& error) {
      fuzz::require_one_line(error.what());
    }
  }
  return 0;
}
