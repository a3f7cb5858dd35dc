// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/expression/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace stickslip::expression {
namespace {

using std::numbers::pi;

Scope time_scope() {
  Scope scope;
  scope.reach = Reach::Time;
  scope.constants = {{"a", 2.0}, {"b", -3.0}, {"mu", 0.25}};
  return scope;
}

double value(const std::string& text, double t = 0) {
  return Expression(text, time_scope()).evaluate(t);
}

TEST(Expression, FollowsTheUsualRulesOfPrecedence) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("2 - 3 - 4"), -5);
  EXPECT_EQ(value("2 ^ 3 ^ 2"), 512);
  EXPECT_EQ(value("-2 ^ 2"), -4);
  EXPECT_EQ(value("2 ^ -1"), 0.5);
  EXPECT_EQ(value("2 * -3"), -6);
  EXPECT_EQ(value("- - 2"), 2);
  EXPECT_EQ(value("+2"), 2);
  EXPECT_EQ(value("12 / 3 / 2"), 2);
  EXPECT_EQ(value("1 < 2 == 2 > 1"), 1);
  EXPECT_EQ(value("1 || 0 && 0"), 1);
  EXPECT_EQ(value("!0 + 1"), 2);
  EXPECT_EQ(value("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value("1 ? 0 ? 4 : 5 : 6"), 5);
  EXPECT_EQ(value(".5e1"), 5);
}

TEST(Expression, KnowsParametersConstantsAndUnits) {
  EXPECT_EQ(value("a * b"), -6);
  EXPECT_EQ(value("pi"), pi);
  EXPECT_EQ(value("e"), std::numbers::e);
  EXPECT_DOUBLE_EQ(value("30 deg"), pi / 6);
  EXPECT_DOUBLE_EQ(value("30*deg"), pi / 6);
  EXPECT_EQ(value("true + false"), 1);
  EXPECT_EQ(value("3 * t", 2), 6);
}

TEST(Expression, AParameterMayBeCalledE) {
  Scope scope;
  scope.constants["e"] = 0.8;
  EXPECT_EQ(Expression("e", scope).evaluate(0), 0.8);
}

TEST(Expression, FunctionsAgreeWithTheStandardLibrary) {
  const double x = 0.37;
  for (const auto& [text, expected] :
       std::vector<std::pair<std::string, double>>{{"sin(t)", std::sin(x)},
                                                   {"cos(t)", std::cos(x)},
                                                   {"tan(t)", std::tan(x)},
                                                   {"asin(t)", std::asin(x)},
                                                   {"acos(t)", std::acos(x)},
                                                   {"atan(t)", std::atan(x)},
                                                   {"atan2(t, -1)", std::atan2(x, -1)},
                                                   {"hypot(t, 2)", std::hypot(x, 2)},
                                                   {"sqrt(t)", std::sqrt(x)},
                                                   {"exp(t)", std::exp(x)},
                                                   {"log(t)", std::log(x)},
                                                   {"tanh(t)", std::tanh(x)},
                                                   {"abs(-t)", x},
                                                   {"sign(-t)", -1},
                                                   {"floor(-t)", -1},
                                                   {"ceil(t)", 1},
                                                   {"mod(-t, 1)", 1 - x},
                                                   {"min(t, 2, -1)", -1},
                                                   {"max(t, 2, -1)", 2},
                                                   {"clamp(t, 0.5, 1)", 0.5},
                                                   {"clamp(t, 0, 0.1)", 0.1},
                                                   {"clamp(t, 0, 1)", x},
                                                   {"step(t)", 1},
                                                   {"step(-t)", 0},
                                                   {"smoothstep(0, 1, t)", x * x * (3 - 2 * x)},
                                                   {"smoothstep(0, 1, 2)", 1},
                                                   {"smoothstep(0, 1, -1)", 0},
                                                   {"if(t > 1, 5, 6)", 6}}) {
    EXPECT_DOUBLE_EQ(value(text, x), expected) << text;
  }
}

TEST(Expression, OnlyTheBranchThatIsTakenIsEvaluated) {
  EXPECT_EQ(value("t > 0 ? log(t) : 7", -1), 7);
  EXPECT_EQ(value("t > 0 && log(t) > 0", -1), 0);
  EXPECT_EQ(value("t < 0 || log(t) > 0", -1), 1);
  EXPECT_EQ(value("if(a > 1, 4, t)", 9), 4);
}

TEST(Expression, RandomDependsOnItsArgumentsOnly) {
  EXPECT_EQ(value("random(3, 1)"), value("random(3, 1)"));
  EXPECT_NE(value("random(3, 1)"), value("random(3, 2)"));
  double sum = 0, sum_of_squares = 0;
  const int n = 10000;
  for (int i = 0; i < n; ++i) {
    const double x = value("random(" + std::to_string(i) + ")");
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
    sum_of_squares += x * x;
  }
  // Four standard deviations of the mean of n uniform numbers.
  EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(sum_of_squares / n, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
}

// Derivatives by jets against the exact derivatives of smooth functions, taken with complex-free central differences
// of high order: the difference formula's own error is below 1e-8 relative here.
TEST(Expression, JetsAreTheDerivatives) {
  for (const std::string text :
       {"sin(3*t) * cos(t) + t^3", "exp(-t) / (1 + t^2)", "sqrt(1 + t) * log(2 + t)", "atan2(sin(t), 2 + cos(t))",
        "hypot(1 + t, 2*t)", "t ^ 2.5", "2 ^ t", "t ^ t", "tan(t / 3)", "asin(t / 4) + acos(t / 5) + atan(t)",
        "tanh(t)", "abs(t - 5)", "max(t, 2*t) * min(t, 3)", "mod(t, 0.9)^2", "smoothstep(0, 3, t)", "clamp(t^2, 0, 10)",
        "t > 1 ? t^2 : t^3", "if(t < 1, sin(t), cos(t))", "-t^4 + +t - 3"}) {
    const Expression expression(text, time_scope());
    for (const double t : {0.4, 1.3, 2.2}) {
      const model::TimeJet jet = expression.evaluate_jet(t);
      const auto f = [&](double x) { return expression.evaluate(x); };
      const double h = 2e-3;
      const double rate = (f(t - 2 * h) - 8 * f(t - h) + 8 * f(t + h) - f(t + 2 * h)) / (12 * h);
      const double second = (-f(t - 2 * h) + 16 * f(t - h) - 30 * f(t) + 16 * f(t + h) - f(t + 2 * h)) / (12 * h * h);
      EXPECT_EQ(jet.value, f(t)) << text;
      EXPECT_NEAR(jet.rate, rate, 1e-8 * (1 + std::abs(rate))) << text << " at " << t;
      EXPECT_NEAR(jet.second, second, 1e-7 * (1 + std::abs(second))) << text << " at " << t;
    }
  }
}

TEST(Expression, ConstantPowersOfZeroHaveFiniteDerivatives) {
  const Expression square("t^2", time_scope());
  EXPECT_EQ(square.evaluate_jet(0).rate, 0);
  EXPECT_EQ(square.evaluate_jet(0).second, 2);
  EXPECT_EQ(Expression("t^1", time_scope()).evaluate_jet(0).second, 0);
  EXPECT_EQ(Expression("t^0", time_scope()).evaluate_jet(0).value, 1);
}

TEST(Expression, ConstantsAreFolded) {
  EXPECT_TRUE(Expression("a * sin(b) + 2^3", time_scope()).is_constant());
  EXPECT_TRUE(Expression("a > 1 && b < 0", time_scope()).is_constant());
  EXPECT_TRUE(Expression("a > 1 ? min(a, b, 3) : t", time_scope()).is_constant());
  EXPECT_FALSE(Expression("a * t", time_scope()).is_constant());
}

// Random trees, printed with all parentheses, evaluate as the tree they were made from.
TEST(Expression, AgreesWithRandomTrees) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  struct Tree {
    std::string text;
    double value;
  };
  const double t = 0.8125;
  const std::function<Tree(int)> grow = [&](int depth) -> Tree {
    if (depth == 0) {
      switch (pick(3)) {
        case 0: return {"t", t};
        case 1: return {"a", 2.0};
        default: {
          const double number = pick(64) / 8.0;
          return {std::to_string(number), number};
        }
      }
    }
    const Tree x = grow(depth - 1), y = grow(depth - 1);
    switch (pick(8)) {
      case 0: return {"(" + x.text + " + " + y.text + ")", x.value + y.value};
      case 1: return {"(" + x.text + " - " + y.text + ")", x.value - y.value};
      case 2: return {"(" + x.text + " * " + y.text + ")", x.value * y.value};
      case 3: return {"max(" + x.text + ", " + y.text + ")", std::max(x.value, y.value)};
      case 4: return {"(" + x.text + " < " + y.text + ")", x.value < y.value ? 1.0 : 0.0};
      case 5: return {"(-" + x.text + ")", -x.value};
      case 6: return {"(" + x.text + " > 1 ? " + y.text + " : t)", x.value > 1 ? y.value : t};
      default: return {"sin(" + x.text + ")", std::sin(x.value)};
    }
  };
  for (int i = 0; i < 300; ++i) {
    const Tree tree = grow(1 + pick(5));
    EXPECT_EQ(Expression(tree.text, time_scope()).evaluate(t), tree.value) << tree.text;
  }
}

struct BadExpression {
  const char* text;
  int column;
  const char* message;  // part of it
  const char* hint;     // part of it
};

void PrintTo(const BadExpression& bad, std::ostream* out) {
  *out << bad.text;
}

class ExpressionErrors : public testing::TestWithParam<BadExpression> {};

TEST_P(ExpressionErrors, NameTheColumnAndWhatIsWrong) {
  const BadExpression& bad = GetParam();
  Scope scope = time_scope();
  scope.reach = Reach::State;
  scope.bodies = {{"stick", 0}, {"left", 1}};
  try {
    (void)Expression(bad.text, scope);
    FAIL() << "no error";
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.column(), bad.column) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr(bad.message));
    EXPECT_THAT(error.hint(), testing::HasSubstr(bad.hint));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ExpressionErrors,
    testing::Values(
        BadExpression{"", 0, "empty", ""}, BadExpression{"1 +", 3, "ends where a value is expected", ""},
        BadExpression{"1 2", 2, "unexpected '2'", ""}, BadExpression{"2 a", 2, "operator is missing before 'a'", ""},
        BadExpression{"(1 + 2", 6, "expected ')'", ""}, BadExpression{"1 + 2)", 5, "unexpected ')'", ""},
        BadExpression{"a ? 1", 5, "expected ':'", ""}, BadExpression{"a = 1", 2, "unexpected character '='", "=="},
        BadExpression{"1 + muu", 4, "unknown name 'muu'", "'mu'"},
        BadExpression{"2 * sinn(t)", 4, "unknown function 'sinn'", "'sin'"},
        BadExpression{"sin(1, 2)", 0, "was given 2 arguments", ""},
        BadExpression{"atan2(1)", 0, "was given 1 argument", ""},
        BadExpression{"stik.x + 1", 0, "unknown body 'stik'", "'stick'"},
        BadExpression{"1 + stick.xx", 10, "no variable 'xx'", "'x'"},
        BadExpression{"stick", 0, "unknown name 'stick'", "stick.x"},
        BadExpression{"sin", 0, "unknown name 'sin'", "sin(...)"},
        BadExpression{"gap(stick, left)", 0, "observables and stop conditions only", ""},
        BadExpression{"1e999", 0, "too large", ""}, BadExpression{"a $ b", 2, "unexpected character '$'", ""},
        BadExpression{"local_x(stick, lefd)", 15, "unknown body 'lefd'", "'left'"},
        BadExpression{"local_x(stick, 3)", 15, "name of a body", ""}));

TEST(Expression, WhatIsAllowedDependsOnThePlace) {
  Scope constants;
  EXPECT_THROW(Expression("t", constants), ExpressionError);
  Scope time = time_scope();
  time.bodies = {{"stick", 0}};
  EXPECT_THROW(Expression("stick.x", time), ExpressionError);
}

TEST(Expression, NestingIsLimited) {
  const std::string deep = std::string(500, '(') + "1" + std::string(500, ')');
  EXPECT_THROW(Expression(deep, time_scope()), ExpressionError);
  EXPECT_THROW(Expression(std::string(5000, '1'), time_scope()), ExpressionError);
  // Long sums are no nesting.
  std::string sum = "t";
  for (int i = 0; i < 1000; ++i) sum += "+t";
  EXPECT_EQ(value(sum, 1), 1001);
}

TEST(Expression, SignatureChangesExactlyWhereABranchDoes) {
  const Expression expression("mod(t, 0.5) < 0.25 ? 1 : -1", time_scope());
  EXPECT_EQ(expression.branch_signature(0.01), expression.branch_signature(0.24));
  EXPECT_NE(expression.branch_signature(0.24), expression.branch_signature(0.26));
  EXPECT_NE(expression.branch_signature(0.24), expression.branch_signature(0.54));
  EXPECT_TRUE(expression.has_branches());
  EXPECT_FALSE(Expression("sin(t)", time_scope()).has_branches());
}

// The typical expression of a force must not weigh in a step of half a microsecond: about 40 ns, of which the machine
// needs 10 for the sine alone. Both are timed in turns, since machines differ and may be busy; half of a step would be
// 25 sines.
TEST(Expression, EvaluatesQuickly) {
  const Expression expression("a * sin(2*pi*t + b) + (t > 0.5 ? 1 : 0)", time_scope());
  const auto best_of = [](double& best, double& sum, const auto& evaluate) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) sum += evaluate(i * 1e-3);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 1000);
  };
  double ours = 1e9, sine = 1e9, sum = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    best_of(ours, sum, [&](double t) { return expression.evaluate(t); });
    best_of(sine, sum, [&](double t) { return std::sin(6.28 * t + sum * 1e-300); });
  }
  EXPECT_TRUE(std::isfinite(sum));
#if defined(__SANITIZE_ADDRESS__)
  constexpr double kMost = 250;  // sanitizers make ours slower, not the sine of the system
#else
  constexpr double kMost = 25;
#endif
  EXPECT_LT(ours, kMost * sine) << ours * 1e9 << " ns, a sine " << sine * 1e9 << " ns";
  RecordProperty("nanoseconds", std::to_string(ours * 1e9));
}

}  // namespace
}  // namespace stickslip::expression
