// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip export FILE.h5: a recording as CSV.
#include "outputs.h"
#include "verbs.h"

#include "stickslip/files/output_file.h"
#include "stickslip/recording/recording.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

namespace stickslip::app {
namespace {

constexpr const char* kExportExamples =
    "One line per recorded frame: time, pose and velocity of every body, and the observables. (The trials of a study:\n"
    "stickslip study export.)\n"
    "\n"
    "Examples:\n"
    "  stickslip export ball.h5 -o ball.csv\n"
    "  stickslip export ball.h5 | head -1                  the names of the columns\n"
    "\n"
    "Exit codes: 0 done, 1 the file could not be written, 2 not a recording.";

struct ExportOptions {
  std::string file, output;
  bool force = false;
};

int export_recording(const ExportOptions& options) {
  if (!options.output.empty()) Outputs({options.file}, options.force).claim(options.output, OutputKind::Csv);
  const recording::Recording recording(options.file);
  if (recording.end().empty())
    fmt::print(stderr, "stickslip: {}: the run did not finish; {} frames are complete\n", options.file,
               recording.frames());
  if (options.output.empty()) {
    export_csv(recording, std::cout);
    std::cout.flush();
    return std::cout ? kDone : kFailed;
  }
  files::OutputFile out(options.output);
  export_csv(recording, out.stream());
  out.commit();
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand("export", "Write a recording as CSV");
  verb->footer(kExportExamples);
  verb->add_option("FILE", options->file, "Recording (HDF5)")->required();
  verb->add_option("-o,--output", options->output, "CSV file (default: standard output)");
  add_force_option(*verb, options->force);
  verb->callback([options, &exit_code] { exit_code = export_recording(*options); });
}

}  // namespace stickslip::app
