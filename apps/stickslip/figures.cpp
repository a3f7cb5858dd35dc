// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "figures.h"

#include "plot_figure.h"

#include "stickslip/files/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace stickslip::app {
namespace {

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

}  // namespace

report::Painter::Format figure_format(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".svg") return report::Painter::Format::Svg;
  if (extension == ".png") return report::Painter::Format::Png;
  if (extension == ".pdf") return report::Painter::Format::Pdf;
  throw std::invalid_argument(fmt::format("{}: a figure's name ends in .svg, .png or .pdf", path));
}

OutputKind figure_kind(const std::string& path) {
  switch (figure_format(path)) {
    case report::Painter::Format::Svg: return OutputKind::Svg;
    case report::Painter::Format::Png: return OutputKind::Png;
    case report::Painter::Format::Pdf: break;
  }
  return OutputKind::Pdf;
}

void write_figure(const std::string& path, const report::Figure& figure, int pixels) {
  files::write_file(path, with_mark(report::draw_figure(figure, figure_format(path), pixels), figure_kind(path)));
}

report::Figure series_figure(const std::string& title, const std::vector<scene::Observable>& observables,
                             const std::string& time_unit, const std::vector<Variant>& variants,
                             const std::vector<Result>& results) {
  report::Figure figure;
  figure.title = title;
  figure.height = 150;
  figure.note = "Where runs agree, their lines lie over each other: the first is the widest.";
  double end = 0;
  for (const Result& result : results)
    if (!result.series.time.empty()) end = std::max(end, result.series.time.back());
  for (std::size_t k = 0; k < observables.size(); ++k) {
    report::FigurePanel panel;
    panel.y.label = with_unit(observables[k].name, observables[k].unit);
    panel.x.low = 0, panel.x.high = end;  // the same for all, also where an observable has no value at first
    if (k + 1 == observables.size()) panel.x.label = with_unit("time", time_unit);
    for (std::size_t r = 0; r < results.size(); ++r) {
      const Series& series = results[r].series;
      report::FigureCurve curve;
      curve.label = series.time.empty() ? fmt::format("{}: no run", variants[r].label)
                                        : fmt::format("{}, step {:.3g}", variants[r].label, results[r].step);
      const auto below = static_cast<double>(results.size() - 1 - r);
      curve.thickness = 1 + std::min(below, 5.0) * 0.9;
      if (k < series.values.size())
        for (std::size_t i = 0; i < series.time.size(); ++i)
          curve.points.emplace_back(series.time[i], series.values[k][i]);
      panel.curves.push_back(std::move(curve));
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

report::Figure order_figure(const std::string& title, const std::vector<scene::Observable>& observables,
                            const std::string& time_unit, const std::vector<Refinement>& refinements) {
  report::Figure figure;
  figure.title = title;
  figure.columns = 2;
  figure.width = 560;
  figure.height = 170;
  for (const Refinement& refinement : refinements)
    for (std::size_t k = 0; k < observables.size(); ++k) {
      report::FigurePanel panel;
      panel.title = observables[k].name;
      panel.x = {refinement.name == "step" ? with_unit("step", time_unit) : refinement.name, true};
      panel.y = {with_unit("distance to the next run", observables[k].unit), true};
      report::FigureCurve curve;
      curve.marks = true;
      for (std::size_t i = 0; i + 1 < refinement.resolution.size(); ++i)
        if (const double d = std::fabs(refinement.values[k][i + 1] - refinement.values[k][i]); d > 0)
          curve.points.emplace_back(refinement.resolution[i], d);
      const LogFit fit = fit_logarithms(curve.points);
      const bool has_order = refinement.why_not[k].empty() && !std::isnan(fit.slope);
      curve.label = curve.points.empty()    ? "all runs agree"
                    : std::isnan(fit.slope) ? "one difference only"
                    : !has_order            ? "no order: " + refinement.why_not[k]
                                            : fmt::format("fitted slope {:.2f}", fit.slope);
      curve.label = fmt::format("{}: {}", observables[k].name, curve.label);  // panels share a legend that is the same
      report::FigureCurve straight;
      straight.faint = true;
      for (const Vec2& p : curve.points)
        if (has_order) straight.points.emplace_back(p.x(), fit.at_one * std::pow(p.x(), fit.slope));
      if (curve.points.empty()) panel.x.logarithmic = panel.y.logarithmic = false;
      panel.curves = {curve, straight};
      figure.panels.push_back(std::move(panel));
    }
  return figure;
}

report::Figure map_figure(const study::HeatMap& map) {
  report::Range values, widths;
  for (const study::HeatMapCell& cell : map.cells) {
    values.add(cell.estimate.value);
    widths.add(cell.estimate.width());
  }
  if (values.empty() || map.value == "success") values.low = 0, values.high = 1;
  report::Figure figure;
  figure.title = map.title;
  figure.columns = 2;
  figure.width = 640;
  for (const std::vector<double>& others : map.panels) {
    std::string where;
    for (std::size_t i = 0; i < others.size(); ++i)
      where += fmt::format("{}{} = {:.4g}", i > 0 ? ", " : "", map.other_names[i], others[i]);
    const std::size_t count = map.xs.size() * map.ys.size();
    report::FigureCells value{map.xs,     map.ys,      std::vector<double>(count, std::nan("")), map.value,
                              values.low, values.high, std::vector<std::string>(count)};
    report::FigureCells width = value;
    width.label = "width of the 95 % interval";
    width.low = 0, width.high = widths.empty() ? 1 : widths.high;
    for (const study::HeatMapCell& cell : map.cells) {
      if (cell.others != others) continue;
      const auto i = static_cast<std::size_t>(std::ranges::find(map.xs, cell.x) - map.xs.begin());
      const auto j = static_cast<std::size_t>(std::ranges::find(map.ys, cell.y) - map.ys.begin());
      const std::size_t at = map.xs.size() * j + i;
      value.values[at] = cell.estimate.value;
      width.values[at] = cell.estimate.width();
      value.notes[at] = width.notes[at] =
          fmt::format("{} = {:.6g}, {} = {:.6g}: {:.4g} [{:.4g}, {:.4g}], {} trials", map.x_name, cell.x, map.y_name,
                      cell.y, cell.estimate.value, cell.estimate.low, cell.estimate.high, cell.estimate.count);
    }
    for (report::FigureCells* cells : {&value, &width}) {
      report::FigurePanel panel;
      panel.title = where;
      panel.x.label = map.x_name;
      panel.y.label = map.y_name;
      panel.cells = std::move(*cells);
      figure.panels.push_back(std::move(panel));
    }
  }
  return figure;
}

}  // namespace stickslip::app
