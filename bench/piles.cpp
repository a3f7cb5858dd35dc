// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Hundreds of parts: time per step of the pile scenes beside the limits that the project has set itself, growth with the
// number of parts, threads, memory (`times`); whether every pile scene comes to its end, for several seeds (`seeds`); what
// other engines leave of the contact problem, by our certificate, and what they take for it (`peers`).
//
// Processor time of one run each, except for threads, which are told in the time of the clock. A row ends after --cap seconds of
// processor time and says how far it came.
#include "bench/common/geodesic_mesh.h"
#include "bench/common/pile_laws.h"
#include "bench/common/recorded_problems.h"
#include "bench/common/report.h"
#include "bench/common/stopwatch.h"
#include "bench/common/work_precision.h"
#include "bench/piles_peers.h"
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <fmt/format.h>

#ifdef STICKSLIP_HAVE_SICONOS
#include "bench/siconos_driver.h"
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace stickslip;
using Overrides = std::vector<scene::Override>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Settings {
  double cap = 60;      // seconds of processor time of a row
  double duration = 0;  // of the runs of `seeds`; 0: the scene's own
  std::string plot;     // file for the picture of `peers`; empty: none
};

// A folder of examples/, or a file in one.
scene::Scene example(const std::string& name, const Overrides& overrides) {
  const std::string file = name.ends_with(".toml") ? name : name + "/scene.toml";
  return scene::load_scene(std::string(STICKSLIP_SOURCE_DIR) + "/examples/" + file, overrides);
}

bool has_parameter(const scene::Scene& scene, const char* name) {
  return std::ranges::any_of(scene.parameters, [&](const scene::Parameter& p) { return p.name == name; });
}

Overrides with(Overrides overrides, const Overrides& more) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

// A bin as wide as the spheres are high, whatever their number.
Overrides spheres(int n) {
  const int row = static_cast<int>(std::lround(std::cbrt(0.64 * n)));
  return {{"n", std::to_string(n)},
          {"row", std::to_string(row)},
          {"side", fmt::format("{} * radius", 3.5 * row)},
          {"method.certificate", "1e-6"}};
}
Overrides soft() {
  return {{"method.compliance", "normal"}};
}

// The same for scenes that give no stiffness: 5e6 N/m for every pair.
void soften(scene::Scene& scene) {
  scene.method.compliance = stepping::SoftContacts::Normal;
  scene.method.certificate = 1e-6;
  for (model::Surface& surface : scene.model.surfaces) surface.compliance.stiffness_normal = 5e6;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Times {
  std::vector<double> steps;  // seconds of each
  double begin = 0, end = 0;  // of the stretch that was timed
  double worst = 0;           // residual
  std::int64_t at_worst = 0;
  int contacts = 0;
  bool failed = false;

  [[nodiscard]] double sum() const {
    double total = 0;
    for (const double t : steps) total += t;
    return total;
  }
  [[nodiscard]] double mean() const { return sum() / static_cast<double>(steps.size()); }
  // Share of the time that the dearest 5 % of the steps take.
  [[nodiscard]] double dearest() const {
    std::vector<double> sorted = steps;
    std::ranges::sort(sorted, std::greater<>());
    double part = 0;
    for (std::size_t k = 0; k < (sorted.size() + 19) / 20; ++k) part += sorted[k];
    return part / sum();
  }
};

bool moving(const simulation::Simulation& run) {
  return std::ranges::any_of(run.state().bodies, [](const model::BodyState& s) {
    return !s.velocity.linear.isZero(0) || !s.velocity.angular.isZero(0);
  });
}

enum class Until { Time, Rest };

// Times the steps of a run from `begin` on.
Times time_run(simulation::Simulation& run, double begin, double end, double cap, Until until = Until::Time) {
  Times times;
  const bench::Stopwatch all;
  const auto in_time = [&](const simulation::Simulation&) { return all.seconds() < cap; };
  if (begin > run.time()) run.run_until(begin, in_time);
  times.begin = run.time();
  const bench::Stopwatch timed;
  double before = 0;
  run.run_until(end, [&](const simulation::Simulation& now) {
    const double t = timed.seconds();
    times.steps.push_back(t - before);
    before = t;
    if (until == Until::Rest && !moving(now)) return false;
    return all.seconds() < cap;
  });
  times.end = run.time();
  times.worst = run.counters().worst_residual;
  times.at_worst = run.counters().at_worst;
  times.contacts = run.counters().most_contacts;
  times.failed = run.failure() != nullptr;
  return times;
}

void heading(const char* what) {
  fmt::print("\n{:<52} {:>9} {:>9} {:>9} {:>7}\n", what, "mean", "limit", "longest", "5 %");
}

void print_row(const std::string& what, const Times& t, double limit) {
  if (t.steps.empty()) {
    fmt::print("{:<52} {:>9} {:>9}   no step within the cap\n", what, "-", bench::time_text(limit));
    return;
  }
  fmt::print(
      "{:<52} {:>9} {:>9} {:>9} {:>5.0f} %   {}t = {:.3g} .. {:.3g}, {} contacts, residual {:.1e}, {} at worst\n", what,
      bench::time_text(t.mean()), bench::time_text(limit), bench::time_text(*std::ranges::max_element(t.steps)),
      100 * t.dearest(),
      t.failed                                 ? "FAILED "
      : !std::isnan(limit) && t.mean() > limit ? "ABOVE THE LIMIT "
                                               : "",
      t.begin, t.end, t.contacts, t.worst, t.at_worst);
}

Times time_example(const std::string& name, const Overrides& overrides, double begin, double end, double cap) {
  const scene::Scene scene = example(name, overrides);
  simulation::Simulation run(scene.model, scene.method);
  return time_run(run, begin, end, cap);
}

void rest_rows(const Settings& settings) {
  const double cap = settings.cap;
  heading("rest");
  print_row("brick wall", time_example("brick-wall", {{"hit", "9"}}, 0.05, 0.5, cap), 0.05e-3);
  for (const bool gives_way : {false, true}) {
    scene::Scene boxes = example("bin-boxes", {});
    if (gives_way) soften(boxes);
    const char* law = gives_way ? "5e6 N/m, 1e-6" : "rigid, 1e-9";
    simulation::Simulation run(boxes.model, boxes.method);
    print_row(fmt::format("100 boxes until they rest, {}", law), time_run(run, 0, 10, cap, Until::Rest), 8e-3);
    print_row(fmt::format("100 boxes {}, {}", moving(run) ? "(not yet at rest)" : "at rest", law),
              time_run(run, run.time(), run.time() + 1, cap), 0.1e-3);
  }
}

void sphere_rows(const Settings& settings) {
  const double cap = settings.cap;
  heading("spheres, certificate 1e-6, step 2 ms");
  print_row("100, rigid, falling", time_example("bin-spheres", spheres(100), 0, 0.5, cap), kNone);
  print_row("100, rigid, settling", time_example("bin-spheres", spheres(100), 0.5, 1.5, cap), 25e-3);
  print_row("100, 5e6 N/m, settling", time_example("bin-spheres", with(spheres(100), soft()), 0.5, 1.5, cap), 1.5e-3);
  print_row("1000, rigid, falling", time_example("bin-spheres", spheres(1000), 0, 0.5, cap), 45e-3);
  print_row("1000, 5e6 N/m, falling", time_example("bin-spheres", with(spheres(1000), soft()), 0, 0.5, cap), 12e-3);
  print_row("1000, 5e6 N/m, settling", time_example("bin-spheres", with(spheres(1000), soft()), 0.5, 1.5, cap), 12e-3);
}

void growth_rows(const Settings& settings) {
  const double cap = settings.cap;
  heading("growth, 5e6 N/m, whole runs");
  double least = kNone;
  for (const int n : {100, 300, 1000, 3000}) {
    const Times t = time_example("bin-spheres", with(spheres(n), soft()), 0, 1.2, cap);
    print_row(fmt::format("{} spheres", n), t, kNone);
    if (std::isnan(least)) least = t.mean();
    if (n == 3000)
      fmt::print("{:<52} {:>9.2f} {:>9}\n", "  exponent from 100", std::log(t.mean() / least) / std::log(30.0), 1.2);
  }
}

void thread_rows(const Settings& settings) {
  const double cap = settings.cap;
  fmt::print("\n{:<52} {:>9}\n", "threads, 1000 spheres, 5e6 N/m, time of the clock", "a step");
  double alone = 0;
  for (const int threads : {1, 2}) {
    const scene::Scene scene =
        example("bin-spheres", with(with(spheres(1000), soft()), {{"method.threads", std::to_string(threads)}}));
    simulation::Simulation run(scene.model, scene.method);
    run.run_until(0.4);
    double best = std::numeric_limits<double>::infinity();  // of stretches: other work on the machine only adds
    constexpr int kStretches = 10, kSteps = 10;
    double total = 0;
    const double begun = wall_seconds();
    for (int k = 0; k < kStretches && wall_seconds() - begun < cap; ++k) {
      const double before = wall_seconds();
      for (int i = 0; i < kSteps; ++i) run.step();
      const double each = (wall_seconds() - before) / kSteps;
      best = std::min(best, each), total += each;
    }
    if (threads == 1) alone = best;
    fmt::print("{:<52} {:>9}   the fastest of {} stretches of {} steps; {:.2f} times one thread\n",
               fmt::format("{} thread{}", threads, threads > 1 ? "s" : ""), bench::time_text(best), kStretches, kSteps,
               alone / best);
  }
}

// Largest resident memory of this process so far, in bytes.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("VmHWM:")) return 1024 * std::atof(line.c_str() + 6);
  return kNone;
}

void memory_rows(const Settings& settings) {
  const double cap = settings.cap;
  heading("10,000 spheres, 5e6 N/m");
  print_row("from the start", time_example("bin-spheres", with(spheres(10000), soft()), 0, 0.3, cap), kNone);
  fmt::print("largest memory of the process: {:.0f} MB\n", peak_memory() / 1e6);
}

// A part whose surface is a mesh of 100,820 triangles, dropped onto another one.
void mesh_rows(const Settings& /*settings*/) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("stickslip_mesh_{:x}", std::random_device{}());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "egg.obj") << bench::geodesic_obj(71, {0.1, 0.08, 0.05});
  for (const int eggs : {1, 2}) {
    std::ofstream file(folder / "scene.toml");
    file << "title = \"eggs\"\ndimension = 3\ngravity = [0, 0, -9.81]\nduration = 1\n[method]\nstep = 1e-3\n"
            "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n";
    for (int k = 0; k < eggs; ++k)
      file << fmt::format(
          "[[body]]\nname = \"egg{}\"\ndensity = 1000\nshape = {{ mesh = \"egg.obj\" }}\nposition = [0, 0, {}]\n", k,
          0.0501 + 0.1001 * k);
    file << "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.3\n";
    file.close();
    const bench::Stopwatch reading;
    const scene::Scene scene = scene::load_scene((folder / "scene.toml").string());
    simulation::Simulation run(scene.model, scene.method);
    const double read = reading.seconds();
    const bench::Stopwatch stepping;
    for (int k = 0; k < 5; ++k) run.step();
    fmt::print("\nmesh of 100,820 triangles, {}: {} to read (limit 2 s), {} for 5 steps, {} contacts{}\n",
               eggs == 1 ? "on a floor" : "two of them, one on the other", bench::time_text(read),
               bench::time_text(stepping.seconds()), run.counters().most_contacts,
               run.failure() != nullptr ? ", FAILED" : "");
  }
  std::filesystem::remove_all(folder);
}

// A disc on n points, pushed past its middle by a finger: time per step against n, in each motion model.
double time_on_supports(int points, const char* motion) {
  std::string list;
  for (int k = 0; k < points; ++k) {
    const double r = 0.1 * std::sqrt((k + 0.5) / points), angle = 2.399963229728653 * k;  // sunflower
    list += fmt::format("[{:.17g}, {:.17g}],", r * std::cos(angle), r * std::sin(angle));
  }
  const scene::Scene scene = scene::parse_scene(
      fmt::format("dimension = 2.5\ngravity = [0, 0, -9.81]\nduration = 0.5\n[method]\nmotion = \"{}\"\n"
                  "stepper = \"stewart-trinkle\"\nstep = 1e-2\n"
                  "[[body]]\nname = \"disc\"\nmass = 1\n{}shape = {{ disc = 0.1 }}\n"
                  "support = {{ points = [{}], friction = 0.4 }}\n"
                  "[[body]]\nname = \"finger\"\nshape = {{ disc = 0.01 }}\nposition = [-0.11, 0.02]\n"
                  "motion = {{ velocity = [0.05, 0] }}\n[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.3\n",
                  motion,
                  std::string_view(motion) == "first-order" ? "linear_damping = 10\nangular_damping = 0.1\n" : "",
                  list),
      "push.toml");
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    simulation::Simulation run(scene.model, scene.method);
    const bench::Stopwatch watch;
    if (!run.run_until(scene.duration)) return kNone;
    best = std::min(best, watch.seconds() / static_cast<double>(run.counters().steps));
  }
  return best;
}

void support_rows(const Settings& /*settings*/) {
  fmt::print("\n{:<36} {:>10} {:>10} {:>10} {:>16}\n", "a disc on n points, pushed; a step", "100", "200", "400",
             "400 over 100");
  for (const char* motion : {"quasi-static", "first-order", "dynamic"}) {
    const double few = time_on_supports(100, motion), more = time_on_supports(200, motion),
                 many = time_on_supports(400, motion);
    fmt::print("{:<36} {:>10} {:>10} {:>10} {:>16.1f}\n", motion, bench::time_text(few), bench::time_text(more),
               bench::time_text(many), many / few);
  }
}

// Every pile scene, `kSeeds` seeds each, to the end of its duration with the settings of its file. What has no seed (a wall
// and an arch have no random places) is run once.
void seed_rows(const Settings& settings) {
  const double cap = settings.cap;
  fmt::print("\n{:<20} {:>5} {:>9} {:>9} {:>9} {:>9} {:>10}\n", "seeds 1 to 5", "ended", "at worst", "steps", "a step",
             "residual", "audit");
  for (const char* name : {"bin-spheres", "bin-boxes", "bin-parts", "bowl", "hopper/scene.toml", "hopper/space.toml",
                           "drum", "brick-wall", "arch"}) {
    const bool seeded = has_parameter(example(name, {}), "seed");
    const int kSeeds = seeded ? 5 : 1;
    int ended = 0, capped = 0, clean = 0;
    std::int64_t steps = 0, at_worst = 0;
    double seconds = 0, residual = 0, reached = 0, duration = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      Overrides overrides;
      if (seeded) overrides.push_back({"seed", std::to_string(seed)});
      if (settings.duration > 0) overrides.push_back({"duration", fmt::format("{}", settings.duration)});
      const scene::Scene scene = example(name, overrides);
      simulation::Simulation run(scene.model, scene.method);
      const bench::Stopwatch watch;
      const bool finished =
          run.run_until(scene.duration, [&](const simulation::Simulation&) { return watch.seconds() < cap; });
      ended += finished && run.failure() == nullptr;
      capped += !finished && run.failure() == nullptr;
      clean += run.audit().passed();
      steps += run.counters().steps, at_worst += run.counters().at_worst;
      residual = std::max(residual, run.counters().worst_residual);
      seconds += watch.seconds(), reached += run.time(), duration = scene.duration;
    }
    fmt::print(
        "{:<20} {:>5} {:>9} {:>9} {:>9} {:>9.1e} {:>10}{}\n", name, fmt::format("{}/{}", ended, kSeeds), at_worst,
        steps, bench::time_text(seconds / static_cast<double>(steps)), residual, fmt::format("{} clean", clean),
        capped > 0
            ? fmt::format("   {} cut off by the cap, mean t = {:.2f} of {:g}", capped, reached / kSeeds, duration)
            : "");
  }
}

// Beverloo's law and the slope in a drum.
void law_rows(const Settings& settings) {
  const double cap = settings.cap;
  struct Silo {
    const char *what, *file;
    double p;
    int axis;
    std::vector<double> holes;
  };
  for (const Silo& silo :
       {Silo{"plane", "hopper/scene.toml", 1.5, 1, {5, 7, 9}}, Silo{"space", "hopper/space.toml", 2.5, 2, {4, 5, 6}}}) {
    fmt::print("\nsilo, {}: hole in diameters, grains per second\n", silo.what);
    std::vector<std::pair<double, double>> rates;
    double d = 0;
    for (const double hole : silo.holes) {
      const scene::Scene scene = scene::load_scene(std::string(STICKSLIP_SOURCE_DIR) + "/examples/" + silo.file,
                                                   Overrides{{"hole", fmt::format("{}", hole)}});
      for (const scene::Parameter& parameter : scene.parameters)
        if (parameter.name == "d") d = parameter.value;
      simulation::Simulation run(scene.model, scene.method);
      const bench::Stopwatch watch;
      const bench::Discharge out =
          bench::discharge(run, scene.duration, silo.axis, -3 * d, 0.6, [&] { return watch.seconds() < cap; });
      fmt::print("{:>6} {:>9.1f}   {:.0f} % through at t = {:.2f}, {} a step{}\n", hole, out.rate, 100 * out.passed,
                 run.time(), bench::time_text(watch.seconds() / static_cast<double>(run.counters().steps)),
                 out.failed ? ", FAILED" : "");
      if (out.rate > 0) rates.emplace_back(hole, out.rate);
    }
    if (rates.size() < 3) continue;
    const bench::Beverloo law = bench::fit_beverloo(rates, silo.p);
    // Grains per second times their size, over sqrt(g) d^p of the hole: C times the share of space that grains fill.
    const double grain = silo.p < 2 ? M_PI / 4 * d * d : M_PI / 6 * d * d * d;
    const double filled = law.factor * grain / (std::sqrt(9.81) * std::pow(d, silo.p));
    fmt::print("  k = {:.2f}, C times filling {:.2f}, largest distance from the law {:.1f} %\n", law.k, filled,
               100 * law.worst);
  }
  fmt::print("\ndrum: friction, slope in degrees (mean over t = 2 .. 4), its standard deviation\n");
  for (const char* mu : {"0", "0.1", "0.3", "0.5", "0.8"}) {
    const scene::Scene scene = example("drum", {{"mu", mu}});
    simulation::Simulation run(scene.model, scene.method);
    const bench::Stopwatch watch;
    double n = 0, sum = 0, squares = 0;
    run.run_until(scene.duration, [&](const simulation::Simulation& now) {
      if (now.time() > 0.5 * scene.duration) {
        const double slope = bench::slope_in_drum(now) * 180 / M_PI;
        n += 1, sum += slope, squares += slope * slope;
      }
      return watch.seconds() < cap;
    });
    fmt::print("{:>6} {:>7.1f} {:>6.1f}   t = {:.2f}, {} a step{}\n", mu, sum / n,
               std::sqrt(std::max(0.0, squares / n - sum * sum / (n * n))), run.time(),
               bench::time_text(watch.seconds() / static_cast<double>(run.counters().steps)),
               run.failure() != nullptr ? ", FAILED" : "");
  }
}

double median(std::vector<double> x) {
  if (x.empty()) return kNone;
  std::ranges::nth_element(x, x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
  return x[x.size() / 2];
}

// Falling, settling.
struct Phase {
  double seconds = 0;
  int steps = 0;
  std::vector<double> residual;
};
using Phases = std::array<Phase, 2>;

#ifdef STICKSLIP_HAVE_SICONOS
// Siconos on the contact problems of every tenth step of our run, started from the same impulses. Collision and assembly
// are not in its time.
template <class Print>
void siconos_rows(double cap, double step, double end, int every, const Print& print) {
  bench::register_recorder();
  scene::Scene own = example("pile", {});
  own.method.solver = "recorded";
  simulation::Simulation run(own.model, own.method);
  std::array<std::vector<bench::RecordedProblem>, 2> problems;
  const bench::Stopwatch all;
  for (int k = 0; run.time() < end - 0.5 * step && all.seconds() < cap && run.failure() == nullptr; ++k) {
    const int phase = run.time() < 0.5 ? 0 : 1;
    bench::record_problems(k % every == 0);
    run.step();
    bench::RecordedProblem recorded = bench::take_recorded();
    if (recorded.problem.contacts() > 0) problems[static_cast<std::size_t>(phase)].push_back(std::move(recorded));
  }
  const double reached = run.time();
  const auto solvers = bench::siconos_solvers(bench::SiconosForm::Friction3d);
  const auto nsgs = std::ranges::find_if(solvers, [](const auto& s) {
    return std::string_view(s.name) == "NSGS" && s.storage == bench::SiconosStorage::Block;
  });
  if (nsgs == solvers.end()) return;
  for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
    Phases phases;
    int late = 0;
    for (std::size_t p = 0; p < 2; ++p)
      for (const bench::RecordedProblem& recorded : problems[p]) {
        const bench::SiconosRun answer = bench::run_siconos(*nsgs, recorded.problem, {tolerance, 1, &recorded.start});
        if (!answer.answered) {
          ++late;
          continue;
        }
        phases[p].seconds += answer.seconds;
        ++phases[p].steps;
        phases[p].residual.push_back(complementarity::contact_residual(recorded.problem, answer.answer).error);
      }
    print(fmt::format("Siconos NSGS, tolerance {:.0e}", tolerance), false, phases, reached);
    if (late > 0) fmt::print("  ({} problems not answered within 1 s, left out)\n", late);
  }
}
#endif

// The pile of examples/pile on every engine: what each leaves of its contact problems, and what a step takes.
void peer_rows(const Settings& settings) {
  const double cap = settings.cap;
  std::vector<bench::Work> work[2];
  constexpr double kStep = 1e-3, kEnd = 1.5;
  constexpr int kJudged = 10;
  const scene::Scene scene = example("pile", {});
  bench::PileData pile;
  for (const scene::Parameter& parameter : scene.parameters)
    if (parameter.name == "side") pile.side = parameter.value;
  for (const model::Body& body : scene.model.bodies)
    if (body.mass > 0) pile.centre.push_back(body.initial.pose.position);
  std::vector<bench::Peer> peers;
  [[maybe_unused]] const auto join = [&](std::vector<bench::Peer> more) {
    peers.insert(peers.end(), more.begin(), more.end());
  };
#ifdef STICKSLIP_HAVE_ODE
  join(bench::ode_peers());
#endif
#ifdef STICKSLIP_HAVE_BULLET
  join(bench::bullet_peers());
#endif
#ifdef STICKSLIP_HAVE_MUJOCO
  join(bench::mujoco_peers());
#endif
  fmt::print(
      "\n100 spheres of examples/pile, step 1 ms, residual by our certificate (median and largest; of peers every "
      "tenth step is judged)\n");
  fmt::print("{:<36} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "", "a step,", "residual", "largest", "a step,",
             "residual", "largest");
  fmt::print("{:<36} {:>10} {:>10} {:>10} {:>10}\n", "", "t < 0.5", "", "", "0.5 to 1.5");
  const auto print = [&](const std::string& name, bool own, const Phases& phase, double reached) {
    fmt::print("{:<36}", name);
    for (std::size_t k = 0; k < 2; ++k)
      if (phase[k].steps > 0)
        work[k].push_back({name, own, median(phase[k].residual), phase[k].seconds / phase[k].steps});
    for (const Phase& p : phase) {
      const double n = p.steps;
      fmt::print(" {:>10} {:>10.1e} {:>10.1e}", bench::time_text(n > 0 ? p.seconds / n : kNone), median(p.residual),
                 n > 0 ? *std::ranges::max_element(p.residual) : kNone);
    }
    fmt::print("{}\n", reached < kEnd - 1e-9 ? fmt::format("   cut off at t = {:.2f}", reached) : "");
  };
  for (const bench::Peer& peer : peers) {
    const std::unique_ptr<bench::PeerPile> run = peer.make(pile);
    Phases phase;
    double t = 0;
    while (t < kEnd - 0.5 * kStep && phase[0].seconds + phase[1].seconds < cap) {
      const auto centre = run->positions();
      const auto before = run->velocities();
      const bench::Stopwatch watch;
      run->step(kStep);
      Phase& now = phase[t < 0.5 ? 0 : 1];
      now.seconds += watch.seconds();
      if (now.steps++ % kJudged == 0)
        now.residual.push_back(bench::peer_residual(pile, centre, before, run->contacts(), kStep));
      t += kStep;
    }
    print(peer.name, false, phase, t);
  }
  for (const bool gives_way : {false, true})
    for (const double certificate : {1e-4, 1e-5, 1e-6, 1e-9}) {
      scene::Scene own = example("pile", {});
      own.method.certificate = certificate;
      if (gives_way) {
        own.method.compliance = stepping::SoftContacts::Normal;
        for (model::Surface& surface : own.model.surfaces) surface.compliance.stiffness_normal = 5e6;
      }
      simulation::Simulation run(own.model, own.method);
      Phases phase;
      const bench::Stopwatch all;
      while (run.time() < kEnd - 0.5 * kStep && all.seconds() < cap && run.failure() == nullptr) {
        Phase& now = phase[run.time() < 0.5 ? 0 : 1];
        const bench::Stopwatch watch;
        const stepping::StepReport report = run.step();
        now.seconds += watch.seconds();
        ++now.steps;
        now.residual.push_back(report.residual);
      }
      print(fmt::format("ours, {}, certificate {:.0e}", gives_way ? "5e6 N/m" : "rigid", certificate), true, phase,
            run.time());
    }
#ifdef STICKSLIP_HAVE_SICONOS
  siconos_rows(cap, kStep, kEnd, kJudged, print);
#endif
  bench::print_verdict("t < 0.5", work[0]);
  bench::print_verdict("t = 0.5 .. 1.5", work[1]);
  if (settings.plot.empty()) return;
  const bench::WorkPanel panels[] = {{"falling, t < 0.5", work[0]}, {"settling, t = 0.5 .. 1.5", work[1]}};
  std::ofstream(settings.plot) << bench::work_plot("100 spheres of examples/pile: work against precision", panels);
  fmt::print("plot: {}\n", settings.plot);
}

int usage(int code) {
  fmt::print(
      "Usage: script/bench piles [PART...] [--cap SECONDS] [--duration SECONDS] [--plot FILE.svg]\n"
      "  parts: rest spheres growth threads memory mesh supports (default: these), laws seeds peers\n"
      "  --cap SECONDS        longest stretch of one row (default 60)\n"
      "  --duration SECONDS   of the runs of seeds, instead of the scenes' own\n"
      "  --plot FILE.svg      of peers: time per step against residual\n");
  return code;
}

}  // namespace

int main(int count, char** arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // rows take minutes
  Settings settings;
  std::vector<std::string> parts;
  struct Part {
    const char* name;
    void (*run)(const Settings& settings);
  };
  constexpr Part kParts[] = {{"rest", rest_rows},        {"spheres", sphere_rows}, {"growth", growth_rows},
                             {"threads", thread_rows},   {"memory", memory_rows},  {"mesh", mesh_rows},
                             {"supports", support_rows}, {"laws", law_rows},       {"seeds", seed_rows},
                             {"peers", peer_rows}};
  constexpr int kByDefault = 7;
  for (int k = 1; k < count; ++k) {
    const std::string argument = arguments[k];
    if (argument == "--cap" && k + 1 < count)
      settings.cap = std::atof(arguments[++k]);
    else if (argument == "--duration" && k + 1 < count)
      settings.duration = std::atof(arguments[++k]);
    else if (argument == "--plot" && k + 1 < count)
      settings.plot = arguments[++k];
    else if (std::ranges::any_of(kParts, [&](const Part& part) { return argument == part.name; }))
      parts.push_back(argument);
    else
      return usage(argument == "--help" ? 0 : 2);
  }
  for (int k = 0; k < static_cast<int>(std::size(kParts)); ++k)
    if (parts.empty() ? k < kByDefault : std::ranges::find(parts, kParts[k].name) != parts.end())
      kParts[k].run(settings);
  return 0;
}
