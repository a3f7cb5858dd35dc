// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stickslip::study {
namespace {

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

void write_csv(Store& store, const CsvOptions& options, const std::function<void(std::string_view)>& write) {
  const StoreHeader& header = store.header();
  std::string line = "trial,group,repeat";
  for (const std::string& name : header.parameters) {
    const bool clash = std::ranges::find(header.observables, name) != header.observables.end();
    line += ',';
    line += csv_text(clash ? fmt::format("parameter.{}", name) : name);
  }
  for (const std::string& name : header.observables) {
    line += ',';
    line += csv_text(name);
  }
  line += ",status,cause,success,objective,end_time,residual,steps";
  if (options.cost) {
    line += ",seconds";
    for (const std::string& name : header.stages)
      line += fmt::format(",{}", csv_text(fmt::format("seconds of {}", name)));
  }
  write(line + "\n");

  store.read([&](const TrialPoint& trial, const TrialResult& result) {
    line = fmt::format("{},{},{}", trial.index, trial.group, trial.repeat);
    const auto number = [&](double x) {
      line += ',';
      if (!std::isnan(x)) fmt::format_to(std::back_inserter(line), "{}", x);
    };
    for (const double x : trial.values) number(x);
    for (const double x : result.observables) number(x);
    line += fmt::format(",{},{}", name_of(result.status), csv_text(result.cause));
    for (const double x : {result.success, result.objective, result.end_time, result.residual}) number(x);
    line += fmt::format(",{}", result.steps);
    if (options.cost) {
      number(result.seconds);
      for (const double x : result.stage_seconds) number(x);
    }
    line += '\n';
    write(line);
  });
}

}  // namespace stickslip::study
