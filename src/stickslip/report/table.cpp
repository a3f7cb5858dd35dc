// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/table.h"

#include "stickslip/files/regular_file.h"
#include "stickslip/report/series.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <sstream>

namespace stickslip::report {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

// Fields may be quoted; a quote in a quoted field is doubled.
std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && quoted && k + 1 < line.size() && line[k + 1] == '"')
      fields.back() += line[++k];
    else if (c == '"')
      quoted = !quoted;
    else if (c == separator && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  for (std::string& field : fields) field = trimmed(field);
  return fields;
}

double number_of(const std::string& field) {
  double value = 0;
  const char* begin = field.data() + (field.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size() ? value : std::nan("");
}

}  // namespace

Table read_csv(const std::string& file) {
  constexpr std::size_t kLargestFile = std::size_t{1} << 30;
  std::istringstream stream;
  try {
    stream.str(files::read_regular_file(file, kLargestFile));
  } catch (const files::FileError& error) {
    throw SeriesError(fmt::format("cannot read {}: it {}", file, error.what()));
  }
  Table table;
  char separator = ',';
  int line_number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++line_number;
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    if (line.find('\0') != std::string::npos)
      throw SeriesError(fmt::format("{}: is neither a recording, nor a study, nor a CSV file", file));
    if (table.names.empty()) {
      for (const char c : {'\t', ';', ','})
        if (line.find(c) != std::string::npos) separator = c;
      for (std::string& name : fields_of(line, separator)) {
        if (const std::size_t open = name.find(" ("); open != std::string::npos && name.ends_with(')')) {
          const std::string unit = name.substr(open + 2, name.size() - open - 3);
          name.resize(open);
          table.units[name] = unit;
        }
        table.names.push_back(name);
      }
      table.columns.resize(table.names.size());
      continue;
    }
    const std::vector<std::string> fields = fields_of(line, separator);
    if (fields.size() != table.names.size())
      throw SeriesError(fmt::format("{}:{}: {} fields where the first line has {}", file, line_number, fields.size(),
                                    table.names.size()));
    for (std::size_t k = 0; k < fields.size(); ++k) table.columns[k].push_back(number_of(fields[k]));
  }
  if (table.names.empty()) throw SeriesError(fmt::format("{}: is empty", file));
  if (table.rows() == 0) throw SeriesError(fmt::format("{}: has names of columns, but no numbers", file));
  return table;
}

}  // namespace stickslip::report
