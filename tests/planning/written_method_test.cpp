// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A solution that is written as a scene is stepped as the plan was.
#include "stickslip/stepping/method_fields.h"
#include "tests/planning/plan_files.h"

namespace stickslip::planning {
namespace {

TEST(WrittenPlan, HasTheWholeMethodOfThePlan) {
  const Settings compliant = {{"method.stepper", "song-pang-kumar"}, {"method.gamma", "0.125"},
                              {"method.gap_step", "1e-3"},           {"method.certificate", "1e-8"},
                              {"method.solver", "newton"},           {"method.threads", "2"}};
  const Settings located = {{"method.stepper", "stewart-trinkle"},
                            {"method.friction", "pyramid"},
                            {"method.directions", "12"},
                            {"method.impacts", "approach"},
                            {"method.step", "0.0012345678901234567"}};
  for (const Settings& settings : {compliant, located}) {
    const Plan plan = load_example("plan-throw", settings);
    const std::vector<double> unknowns(plan.unknowns.size(), 0.5);
    const stepping::Method planned = scene_at(plan, unknowns).method;
    const std::string text = solved_scene(plan, unknowns, plan.file.parent_path());
    const stepping::Method written = scene::parse_scene(text, plan.file.parent_path() / "solved.toml").method;
    std::vector<std::string> expected, found;
    stepping::visit_fields(planned, [&](const auto&, const auto& x) { expected.push_back(stepping::field_text(x)); });
    stepping::visit_fields(written, [&](const auto&, const auto& x) { found.push_back(stepping::field_text(x)); });
    EXPECT_EQ(found, expected) << text;
    EXPECT_NE(expected, std::vector<std::string>()) << "nothing compared";
  }
}

// A search uses the step as it is given; with a tolerance, a run of the solution would look for another one.
TEST(WrittenPlan, AsksForNoOtherStep) {
  const Plan plan = load_example("plan-throw", {{"method.tolerance", "1e-3"}});
  const std::vector<double> unknowns(plan.unknowns.size(), 0.5);
  const std::string text = solved_scene(plan, unknowns, plan.file.parent_path());
  EXPECT_EQ(scene::parse_scene(text, plan.file.parent_path() / "solved.toml").method.tolerance, 0) << text;
}

}  // namespace
}  // namespace stickslip::planning
