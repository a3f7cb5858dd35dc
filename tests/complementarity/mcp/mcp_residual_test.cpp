// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/mcp_residual.h"

#include "stickslip/complementarity/mcp/fischer_burmeister.h"
#include "tests/problems/mcp_from_formula.h"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace stickslip::complementarity {
namespace {

// F(x) = value, whatever x: the natural map in closed form.
double natural_of(double lower, double upper, double x, double value) {
  McpProblem problem = formula_mcp<1>([value](const auto&, auto& f) { f[0] = value; }, lower, upper);
  return mcp_residual(problem, Eigen::VectorXd::Constant(1, x)).natural;
}

TEST(McpResidual, NaturalMapInClosedForm) {
  const double inf = kInfinity;
  EXPECT_EQ(natural_of(0, inf, 0, 3), 0) << "at the lower bound F may be positive";
  EXPECT_EQ(natural_of(0, inf, 0, -3), 3) << "but not negative";
  EXPECT_EQ(natural_of(0, inf, 2, 0.5), 0.5) << "min(x, F)";
  EXPECT_EQ(natural_of(0, inf, 0.25, 3), 0.25) << "min(x, F)";
  EXPECT_EQ(natural_of(-inf, 1, 1, -3), 0) << "at the upper bound F may be negative";
  EXPECT_EQ(natural_of(-inf, 1, 1, 3), 3);
  EXPECT_EQ(natural_of(-1, 1, 0.5, -0.125), 0.125);
  EXPECT_EQ(natural_of(-1, 1, 0.5, -7), 0.5) << "distance to the upper bound";
  EXPECT_EQ(natural_of(-inf, inf, 5, -7), 7) << "free: |F|";
  EXPECT_EQ(natural_of(2, 2, 2, -7), 0) << "fixed: F is arbitrary";
  EXPECT_EQ(natural_of(0, inf, -0.5, 3), 0.5) << "outside the box: the violation";
  EXPECT_EQ(natural_of(-1e20, 1e21, 5, -7), 7) << "bounds of 1e20 mean none";
}

TEST(McpResidual, PartsTellWhatIsViolated) {
  McpProblem problem = formula_mcp<3>([](const auto& x, auto& f) {
    f[0] = x[0] - 2;  // x = 0: F = -2, dual
    f[1] = x[1] + 1;  // x = 0.5: F = 1.5, complementarity
    f[2] = 0 * x[2];  // x = -0.25: primal
  });
  Eigen::VectorXd x(3);
  x << 0, 0.5, -0.25;
  const Residual r = mcp_residual(problem, x);
  EXPECT_DOUBLE_EQ(r.dual, 2);
  EXPECT_DOUBLE_EQ(r.complementarity, 0.5);
  EXPECT_DOUBLE_EQ(r.primal, 0.25);
  EXPECT_DOUBLE_EQ(r.natural, 2);
  EXPECT_EQ(r.error, r.natural) << "nothing here is rounding";
  EXPECT_LE(r.scaled, r.natural);
}

// 1e12 (x - 1/3): the closest double to 1/3 leaves 1e12 * 2e-17 = 2e-5. No better x exists, so it must certify.
TEST(McpResidual, RoundingOfLargeNumbersIsNotAnError) {
  McpProblem problem =
      formula_mcp<1>([](const auto& x, auto& f) { f[0] = 3e12 * x[0] - 1e12 + 1e-5; }, -kInfinity, kInfinity);
  const Eigen::VectorXd best = Eigen::VectorXd::Constant(1, 1.0 / 3);
  const Residual r = mcp_residual(problem, best);
  EXPECT_GT(r.natural, 1e-8);
  EXPECT_LE(r.error, 1e-8);
  // A point that is off by a relative 1e-12, a thousand times more than rounding, must not.
  EXPECT_GT(mcp_residual(problem, best * (1 + 1e-12)).error, 1e-8);
}

TEST(McpResidual, UndefinedOrMissizedIsInfinite) {
  McpProblem problem = formula_mcp<1>([](const auto& x, auto& f) { f[0] = elementary::log(x[0]); });
  EXPECT_EQ(mcp_residual(problem, Eigen::VectorXd::Zero(1)).error, Residual::kUnknown) << "log 0";
  EXPECT_EQ(mcp_residual(problem, Eigen::VectorXd::Zero(2)).error, Residual::kUnknown);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(mcp_residual(problem, Eigen::VectorXd::Constant(1, nan)).error, Residual::kUnknown);
  EXPECT_EQ(mcp_residual(problem, Eigen::VectorXd::Ones(1)).error, 0) << "log 1 = 0";
}

TEST(FischerBurmeister, ZeroExactlyAtSolutions) {
  using fischer_burmeister::evaluate;
  const double inf = kInfinity;
  for (const auto& [lower, upper] :
       {std::pair{0.0, inf}, std::pair{-inf, 0.0}, std::pair{0.0, 2.0}, std::pair{-inf, inf}})
    for (const double x : {-1.0, 0.0, 0.5, 2.0})
      for (const double f : {-3.0, 0.0, 1e-9, 4.0}) {
        const bool inside = x >= lower && x <= upper;
        const double t = x - f;
        const bool solution = inside && (t <= lower ? x == lower : t >= upper ? x == upper : f == 0);
        EXPECT_EQ(std::abs(evaluate(lower, upper, x, f)) <= 1e-300, solution)
            << "[" << lower << ", " << upper << "], x = " << x << ", F = " << f;
      }
}

// phi(a, b) for a = 1e8, b = 1e-8 is 1e-8 to first order; a + b - sqrt(a^2 + b^2) evaluated plainly gives 0.
TEST(FischerBurmeister, DoesNotCancel) {
  EXPECT_NEAR(fischer_burmeister::phi(1e8, 1e-8, 0), 1e-8, 1e-20);
  EXPECT_TRUE(std::isfinite(fischer_burmeister::phi(1e200, 1e200, 0)));
}

// Where smooth, derivatives equal central differences; error of order h^2 = 1e-10 times third derivatives of order 10.
TEST(FischerBurmeister, DerivativesMatchDifferences) {
  using namespace fischer_burmeister;
  const double h = 1e-5;
  for (const double mu : {0.0, 0.3})
    for (const auto& [lower, upper] :
         {std::pair{0.0, kInfinity}, std::pair{-kInfinity, 1.0}, std::pair{0.0, 1.0}, std::pair{-kInfinity, kInfinity}})
      for (const double x : {0.2, 0.7})
        for (const double f : {-0.9, 0.4}) {
          const PhiWithSlopes v = evaluate_with_derivatives(lower, upper, x, f, mu);
          const auto at = [&](double dx, double df) { return evaluate(lower, upper, x + dx, f + df, mu); };
          EXPECT_EQ(v.value, at(0, 0));
          EXPECT_NEAR(v.dx, (at(h, 0) - at(-h, 0)) / (2 * h), 1e-8);
          EXPECT_NEAR(v.df, (at(0, h) - at(0, -h)) / (2 * h), 1e-8);
        }
}

}  // namespace
}  // namespace stickslip::complementarity
