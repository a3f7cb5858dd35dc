// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Time per step of the examples, without recording, beside the limits that the project has set itself and beside ODE
// where it is installed. Processor time, the smallest of several runs; runs of the pile are cut off after --cap
// seconds.
#include "bench/common/report.h"
#include "bench/common/stopwatch.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"
#ifdef STICKSLIP_HAVE_ODE
#include "bench/ode_worlds.h"
#endif

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace stickslip;
using Overrides = std::vector<scene::Override>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

scene::Scene example(const std::string& name, const Overrides& overrides) {
  return scene::load_scene(std::string(STICKSLIP_SOURCE_DIR) + "/examples/" + name + "/scene.toml", overrides);
}

struct Timing {
  double seconds = std::numeric_limits<double>::infinity();  // of the whole run
  std::int64_t steps = 0;
  double worst_residual = 0;
  bool certified = true;
  [[nodiscard]] double per_step() const { return seconds / static_cast<double>(steps); }
};

Timing time_example(const std::string& name, const Overrides& overrides, int repeats) {
  const scene::Scene scene = example(name, overrides);
  // Runs of a few milliseconds are repeated for a while: the first ones of a process, and those in which the machine
  // did something else, say nothing about a step.
  constexpr double kLeast = 0.3;
  Timing best;
  double spent = 0;
  for (int k = 0; k < repeats || spent < kLeast; ++k, spent += best.seconds) {
    simulation::Simulation simulation(scene.model, scene.method);
    const bench::Stopwatch watch;
    best.certified &= simulation.run_until(scene.duration);
    best.seconds = std::min(best.seconds, watch.seconds());
    best.steps = simulation.counters().steps;
    best.worst_residual = simulation.counters().worst_residual;
  }
  return best;
}

void print_row(const std::string& what, double ours, double limit, double ode, const Timing& timing) {
  fmt::print("{:<44} {:>10} {:>10} {:>10}   {} (worst residual {:.1e}, {} steps)\n", what, bench::time_text(ours),
             bench::time_text(limit), bench::time_text(ode),
             !timing.certified   ? "NOT CERTIFIED"
             : std::isnan(limit) ? "certified"
             : ours <= limit     ? "certified, within the limit"
                                 : "certified, ABOVE THE LIMIT",
             timing.worst_residual, timing.steps);
}

void small_scenes(int repeats) {
  double ode_ball = kNone, ode_box = kNone;
#ifdef STICKSLIP_HAVE_ODE
  ode_ball = bench::ode_ball(20000, 10000);
  ode_box = bench::ode_box_on_slope(20000, 10000);
#endif
  const Overrides second = {{"method.stepper", "second-order"}}, first = {{"method.stepper", "stewart-trinkle"}};
  const auto with = [](Overrides overrides, const Overrides& more) {
    overrides.insert(overrides.end(), more.begin(), more.end());
    return overrides;
  };
  fmt::print("{:<44} {:>10} {:>10} {:>10}\n", "per step, first order", "ours", "limit", "ODE");
  Timing t = time_example("ball", with(first, {{"duration", "20"}}), repeats);
  print_row("one contact: ball", t.per_step(), 0.5e-6, ode_ball, t);
  const Timing particle = time_example("plate-particle", first, repeats);
  print_row("one contact: particle on the plate", particle.per_step(), 0.5e-6, kNone, particle);
  t = time_example("incline", with(first, {{"duration", "20"}}), repeats);
  print_row("four contacts: box held on a slope", t.per_step(), 2e-6, ode_box, t);
  t = time_example("incline", with(first, {{"tangent", "0.7"}, {"duration", "20"}}), repeats);
  print_row("four contacts: box sliding down", t.per_step(), 2e-6, kNone, t);
  t = time_example("meter-stick", first, repeats);
  print_row("two contacts: meter stick", t.per_step(), 1e-6, kNone, t);

  fmt::print("\n{:<44} {:>10} {:>10}\n", "whole run, 5 s with h = 1e-4", "ours", "limit");
  const Timing tripod = time_example("plate-tripod", first, repeats);
  print_row("tripod, exact cone", tripod.seconds, 0.25, kNone, tripod);
  t = time_example("plate-tripod", with(first, {{"method.friction", "pyramid"}, {"method.directions", "32"}}),
                   std::min(repeats, 2));
  print_row("tripod, pyramid of 32 directions", t.seconds, 2.5, kNone, t);

  fmt::print("\n{:<44} {:>10} {:>10}\n", "per step, second order, h = 1e-4", "ours", "3x first");
  t = time_example("plate-particle", second, repeats);
  print_row("particle on the plate", t.per_step(), 3 * particle.per_step(), kNone, t);
  t = time_example("plate-tripod", second, repeats);
  print_row("tripod on the plate", t.per_step(), 3 * tripod.per_step(), kNone, t);
}

// What the audit of a run costs (simulation/audit.h). Runs with and without it take turns, so that both see the same
// machine.
void audit_cost(int repeats) {
  fmt::print("\n{:<44} {:>10} {:>10} {:>10}\n", "per step, the audit", "on", "off", "costs");
  const struct {
    const char *what, *name;
    Overrides overrides;
  } rows[] = {{"ball", "ball", {{"duration", "20"}}},
              {"particle on the plate", "plate-particle", {}},
              {"box held on a slope", "incline", {{"duration", "20"}}},
              {"box sliding down", "incline", {{"tangent", "0.7"}, {"duration", "20"}}},
              {"meter stick", "meter-stick", {}}};
  for (const auto& row : rows) {
    Timing best[2];
    for (int k = 0; k < std::max(3, repeats); ++k)
      for (const int on : {0, 1}) {
        Overrides overrides = row.overrides;
        overrides.push_back({"method.stepper", "stewart-trinkle"});
        overrides.push_back({"method.audit", on == 1 ? "on" : "off"});
        const Timing t = time_example(row.name, overrides, 1);
        if (t.seconds < best[on].seconds) best[on] = t;
      }
    fmt::print("{:<44} {:>10} {:>10} {:>8.1f} %\n", row.what, bench::time_text(best[1].per_step()),
               bench::time_text(best[0].per_step()), 100 * (best[1].seconds / best[0].seconds - 1));
  }
}

// The other models: supports, and compliant contacts beside rigid ones of the same family of steppers.
void models(int repeats) {
  fmt::print("\n{:<44} {:>10} {:>10}\n", "other models", "ours", "limit");
  Timing t = time_example("needle-push", {{"method.step", "1e-3"}}, repeats);
  print_row("quasi-static push on three supports, a step", t.per_step(), 5e-6, kNone, t);
  t = time_example("slide-to-rest", {{"method.stepper", "stewart-trinkle"}}, repeats);
  print_row("sliding on three supports, a step", t.per_step(), kNone, kNone, t);
  t = time_example("peg", {{"method.stepper", "song-pang-kumar"}, {"method.step", "2e-4"}}, repeats);
  print_row("compliant peg, whole run of 5000 steps", t.seconds, 0.05, kNone, t);
  const Timing rigid = time_example("ball", {{"method.stepper", "stewart-trinkle"}, {"duration", "20"}}, repeats);
  t = time_example("ball", {{"method.stepper", "implicit"}, {"duration", "20"}}, repeats);
  print_row("implicit ball, a step", t.per_step(), kNone, kNone, t);
  t = time_example("ball", {{"method.stepper", "song-pang-kumar"}, {"duration", "20"}}, repeats);
  print_row("compliant ball, a step (3 times the rigid one)", t.per_step(), 3 * rigid.per_step(), kNone, t);
}

// Mean time of a step in the last quarter of the run, or of what the cap allows.
void pile(double cap) {
  fmt::print("\n{:<44} {:>10} {:>10} {:>10}\n", "pile of spheres, tolerance 1e-6, per step", "ours", "limit", "ODE");
  double before = kNone;
  for (const int n : {10, 100, 1000}) {
    const scene::Scene scene = example("pile", {{"n", std::to_string(n)}});
    simulation::Simulation simulation(scene.model, scene.method);
    const bench::Stopwatch watch;
    double quarter_begin = kNone;
    std::int64_t quarter_steps = 0;
    const bool finished = simulation.run_until(scene.duration, [&](const simulation::Simulation& now) {
      if (now.time() > 0.75 * scene.duration && std::isnan(quarter_begin)) {
        quarter_begin = watch.seconds();
        quarter_steps = now.counters().steps;
      }
      return watch.seconds() < cap;
    });
    const auto& counters = simulation.counters();
    const bool settled = finished && !std::isnan(quarter_begin);
    const double each = settled
                            ? (watch.seconds() - quarter_begin) / static_cast<double>(counters.steps - quarter_steps)
                            : watch.seconds() / static_cast<double>(counters.steps);
    double ode = kNone;
#ifdef STICKSLIP_HAVE_ODE
    ode = bench::ode_pile(n, n <= 10 ? 2 : n <= 100 ? 5 : 10, 2000, 500);
#endif
    Timing timing;
    timing.certified = simulation.failure() == nullptr;
    timing.steps = counters.steps;
    timing.worst_residual = counters.worst_residual;
    print_row(fmt::format("{} spheres{}", n, settled ? "" : fmt::format(", mean up to t = {:.3g}", simulation.time())),
              each, n == 1000 ? ode : kNone, ode, timing);
    if (!std::isnan(before)) fmt::print("{:<44} {:>10.2f}\n", "  growth exponent", std::log10(each / before));
    before = each;
  }
}

}  // namespace

int main(int count, char** arguments) {
  double cap = 60;
  int repeats = 5;
  bool with_pile = true, only_audit = false;
  for (int k = 1; k < count; ++k) {
    const std::string argument = arguments[k];
    const auto value = [&](const char* name) -> const char* {
      if (argument != name || k + 1 == count) return nullptr;
      return arguments[++k];
    };
    if (const char* text = value("--cap"))
      cap = std::atof(text);
    else if (const char* more = value("--repeats"))
      repeats = std::max(1, std::atoi(more));
    else if (argument == "--no-pile")
      with_pile = false;
    else if (argument == "--audit")
      only_audit = true;
    else {
      fmt::print(
          "Usage: script/bench simulate [--repeats N] [--cap SECONDS] [--no-pile] [--audit]\n"
          "  --repeats N     runs of each small scene, of which the fastest counts (default 5)\n"
          "  --cap SECONDS   longest run of one pile (default 60)\n"
          "  --no-pile       small scenes only\n"
          "  --audit         only what the audit of runs costs\n");
      return argument == "--help" ? 0 : 2;
    }
  }
#ifndef STICKSLIP_HAVE_ODE
  fmt::print("ODE is not installed: its column is skipped (script/bootstrap --bench installs it)\n");
#endif
  if (only_audit) {
    audit_cost(repeats);
    return 0;
  }
  small_scenes(repeats);
  audit_cost(repeats);
  models(repeats);
  if (with_pile) pile(cap);
  return 0;
}
