// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip report FILE.h5: a recording, or the store of a study, as a page to look at.
#include "figures.h"
#include "outputs.h"
#include "page_runs.h"
#include "terminal.h"
#include "verbs.h"
#include "video.h"

#include "stickslip/files/output_file.h"
#include "stickslip/files/regular_file.h"
#include "stickslip/report/page.h"
#include "stickslip/report/still.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace stickslip::app {
namespace {

constexpr const char* kExamples =
    "The page is one HTML file that opens from disk without a network: animation, contact modes, plots, scene and\n"
    "certificate. Several recordings become one page with a choice of runs. Long runs are thinned out to what a\n"
    "screen can show; the recording keeps everything.\n"
    "The page of a study shows maps, histograms with intervals, all trials, and replays of the best and worst of "
    "them.\n"
    "\n"
    "Examples:\n"
    "  stickslip report ball.h5                     writes ball.html\n"
    "  stickslip report slow.h5 fast.h5 -o both.html\n"
    "  stickslip report slow.h5 fast.h5 --compare -o both.html\n"
    "  stickslip report results.db                  a study: writes results.html\n"
    "  stickslip report results.db --trial 17       with trial 17 to be watched on the page\n"
    "  stickslip report ball.h5 --svg               frames, modes and curves as one picture, ball.svg\n"
    "  stickslip report ball.h5 --video ball.webm   the motion as a video, where there is Chromium\n"
    "  stickslip report ball.h5 --png --at 0.1 --at 0.5 --no-charts -o two.png\n"
    "\n"
    "Exit codes: 0 done, 1 the page cannot be written, 2 bad input.";

struct ReportOptions {
  std::vector<std::string> files;
  std::string output, study, view = "oblique", video;
  double seconds = 0;                // of the video; 0: as the page plays
  std::vector<std::int64_t> trials;  // of a study, to be replayed on its page
  bool svg = false, png = false, force = false, compare = false, open = false, replays = true;
  report::StillOptions still;
};

using Content = std::string;  // of the file to write

// Throws where a time is none of the recording's.
void check_times(const std::vector<double>& wanted, const std::vector<double>& recorded) {
  const double begin = recorded.front(), end = recorded.back();
  const double slack = 1e-6 * (end - begin);  // times as people type them, and sums of steps, are rounded
  for (const double t : wanted)
    if (!(t >= begin - slack && t <= end + slack))
      throw std::invalid_argument(
          fmt::format("--at {:.9g} is outside the recording, which goes from {:.9g} to {:.9g}", t, begin, end));
}

Content page_of_recordings(const ReportOptions& options) {
  std::vector<std::unique_ptr<recording::Recording>> recordings;
  std::vector<report::RunData> data;
  for (const std::string& file : options.files) {
    recordings.push_back(std::make_unique<recording::Recording>(file));
    try {
      data.push_back(report::prepare(*recordings.back()));
    } catch (const recording::RecordingError& error) {
      throw recording::RecordingError(fmt::format("{}: {}", file, error.what()));
    }
  }
  if (options.svg || options.png) {
    check_times(options.still.times, recordings.front()->time());
    const auto format = options.svg ? report::Painter::Format::Svg : report::Painter::Format::Png;
    report::StillOptions still = options.still;
    still.view = report::view_of(options.view);
    return report::draw_still(data.front(), format, still);
  }
  std::vector<report::NamedRun> runs;
  for (std::size_t k = 0; k < data.size(); ++k)
    runs.push_back({std::filesystem::path(options.files[k]).stem().string(), &data[k]});
  return options.compare ? report::comparison_page(runs) : report::runs_page(runs);
}

// The best trial, the worst one and those that were asked for, run again.
void record_trials(const ReportOptions& options, study::Store& store, const std::optional<study::Study>& source,
                   report::StudyData& data, PageRuns& runs) {
  if (!options.replays) {
    data.without_replays = "--no-replays";
    return;
  }
  if (!source) {
    data.without_replays = "the study file is not where it was; stickslip report --study FILE replays trials";
    return;
  }
  if (study::header_of(*source, study::TrialRunner(*source), STICKSLIP_VERSION).meaning != store.header().meaning) {
    data.without_replays =
        "the study or the program has changed since the store was made, or the study was run with --set";
    return;
  }
  std::vector<std::int64_t> trials;
  if (!data.best.empty()) trials.push_back(data.best.front().trial.index);
  if (!data.worst.empty()) trials.push_back(data.worst.front().trial.index);
  for (const std::int64_t trial : options.trials) {
    if (trial >= source->total())
      throw std::invalid_argument(fmt::format("the study has trials 0 to {}, not {}", source->total() - 1, trial));
    trials.push_back(trial);
  }
  std::set<std::int64_t> recorded;
  const study::TrialPlan plan(*source);
  for (const std::int64_t trial : trials)
    if (recorded.insert(trial).second)
      runs.record(report::replay_name(trial), [&] {
        return scene::load_scene(source->scene_file, study::overrides_of(*source, plan.trial(trial)));
      });
  data.without_replays = runs.note();
}

Content page_of_study(const ReportOptions& options) {
  const std::string& file = options.files.front();
  const std::unique_ptr<study::Store> store = study::Store::open(file);
  std::optional<study::Study> source;
  const std::filesystem::path study_file = options.study.empty() ? store->header().study_file : options.study;
  if (!options.study.empty() || std::filesystem::exists(study_file)) source = study::load_study(study_file);
  report::StudyData data = report::prepare_study(*store, source, file);
  PageRuns replays;
  record_trials(options, *store, source, data, replays);
  return report::study_page(data, replays.runs());
}

// SQLite files name themselves in their first bytes.
bool is_store(const std::string& file) {
  std::string head(15, '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == "SQLite format 3";
}

// What does not go together, or is no file; empty: nothing.
std::string objection_to(const ReportOptions& options) {
  for (const std::string& file : options.files) try {
      files::require_regular_file(file);  // a pipe would wait for a writer
    } catch (const files::FileError& error) {
      return fmt::format("{}: {}", file, error.what());
    }
  const bool still = options.svg || options.png, study = is_store(options.files.front());
  if (still && options.files.size() > 1)
    return fmt::format("a picture shows one recording; {} were given", options.files.size());
  if (options.compare && (options.files.size() != 2 || study || still))
    return "--compare makes a page of two recordings";
  if (study && options.files.size() > 1) return "a page shows one study, or recordings";
  if (study && still) return "a study has no picture of a run; stickslip study map draws its map";
  if (!still && !options.still.times.empty()) return "--at goes with --svg or --png";
  if (!study && !options.study.empty()) return "--study goes with the store of a study";
  if (!study && (!options.trials.empty() || !options.replays))
    return "--trial and --no-replays go with the store of a study";
  if (!options.trials.empty() && !options.replays) return "either --trial or --no-replays";
  if (!options.video.empty() && (still || study || options.compare || options.files.size() > 1))
    return "--video shows one recording";
  if (!options.video.empty() && !options.output.empty()) return "--video names its file: leave -o out";
  if (options.video.empty() && options.seconds > 0) return "--seconds goes with --video";
  return {};
}

int write_report(const ReportOptions& options) {
  const auto refuse = [](const std::string& text) {
    fmt::print(stderr, "stickslip: {}\n", text);
    return kBadInput;
  };
  if (const std::string objection = objection_to(options); !objection.empty()) return refuse(objection);
  const bool still = options.svg || options.png;
  const char* extension = options.svg ? "svg" : options.png ? "png" : "html";
  const OutputKind kind = options.svg              ? OutputKind::Svg
                          : options.png            ? OutputKind::Png
                          : !options.video.empty() ? OutputKind::Video
                                                   : OutputKind::Page;
  const std::string output = !options.video.empty() ? options.video
                             : options.output.empty()
                                 ? std::filesystem::path(options.files.front()).replace_extension(extension).string()
                                 : options.output;
  Content content;
  try {
    std::vector<std::string> inputs = options.files;
    if (!options.study.empty()) inputs.push_back(options.study);
    Outputs(inputs, options.force).claim(output, kind);
    content = is_store(options.files.front()) ? page_of_study(options) : page_of_recordings(options);
  } catch (const std::exception& error) {
    return refuse(error.what());
  }
  try {
    if (kind == OutputKind::Video) content = film(content, options.seconds);
    files::write_file(output, with_mark(content, kind));
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kFailed;
  }
  const char* what = still ? "picture" : kind == OutputKind::Video ? "video" : "page";
  fmt::print("{}: {} ({:.2f} MB)\n", what, output, static_cast<double>(content.size()) / 1e6);
  if (options.open && !open_in_browser(output)) {
    fmt::print(stderr, "stickslip: no program to open {} with (xdg-open)\n", output);
    return kFailed;
  }
  return kDone;
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "Write a recording or a study as a page to look at");
  verb->footer(kExamples);
  verb->add_option("FILE", options->files, "Recordings (HDF5), or the store of a study (SQLite)")->required();
  verb->add_option("-o,--output", options->output, "File to write (default: named after the first recording)");
  add_force_option(*verb, options->force);
  verb->add_flag("--open", options->open, "Show what was written in the browser");
  verb->add_flag("--compare", options->compare, "Two recordings over each other: ghosts, common curves, differences");
  verb->add_option("--study", options->study, "The study file, when it was moved");
  verb->add_option(
          "--trial", options->trials,
          "Studies: a trial to be replayed on the page beside the best and the worst one; may be given several "
          "times")
      ->check(CLI::NonNegativeNumber);
  verb->add_flag("!--no-replays", options->replays, "Studies: run no trial again");
  CLI::Option* svg = verb->add_flag("--svg", options->svg, "A picture instead of a page, as SVG");
  verb->add_flag("--png", options->png, "A picture instead of a page, as PNG")->excludes(svg);
  verb->add_option("--video", options->video, "The motion as a video (WebM) in this file; Chromium makes it");
  verb->add_option("--seconds", options->seconds, "Videos: how long they last (default: as the page plays)")
      ->check(CLI::PositiveNumber);
  verb->add_option("--at", options->still.times, "Pictures: a time to show; may be given several times");
  verb->add_option("--frames", options->still.frames, "Pictures: frames over the run, where no times are given")
      ->check(CLI::Range(1, 60))
      ->capture_default_str();
  verb->add_option(
      "--view", options->view,
      "Pictures of scenes in space from oblique, top, front, side, or AZIMUTH,ELEVATION[,ZOOM] in degrees");
  verb->add_flag("!--no-charts", options->still.charts, "Pictures: frames only");
  verb->callback([options, &exit_code] { exit_code = write_report(*options); });
}

}  // namespace stickslip::app
