// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip-mpi study FILE ...: the study verb under mpirun. `mpirun stickslip study ...` starts this program, so that
// the command itself needs no MPI. stickslip-mpi worker FILE SET... runs the trials of one rank and has no MPI either.
#include "apps/stickslip/batch.h"
#include "apps/stickslip/study_run.h"
#include "apps/stickslip/verbs.h"

#include "stickslip/study_mpi/mpi_study.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string_view>

namespace {

using namespace stickslip;

int lead(const study::MpiWorld& world, const app::StudyOptions& options) {
  bool started = false, ended = false;
  const int exit_code = app::run_study_verb(options, [&](study::Session& session, const study::TrialRunner& runner) {
    started = true;
    static_cast<void>(world.broadcast(runner.document().text));
    if (world.size() == 1)
      study::run_threads(session, runner, options.threads > 0 ? options.threads : 1);
    else
      study::lead(world, session);
    ended = true;
  });
  if (!started) static_cast<void>(world.broadcast(""));
  // The store failed: the others still wait for work.
  if (started && !ended) {
    std::fflush(nullptr);
    world.abort(exit_code);
  }
  return exit_code;
}

int serve(const std::string& file, const std::vector<std::string>& set) {
  const study::Study study = study::load_study(file, app::overrides_of(set));
  study::serve_trials(study, study::TrialRunner(study));
  return app::kDone;
}

int follow(const study::MpiWorld& world, const app::StudyOptions& options) {
  try {
    const study::Study study = study::load_study(options.file, app::overrides_of(options.set));
    const study::TrialRunner runner(study);
    const std::string theirs = world.broadcast("");
    if (theirs.empty()) return app::kDone;  // rank 0 says why
    if (theirs != runner.document().text) {
      fmt::print(stderr, "stickslip: {} is not the same scene on all machines\n", study.scene_file.string());
      world.abort(app::kBadInput);
    }
    study::WorkerProcess worker(std::filesystem::read_symlink("/proc/self/exe"), options.file, options.set, theirs);
    study::follow(worker);
  } catch (const scene::SceneError& error) {
    if (world.broadcast("").empty()) return app::kDone;  // rank 0 says the same
    fmt::print(stderr, "stickslip: {}\n", error.what());
    world.abort(app::kBadInput);
  }
  return app::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc >= 3 && std::string_view(argv[1]) == "worker") return serve(argv[2], {argv + 3, argv + argc});
    const study::MpiWorld world(argc, argv);
    CLI::App command{"stickslip-mpi: studies under mpirun (started by mpirun stickslip study)", "stickslip-mpi"};
    app::StudyOptions options;
    CLI::App* verb = command.add_subcommand("study", "Run the trials of a study on many machines");
    app::add_study_options(*verb, options);
    command.require_subcommand(1);
    try {
      command.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (world.rank() == 0) command.exit(error);
      return error.get_exit_code() == 0 ? app::kDone : app::kBadInput;
    }
    try {
      world.leave(world.rank() == 0 ? lead(world, options) : follow(world, options));
    } catch (const std::exception& error) {
      fmt::print(stderr, "stickslip: {}\n", error.what());
      world.abort(app::kFailed);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return app::kFailed;
  }
}
