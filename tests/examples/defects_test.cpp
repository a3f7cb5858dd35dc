// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Scenes of tests/defects that once ran certified and wrong: what each must give, from closed forms and event-driven
// programs. One row per run. Refusals and verbs are in tests/cli/defects_test.cpp, second order's own rows in
// second_order_defects_test.cpp, checkpoints and recordings in tests/cli/files_test.cpp.
#include "stickslip/runs/run.h"
#include "tests/support/example_run.h"
#include "tests/support/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace stickslip::testing {
namespace {

struct Expected {
  const char* observable;
  double value, tolerance;
};
struct Row {
  const char* file;
  Settings settings;
  std::vector<Expected> expected;
};

std::string path_of(const std::string& file) {
  return std::string(tests::kSourceFolder) + "/tests/defects/" + file + ".toml";
}

// As `stickslip run` runs it.
class Defect {
 public:
  Defect(const std::string& file, const Settings& settings)
      : scene_(scene::load_scene(path_of(file), settings)), run_(scene_) {
    EXPECT_EQ(run_.objection_to_start(), "");
    run_.begin();
    EXPECT_EQ(run_.finish(), runs::RunEnd::Finished) << file << " at t = " << run_.time() << ": " << run_.failure();
    const std::vector<double> values = run_.observables();
    for (std::size_t k = 0; k < values.size(); ++k) values_[scene_.observables[k].name] = values[k];
  }
  [[nodiscard]] double operator[](const std::string& observable) const { return values_.at(observable); }
  [[nodiscard]] const runs::Run& run() const { return run_; }

 private:
  scene::Scene scene_;
  runs::Run run_;
  std::map<std::string, double> values_;
};

void expect(const Row& row) {
  std::string what = row.file;
  for (const scene::Override& setting : row.settings) what += fmt::format(" {}={}", setting.name, setting.value);
  SCOPED_TRACE(what);
  const Defect run(row.file, row.settings);
  for (const Expected& e : row.expected) EXPECT_NEAR(run[e.observable], e.value, e.tolerance) << e.observable;
}

constexpr const char* kRigid[] = {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar", "second-order"};

// Ten dominoes: no energy comes from anywhere, and the last one falls at 0.594 s. Every one of the ten impacts may be
// seen up to two steps late or early. What leans at the end does not depend on the step to a tenth of a degree.
void expect_dominoes(const char* stepper, double step) {
  expect({"F01_dominoes3d",
          with(stepper, fmt::format("{}", step).c_str()),
          {{"emax", 0, 1e-6}, {"first", 1.2965, 1e-3}, {"t_last", 0.594, 20 * step}, {"pen", 0, 7.5e-5}}});
}

TEST(Defects, DominoesFallWithoutEnergyFromOverlaps) {
  for (const double step : {2e-4, 2e-3}) expect_dominoes("stewart-trinkle", step);
}

TEST(DefectsSlow, DominoesFallAlikeUnderEveryStepper) {
  for (const char* stepper : kRigid)
    for (const double step : {2e-4, 2e-3}) expect_dominoes(stepper, step);
}

// A block on a plate that shakes with two harmonics, ten periods. Stick, slip and stop solved piece by piece in closed
// form: -0.00505140028. Second order locates the start of slip to a part of the step, so that an error of h^2 is left.
TEST(Defects, BlockDriftsOnAShakenPlate) {
  const double exact = -0.005051400284;
  for (const auto& [step, tolerance] : {std::pair{"1e-3", 3e-6}, {"5e-4", 1e-6}, {"1e-4", 1e-8}})
    expect({"A1_vibrating_plate", with("second-order", step), {{"rel", exact, tolerance}}});
}

// A cube over the joint of two flush boxes: v^2/(2 mu g), first order v h/2 before that.
TEST(Defects, CubePassesTheJointOfFlushBoxes) {
  for (const char* stepper : kRigid)
    for (const double step : {1e-3, 2.5e-3}) {
      const double late = std::string_view(stepper) == "second-order" ? 0 : -1.5 * step;
      expect({"F02_seam",
              with(stepper, fmt::format("{}", step).c_str()),
              // The last step of first order ends between 0 and one step's change of speed: (mu g h)^2 / (2 mu g) / 4.
              {{"err", late, 0.3 * 9.81 * step * step / 8 + 1e-9}, {"lift", 0, 1e-9}, {"angle", 0, 1e-6}}});
    }
}

TEST(Defects, BallsDoNotPassThroughEachOther) {
  for (const char* stepper : kRigid) {
    expect({"F03_tunnel_balls",
            with(stepper, "1e-2", {{"v", "3"}, {"x2", "3.1"}, {"e_", "1"}, {"duration", "4.4"}}),
            {{"vb", 3, 1e-9}, {"va", 0, 1e-9}}});
    expect({"F03_tunnel_balls", with(stepper, "1e-2", {{"e_", "0.5"}}), {{"vb", 75, 1e-7}, {"va", 25, 1e-7}}});
  }
}

// The walls are at x = 0: the centre of mass stays on its side.
TEST(Defects, ShotsStayOnTheirSideOfTheWall) {
  for (const char* stepper : kRigid) {
    for (const char* file : {"tunnel-cylinder-st", "tunnel-chain-implicit"}) {
      const Defect run(file, with(stepper, ""));
      EXPECT_LT(run["xm"], 0) << file << " " << stepper;
      EXPECT_LE(run["E"], 1 + 1e-9) << file << " " << stepper;
    }
  }
}

// A driven wall meets a disc at rest: it flies off at (1 + e) v, or stays on the wall, and nothing slows it down later.
// The wall moves by 100 times its thickness per step.
TEST(Defects, FastWallsHitWhatIsInTheirWay) {
  for (const char* stepper : kRigid)
    for (const double e : {0.0, 0.37, 1.0}) {
      const Defect run("fast_wall", with(stepper, "", {{"e_", fmt::format("{}", e)}}));
      EXPECT_NEAR(run["vx"], 20 * (1 + e), 1e-7) << stepper << " e = " << e;
      EXPECT_GE(run["ahead"], 0.011 - 1e-6) << stepper << " e = " << e << ": the wall passed through it";
    }
}

// The paddle's face is s = sqrt(0.5^2 - 0.025^2) along it where it meets the disc, which leaves at 1.4 w s. When the plane
// of the face has caught up with it, it is past the end of the paddle: nothing else happens.
TEST(Defects, PaddleHitsOnceAndIsLeftPastItsEnd) {
  for (const char* stepper : {"stewart-trinkle", "implicit", "song-pang-kumar", "second-order"})
    for (const double w : {3.0, 5.0, 10.0, 30.0}) {
      const double exact = 1.4 * w * std::sqrt(0.25 - 0.025 * 0.025);
      expect({"paddle", with(stepper, "", {{"w", fmt::format("{}", w)}}), {{"v", exact, 1e-6 * exact}}});
    }
}

// A driven face meets a block's face, whose lower edge is nearer to the driven corner than the drive goes in a step. It
// pushes along the line through the centre of mass: no turn, and the speed of the drive.
TEST(Defects, DriveNearAnEdgePushesWithItsWholeFace) {
  for (const char* stepper : kRigid)
    expect({"pushed_edge", with(stepper, ""), {{"vx", 1.976, 1e-9}, {"turn", 0, 1e-9}}});
}

TEST(Defects, EveryOneOfSixtyImpactsInAStepBounces) {
  for (const char* stepper : kRigid)
    expect({"many-impacts", with(stepper, ""), {{"first", 0.6, 1e-12}, {"last", 0.6, 1e-12}}});
}

// A tumbling cube with friction beyond all measure comes down on the floor as with mu = 1, and gains nothing.
TEST(Defects, HugeFrictionHoldsTheFloor) {
  for (const char* stepper : {"stewart-trinkle", "implicit", "second-order"}) {
    const Defect run("huge-friction-certified", with(stepper, "", {{"mu", "1e9"}}));
    EXPECT_GE(run["az"], 0.5 - 1e-5) << stepper;
    EXPECT_LE(run["pen"], 1e-5) << stepper;
    EXPECT_LE(run["Emax"], run["E0"] * (1 + 1e-9)) << stepper;
  }
}

// Forty bricks, at rest from the start: no bit changes in 2000 steps, and a few of them are solved.
TEST(Defects, WallAtRestCostsNothing) {
  const scene::Scene scene = scene::load_scene(path_of("S2_brick_wall"), Settings{});
  simulation::Simulation run(scene.model, scene.method);
  const std::string before = bits(run.state());
  ASSERT_TRUE(run.run_until(scene.duration));
  EXPECT_EQ(run.counters().steps, 2000);
  EXPECT_GE(run.counters().most_contacts, 300);
  EXPECT_LE(run.counters().solves, 20);
  EXPECT_EQ(bits(run.state()), before);
  double weight = 0;
  for (const contact::ContactResult& contact : run.contacts())
    if (contact.contact.id.body_a == 0) weight -= contact.force.z();
  EXPECT_NEAR(weight, 40 * 2 * 9.81, 1e-6) << "forces are told as well";
}

// A disc on n points under it, pushed slowly past its middle: the time of the processor for 50 steps.
double time_of_push(int points) {
  std::string list;
  for (int k = 0; k < points; ++k) {
    const double r = 0.1 * std::sqrt((k + 0.5) / points), angle = 2.399963229728653 * k;  // sunflower
    list += fmt::format("[{:.17g}, {:.17g}],", r * std::cos(angle), r * std::sin(angle));
  }
  const scene::Scene scene = scene::parse_scene(fmt::format(R"toml(
dimension = 2.5
gravity = [0, 0, -9.81]
duration = 0.5
[method]
motion = "quasi-static"
stepper = "stewart-trinkle"
step = 1e-2
[[body]]
name = "disc"
mass = 1
shape = {{ disc = 0.1 }}
support = {{ points = [{}], friction = 0.4 }}
[[body]]
name = "finger"
shape = {{ disc = 0.01 }}
position = [-0.11, 0.02]
motion = {{ velocity = [0.05, 0] }}
[[contact]]
between = ["*", "*"]
friction = 0.3
)toml",
                                                            list),
                                                "push.toml");
  double best = 1e300;
  for (int k = 0; k < 3; ++k) {
    simulation::Simulation run(scene.model, scene.method);
    const std::clock_t begin = std::clock();
    EXPECT_TRUE(run.run_until(scene.duration)) << points;
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    EXPECT_GT(run.state().bodies[0].pose.position.x(), 0.01) << "it is pushed";
  }
  return best;
}

// Four times the points: four times the work; it once took 42 times as long. Ten leaves room for a busy machine.
TEST(Defects, PushOnManySupportsIsLinearInThem) {
  const double few = time_of_push(100), many = time_of_push(400);
  std::printf("50 quasi-static steps: %.4f s on 100 support points, %.4f s on 400\n", few, many);
  EXPECT_LE(many, 10 * few);
}

// A hundred spheres fall into a bin; under four steppers that run once ended before its time.
TEST(DefectsSlow, SpheresInABinComeToTheirEnd) {
  const Defect run("F07_spheres_bin", {});
  EXPECT_LE(run["emax"], 1e-6);
  EXPECT_LE(run["penmax"], 1e-6);
  EXPECT_LE(run["ke"], 1e-2 * run["kemax"]) << "they have come to lie";
  // Steps above the certificate are counted, and none is above certificate_at_worst.
  const simulation::Counters& counters = run.run().simulation().counters();
  const stepping::Method& method = run.run().simulation().method();
  std::printf("steps at worst: %lld of %lld, worst residual %.2e\n", static_cast<long long>(counters.at_worst),
              static_cast<long long>(counters.steps), counters.worst_residual);
  EXPECT_EQ(counters.at_worst > 0, counters.worst_residual > method.certificate);
  EXPECT_LE(counters.worst_residual, method.certificate_at_worst);
}

}  // namespace
}  // namespace stickslip::testing
