// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Held-out problems: small ones with singular or non-isolated solutions, steep or badly scaled functions, and free
// unknowns with a zero diagonal.
#include "tests/problems/mcp_classics.h"
#include "tests/problems/mcp_from_formula.h"

#include <cmath>

namespace stickslip::complementarity::classics {
namespace {

using namespace elementary;
template <class A>
using Scalar = std::decay_t<decltype(std::declval<A>()[0])>;

// Watson 1979, fourth problem: F is the gradient of exp(sum (x_i - i + 2)^2): steep from afar.
McpTestProblem watson() {
  auto problem = formula_mcp<5>([](const auto& x, auto& f) {
    Scalar<decltype(x)> sum = 0;
    for (std::size_t i = 0; i < 5; ++i) sum += square(x[i] - static_cast<double>(i) + 1);
    const auto e = exp(sum);
    for (std::size_t i = 0; i < 5; ++i) f[i] = 2 * (x[i] - static_cast<double>(i) + 1) * e;
  });
  return named("watson", std::move(problem), {Eigen::VectorXd::Zero(5), Eigen::VectorXd::Constant(5, 3)},
               {point({0, 0, 1, 2, 3})});
}

}  // namespace

void add_degenerate(std::vector<McpTestProblem>& all) {
  all.push_back(watson());
  all.push_back(named("squares", formula_mcp<2>([](const auto& x, auto& f) {
                        f[0] = square(x[0] - 1);
                        f[1] = x[0] + x[1] + square(x[1]) - 1;
                      }),
                      {point({1.5, .5}), point({.9, .1})}, {point({1, 0})}));
  all.push_back(named("knot-quadratic", formula_mcp<2>([](const auto& x, auto& f) {
                        f[0] = x[1] - 1;
                        f[1] = square(x[0]);
                      }),
                      {point({.5, .5}), point({2, 0})}, {}, "solutions (0,t), t >= 1"));
  all.push_back(named("circle", formula_mcp<2>([](const auto& x, auto& f) {
                        f[0] = square(x[0]) + square(x[1]) - 1;
                        f[1] = square(x[0]) + square(x[1]) - 1;
                      }),
                      {point({0, 0}), point({3, 1}), point({.1, .2})}, {}, "the unit circle's quarter solves it"));
  all.push_back(named("skew",
                      formula_mcp<3>(
                          [](const auto& x, auto& f) {
                            f[0] = x[1] - x[2];
                            f[1] = 2 - x[0] - x[2] + square(x[1]);
                            f[2] = x[0] + x[1] - 1;
                          },
                          0, 10),
                      {point({0, 0, 0}), point({5, 5, 5})}));
  // A free unknown that enters only through a bounded one: zero diagonal, J singular in the free block.
  auto hinge = formula_mcp<3>([](const auto& x, auto& f) {
    f[0] = x[1] + x[2] - 2;
    f[1] = 1 - x[0] + square(x[1]);
    f[2] = 2 - x[0];
  });
  hinge.lower[0] = -kInfinity;
  all.push_back(named("hinge", std::move(hinge), {point({0, 0, 0}), point({-5, 1, 1})}));
  all.push_back(named("steep", formula_mcp<2>([](const auto& x, auto& f) {
                        f[0] = exp(8 * x[0]) - 50 + x[1];
                        f[1] = 1e-4 * x[1] - x[0] + .3;
                      }),
                      {point({0, 0}), point({3, 3}), point({0, 1e4})}));
  all.push_back(named("logarithms", formula_mcp<3>([](const auto& x, auto& f) {
                        f[0] = log(x[0]) + x[1] - x[2];
                        f[1] = sqrt(x[1]) - x[0] - .2;
                        f[2] = x[0] * x[1] + log(1 + x[2]) - 1;
                      }),
                      {point({1, 1, 1}), point({0, 0, 0}), point({50, .01, 3})}, {}, "undefined at x_0 = 0"));
  all.push_back(named("local-minima", formula_mcp<2>([](const auto& x, auto& f) {
                        f[0] = square(x[0] - 2) - 1.05 + .1 * x[1];
                        f[1] = square(x[1] - 1.5) - 1.1 - .1 * x[0];
                      }),
                      {point({0, 0}), point({1.9, 1.4}), point({2, 0})}, {}, "two copies of Billups' trap"));
  all.push_back(named("units", formula_mcp<3>([](const auto& x, auto& f) {
                        f[0] = 1e6 * x[0] - 1e-3 * x[1] - 1;
                        f[1] = 1e-6 * square(x[1]) + x[2] - 4;
                        f[2] = 1e3 * (x[0] * 1e6 + x[2] - 3);
                      }),
                      {point({0, 0, 0}), point({1, 1, 1})}, {}, "unknowns from 1e-6 to 1e3"));
  all.push_back(named("saturation",
                      formula_mcp<3>(
                          [](const auto& x, auto& f) {
                            f[0] = atan(10 * (x[0] - x[1])) - .5;
                            f[1] = atan(10 * (x[1] - x[2])) + .2 * x[1];
                            f[2] = atan(x[2] - x[0]) + .7;
                          },
                          -5, 5),
                      {point({0, 0, 0}), point({5, -5, 5}), point({-5, 5, 0})}));
}

}  // namespace stickslip::complementarity::classics
