// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random shots of every shape at thin walls, chains, half-spaces, balls and each other under every stepper
// (bench/common/shots.h), and how many passed through. Usage: bench_shots [SHOTS] [SEED] [STEPPER].
#include "bench/common/shots.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

namespace stickslip {
namespace {

struct Tally {
  int shots = 0, passed = 0, uncertified = 0, gained = 0;
  std::int64_t divisions = 0, passages = 0;
  double gain = 0;
};

void print(const std::string& what, const Tally& t) {
  fmt::print("{:<32} {:>7} {:>7} {:>12} {:>8} {:>10.2e} {:>10} {:>8}\n", what, t.shots, t.passed, t.uncertified,
             t.gained, t.gain, t.divisions, t.passages);
}

int run(int shots, std::uint64_t seed, const std::string& only) {
  constexpr double kGained = 1e-6;  // of the kinetic energy: what gaps at the tolerance of impacts cost
  const std::vector<std::string> steppers = {"stewart-trinkle", "anitescu-potra", "implicit",
                                             "song-pang-kumar", "second-order",   "runge-kutta"};
  const bool verbose = std::getenv("SHOTS_VERBOSE") != nullptr;
  fmt::print("{:<32} {:>7} {:>7} {:>12} {:>8} {:>10} {:>10} {:>8}\n", "stepper, target", "shots", "passed",
             "uncertified", "gained", "worst", "divisions", "unsafe");
  Tally all;
  std::map<std::string, int> bad;
  for (const std::string& stepper : steppers) {
    if (!only.empty() && only != stepper) continue;
    for (const bench::Target target : bench::kTargets) {
      Tally tally;
      bench::ShotMaker maker(seed + static_cast<std::uint64_t>(target));
      const int count = std::max(1, shots / static_cast<int>(steppers.size() * bench::kTargets.size()));
      for (int k = 0; k < count; ++k) {
        const int dimension = target == bench::Target::Chain || k % 2 == 0 ? 2 : 3;
        const bench::Shot shot = maker.make(stepper, target, dimension);
        const bench::ShotResult result = bench::fire(shot);
        ++tally.shots;
        tally.passed += result.passed ? 1 : 0;
        tally.uncertified += result.certified ? 0 : 1;
        tally.gained += result.gain > kGained ? 1 : 0;
        tally.gain = std::max(tally.gain, result.gain);
        tally.divisions += result.divisions;
        tally.passages += result.passages;
        if (result.passed || !result.certified) ++bad[shot.shape];
        if (verbose && (result.passed || !result.certified || result.gain > kGained || result.passages > 0))
          fmt::print(
              "  {} {} {}D {}: {} e {:.3g} mu {:.3g} {:.3g} lengths per step, spin {:.3g} per step, gain {:.3g}, "
              "{} divisions, {} unsafe {}\n",
              stepper, bench::name_of(target), dimension, k,
              result.passed      ? "PASSED " + shot.shape
              : result.certified ? shot.shape
                                 : "UNCERTIFIED " + shot.shape,
              shot.model.surfaces[0].restitution, shot.model.surfaces[0].friction_kinetic, shot.lengths_per_step,
              shot.model.bodies[0].initial.velocity.angular.norm() * shot.method.step, result.gain, result.divisions,
              result.passages, result.failure);
      }
      print(stepper + ", " + bench::name_of(target), tally);
      all.shots += tally.shots;
      all.passed += tally.passed;
      all.uncertified += tally.uncertified;
      all.gained += tally.gained;
      all.gain = std::max(all.gain, tally.gain);
      all.divisions += tally.divisions;
      all.passages += tally.passages;
    }
  }
  print("all", all);
  for (const auto& [shape, count] : bad) fmt::print("  passed or uncertified: {} {}\n", count, shape);
  return all.passed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace stickslip

int main(int argc, char** argv) {
  const int shots = argc > 1 ? std::atoi(argv[1]) : 10000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return stickslip::run(shots, seed, argc > 3 ? argv[3] : "");
}
