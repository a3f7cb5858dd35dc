// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip run SCENE: simulate. stickslip check SCENE: validate only.
#include "common_options.h"
#include "outputs.h"
#include "run_report.h"
#include "run_session.h"
#include "verbs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

namespace stickslip::app {
namespace {

constexpr const char* kRunExamples =
    "The scene file is described in docs/scene-reference.md. The run is recorded (HDF5) as it goes; a run that is "
    "killed\n"
    "leaves a readable recording. Every step is certified. A step that no solver certifies is tried in halves,\n"
    "quarters and eighths, then taken at certificate_at_worst and counted; one that is still not certified ends the\n"
    "run with exit code 1, and its contact problem is saved for stickslip solve. So does a step after which the audit\n"
    "does not hold: bodies overlap, contacts added energy, forces do not explain the motion, the state is not finite.\n"
    "\n"
    "Examples:\n"
    "  stickslip run examples/meter-stick/scene.toml\n"
    "  stickslip run scene.toml --set mu=0.4 --set method.step=1e-4 -o out.h5\n"
    "  stickslip run scene.toml --json --no-record\n"
    "  stickslip run examples/meter-stick/scene.toml --forces   forces at the end, and which of them are unique\n"
    "  stickslip run examples/rolling/scene.toml --error-bars   each observable +- its error, half the cost more\n"
    "  stickslip run scene.toml --checkpoint run.ckpt          and later: --resume run.ckpt\n"
    "\n"
    "Exit codes: 0 done and certified, 1 the run failed (what was recorded is kept), 2 bad input.";

constexpr const char* kCheckExamples =
    "Reads the scene as run does: keys and values, expressions and names in them, shapes and masses, prescribed "
    "motion\n"
    "over the whole run, and whether bodies overlap at the start. One line says what is wrong, with file, line, "
    "column\n"
    "and the nearest known name; nothing is written.\n"
    "\n"
    "Examples:\n"
    "  stickslip check examples/ball/scene.toml\n"
    "  stickslip check scene.toml --set mu=-1              would this value be accepted?\n"
    "\n"
    "Exit codes: 0 the scene is good, 2 it is not.";

int run_scene(const RunOptions& options) {
  std::unique_ptr<RunSession> session;
  try {
    session = std::make_unique<RunSession>(options);
  } catch (const scene::SceneError& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  } catch (const AccuracyError& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kFailed;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "stickslip: {}: {}\n", options.scene, error.what());
    return kBadInput;
  } catch (const std::exception& error) {  // a recording or checkpoint that cannot be used
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  }
  RunEnd end = RunEnd::Finished;
  try {
    end = session->run();
  } catch (const scene::SceneError& error) {  // an expression that is not a number; it says when
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kFailed;
  } catch (const std::exception& error) {  // a full disk
    fmt::print(stderr, "stickslip: at t = {:.9g}: {}\n", session->simulation().time(), error.what());
    return kFailed;
  }
  if (options.json)
    print_run_json(*session, end);
  else
    print_run_report(*session, end);
  if (end != RunEnd::Uncertified) return kDone;
  const stepping::StepFailure& failure = *session->simulation().failure();
  if (!failure.reason.empty()) {
    fmt::print(stderr, "stickslip: {}: at t = {:.9g}: {}\n", options.scene, failure.time, failure.reason);
    return kFailed;
  }
  fmt::print(
      stderr,
      "stickslip: {}: the step at t = {:.9g} with {} contacts was not certified (residual {:.2e} by {}); its "
      "problem is in {}. What helps: a smaller method.step, or a larger method.certificate_at_worst (now {:g})\n",
      options.scene, failure.time, failure.contacts.size(), failure.residual, failure.solver,
      session->failed_problem_path(), session->simulation().method().certificate_at_worst);
  return kFailed;
}

int check_scene(const RunOptions& options) {
  RunOptions quiet = options;
  quiet.record = false;
  quiet.find_step = false;
  try {
    const RunSession session(quiet);
    const scene::Scene& scene = session.scene();
    fmt::print("{}: good. {} bodies, {} parameters, {} observables, duration {:.6g}, {} with step {:.6g}\n",
               options.scene, scene.model.bodies.size(), scene.parameters.size(), scene.observables.size(),
               scene.duration, stepper_text(scene), scene.method.step);
    return kDone;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  }
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("run", "Simulate a scene");
  verb->footer(kRunExamples);
  verb->add_option("SCENE", options->scene, "Scene file (TOML)")->required();
  add_set_option(*verb, options->set, "name=value: a parameter, duration, or method.KEY");
  verb->add_option("-o,--output", options->output, "Recording (default: named after the scene)");
  verb->add_flag("!--no-record", options->record, "Write no recording");
  add_force_option(*verb, options->force);
  add_json_option(*verb, options->json);
  verb->add_flag(
      "--forces", options->forces,
      "Contact forces at the end: which of them the motion determines, the range of the others, and how well "
      "the forces of all steps balance");
  auto no_audit = std::make_shared<bool>(false);
  verb->add_flag("--no-audit", *no_audit,
                 "Run without the audit of overlaps, energy and momentum (method.audit = off)");
  verb->add_flag("--allow-overlap", options->allow_overlap, "Move bodies apart that overlap at the start");
  verb->add_option("--checkpoint", options->checkpoint, "Save a checkpoint at intervals and at the end");
  verb->add_option("--checkpoint-every", options->checkpoint_every, "Seconds of wall time between checkpoints")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--resume", options->resume,
                   "Continue from a checkpoint; the result has the same bits as an uninterrupted run");
  auto threads = std::make_shared<int>(0);
  verb->add_option("--threads", *threads,
                   "Islands of contacts solved at the same time (method.threads); the result does not depend on it")
      ->check(CLI::Range(1, 1024));
  auto bars = std::make_shared<bool>(false);
  verb->add_flag("--error-bars", *bars,
                 "Each observable +- its error, from runs with three and six times the step beside the run "
                 "(method.error_bars = on)");
  verb->callback([options, threads, no_audit, bars, &exit_code] {
    if (*bars) options->set.emplace_back("method.error_bars=on");
    if (*no_audit) options->set.emplace_back("method.audit=off");
    if (*threads > 0) options->set.push_back(fmt::format("method.threads={}", *threads));
    exit_code = run_scene(*options);
  });
}

void add_check(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* verb = app.add_subcommand("check", "Validate a scene without running it");
  verb->footer(kCheckExamples);
  verb->add_option("SCENE", options->scene, "Scene file (TOML)")->required();
  add_set_option(*verb, options->set);
  verb->add_flag("--allow-overlap", options->allow_overlap, "Accept bodies that overlap at the start");
  verb->callback([options, &exit_code] { exit_code = check_scene(*options); });
}

}  // namespace stickslip::app
