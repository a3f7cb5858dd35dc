// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Tree -> program (private to expression*.cpp).
#pragma once

#include "stickslip/expression/expression.h"
#include "stickslip/expression/expression_ops.h"

namespace stickslip::expression {

// Values on the machine's stack at any time: enough for kDeepestExpression nested operands.
inline constexpr int kStackSize = 2 * kDeepestExpression;
// Definitions are copied where they are used, and may use each other.
inline constexpr std::size_t kLongestProgram = 20000;
inline constexpr std::size_t kMostTrackers = 2000;

class ExpressionCompiler {
 public:
  ExpressionCompiler(const SyntaxTree& tree, const Scope& scope, Expression& out, int nesting = 0)
      : tree_(tree), scope_(scope), out_(out), nesting_(nesting) {}

  void compile(int node);
  // The program of (left - right).
  void compile_difference(int left, int right);

 private:
  void number(double value);
  void name(const SyntaxNode& node);
  void definition(const SyntaxTree& tree);
  void body_variable(const SyntaxNode& node, std::size_t dot);
  void operation(const SyntaxNode& node);
  void shortcut(const SyntaxNode& node);
  void conditional(const SyntaxNode& node);
  void call(const SyntaxNode& node);
  void pointwise(const FunctionInfo& function, const SyntaxNode& node);
  void body_function(const FunctionInfo& function, const SyntaxNode& node);
  void tracker(const FunctionInfo& function, const SyntaxNode& node);
  void check_arguments(const FunctionInfo& function, const SyntaxNode& node) const;
  void require(Reach reach, const SyntaxNode& node) const;
  [[nodiscard]] int body(int node) const;
  [[noreturn]] void unknown_name(const SyntaxNode& node) const;

  std::size_t emit(Op op, int pops, int a = 0, int b = 0, std::uint8_t component = 0);
  void land(std::size_t jump);
  void fold(std::size_t start, int arguments);
  [[nodiscard]] bool is_constant_since(std::size_t start, double& value) const;

  const SyntaxTree& tree_;
  const Scope& scope_;
  Expression& out_;
  int depth_ = 0;
  int nesting_ = 0;  // definitions inside definitions
};

}  // namespace stickslip::expression
