// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a file is called that a verb writes when the user gave no name: in the current folder, after what went in.
#pragma once

#include <string>
#include <string_view>

namespace stickslip::app {

// Files with the usual name are known by their folder. usual = "scene":
//     examples/ball/scene.toml -> ball,  examples/ball/scene-slow.toml -> ball-slow,  other.toml -> other
[[nodiscard]] std::string name_after(const std::string& file, std::string_view usual);

}  // namespace stickslip::app
