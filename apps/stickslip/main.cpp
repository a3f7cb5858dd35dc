// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The stickslip command: reads the command line and hands over to one verb. This is the surface at which errors of the
// user become one line on standard error and an exit code.
#include "outputs.h"
#include "plugin_file.h"
#include "plugin_loading.h"
#include "terminal.h"
#include "verbs.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/files/scene_error.h"
#include "stickslip/recording/recording_error.h"
#include "stickslip/stepping/method_fields.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <sstream>
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
    "  stickslip settle scene.toml -o settled.toml    let the bodies come to rest; writes a scene\n"
    "  stickslip report ball.h5                       an HTML page, ball.html\n"
    "  stickslip plot ball.h5 -x x -y y               figures: paths, curves, fields, maps, against theory\n"
    "  stickslip compare scene.toml                   the same scene under all steppers that fit, with a verdict\n"
    "  stickslip converge scene.toml                  ever shorter steps: observed order and error bars\n"
    "  stickslip live scene.toml                      the scene runs in the browser, with a slider per parameter\n"
    "  stickslip export ball.h5 -o ball.csv           a recording as CSV\n"
    "  stickslip study study.toml --store results.db  sweeps and Monte Carlo: trials with intervals, resumable\n"
    "  stickslip optimise study.toml -o best.toml     search for the best design; written back as a scene\n"
    "  stickslip plan plan.toml                       find a motion between given ends; written as a scene\n"
    "  stickslip sensitivity scene.toml --of mu       derivatives of the observables\n"
    "  stickslip solve problem.json                   solve one problem, print one line\n"
    "  stickslip solve --json problems/*.json.gz      one JSON object per file, for programs\n"
    "  stickslip solve --solver lemke --tol 1e-10 problem.json\n"
    "  stickslip list                                 steppers and solvers by name\n"
    "  stickslip completion bash                      shell completion (also zsh, fish) and the manual page\n"
    "\n"
    "Exit codes: 0 done and certified, 1 something was not solved, 2 bad input.";

// Descriptions of options that are longer than the line go on below their beginning.
class HelpFormatter : public CLI::Formatter {
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr int kUsual = 120, kLeast = 20;
    const int terminal = stickslip::app::terminal_columns(STDOUT_FILENO);
    const int left = (terminal > 0 ? terminal : kUsual) - static_cast<int>(get_column_width());
    return stickslip::app::wrapped(CLI::Formatter::make_option_desc(option),
                                   static_cast<std::size_t>(std::max(left, kLeast)));
  }
};

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::string verbs_of(const CLI::App& app) {
  std::string names;
  for (const std::string& name : verb_names(app)) names += (names.empty() ? "" : ", ") + name;
  return names;
}

// The first word that looks like an option and that the chosen verb does not know; empty: none.
std::string unknown_option(const CLI::App& app, int argc, char** argv, std::vector<std::string>& known) {
  known = {"--help", "--version", "--plugin"};
  for (const CLI::App* verb = &app; verb != nullptr;) {
    for (const CLI::Option* option : verb->get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    const auto chosen = verb->get_subcommands();
    verb = chosen.empty() ? nullptr : chosen.front();
  }
  for (int i = 1; i < argc; ++i) {
    const std::string given = argv[i], word = given.substr(0, given.find('='));
    if (word.starts_with("--") && word.size() > 2 && std::ranges::find(known, word) == known.end()) return word;
  }
  return {};
}

// "study staus results.db": the word after a verb that has verbs of its own; empty: it is not near to one of them.
std::string near_sub_verb(const CLI::App& app, int argc, char** argv) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty() || !chosen.front()->get_subcommands().empty()) return {};
  const std::string verb = chosen.front()->get_name();
  for (int i = 1; i + 1 < argc; ++i) {
    if (argv[i] != verb) continue;
    const std::string word = argv[i + 1];
    const std::string near = stickslip::expression::did_you_mean(word, verb_names(*chosen.front()));
    if (near.empty()) return {};
    return "\"" + word + "\" is not a verb of " + verb + "; " + near + " (see stickslip " + verb + " --help)";
  }
  return {};
}

// One line on what is wrong with the command line.
std::string complaint(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto chosen = app.get_subcommands();
  if (argc > 1 && argv[1][0] != '-' && chosen.empty()) {
    const std::string near = stickslip::expression::did_you_mean(argv[1], verb_names(app));
    return std::string("\"") + argv[1] + "\" is not a verb; " + (near.empty() ? "known are " + verbs_of(app) : near) +
           " (see stickslip --help)";
  }
  if (argc == 1) return "a verb is missing; known are " + verbs_of(app) + " (see stickslip --help)";
  if (const std::string near = near_sub_verb(app, argc, argv); !near.empty()) return near;
  const std::string help = chosen.empty() ? "stickslip --help" : "stickslip " + chosen.front()->get_name() + " --help";
  std::vector<std::string> known;
  if (const std::string word = unknown_option(app, argc, argv, known); !word.empty()) {
    std::string near = stickslip::expression::did_you_mean(word, known);
    std::vector<std::string> fields;  // what one may take for an option of its own
    stickslip::stepping::visit_fields(stickslip::stepping::Method(), [&](const auto& info, const auto&) {
      fields.push_back("--" + std::string(info.name));
    });
    if (const std::string field = stickslip::expression::nearest_name(word, fields); near.empty() && !field.empty())
      near = "did you mean '--set method." + field.substr(2) + "=...'?";
    return "unknown option " + word + (near.empty() ? "" : "; " + near) + " (see " + help + ")";
  }
  return error.what() + (" (see " + help + ")");
}

// What the user can put right, not the machine.
bool is_bad_input(const std::exception& error) {
  return dynamic_cast<const stickslip::files::SceneError*>(&error) != nullptr ||
         dynamic_cast<const stickslip::recording::RecordingError*>(&error) != nullptr ||
         dynamic_cast<const stickslip::app::OutputError*>(&error) != nullptr ||
         dynamic_cast<const stickslip::app::PluginError*>(&error) != nullptr;
}

int run(int argc, char** argv) {
  CLI::App app{
      "stickslip: bodies that touch, stick, slide, part and collide; every step solved to a certified residual.",
      "stickslip"};
  app.set_version_flag("--version", std::string("stickslip ") + STICKSLIP_VERSION);
  app.footer(kExamples);
  app.formatter(std::make_shared<HelpFormatter>());  // before the verbs, which inherit it
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
  stickslip::app::add_completion(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    const int code = app.exit(request, text, text);
    std::fputs(text.str().c_str(), stdout);
    return code;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "stickslip: %s\n", complaint(app, error, argc, argv).c_str());
    return kBadInput;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  stickslip::app::fold_standard_output();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files: the write fails and is reported as on a full disk
  try {
    const int exit_code = run(argc, argv);
    // A full disk or a closed pipe must not pass for success.
    if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && exit_code == kDone) {
      std::fprintf(stderr, "stickslip: standard output cannot be written\n");
      return kFailed;
    }
    return exit_code;
  } catch (const std::exception& error) {  // verbs catch what they have more to say about
    std::fprintf(stderr, "stickslip: %s\n", error.what());
    return is_bad_input(error) ? kBadInput : kFailed;
  }
}
