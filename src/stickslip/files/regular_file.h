// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The bytes of an input file, for every reader of the project. Only regular files up to a size are read: a device, a
// pipe or a folder under the name of a scene, a mesh or a problem would block, never end, or fill the memory. What the
// name stands for is asked of the open file, so that it cannot be exchanged in between.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stickslip::files {

// What is wrong, to follow the name of the file: "is a folder, not a file".
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Of an open file; closed with it. number() < 0: it could not be opened, and errno says why.
class Descriptor {
 public:
  // Without O_NONBLOCK, opening a pipe waits for a writer.
  explicit Descriptor(const std::filesystem::path& file, int flags = O_RDONLY)
      : number_(::open(file.c_str(), flags | O_NONBLOCK | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

namespace detail {

// Of a regular file; throws FileError for anything else.
[[nodiscard]] inline std::size_t size_of(const Descriptor& descriptor) {
  struct stat about{};
  if (descriptor.number() < 0 || ::fstat(descriptor.number(), &about) != 0)
    throw FileError(std::string("cannot be opened: ") + std::strerror(errno));
  if (S_ISDIR(about.st_mode)) throw FileError("is a folder, not a file");
  if (!S_ISREG(about.st_mode)) throw FileError("is a device or a pipe, not a file");
  return static_cast<std::size_t>(about.st_size);
}

}  // namespace detail

// For files that a library opens by name. Throws FileError when the file cannot be opened or is no regular file.
inline void require_regular_file(const std::filesystem::path& file) {
  (void)detail::size_of(Descriptor(file));
}

// While one of these is there it lists the files that its thread reads: what a scene needs besides its own file.
class FilesRead {
 public:
  FilesRead() : before_(std::exchange(newest(), this)) {}
  ~FilesRead() { newest() = before_; }
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;
  [[nodiscard]] const std::vector<std::filesystem::path>& list() const { return list_; }
  static void add(const std::filesystem::path& file) {
    if (newest() != nullptr) newest()->list_.push_back(file);
  }

 private:
  static FilesRead*& newest() {
    static thread_local FilesRead* newest = nullptr;
    return newest;
  }
  FilesRead* before_;
  std::vector<std::filesystem::path> list_;
};

// Throws FileError when the file cannot be read, is no regular file, or has more than max_bytes.
[[nodiscard]] inline std::string read_regular_file(const std::filesystem::path& file, std::size_t max_bytes) {
  const Descriptor descriptor(file);
  const std::size_t size = detail::size_of(descriptor);
  FilesRead::add(file);
  const auto too_large = [&] { throw FileError("is larger than " + std::to_string(max_bytes) + " bytes"); };
  if (size > max_bytes) too_large();

  // Files of /proc say 0 and have content; others may grow while they are read.
  std::string bytes;
  bytes.resize(size + 1);
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(2 * bytes.size());
    const ssize_t count = ::read(descriptor.number(), bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(std::string("cannot be read: ") + std::strerror(errno));
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > max_bytes) too_large();
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace stickslip::files
