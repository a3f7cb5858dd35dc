// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One HTML file that needs nothing else: the viewer (web/, built into web/page.html and embedded in this library) with
// the data of runs or of a study put into it.
#pragma once

#include "stickslip/report/run_data.h"
#include "stickslip/report/study_data.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::report {

// The viewer without data: shows what an empty page shows.
[[nodiscard]] std::string_view viewer();

// Of the animation, as it is written; the page stays below 5 MB with it.
constexpr std::size_t kUsualBudget = 3'400'000;

// Runs on one page, each under a name of its own; one alone needs none.
struct NamedRun {
  std::string name;
  const RunData* data = nullptr;
};
[[nodiscard]] std::string runs_page(const std::vector<NamedRun>& runs, std::size_t budget = kUsualBudget);

// Two runs over each other.
[[nodiscard]] std::string comparison_page(const std::vector<NamedRun>& two, std::size_t budget = kUsualBudget);

// A page of any kind with runs to replay among its data. `rest`: all of the data but "runs" and "block"; it is asked
// again, with an empty packer, where the page would become too large.
using PageData = std::function<nlohmann::json(Packer&)>;
[[nodiscard]] std::string page_with_runs(const PageData& rest, const std::vector<NamedRun>& runs,
                                         std::size_t budget = kUsualBudget);

// `replays`: of trials, named as replay_name() says.
[[nodiscard]] std::string study_page(const StudyData& data, const std::vector<NamedRun>& replays = {});
[[nodiscard]] std::string replay_name(std::int64_t trial);

// A page around any JSON text (the live page's settings).
[[nodiscard]] std::string page_with(const std::string& json);

}  // namespace stickslip::report
