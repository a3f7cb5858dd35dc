// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace stickslip::app {
namespace {

constexpr double kWidth = 760, kPanel = 210, kLeft = 90, kRight = 20, kTop = 34, kBottom = 26;
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
constexpr const char* kDashes[] = {"none", "6 3", "2 2", "8 3 2 3"};

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  void widen() {
    if (!(high >= low)) low = 0, high = 1;
    if (high - low <= 1e-12 * std::max(std::fabs(low), std::fabs(high))) {
      const double by = std::max(0.5 * std::fabs(high), 1e-12);
      low -= by, high += by;
    }
  }
  [[nodiscard]] double share(double x) const { return (x - low) / (high - low); }
};

std::string panel(std::size_t k, const std::string& name, const std::vector<Result>& results, double y0) {
  Range time, value;
  for (const Result& result : results) {
    if (k >= result.series.values.size()) continue;
    for (double t : result.series.time) time.add(t);
    for (double x : result.series.values[k]) value.add(x);
  }
  time.widen();
  value.widen();
  const double width = kWidth - kLeft - kRight, height = kPanel - kTop - kBottom;
  std::string out = fmt::format(
      "<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#999'/>\n"
      "<text x='{}' y='{}' font-weight='bold'>{}</text>\n"
      "<text x='{}' y='{}' text-anchor='end'>{:.4g}</text><text x='{}' y='{}' text-anchor='end'>{:.4g}</text>\n"
      "<text x='{}' y='{}'>{:.4g}</text><text x='{}' y='{}' text-anchor='end'>t = {:.4g}</text>\n",
      kLeft, y0 + kTop, width, height, kLeft, y0 + kTop - 6, escape(name), kLeft - 6, y0 + kTop + 10, value.high,
      kLeft - 6, y0 + kTop + height, value.low, kLeft, y0 + kTop + height + 16, time.low, kLeft + width,
      y0 + kTop + height + 16, time.high);
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (k >= results[r].series.values.size()) continue;
    std::string points;
    for (std::size_t i = 0; i < results[r].series.time.size(); ++i) {
      const double x = results[r].series.values[k][i];
      if (!std::isfinite(x)) continue;
      points += fmt::format("{:.2f},{:.2f} ", kLeft + width * time.share(results[r].series.time[i]),
                            y0 + kTop + height * (1 - value.share(x)));
    }
    out += fmt::format("<polyline fill='none' stroke='{}' stroke-width='1.5' stroke-dasharray='{}' points='{}'/>\n",
                       kColours[r % std::size(kColours)], kDashes[r % std::size(kDashes)], points);
  }
  return out;
}

void write_page(const std::string& path, const std::string& page) {
  std::ofstream file(path, std::ios::trunc);
  file << page;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write the plot {}", path));
}

std::string page_head(double height, const std::string& title) {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{}' height='{}' font-family='sans-serif' font-size='12'>\n"
      "<rect width='100%' height='100%' fill='white'/>\n<text x='10' y='18' font-size='14'>{}</text>\n",
      kWidth, height, escape(title));
}

std::string legend_line(std::size_t r, const std::string& label) {
  const double y = 36 + 18 * static_cast<double>(r);
  return fmt::format(
      "<line x1='10' x2='50' y1='{}' y2='{}' stroke='{}' stroke-width='2' stroke-dasharray='{}'/>"
      "<text x='58' y='{}'>{}</text>\n",
      y - 4, y - 4, kColours[r % std::size(kColours)], kDashes[r % std::size(kDashes)], y, escape(label));
}

}  // namespace

void write_order_plot(const std::string& path, const std::string& title, const std::vector<std::string>& observables,
                      const std::vector<double>& steps, const std::vector<std::vector<double>>& values) {
  const double legend = 40 + 18 * static_cast<double>(observables.size()), width = kWidth - kLeft - kRight,
               height = 420;
  Range step, difference;
  const auto distance = [&](std::size_t k, std::size_t i) {  // logarithm; not a number where runs agree
    const double d = std::fabs(values[k][i + 1] - values[k][i]);
    return d > 0 ? std::log10(d) : std::nan("");
  };
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    step.add(std::log10(steps[i]));
    for (std::size_t k = 0; k < observables.size(); ++k) difference.add(distance(k, i));
  }
  step.widen();
  difference.widen();
  const auto x = [&](double log_step) { return kLeft + width * step.share(log_step); };
  const auto y = [&](double log_difference) { return legend + height * (1 - difference.share(log_difference)); };
  std::string out = page_head(legend + height + 40, title);
  out += fmt::format(
      "<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#999'/>\n"
      "<text x='{}' y='{}' text-anchor='end'>{:.1e}</text><text x='{}' y='{}' text-anchor='end'>{:.1e}</text>\n"
      "<text x='{}' y='{}'>step {:.3g}</text><text x='{}' y='{}' text-anchor='end'>{:.3g}</text>\n",
      kLeft, legend, width, height, kLeft - 6, legend + 10, std::pow(10, difference.high), kLeft - 6, legend + height,
      std::pow(10, difference.low), kLeft, legend + height + 16, std::pow(10, step.low), kLeft + width,
      legend + height + 16, std::pow(10, step.high));
  for (const int slope : {1, 2}) {  // from the upper right corner, as far as they stay inside
    const double down = std::min(slope * (step.high - step.low), difference.high - difference.low);
    out += fmt::format(
        "<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#bbb'/>"
        "<text x='{:.1f}' y='{:.1f}' fill='#888'>slope {}</text>\n",
        x(step.high), y(difference.high), x(step.high - down / slope), y(difference.high - down),
        x(step.high - down / slope) + 6, y(difference.high - down) - 6, slope);
  }
  for (std::size_t k = 0; k < observables.size(); ++k) {
    std::string points;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
      if (const double d = distance(k, i); std::isfinite(d))
        points += fmt::format("{:.2f},{:.2f} ", x(std::log10(steps[i])), y(d));
    out += legend_line(k, observables[k]) +
           fmt::format("<polyline fill='none' stroke='{}' stroke-width='1.5' stroke-dasharray='{}' points='{}'/>\n",
                       kColours[k % std::size(kColours)], kDashes[k % std::size(kDashes)], points);
  }
  write_page(path, out + "</svg>\n");
}

void write_plot(const std::string& path, const std::string& title, const std::vector<std::string>& observables,
                const std::vector<Variant>& variants, const std::vector<Result>& results) {
  const double legend = 30 + 18 * static_cast<double>(variants.size());
  const double height = legend + kPanel * static_cast<double>(observables.size());
  std::string out = page_head(height, title);
  for (std::size_t r = 0; r < variants.size(); ++r) out += legend_line(r, variants[r].label);
  for (std::size_t k = 0; k < observables.size(); ++k)
    out += panel(k, observables[k], results, legend + kPanel * static_cast<double>(k));
  write_page(path, out + "</svg>\n");
}

}  // namespace stickslip::app
