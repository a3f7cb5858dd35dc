// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip study FILE: runs the trials of a study and keeps their results in a store. stickslip study status, export,
// map and show read a store.
#include "common_options.h"
#include "figures.h"
#include "outputs.h"
#include "study_report.h"
#include "study_run.h"
#include "verbs.h"

#include "stickslip/files/output_file.h"
#include "stickslip/study/csv.h"
#include "stickslip/study/heat_map.h"

#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::app {
namespace {

constexpr const char* kStudyExamples =
    "A study file names a scene, what varies in it, and what counts as success (docs/studies.md). Trials run on all\n"
    "cores; each finished one is a row of the store, an SQLite file. An interrupted study continues when the same "
    "command\n"
    "is given again; the result depends neither on threads nor on interruptions.\n"
    "\n"
    "Examples:\n"
    "  stickslip study examples/ball/study.toml                         results in ball-study.db\n"
    "  stickslip study study.toml --store results.db --threads 4\n"
    "  stickslip study study.toml --set mu=0.5 --set method.step=5e-4 --set trials=50 --store other.db\n"
    "  stickslip study status results.db                                progress, estimates, failures by cause\n"
    "  stickslip study export results.db -o results.csv                 one line per trial\n"
    "  stickslip study map results.db -o map.svg                        heat map of a study over two grids\n"
    "  stickslip study show results.db 17 -o trial.h5                   run trial 17 again, with a recording\n"
    "  mpirun -n 64 stickslip study study.toml --store results.db       on many machines\n"
    "\n"
    "Exit codes: 0 all trials are there, 1 some of them have a step that no solver certified, or the store could not "
    "be\n"
    "written, 2 bad input (study, scene, or a store that belongs to another study).";

constexpr const char* kStatusExamples =
    "Also while the study is running. Rates of success have Wilson's interval, means of the objective Student's, both "
    "at\n"
    "95 %. Failures with the same cause are one line with the range of the parameters at which they happened.\n"
    "\n"
    "Examples:\n"
    "  stickslip study status results.db\n"
    "  stickslip study status results.db --json            for programs\n"
    "\n"
    "Exit codes: 0 done, 2 not a store.";

constexpr const char* kStudyExportExamples =
    "Columns: trial, group, repeat, the varied parameters, the observables, status, cause, success, objective, "
    "end_time,\n"
    "residual, steps; numbers with all their digits.\n"
    "\n"
    "Examples:\n"
    "  stickslip study export results.db -o results.csv\n"
    "  stickslip study export results.db --cost            also the seconds of each trial\n"
    "\n"
    "Exit codes: 0 done, 1 the file could not be written, 2 not a store.";

constexpr const char* kMapExamples =
    "One cell per pair of values of the two largest grids of the study, coloured by the estimate, and beside it the "
    "width\n"
    "of its 95 % interval; further grids and lists: a pair of maps for each of their values. In an SVG, each cell "
    "names\n"
    "its numbers while the pointer rests on it.\n"
    "\n"
    "Examples:\n"
    "  stickslip study map grasp.db -o grasp.svg\n"
    "  stickslip study map grasp.db -o turn.pdf --value turn        an observable instead of success\n"
    "\n"
    "Exit codes: 0 done, 1 the file could not be written, 2 bad input (no store, or no two grids).";

constexpr const char* kShowExamples =
    "A trial is its scene, parameters and seed: it runs again with the same bits, this time with a recording. Prints "
    "the\n"
    "--set arguments with which stickslip run would do the same.\n"
    "\n"
    "Examples:\n"
    "  stickslip study show results.db 17                  writes trial-17.h5\n"
    "  stickslip report trial-17.h5                        the page to look at\n"
    "\n"
    "Exit codes: 0 done, 1 a step was not certified, 2 bad input (no store, no such trial, or the study has changed).";

// Set by mpirun (OpenMPI) and by srun --mpi=pmix.
bool under_mpi() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
}

// The program with MPI lies beside this one and takes the same arguments. Returns only when it cannot be started.
int hand_over_to_mpi() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path other = self.parent_path() / "stickslip-mpi";
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(other.c_str(), arguments.data());
  fmt::print(stderr, "stickslip: {} is needed for studies under mpirun, but was not built (OpenMPI)\n", other.string());
  return kFailed;
}

// Runs a command on a store; what is wrong with the store is one line.
int with_store(const std::string& file, const std::function<int(study::Store&)>& action) {
  try {
    const std::unique_ptr<study::Store> store = study::Store::open(file);
    return action(*store);
  } catch (const study::StoreError& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return error.refused() ? kBadInput : kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  }
}

int written(const std::function<void()>& write) {
  try {
    write();
    return kDone;
  } catch (const study::StoreError&) {
    throw;
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kFailed;
  }
}

int export_store(const std::string& file, const std::string& output, bool cost, bool force) {
  return with_store(file, [&](study::Store& store) {
    if (output.empty()) {  // main() looks after standard output
      study::write_csv(store, {cost}, [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); });
      return static_cast<int>(kDone);
    }
    Outputs({file}, force).claim(output, OutputKind::Csv);
    return written([&] {
      files::OutputFile out(output);
      study::write_csv(store, {cost}, [&](std::string_view text) { out.stream() << text; });
      out.commit();
    });
  });
}

int map_store(const std::string& file, const std::string& output, const std::string& value, const std::string& study,
              bool force) {
  return with_store(file, [&](study::Store& store) {
    const std::string study_file = study.empty() ? store.header().study_file : study;
    Outputs({file, study_file}, force).claim(output, figure_kind(output));
    const study::Study source = study::load_study(study_file);
    const report::Figure figure = map_figure(study::heat_map_of(store, source, value));
    return written([&] { write_figure(output, figure); });
  });
}

// The store is an argument or --store, as the user likes.
struct StoreArgument {
  std::string positional, option;
  [[nodiscard]] const std::string& file() const { return option.empty() ? positional : option; }
  void add_to(CLI::App& verb) {
    verb.add_option("STORE", positional, "Store of a study (SQLite)");
    verb.add_option("--store", option, "The same");
  }
  [[nodiscard]] bool missing() const {
    if (!file().empty()) return false;
    fmt::print(stderr, "stickslip: which store? (see stickslip study --help)\n");
    return true;
  }
};

void add_status(CLI::App& study, int& exit_code) {
  struct Options {
    StoreArgument store;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = study.add_subcommand("status", "Progress, estimates with intervals, failures by cause");
  verb->footer(kStatusExamples);
  options->store.add_to(*verb);
  add_json_option(*verb, options->json);
  verb->callback([options, &exit_code] {
    if (options->store.missing()) {
      exit_code = kBadInput;
      return;
    }
    exit_code = with_store(options->store.file(), [&](study::Store& store) {
      if (options->json)
        print_study_json(store);
      else
        print_study_report(store);
      return static_cast<int>(kDone);
    });
  });
}

void add_study_export(CLI::App& study, int& exit_code) {
  struct Options {
    StoreArgument store;
    std::string output;
    bool cost = false, force = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      study.add_subcommand("export", "The trials as CSV, in their order: the same bytes for the same study");
  verb->footer(kStudyExportExamples);
  options->store.add_to(*verb);
  verb->add_option("-o,--output", options->output, "File (default: standard output)");
  add_force_option(*verb, options->force);
  verb->add_flag("--cost", options->cost, "Also the seconds of each trial, which differ from run to run");
  verb->callback([options, &exit_code] {
    exit_code = options->store.missing()
                    ? static_cast<int>(kBadInput)
                    : export_store(options->store.file(), options->output, options->cost, options->force);
  });
}

void add_map(CLI::App& study, int& exit_code) {
  struct Options {
    StoreArgument store;
    std::string output = "map.svg", value, study;
    bool force = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = study.add_subcommand("map", "Heat map with intervals of a study over two grids: .svg, .png or .pdf");
  verb->footer(kMapExamples);
  options->store.add_to(*verb);
  verb->add_option("-o,--output", options->output, "File")->capture_default_str();
  add_force_option(*verb, options->force);
  verb->add_option("--value", options->value,
                   "success, objective or an observable (default: success, if there is one)");
  verb->add_option("--study", options->study, "The study file, when it was moved");
  verb->callback([options, &exit_code] {
    exit_code = options->store.missing()
                    ? static_cast<int>(kBadInput)
                    : map_store(options->store.file(), options->output, options->value, options->study, options->force);
  });
}

void add_show(CLI::App& study, int& exit_code) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* verb = study.add_subcommand("show", "Run one trial again, with a recording");
  verb->footer(kShowExamples);
  verb->add_option("STORE", options->store, "Store of a study (SQLite)")->required();
  verb->add_option("TRIAL", options->trial, "Number of the trial")->required();
  verb->add_option("-o,--output", options->output, "Recording (default: trial-NUMBER.h5)");
  add_force_option(*verb, options->force);
  add_set_option(*verb, options->set, "As it was given to the study");
  verb->add_option("--study", options->study, "The study file, when it was moved");
  verb->callback([options, &exit_code] {
    exit_code = with_store(options->store, [&](study::Store& store) { return show_trial(store, *options); });
  });
}

}  // namespace

void add_study_options(CLI::App& verb, StudyOptions& options) {
  verb.add_option("FILE", options.file, "Study file (TOML)");
  verb.add_option("--store", options.store, "Results (default: named after the study)");
  add_set_option(verb, options.set, kStudySet);
  add_threads_option(verb, options.threads);
  add_json_option(verb, options.json);
  verb.add_flag("--quiet", options.quiet, "No progress");
  verb.add_flag("--compare-naive", options.naive,
                "With stages: afterwards the last stage alone for every design; prints what the stages saved");
}

void add_study(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* verb = app.add_subcommand("study", "Run the trials of a study; status, export, show of its store");
  verb->footer(kStudyExamples);
  add_study_options(*verb, *options);
  add_status(*verb, exit_code);
  add_study_export(*verb, exit_code);
  add_map(*verb, exit_code);
  add_show(*verb, exit_code);
  verb->require_subcommand(0, 1);
  verb->callback([options, verb, &exit_code] {
    if (!verb->get_subcommands().empty()) return;
    if (options->file.empty()) {
      fmt::print(stderr, "stickslip: which study? (see stickslip study --help)\n");
      exit_code = kBadInput;
      return;
    }
    exit_code = under_mpi() ? hand_over_to_mpi() : run_study_verb(*options);
  });
}

}  // namespace stickslip::app
