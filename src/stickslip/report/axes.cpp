// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip::report {
namespace {

constexpr Color kSoft = rgb(0x55606a), kLine = rgb(0x8a949c), kGrid = rgb(0xe9edf0);

// m 10^exponent, m = 1 ... 9: a plain number, or with the power as a superscript.
std::string power_text(int m, int exponent, bool plain) {
  if (plain) return fmt::format("{:g}", m * std::pow(10, exponent));
  constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = m == 1 ? "10" : fmt::format("{}·10", m);
  if (exponent < 0) text += "⁻";
  for (const char c : std::to_string(std::abs(exponent))) text += kDigits[c - '0'];
  return text;
}

std::vector<Tick> linear_ticks(const Scale& scale, double parts) {
  std::vector<Tick> ticks;
  const double step = nice_step(scale.high - scale.low, parts);
  for (double k = std::ceil(scale.low / step - 1e-9); k * step <= scale.high + 1e-9 * step; ++k)
    ticks.push_back({k * step, tick_text(k * step, step)});
  return ticks;
}

// Powers of ten have numbers, and where these are fewer than three also 2 and 5 times them, or all; in one notation.
std::vector<Tick> logarithmic_ticks(const Scale& scale, double parts) {
  const int first = static_cast<int>(std::floor(std::log10(scale.low))),
            last = static_cast<int>(std::ceil(std::log10(scale.high)));
  const double decades = std::log10(scale.high / scale.low);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / std::max(parts, 1.0))));
  const auto inside = [&](double value) { return value >= scale.low * (1 - 1e-9) && value <= scale.high * (1 + 1e-9); };
  constexpr int kFew = 3;
  int numbers = 0;
  const auto count = [&](std::initializer_list<int> multiples) {
    for (int k = first; k <= last; ++k)
      for (const int m : multiples) numbers += inside(m * std::pow(10, k)) ? 1 : 0;
    return numbers;
  };
  const bool with_two_and_five = count({1}) < kFew, with_all = with_two_and_five && count({2, 5}) < kFew;
  bool plain = true;
  std::vector<std::pair<int, int>> places;  // m, exponent
  for (int k = first; k <= last; ++k)
    for (int m = 1; m <= 9; ++m) {
      if (!inside(m * std::pow(10, k)) || (m > 1 && decades >= 3)) continue;
      places.emplace_back(m, k);
      plain = plain && k >= -2 && k <= 3;
    }
  std::vector<Tick> ticks;
  for (const auto& [m, k] : places) {
    const bool numbered = m == 1 ? k % stride == 0 : with_all || (with_two_and_five && (m == 2 || m == 5));
    ticks.push_back({m * std::pow(10, k), numbered ? power_text(m, k, plain) : std::string()});
  }
  return ticks;
}

}  // namespace

double nice_step(double length, double parts) {
  const double raw = length / parts, power = std::pow(10, std::floor(std::log10(raw))), m = raw / power;
  return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

std::string tick_text(double value, double step) {
  if (std::fabs(value) < 1e-9 * step) return "0";
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  if (digits <= 4 && std::fabs(value) < 1e5) return fmt::format("{:.{}f}", value, digits);
  // As many digits as tell neighbours apart.
  const auto power = [](double x) { return static_cast<int>(std::floor(std::log10(x) + 1e-9)); };
  const int needed = std::clamp(power(std::fabs(value)) - power(step) + 1, 1, 12);
  return fmt::format("{:.{}g}", value, needed);
}

bool Scale::shows(double value) const {
  return std::isfinite(value) && (!logarithmic || value > 0);
}

double Scale::share(double value) const {
  if (logarithmic) return std::log(value / low) / std::log(high / low);
  return (value - low) / (high - low);
}

double Scale::value_at(double share) const {
  if (logarithmic) return low * std::pow(high / low, share);
  return low + share * (high - low);
}

std::vector<Tick> Scale::ticks(double parts) const {
  return logarithmic ? logarithmic_ticks(*this, parts) : linear_ticks(*this, parts);
}

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

Scale Range::scale(bool logarithmic, double air) const {
  if (empty()) return {logarithmic ? 0.1 : 0.0, 1, logarithmic};
  if (logarithmic) {
    const double factor = high > low * (1 + 1e-9) ? std::pow(high / low, air) : 2;
    return {low / factor, high * factor, true};
  }
  const double width = high - low;
  const double by = width > 1e-9 * std::max(std::fabs(low), std::fabs(high))
                        ? air * width
                        : std::max(0.1 * std::max(std::fabs(low), std::fabs(high)), 1e-12);
  return {low - by, high + by, false};
}

void draw_axes(Painter& painter, const Axes& axes, double letters, bool grid) {
  const Vec2 &corner = axes.corner, &size = axes.size;
  const double bottom = corner.y() + size.y();
  double taken = -1e9;  // numbers do not run into each other
  for (const Tick& tick : axes.x.ticks(size.x() / (5.5 * letters))) {
    const double x = corner.x() + axes.x.share(tick.value) * size.x();
    const bool small = tick.text.empty();
    if (grid) painter.stroke({{x, corner.y()}, {x, bottom}}, false, kGrid, small ? 0.35 : 0.75);
    painter.stroke({{x, bottom}, {x, bottom + (small ? 2 : 3.5)}}, false, kLine, 0.75);
    const double width = painter.text_width(tick.text, letters);
    if (small || x - width / 2 < taken) continue;
    taken = x + width / 2 + 3;
    painter.text({x, bottom + letters + 4.5}, tick.text, letters, kSoft, Align::Centre);
  }
  double used = 1e9;
  for (const Tick& tick : axes.y.ticks(size.y() / (3.6 * letters))) {
    const double y = bottom - axes.y.share(tick.value) * size.y();
    const bool small = tick.text.empty();
    if (grid) painter.stroke({{corner.x(), y}, {corner.x() + size.x(), y}}, false, kGrid, small ? 0.35 : 0.75);
    painter.stroke({{corner.x() - (small ? 2 : 3.5), y}, {corner.x(), y}}, false, kLine, 0.75);
    if (small || y > used) continue;
    used = y - letters;
    painter.text({corner.x() - 5.5, y + 0.36 * letters}, tick.text, letters, kSoft, Align::Right);
  }
  painter.stroke({corner, corner + Vec2(size.x(), 0), corner + size, corner + Vec2(0, size.y())}, true, kLine, 0.75);
}

}  // namespace stickslip::report
