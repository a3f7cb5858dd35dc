// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/end_conditions.h"

#include "stickslip/scene/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace stickslip::planning {
namespace {

constexpr std::string_view kRelations[] = {"==", "<=", ">="};  // in the order of Condition::Relation

// Part of a text, with its place.
scene::Value part_of(const scene::Value& whole, std::size_t begin, std::size_t end) {
  scene::Value part = whole;
  part.text = whole.text.substr(begin, end - begin);
  const std::size_t blank = std::min(part.text.find_first_not_of(' '), part.text.size());
  part.text.erase(0, blank);
  part.text.erase(part.text.find_last_not_of(' ') + 1);
  if (whole.exact_columns) part.place.column += static_cast<int>(begin + blank);
  return part;
}

expression::Scope scope_of(const scene::Scene& scene) {
  expression::Scope scope;
  scope.reach = expression::Reach::State;
  scope.planar = scene.model.dimension == 2;
  for (const scene::Parameter& parameter : scene.parameters) scope.constants[parameter.name] = parameter.value;
  const int n = static_cast<int>(scene.model.bodies.size());
  for (int i = 0; i < n; ++i) {
    const std::string& name = scene.model.bodies[static_cast<std::size_t>(i)].name;
    scope.bodies[name] = i;
    scope.bodies["start_" + name] = n + i;
  }
  for (const scene::Observable& observable : scene.observables) {
    if (observable.text.empty() || observable.expression.uses_history() || observable.expression.depends_on_contacts())
      continue;
    scope.definitions[observable.name] = expression::parse_expression(observable.text);
  }
  return scope;
}

}  // namespace

double worst_violation(std::span<const ReachedCondition> reached) {
  double worst = reached.empty() ? std::numeric_limits<double>::infinity() : 0;
  for (const ReachedCondition& condition : reached) worst = std::max(worst, condition.violation);
  return worst;
}

Condition split_condition(const scene::Value& value) {
  const std::string& text = scene::read_text(value, "a condition");
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth != 0) continue;
    for (std::size_t k = 0; k < std::size(kRelations); ++k) {
      if (!std::string_view(text).substr(i).starts_with(kRelations[k])) continue;
      Condition condition;
      condition.text = text;
      condition.place = value.place;
      condition.relation = static_cast<Condition::Relation>(k);
      condition.left = part_of(value, 0, i);
      condition.right = part_of(value, i + 2, text.size());
      return condition;
    }
  }
  throw scene::SceneError(value.place, fmt::format("the condition \"{}\" is neither ==, <= nor >=", text),
                          "write it as \"ball.x == 1\"");
}

EndConditions::EndConditions(const Plan& plan, const scene::Scene& scene) : model_(scene.model) {
  const expression::Scope scope = scope_of(scene);
  for (const Condition& condition : plan.conditions) {
    const std::string what = fmt::format("the condition \"{}\"", condition.text);
    left_.push_back(scene::read_expression(condition.left, scope, what));
    right_.push_back(scene::read_expression(condition.right, scope, what));
    relations_.push_back(condition.relation);
  }
  if (plan.has_objective) objective_.push_back(scene::read_expression(plan.objective, scope, "the objective"));
}

expression::EvaluationContext EndConditions::context(const model::State& start, const model::State& end) {
  both_.time = end.time;
  both_.bodies.assign(end.bodies.begin(), end.bodies.end());
  both_.bodies.insert(both_.bodies.end(), start.bodies.begin(), start.bodies.end());
  expression::EvaluationContext context;
  context.time = end.time;
  context.model = &model_;
  context.state = &both_;
  return context;
}

void EndConditions::evaluate(const model::State& start, const model::State& end, Eigen::VectorXd& values) {
  const expression::EvaluationContext context = this->context(start, end);
  values.resize(static_cast<Eigen::Index>(left_.size() + objective_.size()));
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const double difference = left_[i].evaluate(context) - right_[i].evaluate(context);
    values[static_cast<Eigen::Index>(i)] = relations_[i] == Condition::Relation::AtLeast ? -difference : difference;
  }
  if (!objective_.empty()) values[values.size() - 1] = objective_[0].evaluate(context);
}

std::vector<ReachedCondition> EndConditions::reached(const model::State& start, const model::State& end) {
  const expression::EvaluationContext context = this->context(start, end);
  std::vector<ReachedCondition> list;
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const double left = left_[i].evaluate(context), right = right_[i].evaluate(context);
    const double value = relations_[i] == Condition::Relation::AtLeast ? right - left : left - right;
    list.push_back({left, right, holds_by_itself(i, value) ? 0 : std::abs(value)});
  }
  return list;
}

}  // namespace stickslip::planning
