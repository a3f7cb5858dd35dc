// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/study_summary.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

namespace stickslip::study {
namespace {

constexpr std::size_t kExamples = 5;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::string without_numbers(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool in_name = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == '_');
    const bool number = is_digit(text[i]) || (text[i] == '.' && i + 1 < text.size() && is_digit(text[i + 1]));
    if (in_name || !number) {
      out += text[i++];
      continue;
    }
    while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
    const bool exponent = i < text.size() && (text[i] == 'e' || text[i] == 'E');
    std::size_t j = i + 1;
    if (exponent && j < text.size() && (text[j] == '-' || text[j] == '+')) ++j;
    if (exponent && j < text.size() && is_digit(text[j]))
      for (i = j; i < text.size() && is_digit(text[i]);) ++i;
    out += '#';
  }
  return out;
}

StudySummary summarise(Store& store) {
  StudySummary summary;
  summary.total = store.header().groups * store.header().trials;
  summary.stages.resize(store.header().stages.size());
  RateEstimator rate;
  MeanEstimator mean;
  std::map<std::pair<TrialStatus, std::string>, FailureCluster> clusters;
  store.read([&](const TrialPoint& trial, const TrialResult& result) {
    ++summary.done;
    ++summary.by_status[static_cast<std::size_t>(result.status)];
    summary.seconds += result.seconds;
    summary.steps += result.steps;
    for (std::size_t i = 0; i < result.stage_seconds.size(); ++i) {
      if (std::isnan(result.stage_seconds[i])) break;
      ++summary.stages[i].designs;
      summary.stages[i].passed += static_cast<double>(i) < result.observables[0] ? 1 : 0;
      summary.stages[i].seconds += result.stage_seconds[i];
    }
    if (!std::isnan(result.residual)) summary.worst_residual = std::max(summary.worst_residual, result.residual);
    if (!std::isnan(result.success)) rate.add(result.success != 0);
    if (std::isnan(result.objective)) {
      summary.undefined_objectives += result.ran() ? 1 : 0;
    } else {
      if (result.objective < mean.least()) summary.least_trial = result.index;
      mean.add(result.objective);
    }
    if (result.cause.empty()) return;
    // A condition is written by the user: its numbers are part of it.
    const bool condition = result.ran();
    const std::string cause = condition ? result.cause : without_numbers(result.cause);
    FailureCluster& cluster = clusters[{result.status, cause}];
    cluster.cause = cause;
    cluster.status = result.status;
    ++cluster.count;
    if (cluster.examples.size() < kExamples) cluster.examples.push_back(result.index);
    cluster.parameters.resize(trial.values.size());
    for (std::size_t i = 0; i < trial.values.size(); ++i) cluster.parameters[i].add(trial.values[i]);
  });
  summary.success = rate.estimate();
  summary.objective = mean.estimate();
  summary.least = mean.least();
  summary.most = mean.most();
  for (auto& [key, cluster] : clusters) summary.failures.push_back(std::move(cluster));
  std::ranges::stable_sort(summary.failures, std::greater<>(), &FailureCluster::count);
  return summary;
}

}  // namespace stickslip::study
