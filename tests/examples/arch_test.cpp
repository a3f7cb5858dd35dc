// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Milankovitch 1907: a semicircular arch without mortar stands if its thickness is above 0.1075 of the mean radius.
#include "tests/support/example_run.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

// Some 4 kN at each foot. What is shared is the same whatever the stepper and the step, and mirror feet bear the same.
TEST(Arch, MirrorFeetBearTheSameUnderAllSteppersAndSteps) {
  std::vector<std::pair<double, double>> first;
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "second-order"})
    for (const char* step : {"1e-3", "2e-4"}) {
      const ExampleRun run("arch", {{"duration", "0.005"}, {"method.stepper", stepper}, {"method.step", step}});
      std::vector<std::pair<double, double>> feet;  // by |x|: upward force
      for (const contact::ContactResult& one : run.simulation().contacts())
        if (one.contact.id.body_a == 0 && one.contact.gap < 1e-6)
          feet.emplace_back(one.contact.point_a.x(), std::fabs(one.force.y()));
      std::ranges::sort(feet);
      ASSERT_EQ(feet.size(), 4);
      EXPECT_NEAR(feet[0].second, feet[3].second, 1e-6) << stepper << ' ' << step;
      EXPECT_NEAR(feet[1].second, feet[2].second, 1e-6) << stepper << ' ' << step;
      if (first.empty()) first = feet;
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(feet[k].second, first[k].second, 1e-5) << stepper << ' ' << step;
    }
}

}  // namespace
}  // namespace stickslip::testing
