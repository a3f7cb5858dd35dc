// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Every scene among the examples, under every stepper and motion model that accepts it, must end where it ended before,
// to the last bit: the guard of changes that are to change nothing.
//
// Each case runs twice, for at most kSteps steps: with the step of the scene, and with a longer one, so that the end of
// the scene's duration comes nearer and contacts are made and broken. bits.txt holds one line per run:
//
//     scene  stepper  motion  step  steps done  hash of all states  weighted sums of positions, of velocities
//
// When a hash changes. Either nothing was to change, and the change is wrong. Or two codes disagreed, or one was wrong:
// then find the independent answer (a closed form, half the step, another stepper) that decides, and update the file:
//
//     STICKSLIP_UPDATE_GOLDEN=1 build/tests/test_golden
//
// The commit says which scenes changed, why, and what decided; changes.md beside this file keeps the list. Lines that
// appear or vanish (a new example, a stepper that refuses more) are updates of the same kind.
//
// Other machines. The library is compiled for generic x86-64 without contraction, and its own wide kernels give the
// same bits (complementarity/wide_clone.h). What remains is the C library: sin, cos, exp, pow differ in the last bit
// between versions, and between processors with and without fused multiply-add. The first line of bits.txt is a hash
// of values of those functions. Where it is another, and under sanitizers and other compilers than the one of the
// releases (g++), the sums are compared instead of the bits, to kTolerance of the magnitudes that they are made of:
// contact problems are solved to certificates of 1e-10, so that a last bit may come back as that, and runs of some
// dozen steps multiply it.
#include "tests/golden/golden_run.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace stickslip::testing {
namespace {

constexpr double kTolerance = 1e-6;

std::filesystem::path golden_file() {
  return std::filesystem::path(tests::kSourceFolder) / "tests/golden/bits.txt";
}

std::filesystem::path examples() {
  return std::filesystem::path(tests::kSourceFolder) / "examples";
}

// Lines by what stands in front of the number of steps.
struct Golden {
  std::uint64_t library = 0;
  std::map<std::string, Outcome> runs;
};

Golden read_golden() {
  Golden golden;
  std::ifstream in(golden_file());
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string scene, stepper, motion, step;
    words >> scene;
    if (scene == "c-library") {
      words >> std::hex >> golden.library;
      continue;
    }
    words >> stepper >> motion >> step;
    Outcome out;
    words >> out.steps >> std::hex >> out.hash >> std::dec >> out.position >> out.velocity;
    golden.runs[fmt::format("{} {} {} {}", scene, stepper, motion, step)] = out;
  }
  return golden;
}

void write_golden(const std::map<std::string, Outcome>& runs) {
  std::ofstream out(golden_file());
  out << fmt::format("c-library {:016x}\n", hash_of_the_c_library());
  for (const auto& [key, run] : runs) out << line_of(key, run);
}

bool is_of(const std::string& key, const std::string& stepper) {
  return key.find(' ' + stepper + ' ') != std::string::npos;
}

bool same_machine(const Golden& golden) {
#if defined(STICKSLIP_HAS_SANITIZER) || defined(__clang__)
  return false;
#else
  return golden.library == hash_of_the_c_library();
#endif
}

void compare(const std::string& key, const Outcome& now, const Outcome& before, bool same_machine) {
  if (same_machine) {
    EXPECT_EQ(now.steps, before.steps) << key << ": another number of steps was certified";
    EXPECT_EQ(now.hash, before.hash) << key << ": other bits";
    return;
  }
  if (now.steps != before.steps) {  // a step that is refused here and not there: nothing to compare
    std::printf("%s: %d steps, %d on the machine of the file\n", key.c_str(), now.steps, before.steps);
    return;
  }
  EXPECT_NEAR(now.position, before.position, kTolerance * now.position_scale) << key;
  EXPECT_NEAR(now.velocity, before.velocity, kTolerance * now.velocity_scale) << key;
}

class GoldenBits : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenBits, OfEveryExampleAreAsTheyWere) {
  const bool update = std::getenv("STICKSLIP_UPDATE_GOLDEN") != nullptr;
  Golden golden = read_golden();
  const bool same = same_machine(golden);
  if (!same) std::printf("another C library or compiler than that of bits.txt: sums are compared, not bits\n");
  const std::map<std::string, Outcome> runs = runs_of(examples(), GetParam());
  if (update) {
    std::erase_if(golden.runs, [](const auto& line) { return is_of(line.first, GetParam()); });
    golden.runs.insert(runs.begin(), runs.end());
    write_golden(golden.runs);
    GTEST_SKIP() << "bits.txt was written anew; say in changes.md which lines changed, why, and what decided";
  }
  for (const auto& [key, now] : runs) {
    const auto before = golden.runs.find(key);
    EXPECT_NE(before, golden.runs.end()) << key << " is not in bits.txt";
    if (before != golden.runs.end()) compare(key, now, before->second, same);
  }
  for (const auto& [key, before] : golden.runs)
    if (is_of(key, GetParam())) {
      EXPECT_TRUE(runs.contains(key)) << key << " is in bits.txt, but nothing accepts it";
    }
}

std::vector<std::string> stepper_names() {
  std::vector<std::string> names;
  for (const complementarity::AlgorithmInfo& info : stepping::steppers()) names.emplace_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Steppers, GoldenBits, ::testing::ValuesIn(stepper_names()), [](const auto& stepper) {
  std::string name = stepper.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace stickslip::testing
