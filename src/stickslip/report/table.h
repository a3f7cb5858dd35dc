// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A table of numbers with named columns, from a CSV file: one line of names, then numbers, separated by commas,
// semicolons or tabs (the first of these that the line of names has). Lines that begin with # are comments. An empty
// field is not a number, and neither is a text: columns of texts have no numbers at all. A name that ends in a unit in
// brackets, "x (cm)", gives the column its unit.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace stickslip::report {

struct Table {
  std::string title;
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::map<std::string, std::string, std::less<>> units;
  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
};

// Throws SeriesError with file and line.
[[nodiscard]] Table read_csv(const std::string& file);

}  // namespace stickslip::report
