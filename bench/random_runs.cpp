// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random drops, stacks, shots and pushes in 2D, 2.5D and 3D, with all shapes and steppers (random_scene.h), judged from
// outside (random_runs.h).
//
//     bench_random_runs [runs = 1000] [first seed = 1] [threads = 2] [--no-audit]
//     bench_random_runs ... --stepper NAME  all of them under one rigid stepper, to compare steppers on the same scenes
//     bench_random_runs --write SEED        prints the scene file of one run: stickslip run takes it
//
// Prints a table by family and stepper, every run that went wrong with its seed, and the refusals with their reasons.
// Exit code 1 when energy was gained, a body got outside, or the oracle found an overlap in a run that went on.
#include "bench/random_runs.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <string_view>
#include <thread>
#include <vector>

using namespace stickslip::bench;

namespace {

struct Row {
  int runs = 0, gained = 0, outside = 0, overlap = 0, refused = 0;
  std::int64_t states = 0;
};

// Reasons without their numbers and names, so that they can be counted.
std::string kind_of(const std::string& reason) {
  std::string kind;
  for (const char c : reason.substr(0, 90))
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) kind += c;
  for (const std::string_view cut : {" overlap by", "bodies overlap", " is not finite", " changed by"})
    if (const auto at = kind.find(cut); at != std::string::npos)
      return (kind.starts_with("audit") ? "audit:" : "") + std::string(cut);
  return kind.substr(0, kind.find("energy in one step"));
}

void print(const std::string& name, const Row& row) {
  fmt::print("{:<26} {:>8} {:>10} {:>8} {:>8} {:>8} {:>8}\n", name, row.runs, row.states, row.gained, row.outside,
             row.overlap, row.refused);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool audit = std::erase(arguments, "--no-audit") == 0;
  if (arguments.size() == 2 && arguments[0] == "--write") {
    fmt::print("{}", random_scene(std::strtoull(arguments[1].c_str(), nullptr, 10)).text);
    return 0;
  }
  std::string stepper;
  for (std::size_t k = 0; k + 1 < arguments.size(); ++k)
    if (arguments[k] == "--stepper") {
      stepper = arguments[k + 1];
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(k),
                      arguments.begin() + static_cast<std::ptrdiff_t>(k) + 2);
    }
  if (!stepper.empty() && std::ranges::find(kSteppers, stepper) == kSteppers.end()) {
    fmt::print(stderr, "bench_random_runs: no stepper {}\n", stepper);
    return 2;
  }
  const auto argument = [&](std::size_t k, std::uint64_t otherwise) {
    return arguments.size() > k ? std::strtoull(arguments[k].c_str(), nullptr, 10) : otherwise;
  };
  const std::uint64_t count = argument(0, 1000), first = argument(1, 1), threads = argument(2, 2);
  std::vector<RandomRun> runs(count);
  std::atomic<std::uint64_t> next{0};
  std::vector<std::thread> workers;
  for (std::uint64_t t = 0; t < threads; ++t)
    workers.emplace_back([&] {
      for (std::uint64_t k = next++; k < count; k = next++) runs[k] = run_random(first + k, audit, stepper);
    });
  for (std::thread& worker : workers) worker.join();

  std::map<std::string, Row> rows;
  std::map<std::string, std::vector<std::uint64_t>> reasons;
  Row all;
  for (std::uint64_t k = 0; k < count; ++k) {
    const RandomRun& run = runs[k];
    const std::string family = kFamilies[static_cast<std::size_t>(run.scene.family)];
    const std::string stepper = kSteppers[static_cast<std::size_t>(run.scene.stepper)];
    for (Row* row : {&rows[family + " " + stepper], &all}) {
      ++row->runs;
      row->states += run.states;
      row->gained += run.gained();
      row->outside += run.outside;
      row->overlap += run.overlap;
      row->refused += run.refused.empty() ? 0 : 1;
    }
    if (!run.refused.empty()) reasons[kind_of(run.refused)].push_back(first + k);
    if (run.wrong())
      fmt::print("seed {}: {} {} {}D{}{}{}{}\n", first + k, family, stepper,
                 run.scene.dimension == 25 ? "2.5" : std::to_string(run.scene.dimension),
                 run.gained() ? fmt::format(", energy gained {:.2g} of the start's", run.gain) : "",
                 run.outside ? ", outside" : "",
                 run.overlap ? fmt::format(", overlap {:.2g} of the thickness too deep", run.depth) : "",
                 run.refused.empty() ? "" : " (" + run.refused + ")");
  }
  fmt::print("\n{:<26} {:>8} {:>10} {:>8} {:>8} {:>8} {:>8}\n", "", "runs", "states", "gained", "outside", "overlap",
             "refused");
  for (const auto& [name, row] : rows) print(name, row);
  print("all", all);
  if (!reasons.empty()) fmt::print("\nrefused:\n");
  for (const auto& [reason, seeds] : reasons) {
    std::string list;
    for (std::size_t i = 0; i < seeds.size() && i < 8; ++i) list += fmt::format(" {}", seeds[i]);
    fmt::print("{:>8}  {} (seeds{}{})\n", seeds.size(), reason, list, seeds.size() > 8 ? " ..." : "");
  }
  return all.gained + all.outside + all.overlap > 0 ? 1 : 0;
}
