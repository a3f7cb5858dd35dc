// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Steps that are not certified as a whole are taken in parts, and differentiated part by part: the tangents are those of
// the run as it was, by central differences of the same run.
#include "stickslip/sensitivity/run_sensitivity.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/stewart_trinkle.h"
#include "tests/support/example_run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::sensitivity {
namespace {

constexpr double kStep = 0.01;

// stewart-trinkle, but a part that begins in the first half of a step may have half its length, one in the second half
// a thirty-second. Simulation halves three times at first, so that a first half is taken back in every step.
class HardToPlease final : public stepping::Stepper {
 public:
  stepping::StepReport advance(stepping::World& world, double h, double end_time) override {
    const double place = world.state.time / kStep - std::floor(world.state.time / kStep + 1e-6);
    if (h > kStep * (place < 0.49 ? 0.51 : 0.04)) {
      stepping::StepReport report;
      report.certified = false;
      report.residual = 1e-7;
      return report;
    }
    return inner_.advance(world, h, end_time);
  }
  void save(ByteWriter& out) const override { inner_.save(out); }
  void restore(ByteReader& in) override { inner_.restore(in); }

 private:
  stepping::StewartTrinkle inner_;
};

model::State end_of(const scene::Scene& scene, const stepping::Method& method, const model::State& start) {
  simulation::Simulation run(scene.model, method);
  run.set_state(start);
  EXPECT_TRUE(run.run_until(0.305));
  EXPECT_EQ(run.counters().sub_steps, 30 * 17 + 1);  // a last step that is no part
  return run.state();
}

TEST(RunSensitivityInParts, IsTheDerivativeOfTheRunAsItWas) {
  stepping::register_stepper({"test-hard-to-please", "for this test"},
                             []() -> std::unique_ptr<stepping::Stepper> { return std::make_unique<HardToPlease>(); });
  const scene::Scene scene = testing::load_example("ball");
  stepping::Method method = scene.method;
  method.stepper = "test-hard-to-please";
  method.step = kStep;
  const model::State start = model::initial_state(scene.model);
  const Eigen::Index body = kBodyTangent;  // the ball, after the floor
  std::vector<Direction> directions;
  for (const int component : {kLinear, kLinear + 1, kAngular, kAngular + 1}) {
    directions.emplace_back().start.setZero(2 * kBodyTangent);
    directions.back().start[body + component] = 1;
  }
  for (const RunSensitivity::Of what : {RunSensitivity::Of::Motion, RunSensitivity::Of::MotionAndForces}) {
    simulation::Simulation run(scene.model, method);
    RunSensitivity sensitivity(run);
    sensitivity.begin(directions, what);
    ASSERT_TRUE(run.run_until(0.305));
    ASSERT_TRUE(sensitivity.tangents_known()) << sensitivity.why_unknown();
    EXPECT_LE(sensitivity.worst_balance(), 1e-9);
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const double amount = 1e-5;
      model::State low, high;
      move_along(start, directions[k].start, -amount, low);
      move_along(start, directions[k].start, amount, high);
      const Eigen::Matrix<double, kBodyTangent, 1> difference_of_ends =
          difference(end_of(scene, method, low).bodies[1], end_of(scene, method, high).bodies[1]) / (2 * amount);
      const auto tangent = sensitivity.tangents().col(static_cast<Eigen::Index>(k)).segment<kBodyTangent>(body);
      EXPECT_LE((tangent - difference_of_ends).cwiseAbs().maxCoeff(), 1e-7 * tangent.norm()) << k;
      EXPECT_GT(tangent.norm(), 0.1);
    }
  }
}

}  // namespace
}  // namespace stickslip::sensitivity
