// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip report FILE.h5: a recording as a page to look at.
#include "verbs.h"

#include "stickslip/report/page.h"
#include "stickslip/report/still.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace stickslip::app {
namespace {

constexpr const char* kExamples =
    "The page is one HTML file that opens from disk without a network: animation, contact modes, plots, scene and\n"
    "certificate. Several recordings become one page with a choice of runs. Long runs are thinned out to what a\n"
    "screen can show; the recording keeps everything.\n"
    "\n"
    "Examples:\n"
    "  stickslip report ball.h5                     writes ball.html\n"
    "  stickslip report slow.h5 fast.h5 -o both.html\n"
    "  stickslip report ball.h5 --svg               frames, modes and curves as one picture, ball.svg\n"
    "  stickslip report ball.h5 --png --at 0.1 --at 0.5 --no-charts -o two.png\n"
    "\n"
    "Exit codes: 0 done, 1 the page cannot be written, 2 bad input.";

struct ReportOptions {
  std::vector<std::string> files;
  std::string output;
  bool svg = false, png = false;
  report::StillOptions still;
};

// Beside and renamed: nobody ever sees half a file.
void write_file(const std::string& path, const std::string& content) {
  const std::string temporary = path + ".part";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << content;
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(temporary, path, error);
  if (!out || error) {
    std::filesystem::remove(temporary, error);
    throw std::runtime_error(fmt::format("cannot write {}", path));
  }
}

int write_report(const ReportOptions& options) {
  std::vector<std::unique_ptr<recording::Recording>> recordings;
  std::vector<report::RunData> data;
  try {
    for (const std::string& file : options.files) {
      recordings.push_back(std::make_unique<recording::Recording>(file));
      try {
        data.push_back(report::prepare(*recordings.back()));
      } catch (const recording::RecordingError& error) {
        throw recording::RecordingError(fmt::format("{}: {}", file, error.what()));
      }
    }
  } catch (const recording::RecordingError& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  }
  const bool still = options.svg || options.png;
  if (still && data.size() > 1) {
    fmt::print(stderr, "stickslip: a picture shows one recording; {} were given\n", data.size());
    return kBadInput;
  }
  std::vector<report::NamedRun> runs;
  for (std::size_t k = 0; k < data.size(); ++k)
    runs.push_back({std::filesystem::path(options.files[k]).stem().string(), &data[k]});
  using report::Painter;
  const std::string page =
      still ? report::draw_still(data[0], options.svg ? Painter::Format::Svg : Painter::Format::Png, options.still)
            : report::runs_page(runs);
  const char* extension = options.svg ? "svg" : options.png ? "png" : "html";
  const std::string output = options.output.empty()
                                 ? std::filesystem::path(options.files.front()).replace_extension(extension).string()
                                 : options.output;
  try {
    write_file(output, page);
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kFailed;
  }
  fmt::print("{}: {} ({:.2f} MB)\n", still ? "picture" : "page", output, static_cast<double>(page.size()) / 1e6);
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Write a recording as a page to look at");
  verb->footer(kExamples);
  verb->add_option("FILE", options->files, "Recording (HDF5), one or more")->required();
  verb->add_option("-o,--output", options->output, "File to write (default: named after the first recording)");
  CLI::Option* svg = verb->add_flag("--svg", options->svg, "A picture instead of a page, as SVG");
  verb->add_flag("--png", options->png, "A picture instead of a page, as PNG")->excludes(svg);
  verb->add_option("--at", options->still.times, "Pictures: a time to show; may be given several times");
  verb->add_option("--frames", options->still.frames, "Pictures: frames over the run, where no times are given")
      ->check(CLI::Range(1, 60))
      ->capture_default_str();
  verb->add_flag("!--no-charts", options->still.charts, "Pictures: frames only");
  verb->callback([options, &exit_code] { exit_code = write_report(*options); });
}

}  // namespace stickslip::app
