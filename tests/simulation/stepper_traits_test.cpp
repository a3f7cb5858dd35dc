// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a stepper declares of itself (stepping/stepper_traits.h) is what it does, and a stepper that the project does not
// know is treated by its declaration: by the audit, by objections and where a step is not certified.
#include "stickslip/stepping/stepper_traits.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stickslip::simulation {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kMass = 2, kGravity = 9.81, kStiffness = 1e4;

scene::Scene ball_on_elastic_floor(const std::string& stepper) {
  return scene::parse_scene(
      "dimension = 3\ngravity = [0, 0, -9.81]\nduration = 1\n[method]\nstep = 1e-3\nstepper = \"" + stepper + R"("
[[body]]
name = "ball"
mass = 2
shape = { sphere = 0.5 }
position = [0, 0, 0.5]
[[body]]
name = "floor"
fixed = true
shape = { half-space = { normal = [0, 0, 1] } }
[[contact]]
between = ["*", "*"]
friction = 0.3
stiffness = 1e4
damping = 200
)",
      "test.toml");
}

// Takes its steps from another stepper; from t = 0.5 on their residual is one that only certificate_at_worst allows.
class Borrowed final : public stepping::Stepper {
 public:
  stepping::StepReport advance(stepping::World& world, double h, double end_time) override {
    if (!good_) {
      stepping::Method method = world.method;
      method.stepper = "stewart-trinkle";
      good_ = stepping::make_stepper(method, world.model);
    }
    if (world.state.time >= 0.5 && world.method.certificate < kResidual) {
      stepping::StepReport report;
      report.certified = false;
      report.residual = kResidual;
      return report;
    }
    stepping::StepReport report = good_->advance(world, h, end_time);
    if (world.state.time > 0.5) report.residual = kResidual;
    return report;
  }
  void save(ByteWriter&) const override {}
  void restore(ByteReader&) override {}

 private:
  static constexpr double kResidual = 1e-8;  // between certificate (1e-9) and certificate_at_worst (1e-6)
  std::unique_ptr<stepping::Stepper> good_;
};

std::unique_ptr<stepping::Stepper> make_borrowed() {
  return std::make_unique<Borrowed>();
}

const bool kRegistered = [] {
  stepping::register_stepper({"test-plain", "first order"}, make_borrowed);
  stepping::register_stepper({"test-traits", "declares what differs"}, make_borrowed,
                             {.order = 3,
                              .compliant = true,
                              .locates_events = true,
                              .certified_forces = false,
                              .objection = [](const stepping::Method& method, const model::Model&) -> std::string {
                                return method.step > 0.1 ? "test-traits takes short steps" : "";
                              }});
  return true;
}();

// A ball at rest presses an elastic floor in by m g / K; on a rigid one it stays where it is.
TEST(StepperTraits, CompliantSteppersSinkByWeightOverStiffness) {
  for (const complementarity::AlgorithmInfo& info : stepping::steppers()) {
    if (std::string_view(info.name).starts_with("test-") || std::string_view(info.name) == "short-steps") continue;
    SCOPED_TRACE(info.name);
    const scene::Scene scene = ball_on_elastic_floor(info.name);
    Simulation run(scene.model, scene.method);
    ASSERT_TRUE(run.run_until(scene.duration));
    const double depth = 0.5 - run.state().bodies[0].pose.position.z();
    // Settled: exp(-C t / 2 m) = 2e-22 at the end. What is left are certificates of 1e-9 and a step of first order.
    const double expected = stepping::traits_of(info.name).compliant ? kMass * kGravity / kStiffness : 0;
    EXPECT_NEAR(depth, expected, 1e-4 * kMass * kGravity / kStiffness);
  }
}

TEST(StepperTraits, AuditJudgesEnergyByWhatTheStepperDeclares) {
  ASSERT_TRUE(kRegistered);
  scene::Scene scene = ball_on_elastic_floor("test-traits");
  Simulation compliant(scene.model, scene.method);
  EXPECT_STREQ(compliant.audit().energy_reason, "compliant contacts store energy");
  scene = ball_on_elastic_floor("test-plain");
  Simulation rigid(scene.model, scene.method);
  EXPECT_STREQ(rigid.audit().energy_reason, "");
}

TEST(StepperTraits, ObjectionsFollowTheDeclaration) {
  const scene::Scene scene = ball_on_elastic_floor("test-traits");
  stepping::Method method = scene.method;
  EXPECT_THAT(stepping::objection_to(method, scene.model), IsEmpty());
  EXPECT_EQ(stepping::order_of("test-traits"), 3);
  EXPECT_EQ(stepping::order_of("test-plain"), 1);
  method.step = 0.2;
  EXPECT_EQ(stepping::objection_to(method, scene.model), "test-traits takes short steps");
  method = scene.method;
  method.impacts = stepping::ImpactSearch::BackUp;
  EXPECT_THAT(stepping::objection_to(method, scene.model), HasSubstr("locates every impact itself"));
  method.stepper = "test-plain";
  EXPECT_THAT(stepping::objection_to(method, scene.model), IsEmpty());
  method = scene.method;
  method.gamma = 1e-8;
  EXPECT_THAT(stepping::objection_to(method, scene.model), HasSubstr("gamma rounds the friction cone"));
}

// A stiff contact along the normal is a choice of one stepper; others, compliant ones too, refuse it.
TEST(StepperTraits, SoftNormalsAreRefusedByAllOthers) {
  for (const complementarity::AlgorithmInfo& info : stepping::steppers()) {
    const scene::Scene scene = ball_on_elastic_floor("stewart-trinkle");
    stepping::Method method = scene.method;
    method.stepper = info.name;
    method.compliance = stepping::SoftContacts::Normal;
    EXPECT_EQ(stepping::objection_to(method, scene.model).empty(), method.stepper == "stewart-trinkle") << info.name;
  }
}

TEST(StepperTraits, OnlyCertifiedForcesAreTakenAtTheWorstCertificate) {
  scene::Scene scene = ball_on_elastic_floor("test-plain");
  ASSERT_GT(scene.method.certificate_at_worst, 1e-8);
  ASSERT_LT(scene.method.certificate, 1e-8);
  Simulation plain(scene.model, scene.method);
  EXPECT_TRUE(plain.run_until(0.6));
  EXPECT_GT(plain.counters().at_worst, 0);
  scene = ball_on_elastic_floor("test-traits");
  Simulation lawful(scene.model, scene.method);
  EXPECT_FALSE(lawful.run_until(0.6));
  EXPECT_EQ(lawful.counters().at_worst, 0);
  EXPECT_NEAR(lawful.time(), 0.5, 2e-3);
}

}  // namespace
}  // namespace stickslip::simulation
