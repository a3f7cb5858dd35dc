// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/figure_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip::report {
namespace {

constexpr Color kInk = rgb(0x1d2730), kSoft = rgb(0x55606a);
constexpr Color kColours[] = {rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7),
                              rgb(0xe69f00), rgb(0x56b4e9), rgb(0x6b4c9a)};
constexpr Color kGreys[] = {rgb(0x000000), rgb(0x6a6a6a), rgb(0x000000), rgb(0x9a9a9a)};
constexpr Mark kMarks[] = {Mark::Disc, Mark::Square, Mark::Diamond, Mark::Triangle, Mark::Ring};
constexpr Color kModes[] = {rgb(0xdcdfe1), rgb(0x0072b2), rgb(0x009e73), rgb(0xd55e00)};
constexpr Color kModeGreys[] = {rgb(0xe6e6e6), rgb(0x1c1c1c), rgb(0x6a6a6a), rgb(0xb0b0b0)};
constexpr double kSample = 22, kRow = 13, kBandRow = 15, kBarRoom = 62, kClose = 0.2, kMarkApart = 9;

std::vector<double> dashes_of(std::size_t index, bool print) {
  static const std::vector<std::vector<double>> kDashes = {{}, {6, 2.5}, {1.5, 2}, {7, 2.5, 1.5, 2.5}, {3, 2}};
  // In colour the dash changes with each round of the colours; in print with each curve.
  return kDashes[(print ? index : index / std::size(kColours)) % kDashes.size()];
}

void draw_mark(Painter& painter, const Vec2& at, Mark mark, const Color& color, double r) {
  switch (mark) {
    case Mark::None: return;
    case Mark::Disc: return painter.disc(at, r, color);
    case Mark::Ring: return painter.circle(at, r, color, 1);
    case Mark::Square: return painter.box(at - Vec2(0.9 * r, 0.9 * r), {1.8 * r, 1.8 * r}, color);
    case Mark::Diamond:
      return painter.fill(
          {{at - Vec2(0, 1.3 * r), at + Vec2(1.3 * r, 0), at + Vec2(0, 1.3 * r), at - Vec2(1.3 * r, 0)}}, color);
    case Mark::Triangle:
      return painter.fill({{at - Vec2(0, 1.2 * r), at + Vec2(1.1 * r, 0.8 * r), at + Vec2(-1.1 * r, 0.8 * r)}}, color);
  }
}

void draw_arrow(Painter& painter, const Vec2& from, const Vec2& by, const Color& color) {
  const double length = by.norm();
  if (length < 0.4) return painter.disc(from, 0.8, color);
  const Vec2 u = by / length, side(-u.y(), u.x()), tip = from + by;
  const double head = std::min(5.0, 0.45 * length);
  painter.stroke({from, tip - 0.8 * head * u}, false, color, 1);
  painter.fill({{tip, tip - head * u + 0.4 * head * side, tip - head * u - 0.4 * head * side}}, color);
}

// How long an arrow of length one is on the page: the longest reaches from its place to the next.
double arrow_scale(const FigurePanel& panel, const Axes& axes) {
  double longest = 0;
  for (const FigureArrow& arrow : panel.arrows) longest = std::max(longest, arrow.by.norm());
  const double spacing = std::sqrt(axes.size.x() * axes.size.y() / static_cast<double>(panel.arrows.size()));
  return longest > 0 ? 0.85 * spacing / longest : 0;
}

void draw_curve(Painter& painter, const FigureCurve& curve, const CurveStyle& style, const Axes& axes) {
  std::vector<Vec2> piece;
  const auto finish = [&] {
    if (piece.size() > 1) painter.stroke(piece, false, style.color, style.width, style.dashes);
    // Alone between gaps: a point is all there is to see.
    if (piece.size() == 1 && curve.line && !curve.marks) painter.disc(piece.front(), 1.2, style.color);
    piece.clear();
  };
  std::optional<Vec2> start, marked;
  Vec2 skipped = Vec2::Zero();
  bool has_skipped = false;
  for (const Vec2& p : curve.points) {
    if (!axes.x.shows(p.x()) || !axes.y.shows(p.y())) {
      if (has_skipped) piece.push_back(skipped);
      has_skipped = false;
      finish();
      continue;
    }
    const Vec2 at = axes.at(p.x(), p.y());
    if (!start) start = at;
    // Marks that would cover each other are left out.
    if (curve.marks && (!marked || (at - *marked).norm() > kMarkApart || curve.points.size() < 60)) {
      draw_mark(painter, at, style.mark, style.color, 2.2);
      marked = at;
    }
    if (!curve.line) continue;
    // Points closer than a page can show are left out, but for the last.
    has_skipped = !piece.empty() && (at - piece.back()).norm() < kClose;
    if (has_skipped)
      skipped = at;
    else
      piece.push_back(at);
  }
  if (has_skipped) piece.push_back(skipped);
  finish();
  if (curve.mark_start && start) {
    painter.disc(*start, 3, rgb(0xffffff));
    painter.circle(*start, 3, style.color, 1.2);
  }
}

// Those of one corner side by side, from it inwards; over the curves.
void draw_insets(Painter& painter, const FigurePanel& panel, const Axes& axes, const View& view) {
  constexpr double kApart = 6;
  int before[4] = {};
  for (const FigureInset& inset : panel.insets) {
    const Vec3 extent = inset.still.data->bounds.high - inset.still.data->bounds.low;
    const bool plane = inset.still.data->description.model.dimension == 2;
    const double tall = plane ? std::clamp(extent.y() / extent.x(), 0.35, 1.0) : 0.75, width = 0.28 * axes.size.x();
    const Vec2 size(width, std::min(0.42 * axes.size.y(), tall * width + 2 * kApart));
    const double along = kApart + before[2 * (inset.right ? 1 : 0) + (inset.top ? 1 : 0)]++ * (size.x() + kApart);
    const Vec2 corner = axes.corner + Vec2(inset.right ? axes.size.x() - along - size.x() : along,
                                           inset.top ? kApart : axes.size.y() - kApart - size.y());
    painter.box(corner, size, rgb(0xffffff));
    draw_scene(painter, *inset.still.data, inset.still.frame, corner, size, view);
    const std::string& unit = inset.still.data->units.time;
    painter.text(corner + Vec2(4, 9),
                 fmt::format("t = {:.6g}{}{}", inset.still.data->recording.time()[inset.still.frame],
                             unit.empty() ? "" : " ", unit),
                 kLetters - 1, kSoft);
  }
}

void draw_cells(Painter& painter, const FigureCells& cells, const Axes& axes, bool print) {
  const auto edges = [](const std::vector<double>& centres) {
    std::vector<double> out;
    for (std::size_t k = 0; k < centres.size(); ++k) {
      if (centres.size() == 1) return std::vector<double>{centres[0] - 0.5, centres[0] + 0.5};
      if (k == 0) out.push_back(centres[0] - 0.5 * (centres[1] - centres[0]));
      out.push_back(k + 1 < centres.size() ? 0.5 * (centres[k] + centres[k + 1])
                                           : centres[k] + 0.5 * (centres[k] - centres[k - 1]));
    }
    return out;
  };
  const std::vector<double> ex = edges(cells.xs), ey = edges(cells.ys);
  for (std::size_t j = 0; j < cells.ys.size(); ++j)
    for (std::size_t i = 0; i < cells.xs.size(); ++i) {
      const double value = cells.values[cells.xs.size() * j + i];
      const Vec2 low = axes.at(ex[i], ey[j + 1]), high = axes.at(ex[i + 1], ey[j]);
      const double range = cells.high - cells.low;
      const Color color =
          std::isfinite(value) ? shade(range > 0 ? (value - cells.low) / range : 0.5, print) : rgb(0xffffff);
      painter.box(low - Vec2(0.15, 0.15), high - low + Vec2(0.3, 0.3), color);  // no seams between neighbours
      if (!cells.notes.empty()) painter.note(low, high - low, cells.notes[cells.xs.size() * j + i]);
    }
}

void draw_colour_bar(Painter& painter, const FigureCells& cells, const Axes& axes, bool print) {
  constexpr int kSteps = 64;
  const Vec2 corner = axes.corner + Vec2(axes.size.x() + 10, 0);
  const double height = axes.size.y(), width = 9;
  for (int k = 0; k < kSteps; ++k)
    painter.box(corner + Vec2(0, height * (1 - (k + 1.0) / kSteps)), {width, height / kSteps + 0.3},
                shade((k + 0.5) / kSteps, print));
  painter.stroke({corner, corner + Vec2(width, 0), corner + Vec2(width, height), corner + Vec2(0, height)}, true, kSoft,
                 0.6);
  const Scale scale{cells.low, cells.high > cells.low ? cells.high : cells.low + 1, false};
  for (const Tick& tick : scale.ticks(height / 36)) {
    const double y = corner.y() + height * (1 - scale.share(tick.value));
    painter.text({corner.x() + width + 4, y + 3}, tick.text, kLetters, kSoft);
  }
  painter.text_up(corner + Vec2(width + 46, height / 2), cells.label, kLetters, kInk);
}

void draw_bands(Painter& painter, const FigurePanel& panel, const Axes& axes, double top, bool print) {
  const Color* colors = print ? kModeGreys : kModes;
  const char* labels[] = {"apart", "stick", "roll", "slide"};
  double x = axes.corner.x() + axes.size.x();
  for (const int mode : {0, 3, 2, 1}) {
    const double width = painter.text_width(labels[mode], 8);
    painter.text({x, top + 8}, labels[mode], 8, kSoft, Align::Right);
    painter.box({x - width - 11, top + 1.5}, {8, 7}, colors[mode]);
    x -= width + 20;
  }
  if (const char* head = "contact modes"; axes.corner.x() + painter.text_width(head, 8) + 8 < x)
    painter.text({axes.corner.x(), top + 8}, head, 8, kSoft);
  top += 12;
  painter.clip({axes.corner.x(), top}, {axes.size.x(), kBandRow * static_cast<double>(panel.bands.size())});
  for (std::size_t row = 0; row < panel.bands.size(); ++row) {
    const double y = top + kBandRow * static_cast<double>(row);
    for (const Band& band : panel.bands[row]) {
      const double from = axes.at(band.begin, axes.y.low).x(), to = axes.at(band.end, axes.y.low).x();
      const bool apart = band.mode == contact::Mode::Open;
      painter.box({from, y + (apart ? 6 : 2)}, {std::max(0.4, to - from), apart ? 2.0 : 10.0},
                  colors[static_cast<int>(band.mode)]);
    }
  }
  painter.unclip();
  for (std::size_t row = 0; row < panel.bands.size(); ++row)
    painter.text({axes.corner.x() - 5, top + kBandRow * static_cast<double>(row) + 10}, panel.band_names[row], 8, kSoft,
                 Align::Right);
}

double widest_number(const Painter& painter, const Scale& y, double height) {
  double widest = 0;
  for (const Tick& tick : y.ticks(height / (3.6 * kLetters)))
    widest = std::max(widest, painter.text_width(tick.text, kLetters));
  return widest;
}

// The room for numbers and label at the left.
double gutter(const Painter& painter, const FigurePanel& panel, double widest) {
  for (const std::string& name : panel.band_names) widest = std::max(widest, painter.text_width(name, 8) - 2);
  return widest + 8 + (panel.y.label.empty() ? 0 : 16);
}

void widen(Scale& scale, double to) {
  const double middle = 0.5 * (scale.low + scale.high);
  scale.low = middle - 0.5 * to;
  scale.high = middle + 0.5 * to;
}

Scale scale_of(const FigureAxis& axis, const Range& range, double air) {
  Scale scale = range.scale(axis.logarithmic, air);
  if (!std::isnan(axis.low)) scale.low = axis.low;
  if (!std::isnan(axis.high)) scale.high = axis.high;
  return scale;
}

// What the curves, arrows and cells of a panel cover, within the limits given for the other axis.
void find_scales(const FigurePanel& panel, Axes& axes) {
  Range x, y;
  const auto within = [](double v, const FigureAxis& axis) {
    return !(v < axis.low) && !(v > axis.high) && std::isfinite(v) && (!axis.logarithmic || v > 0);
  };
  for (const FigureCurve& curve : panel.curves) {
    if (curve.faint) continue;
    for (const Vec2& p : curve.points)
      if (within(p.x(), panel.x) && within(p.y(), panel.y)) x.add(p.x()), y.add(p.y());
  }
  for (const FigureArrow& arrow : panel.arrows) x.add(arrow.at.x()), y.add(arrow.at.y());
  if (panel.cells) {
    for (const double v : panel.cells->xs) x.add(v);
    for (const double v : panel.cells->ys) y.add(v);
  }
  const auto cell_air = [](const std::vector<double>& v) {
    return v.size() > 1 ? 0.5 / static_cast<double>(v.size() - 1) : 0.5;
  };
  const bool marks = std::ranges::any_of(panel.curves, [](const FigureCurve& c) { return c.marks; });
  const double air = !panel.arrows.empty() ? 0.1 : 0.05;
  const bool paths = std::ranges::any_of(panel.curves, [](const FigureCurve& c) { return c.mark_start; });
  const bool over_time = !panel.equal && !marks && !paths && panel.arrows.empty();
  axes.x = scale_of(panel.x, x, panel.cells ? cell_air(panel.cells->xs) : over_time ? 0 : air);
  axes.y = scale_of(panel.y, y, panel.cells ? cell_air(panel.cells->ys) : air);
}

}  // namespace

CurveStyle curve_style(const FigureCurve& curve, std::size_t index, bool print) {
  if (curve.theory) return {rgb(0x000000), {5, 3}, Mark::Ring, 1.1};
  if (curve.faint) return {rgb(0x8a8a8a), {1.5, 2}, Mark::None, 0.9};
  const Mark mark = kMarks[index % std::size(kMarks)];
  if (print) return {kGreys[index % std::size(kGreys)], dashes_of(index, true), mark, 1.2 * curve.thickness};
  return {kColours[index % std::size(kColours)], dashes_of(index, false), mark, 1.3 * curve.thickness};
}

PanelLayout lay_out(const Painter& painter, const FigurePanel& panel, const Figure& figure, double width, bool legend,
                    const Vec2& least) {
  PanelLayout out;
  out.width = width;
  double top = panel.title.empty() ? 4 : kTitleLetters + 8;
  find_scales(panel, out.axes);
  if (legend) {
    double x = 0;
    for (std::size_t k = 0; k < panel.curves.size(); ++k) {
      if (panel.curves[k].label.empty()) continue;
      const double needed = kSample + 5 + painter.text_width(panel.curves[k].label, kLetters) + 14;
      if (x > 0 && x + needed > width) x = 0, top += kRow;
      out.legend.emplace_back(x, top);
      out.entries.push_back(k);
      x += needed;
    }
    if (!out.entries.empty()) top += kRow + 4;
  }
  if (!panel.arrows.empty()) top += 12;
  double height = figure.height;
  top = std::max(top, least.y());
  Axes& axes = out.axes;
  out.numbers = widest_number(painter, axes.y, height);
  const double left = std::max(gutter(painter, panel, out.numbers), least.x()), right = panel.cells ? kBarRoom : 10;
  const double chart = width - left - right;
  if (panel.equal) {
    const double rx = axes.x.high - axes.x.low, ry = axes.y.high - axes.y.low;
    height = std::clamp(chart * ry / rx, 0.45 * chart, std::min(chart, 420.0));
    const double unit = std::max(rx / chart, ry / height);
    widen(axes.x, unit * chart);
    widen(axes.y, unit * height);
  }
  axes.corner = {left, top};
  axes.size = {chart, height};
  double bottom = top + height + kLetters + 8 + (panel.x.label.empty() ? 0 : kLetters + 6);
  out.bands_top = bottom;
  if (!panel.bands.empty()) bottom += 16 + kBandRow * static_cast<double>(panel.bands.size());
  out.height = bottom + 4;
  return out;
}

void draw_panel(Painter& painter, const FigurePanel& panel, const PanelLayout& layout, const Vec2& corner,
                const Figure& figure) {
  const bool print = figure.print;
  Axes axes = layout.axes;
  axes.corner += corner;
  if (!panel.title.empty())
    painter.text(corner + Vec2(0, kTitleLetters), panel.title, kTitleLetters, kInk, Align::Left, true);
  std::vector<CurveStyle> styles;
  std::size_t number = 0;
  for (const FigureCurve& curve : panel.curves)
    styles.push_back(curve_style(curve, curve.theory || curve.faint ? number : number++, print));
  for (std::size_t k = 0; k < layout.entries.size(); ++k) {
    const FigureCurve& curve = panel.curves[layout.entries[k]];
    const CurveStyle& style = styles[layout.entries[k]];
    const Vec2 at = corner + layout.legend[k] + Vec2(0, kRow / 2);
    if (curve.line) painter.stroke({at, at + Vec2(kSample, 0)}, false, style.color, style.width + 0.3, style.dashes);
    if (curve.marks) draw_mark(painter, at + Vec2(kSample / 2, 0), style.mark, style.color, 2.4);
    painter.text(at + Vec2(kSample + 5, 3.2), curve.label, kLetters, kInk);
  }
  if (panel.cells) draw_cells(painter, *panel.cells, axes, print);
  if (!panel.cells) draw_axes(painter, axes, kLetters);
  painter.clip(axes.corner, axes.size);
  for (const bool over : {false, true})  // theory lies over the curves
    for (std::size_t k = 0; k < panel.curves.size(); ++k)
      if (panel.curves[k].theory == over) draw_curve(painter, panel.curves[k], styles[k], axes);
  if (!panel.arrows.empty()) {
    const double scale = arrow_scale(panel, axes);
    for (const FigureArrow& arrow : panel.arrows)
      draw_arrow(painter, axes.at(arrow.at.x(), arrow.at.y()), scale * Vec2(arrow.by.x(), -arrow.by.y()),
                 print ? kGreys[0] : kColours[0]);
  }
  painter.unclip();
  draw_insets(painter, panel, axes, figure.view);
  if (panel.cells) {
    draw_axes(painter, axes, kLetters, false);
    draw_colour_bar(painter, *panel.cells, axes, print);
  }
  if (!panel.arrows.empty()) {  // a length to compare with
    const double scale = arrow_scale(panel, axes), length = nice_step(scale > 0 ? 18 / scale : 1, 1);
    const std::string text = fmt::format("{:g}{}{}", length, panel.arrow_unit.empty() ? "" : " ", panel.arrow_unit);
    const Vec2 end(axes.corner.x() + axes.size.x(), axes.corner.y() - 7);
    const double room = painter.text_width(text, kLetters) + 6;
    painter.text(end + Vec2(0, 3), text, kLetters, kSoft, Align::Right);
    draw_arrow(painter, end - Vec2(room + scale * length, 0), {scale * length, 0}, print ? kGreys[0] : kColours[0]);
  }
  const double below = axes.corner.y() + axes.size.y();
  painter.text({axes.corner.x() + axes.size.x() / 2, below + 2 * kLetters + 9}, panel.x.label, kLetters + 0.5, kInk,
               Align::Centre);
  // Beside the numbers: names of bands may have moved the chart far to the right.
  const double label_at = std::max(corner.x() + 10, axes.corner.x() - layout.numbers - 14);
  painter.text_up({label_at, axes.corner.y() + axes.size.y() / 2}, panel.y.label, kLetters + 0.5, kInk);
  if (!panel.bands.empty()) draw_bands(painter, panel, axes, corner.y() + layout.bands_top, print);
}

}  // namespace stickslip::report
