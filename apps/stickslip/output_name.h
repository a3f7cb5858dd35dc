// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Files that verbs write: what one is called when the user gave no name (in the current folder, after what went in),
// and whether it can be written.
#pragma once

#include <string>
#include <string_view>

namespace stickslip::app {

// Files with the usual name are known by their folder. usual = "scene":
//     examples/ball/scene.toml -> ball,  examples/ball/scene-slow.toml -> ball-slow,  other.toml -> other
[[nodiscard]] std::string name_after(const std::string& file, std::string_view usual);

// Throws std::runtime_error with one line when the file could not be written: asked before long work begins.
// Nothing is touched.
void require_writable(const std::string& file);

}  // namespace stickslip::app
