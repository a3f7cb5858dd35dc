// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "output_name.h"

#include <filesystem>

namespace stickslip::app {

std::string name_after(const std::string& file, std::string_view usual) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  const std::string stem = path.stem().string(), folder = path.parent_path().filename().string();
  const bool has_usual_name =
      stem.starts_with(usual) && (stem.size() == usual.size() || stem[usual.size()] == '-') && !folder.empty();
  return has_usual_name ? folder + stem.substr(usual.size()) : stem;
}

}  // namespace stickslip::app
