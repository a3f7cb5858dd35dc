// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "page_runs.h"

#include "run_session.h"

#include <fmt/format.h>

#include <exception>

namespace stickslip::app {

void PageRuns::record(const std::string& name, const std::function<scene::Scene()>& make) {
  RunOptions options;
  options.output = (folder_.path() / fmt::format("{}.h5", recorded_.size())).string();
  options.progress = false;
  try {
    scene::Scene scene = make();
    options.scene = scene.file.string();
    (void)RunSession(options, std::move(scene)).run();
    auto recording = std::make_unique<recording::Recording>(options.output);
    auto data = std::make_unique<report::RunData>(report::prepare(*recording));
    recorded_.push_back({name, std::move(recording), std::move(data)});
  } catch (const std::exception& error) {
    note_ += fmt::format("{}{}: {}", note_.empty() ? "" : "; ", name, error.what());
  }
}

std::vector<report::NamedRun> PageRuns::runs() const {
  std::vector<report::NamedRun> list;
  for (const Recorded& one : recorded_) list.push_back({one.name, one.data.get()});
  return list;
}

}  // namespace stickslip::app
