// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the fuzz targets share: a claim that ends the process, and a folder of their own for readers that want files.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace stickslip::fuzz {

inline void require(bool condition, std::string_view what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

inline void require_one_line(std::string_view message) {
  require(!message.empty(), "an error without a message");
  require(message.find('\n') == std::string_view::npos, "the message is more than one line");
}

// Removed at the end of the process. In memory where the machine has such a place: fuzzers write many files.
class Folder {
 public:
  Folder() {
    const std::filesystem::path shared = "/dev/shm";
    std::error_code error;
    const bool memory = std::filesystem::is_directory(shared, error);
    path_ =
        (memory ? shared : std::filesystem::temp_directory_path()) / ("stickslip-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary | std::ios::trunc)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

// A small scene for readers of files that name one.
inline constexpr const char* kScene = R"(
dimension = 2
gravity = [0, -9.81]
duration = 0.02
[method]
step = 1e-2
[parameters]
mu = { value = 0.3, unit = "1" }
vx = { value = 0.1, unit = "m/s" }
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "ball"
mass = 1
shape = { disc = 0.1 }
position = [0, 0.1]
velocity = ["vx", 0]
[[contact]]
between = ["*", "*"]
friction = "mu"
[observe]
x = "ball.x"
y = "ball.y"
)";

// Files of this machine are none of the fuzzer's business.
inline bool names_other_files(std::string_view text) {
  for (const char* part : {"/dev", "/proc", "/sys", "../", "\\"})
    if (text.find(part) != std::string_view::npos) return true;
  return false;
}

}  // namespace stickslip::fuzz
