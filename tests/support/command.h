// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Tests that run the stickslip command in a folder of their own.
#pragma once

#include "tests/support/paths.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace stickslip::testing {

struct CommandOutcome {
  int code = -1;  // -1: ended by a signal, which the shell tells as 128 + its number
  std::string out, err;
  [[nodiscard]] auto error_lines() const { return std::count(err.begin(), err.end(), '\n'); }
};

class CommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // One folder per test and process: ctest runs tests side by side.
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("stickslip_" + std::to_string(getpid()) + "_" + info->test_suite_name() + "_" + info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // `before`: words of the shell in front of the command, as "ulimit -f 200; ".
  [[nodiscard]] CommandOutcome run(const std::string& arguments, const std::string& before = "") const {
    const std::string command = "cd '" + folder_.string() + "' && " + before + "'" + tests::kCommand + "' " +
                                arguments + " >'" + path("out") + "' 2>'" + path("err") + "'";
    const int state = std::system(command.c_str());
    return {code_of(state), content("out"), content("err")};
  }

  [[nodiscard]] static int code_of(int state) {
    return WIFEXITED(state) && WEXITSTATUS(state) < 128 ? WEXITSTATUS(state) : -1;
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] static std::string example(const std::string& name) {
    return std::string("'") + tests::kSourceFolder + "/examples/" + name + "/scene.toml'";
  }

  std::filesystem::path folder_;
};

}  // namespace stickslip::testing
