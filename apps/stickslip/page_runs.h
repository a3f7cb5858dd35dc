// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs to be replayed on a page: scenes that are run again, each into a recording in a temporary folder. Pages of
// comparisons, searches and studies have them. Cost: one run each, and their recordings on disk until the page is made.
#pragma once

#include "temporary_folder.h"

#include "stickslip/report/page.h"
#include "stickslip/scene/scene.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::app {

class PageRuns {
 public:
  // A run that fails on its way is on the page with its failure; one that cannot start is a note.
  void record(const std::string& name, const std::function<scene::Scene()>& make);

  [[nodiscard]] std::vector<report::NamedRun> runs() const;        // as long as this lives
  [[nodiscard]] const std::string& note() const { return note_; }  // what could not be run, and why; empty: nothing

 private:
  struct Recorded {
    std::string name;
    std::unique_ptr<recording::Recording> recording;
    std::unique_ptr<report::RunData> data;
  };
  TemporaryFolder folder_;
  std::vector<Recorded> recorded_;
  std::string note_;
};

}  // namespace stickslip::app
