// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/files/output_file.h"

#include "stickslip/files/regular_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace stickslip::files {

namespace fs = std::filesystem;

OutputFile::OutputFile(const std::string& path) : path_(path) {
  std::error_code error;
  in_place_ = fs::exists(path, error) && !fs::is_regular_file(path, error);
  target_ = fs::is_symlink(path, error) && !in_place_ ? fs::weakly_canonical(path, error) : fs::path(path);
  // The name is the process's own: two commands with one output both write whole files, and the last one stays.
  written_ = in_place_ ? target_ : fs::path(fmt::format("{}.part-{}", target_.string(), ::getpid()));
  errno = 0;
  out_.open(written_, std::ios::binary | std::ios::trunc);
  if (!out_) throw std::runtime_error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

OutputFile::~OutputFile() {
  if (!open_) return;
  out_.close();
  std::error_code ignored;
  if (!in_place_) fs::remove(written_, ignored);
}

void OutputFile::fail() {
  const int reason = errno;
  std::error_code ignored;
  if (!in_place_) fs::remove(written_, ignored);
  throw std::runtime_error(reason == 0 ? fmt::format("cannot write {}", path_)
                                       : fmt::format("cannot write {}: {}", path_, std::strerror(reason)));
}

void OutputFile::commit() {
  open_ = false;
  errno = 0;
  out_.close();
  if (!out_) fail();
  if (in_place_) return;
  std::error_code error;
  // As the file that it replaces: a page that only its owner may read stays so.
  const fs::file_status before = fs::status(target_, error);
  if (fs::is_regular_file(before)) fs::permissions(written_, before.permissions(), error);
  error.clear();
  fs::rename(written_, target_, error);
  errno = error.value();
  if (error) fail();
}

void write_file(const std::string& path, std::string_view content) {
  OutputFile file(path);
  file.stream() << content;
  file.commit();
}

std::string read_file(const std::string& path, std::size_t most_bytes) {
  try {
    return read_regular_file(path, most_bytes);
  } catch (const FileError& error) {
    throw std::runtime_error(fmt::format("{} {}", path, error.what()));
  }
}

}  // namespace stickslip::files
