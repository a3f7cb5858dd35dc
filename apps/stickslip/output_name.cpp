// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "output_name.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace stickslip::app {

std::string name_after(const std::string& file, std::string_view usual) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  const std::string stem = path.stem().string(), folder = path.parent_path().filename().string();
  const bool has_usual_name =
      stem.starts_with(usual) && (stem.size() == usual.size() || stem[usual.size()] == '-') && !folder.empty();
  return has_usual_name ? folder + stem.substr(usual.size()) : stem;
}

void require_writable(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path path(file), folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored))
    throw std::runtime_error(fmt::format("cannot write {}: there is no folder {}", file, folder.string()));
  if (fs::is_directory(path, ignored)) throw std::runtime_error(fmt::format("cannot write {}: it is a folder", file));
  // Asked, not tried: another command may be about to create the file.
  const bool exists = fs::exists(path, ignored);
  if (::access((exists ? path : folder).c_str(), exists ? W_OK : W_OK | X_OK) != 0)
    throw std::runtime_error(fmt::format("cannot write {}: {}", file, std::strerror(errno)));
}

}  // namespace stickslip::app
