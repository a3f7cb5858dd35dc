// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Compiles syntax trees. Subtrees of constants are evaluated at once; conditions jump, so that only the branch that
// is taken is evaluated (if(x > 0, log(x), 0) is safe).
#include "stickslip/expression/expression.h"

#include "stickslip/expression/expression_compiler.h"
#include "stickslip/expression/nearest_name.h"
#include "stickslip/expression/tracker.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace stickslip::expression {
namespace {

std::optional<double> named_constant(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  if (name == "true") return 1;
  if (name == "false") return 0;
  if (name == "inf") return std::numeric_limits<double>::infinity();
  for (const Unit& unit : units()) {
    if (name == unit.name) return unit.value;
  }
  return std::nullopt;
}

Op machine_op(Operator op) {
  switch (op) {
    case Operator::Negate: return Op::Negate;
    case Operator::Not: return Op::Not;
    case Operator::Add: return Op::Add;
    case Operator::Subtract: return Op::Subtract;
    case Operator::Multiply: return Op::Multiply;
    case Operator::Divide: return Op::Divide;
    case Operator::Power: return Op::Power;
    case Operator::Less: return Op::Less;
    case Operator::LessEqual: return Op::LessEqual;
    case Operator::Greater: return Op::Greater;
    case Operator::GreaterEqual: return Op::GreaterEqual;
    case Operator::Equal: return Op::Equal;
    case Operator::NotEqual: return Op::NotEqual;
    case Operator::And:
    case Operator::Or: break;  // compiled to jumps
  }
  return Op::Truth;
}

bool branches(Op op) {
  return op == Op::Not || (op >= Op::Less && op <= Op::JumpIfTrueKeep) || op == Op::Min || op == Op::Max;
}

}  // namespace

// --- compiler

void ExpressionCompiler::compile(int index) {
  const SyntaxNode& node = tree_.at(index);
  switch (node.kind) {
    case SyntaxNode::Kind::Number: return number(node.number);
    case SyntaxNode::Kind::Name: return name(node);
    case SyntaxNode::Kind::Operation: return operation(node);
    case SyntaxNode::Kind::Conditional: return conditional(node);
    case SyntaxNode::Kind::Call: return call(node);
  }
}

void ExpressionCompiler::compile_difference(int left, int right) {
  const std::size_t start = out_.code_.size();
  compile(left);
  compile(right);
  emit(Op::Subtract, 2);
  fold(start, 2);
}

void ExpressionCompiler::number(double value) {
  out_.code_[emit(Op::Constant, 0)].value = value;
}

void ExpressionCompiler::name(const SyntaxNode& node) {
  if (const auto found = scope_.constants.find(node.text); found != scope_.constants.end())
    return number(found->second);
  if (const auto found = scope_.definitions.find(node.text); found != scope_.definitions.end())
    return definition(found->second);
  if (const auto found = scope_.columns.find(node.text); found != scope_.columns.end()) {
    emit(Op::Column, 0, found->second);
    return;
  }
  if (node.text == "t") {
    require(Reach::Time, node);
    emit(Op::Time, 0);
    return;
  }
  if (const auto value = named_constant(node.text)) return number(*value);
  if (const std::size_t dot = node.text.find('.'); dot != std::string::npos) return body_variable(node, dot);
  unknown_name(node);
}

void ExpressionCompiler::definition(const SyntaxTree& tree) {
  if (nesting_ >= kDeepestExpression) throw ExpressionError(0, "the expression is nested too deeply");
  ExpressionCompiler inner(tree, scope_, out_, nesting_ + 1);
  inner.depth_ = depth_;
  inner.compile(tree.root);
  depth_ = inner.depth_;
}

void ExpressionCompiler::body_variable(const SyntaxNode& node, std::size_t dot) {
  if (scope_.bodies.empty() && !scope_.columns.empty()) unknown_name(node);
  require(Reach::State, node);
  const auto found = scope_.bodies.find(node.text.substr(0, dot));
  if (found == scope_.bodies.end()) unknown_name(node);
  const std::string variable = node.text.substr(dot + 1);
  const auto known = body_variables();
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (variable == known[i].name) {
      emit(Op::BodyVariable, 0, found->second, scope_.planar ? 1 : 0, static_cast<std::uint8_t>(i));
      return;
    }
  }
  std::vector<std::string> names;
  for (const BodyVariable& v : known) names.emplace_back(v.name);
  throw ExpressionError(node.column + static_cast<int>(dot) + 1, fmt::format("a body has no variable '{}'", variable),
                        did_you_mean(variable, names));
}

void ExpressionCompiler::operation(const SyntaxNode& node) {
  if (node.op == Operator::And || node.op == Operator::Or) return shortcut(node);
  const std::size_t start = out_.code_.size();
  for (const int child : node.children) compile(child);
  emit(machine_op(node.op), static_cast<int>(node.children.size()));
  fold(start, static_cast<int>(node.children.size()));
}

void ExpressionCompiler::shortcut(const SyntaxNode& node) {
  const bool is_and = node.op == Operator::And;
  const std::size_t start = out_.code_.size();
  compile(node.children[0]);
  double left = 0;
  if (is_constant_since(start, left)) {
    out_.code_.pop_back();
    --depth_;
    if ((left != 0) != is_and) return number(is_and ? 0 : 1);
    const std::size_t right = out_.code_.size();
    compile(node.children[1]);
    emit(Op::Truth, 1);
    return fold(right, 1);
  }
  const std::size_t jump = emit(is_and ? Op::JumpIfFalseKeep : Op::JumpIfTrueKeep, 1);
  --depth_;  // the left value is dropped when the right one is evaluated
  compile(node.children[1]);
  emit(Op::Truth, 1);
  land(jump);
}

void ExpressionCompiler::conditional(const SyntaxNode& node) {
  const std::size_t start = out_.code_.size();
  compile(node.children[0]);
  double condition = 0;
  if (is_constant_since(start, condition)) {
    out_.code_.pop_back();
    --depth_;
    return compile(node.children[condition != 0 ? 1 : 2]);
  }
  const std::size_t to_else = emit(Op::JumpIfFalse, 1);
  --depth_;
  compile(node.children[1]);
  const std::size_t to_end = emit(Op::Jump, 0);
  depth_ -= 2;  // emit counted a result for Jump, and only one of the two branches leaves its value
  land(to_else);
  compile(node.children[2]);
  land(to_end);
}

void ExpressionCompiler::call(const SyntaxNode& node) {
  const auto known = functions();
  const auto found = std::ranges::find_if(known, [&](const FunctionInfo& f) { return node.text == f.name; });
  if (found == known.end()) {
    std::vector<std::string> names;
    for (const FunctionInfo& f : known) names.emplace_back(f.name);
    throw ExpressionError(node.column, fmt::format("unknown function '{}'", node.text), did_you_mean(node.text, names));
  }
  check_arguments(*found, node);
  require(found->reach, node);
  if (found->op == Op::Conditional) return conditional(node);
  if (found->op >= Op::FirstTime) return tracker(*found, node);
  if (found->op >= Op::Gap) return body_function(*found, node);
  pointwise(*found, node);
}

void ExpressionCompiler::pointwise(const FunctionInfo& function, const SyntaxNode& node) {
  const std::size_t start = out_.code_.size();
  const int count = static_cast<int>(node.children.size());
  if (function.op == Op::Min || function.op == Op::Max) {
    compile(node.children[0]);
    for (int i = 1; i < count; ++i) {
      compile(node.children[static_cast<std::size_t>(i)]);
      emit(function.op, 2);
      fold(start, 2);
    }
    return;
  }
  for (const int child : node.children) compile(child);
  const bool from_table = function.op == Op::Smooth || function.op == Op::Pure;
  emit(function.op, count, from_table ? static_cast<int>(&function - functions().data()) : count);
  fold(start, count);
}

void ExpressionCompiler::body_function(const FunctionInfo& function, const SyntaxNode& node) {
  const int a = node.children.empty() ? -1 : body(node.children[0]);
  const int b = node.children.size() < 2 ? -1 : body(node.children[1]);
  emit(function.op, 0, a, b);
}

void ExpressionCompiler::tracker(const FunctionInfo& function, const SyntaxNode& node) {
  if (scope_.trackers == nullptr) {
    throw ExpressionError(node.column,
                          fmt::format("'{}' cannot be used here: it needs the history of a run", node.text));
  }
  if (scope_.trackers->size() >= kMostTrackers) throw ExpressionError(node.column, "too many functions over time");
  Tracker tracker;
  tracker.kind = static_cast<Tracker::Kind>(static_cast<int>(function.op) - static_cast<int>(Op::FirstTime));
  const SyntaxNode& argument = tree_.at(node.children[0]);
  const bool comparison = argument.kind == SyntaxNode::Kind::Operation && argument.op >= Operator::Less &&
                          argument.op <= Operator::GreaterEqual;
  if (tracker.kind == Tracker::Kind::FirstTime && comparison) {
    const bool greater = argument.op == Operator::Greater || argument.op == Operator::GreaterEqual;
    tracker.crossing = true;
    tracker.inclusive = argument.op == Operator::GreaterEqual || argument.op == Operator::LessEqual;
    ExpressionCompiler inner(tree_, scope_, tracker.argument, nesting_);
    inner.compile_difference(argument.children[greater ? 0 : 1], argument.children[greater ? 1 : 0]);
  } else {
    ExpressionCompiler(tree_, scope_, tracker.argument, nesting_).compile(node.children[0]);
  }
  if (node.children.size() > 1) {
    Scope constants;
    constants.constants = scope_.constants;
    tracker.period = Expression(tree_, node.children[1], constants).evaluate(0);
    if (!(tracker.period > 0) || !std::isfinite(tracker.period)) {
      throw ExpressionError(tree_.at(node.children[1]).column, "the period must be positive");
    }
    if (tracker.period < scope_.shortest_period) {
      throw ExpressionError(tree_.at(node.children[1]).column,
                            fmt::format("the period must be at least {} in a run as long as this one, not {}",
                                        scope_.shortest_period, tracker.period));
    }
  }
  scope_.trackers->push_back(std::move(tracker));
  out_.uses_history_ = true;
  emit(Op::Tracker, 0, static_cast<int>(scope_.trackers->size()) - 1);
}

void ExpressionCompiler::check_arguments(const FunctionInfo& function, const SyntaxNode& node) const {
  const int count = static_cast<int>(node.children.size());
  if (count >= function.least && count <= function.most) return;
  throw ExpressionError(node.column, fmt::format("{}({}) was given {} argument{}", function.name, function.arguments,
                                                 count, count == 1 ? "" : "s"));
}

void ExpressionCompiler::require(Reach reach, const SyntaxNode& node) const {
  if (scope_.reach >= reach) return;
  const char* why = scope_.reach == Reach::Constant ? "this value is fixed at the start of a run"
                    : scope_.reach == Reach::Time   ? "this value may depend on the time and on parameters only"
                                                    : "contacts can be used in observables and stop conditions only";
  throw ExpressionError(node.column, fmt::format("'{}' cannot be used here: {}", node.text, why));
}

int ExpressionCompiler::body(int index) const {
  const SyntaxNode& node = tree_.at(index);
  if (node.kind == SyntaxNode::Kind::Name) {
    if (const auto found = scope_.bodies.find(node.text); found != scope_.bodies.end()) return found->second;
  }
  std::vector<std::string> names;
  for (const auto& [name, unused] : scope_.bodies) names.push_back(name);
  if (node.kind != SyntaxNode::Kind::Name) throw ExpressionError(node.column, "the name of a body is expected here");
  throw ExpressionError(node.column, fmt::format("unknown body '{}'", node.text), did_you_mean(node.text, names));
}

void ExpressionCompiler::unknown_name(const SyntaxNode& node) const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : scope_.columns) names.push_back(name);
  if (const std::size_t dot = node.text.find('.'); dot != std::string::npos && !scope_.bodies.empty()) {
    names.clear();
    for (const auto& [name, unused] : scope_.bodies) names.push_back(name);
    const std::string body = node.text.substr(0, dot);
    throw ExpressionError(node.column, fmt::format("unknown body '{}'", body), did_you_mean(body, names));
  }
  for (const auto& [name, unused] : scope_.constants) names.push_back(name);
  for (const auto& [name, unused] : scope_.definitions) names.push_back(name);
  for (const char* name : {"pi", "e", "true", "false"}) names.emplace_back(name);
  if (scope_.reach >= Reach::Time) names.emplace_back("t");
  for (const FunctionInfo& f : functions()) names.emplace_back(f.name);
  const bool is_body = scope_.bodies.contains(node.text);
  const bool is_function = std::ranges::any_of(functions(), [&](const FunctionInfo& f) { return node.text == f.name; });
  throw ExpressionError(node.column, fmt::format("unknown name '{}'", node.text),
                        is_body       ? fmt::format("it is a body: write for example {}.x", node.text)
                        : is_function ? fmt::format("it is a function: write {}(...)", node.text)
                                      : did_you_mean(node.text, names));
}

// Appends one instruction that takes `pops` values from the stack and leaves one.
std::size_t ExpressionCompiler::emit(Op op, int pops, int a, int b, std::uint8_t component) {
  depth_ += 1 - pops;
  if (depth_ > kStackSize || out_.code_.size() > kLongestProgram)
    throw ExpressionError(0, "the expression is too large");
  if (branches(op) || (op == Op::Pure && pure_function(a).branches)) out_.has_branches_ = true;
  out_.code_.push_back({op, component, a, b, 0});
  return out_.code_.size() - 1;
}

void ExpressionCompiler::land(std::size_t jump) {
  out_.code_[jump].a = static_cast<int>(out_.code_.size());
}

bool ExpressionCompiler::is_constant_since(std::size_t start, double& value) const {
  if (out_.code_.size() != start + 1 || out_.code_[start].op != Op::Constant) return false;
  value = out_.code_[start].value;
  return true;
}

// Replaces the code since `start` by its value when it is one operation on `arguments` constants.
void ExpressionCompiler::fold(std::size_t start, int arguments) {
  if (out_.code_.size() != start + static_cast<std::size_t>(arguments) + 1) return;
  for (std::size_t i = start; i + 1 < out_.code_.size(); ++i) {
    if (out_.code_[i].op != Op::Constant) return;
  }
  Expression part;
  part.code_.assign(out_.code_.begin() + static_cast<std::ptrdiff_t>(start), out_.code_.end());
  const double value = part.evaluate(0);
  out_.code_.resize(start);
  --depth_;
  number(value);
}

// --- expression

Expression::Expression(std::string_view text, const Scope& scope) {
  const SyntaxTree tree = parse_expression(text);
  *this = Expression(tree, tree.root, scope);
}

Expression::Expression(const SyntaxTree& tree, int node, const Scope& scope) {
  ExpressionCompiler(tree, scope, *this).compile(node);
}

Expression::Expression(double constant) : code_{{Op::Constant, 0, 0, 0, constant}} {}

std::vector<int> Expression::bodies_read() const {
  std::vector<int> bodies;
  for (const Instruction& in : code_) {
    const bool pair = (in.op >= Op::LocalX && in.op <= Op::LocalYaw) || in.op == Op::Distance;
    if (pair || in.op == Op::BodyVariable) bodies.push_back(in.a);
    if (pair) bodies.push_back(in.b);
  }
  std::ranges::sort(bodies);
  const auto repeated = std::ranges::unique(bodies);
  bodies.erase(repeated.begin(), repeated.end());
  return bodies;
}

bool Expression::depends_on_contact(int body_a, int body_b) const {
  return std::ranges::any_of(code_, [&](const Instruction& in) {
    if (in.op < Op::Gap || in.op > Op::Sliding) return false;
    if (in.b < 0) return in.a == body_a || in.a == body_b;
    return (in.a == body_a && in.b == body_b) || (in.a == body_b && in.b == body_a);
  });
}

bool Expression::tells_a_time(std::span<const Tracker> trackers) const {
  return std::ranges::any_of(code_, [&](const Instruction& i) {
    return i.op == Op::Tracker && trackers[static_cast<std::size_t>(i.a)].kind == Tracker::Kind::FirstTime;
  });
}

bool Expression::depends_on_contacts() const {
  return std::ranges::any_of(code_, [](const Instruction& in) {
    return (in.op >= Op::Gap && in.op <= Op::Sliding) || in.op == Op::WorstPenetration || in.op == Op::Contacts;
  });
}

bool Expression::asks_for_penetration() const {
  return std::ranges::any_of(code_, [](const Instruction& in) { return in.op == Op::WorstPenetration; });
}

bool Expression::asks_for_force_ranges() const {
  return std::ranges::any_of(
      code_, [](const Instruction& in) { return in.op == Op::NormalForceMin || in.op == Op::NormalForceMax; });
}

bool Expression::is_constant() const {
  return code_.size() == 1 && code_.front().op == Op::Constant;
}

}  // namespace stickslip::expression
