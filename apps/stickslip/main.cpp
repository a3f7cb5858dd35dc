// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The stickslip command: reads the command line and hands over to one verb. This is the surface at which errors of the
// user become one line on standard error and an exit code.
#include "plugin_loading.h"
#include "verbs.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using stickslip::app::kBadInput;
using stickslip::app::kDone;
using stickslip::app::kFailed;

constexpr const char* kExamples =
    "Examples:\n"
    "  stickslip run examples/ball/scene.toml         simulate; summary, contact modes, recording\n"
    "  stickslip check scene.toml                     validate a scene\n"
    "  stickslip settle scene.toml -o settled.toml    run until all is at rest; written as a scene\n"
    "  stickslip report ball.h5                       a page to look at, ball.html\n"
    "  stickslip plot ball.h5 -x x -y y               figures: paths, curves, fields, maps, against theory\n"
    "  stickslip compare scene.toml                   the same scene under every stepper that can, with a verdict\n"
    "  stickslip converge scene.toml                  ever shorter steps: observed order and error bars\n"
    "  stickslip live scene.toml                      the scene running in the browser, a slider per parameter\n"
    "  stickslip export ball.h5 -o ball.csv           a recording as CSV\n"
    "  stickslip study study.toml --store results.db  sweeps and Monte Carlo: trials with intervals, resumable\n"
    "  stickslip optimise study.toml -o best.toml     search for the best design; written back as a scene\n"
    "  stickslip plan plan.toml                      find a motion between given ends; written as a scene\n"
    "  stickslip sensitivity scene.toml --of mu       derivatives of the observables\n"
    "  stickslip solve problem.json                   solve one problem, print one line\n"
    "  stickslip solve --json problems/*.json.gz      one JSON object per file, for programs\n"
    "  stickslip solve --solver lemke --tol 1e-10 problem.json\n"
    "  stickslip list                                 steppers and solvers by name\n"
    "\n"
    "Exit codes: 0 done and certified, 1 something was not solved, 2 bad input.";

std::string verbs_of(const CLI::App& app) {
  std::string names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names += (names.empty() ? "" : ", ") + verb->get_name();
  return names;
}

int run(int argc, char** argv) {
  CLI::App app{
      "stickslip: bodies that touch, stick, slide, part and collide; every step solved to a certified residual.",
      "stickslip"};
  app.set_version_flag("--version", std::string("stickslip ") + STICKSLIP_VERSION);
  app.footer(kExamples);
  app.require_subcommand(1);
  app.fallthrough();  // --plugin may stand after the verb
  std::vector<std::string> plugins;
  app.add_option("--plugin", plugins, "Shared library that adds steppers, solvers or colliders (docs/plugins.md)")
      ->take_all()
      ->expected(1);
  app.parse_complete_callback([&] {
    for (const std::string& file : plugins) stickslip::app::load_plugin(file);
  });
  int exit_code = kDone;
  stickslip::app::add_run(app, exit_code);
  stickslip::app::add_check(app, exit_code);
  stickslip::app::add_settle(app, exit_code);
  stickslip::app::add_report(app, exit_code);
  stickslip::app::add_plot(app, exit_code);
  stickslip::app::add_compare(app, exit_code);
  stickslip::app::add_converge(app, exit_code);
  stickslip::app::add_live(app, exit_code);
  stickslip::app::add_export(app, exit_code);
  stickslip::app::add_study(app, exit_code);
  stickslip::app::add_optimise(app, exit_code);
  stickslip::app::add_plan(app, exit_code);
  stickslip::app::add_sensitivity(app, exit_code);
  stickslip::app::add_solve(app, exit_code);
  stickslip::app::add_list(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      std::fprintf(stderr, "stickslip: \"%s\" is not a verb; known are %s (see stickslip --help)\n", argv[1],
                   verbs_of(app).c_str());
      return kBadInput;
    }
    std::fprintf(stderr, "stickslip: %s (see stickslip --help)\n", error.what());
    return kBadInput;
  } catch (const stickslip::app::PluginError& error) {
    std::fprintf(stderr, "stickslip: %s\n", error.what());
    return kBadInput;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files: the write fails and is reported as on a full disk
  try {
    const int exit_code = run(argc, argv);
    // A full disk or a closed pipe must not pass for success.
    if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && exit_code == kDone) {
      std::fprintf(stderr, "stickslip: standard output cannot be written\n");
      return kFailed;
    }
    return exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stickslip: %s\n", error.what());
    return kFailed;
  }
}
