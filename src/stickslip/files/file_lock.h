// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One writer per file. The lock belongs to an open file and dies with its process, however that ends. It is one of
// Linux's open-file-description locks: it is not lost when the process closes another descriptor of the same file (as
// POSIX locks are), and it does not meet the locks of HDF5 or SQLite, so that their readers may read meanwhile.
#pragma once

#include <string>

namespace stickslip::files {

class FileLock {
 public:
  // Locks the file, which is created if there is none. Throws std::runtime_error with one line: when it cannot be
  // opened, or (`held_by_another` is then true) when another process has it.
  explicit FileLock(const std::string& path, bool* held_by_another = nullptr);
  // Lets go; with `remove`, takes the file away as well (for locks beside what they protect).
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  void remove_at_end() { remove_ = true; }

 private:
  std::string path_;
  int file_ = -1;
  bool remove_ = false;
};

}  // namespace stickslip::files
