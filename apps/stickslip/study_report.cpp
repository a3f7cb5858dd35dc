// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "study_report.h"

#include "stickslip/report/json_number.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace stickslip::app {
namespace {

using nlohmann::json;
using report::number;
using study::Estimate;

constexpr std::size_t kMostClusters = 10;

std::string examples_text(const study::FailureCluster& cluster) {
  std::string text;
  for (const std::int64_t trial : cluster.examples) text += fmt::format("{}{}", text.empty() ? "" : ", ", trial);
  return text + (cluster.count > static_cast<std::int64_t>(cluster.examples.size()) ? ", ..." : "");
}

json estimate_json(const Estimate& estimate) {
  if (estimate.count == 0) return nullptr;
  return {{"value", number(estimate.value)},
          {"low", number(estimate.low)},
          {"high", number(estimate.high)},
          {"confidence", 0.95},
          {"count", estimate.count}};
}

// What each stage did, and what the order saved: the naive one runs the last stage for every design.
void print_stages(const study::StoreHeader& header, const study::StudySummary& summary) {
  for (std::size_t i = 0; i < summary.stages.size(); ++i)
    fmt::print("stage      {}: {} designs, {} passed, {:.4g} s of work\n", header.stages[i], summary.stages[i].designs,
               summary.stages[i].passed, summary.stages[i].seconds);
  const study::StudySummary::StageCost& last = summary.stages.back();
  fmt::print("saved      {} of {} designs never reached {}: ", summary.done - last.designs, summary.done,
             header.stages.back());
  if (last.designs == 0) {
    fmt::print("all of its cost, which --compare-naive measures\n");
    return;
  }
  const double naive = last.seconds / static_cast<double>(last.designs) * static_cast<double>(summary.done);
  fmt::print("about {:.0f} % of the {:.4g} s of work that all would take, by those that did\n",
             100 * (1 - summary.seconds / naive), naive);
}

}  // namespace

void print_study_report(study::Store& store) {
  const study::StudySummary summary = study::summarise(store);
  fmt::print("{} of {} trials", summary.done, summary.total);
  for (std::size_t i = 0; i < summary.by_status.size(); ++i)
    if (summary.by_status[i] > 0)
      fmt::print(", {} {}", summary.by_status[i], study::name_of(static_cast<study::TrialStatus>(i)));
  fmt::print("; worst certificate of those certified {:.2e}\n", summary.worst_residual);
  if (summary.success.count > 0)
    fmt::print("success    rate {:.4g}, 95 % interval [{:.4g}, {:.4g}]\n", summary.success.value, summary.success.low,
               summary.success.high);
  if (summary.objective.count > 0)
    fmt::print("objective  mean {:.6g}, 95 % interval [{:.6g}, {:.6g}], from {:.6g} (trial {}) to {:.6g}\n",
               summary.objective.value, summary.objective.low, summary.objective.high, summary.least,
               summary.least_trial, summary.most);
  if (summary.objective.count > 0 && summary.undefined_objectives > 0)
    fmt::print("           not a number in {} trials\n", summary.undefined_objectives);
  if (!summary.stages.empty()) print_stages(store.header(), summary);
  if (summary.failures.empty()) return;
  fmt::print("failures by cause:\n");
  for (std::size_t i = 0; i < summary.failures.size() && i < kMostClusters; ++i) {
    const study::FailureCluster& cluster = summary.failures[i];
    fmt::print("  {:>7}  {}: {}  (trials {})\n", cluster.count, study::name_of(cluster.status), cluster.cause,
               examples_text(cluster));
    for (std::size_t p = 0; p < cluster.parameters.size(); ++p)
      fmt::print("           {} {:.4g} to {:.4g}\n", store.header().parameters[p], cluster.parameters[p].least(),
                 cluster.parameters[p].most());
  }
  if (summary.failures.size() > kMostClusters)
    fmt::print("  and {} more causes\n", summary.failures.size() - kMostClusters);
}

void print_step_checks(const std::vector<StepCheck>& checks) {
  for (const StepCheck& check : checks)
    if (!check.warnings.empty())
      fmt::print("WARNING    {}: {}\n", check.label, warning_text(check.warnings, check.stepper));
}

nlohmann::json design_check_json(const study::DesignCheck& check) {
  constexpr const char* kVerdicts[] = {"holds", "artefact", "not-checked"};
  return {{"run", check.label},
          {"verdict", kVerdicts[static_cast<std::size_t>(check.verdict)]},
          {"stepper", check.stepper},
          {"step", check.step},
          {"value", number(check.here)},
          {"half_step", number(check.half)},
          {"second_stepper", check.other},
          {"second_step", check.other_step},
          {"second_value", number(check.second)},
          {"allowed", check.allowed}};
}

void print_design_checks(const std::vector<study::DesignCheck>& checks) {
  for (const study::DesignCheck& check : checks)
    if (check.verdict != study::DesignCheck::Verdict::NotChecked)
      fmt::print("{:<10} {}: {}\n", &check == checks.data() ? "again" : "", check.label, study::text_of(check));
}

void print_naive(const NaiveCost& naive) {
  fmt::print("naive      {} for all {} designs: {:.4g} s of work; staged {:.4g} s: {:.0f} % saved\n", naive.stage,
             naive.designs, naive.seconds, naive.staged, 100 * naive.saved());
  fmt::print("           {} designs that pass the last stage were turned away before it\n", naive.lost);
}

void print_study_json(study::Store& store, const std::string& method, const std::vector<StepCheck>& checks,
                      const std::vector<study::DesignCheck>& design_checks, const std::optional<NaiveCost>& naive) {
  const study::StudySummary summary = study::summarise(store);
  json failures = json::array(), by_status = json::object();
  for (const study::FailureCluster& cluster : summary.failures) {
    json parameters = json::object();
    for (std::size_t p = 0; p < cluster.parameters.size(); ++p)
      parameters[store.header().parameters[p]] = {cluster.parameters[p].least(), cluster.parameters[p].most()};
    failures.push_back({{"cause", cluster.cause},
                        {"status", study::name_of(cluster.status)},
                        {"count", cluster.count},
                        {"trials", cluster.examples},
                        {"parameters", parameters}});
  }
  json stages = json::array();
  for (std::size_t i = 0; i < summary.stages.size(); ++i)
    stages.push_back({{"name", store.header().stages[i]},
                      {"designs", summary.stages[i].designs},
                      {"passed", summary.stages[i].passed},
                      {"seconds", summary.stages[i].seconds}});
  for (std::size_t i = 0; i < summary.by_status.size(); ++i)
    by_status[study::name_of(static_cast<study::TrialStatus>(i))] = summary.by_status[i];
  json contradicting = json::array();
  for (const StepCheck& check : checks)
    for (const StepWarning& warning : check.warnings)
      contradicting.push_back({{"run", check.label}, {"observable", warning.observable}, {"changes", warning.changes}});
  json object = {{"study", store.header().study_file},
                 {"trials", summary.total},
                 {"done", summary.done},
                 {"status", by_status},
                 {"success", estimate_json(summary.success)},
                 {"objective", estimate_json(summary.objective)},
                 {"best_trial", summary.least_trial},
                 {"worst_residual", summary.worst_residual},
                 {"steps", summary.steps},
                 {"seconds", summary.seconds},
                 {"stages", stages},
                 {"failures", failures},
                 {"contradicts_order", contradicting}};
  object["design_checks"] = json::array();
  for (const study::DesignCheck& check : design_checks) object["design_checks"].push_back(design_check_json(check));
  if (!method.empty()) object["method"] = method;
  if (naive)
    object["naive"] = {{"stage", naive->stage},   {"designs", naive->designs}, {"seconds", naive->seconds},
                       {"staged", naive->staged}, {"saved", naive->saved()},   {"lost", naive->lost}};
  fmt::print("{}\n", object.dump());
}

}  // namespace stickslip::app
