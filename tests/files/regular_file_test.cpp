// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/files/regular_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace stickslip::files {
namespace {

TEST(FilesRead, ListsWhatThisThreadReadsWhileItIsThere) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::filesystem::path file = folder / "stickslip-files-read-test.txt";
  std::ofstream(file) << "text";
  (void)read_regular_file(file, 100);
  const FilesRead outer;
  EXPECT_EQ(read_regular_file(file, 100), "text");
  {
    const FilesRead inner;
    (void)read_regular_file(file, 100);
    EXPECT_THROW((void)read_regular_file(folder, 100), FileError);
    std::thread([&] { (void)read_regular_file(file, 100); }).join();
    EXPECT_EQ(inner.list(), std::vector{file});
  }
  EXPECT_EQ(outer.list(), std::vector{file});
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace stickslip::files
