// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plan_record.h"

#include "stickslip/report/json_number.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace stickslip::app {
namespace {

using planning::Plan;
using planning::PlanResult;
using planning::ReachedCondition;
using planning::Solution;
using Json = nlohmann::json;

// begun: where the search began; empty: at the first guess.
Json unknowns_json(const Plan& plan, const Eigen::VectorXd& values, const Eigen::VectorXd& begun,
                   const scene::Scene& scene) {
  Json list = Json::array();
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i) {
    const planning::Unknown& unknown = plan.unknowns[i];
    const auto parameter = std::ranges::find(scene.parameters, unknown.name, &scene::Parameter::name);
    list.push_back({{"name", unknown.name},
                    {"start", unknown.start},
                    {"unit", parameter == scene.parameters.end() ? std::string() : parameter->unit},
                    {"value", values[static_cast<Eigen::Index>(i)]},
                    {"guess", begun.size() > 0 ? begun[static_cast<Eigen::Index>(i)] : unknown.guesses[0]},
                    {"low", report::number(unknown.low)},
                    {"high", report::number(unknown.high)}});
  }
  return list;
}

Json conditions_json(const Plan& plan, const std::vector<ReachedCondition>& reached) {
  static constexpr const char* kRelations[] = {"==", "<=", ">="};
  Json list = Json::array();
  for (std::size_t i = 0; i < plan.conditions.size(); ++i) {
    const planning::Condition& condition = plan.conditions[i];
    const bool known = i < reached.size();
    list.push_back({{"text", condition.text},
                    {"left", condition.left.text},
                    {"right", condition.right.text},
                    {"relation", kRelations[static_cast<int>(condition.relation)]},
                    {"reached", known ? report::number(reached[i].left) : Json(nullptr)},
                    {"wanted", known ? report::number(reached[i].right) : Json(nullptr)},
                    {"violation", known ? report::number(reached[i].violation) : Json(nullptr)}});
  }
  return list;
}

}  // namespace

std::string plan_record(const Plan& plan, const PlanResult& result, std::size_t number, const scene::Scene& scene,
                        const std::vector<ReachedCondition>& reached) {
  const bool solved = result.status == PlanResult::Status::Solved;
  // Of the closest attempt only the unknowns and the violation are known.
  Solution solution;
  if (solved)
    solution = result.solutions[number];
  else
    solution.unknowns = result.closest;
  double worst = reached.empty() ? std::nan("") : 0;
  for (const ReachedCondition& condition : reached) worst = std::max(worst, condition.violation);
  std::ifstream file(plan.file);
  Json touches = Json::array();
  for (const sensitivity::Touch& touch : solution.touches)
    touches.push_back({{"a", touch.body_a}, {"b", touch.body_b}, {"time", touch.time}});
  Json influence = Json::array();  // a row per condition
  for (Eigen::Index i = 0; i < solution.influence.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index k = 0; k < solution.influence.cols(); ++k)
      row.push_back(report::number(solution.influence(i, k)));
    influence.push_back(row);
  }
  const bool exact = solved && result.derivatives == "exact";
  const Json record = {{"title", plan.title},
                       {"file", plan.file.filename().string()},
                       {"text", std::string(std::istreambuf_iterator<char>(file), {})},
                       {"status", solved ? "solved" : "not-found"},
                       {"number", number + 1},
                       {"solutions", result.solutions.size()},
                       {"method", result.method},
                       {"derivatives", result.derivatives},
                       {"starts", result.starts},
                       {"searches_solved", result.searches_solved},
                       {"runs", result.runs},
                       {"iterations", solution.iterations},
                       {"start", solution.start},
                       {"steps", plan.steps},
                       {"tolerance", plan.tolerance},
                       {"objective", solved && plan.has_objective ? report::number(solution.objective) : Json(nullptr)},
                       {"objective_text", plan.has_objective ? plan.objective.text : std::string()},
                       {"residuals",
                        {{"dynamics", exact ? report::number(solution.dynamics) : Json(nullptr)},
                         {"complementarity", solved ? report::number(solution.complementarity) : Json(nullptr)},
                         {"conditions", report::number(solved ? solution.violation : result.violation)},
                         {"replay", report::number(worst)}}},
                       {"unknowns", unknowns_json(plan, solution.unknowns, solution.begun, scene)},
                       {"conditions", conditions_json(plan, reached)},
                       {"influence", influence},
                       {"touches", touches},
                       {"violated", result.violated}};
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stickslip::app
