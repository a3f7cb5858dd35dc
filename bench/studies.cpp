// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a study costs beside its simulations: many short trials in one store.
//
//     bench_studies [trials = 100000]
//     bench_studies derivatives [times = 5]      the last part alone
//
// The trials are the ball example with another friction and speed each, cut short. First the same runs without a study
// (scene from parameters, then the simulation), then the study with one thread and with two. Overhead is what a trial
// of the study takes beyond its simulation: making the scene, judging it, keeping it. Then two processes that know
// nothing of each other, each with the study on one thread: what the machine gives two programs at a time. Last,
// derivatives: the observables of the particle on a vibrating plate by its twelve parameters, and of one on a plate
// that moves by a Fourier series by its two hundred coefficients, in plain runs of the same scene.
#include "stickslip/scene/scene.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/scene_sensitivity.h"
#include "stickslip/study/scene_run.h"
#include "stickslip/study/session.h"

#include "bench/common/stopwatch.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace stickslip;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The most memory that the process has had, in MB.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024;
  return 0;
}

fs::path write_study(const fs::path& folder, std::int64_t trials) {
  const fs::path scene = fs::path(STICKSLIP_SOURCE_DIR) / "examples/ball/scene.toml";
  const fs::path file = folder / fmt::format("study-{}.toml", trials);
  std::ofstream(file) << fmt::format(
      "scene = \"{}\"\ntrials = {}\nsuccess = \"x > 0.005\"\nobjective = \"y\"\n[set]\nduration = 0.1\n[vary]\n"
      "mu = {{ uniform = [0.15, 0.25] }}\nvx = {{ normal = [1, 0.1] }}\n",
      scene.string(), trials);
  return file;
}

struct Bare {
  double scene, simulation;  // processor seconds per trial
};

Bare run_bare(const study::Study& study, const study::TrialRunner& runner, std::int64_t trials) {
  const study::TrialPlan plan(study);
  Bare bare{0, 0};
  for (std::int64_t i = 0; i < trials; ++i) {
    const double begin = bench::Stopwatch::cpu_seconds();
    const scene::Scene scene = scene::make_scene(runner.document(), study::overrides_of(study, plan.trial(i)));
    const double made = bench::Stopwatch::cpu_seconds();
    static_cast<void>(study::run_scene(scene));
    bare.simulation += bench::Stopwatch::cpu_seconds() - made;
    bare.scene += made - begin;
  }
  bare.scene /= static_cast<double>(trials);
  bare.simulation /= static_cast<double>(trials);
  return bare;
}

// Wall and processor seconds.
struct Cost {
  double wall, processor;
};

Cost run_study(const study::Study& study, const study::TrialRunner& runner, const fs::path& file, int threads) {
  const auto store = study::Store::create_or_resume(file, study::header_of(study, runner, "bench"));
  const double processor = bench::Stopwatch::cpu_seconds();
  const auto begin = Clock::now();
  study::Session session(study, *store);
  study::run_threads(session, runner, threads);
  session.finish();
  return {seconds_since(begin), bench::Stopwatch::cpu_seconds() - processor};
}

// Wall seconds of two processes with a study each.
double run_apart(const study::Study& study, const study::TrialRunner& runner, const fs::path& folder) {
  std::fflush(nullptr);
  const auto begin = Clock::now();
  for (const int which : {1, 2}) {
    if (fork() != 0) continue;
    static_cast<void>(run_study(study, runner, folder / fmt::format("apart-{}.db", which), 1));
    _exit(0);
  }
  while (wait(nullptr) > 0) {
  }
  return seconds_since(begin);
}

// Processor seconds of a plain run and of one with derivatives, the best of `times` each.
void bench_derivatives(const std::string& what, const scene::Document& document,
                       const std::vector<scene::Override>& set, const std::vector<std::string>& parameters,
                       int times) {
  double plain = 1e9, derived = 1e9;
  for (int i = 0; i < times; ++i) {
    const double begin = bench::Stopwatch::cpu_seconds();
    static_cast<void>(study::run_scene(scene::make_scene(document, set)));
    const double middle = bench::Stopwatch::cpu_seconds();
    const auto found = sensitivity::differentiate(sensitivity::ParameterDirections(document, set, parameters));
    if (!found.finished) {
      fmt::print("derivatives       {}: none after {:.3f} s: {}\n", what, found.end_time, found.reason);
      return;
    }
    plain = std::min(plain, middle - begin);
    derived = std::min(derived, bench::Stopwatch::cpu_seconds() - middle);
  }
  fmt::print("derivatives       {}, by {} parameters: {:.1f} ms, {:.2f} plain runs of {:.1f} ms\n", what,
             parameters.size(), 1e3 * derived, derived / plain, 1e3 * plain);
}

// The particle on the vibrating plate by the twelve parameters of its motion.
void bench_twelve(const char* what, const char* stepper, std::vector<scene::Override> set, int times) {
  const scene::Document document =
      scene::read_document(fs::path(STICKSLIP_SOURCE_DIR) / "examples/plate-particle/scene.toml");
  set.push_back({"duration", "3"});
  set.push_back({"method.stepper", stepper});
  bench_derivatives(fmt::format("{}, {}", what, stepper), document, set,
                    {"A1", "A2", "A3", "A4", "A5", "A6", "C1", "C2", "C3", "C4", "C5", "C6"}, times);
}

// A particle on a plate that moves along x by a Fourier series with two hundred coefficients.
void bench_series(const char* stepper, int times) {
  std::string parameters, motion, text;
  std::vector<std::string> names;
  for (int i = 1; i <= 100; ++i)
    for (const char* wave : {"sin", "cos"}) {
      names.push_back(fmt::format("{}{}", wave[0], i));
      parameters += fmt::format("{} = {}\n", names.back(), 4.0 * std::sin(7.3 * i + wave[0]) / i);
      motion += fmt::format("{}{}*{}({}*t)", motion.empty() ? "" : "+", names.back(), wave, 5 * i);
    }
  text = fmt::format(R"toml(
dimension = 3
gravity = [0, 0, -9.8]
duration = 1
[parameters]
{}
[method]
step = 1e-4
[[body]]
name = "plate"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
[body.motion]
acceleration = ["{}", 0, 0]
[[body]]
name = "particle"
shape = "particle"
mass = 1
frame = "plate"
position = [0, 0, 0]
[[contact]]
between = ["particle", "plate"]
friction = 0.3
[observe]
x = "particle.x"
)toml",
                     parameters, motion);
  bench_derivatives(fmt::format("Fourier series, {}", stepper), scene::parse_document(text, "series.toml"),
                    {{"method.stepper", stepper}}, names, times);
}

void bench_all_derivatives(int times) {
  for (const char* stepper : {"stewart-trinkle", "second-order"}) {
    bench_twelve("circle", stepper, {}, times);
    bench_twelve("saddle", stepper,
                 {{"A1", "3.88479"},
                  {"C1", "-1.08465"},
                  {"A2", "-4.31188"},
                  {"C2", "-2.0938"},
                  {"A3", "0"},
                  {"A4", "155.816"},
                  {"C4", "0.430032"},
                  {"A5", "204.171"},
                  {"C5", "5.77261"},
                  {"A6", "0"}},
                 times);
    bench_series(stepper, times);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "derivatives") {
    bench_all_derivatives(argc > 2 ? std::atoi(argv[2]) : 5);
    return 0;
  }
  const std::int64_t trials = argc > 1 ? std::atoll(argv[1]) : 100000;
  if (trials < 10) {
    fmt::print(stderr, "bench_studies: at least 10 trials\n");
    return 2;
  }
  const fs::path folder = fs::temp_directory_path() / fmt::format("stickslip_bench_{}", getpid());
  fs::create_directories(folder);
  const study::Study small = study::load_study(write_study(folder, trials / 10));
  const study::Study study = study::load_study(write_study(folder, trials));
  const study::TrialRunner runner(study);

  const Bare bare = run_bare(study, runner, trials / 10);
  fmt::print("without a study   scene {:6.1f} us, simulation {:6.1f} us per trial\n", 1e6 * bare.scene,
             1e6 * bare.simulation);
  static_cast<void>(run_study(small, runner, folder / "small.db", 1));
  const double memory_small = peak_memory();
  double one = 0;
  for (const int threads : {1, 2}) {
    const fs::path file = folder / fmt::format("store-{}.db", threads);
    const Cost cost = run_study(study, runner, file, threads);
    const double each = cost.processor / static_cast<double>(trials);
    if (threads == 1) one = cost.wall;
    fmt::print(
        "{} thread{}         {} trials in {:.2f} s; processor {:6.1f} us per trial, overhead {:6.1f} us; store {:.1f} "
        "MB; speed-up {:.2f}\n",
        threads, threads == 1 ? " " : "s", trials, cost.wall, 1e6 * each, 1e6 * (each - bare.simulation),
        static_cast<double>(fs::file_size(file)) / 1e6, one / cost.wall);
  }
  fmt::print("memory            peak {:.1f} MB after {} trials, {:.1f} MB after {}\n", memory_small, trials / 10,
             peak_memory(), trials);
  fmt::print("two processes     {:.2f} times the trials of one\n", 2 * one / run_apart(study, runner, folder));
  fs::remove_all(folder);
  bench_all_derivatives(5);
}
