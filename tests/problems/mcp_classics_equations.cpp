// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Held-out problems: systems of equations (all unknowns free) of More, Garbow, Hillstrom 1981, from their starts, and
// some of them with bounds that cut the solution off.
#include "tests/problems/mcp_classics.h"
#include "tests/problems/mcp_from_formula.h"

#include <cmath>
#include <numbers>

namespace stickslip::complementarity::classics {
namespace {

using namespace elementary;
template <class A>
using Scalar = std::decay_t<decltype(std::declval<A>()[0])>;

double value_of(double x) {
  return x;
}
template <int N, class T>
double value_of(const Dual<N, T>& x) {
  return value_of(x.value);
}

template <int N, class Formula>
McpProblem equations(Formula formula) {
  return formula_mcp<N>(formula, -kInfinity, kInfinity);
}

void add_small(std::vector<McpTestProblem>& all) {
  const auto rosenbrock = [](const auto& x, auto& f) {
    f[0] = 10 * (x[1] - square(x[0]));
    f[1] = 1 - x[0];
  };
  all.push_back(named("rosenbrock", equations<2>(rosenbrock), {point({-1.2, 1})}, {point({1, 1})}));
  all.push_back(named("powell-badly", equations<2>([](const auto& x, auto& f) {
                        f[0] = 1e4 * x[0] * x[1] - 1;
                        f[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
                      }),
                      {point({0, 1})}, {point({1.098e-5, 9.106})}));
  const auto freudenstein_roth = [](const auto& x, auto& f) {
    f[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
    f[1] = -29 + x[0] + ((x[1] + 1) * x[1] - 14) * x[1];
  };
  all.push_back(named("freudenstein", equations<2>(freudenstein_roth), {point({.5, -2}), point({6, 5})},
                      {point({5, 4})}, "a local minimum of the merit near the first start"));
  all.push_back(named("powell-singular", equations<4>([](const auto& x, auto& f) {
                        f[0] = x[0] + 10 * x[1];
                        f[1] = std::sqrt(5.0) * (x[2] - x[3]);
                        f[2] = square(x[1] - 2 * x[2]);
                        f[3] = std::sqrt(10.0) * square(x[0] - x[3]);
                      }),
                      {point({3, -1, 0, 1})}, {point({0, 0, 0, 0})}));
  all.push_back(named("wood-gradient", equations<4>([](const auto& x, auto& f) {
                        f[0] = -400 * x[0] * (x[1] - square(x[0])) - 2 * (1 - x[0]);
                        f[1] = 200 * (x[1] - square(x[0])) + 20.2 * (x[1] - 1) + 19.8 * (x[3] - 1);
                        f[2] = -360 * x[2] * (x[3] - square(x[2])) - 2 * (1 - x[2]);
                        f[3] = 180 * (x[3] - square(x[2])) + 20.2 * (x[3] - 1) + 19.8 * (x[1] - 1);
                      }),
                      {point({-3, -1, -3, -1})}));
  all.push_back(named("helical-valley", equations<3>([](const auto& x, auto& f) {
                        const double side = value_of(x[0]) < 0 ? .5 : 0;
                        f[0] = 10 * (x[2] - 10 * (atan(x[1] / x[0]) / (2 * std::numbers::pi) + side));
                        f[1] = 10 * (sqrt(square(x[0]) + square(x[1])) - 1);
                        f[2] = x[2];
                      }),
                      {point({-1, 0, 0})}, {point({1, 0, 0})}));
}

void add_larger(std::vector<McpTestProblem>& all) {
  all.push_back(named("brown-linear", equations<10>([](const auto& x, auto& f) {
                        Scalar<decltype(x)> sum = 0, product = 1;
                        for (std::size_t i = 0; i < 10; ++i) {
                          sum += x[i];
                          product *= x[i];
                        }
                        for (std::size_t i = 0; i < 9; ++i) f[i] = x[i] + sum - 11;
                        f[9] = product - 1;
                      }),
                      {Eigen::VectorXd::Constant(10, .5)}));
  Eigen::VectorXd nodes(7);
  for (int i = 0; i < 7; ++i) nodes[i] = (i + 1) / 8.0;
  all.push_back(named("chebyquad", equations<7>([](const auto& x, auto& f) {
                        for (std::size_t k = 0; k < 7; ++k)
                          f[k] = k % 2 == 1 ? 1.0 / static_cast<double>((k + 1) * (k + 1) - 1) : 0.0;
                        for (std::size_t j = 0; j < 7; ++j) {
                          const auto t = 2 * x[j] - 1;
                          Scalar<decltype(x)> previous = 1, now = t;
                          for (std::size_t k = 0; k < 7; ++k) {
                            f[k] += now / 7;
                            const auto next = 2 * t * now - previous;
                            previous = now;
                            now = next;
                          }
                        }
                      }),
                      {nodes}));
  all.push_back(named("trigonometric", equations<5>([](const auto& x, auto& f) {
                        Scalar<decltype(x)> sum = 5;
                        for (std::size_t j = 0; j < 5; ++j) sum -= cos(x[j]);
                        for (std::size_t i = 0; i < 5; ++i)
                          f[i] = sum + static_cast<double>(i + 1) * (1 - cos(x[i])) - sin(x[i]);
                      }),
                      {Eigen::VectorXd::Constant(5, .2), Eigen::VectorXd::Constant(5, 1)}));
}

// Bounds that the unbounded solution violates: some unknowns end at a bound with F of either sign.
void add_boxed(std::vector<McpTestProblem>& all) {
  auto powell = formula_mcp<4>(
      [](const auto& x, auto& f) {
        f[0] = 2 * (x[0] + 10 * x[1]) + 40 * square(x[0] - x[3]) * (x[0] - x[3]);
        f[1] = 20 * (x[0] + 10 * x[1]) + 4 * square(x[1] - 2 * x[2]) * (x[1] - 2 * x[2]);
        f[2] = 10 * (x[2] - x[3]) - 8 * square(x[1] - 2 * x[2]) * (x[1] - 2 * x[2]);
        f[3] = -10 * (x[2] - x[3]) - 40 * square(x[0] - x[3]) * (x[0] - x[3]);
      },
      1, 3);
  all.push_back(named("powell-box", std::move(powell), {point({3, 1, 2, 1}), point({1, 1, 1, 1})}, {},
                      "gradient of Powell's singular function on [1,3]^4"));
  auto broyden = formula_mcp<12>(
      [](const auto& x, auto& f) {
        for (std::size_t i = 0; i < 12; ++i) {
          f[i] = (3 - 2 * x[i]) * x[i] + 1;
          if (i > 0) f[i] -= x[i - 1];
          if (i + 1 < 12) f[i] -= 2 * x[i + 1];
        }
      },
      -.6, .5);
  all.push_back(named("broyden-box", std::move(broyden), {Eigen::VectorXd::Constant(12, -1)}));
}

}  // namespace

void add_equations(std::vector<McpTestProblem>& all) {
  add_small(all);
  add_larger(all);
  add_boxed(all);
}

}  // namespace stickslip::complementarity::classics
