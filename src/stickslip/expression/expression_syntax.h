// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The syntax of expressions: text -> tree.
//
//   condition ? a : b      right-associative, lowest
//   ||   &&                short-circuit
//   == !=   < <= > >=
//   + -   * /
//   unary + - !            -2^2 = -4
//   ^                      right-associative, 2^-1 is allowed
//   number [unit]   name   name.component   function(a, b)   (a)
//
// Numbers are as in C (1, 1.5, .5, 1e-3); a unit directly behind a number multiplies it (30 deg).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::expression {

// `column` counts characters of the expression from 0.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(int column, const std::string& message, std::string hint = {})
      : std::runtime_error(message), column_(column), hint_(std::move(hint)) {}
  [[nodiscard]] int column() const { return column_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  int column_;
  std::string hint_;
};

enum class Operator {
  Negate,
  Not,
  Add,
  Subtract,
  Multiply,
  Divide,
  Power,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Or
};

struct SyntaxNode {
  enum class Kind { Number, Name, Operation, Conditional, Call };
  Kind kind = Kind::Number;
  double number = 0;            // Number
  std::string text;             // Name, Call
  Operator op = Operator::Add;  // Operation
  std::vector<int> children;    // indices into SyntaxTree::nodes
  int column = 0;
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  int root = -1;
  [[nodiscard]] const SyntaxNode& at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
};

// The units that may follow a number, with their value. Lengths, times and masses are in the scene's own units.
struct Unit {
  const char* name;
  double value;
};
[[nodiscard]] const std::vector<Unit>& units();

// Limits that keep every recursion over a tree shallow.
inline constexpr std::size_t kLongestExpression = 4096;
inline constexpr int kDeepestExpression = 100;

// Throws ExpressionError.
[[nodiscard]] SyntaxTree parse_expression(std::string_view text);

}  // namespace stickslip::expression
