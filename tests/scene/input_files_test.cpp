// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What is given as a file and is none, and files that grow without end: one line, at once.
#include "stickslip/files/regular_file.h"
#include "stickslip/model/svg_path.h"
#include "stickslip/scene/scene.h"
#include "stickslip/scene/svg_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>

namespace stickslip::scene {
namespace {

using testing::HasSubstr;

// Seconds that a hostile input may take; sanitizers make everything slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kPatience = 200;
#else
constexpr double kPatience = 10;
#endif

class InputFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        fmt::format("stickslip_inputs_{}_{}", getpid(), testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    std::filesystem::create_directories(folder_ / "folder.obj");
    ASSERT_EQ(::mkfifo((folder_ / "pipe.obj").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", folder_ / "zero.obj");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  // The refusal; "" when there is none.
  static std::string refusal(const std::filesystem::path& file) {
    try {
      (void)load_scene(file);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

const char* const kNoFiles[] = {"folder.obj", "pipe.obj", "zero.obj"};

TEST_F(InputFiles, DevicesPipesAndFoldersAreRefusedForEveryKindOfFile) {
  const std::string planar = "dimension = 2\nduration = 1\n[[body]]\nname = \"p\"\ndensity = 1\n";
  for (const char* name : kNoFiles) {
    EXPECT_THAT(refusal(folder_ / name), HasSubstr(", not a file")) << "as a scene: " << name;
    const auto includes = write("include.toml", fmt::format("include = [\"{}\"]\n", name));
    EXPECT_THAT(refusal(includes), HasSubstr("include.toml:1:12")) << name;
    EXPECT_THAT(refusal(includes), HasSubstr(", not a file")) << name;
    const auto svg = write("svg.toml", planar + fmt::format("shape = {{ svg = {{ file = \"{}\" }} }}\n", name));
    EXPECT_THAT(refusal(svg), HasSubstr("svg.toml:6:")) << name;
    EXPECT_THAT(refusal(svg), HasSubstr(", not a file")) << name;
    const auto mesh = write("mesh.toml", "dimension = 3\nduration = 1\n[[body]]\nname = \"p\"\ndensity = 1\n" +
                                             fmt::format("shape = {{ mesh = \"{}\" }}\n", name));
    EXPECT_THAT(refusal(mesh), HasSubstr("mesh.toml:6:")) << name;
    EXPECT_THAT(refusal(mesh), HasSubstr(", not a file")) << name;
  }
}

TEST_F(InputFiles, SizesAreLimited) {
  const auto file = write("large", std::string(1000, 'x'));
  EXPECT_EQ(files::read_regular_file(file, 1000).size(), 1000U);
  EXPECT_THROW((void)files::read_regular_file(file, 999), files::FileError);
  EXPECT_THROW((void)files::read_regular_file(folder_ / "nowhere", 999), files::FileError);
  // Sparse: 1 TB that takes no place and would take the memory.
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  EXPECT_THAT(refusal(file), HasSubstr("is larger than"));
}

// Seconds of the processor that reading takes.
double seconds(const std::function<void()>& read) {
  const std::clock_t begin = std::clock();
  try {
    read();
  } catch (const std::runtime_error&) {
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

std::string repeated(const std::string& text, std::size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

// Each took minutes to hours when it was quadratic; now they take milliseconds, a drawing of many loops a few seconds.
TEST_F(InputFiles, DrawingsMadeToTakeForeverDoNot) {
  constexpr std::size_t kBytes = 2'000'000;
  for (const char* text : {"<path", "<path d ", "<path d=", "<path d= '", "<path\n", "< path", "d d d=\""})
    EXPECT_LT(seconds([&] { (void)first_path_in(repeated(text, kBytes)); }), kPatience) << text;
  for (const char* text :
       {"M0 0 1 0 1 1z", "M0 0L1 0", "9", "M0 0C1 1 2 2 3 3 ", "M0 0A1e9 1 0 0 1 2 2", "z", "M 0 0 "})
    EXPECT_LT(seconds([&] { (void)model::parse_svg_path("M0 0" + repeated(text, kBytes), 1e-9); }), kPatience) << text;
  // Sides above each other: every one is held against all others until there are too many.
  std::string comb = "M0 -1";
  for (int i = 0; i < 50000; ++i) comb += fmt::format("L{} {}", i % 2 == 0 ? 0 : 1000, i);
  EXPECT_LT(seconds([&] { (void)model::parse_svg_path(comb + "L-1 50000L-1 -1", 1e-3); }), kPatience);
  const std::string digits = repeated("9", kBytes);
  const auto scene = write("digits.toml",
                           "dimension = 2\nduration = 1\n[[body]]\nname = \"p\"\ndensity = 1\nshape = { svg "
                           "= \"M" +
                               digits + "\" }\n");
  EXPECT_LT(seconds([&] { (void)load_scene(scene); }), kPatience);
}

TEST_F(InputFiles, ScenesMadeToTakeForeverDoNot) {
  std::string parameters = "dimension = 2\nduration = 1\n[parameters]\n";
  for (int i = 0; i < 100000; ++i) parameters += fmt::format("p{} = 1\n", i);
  const auto many = write("parameters.toml", parameters);
  EXPECT_LT(seconds([&] { (void)load_scene(many); }), kPatience);
  std::string bodies = "dimension = 2\nduration = 1\n";
  for (int i = 0; i < 30000; ++i) bodies += fmt::format("[[body]]\nname = \"b{}\"\n", i);
  write("bodies.toml", bodies);
  const auto twice = write("twice.toml", "include = [\"bodies.toml\"]\n" + bodies);
  EXPECT_LT(seconds([&] { (void)load_scene(twice); }), kPatience);
}

}  // namespace
}  // namespace stickslip::scene
