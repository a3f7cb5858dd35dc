// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The conditions and the objective of a plan as functions of the two ends of a run.
//
//     residual_i = left - right                 of an equation
//     residual_i = max(0, left - right)         of left <= right; of left >= right the other way round
//
// Expressions may use the parameters, the observables that depend on the state alone, the bodies at the end, and under
// the name start_NAME the bodies at the start: expressions see one list of bodies, first those of the end, then those
// of the start.
#pragma once

#include "stickslip/planning/plan.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace stickslip::planning {

// "a == b", "a <= b", "a >= b". Throws SceneError.
[[nodiscard]] Condition split_condition(const scene::Value& text);

// Both sides of a condition at the end of a run.
struct ReachedCondition {
  double left = 0, right = 0;
  double violation = 0;  // |residual|
};

// The largest violation, infinite without any condition: how well a written plan replays.
[[nodiscard]] double worst_violation(std::span<const ReachedCondition> reached);

class EndConditions {
 public:
  // Throws SceneError with the place in the plan file. Neither is kept, except that the scene's model must outlive
  // this.
  EndConditions(const Plan& plan, const scene::Scene& scene);

  [[nodiscard]] std::size_t size() const { return relations_.size(); }
  // left - right of each condition (right - left of >=), then the objective if there is one.
  void evaluate(const model::State& start, const model::State& end, Eigen::VectorXd& values);
  [[nodiscard]] std::vector<ReachedCondition> reached(const model::State& start, const model::State& end);
  // From those to residuals: inequalities that hold have none.
  [[nodiscard]] bool holds_by_itself(std::size_t condition, double value) const {
    return relations_[condition] != Condition::Relation::Equal && value <= 0;
  }

 private:
  expression::EvaluationContext context(const model::State& start, const model::State& end);
  const model::Model& model_;
  std::vector<expression::Expression> left_, right_;
  std::vector<Condition::Relation> relations_;
  std::vector<expression::Expression> objective_;  // one or none
  model::State both_;
};

}  // namespace stickslip::planning
