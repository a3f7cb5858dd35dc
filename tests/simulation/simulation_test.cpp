// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#define STICKSLIP_COUNT_ALLOCATIONS
#include "tests/support/allocation_counter.h"
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

// Many boxes, each an island of its own on one floor, some sliding, some at rest.
model::Model many_boxes(int count) {
  model::Model model = incline(0.3, 0.35);
  const model::Body box = model.bodies[0], floor_body = model.bodies[1];
  const Vec3 n = std::get<model::HalfSpace>(floor_body.shapes[0].shape).normal;
  model.bodies.clear();
  for (int k = 0; k < count; ++k) {
    model.bodies.push_back(box);
    model.bodies.back().name = "box" + std::to_string(k);
    model.bodies.back().initial.pose.position += Vec3(0, k, 0) + 0.001 * k * n;
    model.bodies.back().initial.velocity.linear = Vec3(0, 0.01 * k, 0);
    model.bodies.back().initial.velocity.angular = 0.1 * k * n;
  }
  model.bodies.push_back(floor_body);
  same_surface_everywhere(model, friction(0.35));
  return model;
}

TEST(Simulation, SameBitsForAnyNumberOfThreads) {
  for (const char* stepper : {kFirstOrder, kSecondOrder}) {
    std::string reference;
    for (int threads : {1, 2, 4}) {
      stepping::Method how = method(stepper, 1e-3);
      how.threads = threads;
      Experiment run(many_boxes(20), how);
      ASSERT_TRUE(run.simulation.run_until(0.2));
      if (reference.empty()) reference = bits(run.simulation.state());
      EXPECT_EQ(bits(run.simulation.state()), reference) << stepper << ", threads " << threads;
    }
  }
}

TEST(Simulation, ResumesWithTheSameBits) {
  const PlateMotion circle{{0, 0, 800, 0, 0, 100}, {0, 0, 1.5 * std::numbers::pi, 0, 0, 0}};
  for (const char* stepper : {kFirstOrder, kSecondOrder}) {
    Experiment whole(plate_particle(circle, 4, 0), method(stepper, 1e-4));
    ASSERT_TRUE(whole.simulation.run_until(0.3));
    // Cut at odd moments: while sticking, sliding and in between.
    for (double cut : {0.0123, 0.1051, 0.2777}) {
      Experiment first(plate_particle(circle, 4, 0), method(stepper, 1e-4));
      ASSERT_TRUE(first.simulation.run_until(cut));
      Experiment second(plate_particle(circle, 4, 0), method(stepper, 1e-4));
      second.simulation.restore(first.simulation.checkpoint());
      ASSERT_TRUE(second.simulation.run_until(0.3));
      EXPECT_EQ(bits(second.simulation.state()), bits(whole.simulation.state())) << stepper << " cut at " << cut;
      EXPECT_EQ(second.simulation.checkpoint(), whole.simulation.checkpoint()) << stepper << " cut at " << cut;
    }
  }
}

TEST(Simulation, RefusesCheckpointsOfSomethingElse) {
  Experiment a(ball(), method(kFirstOrder, 1e-3));
  const std::string bytes = a.simulation.checkpoint();
  Experiment other_stepper(ball(), method(kSecondOrder, 1e-3));
  EXPECT_THROW(other_stepper.simulation.restore(bytes), std::runtime_error);
  Experiment other_model(pinch(20, 1), method(kFirstOrder, 1e-3));
  EXPECT_THROW(other_model.simulation.restore(bytes), std::runtime_error);
  EXPECT_THROW(a.simulation.restore(bytes.substr(0, bytes.size() - 3)), std::runtime_error);
  EXPECT_THROW(a.simulation.restore("nonsense"), std::runtime_error);
}

TEST(Simulation, StepsDoNotAllocateOnceContactsHaveSettled) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "allocations are not counted under sanitizers";
  for (const char* stepper : {kFirstOrder, kSecondOrder})
    for (int scene = 0; scene < 4; ++scene) {
      model::Model model = scene == 0   ? ball()
                           : scene == 1 ? incline(0.5, 0.6)
                           : scene == 2 ? meter_stick(0.1, 0.4, 0.3)
                                        : many_boxes(5);
      Experiment run(std::move(model), method(stepper, 1e-3));
      ASSERT_TRUE(run.simulation.run_until(0.9));
      const long before = tests::allocations();
      for (int k = 0; k < 50; ++k) (void)run.simulation.step();
      EXPECT_EQ(tests::allocations(), before) << stepper << ", scene " << scene;
    }
}

TEST(Simulation, ReportsOverlapsAndMovesBodiesApart) {
  model::Model model = incline(0.0, 0.5);
  model.bodies[0].initial.pose.position.z() = 0.07;  // half height 0.1
  Experiment run(model, method(kFirstOrder, 1e-3));
  const auto found = run.simulation.overlaps();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].body_a, "box");
  EXPECT_EQ(found[0].body_b, "floor");
  EXPECT_NEAR(found[0].depth, 0.03, 1e-15);
  ASSERT_TRUE(run.simulation.resolve_overlaps());
  EXPECT_TRUE(run.simulation.overlaps().empty());
  EXPECT_NEAR(run.body(0).pose.position.z(), 0.1, 1e-8);
  EXPECT_EQ(run.body(0).velocity.linear.norm(), 0);
  ASSERT_TRUE(run.simulation.run_until(0.1));
  EXPECT_NEAR(run.body(0).pose.position.z(), 0.1, 1e-7);  // nothing was shot out
}

TEST(Simulation, TimelineTellsWhoSlidAndWhen) {
  for (const char* stepper : {kFirstOrder, kSecondOrder}) {
    Experiment run(ball(), method(stepper, 1e-3));
    ASSERT_TRUE(run.simulation.run_until(1));
    const auto finished = run.simulation.timeline().finished();
    const auto current = run.simulation.timeline().current();
    ASSERT_EQ(finished.size(), 1u) << stepper;
    EXPECT_EQ(finished[0].mode, contact::Mode::Slide);
    EXPECT_EQ(finished[0].begin, 0);
    EXPECT_NEAR(finished[0].end, 0.466700017306, stepper == std::string(kFirstOrder) ? 1e-3 : 1e-9);
    ASSERT_EQ(current.size(), 1u);
    EXPECT_EQ(current[0].mode, contact::Mode::Roll);
  }
}

TEST(Simulation, ContactsCarryForceAndGeometryOfTheEnd) {
  Experiment run(incline(0.5, 0.6), method(kFirstOrder, 1e-3));
  ASSERT_TRUE(run.simulation.run_until(0.01));
  Vec3 force = Vec3::Zero();
  for (const auto& c : run.simulation.contacts()) {
    force += c.force;
    if (c.mode != contact::Mode::Open) {
      EXPECT_LT(std::fabs(c.contact.gap), 1e-15);
    }
  }
  EXPECT_LT((force + run.model.gravity).norm(), 1e-10);  // they carry the weight of 1 kg
}

TEST(Simulation, EndsAtTheTimeAskedForEvenBetweenSteps) {
  Experiment run(ball(), method(kFirstOrder, 1e-2));
  ASSERT_TRUE(run.simulation.run_until(0.1234));
  EXPECT_EQ(run.simulation.time(), 0.1234);
  ASSERT_TRUE(run.simulation.run_until(0.2));
  EXPECT_NEAR(run.simulation.time(), 0.2, 1e-15);
}

// A step far beyond the run is one of its length, not none.
TEST(Simulation, StepsLongerThanTheRunAreCutToIt) {
  Experiment run(ball(), method(kFirstOrder, 1e9));
  ASSERT_TRUE(run.simulation.run_until(0.25));
  EXPECT_EQ(run.simulation.counters().steps, 1);
  EXPECT_EQ(run.simulation.time(), 0.25);
}

TEST(Simulation, UnknownNamesAreRefused) {
  const model::Model model = ball();
  stepping::Method how = method("no-such-stepper", 1e-3);
  EXPECT_THROW(simulation::Simulation(model, how), std::invalid_argument);
  how = method(kFirstOrder, 0);
  EXPECT_THROW(simulation::Simulation(model, how), std::invalid_argument);
  how = method(kFirstOrder, 1e-3);
  how.collider = "no-such-collider";
  EXPECT_THROW(simulation::Simulation(model, how), std::invalid_argument);
}

// A stepper that can do short steps only: what a solver is that fails on a hard problem.
class ShortSteps final : public stepping::Stepper {
 public:
  static inline double longest = 0;
  stepping::StepReport advance(stepping::World& world, double h, double end_time) override {
    stepping::StepReport report;
    report.solves = 1;
    report.certified = h <= longest;
    if (!report.certified) return report;
    for (model::BodyState& body : world.state.bodies) body.pose.position.x() += h;
    world.state.time = end_time;
    return report;
  }
  void save(ByteWriter&) const override {}
  void restore(ByteReader&) override {}
};

TEST(Simulation, AStepThatIsNotCertifiedIsDoneInParts) {
  stepping::register_stepper({"short-steps", "for this test"},
                             []() -> std::unique_ptr<stepping::Stepper> { return std::make_unique<ShortSteps>(); });
  const model::Model model = ball();
  for (const int parts : {1, 2, 4, 8}) {
    ShortSteps::longest = 1e-3 / parts * 1.01;
    stepping::Method how = method("short-steps", 1e-3);
    how.audit = stepping::Auditing::Off;  // this stepper moves bodies without forces
    Experiment run(model, how);
    ASSERT_TRUE(run.simulation.run_until(0.01)) << parts;
    EXPECT_EQ(run.simulation.time(), 0.01);
    EXPECT_NEAR(run.body(0).pose.position.x(), 0.01, 1e-15);
    EXPECT_EQ(run.simulation.counters().steps, 10);
    EXPECT_EQ(run.simulation.counters().sub_steps, 10 * parts);
    EXPECT_EQ(run.simulation.counters().fallbacks, parts == 1 ? 0 : 10);
  }
  ShortSteps::longest = 1e-3 / 16;
  stepping::Method strict = method("short-steps", 1e-3);
  strict.certificate_at_worst = 0;
  Experiment run(model, strict);
  EXPECT_FALSE(run.simulation.run_until(0.01));
  EXPECT_EQ(run.simulation.time(), 0);
  EXPECT_EQ(run.body(0).pose.position.x(), 0);
}

// A wedge that is driven into a slot narrower than itself: no solution exists, so the run must stop and say where.
TEST(Simulation, StopsWithTheProblemWhenAStepCannotBeSolved) {
  model::Model model = pinch(20, 1);
  for (int k : {1, 2}) {  // jaws that are prescribed to close through the box
    model::Body& jaw = model.bodies[static_cast<std::size_t>(k)];
    const double side = k == 1 ? -1 : 1;
    jaw.forces.clear();
    jaw.drive.translation[0] = [side](double t) { return model::TimeJet{side * (0.05 - 0.1 * t), -side * 0.1, 0}; };
  }
  for (const char* stepper : {kFirstOrder, kSecondOrder}) {
    Experiment run(model, method(stepper, 1e-3));
    EXPECT_FALSE(run.simulation.run_until(0.1));
    const stepping::StepFailure* failure = run.simulation.failure();
    ASSERT_NE(failure, nullptr) << stepper;
    EXPECT_EQ(failure->contacts.size(), 8u);
    EXPECT_EQ(failure->problem.contacts(), 8);
    EXPECT_EQ(complementarity::validate(failure->problem), "");
    EXPECT_GT(failure->residual, run.how.tolerance);
    const std::string state = bits(run.simulation.state());
    EXPECT_FALSE(run.simulation.step().certified);  // stays where it was
    EXPECT_EQ(bits(run.simulation.state()), state);
  }
}

}  // namespace
}  // namespace stickslip::testing
