// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "tests/problems/mcp_collection.h"

#include "tests/problems/mcp_from_formula.h"

#include <cmath>
#include <utility>

namespace stickslip::complementarity {
namespace {

using namespace elementary;

Eigen::VectorXd vector(std::initializer_list<double> values) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double value : values) v[i++] = value;
  return v;
}

McpTestProblem kojima_shindo() {
  McpTestProblem p;
  p.name = "kojshin";
  p.note = "two solutions, the first degenerate";
  p.problem = formula_mcp<4>([](const auto& x, auto& f) {
    f[0] = 3 * square(x[0]) + 2 * x[0] * x[1] + 2 * square(x[1]) + x[2] + 3 * x[3] - 6;
    f[1] = 2 * square(x[0]) + x[0] + square(x[1]) + 10 * x[2] + 2 * x[3] - 2;
    f[2] = 3 * square(x[0]) + x[0] * x[1] + 2 * square(x[1]) + 2 * x[2] + 9 * x[3] - 9;
    f[3] = square(x[0]) + 3 * square(x[1]) + 2 * x[2] + 3 * x[3] - 3;
  });
  p.starts = {vector({0, 0, 0, 0}), vector({1, 1, 1, 1}), vector({100, 100, 100, 100}), vector({1, 0, 1, 0}),
              vector({1, 0, 0, 0}), vector({0, 1, 1, 0}), vector({0, 1, 0, 1}),         vector({1.25, 0, 0, 0.5})};
  p.solutions = {vector({std::sqrt(6.0) / 2, 0, 0, 0.5}), vector({1, 0, 3, 0})};
  return p;
}

McpTestProblem billups() {
  McpTestProblem p;
  p.name = "billups";
  p.note = "a local minimum of every merit function near the start defeats descent methods";
  p.problem = formula_mcp<1>([](const auto& x, auto& f) { f[0] = square(x[0] - 1) - 1.01; });
  p.starts = {vector({0})};
  p.solutions = {vector({1 + std::sqrt(1.01)})};
  return p;
}

// Cournot-Nash oligopoly of Harker: marginal cost c + (L q)^(1/b), demand price (5000/Q)^(1/g).
McpTestProblem nash10() {
  McpTestProblem p;
  p.name = "nash10";
  p.note = "ten-firm oligopoly; F is undefined for negative quantities";
  p.problem = formula_mcp<10>([](const auto& q, auto& f) {
    constexpr std::array<double, 10> c{5, 3, 8, 5, 1, 3, 7, 4, 6, 3}, b{1.2, 1, .9, .6, 1.5, 1, .7, 1.1, .95, .75};
    constexpr double g = 1.2, L = 10;
    auto Q = q[0];
    for (std::size_t i = 1; i < 10; ++i) Q += q[i];
    const auto price = pow(5000 / Q, 1 / g);
    for (std::size_t i = 0; i < 10; ++i) f[i] = c[i] + pow(L * q[i], 1 / b[i]) - price + q[i] * price / (g * Q);
  });
  p.starts = {Eigen::VectorXd::Constant(10, 1), Eigen::VectorXd::Constant(10, 10),
              vector({1, 1.2, 1.4, 1.6, 1.8, 2.1, 2.3, 2.5, 2.7, 2.9}), vector({7, 4, 3, 1, 18, 4, 1, 6, 3, 2})};
  p.solutions = {vector({7.4415, 4.0978, 2.5906, .9354, 17.949, 4.0978, 1.3047, 5.5901, 3.2222, 1.6771})};
  return p;
}

McpTestProblem mathiesen() {
  McpTestProblem p;
  p.name = "mathiesen";
  p.note = "Walrasian equilibrium; the solutions (a,0,0,0), 0 <= a <= 3, are not isolated";
  p.problem = formula_mcp<4>([](const auto& x, auto& f) {
    f[0] = x[2] + x[3] - x[1];
    f[1] = x[0] - (4.5 * x[2] + 2.7 * x[3]) / (x[1] + 1);
    f[2] = 5 - x[0] - (.5 * x[2] + .3 * x[3]) / (x[2] + 1);
    f[3] = 3 - x[0];
  });
  p.starts = {Eigen::VectorXd::Constant(4, 1), Eigen::VectorXd::Constant(4, .1), Eigen::VectorXd::Constant(4, 10)};
  p.solutions = {vector({1, 0, 0, 0})};
  return p;
}

// Colville's second problem: min e'y + y'C y + d'y^3 subject to A y >= b, y >= 0; first-order conditions in (y,
// lambda).
McpTestProblem colville() {
  McpTestProblem p;
  p.name = "colvnlp";
  p.note = "first-order conditions of Colville's problem 2";
  p.problem = kkt_mcp<5, 10>([](const auto& y, const auto& lambda) {
    constexpr double C[5][5] = {{30, -20, -10, 32, -10},
                                {-20, 39, -6, -31, 32},
                                {-10, -6, 10, -6, -10},
                                {32, -31, -6, 39, -20},
                                {-10, 32, -10, -20, 30}};
    constexpr double d[5] = {4, 8, 10, 6, 2}, e[5] = {-15, -27, -36, -18, -12};
    constexpr double A[10][5] = {{-16, 2, 0, 1, 0},    {0, -2, 0, 4, 2}, {-3.5, 0, 2, 0, 0},   {0, -2, 0, -4, -1},
                                 {0, -9, -2, 1, -2.8}, {2, 0, -4, 0, 0}, {-1, -1, -1, -1, -1}, {-1, -2, -3, -2, -1},
                                 {1, 2, 3, 4, 5},      {1, 1, 1, 1, 1}};
    constexpr double b[10] = {-40, -2, -.25, -4, -4, -1, -40, -60, 5, 1};
    std::decay_t<decltype(y[0])> L = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      L += e[i] * y[i] + d[i] * y[i] * y[i] * y[i];
      for (std::size_t j = 0; j < 5; ++j) L += C[i][j] * y[i] * y[j];
    }
    for (std::size_t k = 0; k < 10; ++k) {
      std::decay_t<decltype(y[0])> slack = -b[k];
      for (std::size_t j = 0; j < 5; ++j) slack += A[k][j] * y[j];
      L -= lambda[k] * slack;
    }
    return L;
  });
  Eigen::VectorXd third = Eigen::VectorXd::Ones(15);
  third.head(4).setZero();
  p.starts = {Eigen::VectorXd::Zero(15), Eigen::VectorXd::Ones(15), third};
  return p;
}

// The small problems with singular or non-isolated solutions, all 0 <= x _|_ F(x) >= 0.
template <int N, class Formula>
McpTestProblem small(const char* name, Formula formula, std::vector<Eigen::VectorXd> starts,
                     std::vector<Eigen::VectorXd> solutions, const char* note = "") {
  McpTestProblem p;
  p.name = name;
  p.problem = formula_mcp<N>(formula);
  p.starts = std::move(starts);
  p.solutions = std::move(solutions);
  p.note = note;
  return p;
}

void add_singular_problems(std::vector<McpTestProblem>& all) {
  const auto v = [](auto... x) { return vector({static_cast<double>(x)...}); };
  const auto pow4 = [](const auto& x) { return square(square(x)); };
  all.push_back(small<1>(
      "quarp", [pow4](const auto& x, auto& f) { f[0] = pow4(1 - x[0]); }, {v(.1), v(.9)}, {v(0), v(1)},
      "x = 1 is singular"));
  all.push_back(small<2>("aff1",
                         [](const auto& x, auto& f) {
                           f[0] = x[0] + 2 * x[1];
                           f[1] = x[1] - 1;
                         },
                         {v(.1, .9)}, {v(0, 1)}));
  all.push_back(small<2>("quarquad",
                         [pow4](const auto& x, auto& f) {
                           f[0] = x[1] - pow4(1 - x[0]);
                           f[1] = 1 - square(x[1]);
                         },
                         {v(.1, .9), v(.9, .1)}, {v(2, 1), v(0, 1), v(1, 0)}));
  all.push_back(small<2>(
      "affknot1",
      [](const auto& x, auto& f) {
        f[0] = x[1] - 1;
        f[1] = x[0];
      },
      {v(.9, .1)}, {v(0, 1)}, "solutions (0,t), t >= 1"));
  all.push_back(small<2>("affknot2",
                         [](const auto& x, auto& f) {
                           f[0] = x[1] - 1;
                           f[1] = x[0] + x[1] - 1;
                         },
                         {v(.5, .5)}, {v(0, 1)}));
  all.push_back(small<2>(
      "munson4",
      [](const auto& x, auto& f) {
        f[0] = -square(x[1] - 1);
        f[1] = -square(x[0] - 1);
      },
      {v(0, 0)}, {v(1, 1)}, "singular"));
  all.push_back(small<3>(
      "ne-hard",
      [](const auto& x, auto& f) {
        f[0] = sin(x[0]) + square(x[0]);
        f[1] = x[1] * x[1] * x[1] + x[0] * x[2];
        f[2] = square(x[2]) + x[0] * x[1] - 200;
      },
      {v(10, 1, 10)}, {v(0, 0, std::sqrt(200.0))}, "singular"));
  all.push_back(small<4>("doubleknot",
                         [](const auto& x, auto& f) {
                           f[0] = 1 - x[0] + x[1] + x[2];
                           f[1] = x[0] - 1;
                           f[2] = x[3] - 1;
                           f[3] = 1 + x[2] - x[3];
                         },
                         {v(.5, .5, .5, .5)}, {v(1, 0, 0, 1)}));
  all.push_back(small<2>("quad1",
                         [](const auto& x, auto& f) {
                           f[0] = x[0] - 1;
                           f[1] = square(x[1]);
                         },
                         {v(.9, -.1), v(.9, .1)}, {v(1, 0)}));
  all.push_back(small<1>("quarn", [pow4](const auto& x, auto& f) { f[0] = -pow4(1 - x[0]); }, {v(.9)}, {v(1)}));
  all.push_back(small<2>(
      "AI31",
      [](const auto& x, auto& f) {
        f[0] = x[1];
        f[1] = x[0];
      },
      {v(-.5, -.9)}, {v(0, 0)}, "solutions (t,0) and (0,t)"));
  all.push_back(small<2>(
      "AI33",
      [](const auto& x, auto& f) {
        f[0] = (x[0] - 1) * x[1];
        f[1] = square(x[0] - 1);
      },
      {v(-.9, .5), v(.9, -.9)}, {v(0, 0), v(1, 0)}, "not isolated"));
  all.push_back(small<2>("AI34",
                         [](const auto& x, auto& f) {
                           f[0] = square(x[0] - 1) + (x[0] - 1) * x[1];
                           f[1] = square(x[0] - 1);
                         },
                         {v(.1, .5), v(1.9, -.5)}, {v(0, 0), v(1, 0)}));
  all.push_back(small<2>("DI6",
                         [](const auto& x, auto& f) {
                           f[0] = x[0];
                           f[1] = x[1] - x[0];
                         },
                         {v(.9, .1)}, {v(0, 0)}));
  all.push_back(
      small<2>("DI7", [](const auto& x, auto& f) { f[0] = f[1] = (x[0] + x[1]) / 2; }, {v(.9, .1)}, {v(0, 0)}));
  all.push_back(small<2>("DI9",
                         [](const auto& x, auto& f) {
                           f[0] = x[1];
                           f[1] = x[1] - x[0];
                         },
                         {v(.9, .9)}, {v(0, 0)}));
  all.push_back(small<2>("FIJ3",
                         [](const auto& x, auto& f) {
                           f[0] = square(x[0]) + x[0] * x[1];
                           f[1] = x[1] + square(x[0]) - square(x[1]);
                         },
                         {v(.9, 1.9), v(-.9, .5)}, {v(0, 1), v(0, 0)}));
  all.push_back(small<2>("FIS43",
                         [](const auto& x, auto& f) {
                           f[0] = x[0];
                           f[1] = x[0] + 1;
                         },
                         {v(.9, .9)}, {v(0, 0)}));
  all.push_back(small<2>("IK35",
                         [](const auto& x, auto& f) {
                           const double c = 3 / (2 * std::sqrt(2.0));
                           f[0] = c * x[1] - x[0];
                           f[1] = 2 * x[0] + (1 - c) * x[1];
                         },
                         {v(.9, .9)}, {v(0, 0)}));
  all.push_back(small<2>("IS2",
                         [](const auto& x, auto& f) {
                           f[0] = -x[1];
                           f[1] = -x[0];
                         },
                         {v(.9, .9)}, {v(0, 0)}));
}

}  // namespace

std::vector<McpTestProblem> mcp_collection() {
  std::vector<McpTestProblem> all;
  all.push_back(kojima_shindo());
  all.push_back(billups());
  all.push_back(nash10());
  all.push_back(mathiesen());
  all.push_back(colville());
  for (const int k : {8, 50}) all.push_back(obstacle_between_membranes(k));
  for (const int N : {20, 100}) all.push_back(lubrication_line_contact(N));
  add_singular_problems(all);
  return all;
}

}  // namespace stickslip::complementarity
