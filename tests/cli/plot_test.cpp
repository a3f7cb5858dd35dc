// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip plot: what it draws is what the runs say, and what it cannot draw it says in one line.
#include "tests/support/command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace stickslip {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PlotCommand : public testing::CommandTest {
 protected:
  // Curve -> points of a --data file.
  [[nodiscard]] std::map<std::string, std::vector<std::pair<double, double>>> data(const std::string& name) const {
    std::map<std::string, std::vector<std::pair<double, double>>> curves;
    std::istringstream lines(content(name));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      const std::size_t first = line.find("\",\""), second = line.find("\",", first + 3);
      const std::string curve = line.substr(first + 3, second - first - 3);
      double x = 0, y = 0;
      std::sscanf(line.c_str() + second + 2, "%lf,%lf", &x, &y);
      curves[curve].emplace_back(x, y);
    }
    return curves;
  }
  void run_ball() const { ASSERT_EQ(run("run " + example("ball") + " -o ball.h5").code, 0); }
};

TEST_F(PlotCommand, DrawsAnObservableOverTimeInEachFormat) {
  run_ball();
  const testing::CommandOutcome done = run("plot ball.h5 -y x -o x.svg -o x.png -o x.pdf --data x.csv");
  EXPECT_EQ(done.code, 0) << done.err;
  const std::string svg = content("x.svg");
  EXPECT_THAT(svg, HasSubstr("<svg"));
  ASSERT_EQ(run("plot ball.h5 -y x -o x.svg").code, 0);  // over its own file
  EXPECT_EQ(content("x.svg"), svg) << "the same figure, other bytes";
  EXPECT_THAT(content("x.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(content("x.pdf"), StartsWith("%PDF"));
  const auto curves = data("x.csv");
  ASSERT_EQ(curves.size(), 1U);
  const auto& x = curves.at("x (m)");
  EXPECT_EQ(x.size(), 1001U);
  EXPECT_NEAR(x.back().first, 1, 1e-12);
  EXPECT_NEAR(x.back().second, 0.561914, 1e-3);  // the closed form; first order with step 1e-3
}

// The slip speed falls at 7/2 mu g: theory and run are the same straight line while the ball slides.
TEST_F(PlotCommand, TheoryIsAFormulaOfTheScenesParameters) {
  run_ball();
  ASSERT_EQ(run("plot ball.h5 -y slip_speed --window 0:0.4 --theory 'theory: hypot(2, 2.5) - 3.5*mu*9.8*t' -o s.svg "
                "--data s.csv")
                .code,
            0);
  const auto curves = data("s.csv");
  const auto& theory = curves.at("theory");
  EXPECT_NEAR(theory.front().second, std::hypot(2, 2.5), 1e-12);
  EXPECT_NEAR(theory.back().second, curves.at("slip_speed (m/s)").back().second, 1e-6);
}

// First order: half the step, half the error. The exact end is known.
TEST_F(PlotCommand, ErrorOverTheStepHasTheStepsOrder) {
  const testing::CommandOutcome done = run("plot " + example("ball") +
                                           " --set method.stepper=stewart-trinkle --set record.interval=0.1 --vary "
                                           "method.step=0.02,0.01,0.005,1e-5 --against 'step = 1e-5' -x step "
                                           "-y 'x, y' --reduce end --log xy --slope -o o.svg --data o.csv");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr(": slope 0.99"));  // the finest run has an error of its own
  for (const auto& [name, points] : data("o.csv")) {
    ASSERT_EQ(points.size(), 3U) << name;
    EXPECT_NEAR(points[2].second / points[1].second, 2, 0.1);
    EXPECT_NEAR(points[1].second / points[0].second, 2, 0.1);
  }
}

// Slopes that are the same are said in every panel.
TEST_F(PlotCommand, EveryPanelSaysItsSlope) {
  write("powers.csv", "h,a,b\n1,2,3\n2,4,6\n4,8,12\n");
  ASSERT_EQ(run("plot powers.csv -x h -y a -y b --log xy --slope -o s.svg").code, 0);
  const std::string svg = content("s.svg");
  EXPECT_THAT(svg, HasSubstr("\"a, slope 1.00\""));
  EXPECT_THAT(svg, HasSubstr("\"b, slope 1.00\""));
}

TEST_F(PlotCommand, OverlaysRunsOfDifferentScenesWithAWord) {
  run_ball();
  ASSERT_EQ(run("run " + example("bounce") + " --set method.step=1e-3 -o bounce.h5").code, 0);
  const testing::CommandOutcome done = run("plot ball.h5 bounce.h5 -x x -y y -o both.svg");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("2 different scenes"));
  EXPECT_THAT(content("both.svg"), HasSubstr("Runs of 2 different scenes."));
  // The same scene with another parameter is the same scene.
  ASSERT_EQ(run("run " + example("ball") + " --set mu=0.5 -o rough.h5").code, 0);
  const testing::CommandOutcome same = run("plot ball.h5 rough.h5 -x x -y y -o same.svg");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.err, "");
  EXPECT_THAT(content("same.svg"), Not(HasSubstr("different scenes")));
}

// SVG files say in words what they show: panels, axes, curves.
TEST_F(PlotCommand, FiguresAreDescribedInWords) {
  run_ball();
  ASSERT_EQ(run("plot ball.h5 -y x -y 'a < b: y, slip_speed' --title 'A & B' --modes --still 0.5 -o words.svg").code,
            0);
  const std::string svg = content("words.svg");
  EXPECT_THAT(svg, HasSubstr("<title>A &amp; B</title>"));
  EXPECT_THAT(svg, HasSubstr("panel 1: \"x (m)\" over \"time (s)\"\n"));
  EXPECT_THAT(svg, HasSubstr("curves: \"a &lt; b\", \"slip_speed\"; contact modes: \"floor - ball\"\n"));
  EXPECT_THAT(svg, HasSubstr("pictures: t = 0.5 s\n"));
  EXPECT_EQ(svg.find("panel 3"), std::string::npos);
}

// Friction of the cone has the size mu m g and the direction of the slip, (2, 2.5), which does not turn while it slides.
TEST_F(PlotCommand, ForcesByComponents) {
  run_ball();
  ASSERT_EQ(run("plot ball.h5 -y 'x: force_x(ball, floor), y: force_y(ball, floor), z: force_z(ball, floor)' --window "
                "0.1:0.4 -o f.svg --data f.csv")
                .code,
            0);
  const auto curves = data("f.csv");
  const double size = 0.2 * 0.2 * 9.8 / std::hypot(2, 2.5);
  for (const auto& [t, force] : curves.at("x")) EXPECT_NEAR(force, -2 * size, 1e-6) << t;
  for (const auto& [t, force] : curves.at("y")) EXPECT_NEAR(force, -2.5 * size, 1e-6) << t;
  for (const auto& [t, force] : curves.at("z")) EXPECT_NEAR(force, 0.2 * 9.8, 1e-6) << t;
}

// A peg that falls on its corner: one contact from the free fall's end (event-driven integration) on, then a second.
TEST_F(PlotCommand, BandsOfEachContact) {
  const testing::CommandOutcome done =
      run("plot " + example("peg") +
          " --set method.stepper=stewart-trinkle --set method.step=1e-4 --set record.interval=1e-3 -y y "
          "--contact-modes -o c.svg --data c.csv");
  ASSERT_EQ(done.code, 0) << done.err;
  std::vector<std::pair<std::string, double>> begins;  // of each contact that touches, in the order of the file
  std::istringstream lines(content("c.csv"));
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("\"modes\",\"") || line.ends_with(",open,")) continue;
    const std::size_t end = line.find("\",", 9);
    const std::string name = line.substr(9, end - 9);
    if (seen.insert(name).second) begins.emplace_back(name, std::strtod(line.c_str() + end + 2, nullptr));
  }
  ASSERT_EQ(begins.size(), 2U);
  EXPECT_NEAR(begins[0].second, 0.17428178, 1.1e-3);  // frames are 1e-3 apart
  EXPECT_GT(begins[1].second, begins[0].second);
  EXPECT_NE(begins[0].first, begins[1].first);
  for (const auto& [name, begin] : begins) EXPECT_THAT(name, HasSubstr("peg corner ")) << begin;
  EXPECT_THAT(content("c.svg"), HasSubstr("contact modes: \"" + begins[0].first + "\", \"" + begins[1].first + "\""));
}

TEST_F(PlotCommand, DrawsModesStillsFieldsAndMaps) {
  run_ball();
  EXPECT_EQ(run("plot ball.h5 -y x --modes --still 0.2 --still 0.8 --style print -o m.png").code, 0);
  EXPECT_EQ(run("plot ball.h5 --still 0.5 --view top -o still.svg").code, 0);
  write("grid.csv", "x,y,u,v,s\n0,0,1,0,0\n1,0,0,1,0.5\n0,1,1,1,1\n1,1,0,0,\n");
  EXPECT_EQ(run("plot grid.csv --field 'x, y, u, v' -o f.svg --data f.csv").code, 0);
  EXPECT_THAT(content("f.csv"), HasSubstr("\"arrow\",1,0,0,1\n"));
  EXPECT_EQ(run("plot grid.csv --heat 'x, y, s' -o h.svg --data h.csv").code, 0);
  EXPECT_THAT(content("h.csv"), HasSubstr("\"s\",1,0,0.5,\n"));
}

// The named views are directions like any other; a nearer camera shows something else.
TEST_F(PlotCommand, StillsAreSeenFromAnyDirection) {
  run_ball();
  const auto seen = [&](const std::string& view) {
    const testing::CommandOutcome done = run("plot ball.h5 --still 0.5 --view " + view + " -o view.svg");
    EXPECT_EQ(done.code, 0) << view << done.err;
    return content("view.svg");
  };
  EXPECT_EQ(seen("top"), seen("-90,90"));
  EXPECT_EQ(seen("front"), seen("-90,0"));
  EXPECT_EQ(seen("side"), seen("0,0"));
  EXPECT_EQ(seen("oblique"), seen("-60,29,1"));
  EXPECT_NE(seen("oblique"), seen("-60,29,2"));
  EXPECT_NE(seen("oblique"), seen("30,29"));
}

// With --split each run has a row of pictures; names and measuring lines are part of a picture.
TEST_F(PlotCommand, StillsOfEveryRunAndLabels) {
  run_ball();
  ASSERT_EQ(run("run " + example("ball") + " --set mu=0.5 -o rough.h5").code, 0);
  const auto height_of = [&](const std::string& arguments) {
    const testing::CommandOutcome done = run("plot " + arguments + " -o rows.svg");
    EXPECT_EQ(done.code, 0) << arguments << done.err;
    const std::string svg = content("rows.svg");
    double height = 0;
    std::sscanf(svg.c_str() + svg.find("height=\"", svg.find("<svg")), "height=\"%lf", &height);
    return height;
  };
  const double one = height_of("ball.h5 rough.h5 --still 0.2 --still 0.4"),
               two = height_of("ball.h5 rough.h5 --split --still 0.2 --still 0.4");
  EXPECT_GT(two, 1.7 * one);  // one row more
  const auto drawn = [&](const std::string& label) {
    EXPECT_EQ(run("plot ball.h5 --still 0.2 " + label + " -o labelled.svg").code, 0) << label;
    return content("labelled.svg");
  };
  const std::string plain = drawn(""), named = drawn("--label 'A@0,0,0'"), line = drawn("--label 'A@0,0,0,0.3,0,0'");
  EXPECT_GT(named.size(), plain.size());
  EXPECT_GT(line.size(), named.size());
  EXPECT_NE(named, drawn("--label 'A@0.2,0,0'"));
  EXPECT_EQ(drawn("--label 'A@radius,0,0'"), drawn("--label 'A@0.05,0,0'")) << "coordinates know the parameters";
  // They are of the picture's time: at the ball, wherever it is then.
  ASSERT_EQ(run("plot ball.h5 -y ball.x -y ball.y --window 0.1999:0.2001 --data at.csv -o at.svg").code, 0);
  const auto at = data("at.csv");
  const double x = at.at("ball.x (m)").front().second, y = at.at("ball.y (m)").front().second;
  EXPECT_EQ(drawn("--label 'A@ball.x,ball.y,0'"), drawn(fmt::format("--label 'A@{},{},0'", x, y)));
}

// An inset is a still inside the chart: it takes no room of its own, and lies where it is told.
TEST_F(PlotCommand, StillsLieInsideCharts) {
  run_ball();
  const auto drawn = [&](const std::string& options) {
    const testing::CommandOutcome done = run("plot ball.h5 -y x -y y " + options + " -o inset.svg");
    EXPECT_EQ(done.code, 0) << options << done.err;
    return content("inset.svg");
  };
  const auto size_of = [](const std::string& svg) {
    return svg.substr(svg.find("<svg"), svg.find('>', svg.find("<svg")) - svg.find("<svg"));
  };
  const std::string plain = drawn(""), inset = drawn("--inset 0.5");
  EXPECT_EQ(size_of(inset), size_of(plain));
  EXPECT_GT(inset.size(), plain.size());
  EXPECT_EQ(inset, drawn("--inset 0.5@top-right")) << "the default";
  EXPECT_EQ(inset, drawn("--inset 0.5@top-right,1"));
  EXPECT_NE(inset, drawn("--inset 0.5@bottom-left"));
  EXPECT_NE(inset, drawn("--inset 0.5@top-right,2"));
}

TEST_F(PlotCommand, BadInputIsOneLine) {
  run_ball();
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const testing::CommandOutcome done = run("plot " + arguments);
    EXPECT_EQ(done.code, 2) << arguments << done.out;
    EXPECT_EQ(done.error_lines(), 1) << arguments << "\n" << done.err;
    EXPECT_THAT(done.err, HasSubstr(why)) << arguments;
  };
  refused("ball.h5 -y slip_sped -o a.svg", "did you mean 'slip_speed'?");
  refused("ball.h5 -y ball.q -o a.svg", "a body has no variable 'q'");
  refused("ball.h5 -y bal.x -o a.svg", "did you mean 'ball'?");
  refused("ball.h5 -y x --window 5:6 -o a.svg", "it goes from 0 to 1");
  refused("ball.h5 -y x --window 6:5 -o a.svg", "the interval is empty");
  refused("ball.h5 -y x --window 5 -o a.svg", "write FROM:TO");
  refused("ball.h5 --still 0.1 --label 'A@1,2' -o a.svg", "write TEXT@X,Y,Z");
  refused("ball.h5 --still 0.1 --label A -o a.svg", "write TEXT@X,Y,Z");
  refused("ball.h5 -y x -o a.gif", ".svg, .png or .pdf");
  refused("nothing.h5 -y x -o a.svg", "cannot read nothing.h5");
  refused("ball.h5 -y x --against nobody -o a.svg", "neither the label of a run nor a file");
  refused("one=ball.h5 two=ball.h5 -y x --against on -o a.svg", "did you mean 'one'?");
  refused("ball.h5 --still 0.1 --label 'A@bal.x,0,0' -o a.svg", "did you mean 'ball'?");
  refused("ball.h5 -x x -y y --modes -o a.svg", "need the time along the x axis");
  refused("ball.h5 -x x -y y --contact-modes -o a.svg", "need the time along the x axis");
  write("table.csv", "t,height,width\n0,1,2\n1,2,3\n");
  refused("table.csv -y heigth -o a.svg", "did you mean 'height'?");
  refused("table.csv -y height --window 3:4 -o a.svg", "it goes from 0 to 1");
  refused("table.csv --field 't, height, widht, t' -o a.svg", "did you mean 'width'?");
  refused("table.csv --heat 't, height, widht' -o a.svg", "did you mean 'width'?");
  refused("ball.h5 -y x --theory 'mux * t' -o a.svg", "did you mean 'mu'?");
  refused("ball.h5 -y x --overlay 'other=table.csv: t, heigth' -o a.svg", "did you mean 'height'?");
  refused("ball.h5 -y x --slope -o a.svg", "--slope goes with --log xy");
  refused("ball.h5 -y '-1 - x' --log y -o a.svg", "no value is positive");
  refused("ball.h5 -y x --still 3 -o a.svg", "the recording goes from 0 to 1");
  refused("ball.h5 -y x --inset 3 -o a.svg", "the recording goes from 0 to 1");
  refused("ball.h5 -y x --inset soon -o a.svg", "begins with a time");
  refused("ball.h5 -y x --inset 0.5@middle -o a.svg", "the corner is top-left");
  refused("ball.h5 -y x --inset 0.5@top-left,2 -o a.svg", "there are 1 panels");
  refused("ball.h5 --still 0.5 --view behind -o a.svg", "'behind' is not a view");
  refused("ball.h5 --still 0.5 --view 30,91 -o a.svg", "-90 to 90");
  refused("ball.h5 --still 0.5 --view 30,20,0 -o a.svg", "above 0");
  refused("ball.h5 -y x --size 3 -o a.svg", "WIDTHxHEIGHT");
  refused("ball.h5 --heat 'x, y' -o a.svg", "X, Y, VALUE");
  refused(example("ball") + " --vary mu -o a.svg", "NAME=VALUE");
  refused(example("ball") + " --vary mux=1,2 -o a.svg", "mux");
  EXPECT_FALSE(std::filesystem::exists(path("a.svg")));
}

}  // namespace
}  // namespace stickslip
