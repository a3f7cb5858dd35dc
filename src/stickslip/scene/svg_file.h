// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The path data of an SVG file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stickslip::scene {

// The `d` attribute of the first <path> element. Transforms, styles and all other elements are not looked at. Throws
// std::runtime_error when the file cannot be read or has none.
[[nodiscard]] std::string first_path_of(const std::filesystem::path& file);
[[nodiscard]] std::string first_path_in(std::string_view svg);

}  // namespace stickslip::scene
