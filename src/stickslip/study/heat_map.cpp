// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace stickslip::study {
namespace {

constexpr double kPanel = 300, kMargin = 70, kTop = 60, kBar = 14;

struct Colour {
  double r, g, b;
};

// Dark blue over green to yellow: brightness grows evenly, so the picture survives printing in grey.
std::string colour_of(double share) {
  static constexpr std::array<Colour, 5> kScale{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double place = std::clamp(share, 0.0, 1.0) * (kScale.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(place), kScale.size() - 2);
  const double t = place - static_cast<double>(i);
  const auto mix = [&](double a, double b) { return static_cast<int>(std::lround(a + t * (b - a))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(kScale[i].r, kScale[i + 1].r), mix(kScale[i].g, kScale[i + 1].g),
                     mix(kScale[i].b, kScale[i + 1].b));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, escaped(text));
}

std::size_t place_in(const std::vector<double>& values, double value) {
  return static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
}

// One square of cells with its axes and colour bar.
struct Panel {
  const HeatMap& map;
  double left, top;
  double low, high;  // of the colours
  bool width;        // shows the width of the interval

  [[nodiscard]] double shown(const HeatMapCell& cell) const {
    return width ? cell.estimate.width() : cell.estimate.value;
  }

  [[nodiscard]] std::string cell_svg(const HeatMapCell& cell) const {
    const double w = kPanel / static_cast<double>(map.xs.size()), h = kPanel / static_cast<double>(map.ys.size());
    const double x = left + w * static_cast<double>(place_in(map.xs, cell.x));
    const double y = top + kPanel - h * static_cast<double>(place_in(map.ys, cell.y) + 1);
    const double value = shown(cell);
    const std::string fill =
        std::isfinite(value) ? colour_of(high > low ? (value - low) / (high - low) : 0.5) : "#ffffff";
    return fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"><title>{} = {:.6g}, {} = "
        "{:.6g}: "
        "{:.4g} [{:.4g}, {:.4g}], {} trials</title></rect>\n",
        x, y, w, h, fill, escaped(map.x_name), cell.x, escaped(map.y_name), cell.y, cell.estimate.value,
        cell.estimate.low, cell.estimate.high, cell.estimate.count);
  }

  [[nodiscard]] std::string frame_svg(const std::string& title) const {
    std::string out =
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", left, top,
                    kPanel, kPanel);
    out += text_at(left, top - 8, title);
    out += text_at(left, top + kPanel + 16, fmt::format("{:.4g}", map.xs.front()));
    out += text_at(left + kPanel, top + kPanel + 16, fmt::format("{:.4g}", map.xs.back()), "text-anchor=\"end\"");
    out += text_at(left + kPanel / 2, top + kPanel + 16, map.x_name, "text-anchor=\"middle\"");
    out += text_at(left - 6, top + kPanel, fmt::format("{:.4g}", map.ys.front()), "text-anchor=\"end\"");
    out += text_at(left - 6, top + 10, fmt::format("{:.4g}", map.ys.back()), "text-anchor=\"end\"");
    out += text_at(left - 6, top + kPanel / 2, map.y_name, "text-anchor=\"end\"");
    constexpr int kSteps = 32;
    const double bar = left + kPanel + 8, h = kPanel / kSteps;
    for (int i = 0; i < kSteps; ++i)
      out += fmt::format("<rect x=\"{}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\" fill=\"{}\"/>\n", bar,
                         top + kPanel - h * (i + 1), kBar, h + 0.3, colour_of((i + 0.5) / kSteps));
    out += text_at(bar + kBar + 4, top + kPanel, fmt::format("{:.3g}", low));
    out += text_at(bar + kBar + 4, top + 10, fmt::format("{:.3g}", high));
    return out;
  }
};

std::string panel_title(const HeatMap& map, const std::vector<double>& others) {
  std::string text;
  for (std::size_t i = 0; i < others.size(); ++i)
    text += fmt::format("{}{} = {:.4g}", i > 0 ? ", " : ": ", map.other_names[i], others[i]);
  return text;
}

// The value of a trial that the map shows; nan: none.
std::function<double(const TrialResult&)> reader_of(const Store& store, const std::string& value) {
  if (value == "success") return [](const TrialResult& result) { return result.success; };
  if (value == "objective") return [](const TrialResult& result) { return result.objective; };
  const auto& names = store.header().observables;
  const auto found = std::ranges::find(names, value);
  if (found == names.end())
    throw StoreError(fmt::format("the store has no '{}': success, objective and the observables can be drawn", value),
                     true);
  const auto i = static_cast<std::size_t>(found - names.begin());
  return [i](const TrialResult& result) { return result.observables[i]; };
}

}  // namespace

HeatMap heat_map_of(Store& store, const Study& study, const std::string& value) {
  HeatMap map;
  map.value = !value.empty() ? value : study.success.empty() ? "objective" : "success";
  map.title = study.title;
  const auto read = reader_of(store, map.value);
  std::vector<std::size_t> grids;
  for (std::size_t i = 0; i < study.variations.size(); ++i)
    if (study.variations[i].kind == Variation::Kind::Grid && study.variations[i].values.size() > 1) grids.push_back(i);
  if (grids.size() < 2)
    throw StoreError("a map needs a study over at least two grids or lists of more than one value", true);
  // The two largest grids are the axes, in their order.
  std::vector<std::size_t> axes = grids;
  std::ranges::stable_sort(axes, std::greater<>(), [&](std::size_t i) { return study.variations[i].values.size(); });
  const std::size_t x = std::min(axes[0], axes[1]), y = std::max(axes[0], axes[1]);
  std::vector<std::size_t> others;
  for (const std::size_t i : grids)
    if (i != x && i != y) others.push_back(i);
  map.x_name = study.variations[x].parameter;
  map.y_name = study.variations[y].parameter;
  for (const std::size_t i : others) map.other_names.push_back(study.variations[i].parameter);
  map.xs = study.variations[x].values;
  map.ys = study.variations[y].values;
  std::ranges::sort(map.xs);
  std::ranges::sort(map.ys);

  struct Cell {
    HeatMapCell cell;
    RateEstimator rate;
    MeanEstimator mean;
  };
  std::map<std::int64_t, Cell> cells;
  store.read([&](const TrialPoint& trial, const TrialResult& result) {
    Cell& cell = cells[trial.group];
    cell.cell.x = trial.values[x];
    cell.cell.y = trial.values[y];
    cell.cell.others.clear();
    for (const std::size_t i : others) cell.cell.others.push_back(trial.values[i]);
    const double number = read(result);
    if (std::isnan(number)) return;
    cell.rate.add(number != 0);
    cell.mean.add(number);
  });
  std::set<std::vector<double>> panels;
  for (auto& [group, cell] : cells) {
    cell.cell.estimate = map.value == "success" ? cell.rate.estimate() : cell.mean.estimate();
    panels.insert(cell.cell.others);
    map.cells.push_back(cell.cell);
  }
  map.panels.assign(panels.begin(), panels.end());
  return map;
}

std::string heat_map_svg(const HeatMap& map) {
  double low = 0, high = 1, widest = 0;
  if (map.value != "success") {
    low = std::numeric_limits<double>::infinity();
    high = -low;
    for (const HeatMapCell& cell : map.cells)
      if (std::isfinite(cell.estimate.value)) {
        low = std::min(low, cell.estimate.value);
        high = std::max(high, cell.estimate.value);
      }
  }
  for (const HeatMapCell& cell : map.cells)
    if (std::isfinite(cell.estimate.width())) widest = std::max(widest, cell.estimate.width());
  const double row = kPanel + kTop + 20, width = 2 * (kPanel + 2 * kMargin);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, row * static_cast<double>(map.panels.size()) + 30);
  out += text_at(kMargin, 20, map.title, "font-size=\"15\"");
  for (std::size_t p = 0; p < map.panels.size(); ++p) {
    const double top = 30 + kTop / 2 + row * static_cast<double>(p);
    const Panel value{map, kMargin, top, low, high, false};
    const Panel interval{map, kPanel + 3 * kMargin, top, 0, widest, true};
    const std::string others = panel_title(map, map.panels[p]);
    for (const HeatMapCell& cell : map.cells)
      if (cell.others == map.panels[p]) out += value.cell_svg(cell) + interval.cell_svg(cell);
    out += value.frame_svg(map.value + others) + interval.frame_svg("width of the 95 % interval" + others);
  }
  return out + "</svg>\n";
}

}  // namespace stickslip::study
