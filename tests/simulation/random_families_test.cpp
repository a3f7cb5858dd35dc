// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Families of random scenes around what random runs (bench/random_runs.h) showed to be wrong, judged in the same way: by
// energy, by places, and by an oracle of overlaps that shares no code with the contact search.
#include "bench/random_runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stickslip::simulation {
namespace {

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15ULL + 7) {}
  double operator()(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  double of_magnitude(double low, double high) { return std::pow(10.0, (*this)(low, high)); }

 private:
  std::mt19937_64 random_;
};

// A ball, a disc or a capsule on a fixed one, beside its highest place, with the velocity of rolling or sliding over it: the
// normal turns in every step. Or a capsule alone, which rolls and spins on a floor.
bench::RandomScene round_on_round(std::uint64_t seed) {
  Numbers number(seed);
  bench::RandomScene scene;
  scene.bounded = false;
  const bool plane = number.pick(3) == 0;
  scene.dimension = plane ? 2 : 3;
  const double big = number(0.2, 1), small = number(0.1, 0.5), length = number(0.1, 0.8);
  const double across = number(-0.5, 0.5), apart = number.pick(2) == 0 ? 0 : number(0, 1e-3);
  const double r = big + small + apart, h = number.of_magnitude(-3, -2);
  const bool capsule = !plane && number.pick(2) == 0, floor = capsule && number.pick(2) == 0;
  const auto place = [&](double x, double up) {
    return plane ? fmt::format("[{:.16g}, {:.16g}]", x, up) : fmt::format("[{:.16g}, 0, {:.16g}]", x, up);
  };
  scene.text = fmt::format("dimension = {}\nduration = {:.8g}\ngravity = {}\n[method]\nstep = {:.8g}\n",
                           scene.dimension, 60 * h, place(0, -9.81), h);
  const std::string under = floor   ? "{ half-space = { normal = [0, 0, 1] } }"
                            : plane ? fmt::format("{{ disc = {:.16g} }}", big)
                                    : fmt::format("{{ sphere = {:.16g} }}", big);
  scene.text +=
      fmt::format("[[body]]\nname = \"under\"\nfixed = true\nshape = {}\nposition = {}\n", under, place(0, 0));
  // The axis of the capsule lies along y: over the ball its cylinder touches, over the floor both of its ends.
  const std::string shape = capsule
                                ? fmt::format("{{ capsule = {{ radius = {:.16g}, length = {:.16g} }} }}", small, length)
                            : plane ? fmt::format("{{ disc = {:.16g} }}", small)
                                    : fmt::format("{{ sphere = {:.16g} }}", small);
  scene.text +=
      fmt::format("[[body]]\nname = \"over\"\nmass = {:.6g}\nshape = {}\nposition = {}\n", number.of_magnitude(-1, 1),
                  shape, floor ? place(0, small + apart) : place(r * std::sin(across), r * std::cos(across)));
  if (capsule) scene.text += "orientation = { axis = [1, 0, 0], angle = 1.5707963267948966 }\n";
  const double speed = number(-1.5, 1.5), spin = number(-5, 5);
  scene.text += fmt::format("velocity = {}\n",
                            floor ? place(speed, 0) : place(speed * std::cos(across), -speed * std::sin(across)));
  scene.text += plane ? fmt::format("angular_velocity = {:.6g}\n", spin)
                      : fmt::format("angular_velocity = [{:.6g}, {:.6g}, {:.6g}]\n", floor ? 0 : number(-3, 3), spin,
                                    number(-5, 5));
  scene.text += fmt::format("[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = {:.4g}\n",
                            number.pick(3) == 0 ? 0.0 : number(0, 1));
  return scene;
}

TEST(RandomFamilies, RoundBodiesGainNoEnergyOverRoundOnes) {
  for (const char* stepper : {"implicit", "song-pang-kumar"}) {
    int touched = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const bench::RandomRun run = bench::run_random(round_on_round(seed), true, stepper);
      touched += run.touched ? 1 : 0;
      EXPECT_FALSE(run.gained()) << stepper << ", seed " << seed << ": " << run.gain;
      EXPECT_FALSE(run.overlap) << stepper << ", seed " << seed;
      EXPECT_EQ(run.refused, "") << stepper << ", seed " << seed;
    }
    EXPECT_GE(touched, 90) << stepper;
  }
}

// A soft cylinder or plate over the edge of a bar that ends below it: it rests with its cap on the corner of the bar and turns
// onto the edge, which passes its rim on the other side. The contacts of the start of a step do not follow that second place.
// Up to a tenth of the thickness per step.
bench::RandomScene soft_and_turning(std::uint64_t seed) {
  Numbers number(seed);
  bench::RandomScene scene;
  scene.bounded = false;
  scene.compliant = true;
  scene.stepper = bench::kRungeKutta;
  const double a = number(0.2, 0.5), thick = number(0.2, 0.5), mass = number.of_magnitude(-1, 1);
  const double corner = -number(0.2, 0.8) * a, reach = a - corner, spin = number(10, 30);
  const double h = number(0.02, 0.1) * thick / (spin * reach), soft = number.of_magnitude(-3, -2) * thick;
  const double stiffness = mass * spin * spin * reach * reach / (soft * soft);
  const double gravity = number(50, 300);  // it stays on the corner
  const double tilt = number(0, 3) * h * spin, top = 0.15 * std::sqrt(2.0);
  scene.text = fmt::format("dimension = 3\nduration = {:.8g}\ngravity = [0, 0, {:.6g}]\n[method]\nstep = {:.8g}\n",
                           12 * h, -gravity, h);
  scene.text += fmt::format(
      "[[body]]\nname = \"bar\"\nfixed = true\nshape = {{ box = [2, 0.3, 0.3] }}\nposition = [{:.8g}, 0, 0]\n"
      "orientation = {{ axis = [1, 0, 0], angle = 0.7853981633974483 }}\n",
      1 + corner);
  const std::string shape = number.pick(3) == 0
                                ? fmt::format("{{ box = [{0:.8g}, {0:.8g}, {1:.8g}] }}", 2 * a, thick)
                                : fmt::format("{{ cylinder = {{ radius = {:.8g}, length = {:.8g} }} }}", a, thick);
  // Turned by the tilt about the corner, the cap rises from there along x; the spin about the corner lowers it.
  const double c = std::cos(tilt), s = std::sin(tilt), up = 0.5 * thick + 1e-9;
  scene.text += fmt::format(
      "[[body]]\nname = \"over\"\nmass = {:.6g}\nshape = {}\nposition = [{:.16g}, {:.6g}, {:.16g}]\n"
      "orientation = {{ axis = [0, -1, 0], angle = {:.8g} }}\nvelocity = [{:.6g}, 0, {:.6g}]\n"
      "angular_velocity = [0, {:.6g}, {:.6g}]\n",
      mass, shape, corner - corner * c - up * s, number(-0.1, 0.1) * a, top - corner * s + up * c, tilt,
      spin * (-corner * s + up * c), spin * (corner * c + up * s), spin, number(-2, 2));
  scene.text +=
      fmt::format("[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = {:.4g}\nstiffness = {:.6g}\ndamping = {:.6g}\n",
                  number(0, 0.5), stiffness, 2 * number(0.02, 0.2) * std::sqrt(stiffness * mass));
  return scene;
}

// song-pang-kumar's backward step may still gain some 1e-4 where the corner of a soft body turns under load; it is not
// judged here.
TEST(RandomFamilies, SoftBodiesThatTurnOntoAnotherPlaceGainNoEnergy) {
  int touched = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const bench::RandomRun run = bench::run_random(soft_and_turning(seed), true, "runge-kutta");
    touched += run.touched ? 1 : 0;
    EXPECT_FALSE(run.gained()) << "seed " << seed << ": " << run.gain;
    if (run.refused.empty()) continue;
    ++refused;
    EXPECT_TRUE(run.refused.starts_with("more than")) << run.refused;  // too stiff for the step, and said so
  }
  EXPECT_GE(touched, 55);
  EXPECT_LE(refused, 4);  // seen; more would be a step that has become harder, not another scene
}

// Scenes of bench_random_runs that were wrong.
TEST(RandomFamilies, WrongSeedsAreRight) {
  for (const std::uint64_t seed : {8003792, 8009186, 8009598, 8009825, 8010883, 8013862, 9004217, 9006605, 9010453,
                                   9012984, 9013340, 9019794, 9019981, 9029170}) {
    const bench::RandomRun run = bench::run_random(seed, true);
    EXPECT_FALSE(run.overlap) << "bench_random_runs --write " << seed;
    EXPECT_FALSE(run.gained()) << "bench_random_runs --write " << seed << ": " << run.gain;
    EXPECT_EQ(run.refused, "") << "bench_random_runs --write " << seed;
  }
}

}  // namespace
}  // namespace stickslip::simulation
