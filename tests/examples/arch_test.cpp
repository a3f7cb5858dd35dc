// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Milankovitch 1907: a semicircular arch without mortar stands if its thickness is above 0.1075 of the mean radius.
#include "tests/support/example_run.h"

#include <cmath>

namespace stickslip::testing {
namespace {

// The joints close by their rounding in the first steps; then nothing moves any more, to the last bit.
TEST(Arch, StandsAboveMilankovitchsThickness) {
  const ExampleRun soon("arch", {{"n", "31"}, {"thickness", "0.115"}, {"duration", "0.05"}});
  const ExampleRun late("arch", {{"n", "31"}, {"thickness", "0.115"}, {"duration", "0.5"}});
  EXPECT_EQ(late["sink"], soon["sink"]);
  EXPECT_LT(std::fabs(late["sink"]), 1e-9) << "1e-12 of its energy, some kJ";
}

// Its energy is some kJ: density 2000, 0.1 m thick, 3 m long, 0.6 m high.
TEST(Arch, FallsBelowIt) {
  const ExampleRun run("arch", {{"n", "31"}, {"thickness", "0.1"}, {"duration", "0.5"}});
  EXPECT_GT(run["sink"], 10);
}

}  // namespace
}  // namespace stickslip::testing
