// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The audit against steppers that lie: each wraps a good stepper and spoils the state after every certified step in one
// way. And against good runs, in which it must stay silent.
#include "stickslip/simulation/audit.h"
#include "bench/random_runs.h"
#include "stickslip/collision/feature_collider.h"
#include "stickslip/model/primitives.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

namespace stickslip::simulation {
namespace {

using ::testing::HasSubstr;

enum class Lie { Energy, LittleEnergy, EnergyBitByBit, Sink, Turn, Spin, NotANumber, Far };

template <Lie kLie>
class LyingStepper final : public stepping::Stepper {
 public:
  stepping::StepReport advance(stepping::World& world, double h, double end_time) override {
    if (!good_) {
      stepping::Method method = world.method;
      method.stepper = "stewart-trinkle";
      good_ = stepping::make_stepper(method, world.model);
    }
    const stepping::StepReport report = good_->advance(world, h, end_time);
    model::BodyState& body = world.state.bodies[0];
    if (++steps_ < 20) return report;
    switch (kLie) {
      case Lie::Energy: body.velocity.linear *= 1.01; break;
      case Lie::LittleEnergy: body.velocity.angular.z() += 1e-2; break;    // momentum of translation stays
      case Lie::EnergyBitByBit: body.velocity.angular *= 1 + 2e-6; break;  // 4e-6 of the energy: less than a step may
      case Lie::Sink: body.pose.position.z() = 0.3; break;                 // of a ball of radius 0.5 over z = 0
      case Lie::Turn: body.velocity.linear = Quat(Eigen::AngleAxisd(1e-2, Vec3::UnitZ())) * body.velocity.linear; break;
      case Lie::Spin:  // momentum of translation and energy stay
        body.velocity.angular = Quat(Eigen::AngleAxisd(1e-2, Vec3::UnitZ())) * body.velocity.angular;
        break;
      case Lie::NotANumber: body.velocity.angular.x() = std::numeric_limits<double>::quiet_NaN(); break;
      case Lie::Far: body.pose.position.x() = 1e9; break;
    }
    return report;
  }
  void save(ByteWriter&) const override {}
  void restore(ByteReader&) override {}

 private:
  std::unique_ptr<stepping::Stepper> good_;
  int steps_ = 0;
};

template <Lie kLie>
std::unique_ptr<stepping::Stepper> make_lying() {
  return std::make_unique<LyingStepper<kLie>>();
}

const bool kRegistered = [] {
  stepping::register_stepper({"test-energy", "adds energy"}, make_lying<Lie::Energy>);
  stepping::register_stepper({"test-little-energy", "adds little energy"}, make_lying<Lie::LittleEnergy>);
  stepping::register_stepper({"test-sink", "sinks in"}, make_lying<Lie::Sink>);
  stepping::register_stepper({"test-turn", "turns velocities"}, make_lying<Lie::Turn>);
  stepping::register_stepper({"test-bit-by-bit", "adds energy in small parts"}, make_lying<Lie::EnergyBitByBit>);
  stepping::register_stepper({"test-spin", "turns angular velocities"}, make_lying<Lie::Spin>);
  stepping::register_stepper({"test-nan", "loses a number"}, make_lying<Lie::NotANumber>);
  stepping::register_stepper({"test-far", "loses a body"}, make_lying<Lie::Far>);
  return true;
}();

constexpr const char* kRollingBall = R"(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.5
[[body]]
name = "ball"
mass = 1
shape = { sphere = 0.5 }
position = [0, 0, 0.5]
velocity = [2, 1, 0]
[[body]]
name = "floor"
fixed = true
shape = { half-space = { normal = [0, 0, 1] } }
[[contact]]
between = ["*", "*"]
friction = 0.3
)";

struct Audited {
  scene::Scene scene;
  Simulation run;
  bool finished = false;

  explicit Audited(const std::string& text, const char* stepper = nullptr, bool audit = true)
      : scene(scene::parse_scene(text, "test.toml")), run(scene.model, with(scene.method, stepper, audit)) {
    finished = run.run_until(scene.duration);
  }
  static const stepping::Method& with(stepping::Method& method, const char* stepper, bool audit) {
    if (stepper != nullptr) method.stepper = stepper;
    method.audit = audit ? stepping::Auditing::On : stepping::Auditing::Off;
    return method;
  }
};

void expect_violation(const char* stepper, const char* text) {
  ASSERT_TRUE(kRegistered);
  const Audited lie(kRollingBall, stepper);
  EXPECT_FALSE(lie.finished);
  EXPECT_FALSE(lie.run.audit().passed());
  EXPECT_THAT(lie.run.audit().violation, HasSubstr(text));
  ASSERT_NE(lie.run.failure(), nullptr);
  EXPECT_EQ(lie.run.failure()->reason, lie.run.audit().violation);
  EXPECT_FALSE(lie.run.last_report().certified);
  // Twenty honest steps, and at most one rhythm of looks after them (a look costs some tens of steps here).
  EXPECT_GE(lie.run.audit().violation_time, 0.0199);
  EXPECT_LE(lie.run.audit().violation_time, 0.15);
  const Audited unheard(kRollingBall, stepper, false);
  EXPECT_TRUE(unheard.run.audit().passed());
  EXPECT_FALSE(unheard.run.audit().on);
}

TEST(Audit, EnergyFromNowhere) {
  expect_violation("test-energy", "energy");
}
// The friction of the ball takes more energy than this adds.
TEST(Audit, SpinFromNowhere) {
  expect_violation("test-little-energy", "the angular momentum of ball");
}
TEST(Audit, BodyThatSinksIn) {
  expect_violation("test-sink", "ball and floor overlap by 0.2");
}
TEST(Audit, VelocityThatTurnsWithoutAForce) {
  expect_violation("test-turn", "the momentum of ball");
}
TEST(Audit, SpinThatTurnsWithoutAForce) {
  expect_violation("test-spin", "the angular momentum of ball");
}

// A long box that spins in space: 4e-6 of its energy in every step passes as a step, and 2e-3 in all does not.
TEST(Audit, EnergyBitByBit) {
  ASSERT_TRUE(kRegistered);
  const std::string text = R"(
dimension = 3
duration = 1
[[body]]
name = "box"
mass = 1
shape = { box = [0.3, 0.2, 0.1] }
angular_velocity = [0, 0, 3]
[method]
step = 1e-3
)";
  const Audited lie(text, "test-bit-by-bit");
  EXPECT_FALSE(lie.finished);
  EXPECT_THAT(lie.run.audit().violation, HasSubstr("of energy in all steps together"));
  // (1 + 4e-6)^n = 1 + 2e-3 / (1 - 2e-3) after about 500 of the steps that lie: the sum is held against what was reached.
  EXPECT_NEAR(lie.run.audit().violation_time, 0.02 + 0.5, 5e-3);
  const Audited honest(text, "stewart-trinkle");
  EXPECT_TRUE(honest.finished);
  EXPECT_EQ(honest.run.audit().energy_added, 0);
}

TEST(Audit, StateThatIsNotANumber) {
  expect_violation("test-nan", "the state of ball is not finite");
}
TEST(Audit, BodyFartherAwayThanItCanFly) {
  expect_violation("test-far", "ball is 1e+09 away");
}

TEST(Audit, RollingBallHolds) {
  for (const char* stepper : {"stewart-trinkle", "second-order", "anitescu-potra", "implicit"}) {
    const Audited good(kRollingBall, stepper);
    EXPECT_TRUE(good.finished) << good.run.audit().violation;
    EXPECT_GE(good.run.audit().looks, 5) << stepper;
    EXPECT_GE(good.run.audit().momentum_steps, 5) << stepper;
    EXPECT_EQ(good.run.audit().energy_steps, 500) << stepper;
    EXPECT_LE(good.run.audit().energy_added, 1e-9) << stepper;  // of 2.5 J
  }
}

// A driven plate carries a box along by friction and lifts it: all energy comes through the contact.
TEST(Audit, DriveGivesEnergyThroughContacts) {
  const std::string text = R"toml(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.3
[[body]]
name = "plate"
shape = { box = [2, 2, 0.1] }
position = [0, 0, -0.05]
motion = { velocity = ["3*t", "0", "0.5*sin(20*t)"] }
[[body]]
name = "box"
mass = 2
shape = { box = [0.2, 0.2, 0.2] }
position = [0, 0, 0.1]
[[contact]]
between = ["*", "*"]
friction = 0.8
)toml";
  for (const char* stepper : {"stewart-trinkle", "second-order", "implicit"}) {
    const Audited carried(text, stepper);
    EXPECT_TRUE(carried.finished) << stepper << ": " << carried.run.audit().violation;
    EXPECT_GT(carried.run.state().bodies[1].velocity.linear.x(), 0.5) << stepper;
    EXPECT_LE(carried.run.audit().energy_added, 1e-3 * 2) << stepper;
  }
}

TEST(Audit, ForcesGiveEnergy) {
  std::string text = kRollingBall;
  text.insert(text.find("velocity"), "force = [\"40*cos(30*t)\", \"-5*sin(10*t)\", 0]\n");
  for (const char* stepper : {"stewart-trinkle", "second-order", "implicit"}) {
    const Audited pushed(text, stepper);
    EXPECT_TRUE(pushed.finished) << stepper << ": " << pushed.run.audit().violation;
    EXPECT_LE(pushed.run.audit().energy_added, 1e-6) << stepper;
  }
}

// A ball of radius 0.5 that lands on a spring along the normal.
std::string landing_on_spring(const char* stiffness) {
  std::string text = kRollingBall;
  text.replace(text.find("[0, 0, 0.5]"), 11, "[0, 0, 0.52]");
  return text + "stiffness = " + stiffness + "\n[method]\nstepper = \"stewart-trinkle\"\ncompliance = \"normal\"\n";
}

// It sags by m g / k: 0.1 % of its diameter passes, 2 % and more does not, whatever explains it.
TEST(Audit, SpringsMustBeStiff) {
  const Audited stiff(landing_on_spring("1e6"));
  EXPECT_TRUE(stiff.finished) << stiff.run.audit().violation;
  EXPECT_GE(stiff.run.audit().depth, 9.81 / 1e6 * (1 - 1e-9));
  for (const char* stiffness : {"500", "100"}) {
    const Audited soft(landing_on_spring(stiffness));
    EXPECT_FALSE(soft.finished) << stiffness;
    EXPECT_THAT(soft.run.audit().violation, HasSubstr("too soft"));
  }
}

// What springs give back they have taken before: the energy of every step is judged.
TEST(Audit, EnergyOfSpringsCounts) {
  for (const char* stiffness : {"1e5", "1e6", "1e8"}) {
    const Audited good(landing_on_spring(stiffness));
    EXPECT_TRUE(good.finished) << good.run.audit().violation;
    EXPECT_EQ(good.run.audit().energy_steps, 500);
    EXPECT_EQ(good.run.audit().energy_not_judged, 0);
    EXPECT_LE(good.run.audit().energy_added, 1e-9);  // of 2.7 J
  }
}

// A ball that leaves a spring, and the same ball a little faster than the spring can have made it.
TEST(Audit, SpringsGiveNoMoreThanTheyStored) {
  const scene::Scene scene = scene::parse_scene(landing_on_spring("1e5"), "test.toml");
  for (const bool lies : {false, true}) {
    collision::FeatureCollider collider;
    stepping::World world(scene.model, scene.method, collider);
    const std::unique_ptr<stepping::Stepper> stepper = stepping::make_stepper(scene.method, scene.model);
    Audit audit(world);
    bool holds = true, rebounds = false;
    constexpr double kStep = 1e-4;
    for (int k = 1; holds && k < 1500; ++k) {
      const double begin = world.state.time;
      audit.before_step(world);
      const stepping::StepReport report = stepper->advance(world, kStep, k * kStep);
      double& v = world.state.bodies[0].velocity.linear.z();
      if (v > 0.1 && !world.memory.empty() && world.memory[0].force.z() > 0) {
        rebounds = true;
        if (lies) v += 0.05;
      }
      holds = audit.after_step(world, begin, report);
    }
    EXPECT_TRUE(rebounds);
    EXPECT_EQ(holds, !lies) << audit.summary().violation;
    if (lies) {
      EXPECT_THAT(audit.summary().violation, HasSubstr("energy"));
    }
  }
}

TEST(Audit, NotJudgedIsSaid) {
  std::string text = kRollingBall;
  text += "stiffness = 1e5\ndamping = 10\n";
  const Audited soft(text, "song-pang-kumar");
  EXPECT_TRUE(soft.finished);
  EXPECT_STREQ(soft.run.audit().energy_reason, "compliant contacts store energy");
  EXPECT_EQ(soft.run.audit().energy_steps, 0);
}

TEST(Audit, ResumedRunIsAuditedAsOneThatNeverStopped) {
  const scene::Scene scene = scene::parse_scene(kRollingBall, "test.toml");
  Simulation whole(scene.model, scene.method), first(scene.model, scene.method), second(scene.model, scene.method);
  for (int k = 0; k < 300; ++k) whole.step();
  for (int k = 0; k < 130; ++k) first.step();
  second.restore(first.checkpoint());
  for (int k = 0; k < 170; ++k) second.step();
  EXPECT_EQ(second.audit().looks, whole.audit().looks);
  EXPECT_EQ(second.audit().energy_added, whole.audit().energy_added);
  EXPECT_EQ(second.audit().momentum, whole.audit().momentum);
  EXPECT_EQ(second.audit().energy_steps, 300);
}

// What bench_random_runs counts, on a few: nothing gets outside, and the oracle sees no overlap that a run went on
// with.
TEST(RandomRuns, NothingGetsOutsideOrOverlaps) {
  for (std::uint64_t seed = 100001; seed < 100041; ++seed) {
    const bench::RandomRun run = bench::run_random(seed, true);
    EXPECT_FALSE(run.outside) << "bench_random_runs --write " << seed;
    EXPECT_FALSE(run.overlap) << "bench_random_runs --write " << seed;
  }
}

// A plate hangs at rest beside a floor, without gravity, and is hit at one end by a ball: it turns within that step, and its
// other end comes to the floor, which was out of its reach at the velocities of the start. Plates and balls of any mass
// and speed, up to 30 % of the plate's thickness per step.
bench::RandomScene plate_that_is_hit(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  bench::RandomScene scene;
  const bool space = random() % 2 == 0;
  scene.dimension = space ? 3 : 2;
  scene.bounded = false;
  const double width = number(0.3, 1), thick = number(0.05, 0.3), radius = number(0.05, 0.3), speed = number(2, 20);
  const double h = 0.01 * thick * std::pow(10.0, number(0.3, 1.5)) / speed, gap = h * speed * number(0.001, 0.5);
  const double at = number(-0.45, 0.45) * width, fall = h * speed * number(0.1, 3), tilt = number(-0.2, 0.2);
  const double middle = 0.5 * width * std::abs(std::sin(tilt)) + 0.5 * thick * std::cos(tilt) + gap;
  const double above = middle + at * std::tan(tilt) + (0.5 * thick + radius) / std::cos(tilt) + fall;
  const double aside = number(-0.1, 0.1), depth = number(0.3, 1);
  const std::string floor = space ? "[40, 40, 1]" : "[40, 1]", none = space ? "0, 0, " : "0, ";
  scene.text = fmt::format(R"toml(
dimension = {}
duration = {:.8g}
gravity = [{}0]
[method]
step = {:.8g}
[[body]]
name = "floor"
fixed = true
shape = {{ box = {} }}
position = [{}-0.5]
)toml",
                           scene.dimension, 12 * h, none, h, floor, none);
  scene.text += fmt::format("[[body]]\nname = \"plate\"\nmass = {:.4g}\n", std::pow(10.0, number(-1, 1)));
  scene.text += space ? fmt::format(
                            "shape = {{ box = [{:.6g}, {:.6g}, {:.6g}] }}\nposition = [0, 0, {:.8g}]\n"
                            "orientation = {{ axis = [0, -1, 0], angle = {:.6g} }}\n",
                            width, depth, thick, middle, tilt)
                      : fmt::format("shape = {{ box = [{:.6g}, {:.6g}] }}\nposition = [0, {:.8g}]\nangle = {:.6g}\n",
                                    width, thick, middle, tilt);
  scene.text += fmt::format("[[body]]\nname = \"ball\"\nmass = {:.4g}\nvelocity = [{}{:.6g}]\n",
                            std::pow(10.0, number(-1, 1)), none, -speed);
  scene.text += space ? fmt::format("shape = {{ sphere = {:.6g} }}\nposition = [{:.8g}, {:.8g}, {:.8g}]\n", radius, at,
                                    aside, above)
                      : fmt::format("shape = {{ disc = {:.6g} }}\nposition = [{:.8g}, {:.8g}]\n", radius, at, above);
  scene.text += fmt::format("[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = {:.4g}\nrestitution = {:.4g}\n",
                            number(0, 1), random() % 2 == 0 ? 0.0 : number(0, 1));
  return scene;
}

TEST(RandomRuns, BodiesThatAnImpactTurnsDoNotSinkIn) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar", "second-order"}) {
    int touched = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const bench::RandomRun run = bench::run_random(plate_that_is_hit(seed), true, stepper);
      touched += run.touched ? 1 : 0;
      EXPECT_FALSE(run.overlap) << stepper << ", seed " << seed << ": " << run.depth << " of the thickness too deep";
      EXPECT_FALSE(run.outside) << stepper << ", seed " << seed;
      // Velocity level: a contact that closes within its tolerance may be seen a step late, and then ends the run.
      if (std::string_view(stepper) != "anitescu-potra") {
        EXPECT_EQ(run.refused, "") << stepper << ", seed " << seed;
      }
    }
    EXPECT_GE(touched, 55) << stepper;
  }
  // 8015495: a soft disc comes back from a wall within the step, to what follows it.
  for (const std::uint64_t seed : {6000920, 6001910, 6009049, 7000196, 8010284, 8015495}) {
    const bench::RandomRun run = bench::run_random(seed, true);
    EXPECT_FALSE(run.overlap) << "bench_random_runs --write " << seed;
    EXPECT_FALSE(run.gained()) << "bench_random_runs --write " << seed;
    EXPECT_EQ(run.refused, "") << "bench_random_runs --write " << seed;
  }
}

// A random scene of an earlier kind, kept because it showed a defect. Steps to its end.
bench::RandomScene kept_scene(const std::string& name) {
  std::ifstream in(std::string(tests::kSourceFolder) + "/tests/defects/" + name + ".toml");
  EXPECT_TRUE(in.good()) << name;
  bench::RandomScene scene;
  scene.text.assign(std::istreambuf_iterator<char>(in), {});
  scene.dimension = scene.text.starts_with("dimension = 2") ? 2 : 3;
  scene.bounded = false;
  return scene;
}
bench::RandomRun kept_run(const std::string& name, const std::string& stepper) {
  return bench::run_random(kept_scene(name), true, stepper);
}

// Scenes in which second order gained energy or was ended by the audit: superellipsoids whose contact runs over a flat
// side, cylinders on their rims, a stack that rattles at first order, a cylinder whose normal turns fast; 208: one that is
// squeezed between a wall and a heavier box, into which first-order parts let it sink.
TEST(RandomRuns, SecondOrderGainsNoEnergyWhereItDid) {
  for (const int seed : {43, 73, 79, 103, 132, 208, 210, 252, 265, 414, 425}) {
    const bench::RandomRun run = kept_run("random_" + std::to_string(seed), "second-order");
    EXPECT_GT(run.steps, 10) << seed;
    EXPECT_FALSE(run.gained()) << seed << ": " << run.gain;
    EXPECT_EQ(run.refused, "") << seed;
  }
}

// A box that spins on a corner when it lands: rows of the end of the step gained 2e-5 of the energy at the start.
TEST(RandomRuns, ImplicitGainsNoEnergyWhereItDid) {
  const bench::RandomRun run = kept_run("random_5053", "implicit");
  EXPECT_GT(run.steps, 10);
  EXPECT_FALSE(run.gained()) << run.gain;
  EXPECT_EQ(run.refused, "");
}

// A compliant polyhedron that falls into the foot of a ramp: where the ramp hides the floor it was taken for 20 m deep
// behind the floor's side, and left with 1.6e5 times the energy of the start.
TEST(RandomRuns, CompliantDropAtTheFootOfARampGainsNoEnergy) {
  bench::RandomScene scene = kept_scene("random_4000366");
  scene.compliant = true;
  scene.stepper = bench::kRungeKutta;
  const bench::RandomRun run = bench::run_random(scene, true);
  EXPECT_GT(run.steps, 100);
  EXPECT_TRUE(run.touched);
  EXPECT_FALSE(run.gained()) << run.gain;
  EXPECT_EQ(run.refused, "");
}

// Random runs that were ended for nothing. Soft cylinders that stand on each other: the lowest point of a rim jumps around it
// (9000845 to 9004499). Angular velocities of 1e-16 without an impulse (9002280, 9014661, 9060977). The work of parting what
// located impacts leave in a stack that hardly moves (9013263, 9053226, 9059164). And a disc under the leg of an L, which
// was taken for an overlap with the other side of the leg, until the step was solved in one part and gained 618 J (9003151).
TEST(RandomRuns, NothingEndsSoundRuns) {
  for (const std::uint64_t seed :
       {9000845, 9001773, 9003900, 9004499, 9002280, 9014661, 9060977, 9013263, 9053226, 9059164, 9003151}) {
    const bench::RandomRun run = bench::run_random(seed, true);
    EXPECT_EQ(run.refused, "") << "bench_random_runs --write " << seed;
    EXPECT_FALSE(run.wrong()) << "bench_random_runs --write " << seed;
    EXPECT_TRUE(run.touched) << seed;
  }
}

// What a fast step leaves parts slowly (9051051, 9052723); what falls past the end of the floor has not gone through it.
TEST(RandomRuns, TheJudgeKnowsSlowPartingAndTheEndOfTheFloor) {
  for (const std::uint64_t seed : {9051051, 9052723, 9073562}) {
    const bench::RandomRun run = bench::run_random(seed, true);
    EXPECT_FALSE(run.wrong()) << "bench_random_runs --write " << seed;
  }
}

// A soft ball that is a tenth faster than at the start: 4 % more energy than there was. A hundredth is let pass.
TEST(Audit, SoftContactsThatGiveEnergyAreFound) {
  for (const char* stepper : {"song-pang-kumar", "runge-kutta"})
    for (const bool lies : {false, true}) {
      const scene::Scene scene = scene::parse_scene(std::string(kRollingBall) + "stiffness = 1e4\ndamping = 1\n",
                                                    "ball.toml", {{"method.stepper", stepper}});
      collision::FeatureCollider collider;
      stepping::World world(scene.model, scene.method, collider);
      Audit audit(world);
      EXPECT_TRUE(audit.look(world, scene.method.step)) << stepper;
      world.state.bodies[0].velocity.linear.y() += lies ? 0.1 : 0.01;
      EXPECT_EQ(audit.look(world, scene.method.step), !lies) << stepper << audit.summary().violation;
    }
}

// More of them, and nothing gains energy either.
TEST(RandomRunsSlow, NothingGetsOutsideOverlapsOrGainsEnergy) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const bench::RandomRun run = bench::run_random(seed, true);
    EXPECT_FALSE(run.outside) << "bench_random_runs --write " << seed;
    EXPECT_FALSE(run.overlap) << "bench_random_runs --write " << seed;
    EXPECT_FALSE(run.gained()) << "bench_random_runs --write " << seed << ": " << run.gain;
  }
}

}  // namespace
}  // namespace stickslip::simulation
