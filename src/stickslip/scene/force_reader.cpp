// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/force_reader.h"

#include "stickslip/model/described_force.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>

namespace stickslip::scene {
namespace {

// One component of a force or torque.
struct ForceComponent {
  int index = 0;  // 0, 1, 2: force; 3, 4, 5: torque
  expression::Expression expression;
  std::string label;
  Place place;
};

void add(model::Wrench& wrench, int index, double value) {
  if (index < 3)
    wrench.force[index] += value;
  else
    wrench.torque[index - 3] += value;
}

double checked(const ForceComponent& component, double value, double t) {
  if (std::isfinite(value)) return value;
  throw SceneError(component.place, fmt::format("{} is {} at t = {:.17g}", component.label,
                                                std::isnan(value) ? "not a number (nan)" : "infinite", t));
}

class ForceReader {
 public:
  ForceReader(const TableReader& table, const expression::Scope& state, const motion::Span& span, model::Body& body)
      : table_(table), state_(state), span_(span), body_(body) {}

  std::vector<ForceComponent> read() {
    const int dimension = body_.planar() ? 2 : 3;
    if (const Value* force = table_.find("force")) add_list("force", *force, 0, dimension);
    const Value* torque = table_.find("torque");
    if (torque == nullptr) return std::move(components_);
    if (!body_.rotates())
      throw SceneError(torque->place, fmt::format("{} is a particle and does not turn", table_.name()));
    if (dimension == 2)
      add_component("torque", *torque, 5);
    else
      add_list("torque", *torque, 3, 3);
    return std::move(components_);
  }

 private:
  void add_list(const char* key, const Value& value, int first, int count) {
    if (value.kind != Value::Kind::Array || static_cast<int>(value.items.size()) != count) {
      throw SceneError(value.place, fmt::format("{} must be a list of {} expressions", table_.what(key), count));
    }
    for (int i = 0; i < count; ++i) add_component(key, value.items[static_cast<std::size_t>(i)], first + i);
  }

  void add_component(const char* key, const Value& value, int index) {
    components_.push_back({index, read_expression(value, state_, table_.what(key)), table_.what(key), value.place});
    if (components_.back().expression.has_branches()) add_breakpoints(value, table_.what(key));
  }

  // Where a force of time alone jumps, a step should end. One that also reads the state is not of time alone, and one
  // that jumps too often to be followed is smeared over its steps.
  void add_breakpoints(const Value& value, const std::string& what) {
    expression::Scope time = state_;
    time.reach = expression::Reach::Time;
    std::vector<double>& all = body_.drive.breakpoints;
    try {
      std::ranges::copy(motion::find_breakpoints(read_time_expression(value, time, what), span_),
                        std::back_inserter(all));
    } catch (const SceneError&) {
      return;
    }
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
  }

  const TableReader& table_;
  const expression::Scope& state_;
  motion::Span span_;
  model::Body& body_;
  std::vector<ForceComponent> components_;
};

expression::EvaluationContext context_of(const model::State& now) {
  expression::EvaluationContext context;
  context.time = now.time;
  context.state = &now;
  return context;
}

model::DescribedForce varying_force(std::vector<ForceComponent> list) {
  const auto components = std::make_shared<const std::vector<ForceComponent>>(std::move(list));
  model::DescribedForce force;
  force.add = [components](const model::State& now, model::Wrench& wrench) {
    const expression::EvaluationContext context = context_of(now);
    for (const ForceComponent& component : *components) {
      add(wrench, component.index, checked(component, component.expression.evaluate(context), now.time));
    }
  };
  std::vector<expression::Expression> choosing;
  for (const ForceComponent& component : *components) {
    const std::vector<int> read = component.expression.bodies_read();
    // Those of time alone have breakpoints.
    if (component.expression.has_branches() && !read.empty()) choosing.push_back(component.expression);
    force.reads.insert(force.reads.end(), read.begin(), read.end());
  }
  if (choosing.empty()) return force;
  force.choices = [choosing](const model::State& now, std::vector<model::Choice>& choices) {
    const expression::EvaluationContext context = context_of(now);
    for (std::size_t k = 0; k < choosing.size(); ++k) {
      const std::size_t first = choices.size();
      choosing[k].choices(context, choices);
      for (std::size_t i = first; i < choices.size(); ++i) choices[i].source = static_cast<int>(k);
    }
  };
  return force;
}

}  // namespace

void read_forces(const TableReader& table, const expression::Scope& state,
                 const std::vector<std::pair<std::string, double>>& indices, const motion::Span& span,
                 model::Body& body) {
  body.linear_damping = table.not_negative("linear_damping", 0);
  body.angular_damping = table.not_negative("angular_damping", 0);
  if (!table.has("force") && !table.has("torque")) return;

  expression::Scope scope = state;
  for (const auto& [name, value] : indices) scope.constants[name] = value;
  model::Wrench constant;
  std::vector<ForceComponent> varying;
  for (ForceComponent& component : ForceReader(table, scope, span, body).read()) {
    if (component.expression.is_constant())
      add(constant, component.index, checked(component, component.expression.evaluate(0), 0));
    else
      varying.push_back(std::move(component));
  }
  if (constant.force != Vec3::Zero() || constant.torque != Vec3::Zero()) {
    model::DescribedForce force;  // reads nothing
    force.add = [constant](const model::State&, model::Wrench& wrench) {
      wrench.force += constant.force;
      wrench.torque += constant.torque;
    };
    body.forces.emplace_back(std::move(force));
  }
  if (!varying.empty()) body.forces.emplace_back(varying_force(std::move(varying)));
}

}  // namespace stickslip::scene
