// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Files of tests/defects that once hung, crashed or gave nonsense with exit code 0: refused within seconds, with the
// place in the file. And derivatives across an impact. What runs is in tests/examples/defects_test.cpp.
#include "tests/support/command.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

struct Refusal {
  const char *arguments, *file, *says;
};

class Defects : public CommandTest {
 protected:
  [[nodiscard]] static std::string file(const std::string& name) {
    return std::string(tests::kSourceFolder) + "/tests/defects/" + name;
  }
};

TEST_F(Defects, BadInputIsRefusedWithItsPlace) {
  const Refusal rows[] = {
      {"check", "hang-mod.toml", "hang-mod.toml:6:20: 'angle' of motion of body 'p' changes its branch too often"},
      {"run --no-record", "hang-sum-every.toml", "hang-sum-every.toml:8:19: the observable 'a': the period must be"},
      {"run --no-record", "hang-rate-over-period.toml",
       "hang-rate-over-period.toml:8:26: the observable 'a': the period"},
      {"plan --no-record", "hang-plan-plate.plan.toml", "a turn through 2e+05 radians is too much to be integrated"},
      {"run --no-record", "nan-state-certified.toml", "nan-state-certified.toml:12:8: 'mass' of body 'cy' is 1e+308"},
      {"run --no-record", "segv-mass-1e308.toml", "segv-mass-1e308.toml:24:8: 'mass' of body 'cy' is 1e+308"},
      {"run --no-record", "pole-accepted.toml", "it cannot be integrated over t = 0.500123: it has a pole there"},
      {"run --no-record --set method.certificate=0.5", "jam-certificate.toml",
       "'certificate' of [method] must be at most 0.0001, not 0.5"},
      {"run --no-record --set mu=1e300", "huge-friction-certified.toml",
       "parameter 'mu' is 1e+300: numbers of a scene lie between"},
  };
  for (const Refusal& row : rows) {
    // Ten seconds of the processor: none of them has anything to compute.
    const CommandOutcome outcome = run(std::string(row.arguments) + " '" + file(row.file) + "'", "ulimit -t 10; ");
    EXPECT_EQ(outcome.code, 2) << row.file << ": " << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(row.says)) << row.file;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  }
}

// The cubes overlap by cos(30 deg) (cos(roll) + sin|roll|)/2 + 1/4 - 0.68.
TEST_F(Defects, CheckTellsOverlapsOfCornersOnTheBorderOfAFace) {
  for (const char* roll : {"0.005", "0.01", "0.02", "-0.05"})
    for (const char* side : {"0", "1e-3", "0.01"}) {
      const CommandOutcome outcome =
          run("check '" + file("F01_overlap_min.toml") + "' --set roll=" + roll + " --set side=" + side);
      EXPECT_NE(outcome.code, 0) << roll << " " << side;
      EXPECT_THAT(outcome.out + outcome.err, HasSubstr("overlap")) << roll << " " << side;
    }
}

// Walls that close on a box without room: never certified, whatever the certificate may be.
TEST_F(Defects, JamEndsTheRun) {
  for (const char* certificate : {"1e-9", "1e-4"}) {
    // From a copy: the problem that was not solved is written beside the scene.
    const CommandOutcome outcome =
        run(std::string("run --json --no-record jam-certificate.toml --set method.certificate=") + certificate,
            "cp '" + file("jam-certificate.toml") + "' . && ");
    EXPECT_EQ(outcome.code, 1) << certificate << outcome.out;
    EXPECT_LE(nlohmann::json::parse(outcome.out)["observe"]["pen"].get<double>(), 1e-3) << "the jam is at 1/6 s";
  }
}

// Equal discs exchange their velocities: xb = x1 + r + r + v1 t + ..., xb' = (1, 0, 1, 0) by x1, x2, v1, v2, wherever in
// the step they meet.
TEST_F(Defects, SensitivityAcrossAnImpactIsThatOfTheFirstDisc) {
  for (const char* stepper : {"second-order", "stewart-trinkle", "implicit"})
    for (const char* x1 : {"-1e-4", "0.003", "-0.0061"}) {
      const CommandOutcome outcome =
          run(std::string("sensitivity --json '") + file("F06_impact_time.toml") + "' --set x1=" + x1 +
              " --set method.step=1e-2 --set method.stepper=" + stepper);
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      const auto json = nlohmann::json::parse(outcome.out)["observables"];
      EXPECT_NEAR(json["xb"]["value"].get<double>(), 1.2 + std::stod(x1), 1e-9);
      const auto& by = json["xb"]["derivatives"];
      for (const auto& [name, exact] : {std::pair{"x1", 1}, {"x2", 0}, {"v1", 1}, {"v2", 0}}) {
        EXPECT_NEAR(by[name]["value"].get<double>(), exact, 1e-6) << stepper << " x1 = " << x1 << ", d/d " << name;
        if (by[name]["method"] == "implicit") continue;  // exact derivatives have no error bar
        EXPECT_LE(by[name]["error"].get<double>(), 1e-6) << stepper << " x1 = " << x1 << ", d/d " << name;
      }
    }
}

}  // namespace
}  // namespace stickslip::testing
