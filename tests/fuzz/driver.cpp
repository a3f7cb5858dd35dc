// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// main() of every fuzz target: the seeds, and random changes of them (mutation.h). An input that makes code run which
// no input before made run, or more often, is kept and changed further: readers are compiled with calls of
// __sanitizer_cov_trace_pc in the sanitizer builds (-fsanitize-coverage of g++).
//
// Inputs are read in a child process, so that this one can say which input ended it: one that a sanitizer reports,
// that takes more than 5 s of the processor or waits for more than a minute. Memory is limited by ASAN_OPTIONS
// (script/fuzz).
#include "tests/fuzz/mutation.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" char __executable_start;

namespace {

using namespace stickslip;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongest = 4096, kPlaces = 1U << 16;
constexpr int kLongestRead = 5;                          // seconds of the processor
constexpr auto kLongestWait = std::chrono::seconds(60);  // without an input read, on a machine that is busy
constexpr std::size_t kMostKept = 20000;

// --- which code ran

std::array<std::uint8_t, kPlaces> hits, seen;

// 1, 2, 3, 4-7, 8-15, 16-31, 32-127, more: as bits.
std::uint8_t bucket(std::uint8_t count) {
  if (count < 4) return static_cast<std::uint8_t>(1U << (count - 1));
  return count < 8 ? 8 : count < 16 ? 16 : count < 32 ? 32 : count < 128 ? 64 : 128;
}

bool ran_something_new() {
  bool found = false;
  for (std::size_t k = 0; k < kPlaces; ++k) {
    if (hits[k] == 0) continue;
    const auto fresh = static_cast<std::uint8_t>(bucket(hits[k]) & ~seen[k]);
    found |= fresh != 0;
    seen[k] = static_cast<std::uint8_t>(seen[k] | fresh);
  }
  return found;
}

// --- the child: reads inputs

// Shared with the parent: the input that is being read.
struct Slot {
  std::uint64_t inputs = 0;
  std::size_t size = 0;
  char input[kLongest];
};

struct Options {
  std::uint64_t runs = 0;  // 0: no limit
  double seconds = 0;      // 0: no limit
  unsigned seed = 1;
  std::string artifact = "./", keep;  // keep: folder for inputs that ran something new; empty: nowhere
  std::vector<std::string> folders;
};

bool read_one(Slot& slot, const std::string& input) {
  slot.size = std::min(input.size(), kLongest);
  std::memcpy(slot.input, input.data(), slot.size);
  hits.fill(0);
  constexpr itimerval kLimit{{0, 0}, {kLongestRead, 0}};
  ::setitimer(ITIMER_PROF, &kLimit, nullptr);  // its signal ends the process
  // A copy of its own: reading beyond the end is to be seen.
  const std::vector<std::uint8_t> data(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(slot.size));
  LLVMFuzzerTestOneInput(data.data(), data.size());
  ++slot.inputs;
  return ran_something_new();
}

std::vector<std::string> seeds_in(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> files;
  for (const std::string& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    seeds.push_back(text.str());
  }
  return seeds;
}

void keep(const std::string& folder, const std::string& input) {
  if (folder.empty()) return;
  const std::size_t name = std::hash<std::string>{}(input);
  char text[17];
  std::snprintf(text, sizeof text, "%016zx", name);
  std::ofstream(std::filesystem::path(folder) / text, std::ios::binary) << input;
}

void read_inputs(Slot& slot, const Options& options) {
  const auto end = Clock::now() + std::chrono::duration<double>(options.seconds);
  fuzz::Mutation mutation(options.seed, kLongest);
  std::vector<std::string> kept;
  for (const std::string& seed : seeds_in(options.folders)) {
    mutation.learn(seed);
    static_cast<void>(read_one(slot, seed));
    kept.push_back(seed);
  }
  while ((options.runs == 0 || slot.inputs < options.runs) && (options.seconds <= 0 || Clock::now() < end)) {
    const std::string input = mutation.changed(kept);
    if (!read_one(slot, input) || kept.size() >= kMostKept) continue;
    kept.push_back(input);
    keep(options.keep, input);
  }
}

// --- the parent: watches

// How the child ended; "" when it ended well.
std::string watch(pid_t child, const Slot& slot) {
  std::uint64_t inputs = 0;
  auto last = Clock::now();
  for (;;) {
    int state = 0;
    if (::waitpid(child, &state, WNOHANG) == child) {
      if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return "";
      if (WIFSIGNALED(state) && WTERMSIG(state) == SIGPROF) return "took more than 5 s";
      return "ended the reader";
    }
    if (const std::uint64_t now = *const_cast<const volatile std::uint64_t*>(&slot.inputs); now != inputs) {
      inputs = now;
      last = Clock::now();
    }
    if (Clock::now() - last > kLongestWait) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &state, 0);
      return "made the reader wait";
    }
    ::usleep(20'000);
  }
}

// -name=value; anything else is a folder of seeds.
Options options_from(int count, char** arguments) {
  Options options;
  for (int k = 1; k < count; ++k) {
    const std::string argument = arguments[k];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals),
                      value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "-runs")
      options.runs = std::stoull(value);
    else if (name == "-max_total_time")
      options.seconds = std::stod(value);
    else if (name == "-seed")
      options.seed = static_cast<unsigned>(std::stoul(value));
    else if (name == "-artifact_prefix")
      options.artifact = value;
    else if (name == "-keep")
      options.keep = value;
    else
      options.folders.push_back(argument);
  }
  return options;
}

}  // namespace

extern "C" __attribute__((no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc() {
  const auto place = static_cast<const char*>(__builtin_return_address(0)) - &__executable_start;
  std::uint8_t& count = hits[(static_cast<std::size_t>(place) * 0x9E3779B97F4A7C15U) >> 48];
  if (count < 255) ++count;
}

int main(int count, char** arguments) {
  const Options options = options_from(count, arguments);
  void* const memory = ::mmap(nullptr, sizeof(Slot), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  Slot& slot = *new (memory) Slot;
  const pid_t child = ::fork();
  if (child < 0) return 2;
  if (child == 0) {
    read_inputs(slot, options);
    std::exit(0);
  }
  const std::string wrong = watch(child, slot);
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  std::printf("inputs %llu\npeak memory %ld MB\n", static_cast<unsigned long long>(slot.inputs), used.ru_maxrss / 1024);
  if (wrong.empty()) return 0;
  const std::string name = options.artifact + "found";
  std::ofstream(name, std::ios::binary).write(slot.input, static_cast<std::streamsize>(slot.size));
  std::printf("an input of %zu bytes %s: %s\n", slot.size, wrong.c_str(), name.c_str());
  return 1;
}
