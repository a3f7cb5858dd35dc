// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Lines, areas and text on a page that becomes an SVG, PNG or PDF file (Cairo). Lengths are in points, y points down.
#pragma once

#include "stickslip/math/types.h"

#include <memory>
#include <string>
#include <vector>

namespace stickslip::report {

struct Color {
  double red = 0, green = 0, blue = 0, alpha = 1;
};
[[nodiscard]] constexpr Color rgb(unsigned hex, double alpha = 1) {
  return {static_cast<double>(hex >> 16 & 255) / 255, static_cast<double>(hex >> 8 & 255) / 255,
          static_cast<double>(hex & 255) / 255, alpha};
}

enum class Align { Left, Centre, Right };

class Painter {
 public:
  enum class Format { Svg, Png, Pdf };

  // `scale`: pixels per point of a PNG.
  Painter(Format format, double width, double height, double scale = 2);
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  void fill(const std::vector<std::vector<Vec2>>& loops, Color color);  // odd-even rule
  void stroke(const std::vector<Vec2>& points, bool closed, Color color, double width,
              const std::vector<double>& dashes = {});
  void disc(const Vec2& centre, double radius, Color color);
  void circle(const Vec2& centre, double radius, Color color, double width);
  void box(const Vec2& corner, const Vec2& size, Color color);
  void text(const Vec2& at, const std::string& text, double size, Color color, Align align = Align::Left,
            bool bold = false);
  // Upwards, centred on `at`.
  void text_up(const Vec2& at, const std::string& text, double size, Color color);
  [[nodiscard]] double text_width(const std::string& text, double size, bool bold = false) const;

  // What a box of an SVG says while the pointer rests on it; other formats leave it out.
  void note(const Vec2& corner, const Vec2& size, const std::string& text);

  // Drawing stays inside until the matching unclip().
  void clip(const Vec2& corner, const Vec2& size);
  void unclip();

  // The finished file. Throws std::runtime_error.
  [[nodiscard]] std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stickslip::report
