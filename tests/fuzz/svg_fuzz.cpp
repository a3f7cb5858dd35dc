// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any bytes as an SVG file and as the path in one: a std::runtime_error of one line, or loops of finite
// corners.
#include "stickslip/model/svg_path.h"
#include "stickslip/scene/svg_file.h"

#include "tests/fuzz/fuzz_support.h"

#include <cstdint>
#include <stdexcept>

namespace {

using namespace stickslip;

void check(std::string_view path) {
  for (const double tolerance : {1e-3, 1.0}) {
    try {
      for (const auto& loop : model::parse_svg_path(path, tolerance).loops)
        for (const Vec2& corner : loop) fuzz::require(corner.allFinite(), "a corner that is not finite");
    } catch (const std::runtime_error& error) {
      fuzz::require_one_line(error.what());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  try {
    check(scene::first_path_in(bytes));
  } catch (const std::runtime_error& error) {
    fuzz::require_one_line(error.what());
  }
  return 0;
}
