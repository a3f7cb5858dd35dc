// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The store of a study prepared for people: estimates with intervals, maps, histograms, and the trials to look at. All
// of them count every trial; only the list of single trials, which parallel coordinates draw, is thinned out when it is
// long. The page reads it as the types in web/src/study_data.ts.
#pragma once

#include "stickslip/report/packing.h"
#include "stickslip/study/heat_map.h"
#include "stickslip/study/study_summary.h"

#include <optional>
#include <string>
#include <vector>

namespace stickslip::report {

struct TrialRow {
  study::TrialPoint trial;
  study::TrialResult result;
};

// How many trials fell into each of equally wide stretches of a value, with the 95 % interval of their share.
struct Histogram {
  std::string name;
  double low = 0, high = 1;
  std::vector<std::int64_t> counts, successes;
  std::vector<study::Estimate> shares;
  std::int64_t undefined = 0;  // trials in which it is not a number
};

struct StudyData {
  std::string store, title;  // `store`: as the commands that replay trials name it
  study::StoreHeader header;
  study::StudySummary summary;
  std::vector<std::string> parameter_units, observable_units;  // "" where the scene names none
  bool has_success = false, has_objective = false;
  std::vector<Histogram> histograms;  // objective, end time, observables: those that differ between trials
  std::vector<study::HeatMap> maps;   // success, objective, observables; empty without two grids
  std::vector<TrialRow> rows;         // in their order, every n-th at most
  std::vector<TrialRow> best, worst;  // by objective, else by success; the first is the extreme one
  std::string without_maps;           // why there are none, where the study has two grids
  std::string without_replays;        // why there are none; empty: there are
};

// `study`: for the maps, which need to know what is a grid; none: the file is not there any more. Throws StoreError.
[[nodiscard]] StudyData prepare_study(study::Store& store, const std::optional<study::Study>& study,
                                      const std::string& store_name);

[[nodiscard]] nlohmann::json study_json(const StudyData& data, Packer& packer);

}  // namespace stickslip::report
