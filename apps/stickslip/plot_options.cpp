// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plot_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace stickslip::app {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string_view::npos ? std::string() : std::string(text.substr(first, last - first + 1));
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

Labelled labelled(const std::string& text) {
  const std::size_t colon = text.find(':');
  // The colon of a choice, condition ? a : b, has a question mark before it.
  if (colon == std::string::npos || text.substr(0, colon).find('?') != std::string::npos)
    return {trimmed(text), trimmed(text), false};
  return {trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1)), true};
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) {
    part = trimmed(part);
    if (part.empty()) throw std::invalid_argument(fmt::format("\"{}\": an expression is missing", text));
  }
  return parts;
}

std::string y_label(const PlotOptions& options, std::size_t panel, const std::string& otherwise) {
  if (options.y_labels.size() == 1) return options.y_labels.front();
  return panel < options.y_labels.size() ? options.y_labels[panel] : otherwise;
}

AxisLimits interval_of(const std::string& text, const char* option) {
  AxisLimits interval;
  const std::size_t colon = text.find(':');
  const auto read = [&](const std::string& part, double& into) {
    if (part.empty()) return;
    const std::optional<double> value = number(part);
    if (!value) throw std::invalid_argument(fmt::format("{} {}: \"{}\" is not a number", option, text, part));
    into = *value;
  };
  if (colon == std::string::npos)
    throw std::invalid_argument(fmt::format("{} {}: write FROM:TO; either may be left out", option, text));
  read(trimmed(text.substr(0, colon)), interval.low);
  read(trimmed(text.substr(colon + 1)), interval.high);
  if (!(interval.low < interval.high))
    throw std::invalid_argument(fmt::format("{} {}: the interval is empty", option, text));
  return interval;
}

std::pair<double, double> page_size(const std::string& text) {
  constexpr double kPointsPerCentimetre = 72 / 2.54;
  const std::size_t cross = text.find('x');
  const auto width = number(text.substr(0, cross));
  const auto height = cross == std::string::npos ? std::nullopt : number(text.substr(cross + 1));
  if (!width || !height || !(*width >= 3) || !(*width <= 100) || !(*height >= 2) || !(*height <= 100))
    throw std::invalid_argument(fmt::format(
        "--size {}: write WIDTHxHEIGHT in centimetres, as 12x7: of the figure, and of each panel's chart", text));
  return {*width * kPointsPerCentimetre, *height * kPointsPerCentimetre};
}

}  // namespace stickslip::app
