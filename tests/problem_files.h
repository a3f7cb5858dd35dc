// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Where the shared problem files lie, for tests that run over them when they are there: the folder named by the
// environment variable STICKSLIP_PROBLEMS, else ../shared/problems beside the source tree.
#pragma once

#include "tests/support/paths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace stickslip::tests {

inline std::filesystem::path problems_folder() {
  if (const char* named = std::getenv("STICKSLIP_PROBLEMS")) return named;
  return std::filesystem::path(kSourceFolder) / ".." / "shared" / "problems";
}

// Sorted; empty when the folder is not there.
inline std::vector<std::filesystem::path> problem_files() {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(problems_folder() / "open", code))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace stickslip::tests
