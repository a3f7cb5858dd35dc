// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The files that stickslip plot was given, opened: recordings, CSV files and stores of studies as they are; scenes are
// run first, once for each combination of the values of --vary, into recordings that go away again.
#pragma once

#include "plot_options.h"
#include "temporary_folder.h"

#include "stickslip/report/series.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stickslip::app {

struct PlotSource {
  std::string label;  // of its curves
  std::string group;  // what it has in common with the other runs of its file
  std::unique_ptr<report::SeriesSource> series;
};

class PlotSources {
 public:
  // Throws SeriesError, SceneError and std::runtime_error.
  explicit PlotSources(const PlotOptions& options);

  [[nodiscard]] const std::vector<PlotSource>& all() const { return sources_; }
  // By its label, or a file of its own; throws SeriesError with the nearest label.
  [[nodiscard]] const PlotSource& named(const std::string& name);

 private:
  void open(const std::string& argument);
  void run_scene(const std::string& label, const std::string& file);

  const PlotOptions& options_;
  std::optional<TemporaryFolder> folder_;  // of runs of scenes; made when the first is run
  std::vector<PlotSource> sources_;
  std::unique_ptr<PlotSource> reference_;
  int runs_ = 0;
};

}  // namespace stickslip::app
