// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/files/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace stickslip::files {

FileLock::FileLock(const std::string& path, bool* held_by_another) : path_(path) {
  for (;;) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(file, F_OFD_SETLK, &whole) != 0) {
      const bool held = errno == EAGAIN || errno == EACCES;
      const std::string reason = held ? "another process is writing it" : std::strerror(errno);
      ::close(file);
      if (held_by_another != nullptr) *held_by_another = held;
      throw std::runtime_error(fmt::format("cannot write {}: {}", path, reason));
    }
    // The holder before may have removed or replaced the file between our opening and locking it.
    struct stat ours{}, named{};
    if (::fstat(file, &ours) == 0 && ::stat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
        ours.st_dev == named.st_dev) {
      file_ = file;
      return;
    }
    ::close(file);
  }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), remove_(other.remove_) {}

FileLock::~FileLock() {
  if (file_ < 0) return;
  if (remove_) ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace stickslip::files
