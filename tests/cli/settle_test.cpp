// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip settle and `settle = true` as their users meet them.
#include "tests/support/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Settle : public CommandTest {};

// A plate that rises from y = 0 with its upper face at 0.05, and a box let go 5 cm above it.
constexpr const char* kLift = R"toml(dimension = 2
gravity = [0, -9.81]
duration = 0.01
[method]
step = 1e-3
stepper = "stewart-trinkle"
[[body]]
name = "plate"
shape = { box = [4, 0.1] }
motion = { position = ["0.2 * t", "min(0.2 * t, 0.1)"] }
[[body]]
name = "box"
mass = 1
shape = { box = [0.1, 0.1] }
position = [0, 0.15]
[[contact]]
between = ["*", "*"]
friction = 0.5
[observe]
y = "box.y"
)toml";

// The plate is held where it is at t = 0: there the box stands at y = 0.1, and there the written scene begins.
TEST_F(Settle, HoldsPrescribedBodiesAtTheirStart) {
  write("lift.toml", kLift);
  const CommandOutcome settled = run("settle lift.toml -o settled.toml");
  ASSERT_EQ(settled.code, 0) << settled.err;
  EXPECT_THAT(settled.out, HasSubstr("0 of them above the certificate"));
  const CommandOutcome outcome = run("run settled.toml --no-record --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  // The plate rises by 2 mm in the run; first-order steps find the floor to h^2 g.
  EXPECT_NEAR(json["observe"]["y"].get<double>(), 0.102, 1e-5);
}

// The same by the key of the scene.
TEST_F(Settle, KeyOfTheSceneDoesTheSame) {
  write("lift.toml", std::string("settle = true\n") + kLift);
  const CommandOutcome outcome = run("run lift.toml --no-record --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(json["observe"]["y"].get<double>(), 0.102, 1e-5);
  EXPECT_EQ(json["steps"], 10);
}

// A certificate that no answer meets: every step with a contact is taken at certificate_at_worst, and told.
TEST_F(Settle, TellsStepsAtWorst) {
  write("lift.toml", kLift);
  const CommandOutcome settled = run("settle lift.toml -o settled.toml --set method.certificate=1e-30");
  ASSERT_EQ(settled.code, 0) << settled.err;
  EXPECT_THAT(settled.out, HasSubstr("of them above the certificate"));
  EXPECT_THAT(settled.out, Not(HasSubstr(" 0 of them above the certificate")));
}

}  // namespace
}  // namespace stickslip::testing
