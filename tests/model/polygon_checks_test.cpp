// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/polygon_checks.h"

#include "stickslip/model/primitives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace stickslip::model {
namespace {

using ::testing::HasSubstr;

TEST(PolygonChecks, AcceptsRectangleFrameAndIsland) {
  EXPECT_EQ(polygon_problem(make_rectangle(2, 1)), "");
  Polygon frame = make_rectangle(4, 4);
  frame.loops.push_back({Vec2(-1, -1), Vec2(1, -1), Vec2(1, 1), Vec2(-1, 1)});
  frame.loops.push_back({Vec2(-.5, -.5), Vec2(-.5, .5), Vec2(.5, .5), Vec2(.5, -.5)});
  EXPECT_THAT(polygon_problem(frame), HasSubstr("hole"));
  orient_loops(frame);
  EXPECT_EQ(polygon_problem(frame), "");
  EXPECT_GT(signed_area(frame.loops[0]), 0);
  EXPECT_LT(signed_area(frame.loops[1]), 0);
  EXPECT_GT(signed_area(frame.loops[2]), 0) << "an island in a hole is solid again";
}

TEST(PolygonChecks, SaysWhatIsWrong) {
  EXPECT_THAT(polygon_problem({{{Vec2(0, 0), Vec2(2, 2), Vec2(2, 0), Vec2(0, 2)}}}), HasSubstr("crosses itself"));
  EXPECT_THAT(polygon_problem({{{Vec2(0, 0), Vec2(1, 0)}}}), HasSubstr("at least 3"));
  EXPECT_THAT(polygon_problem({{{Vec2(0, 0), Vec2(1, 0), Vec2(1, 0), Vec2(0, 1)}}}), HasSubstr("vertices 1 and 2"));
  EXPECT_THAT(polygon_problem({{{Vec2(0, 0), Vec2(std::nan(""), 0), Vec2(0, 1)}}}), HasSubstr("not finite"));
  EXPECT_THAT(polygon_problem({{{Vec2(0, 0), Vec2(0, 1), Vec2(1, 0)}}}), HasSubstr("counter-clockwise"));
  EXPECT_THAT(polygon_problem({{{Vec2(0, 0), Vec2(1, 0), Vec2(2, 0)}}}), HasSubstr("crosses itself"));
  EXPECT_THAT(polygon_problem({}), HasSubstr("no vertices"));
  // A corner that touches another side pinches the solid in two.
  EXPECT_THAT(polygon_problem({{{Vec2(0, 0), Vec2(2, 0), Vec2(2, 1), Vec2(1, 0), Vec2(0, 1)}}}), HasSubstr("side"));
  // A spike of no width.
  EXPECT_THAT(polygon_problem({{{Vec2(0, 0), Vec2(2, 0), Vec2(1, 0), Vec2(0, 1)}}}), HasSubstr("crosses itself"));
  EXPECT_THAT(chain_problem({{Vec2(0, 0)}}), HasSubstr("at least 2"));
  EXPECT_EQ(chain_problem({{Vec2(0, 0), Vec2(1, 0)}}), "");
}

}  // namespace
}  // namespace stickslip::model
