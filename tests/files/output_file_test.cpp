// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/files/output_file.h"

#include "stickslip/files/file_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

namespace stickslip::files {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("stickslip-" + std::to_string(::getpid()) + "-" + test->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] auto files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
  fs::path folder_;
};

TEST_F(OutputFileTest, AFileIsThereWholeOrNotAtAll) {
  write_file(path("a"), "before");
  {
    OutputFile file(path("a"));
    file.stream() << "half";
    EXPECT_EQ(read_file(path("a"), 100), "before");
  }
  EXPECT_EQ(read_file(path("a"), 100), "before") << "never committed";
  EXPECT_EQ(files(), 1) << "something was left beside it";
  write_file(path("a"), "after");
  EXPECT_EQ(read_file(path("a"), 100), "after");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFileTest, ALinkGoesOnPointingWhereItDid) {
  write_file(path("target"), "old");
  fs::create_symlink(path("target"), path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("target"), 100), "new");
}

TEST_F(OutputFileTest, AFullDiskLeavesWhatWasThere) {
  EXPECT_THROW(write_file("/dev/full", std::string(100000, 'x')), std::runtime_error);
  EXPECT_THROW(write_file(path("none/a"), "x"), std::runtime_error);
  EXPECT_THROW(static_cast<void>(read_file("/dev/zero", 100)), std::runtime_error) << "it never ends";
  write_file(path("long"), std::string(101, 'x'));
  EXPECT_THROW(static_cast<void>(read_file(path("long"), 100)), std::runtime_error);
}

TEST_F(OutputFileTest, OneProcessAtATimeHasTheLock) {
  auto lock = std::make_unique<FileLock>(path("a"));
  const auto other_gets_it = [&] {
    const pid_t child = ::fork();
    if (child == 0) {
      bool held = false;
      try {
        const FileLock second(path("a"), &held);
      } catch (const std::runtime_error&) {
        ::_exit(held ? 1 : 2);
      }
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(other_gets_it(), 1);
  ::close(::open(path("a").c_str(), O_RDONLY));  // drops a POSIX lock, not this one
  EXPECT_EQ(other_gets_it(), 1);
  lock.reset();
  EXPECT_EQ(other_gets_it(), 0);
}

}  // namespace
}  // namespace stickslip::files
