// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/page.h"

#include "stickslip/report/page_data.h"

#include <algorithm>
#include <stdexcept>

namespace stickslip::report {
namespace {

// Where the viewer expects its data.
constexpr std::string_view kSlot = R"(<script type="application/json" id="stickslip-data">null</script>)";
constexpr std::string_view kOpening = R"(<script type="application/json" id="stickslip-data">)";

constexpr std::size_t kCharts = 600'000;     // bytes for what is no animation
constexpr std::size_t kReplays = 2'500'000;  // of the trials on the page of a study

// Every run gets the same part of the budget; what short runs leave goes to the others.
std::vector<Selection> share(const std::vector<NamedRun>& runs, std::size_t budget) {
  std::vector<Selection> selections;
  std::size_t left = budget, unfinished = 0;
  for (const NamedRun& run : runs) {
    selections.push_back(select_frames(*run.data, budget / runs.size()));
    if (selections.back().finest)
      left -= std::min(left, selections.back().bytes);
    else
      ++unfinished;
  }
  if (unfinished == 0 || runs.size() == 1) return selections;
  for (std::size_t k = 0; k < runs.size(); ++k)
    if (!selections[k].finest) selections[k] = select_frames(*runs[k].data, left / unfinished);
  return selections;
}

}  // namespace

std::string page_with(const std::string& json) {
  const std::string_view empty = viewer();
  const std::size_t at = empty.find(kSlot);
  if (at == std::string_view::npos) throw std::logic_error("the embedded viewer has no place for data");
  std::string page(empty.substr(0, at));
  page += kOpening;
  // "<" is written as an escape, so that no text in the data can end the element.
  for (const char c : json) {
    if (c == '<')
      page += "\\u003c";
    else
      page += c;
  }
  page += "</script>";
  page += empty.substr(at + kSlot.size());
  return page;
}

std::string page_with_runs(const PageData& rest, const std::vector<NamedRun>& runs, std::size_t budget) {
  for (;;) {
    Packer packer;
    nlohmann::json out = rest(packer);
    out["runs"] = nlohmann::json::array();
    const std::vector<Selection> selections = share(runs, budget);
    for (std::size_t k = 0; k < runs.size(); ++k) {
      nlohmann::json one = run_json(*runs[k].data, selections[k], packer);
      one["name"] = runs[k].name;
      out["runs"].push_back(std::move(one));
    }
    std::string block = packer.text();
    // Sizes are estimated before; what is far more than that gets fewer frames.
    if (!runs.empty() && block.size() > budget + kCharts && budget > kCharts) {
      budget = static_cast<std::size_t>(0.95 * static_cast<double>(budget) * static_cast<double>(budget) /
                                        static_cast<double>(block.size() - kCharts));
      continue;
    }
    out["block"] = std::move(block);
    return page_with(out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

std::string runs_page(const std::vector<NamedRun>& runs, std::size_t budget) {
  return page_with_runs([](Packer&) { return nlohmann::json{{"kind", "run"}, {"compare", false}}; }, runs, budget);
}

std::string comparison_page(const std::vector<NamedRun>& two, std::size_t budget) {
  if (two.size() != 2) throw std::invalid_argument("a comparison has two runs");
  return page_with_runs([](Packer&) { return nlohmann::json{{"kind", "run"}, {"compare", true}}; }, two, budget);
}

std::string study_page(const StudyData& data, const std::vector<NamedRun>& replays) {
  const PageData rest = [&](Packer& packer) {
    nlohmann::json out = study_json(data, packer);
    out["kind"] = "study";
    return out;
  };
  return page_with_runs(rest, replays, kReplays);
}

std::string replay_name(std::int64_t trial) {
  return "trial " + std::to_string(trial);
}

}  // namespace stickslip::report
