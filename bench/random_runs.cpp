// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random drops, stacks, shots and pushes in 2D, 2.5D and 3D, with all shapes and steppers (random_scene.h), judged from
// outside (random_runs.h).
//
//     bench_random_runs [runs = 1000] [first seed = 1] [threads = 2] [--no-audit]
//     bench_random_runs ... --stepper NAME  all of them under one stepper, to compare steppers on the same scenes
//     bench_random_runs ... --append FILE   adds a line for each run to the file (random_records.h),
//                           --seconds S     begins no run after S seconds: batches that fit into the time there is
//     bench_random_runs --sum FILE...       prints what the batches in the files came to, as one
//     bench_random_runs --write SEED        prints the scene file of one run: stickslip run takes it
//
// Prints a table by family and stepper, every run that went wrong with its seed, and the refusals with their reasons.
// Exit code 1 when energy was gained, a body got outside, or the oracle found an overlap in a run that went on.
#include "bench/random_records.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

using namespace stickslip::bench;

namespace {

using Records = std::map<std::uint64_t, RandomRecord>;

std::string taken_option(std::vector<std::string>& arguments, const std::string& name) {
  for (std::size_t k = 0; k + 1 < arguments.size(); ++k)
    if (arguments[k] == name) {
      const std::string value = arguments[k + 1];
      const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(k);
      arguments.erase(at, at + 2);
      return value;
    }
  return {};
}

int sum(const std::vector<std::string>& files) {
  Records records;
  for (const std::string& file : files) {
    std::ifstream in(file);
    if (!in) {
      fmt::print(stderr, "bench_random_runs: {} cannot be read\n", file);
      return 2;
    }
    RandomRecord record;
    for (std::string line; std::getline(in, line);)
      if (from_line(line, record)) records[record.seed] = record;
  }
  return print_records(records) > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "--write") {
    fmt::print("{}", random_scene(std::strtoull(arguments[1].c_str(), nullptr, 10)).text);
    return 0;
  }
  if (arguments.size() > 1 && arguments[0] == "--sum") return sum({arguments.begin() + 1, arguments.end()});
  const bool audit = std::erase(arguments, "--no-audit") == 0;
  const std::string stepper = taken_option(arguments, "--stepper"), file = taken_option(arguments, "--append");
  const std::string seconds = taken_option(arguments, "--seconds");
  if (!stepper.empty() && std::ranges::find(kSteppers, stepper) == kSteppers.end()) {
    fmt::print(stderr, "bench_random_runs: no stepper {}\n", stepper);
    return 2;
  }
  const auto argument = [&](std::size_t k, std::uint64_t otherwise) {
    return arguments.size() > k ? std::strtoull(arguments[k].c_str(), nullptr, 10) : otherwise;
  };
  const std::uint64_t count = argument(0, 1000), first = argument(1, 1), threads = argument(2, 2);
  std::FILE* out = file.empty() ? nullptr : std::fopen(file.c_str(), "a");
  if (!file.empty() && out == nullptr) {
    fmt::print(stderr, "bench_random_runs: {} cannot be written\n", file);
    return 2;
  }
  using Clock = std::chrono::steady_clock;
  const double time = seconds.empty() ? 1e9 : std::strtod(seconds.c_str(), nullptr);
  const Clock::time_point begin = Clock::now();
  Records records;
  std::mutex mutex;
  std::atomic<std::uint64_t> next{0};
  std::vector<std::thread> workers;
  for (std::uint64_t t = 0; t < threads; ++t)
    workers.emplace_back([&] {
      for (std::uint64_t k = next++; k < count; k = next++) {
        if (std::chrono::duration<double>(Clock::now() - begin).count() > time) return;
        const RandomRecord record = record_of(first + k, run_random(first + k, audit, stepper));
        const std::scoped_lock lock(mutex);
        records[record.seed] = record;
        if (out == nullptr) continue;
        fmt::print(out, "{}", to_line(record));
        std::fflush(out);
      }
    });
  for (std::thread& worker : workers) worker.join();
  if (out != nullptr && std::fclose(out) != 0) {
    fmt::print(stderr, "bench_random_runs: {} could not be written\n", file);
    return 2;
  }
  return print_records(records) > 0 ? 1 : 0;
}
