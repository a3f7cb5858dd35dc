// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Each part of a step and of its derivative has a test: fails where a header of stepping/ or sensitivity/ is included by no
// test, gives its name to no suite, and is not in the table below, which names the suite that tests it through another part.
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace stickslip {
namespace {

namespace fs = std::filesystem;

// Header -> suite.
const std::map<std::string, std::string>& tested_through() {
  static const std::map<std::string, std::string> kSuites{
      {"euler_stepper.h", "LocatedImpacts"},      {"extrapolated_euler.h", "DistributedSupport"},
      {"flow_tape.h", "FlowSensitivity"},         {"force_balance_rows.h", "ForceBalance"},
      {"guarded_stepper.h", "Passing"},           {"smooth_record.h", "SubStepSensitivity"},
      {"smooth_tangent.h", "SubStepSensitivity"}, {"step_data.h", "ContactSelection"},
      {"sub_step_tape.h", "SubStepSensitivity"},  {"trial.h", "Events"},
  };
  return kSuites;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// euler_step.h -> EulerStep
std::string camel_case(const std::string& header) {
  std::string name;
  bool upper = true;
  for (const char c : header.substr(0, header.find('.'))) {
    if (c != '_') name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return name;
}

struct Tests {
  std::set<std::string> included;  // headers, as "stickslip/stepping/rest.h"
  std::set<std::string> suites;

  void read(const std::string& text) {
    static const std::regex include(R"re(#include "(stickslip/[^"]+)")re"), suite(R"(\bTEST(?:_F|_P)?\((\w+),)");
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match)
      included.insert((*match)[1]);
    for (std::sregex_iterator match(text.begin(), text.end(), suite), end; match != end; ++match)
      suites.insert((*match)[1]);
  }
  // A suite of the name of a header, or one whose name begins with it.
  [[nodiscard]] bool have_suite_of(const std::string& header) const {
    const std::string name = camel_case(header);
    const auto at = suites.lower_bound(name);
    return at != suites.end() && at->starts_with(name);
  }
};

TEST(PartTests, TheTestSeesIncludesAndSuites) {
  Tests tests;
  tests.read("#include \"stickslip/stepping/rest.h\"\nTEST(EndGeometry, A) {}\nTEST_P(StepOutcomes, B) {}");
  EXPECT_TRUE(tests.included.contains("stickslip/stepping/rest.h"));
  EXPECT_TRUE(tests.have_suite_of("end_geometry.h"));
  EXPECT_TRUE(tests.have_suite_of("step_outcome.h"));
  EXPECT_FALSE(tests.have_suite_of("quasi_static.h"));
}

TEST(PartTests, EachPartHasATest) {
  const fs::path root(tests::kSourceFolder);
  Tests tests;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".h" || name.ends_with("_test.cpp")) tests.read(text_of(entry.path()));
  }
  EXPECT_GT(tests.suites.size(), 100U) << "the tests were not found";
  int headers = 0;
  for (const std::string folder : {"stepping", "sensitivity"})
    for (const auto& entry : fs::directory_iterator(root / "src/stickslip" / folder)) {
      if (entry.path().extension() != ".h") continue;
      ++headers;
      const std::string name = entry.path().filename().string();
      if (tests.included.contains("stickslip/" + folder + "/" + name) || tests.have_suite_of(name)) continue;
      const auto through = tested_through().find(name);
      ASSERT_NE(through, tested_through().end()) << folder << '/' << name << " has no test";
      EXPECT_TRUE(tests.suites.contains(through->second)) << through->second << " of " << name << " is not a suite";
    }
  EXPECT_GT(headers, 50);
}

}  // namespace
}  // namespace stickslip
