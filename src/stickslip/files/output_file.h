// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A file that is there whole or not at all: written beside its place under a name of its own and renamed when all of it
// is on disk. What is no regular file (a device, a pipe) is written to as it stands, and a symbolic link goes on
// pointing where it did.
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>

namespace stickslip::files {

class OutputFile {
 public:
  // Throws std::runtime_error with one line when nothing can be written there.
  explicit OutputFile(const std::string& path);
  ~OutputFile();  // without commit(): as if nothing had been written
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::ostream& stream() { return out_; }
  // Puts the file in its place. Throws std::runtime_error; what was there before is then untouched.
  void commit();

 private:
  [[noreturn]] void fail();
  std::string path_;
  std::filesystem::path target_, written_;
  bool in_place_ = false, open_ = true;
  std::ofstream out_;
};

void write_file(const std::string& path, std::string_view content);

// The whole of a regular file. Throws std::runtime_error: cannot be read, is no regular file (a device or a pipe might
// never end), or has more bytes than allowed.
[[nodiscard]] std::string read_file(const std::string& path, std::size_t most_bytes);

}  // namespace stickslip::files
