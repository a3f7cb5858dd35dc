// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plot_pictures.h"

#include "stickslip/report/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <stdexcept>

namespace stickslip::app {
namespace {

using report::FigurePanel;

constexpr std::size_t kMostBands = 16;

const report::RunData& first_run(const std::vector<PlotSource>& sources, const char* option) {
  for (const PlotSource& source : sources)
    if (const report::RunData* run = source.series->run()) return *run;
  throw std::invalid_argument(fmt::format("{} needs a recording or a scene", option));
}

// TEXT@X,Y or TEXT@X,Y,X,Y; coordinates are expressions, of the frame that a still shows.
void add_labels(const PlotOptions& options, const report::SeriesSource& series, std::span<report::FigureStill> stills) {
  const auto dimension = static_cast<std::size_t>(series.run()->description.model.dimension);
  for (const std::string& text : options.labels) {
    const std::size_t at = text.find('@');
    std::vector<std::string> parts;
    if (at != std::string::npos && at > 0) parts = split_list(text.substr(at + 1));
    if (parts.size() != dimension && parts.size() != 2 * dimension)
      throw std::invalid_argument(fmt::format("--label {}: write TEXT@{} or twice as many coordinates, for a line",
                                              text, dimension == 2 ? "X,Y" : "X,Y,Z"));
    const std::vector<std::vector<double>> values = series.evaluate(parts);
    for (report::FigureStill& still : stills) {
      const auto point = [&](std::size_t first) {
        return Vec3(values[first][still.frame], values[first + 1][still.frame],
                    dimension == 3 ? values[first + 2][still.frame] : 0);
      };
      still.labels.push_back({text.substr(0, at), point(0), std::nullopt});
      if (parts.size() > dimension) still.labels.back().to = point(dimension);
    }
  }
}

// A run's scene at the recorded frame next to a time.
report::FigureStill still_at(const char* option, double t, const report::RunData& run) {
  const std::vector<double>& time = run.recording.time();
  const double slack = 1e-6 * (time.back() - time.front());
  if (!(t >= time.front() - slack && t <= time.back() + slack))
    throw std::invalid_argument(
        fmt::format("{} {:.6g}: the recording goes from {:.6g} to {:.6g}", option, t, time.front(), time.back()));
  const auto after = std::lower_bound(time.begin(), time.end(), t);
  auto k = static_cast<std::size_t>(after - time.begin());
  if (k == time.size() || (k > 0 && t - time[k - 1] < time[k] - t)) --k;
  return {&run, k, {}, {}};
}

}  // namespace

std::vector<std::string> add_modes(const PlotOptions& options, const std::vector<PlotSource>& sources,
                                   FigurePanel& panel) {
  const char* option = options.modes ? "--modes" : "--contact-modes";
  (void)first_run(sources, option);
  const auto runs = std::ranges::count_if(sources, [](const PlotSource& s) { return s.series->run() != nullptr; });
  std::vector<std::string> notes;
  std::size_t left_out = 0;
  const auto add = [&](const PlotSource& source, const std::string& name, const std::vector<report::Band>& bands) {
    if (panel.bands.size() == kMostBands) {
      ++left_out;
      return;
    }
    panel.bands.push_back(bands);
    panel.band_names.push_back(runs > 1 ? fmt::format("{}, {}", name, source.label) : name);
  };
  for (const PlotSource& source : sources) {
    const report::RunData* run = source.series->run();
    if (run == nullptr) continue;
    const model::Model& model = run->description.model;
    const auto name = [&](int b) { return model.bodies[static_cast<std::size_t>(b)].name; };
    if (options.modes)
      for (const report::PairBands& pair : run->pairs)
        add(source, name(pair.body_a) + " - " + name(pair.body_b), pair.bands);
    else
      for (const report::ContactBands& contact : report::contact_bands_of(run->recording, model))
        add(source, contact.name, contact.bands);
  }
  if (panel.bands.empty()) notes.push_back(fmt::format("{}: no bodies touched, or only within a step", option));
  if (left_out > 0) notes.push_back(fmt::format("{}: {} bands are drawn, {} left out", option, kMostBands, left_out));
  return notes;
}

void add_stills(const PlotOptions& options, const std::vector<PlotSource>& sources, report::Figure& figure) {
  std::vector<report::FigureStill>& stills = figure.stills;
  for (const PlotSource& source : sources) {
    if (source.series->run() == nullptr) {
      if (!options.split) continue;
      throw std::invalid_argument(fmt::format("--still: {} is neither a recording nor a scene", source.series->name()));
    }
    const std::size_t first = stills.size();
    for (const double t : options.stills) {
      stills.push_back(still_at("--still", t, *source.series->run()));
      if (options.split) stills.back().title = source.label;
    }
    add_labels(options, *source.series, std::span(stills).subspan(first));
    if (!options.split) break;
  }
  if (stills.empty()) throw std::invalid_argument("--still needs a recording or a scene");
  if (options.split) figure.still_columns = options.stills.size();
  // All to one scale.
  std::vector<report::StillLabel>& places = figure.labels;
  for (const report::FigureStill& still : stills) {
    for (const report::StillLabel& label : still.labels)
      for (const Vec3& place : {label.at, label.to.value_or(label.at)}) places.push_back({"", place, std::nullopt});
    if (options.split)
      for (const Vec3& corner : {still.data->bounds.low, still.data->bounds.high})
        places.push_back({"", corner, std::nullopt});
  }
}

// TIME[@CORNER[,PANEL]]
void add_insets(const PlotOptions& options, const std::vector<PlotSource>& sources, report::Figure& figure) {
  for (const std::string& text : options.insets) {
    const auto refuse = [&](const std::string& why) {
      throw std::invalid_argument(fmt::format("--inset {}: {}", text, why));
    };
    const std::size_t at = std::min(text.find('@'), text.size()), comma = std::min(text.find(',', at), text.size());
    const std::string corner = at < text.size() ? text.substr(at + 1, comma - at - 1) : "top-right";
    double t = 0;
    std::size_t panel = 1;
    if (std::from_chars(text.data(), text.data() + at, t).ptr != text.data() + at || at == 0)
      refuse("begins with a time, as in 0.2@bottom-left");
    if (comma < text.size() &&
        (comma + 1 == text.size() ||
         std::from_chars(text.data() + comma + 1, text.data() + text.size(), panel).ptr != text.data() + text.size()))
      refuse("ends with the number of a panel, as in 0.2@bottom-left,2");
    if (corner != "top-right" && corner != "top-left" && corner != "bottom-right" && corner != "bottom-left")
      refuse("the corner is top-left, top-right, bottom-left or bottom-right");
    std::vector<report::FigurePanel>& panels = figure.panels;
    if (panel < 1 || panel > panels.size()) refuse(fmt::format("there are {} panels", panels.size()));
    panels[panel - 1].insets.push_back(
        {still_at("--inset", t, first_run(sources, "--inset")), corner.ends_with("right"), corner.starts_with("top")});
  }
}

}  // namespace stickslip::app
