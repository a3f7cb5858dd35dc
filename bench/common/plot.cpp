// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace stickslip::bench {
namespace {

// Pixels.
constexpr double kPanelWidth = 520, kPanelHeight = 330;
constexpr double kLeft = 62, kRight = 158, kTop = 34, kBottom = 48, kHeading = 40;

constexpr std::array kColours{"#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A7A00"};
constexpr std::array kDashes{"", "7 3", "2 3", "9 3 2 3"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      default: result += c;
    }
  return result;
}

class Drawing {
 public:
  Drawing(const Panel& panel, double left, double top, std::string& out)
      : panel_(panel), left_(left + kLeft), top_(top + kTop), out_(out) {}

  void draw() {
    add("<text x='{:.1f}' y='{:.1f}' class='title'>{}</text>\n", left_, top_ - 12, escaped(panel_.title));
    draw_frame();
    for (std::size_t i = 0; i < panel_.curves.size(); ++i) draw_curve(panel_.curves[i], i);
  }

 private:
  static constexpr double kWidth = kPanelWidth - kLeft - kRight, kHeight = kPanelHeight - kTop - kBottom;

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  static double place(const Axis& axis, double value) {
    if (axis.logarithmic) return std::log(value / axis.from) / std::log(axis.to / axis.from);
    return (value - axis.from) / (axis.to - axis.from);
  }
  double at_x(double value) const { return left_ + kWidth * place(panel_.x, value); }
  double at_y(double value) const { return top_ + kHeight * (1 - place(panel_.y, value)); }

  static std::string number(const Axis& axis, std::size_t i) {
    return axis.numbers.empty() ? fmt::format("{:g}", axis.ticks[i]) : axis.numbers[i];
  }

  void draw_frame() {
    for (std::size_t i = 0; i < panel_.x.ticks.size(); ++i) {
      const double x = at_x(panel_.x.ticks[i]);
      add("<line x1='{0:.1f}' y1='{1:.1f}' x2='{0:.1f}' y2='{2:.1f}' class='grid'/>\n", x, top_, top_ + kHeight);
      add("<text x='{:.1f}' y='{:.1f}' class='number' text-anchor='middle'>{}</text>\n", x, top_ + kHeight + 16,
          escaped(number(panel_.x, i)));
    }
    for (std::size_t i = 0; i < panel_.y.ticks.size(); ++i) {
      const double y = at_y(panel_.y.ticks[i]);
      add("<line x1='{0:.1f}' y1='{1:.1f}' x2='{2:.1f}' y2='{1:.1f}' class='grid'/>\n", left_, y, left_ + kWidth);
      add("<text x='{:.1f}' y='{:.1f}' class='number' text-anchor='end'>{}</text>\n", left_ - 6, y + 4,
          escaped(number(panel_.y, i)));
    }
    add("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' class='frame'/>\n", left_, top_, kWidth, kHeight);
    add("<text x='{:.1f}' y='{:.1f}' class='axis' text-anchor='middle'>{}</text>\n", left_ + kWidth / 2,
        top_ + kHeight + 36, escaped(panel_.x.label));
    const double x = left_ - 46, y = top_ + kHeight / 2;
    add("<text x='{0:.1f}' y='{1:.1f}' class='axis' text-anchor='middle' transform='rotate(-90 {0:.1f} {1:.1f})'>{2}"
        "</text>\n",
        x, y, escaped(panel_.y.label));
  }

  std::string path(const Curve& curve) const {
    std::string points;
    bool pen_down = false;
    double last_y = 0;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) {
        pen_down = false;
        continue;
      }
      const double x = at_x(std::clamp(curve.x[i], panel_.x.from, panel_.x.to));
      const double y = at_y(std::clamp(curve.y[i], panel_.y.from, panel_.y.to));
      if (pen_down && curve.steps) points += fmt::format(" L{:.1f} {:.1f}", x, last_y);
      points += fmt::format("{}{:.1f} {:.1f}", pen_down ? " L" : " M", x, y);
      pen_down = true;
      last_y = y;
    }
    return points;
  }

  void draw_curve(const Curve& curve, std::size_t index) {
    const std::string style = fmt::format("fill='none' stroke='{}' stroke-width='{}' stroke-dasharray='{}'",
                                          kColours[index % kColours.size()], curve.strong ? 3.2 : 1.7,
                                          kDashes[index / kColours.size() % kDashes.size()]);
    add("<path d='{}' {}/>\n", path(curve), style);
    if (!curve.steps)
      for (std::size_t i = 0; i < curve.x.size(); ++i)
        if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]))
          add("<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='{}'/>\n", at_x(curve.x[i]), at_y(curve.y[i]),
              curve.strong ? 3.4 : 2.4, kColours[index % kColours.size()]);
    const double x = left_ + kWidth + 12, y = top_ + 8 + 17 * static_cast<double>(index);
    add("<line x1='{0:.1f}' y1='{1:.1f}' x2='{2:.1f}' y2='{1:.1f}' {3}/>\n", x, y, x + 24, style);
    add("<text x='{:.1f}' y='{:.1f}' class='{}'>{}</text>\n", x + 30, y + 4, curve.strong ? "strong" : "number",
        escaped(curve.label));
  }

  const Panel& panel_;
  double left_, top_;
  std::string& out_;
};

constexpr const char* kStyle =
    "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#222}.heading{font-size:17px;font-weight:bold}"
    ".title{font-size:14px;font-weight:bold}.axis{font-size:12px}.number{font-size:11px}"
    ".strong{font-size:11px;font-weight:bold}.grid{stroke:#ddd;stroke-width:1}"
    ".frame{fill:none;stroke:#444;stroke-width:1}</style>\n";

}  // namespace

std::string svg_plot(const std::string& title, std::span<const Panel> panels, int columns) {
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  const double width = kPanelWidth * columns, height = kHeading + kPanelHeight * rows;
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0:.0f}' height='{1:.0f}' viewBox='0 0 {0:.0f} {1:.0f}'>\n",
      width, height);
  out += kStyle;
  out += fmt::format("<rect width='{:.0f}' height='{:.0f}' fill='white'/>\n", width, height);
  out += fmt::format("<text x='{:.0f}' y='26' class='heading'>{}</text>\n", kLeft, escaped(title));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
    Drawing(panels[i], kPanelWidth * column, kHeading + kPanelHeight * row, out).draw();
  }
  return out + "</svg>\n";
}

Axis decades(std::string label, double smallest, double largest) {
  Axis axis;
  axis.label = std::move(label);
  axis.logarithmic = true;
  const int first = static_cast<int>(std::floor(std::log10(smallest)));
  const int last = std::max(static_cast<int>(std::ceil(std::log10(largest))), first + 1);
  axis.from = std::pow(10.0, first);
  axis.to = std::pow(10.0, last);
  for (int exponent = first; exponent <= last; ++exponent) axis.ticks.push_back(std::pow(10.0, exponent));
  return axis;
}

}  // namespace stickslip::bench
