// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// converge --plot and compare --plot: a panel for every observable, and curves that say what they are. What a figure
// shows is read from the words that its SVG file carries.
#include "tests/support/command.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace stickslip {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class MethodFigures : public testing::CommandTest {
 protected:
  // The lines of the description that begin with "panel".
  [[nodiscard]] std::vector<std::string> panels(const std::string& name) const {
    const std::string svg = content(name);
    const std::size_t begin = svg.find("<desc>") + 6;
    std::istringstream lines(svg.substr(begin, svg.find("</desc>") - begin));
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("panel ")) found.push_back(line);
    return found;
  }
};

// The ball slides, then rolls: Stewart-Trinkle is of first order there, in the position.
TEST_F(MethodFigures, ConvergeDrawsEveryObservableWithItsSlope) {
  const testing::CommandOutcome done =
      run("converge " + example("ball") +
          " --set method.stepper=stewart-trinkle --levels 4 --directions 4,8,16 --plot order.svg");
  ASSERT_EQ(done.code, 0) << done.err;
  const std::vector<std::string> found = panels("order.svg");
  ASSERT_EQ(found.size(), 8U);  // x, y, slip_speed, t_roll: over the step, then over the directions
  const std::vector<std::string> names = {"x", "y", "slip_speed", "t_roll"}, units = {"m", "m", "m/s", "s"};
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_THAT(found[k], StartsWith("panel " + std::to_string(k + 1) + ", " + names[k % 4] + ": "));
    EXPECT_THAT(found[k], HasSubstr("\"distance to the next run (" + units[k % 4] + ")\""));
    EXPECT_THAT(found[k], HasSubstr(k < 4 ? "over \"step\"" : "over \"directions\""));
    EXPECT_THAT(found[k], HasSubstr("; curves: \"")) << "a curve without a name";
  }
  for (const std::size_t k : {0U, 1U}) {  // the order is 1; that of three differences is near it
    const std::size_t at = found[k].find("fitted slope ");
    ASSERT_NE(at, std::string::npos) << found[k];
    EXPECT_NEAR(std::strtod(found[k].c_str() + at + 13, nullptr), 1, 0.1) << found[k];
  }
  EXPECT_EQ(found[3].find("fitted slope"), std::string::npos) << "a time read off the grid of steps has none";
}

// The default stepper finds the motion to rounding: there is nothing to fit, and the figure says so.
TEST_F(MethodFigures, ConvergeSaysWhereThereIsNoOrder) {
  ASSERT_EQ(run("converge " + example("ball") + " --set method.stepper=second-order --levels 3 --plot order.svg").code,
            0);
  const std::vector<std::string> found = panels("order.svg");
  ASSERT_EQ(found.size(), 4U);
  for (const std::string& panel : found) EXPECT_EQ(panel.find("fitted slope"), std::string::npos) << panel;
}

TEST_F(MethodFigures, CompareNamesEachMethodAndItsStep) {
  const testing::CommandOutcome done = run("compare " + example("ball") +
                                           " --set method.step=0.01 --methods stewart-trinkle,implicit,second-order "
                                           "--plot methods.svg");
  ASSERT_EQ(done.code, 0) << done.err;
  const std::vector<std::string> found = panels("methods.svg");
  ASSERT_EQ(found.size(), 4U);
  const std::vector<std::string> axes = {"x (m)", "y (m)", "slip_speed (m/s)", "t_roll (s)"};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_THAT(found[k], HasSubstr("\"" + axes[k] + "\""));
    for (const std::string method : {"stewart-trinkle", "implicit", "second-order"})
      EXPECT_THAT(found[k], HasSubstr("\"" + method + ", step 0.005\"")) << "each with half the scene's step";
  }
  EXPECT_THAT(found[3], HasSubstr("over \"time (s)\""));
  EXPECT_THAT(content("methods.svg"), HasSubstr("<title>Shot of a spinning ball</title>"));
}

TEST_F(MethodFigures, OtherFormatsAndBadNames) {
  EXPECT_EQ(run("compare " + example("ball") + " --methods implicit,stewart-trinkle --plot m.png").code, 0);
  EXPECT_THAT(content("m.png"), StartsWith("\x89PNG"));
  EXPECT_EQ(run("converge " + example("ball") + " --levels 2 --plot c.pdf").code, 0);
  EXPECT_THAT(content("c.pdf"), StartsWith("%PDF"));
  for (const std::string verb : {"compare ", "converge "}) {
    const testing::CommandOutcome refused = run(verb + example("ball") + " --plot c.gif");
    EXPECT_EQ(refused.code, 2) << verb;
    EXPECT_EQ(refused.error_lines(), 1) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr(".svg, .png or .pdf"));
  }
}

}  // namespace
}  // namespace stickslip
