// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A folder of one's own among the temporary files, which goes with all that is in it.
#pragma once

#include <filesystem>

namespace stickslip::app {

class TemporaryFolder {
 public:
  // Throws std::runtime_error when none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void remove();  // before its time, where the process may not come to an orderly end

 private:
  std::filesystem::path path_;
};

}  // namespace stickslip::app
