// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Milankovitch 1907: a semicircular arch without mortar stands if its thickness is above 0.1075 of the mean radius.
#include "tests/support/example_run.h"

namespace stickslip::testing {
namespace {

TEST(Arch, StandsAboveMilankovitchsThicknessToTheLastBit) {
  const ExampleRun run("arch", {{"n", "31"}, {"thickness", "0.115"}, {"duration", "0.5"}});
  EXPECT_EQ(run["sink"], 0);
}

// Its energy is some kJ: density 2000, 0.1 m thick, 3 m long, 0.6 m high.
TEST(Arch, FallsBelowIt) {
  const ExampleRun run("arch", {{"n", "31"}, {"thickness", "0.1"}, {"duration", "0.5"}});
  EXPECT_GT(run["sink"], 10);
}

}  // namespace
}  // namespace stickslip::testing
