// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Numbers near the ends of double, motions with poles, periods that never end: refused where they are written, within
// seconds, or computed right.
#include "stickslip/motion/prescribed_motion.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace stickslip::scene {
namespace {

// One disc; `motion`, `method` and `observe` are lines of their tables.
std::string disc(const std::string& body, const std::string& method = "", const std::string& observe = "") {
  return "dimension = 2\nduration = 1\n[[body]]\nname = \"p\"\nshape = { disc = 1 }\n" + body + "\n[method]\n" +
         method + "\n[observe]\n" + observe + "\n";
}

// The refusal with its line, or "" when the scene is accepted. A reader that takes longer than this hangs.
// Seconds of the processor; what is refused takes about one. Sanitizers make everything slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kPatience = 100;
#else
constexpr double kPatience = 10;
#endif

struct Refusal {
  std::string text;
  int line = 0;
};
Refusal refusal(const std::string& text) {
  const std::clock_t begin = std::clock();
  Refusal result;
  try {
    (void)parse_scene(text, "test.toml");
  } catch (const SceneError& error) {
    result = {error.what(), error.place().line};
  }
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kPatience) << text;
  return result;
}

TEST(ExtremeNumbers, AreRefusedWhereTheyStand) {
  struct Case {
    std::string text;
    int line;
    const char* message;
  };
  const std::vector<Case> cases = {
      {disc("mass = 1e308"), 6, "mass"},
      {disc("mass = 1e-308"), 6, "must be at least"},
      {disc("mass = 1\nvelocity = [1e300, 0]"), 7, "velocity"},
      {disc("mass = 1\nposition = [0, -1e200]"), 7, "position"},
      {disc("mass = 1\ninertia = 1e-200"), 7, "inertia"},
      {disc("mass = 1", "step = 1e-300"), 2, "steps"},
      {disc("mass = 1", "step = 1e-30"), 2, "steps"},
      {disc("mass = 1", "certificate = 0.5"), 8, "certificate"},
      {disc("mass = 1", "certificate = 1e-3"), 8, "certificate"},
      {disc("mass = 1", "certificate = 1e300"), 8, "certificate"},
      {disc("mass = 1") + "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 1e10\n", 13, "friction"},
      {disc("mass = 1", "", "a = \"sum_every(t, 1e-300)\""), 10, "period"},
      {disc("mass = 1", "", "a = \"rate_over_period(t, 1e-300)\""), 10, "period"},
      {disc("mass = 1", "", "a = \"mean_over_period(t, 1e-12)\""), 10, "period"},
      {disc("motion = { angle = \"mod(t, 1e-308)\" }"), 6, "too often"},
      {disc("motion = { angle = \"mod(t, 1e-9)\" }"), 6, "too often"},
      {disc("motion = { velocity = [\"sin(1e300 * t)\", 0] }"), 6, "frequency"},
      {disc("motion = { velocity = [\"floor(1e20 * t)\", 0] }"), 6, "too often"},
  };
  for (const Case& bad : cases) {
    const Refusal said = refusal(bad.text);
    EXPECT_THAT(said.text, testing::HasSubstr(bad.message)) << bad.text;
    EXPECT_EQ(said.line, bad.line) << bad.text << said.text;
  }
}

// A cube so large that its mass leaves the range although its size and density do not.
TEST(ExtremeNumbers, MassesThatFollowFromSizesAreRefusedToo) {
  const auto cube = [](double size, double density) {
    return fmt::format(
        "dimension = 3\nduration = 1\n[[body]]\nname = \"c\"\nshape = {{ box = [{0}, {0}, {0}] }}\ndensity = {1}\n",
        size, density);
  };
  EXPECT_THAT(refusal(cube(1e20, 1)).text, testing::HasSubstr("mass"));
  EXPECT_THAT(refusal(cube(1e-20, 1)).text, testing::HasSubstr("mass"));
  EXPECT_EQ(refusal(cube(1e10, 1e3)).text, "") << "a planet";
  EXPECT_EQ(refusal(cube(1e-10, 1e3)).text, "") << "an atom";
}

TEST(PrescribedMotion, PolesAreRefused) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> place(0.05, 0.95), size(0.01, 100), phase(0, 6);
  const char* poles[] = {"{1} / (t - {0})",           "{1} / (t - {0})^2",           "{1} / (t - {0})^3",
                         "{1} * tan(pi/2 * t / {0})", "{1} / sin(t - {0}) + cos(t)", "{1} / (exp(t) - exp({0}))",
                         "{1} / abs(t - {0})",        "{1} / (t^2 - {0}^2)"};
  for (int i = 0; i < 200; ++i) {
    const std::string f = fmt::format(fmt::runtime(poles[i % 8]), place(random), size(random));
    const std::string expression = fmt::format("{} + sin(5 * t + {})", f, phase(random));
    const char* keys[] = {"position = [\"{}\", 0]", "velocity = [\"{}\", 0]", "acceleration = [0, \"{}\"]",
                          "angular_velocity = \"{}\""};
    const std::string motion = fmt::format(fmt::runtime(keys[i / 8 % 4]), expression);
    EXPECT_NE(refusal(disc("motion = { " + motion + " }")).text, "") << motion;
  }
}

TEST(PrescribedMotion, PolesOfARotationAboutSeveralAxesAreRefused) {
  const auto plate = [](const std::string& omega) {
    return "dimension = 3\nduration = 1\n[[body]]\nname = \"c\"\nshape = { box = [1, 1, 1] }\nmotion = { "
           "angular_velocity "
           "= [1, " +
           omega + ", \"2 * t\"] }\n";
  };
  EXPECT_NE(refusal(plate("\"1 / (t - 0.300123)\"")).text, "");
  EXPECT_NE(refusal(plate("\"tan(3 * t)\"")).text, "");
  EXPECT_NE(refusal(plate("1e12")).text, "") << "turns that nobody can follow";
  EXPECT_EQ(refusal(plate("\"3 * t * t\"")).text, "");
}

// Velocities with singular points that have an integral: |t - c|^-a. The position at t = 1 is known. The last cell at
// the singular point leaves out about 2^(-40 (1 - a)) of it.
TEST(PrescribedMotion, IntegrableSingularPointsAreKept) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> place(0.05, 0.95), power(0.05, 0.45);
  for (int i = 0; i < 50; ++i) {
    const double c = place(random), a = power(random);
    const std::string text = disc(fmt::format("motion = {{ velocity = [\"abs(t - {:.17g})^(-{:.17g})\", 0] }}", c, a));
    ASSERT_EQ(refusal(text).text, "") << text;
    const Scene scene = parse_scene(text, "test.toml");
    const double x = scene.model.bodies[0].drive.translation[0](1).value;
    const double exact = (std::pow(c, 1 - a) + std::pow(1 - c, 1 - a)) / (1 - a);
    EXPECT_NEAR(x, exact, 20 * std::pow(2, -40 * (1 - a))) << text;
  }
}

TEST(PrescribedMotion, SharpPeaksAreNoPoles) {
  for (const char* motion :
       {"position = [\"exp(-1e4 * (t - 0.5)^2)\", 0]", "position = [\"1 / (1e-4 + (t - 0.5)^2)\", 0]",
        "velocity = [\"1 / (1e-6 + (t - 0.5)^2)\", 0]", "position = [\"sqrt(t)\", 0]",
        "position = [\"if(t < 0.5, 0, 1e-3 * sin(1000 * t) / (t + 1))\", 0]"})
    EXPECT_EQ(refusal(disc(fmt::format("motion = {{ {} }}", motion))).text, "") << motion;
}

// A cube that is thrown onto a floor, turning: with any friction it comes down on the floor and stays above it. Half
// its height is 0.5, half its diagonal 0.87. (It fell through from mu = 1e8 on, certified.)
TEST(HugeFriction, ACubeRestsOnTheFloorUnderEveryStepper) {
  for (const double mu : {1e3, 1e6, 1e9})
    for (const char* stepper : {"stewart-trinkle", "implicit", "anitescu-potra", "second-order"}) {
      const Scene scene = parse_scene(fmt::format(R"(dimension = 3
gravity = [0, 0, -9.81]
duration = 0.5
[method]
stepper = "{}"
step = 0.01
[[body]]
name = "floor"
fixed = true
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
[[body]]
name = "cube"
mass = 1
shape = {{ box = [1, 1, 1] }}
position = [0, 0, 0.6]
velocity = [1, 0, 0]
angular_velocity = [1, 2, 3]
[[contact]]
between = ["*", "*"]
friction = {}
)",
                                                  stepper, mu),
                                      "test.toml");
      simulation::Simulation run(scene.model, scene.method);
      // A step that no solver certifies ends the run; what was certified before must be right.
      run.run_until(scene.duration, [](const simulation::Simulation& now) {
        const double z = now.state().bodies[1].pose.position.z();
        EXPECT_GT(z, 0.49) << now.method().stepper << " at t = " << now.time();
        EXPECT_LT(z, 0.87) << now.method().stepper << " at t = " << now.time();
        return true;
      });
      EXPECT_EQ(run.failure(), nullptr) << stepper << ", mu = " << mu << ": not certified at t = " << run.time();
    }
}

// --- every number of the examples, replaced by the worst ones

const char* const kWorst[] = {"0",    "-1",         "5e-324", "1e-308", "1e-200", "1e-60",       "1e-12",
                              "1e12", "1e60",       "1e200",  "1e308",  "-1e308", "inf",         "-inf",
                              "nan",  "2147483647", "1e-39",  "9.9e39", "1e-20",  "4294967296.", "1e20"};

struct Literal {
  std::size_t begin, length;
};

// Numbers outside comments and plain text; those inside quoted expressions included.
std::vector<Literal> literals(const std::string& text) {
  std::vector<Literal> found;
  bool quoted = false, comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') comment = false, quoted = false;
    if (comment) continue;
    if (c == '"') quoted = !quoted;
    if (c == '#' && !quoted) comment = true;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    const char before = i > 0 ? text[i - 1] : ' ';
    if (!digit || std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_' || before == '.') continue;
    std::size_t end = i;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.' ||
                                 text[end] == 'e' || (text[end] == '-' && text[end - 1] == 'e')))
      ++end;
    found.push_back({i, end - i});
    i = end;
  }
  return found;
}

bool finite(const model::State& state) {
  for (const model::BodyState& body : state.bodies) {
    if (!body.pose.position.allFinite() || !body.velocity.linear.allFinite() || !body.velocity.angular.allFinite())
      return false;
    if (!body.pose.orientation.coeffs().allFinite()) return false;
  }
  return true;
}

// Reads the scene and does a few steps of it. What went wrong, or "".
std::string outcome(const std::string& text, const std::filesystem::path& file) {
  constexpr int kSteps = 5;
  constexpr std::size_t kMostOverlaps = 4;
  constexpr double kLongest = 10;  // seconds of the processor; a sound scene of the examples takes milliseconds
  const std::clock_t begin = std::clock();
  std::string problem;
  try {
    // Larger piles take longer where a number brings all of their bodies within reach of each other.
    const Scene scene = parse_scene(text, file, {}, {.most_bodies = 40});
    simulation::Simulation run(scene.model, scene.method);
    if (run.overlaps().size() > kMostOverlaps) return "";  // the command refuses overlaps; parting many takes minutes
    for (int i = 0; i < kSteps && run.failure() == nullptr && run.time() < scene.duration; ++i) {
      run.step();
      if (run.failure() == nullptr && !finite(run.state())) problem = "a certified state is not finite";
    }
  } catch (const SceneError&) {
  } catch (const std::invalid_argument&) {
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (seconds > kLongest) problem += fmt::format(" took {:.1f} s", seconds);
  return problem;
}

std::vector<std::filesystem::path> example_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(tests::kSourceFolder) / "examples"))
    if (entry.path().filename() == "scene.toml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

void mutate(int count, std::uint64_t seed) {
  const std::vector<std::filesystem::path> files = example_files();
  ASSERT_GT(files.size(), 5U);
  std::mt19937_64 random(seed);
  for (int i = 0; i < count; ++i) {
    const std::filesystem::path& file = files[random() % files.size()];
    std::ifstream stream(file);
    const std::string good{std::istreambuf_iterator<char>(stream), {}};
    const std::vector<Literal> numbers = literals(good);
    if (numbers.empty()) continue;
    const Literal where = numbers[random() % numbers.size()];
    const std::string worst = kWorst[random() % std::size(kWorst)];
    const std::string text = std::string(good).replace(where.begin, where.length, worst);
    const auto line = 1 + std::count(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(where.begin), '\n');
    EXPECT_EQ(outcome(text, file), "") << file << ":" << line << ": " << good.substr(where.begin, where.length)
                                       << " -> " << worst << " (number " << i << " of seed " << seed << ")";
  }
}

TEST(ExtremeNumbers, NoNumberOfAnExampleMakesItHangOrCertifyNonsense) {
  mutate(150, 1);
}

// STICKSLIP_MUTATIONS sets the count.
TEST(ExtremeNumbers, SlowNoNumberOfAnExampleMakesItHangOrCertifyNonsense) {
  const char* count = std::getenv("STICKSLIP_MUTATIONS");
  mutate(count != nullptr ? std::atoi(count) : 400, 2);
}

}  // namespace
}  // namespace stickslip::scene
