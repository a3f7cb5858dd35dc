// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Panels in rows of `columns`; a row is as high as its highest panel. Panels whose curves have the same labels as the
// first panel's share its legend.
#include "stickslip/report/figure.h"

#include "stickslip/report/figure_panel.h"
#include "stickslip/report/figure_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip::report {
namespace {

constexpr double kMargin = 12, kGap = 16, kStill = 150;
constexpr Color kInk = rgb(0x1d2730), kSoft = rgb(0x55606a);

std::vector<std::string> labels_of(const FigurePanel& panel) {
  std::vector<std::string> labels;
  for (const FigureCurve& curve : panel.curves)
    if (!curve.label.empty()) labels.push_back(curve.label);
  return labels;
}

// A text that is too long for a line becomes several.
std::vector<std::string> lines_of(const Painter& painter, const std::string& text, double size, double width) {
  std::vector<std::string> lines;
  std::string line, word;
  const auto add = [&] {
    if (word.empty()) return;
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && painter.text_width(longer, size) > width) {
      lines.push_back(line);
      line = word;
    } else {
      line = longer;
    }
    word.clear();
  };
  for (const char c : text)
    if (c == ' ')
      add();
    else
      word += c;
  add();
  if (!line.empty()) lines.push_back(line);
  return lines;
}

// In rows of at most four, five and six in rows of three; returns the height.
double draw_stills(Painter& painter, const Figure& figure, double top, bool draw) {
  const std::size_t count = figure.stills.size();
  const std::size_t columns = figure.still_columns > 0  ? figure.still_columns
                              : count > 4 && count <= 6 ? 3
                                                        : std::min<std::size_t>(count, 4);
  const std::size_t rows = (figure.stills.size() + columns - 1) / columns;
  const double width =
      (figure.width - 2 * kMargin - 8 * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  const RunData& first = *figure.stills.front().data;
  const Bounds bounds = shown_bounds(first, figure.labels);
  const Vec3 extent = bounds.high - bounds.low;
  const bool plane = first.description.model.dimension == 2 || figure.view.from_above();
  const double tall = plane ? std::clamp(extent.y() / extent.x(), 0.35, 1.3) : 0.75;
  const double height = std::min(tall * width, figure.panels.empty() ? 400 : kStill) + kScaleRoom;
  for (std::size_t k = 0; k < figure.stills.size() && draw; ++k) {
    const FigureStill& still = figure.stills[k];
    const Vec2 corner(kMargin + static_cast<double>(k % columns) * (width + 8),
                      top + static_cast<double>(k / columns) * (height + 22));
    const std::string& unit = still.data->units.time;
    painter.text(corner + Vec2(0, 9),
                 fmt::format("{}{}t = {:.6g}{}{}", still.title, still.title.empty() ? "" : ", ",
                             still.data->recording.time()[still.frame], unit.empty() ? "" : " ", unit),
                 kLetters, kSoft);
    std::vector<StillLabel> labels = figure.labels;
    labels.insert(labels.end(), still.labels.begin(), still.labels.end());
    draw_scene(painter, *still.data, still.frame, corner + Vec2(0, 13), {width, height}, figure.view, labels);
  }
  return static_cast<double>(rows) * (height + 22) + 2;
}

// Lays everything out; draws when asked to. Returns the height.
double compose(Painter& painter, const Figure& figure, bool draw) {
  const double inner = figure.width - 2 * kMargin;
  double top = kMargin;
  for (const std::string& line : lines_of(painter, figure.title, 12, 0.95 * inner)) {
    if (draw) painter.text({kMargin, top + 11}, line, 12, kInk, Align::Left, true);
    top += 16;
  }
  if (!figure.title.empty()) top += 3;
  if (!figure.stills.empty()) top += draw_stills(painter, figure, top, draw);
  const auto columns = static_cast<std::size_t>(std::max(1, figure.columns));
  const double width = (inner - kGap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  // Once to see how much room each needs, then so that charts line up.
  const auto shows_legend = [&](std::size_t k) {
    return k == 0 || labels_of(figure.panels[k]) != labels_of(figure.panels.front());
  };
  std::vector<double> left(columns, 0), numbers(columns, 0);
  std::vector<double> tops((figure.panels.size() + columns - 1) / columns, 0);
  for (std::size_t k = 0; k < figure.panels.size(); ++k) {
    const PanelLayout layout = lay_out(painter, figure.panels[k], figure, width, shows_legend(k));
    left[k % columns] = std::max(left[k % columns], layout.axes.corner.x());
    numbers[k % columns] = std::max(numbers[k % columns], layout.numbers);
    tops[k / columns] = std::max(tops[k / columns], layout.axes.corner.y());
  }
  for (std::size_t row = 0; row < figure.panels.size(); row += columns) {
    double height = 0;
    for (std::size_t k = row; k < std::min(row + columns, figure.panels.size()); ++k) {
      PanelLayout layout =
          lay_out(painter, figure.panels[k], figure, width, shows_legend(k), {left[k % columns], tops[k / columns]});
      layout.numbers = numbers[k % columns];
      if (draw)
        draw_panel(painter, figure.panels[k], layout, {kMargin + static_cast<double>(k - row) * (width + kGap), top},
                   figure);
      height = std::max(height, layout.height);
    }
    top += height + 6;
  }
  for (const std::string& line : lines_of(painter, figure.note, 8, inner)) {
    if (draw) painter.text({kMargin, top + 7}, line, 8, kSoft);
    top += 11;
  }
  return top + kMargin - 6;
}

}  // namespace

Color shade(double share, bool print) {
  const double s = std::clamp(share, 0.0, 1.0);
  if (print) return {1 - 0.88 * s, 1 - 0.88 * s, 1 - 0.88 * s, 1};
  // Knots of viridis (van der Walt and Smith 2015), between which it is nearly straight.
  constexpr unsigned kKnots[] = {0x440154, 0x46327e, 0x365c8d, 0x277f8e, 0x1fa187, 0x4ac16d, 0xa0da39, 0xfde725};
  constexpr auto kLast = static_cast<double>(std::size(kKnots) - 1);
  const double at = s * kLast;
  const auto k = std::min(static_cast<std::size_t>(at), std::size(kKnots) - 2);
  const Color a = rgb(kKnots[k]), b = rgb(kKnots[k + 1]);
  const double w = at - static_cast<double>(k);
  return {a.red + w * (b.red - a.red), a.green + w * (b.green - a.green), a.blue + w * (b.blue - a.blue), 1};
}

std::string draw_figure(const Figure& figure, Painter::Format format, int pixels) {
  Painter measure(Painter::Format::Svg, 10, 10);
  const double height = compose(measure, figure, false);
  (void)measure.finish();
  Painter painter(format, figure.width, height, pixels > 0 ? pixels / figure.width : 2.5);
  (void)compose(painter, figure, true);
  std::string drawn = painter.finish();
  return format == Painter::Format::Svg ? with_description(std::move(drawn), figure) : drawn;
}

}  // namespace stickslip::report
