// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/figure.h"

#include "stickslip/report/series.h"
#include "stickslip/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

namespace stickslip::report {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Axes, LinearTicksAreRoundNumbersInsideTheRange) {
  for (const auto& [low, high] : {std::pair{0.0, 1.0}, {-3.7, 12.1}, {1e-7, 3e-7}, {1e6, 1.002e6}, {-5e-3, -4e-3}}) {
    const std::vector<Tick> ticks = Scale{low, high}.ticks(5);
    ASSERT_GE(ticks.size(), 2U) << low << " " << high;
    EXPECT_LE(ticks.size(), 11U);
    const double step = ticks[1].value - ticks[0].value;
    const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    EXPECT_TRUE(std::fabs(digit - 1) < 1e-6 || std::fabs(digit - 2) < 1e-6 || std::fabs(digit - 5) < 1e-6) << digit;
    std::set<std::string> texts;
    for (const Tick& tick : ticks) {
      EXPECT_GE(tick.value, low - 1e-6 * step);
      EXPECT_LE(tick.value, high + 1e-6 * step);
      texts.insert(tick.text);
      EXPECT_NEAR(std::stod(tick.text), tick.value, 1e-3 * step) << tick.text;  // what is written is what is meant
    }
    EXPECT_EQ(texts.size(), ticks.size()) << "two ticks with the same number";
  }
}

TEST(Axes, LogarithmicTicksSpanTheDecades) {
  const Scale scale{3e-7, 2e2, true};
  int powers = 0;
  for (const Tick& tick : scale.ticks(20)) {
    const double exponent = std::log10(tick.value);
    if (std::fabs(exponent - std::round(exponent)) < 1e-9) ++powers;
  }
  EXPECT_EQ(powers, 9);  // 1e-6 ... 1e2
  EXPECT_NEAR(scale.share(scale.value_at(0.3)), 0.3, 1e-12);
  EXPECT_FALSE(scale.shows(0));
}

// Whatever the range, an axis has two numbers at least, and they are written in one way.
TEST(Axes, LogarithmicNumbersAreEnoughAndOfOneNotation) {
  for (int decade = -9; decade <= 6; ++decade)
    for (int width = 1; width <= 40; ++width)
      for (const double begin : {1.0, 1.3, 2.1, 4.9, 7.2, 9.7}) {
        const double low = begin * std::pow(10, decade);
        const Scale scale{low, low * std::pow(10, 0.35 + 0.1 * width), true};
        int numbers = 0, powers = 0;
        for (const Tick& tick : scale.ticks(8)) {
          EXPECT_GE(tick.value, scale.low * (1 - 1e-6));
          EXPECT_LE(tick.value, scale.high * (1 + 1e-6));
          if (tick.text.empty()) continue;
          ++numbers;
          // Superscripts are the only letters beyond ASCII.
          const bool power = std::ranges::any_of(tick.text, [](char c) { return static_cast<unsigned char>(c) > 127; });
          powers += power ? 1 : 0;
          if (!power) {
            EXPECT_NEAR(std::stod(tick.text), tick.value, 1e-6 * tick.value) << tick.text;
          }
        }
        EXPECT_GE(numbers, 2) << scale.low << " to " << scale.high;
        EXPECT_TRUE(powers == 0 || powers == numbers) << scale.low << " to " << scale.high;
      }
}

TEST(Axes, RangeOfOneValueHasRoomAroundIt) {
  for (const double value : {0.0, 3.0, -2e-9}) {
    Range range;
    range.add(value);
    const Scale scale = range.scale(false, 0.05);
    EXPECT_LT(scale.low, value);
    EXPECT_GT(scale.high, value);
  }
}

Figure two_curves() {
  FigurePanel panel;
  panel.x.label = "time (s)";
  panel.y.label = "x (m)";
  FigureCurve a{"first", {{0, 0}, {1, 1}, {2, std::nan("")}, {3, 2}}}, b{"second", {{0, 2}, {3, 0}}};
  b.theory = true;
  panel.curves = {a, b};
  Figure figure;
  figure.title =
      "A title that is far too long for a single line of a figure of this width, and is therefore broken into lines";
  figure.panels = {panel, panel};
  return figure;
}

TEST(Figure, BecomesEachKindOfFileWithTheSameBytesEveryTime) {
  const Figure figure = two_curves();
  EXPECT_THAT(draw_figure(figure, Painter::Format::Svg), HasSubstr("<svg"));
  EXPECT_THAT(draw_figure(figure, Painter::Format::Png), StartsWith("\x89PNG"));
  EXPECT_THAT(draw_figure(figure, Painter::Format::Pdf), StartsWith("%PDF"));
  // Cairo numbers what is in an SVG file within the process; the command's test compares two processes.
  for (const auto format : {Painter::Format::Png, Painter::Format::Pdf})
    EXPECT_EQ(draw_figure(figure, format), draw_figure(figure, format));
}

TEST(Figure, PixelsSetTheWidthOfAPng) {
  const std::string png = draw_figure(two_curves(), Painter::Format::Png, 300);
  const auto byte = [&](std::size_t k) { return static_cast<unsigned>(static_cast<unsigned char>(png.at(k))); };
  EXPECT_EQ((byte(16) << 24) + (byte(17) << 16) + (byte(18) << 8) + byte(19), 300U);
}

TEST(Figure, EmptyAndDegeneratePanelsAreDrawn) {
  Figure figure;
  figure.panels.emplace_back();
  FigurePanel point;
  point.curves = {{"", {{1, 1}}}};
  point.equal = true;
  figure.panels.push_back(point);
  FigurePanel nothing;
  nothing.curves = {{"", {{std::nan(""), 1}, {0, -1}}}};
  nothing.y.logarithmic = true;
  figure.panels.push_back(nothing);
  EXPECT_THAT(draw_figure(figure, Painter::Format::Svg), HasSubstr("</svg>"));
}

TEST(Shade, BrightnessRisesWithTheValueInColourAndFallsInPrint) {
  const auto brightness = [](const Color& c) { return 0.3 * c.red + 0.59 * c.green + 0.11 * c.blue; };
  for (int k = 0; k < 20; ++k) {
    EXPECT_LT(brightness(shade(k / 20.0, false)), brightness(shade((k + 1) / 20.0, false)));
    EXPECT_GT(brightness(shade(k / 20.0, true)), brightness(shade((k + 1) / 20.0, true)));
  }
}

class CsvFile {
 public:
  explicit CsvFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("stickslip-series-" + std::to_string(::getpid()) + ".csv")) {
    std::ofstream(path_) << text;
  }
  ~CsvFile() { std::filesystem::remove(path_); }
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Series, OfATableKnowsItsColumnsAndTheirUnits) {
  const CsvFile file("# measured\ntime,x (cm),ball.y,kind\n0,1,10,a\n0.5,2,,b\n1,3,30,c\n");
  const auto series = open_series(file.path());
  EXPECT_TRUE(series->has_time());
  EXPECT_EQ(series->unit_of("x"), "cm");
  const auto values = series->evaluate({"t", "x^2 + 1", "ball.y"});
  EXPECT_THAT(values[0], ::testing::ElementsAre(0, 0.5, 1));
  EXPECT_THAT(values[1], ::testing::ElementsAre(2, 5, 10));
  EXPECT_EQ(values[2][2], 30);
  EXPECT_TRUE(std::isnan(values[2][1]));
  EXPECT_THAT(series->formula("2 * x", "x", {1, 2}), ::testing::ElementsAre(2, 4));
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const SeriesError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Series, NamesTheNearestColumn) {
  const CsvFile file("t,height,speed\n0,1,2\n");
  const auto series = open_series(file.path());
  const std::string message = message_of([&] { (void)series->evaluate({"2 * hieght"}); });
  EXPECT_THAT(message, HasSubstr("unknown name 'hieght'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'height'?"));
  EXPECT_THAT(message, HasSubstr("column 5"));
}

TEST(Series, RefusesWhatIsNoTable) {
  EXPECT_THAT(message_of([] { (void)open_series("/nowhere.csv"); }), HasSubstr("cannot read"));
  const CsvFile ragged("a,b\n1,2\n1,2,3\n");
  EXPECT_THAT(message_of([&] { (void)open_series(ragged.path()); }),
              HasSubstr(":3: 3 fields where the first line has 2"));
}

}  // namespace
}  // namespace stickslip::report
