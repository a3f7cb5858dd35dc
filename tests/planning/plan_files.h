// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Plans of examples/, solved and replayed.
#pragma once

#include "stickslip/planning/planner.h"
#include "stickslip/runs/run.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stickslip::planning {

using Settings = std::vector<scene::Override>;

// name: "plan-ball", or a file of an example, "plan-impact/rigid.toml".
inline Plan load_example(const std::string& name, const Settings& settings = {}) {
  const std::string file = name.ends_with(".toml") ? name : name + "/plan.toml";
  return load_plan(std::filesystem::path(tests::kSourceFolder) / "examples" / file, settings);
}

inline scene::Override set(const std::string& name, double value) {
  return {name, fmt::format("{}", value)};
}

inline std::map<std::string, double> named(const Plan& plan, const Solution& solution) {
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i)
    values[plan.unknowns[i].name] = solution.unknowns[static_cast<Eigen::Index>(i)];
  return values;
}

// The written scene, run as `stickslip run` does it, reaches the conditions.
inline void expect_replays(const Plan& plan, const Solution& solution) {
  const std::string text = solved_scene(
      plan, {solution.unknowns.data(), static_cast<std::size_t>(solution.unknowns.size())}, plan.file.parent_path());
  const scene::Scene scene = scene::parse_scene(text, plan.file.parent_path() / "solved.toml");
  runs::Run run(scene);
  const model::State start = run.simulation().state();
  run.begin();
  ASSERT_NE(run.finish(), runs::RunEnd::Uncertified) << run.failure() << '\n' << text;
  EXPECT_LE(worst_violation(EndConditions(plan, scene).reached(start, run.simulation().state())), 1e-8) << text;
}

inline std::map<std::string, double> expect_solved(const Plan& plan) {
  const PlanResult result = solve(plan);
  if (result.status != PlanResult::Status::Solved) {
    ADD_FAILURE() << plan.file << ": not found; \"" << result.violated << "\" is violated by " << result.violation
                  << ' ' << result.cause;
    return {};
  }
  for (const Solution& solution : result.solutions) expect_replays(plan, solution);
  return named(plan, result.solutions[0]);
}

}  // namespace stickslip::planning
