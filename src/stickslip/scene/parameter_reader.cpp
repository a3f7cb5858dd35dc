// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/parameter_reader.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/scene/table_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stickslip::scene {
namespace {

constexpr std::size_t kMostParameters = 10000;  // each is looked for among the others

// A parameter whose value is still an expression.
struct Pending {
  Parameter parameter;
  const Value* value = nullptr;
  const Value* table = nullptr;  // with min, max, ...; null for a plain number
  bool known = false, being_read = false;
};

void collect_names(const expression::SyntaxTree& tree, std::vector<std::string>& names) {
  for (const expression::SyntaxNode& node : tree.nodes) {
    if (node.kind == expression::SyntaxNode::Kind::Name) names.push_back(node.text);
  }
}

class ParameterReader {
 public:
  ParameterReader(const Value* table, const std::map<std::string, Value>& overrides) {
    if (table != nullptr) collect(*table);
    for (const auto& [name, value] : overrides) override_value(name, value);
  }

  std::vector<Parameter> read() {
    for (Pending& pending : pending_) resolve(pending, 0);
    std::vector<Parameter> parameters;
    for (Pending& pending : pending_) {
      read_range(pending);
      parameters.push_back(std::move(pending.parameter));
    }
    return parameters;
  }

 private:
  void collect(const Value& table) {
    if (table.kind != Value::Kind::Table)
      throw SceneError(table.place, fmt::format("parameters must be a table, not {}", Value::name_of(table.kind)));
    if (table.entries.size() > kMostParameters)
      throw SceneError(table.place, fmt::format("more than {} parameters", kMostParameters));
    for (const Value::Entry& entry : table.entries) {
      if (!expression::is_identifier(entry.key)) {
        throw SceneError(
            entry.place,
            fmt::format(
                "'{}' cannot be the name of a parameter: use letters, digits and underscores, beginning with a letter",
                entry.key));
      }
      if (expression::is_reserved_name(entry.key))
        throw SceneError(
            entry.place,
            fmt::format("'{}' has a meaning of its own in expressions and cannot be the name of a parameter",
                        entry.key));
      Pending pending;
      pending.parameter.name = entry.key;
      pending.value = &entry.value;
      if (entry.value.kind == Value::Kind::Table) {
        pending.table = &entry.value;
        const TableReader reader(entry.value, keys_of("parameters.NAME"), scope_, what(pending));
        pending.value = &reader.require("value");
        pending.parameter.unit = reader.text("unit", "");
        pending.parameter.description = reader.text("description", "");
        pending.parameter.group = reader.text("group", "");
      }
      pending_.push_back(std::move(pending));
    }
  }

  void override_value(const std::string& name, const Value& value) {
    Pending* pending = find(name);
    if (pending == nullptr) {
      std::vector<std::string> names;
      for (const Pending& known : pending_) names.push_back(known.parameter.name);
      std::string list;
      for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
      const std::string hint = expression::did_you_mean(name, names);
      throw SceneError(value.place, fmt::format("the scene has no parameter '{}'", name),
                       !hint.empty()   ? hint
                       : names.empty() ? "it has none at all"
                                       : "it has " + list);
    }
    pending->value = &value;
  }

  Pending* find(const std::string& name) {
    const auto found = std::ranges::find_if(pending_, [&](const Pending& p) { return p.parameter.name == name; });
    return found == pending_.end() ? nullptr : &*found;
  }

  static std::string what(const Pending& pending) { return "parameter '" + pending.parameter.name + "'"; }

  // Reads first what the expression needs.
  void resolve(Pending& pending, int depth) {
    if (pending.known) return;
    if (pending.being_read || depth > expression::kDeepestExpression) {
      throw SceneError(pending.value->place, fmt::format("{} depends on itself", what(pending)));
    }
    pending.being_read = true;
    if (pending.value->kind == Value::Kind::Text) {
      std::vector<std::string> names;
      try {
        collect_names(expression::parse_expression(pending.value->text), names);
      } catch (const expression::ExpressionError&) {
        // Reported with its place below.
      }
      for (const std::string& name : names) {
        Pending* needed = find(name);
        if (needed == nullptr) continue;
        resolve(*needed, depth + 1);
        pending.parameter.derived = true;
      }
    }
    pending.parameter.value = read_number(*pending.value, scope_, what(pending));
    scope_.constants[pending.parameter.name] = pending.parameter.value;
    pending.known = true;
  }

  void read_range(Pending& pending) {
    if (pending.table == nullptr) return;
    Parameter& p = pending.parameter;
    const TableReader reader(*pending.table, keys_of("parameters.NAME"), scope_, what(pending));
    p.min = reader.number("min", p.min);
    p.max = reader.number("max", p.max);
    if (p.min > p.max)
      throw SceneError(pending.table->place,
                       fmt::format("{}: min ({}) is above max ({})", what(pending), p.min, p.max));
    if (p.value < p.min || p.value > p.max) {
      throw SceneError(pending.value->place,
                       fmt::format("{} = {} lies outside {} .. {}", what(pending), p.value, p.min, p.max));
    }
    if (const Value* choices = reader.find("choices")) {
      p.choices = read_numbers(*choices, scope_, reader.what("choices"));
      if (p.choices.empty()) throw SceneError(choices->place, fmt::format("{}: no choices", what(pending)));
      if (std::ranges::find(p.choices, p.value) == p.choices.end())
        throw SceneError(pending.value->place, fmt::format("{} = {} is none of its choices", what(pending), p.value),
                         fmt::format("they are {}", fmt::join(p.choices, ", ")));
    }
  }

  std::vector<Pending> pending_;
  expression::Scope scope_;
};

}  // namespace

std::vector<Parameter> read_parameters(const Value* table, const std::map<std::string, Value>& overrides) {
  return ParameterReader(table, overrides).read();
}

}  // namespace stickslip::scene
