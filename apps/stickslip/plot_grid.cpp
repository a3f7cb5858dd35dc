// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plot_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace stickslip::app {
namespace {

using report::FigurePanel;

std::vector<Labelled> parts_of(const std::string& text, std::size_t count, const char* option, const char* usage) {
  std::vector<Labelled> parts;
  for (const std::string& part : split_list(text)) parts.push_back(labelled(part));
  if (parts.size() != count) throw std::invalid_argument(fmt::format("{} \"{}\": write \"{}\"", option, text, usage));
  return parts;
}

std::vector<std::vector<double>> evaluate(const PlotSource& source, const std::vector<Labelled>& parts) {
  std::vector<std::string> expressions;
  for (const Labelled& part : parts) expressions.push_back(part.expression);
  return source.series->evaluate(expressions);
}

std::string with_unit(const Labelled& item, const report::SeriesSource& series) {
  const std::string unit = series.unit_of(item.expression);
  return unit.empty() ? item.label : fmt::format("{} ({})", item.label, unit);
}

FigurePanel panel_for(const PlotOptions& options, const PlotSource& source, const std::vector<Labelled>& parts,
                      std::size_t number, bool many) {
  FigurePanel panel;
  if (many) panel.title = source.label;
  panel.x.label = with_unit(parts[0], *source.series);
  panel.y.label = y_label(options, number, with_unit(parts[1], *source.series));
  panel.equal = !options.not_equal;
  return panel;
}

}  // namespace

std::vector<FigurePanel> field_panels(const PlotOptions& options, const std::vector<PlotSource>& sources) {
  const std::vector<Labelled> parts = parts_of(options.field, 4, "--field", "X, Y, U, V");
  std::vector<FigurePanel> panels;
  for (const PlotSource& source : sources) {
    const std::vector<std::vector<double>> v = evaluate(source, parts);
    FigurePanel panel = panel_for(options, source, parts, panels.size(), sources.size() > 1);
    panel.arrow_unit = options.arrow_unit.empty() ? source.series->unit_of(parts[2].expression) : options.arrow_unit;
    for (std::size_t r = 0; r < v[0].size(); ++r)
      if (std::isfinite(v[0][r] + v[1][r] + v[2][r] + v[3][r]))
        panel.arrows.push_back({{v[0][r], v[1][r]}, {v[2][r], v[3][r]}});
    if (panel.arrows.empty())
      throw std::invalid_argument(fmt::format("--field: {} has no row with four numbers", source.series->name()));
    panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<FigurePanel> heat_panels(const PlotOptions& options, const std::vector<PlotSource>& sources) {
  const std::vector<Labelled> parts = parts_of(options.heat, 3, "--heat", "X, Y, VALUE");
  std::vector<FigurePanel> panels;
  report::Range colours;
  for (const PlotSource& source : sources) {
    const std::vector<std::vector<double>> v = evaluate(source, parts);
    std::map<std::pair<double, double>, std::pair<double, double>> sums;  // of a cell: sum and count
    std::vector<double> xs, ys;
    for (std::size_t r = 0; r < v[0].size(); ++r) {
      if (!std::isfinite(v[0][r] + v[1][r])) continue;
      xs.push_back(v[0][r]);
      ys.push_back(v[1][r]);
      if (!std::isfinite(v[2][r])) continue;
      auto& [sum, count] = sums[{v[0][r], v[1][r]}];
      sum += v[2][r];
      ++count;
    }
    if (sums.empty())
      throw std::invalid_argument(fmt::format("--heat: {} has no row with three numbers", source.series->name()));
    for (auto* list : {&xs, &ys}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    if (xs.size() * ys.size() > 20 * sums.size() + 1000)
      throw std::invalid_argument(
          fmt::format("--heat: the points of {} do not lie on a grid ({} values of {}, {} of {})",
                      source.series->name(), xs.size(), parts[0].label, ys.size(), parts[1].label));
    FigurePanel panel = panel_for(options, source, parts, panels.size(), sources.size() > 1);
    report::FigureCells cells{xs, ys, std::vector<double>(xs.size() * ys.size(), std::nan("")), parts[2].label, 0, 1};
    for (const auto& [place, total] : sums) {
      const auto i = static_cast<std::size_t>(std::ranges::lower_bound(xs, place.first) - xs.begin());
      const auto j = static_cast<std::size_t>(std::ranges::lower_bound(ys, place.second) - ys.begin());
      cells.values[xs.size() * j + i] = total.first / total.second;
      colours.add(total.first / total.second);
    }
    panel.cells = std::move(cells);
    panels.push_back(std::move(panel));
  }
  // The same colours in all panels; rates of success from 0 to 1.
  const bool rate = parts[2].expression == "success";
  for (FigurePanel& panel : panels) {
    panel.cells->low = rate ? 0 : colours.low;
    panel.cells->high = rate ? 1 : colours.high;
  }
  return panels;
}

std::string grid_csv(const FigurePanel& panel, const std::string& name) {
  std::string out;
  for (const report::FigureArrow& arrow : panel.arrows)
    out += fmt::format("{},\"arrow\",{},{},{},{}\n", name, arrow.at.x(), arrow.at.y(), arrow.by.x(), arrow.by.y());
  if (!panel.cells) return out;
  const report::FigureCells& cells = *panel.cells;
  for (std::size_t j = 0; j < cells.ys.size(); ++j)
    for (std::size_t i = 0; i < cells.xs.size(); ++i)
      out += fmt::format("{},\"{}\",{},{},{},\n", name, cells.label, cells.xs[i], cells.ys[j],
                         cells.values[cells.xs.size() * j + i]);
  return out;
}

}  // namespace stickslip::app
