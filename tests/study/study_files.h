// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A folder with a small scene and studies of it, for tests.
//
// The scene: a block on a plane pushed off with speed v slides v^2 / (2 mu g) and stops.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace stickslip::study {

inline constexpr const char* kSlidingBlock = R"(
title = "Block that slides to rest"
dimension = 2
gravity = [0, -10]
duration = 1

[parameters]
v = { value = 1, min = 0, max = 10 }
mu = { value = 0.5, min = 0 }

[method]
step = 0.01

[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true

[[body]]
name = "block"
mass = 1
shape = { points = [[-0.1, 0], [0.1, 0]] }
inertia = 1
velocity = ["v", 0]

[[contact]]
between = ["block", "floor"]
friction = "mu"

[observe]
way = "block.x"
speed = "block.speed"
)";

class StudyFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    // One folder per test and process: ctest runs tests side by side.
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / ("stickslip_study_" + std::to_string(getpid()) + "_" + info->name());
    std::filesystem::create_directories(folder_);
    file("scene.toml", kSlidingBlock);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

}  // namespace stickslip::study
