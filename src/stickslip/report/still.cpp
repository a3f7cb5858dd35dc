// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/still.h"

#include "stickslip/report/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stickslip::report {
namespace {

constexpr Color kInk = rgb(0x1d2730), kSoft = rgb(0x55606a), kLine = rgb(0xaab4bb), kGrid = rgb(0xeceff1);
constexpr Color kBad = rgb(0xb3261e);
constexpr Color kModes[] = {rgb(0xdcdfe1), rgb(0x0072b2), rgb(0x009e73), rgb(0xd55e00)};
constexpr Color kCurves[] = {rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7),
                             rgb(0x56b4e9), rgb(0xe69f00), rgb(0x000000), rgb(0x7a7a7a)};
constexpr double kMargin = 16, kGap = 12, kGutter = 56, kRow = 26, kPlot = 120;
constexpr std::size_t kMostRows = 16, kBuckets = 800;  // kBuckets: of a curve, more than a picture has points

void time_axis(Painter& painter, const Axes& axes, const std::string& unit, bool grid) {
  for (const Tick& tick : axes.x.ticks(axes.size.x() / 70)) {
    const Vec2 foot = axes.at(tick.value, axes.y.low);
    if (grid) painter.stroke({foot, foot - Vec2(0, axes.size.y())}, false, kGrid, 0.75);
    painter.stroke({foot, foot + Vec2(0, 3)}, false, kLine, 0.75);
    painter.text(foot + Vec2(0, 12), tick.text, 9, kSoft, Align::Centre);
  }
  painter.text(axes.corner + Vec2(axes.size.x(), axes.size.y() + 22),
               unit.empty() ? "time" : fmt::format("time ({})", unit), 9, kSoft, Align::Right);
}

double draw_bands(Painter& painter, const RunData& data, double top, double width) {
  const std::vector<double>& time = data.recording.time();
  const std::size_t rows = std::min(data.pairs.size(), kMostRows);
  painter.text({kMargin, top + 12}, "Contact modes", 12, kInk, Align::Left, true);
  const char* labels[] = {"apart", "stick", "roll", "slide"};
  double x = kMargin + 110;
  for (const int mode : {1, 2, 3, 0}) {
    painter.box({x, top + 3}, {10, 10}, kModes[mode]);
    painter.text({x + 14, top + 12}, labels[mode], 10, kSoft);
    x += 56;
  }
  top += 22;
  if (rows == 0) painter.text({kMargin, top + 10}, "No bodies touched, or only within a step.", 10, kSoft);
  const Axes axes{{kMargin + kGutter, top},
                  {width - 2 * kMargin - kGutter, kRow * static_cast<double>(rows)},
                  {time.front(), std::max(time.back(), time.front() + 1e-12)},
                  {0, 1}};
  for (std::size_t row = 0; row < rows; ++row) {
    const PairBands& pair = data.pairs[row];
    const double y = top + kRow * static_cast<double>(row);
    const auto name = [&](int b) { return data.description.model.bodies[static_cast<std::size_t>(b)].name; };
    painter.text({axes.corner.x(), y + 9}, name(pair.body_a) + " - " + name(pair.body_b), 9, kInk);
    for (const Band& band : pair.bands) {
      const double from = axes.at(band.begin, 0).x(), to = axes.at(band.end, 0).x();
      const bool apart = band.mode == contact::Mode::Open;
      painter.box({from, y + (apart ? 16 : 12)}, {std::max(0.4, to - from), apart ? 2.0 : 10.0},
                  kModes[static_cast<int>(band.mode)]);
    }
  }
  if (rows > 0) time_axis(painter, axes, data.units.time, false);
  return top + axes.size.y() + (rows > 0 ? 28 : 16);
}

void draw_plot(Painter& painter, const RunData& data, const Plot& plot, const Vec2& corner, double width) {
  const std::vector<double>& time = data.recording.time();
  constexpr double kLeast = 1e-17;  // shown of a logarithmic plot
  const auto shown = [&](double v) { return plot.logarithmic ? std::max(v, kLeast) : v; };
  Range range;
  for (const Curve& curve : plot.curves)
    for (const double v : curve.values)
      if (std::isfinite(v)) range.add(shown(v));
  painter.text(corner + Vec2(0, 10), plot.unit.empty() ? plot.title : fmt::format("{} ({})", plot.title, plot.unit), 10,
               kInk, Align::Left, true);
  if (range.empty()) {
    painter.text(corner + Vec2(kGutter, 40), "has no value during this run", 9, kSoft);
    return;
  }
  // Rounding errors around zero do not fill the plot; the page has the same rule.
  constexpr double kRounding = 1e-12;
  if (!plot.logarithmic && std::max(std::fabs(range.low), std::fabs(range.high)) < kRounding) {
    range.add(-kRounding);
    range.add(kRounding);
  }
  const Axes axes{corner + Vec2(kGutter, 16),
                  {width - kGutter, kPlot - 46},
                  {time.front(), std::max(time.back(), time.front() + 1e-12)},
                  range.scale(plot.logarithmic, 0.08)};
  for (const Tick& tick : axes.y.ticks(4)) {
    const Vec2 left = axes.at(axes.x.low, tick.value);
    painter.stroke({left, left + Vec2(axes.size.x(), 0)}, false, kGrid, 0.75);
    painter.text(left + Vec2(-4, 3), tick.text, 9, kSoft, Align::Right);
  }
  time_axis(painter, axes, data.units.time, true);
  painter.stroke({axes.corner, axes.corner + Vec2(0, axes.size.y()), axes.corner + axes.size}, false, kLine, 0.75);
  const std::vector<std::size_t> samples = plot_samples(plot.curves, time.size(), kBuckets);
  double label = corner.x() + width;
  for (std::size_t c = plot.curves.size(); c-- > 0;) {
    const Curve& curve = plot.curves[c];
    const Color color = kCurves[c % std::size(kCurves)];
    std::vector<Vec2> points;
    for (const std::size_t k : samples) {
      if (k >= curve.values.size()) break;
      if (std::isfinite(curve.values[k])) {
        points.push_back(axes.at(time[k], shown(curve.values[k])));
      } else if (!points.empty()) {
        painter.stroke(points, false, color, 1);
        points.clear();
      }
    }
    painter.stroke(points, false, color, 1);
    if (plot.curves.size() < 2) continue;
    painter.text({label, corner.y() + 10}, curve.name, 9, color, Align::Right);
    label -= 6.0 * static_cast<double>(curve.name.size()) + 10;
  }
}

std::vector<std::size_t> frames_of(const RunData& data, const StillOptions& options) {
  const std::vector<double>& time = data.recording.time();
  std::vector<double> wanted = options.times;
  for (int k = 0;
       wanted.size() < options.times.size() + static_cast<std::size_t>(options.times.empty() ? options.frames : 0); ++k)
    wanted.push_back(time.front() + (time.back() - time.front()) *
                                        (options.frames > 1 ? static_cast<double>(k) / (options.frames - 1) : 1.0));
  std::vector<std::size_t> frames;
  for (const double t : wanted) {
    const auto after = std::lower_bound(time.begin(), time.end(), t);
    auto k = static_cast<std::size_t>(after - time.begin());
    if (k == time.size() || (k > 0 && t - time[k - 1] < time[k] - t)) --k;
    frames.push_back(k);
  }
  return frames;
}

// The title, in smaller letters when it is long, and below it how the run ended.
void draw_head(Painter& painter, const RunData& data, double width) {
  const std::string title = data.description.title.empty() ? "Run" : data.description.title;
  constexpr double kLetter = 0.62;  // mean width of a bold letter by its size
  const double size = std::min(16.0, width / (kLetter * static_cast<double>(title.size())));
  painter.text({kMargin, 22}, title, size, kInk, Align::Left, true);
  const bool failed = data.recording.failed();
  painter.text({kMargin, 36},
               fmt::format("stickslip {}; worst residual {:.1e}; {}", data.recording.info().version,
                           data.worst_residual, end_text(data.recording)),
               9, failed ? kBad : kSoft, Align::Left, failed);
}

}  // namespace

std::string draw_still(const RunData& data, Painter::Format format, const StillOptions& options) {
  const std::vector<std::size_t> frames = frames_of(data, options);
  const std::size_t columns = std::min<std::size_t>(frames.size(), 3), rows = (frames.size() + columns - 1) / columns;
  const double width = options.width, inner = width - 2 * kMargin;
  const double cell_width = (inner - kGap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
  // Cells are as tall as the scene asks for, within reason.
  const Vec3 extent = data.bounds.high - data.bounds.low;
  const double tall = data.description.model.dimension == 2 ? std::clamp(extent.y() / extent.x(), 0.35, 1.0) : 0.72;
  const double cell_height = cell_width * tall;
  const std::size_t plots = options.charts ? data.plots.size() : 0;
  const double head = 48, pitch = cell_height + kScaleRoom + 16 + kGap,
               frames_height = static_cast<double>(rows) * pitch;
  const double bands = options.charts ? 66 + kRow * static_cast<double>(std::min(data.pairs.size(), kMostRows)) : 0;
  const double height = head + frames_height + bands + static_cast<double>((plots + 1) / 2) * (kPlot + kGap) + kMargin;

  Painter painter(format, width, height);
  draw_head(painter, data, inner);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const Vec2 corner(kMargin + static_cast<double>(k % columns) * (cell_width + kGap),
                      head + static_cast<double>(k / columns) * pitch);
    painter.text(corner + Vec2(0, 10), fmt::format("t = {:.6g} {}", data.recording.time()[frames[k]], data.units.time),
                 10, kSoft);
    draw_scene(painter, data, frames[k], corner + Vec2(0, 16), {cell_width, cell_height + kScaleRoom}, options.view);
  }
  if (options.charts) {
    double top = draw_bands(painter, data, head + frames_height, width);
    const double plot_width = (inner - kGap) / 2;
    for (std::size_t k = 0; k < plots; ++k)
      draw_plot(painter, data, data.plots[k],
                {kMargin + static_cast<double>(k % 2) * (plot_width + kGap),
                 top + static_cast<double>(k / 2) * (kPlot + kGap)},
                plot_width);
  }
  return painter.finish();
}

}  // namespace stickslip::report
