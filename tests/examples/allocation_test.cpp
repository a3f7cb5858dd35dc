// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A step of an example takes no memory once its contacts have settled, with either stepper and friction law.
#include "tests/support/allocation_counter.h"
#include "tests/support/example_run.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

struct Settled {
  const char* example;
  double after;
  Settings settings;
};

void expect_no_allocation(const Settled& c, const char* stepper, Settings more = {}) {
  more.insert(more.end(), c.settings.begin(), c.settings.end());
  const scene::Scene scene = load_example(c.example, with(stepper, "", more));
  simulation::Simulation simulation(scene.model, scene.method);
  ASSERT_TRUE(simulation.run_until(c.after)) << c.example;
  const long before = tests::allocations();
  bool certified = true;
  for (int k = 0; k < 200; ++k) certified &= simulation.step().certified;
  EXPECT_EQ(tests::allocations(), before) << c.example << ", " << stepper;
  EXPECT_TRUE(certified) << c.example;
}

TEST(Allocation, NoneInStepsOfTheExamples) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "allocations are not counted under sanitizers";
  const Settled settled[] = {{"ball", 0.1, {}},         {"incline", 0.1, {}},  {"pinch", 0.1, {}},
                             {"meter-stick", 3.0, {}},  {"plate-2d", 0.5, {}}, {"plate-particle", 0.5, {}},
                             {"plate-tripod", 0.5, {}}, {"stack", 0.1, {}},    {"peg", 0.9, {}}};
  for (const Settled& c : settled)
    for (const char* stepper : {kFirstOrder, kSecondOrder}) expect_no_allocation(c, stepper);
  expect_no_allocation({"pile", 1.5, {{"n", "10"}}}, kFirstOrder);
}

TEST(Allocation, NoneInStepsOfTheOtherModels) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "allocations are not counted under sanitizers";
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit"}) {
    expect_no_allocation({"needle-push", 2, {}}, stepper);
    expect_no_allocation({"slide-to-rest", 0.1, {}}, stepper);
    expect_no_allocation({"incline", 0.1, {}}, stepper);
  }
  expect_no_allocation({"slide-to-rest", 0.1, {}}, kSecondOrder);
  expect_no_allocation({"ball", 0.1, {}}, "song-pang-kumar");
  expect_no_allocation({"peg", 0.9, {}}, "song-pang-kumar", {{"method.step", "2e-4"}});
}

TEST(Allocation, NoneInStepsWithPyramids) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "allocations are not counted under sanitizers";
  for (const char* example : {"ball", "plate-tripod"})
    expect_no_allocation({example, 0.1, {}}, kFirstOrder,
                         {{"method.friction", "pyramid"}, {"method.directions", "16"}});
}

}  // namespace
}  // namespace stickslip::testing
