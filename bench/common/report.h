// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The tables, the plot and the CSV file of the solver benchmark.
#pragma once

#include "bench/common/runs.h"
#include "bench/common/solver_statistics.h"

#include <span>
#include <string>

namespace stickslip::bench {

// "812 ns", "3.21 us", "47.0 ms", "1.20 s"; "-" when not finite.
[[nodiscard]] std::string time_text(double seconds);

void print_problem(const ProblemRuns& runs);
void print_class(const std::string& name, const ClassStatistics& statistics);

// One line per class, then one per total.
struct NamedClass {
  std::string name;
  ClassStatistics statistics;
};
void print_overview(std::span<const NamedClass> classes, std::span<const NamedClass> totals);

// Performance profiles, one panel per problem form.
[[nodiscard]] std::string profile_svg(std::span<const ProblemRuns> runs);

[[nodiscard]] std::string csv_table(std::span<const ProblemRuns> runs);

}  // namespace stickslip::bench
