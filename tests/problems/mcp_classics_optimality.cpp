// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Held-out problems: first-order conditions of nonlinear programs, most from Hock and Schittkowski 1981 (hsNN).
// Each is written as its Lagrangian L(x, p) = objective - sum_k p_k c_k(x), c_k >= 0 (or = 0 where p_k is free).
#include "tests/problems/mcp_classics.h"
#include "tests/problems/mcp_from_formula.h"

namespace stickslip::complementarity::classics {
namespace {

using namespace elementary;

Eigen::VectorXd with_multipliers(std::initializer_list<double> x, int multipliers, double value = 0) {
  Eigen::VectorXd z = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(x.size()) + multipliers, value);
  z.head(static_cast<Eigen::Index>(x.size())) = point(x);
  return z;
}

void free_unknowns(McpProblem& problem, int first, int count) {
  problem.lower.segment(first, count).setConstant(-kInfinity);
  problem.upper.segment(first, count).setConstant(kInfinity);
}

McpTestProblem hs6() {
  auto problem = kkt_mcp<2, 1>(
      [](const auto& x, const auto& p) { return square(1 - x[0]) - p[0] * (10 * (x[1] - square(x[0]))); });
  free_unknowns(problem, 0, 3);
  return named("hs6", std::move(problem), {with_multipliers({-1.2, 1}, 1)}, {point({1, 1, 0})});
}

McpTestProblem hs35() {
  auto problem = kkt_mcp<3, 1>([](const auto& x, const auto& p) {
    return 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * square(x[0]) + 2 * square(x[1]) + square(x[2]) + 2 * x[0] * x[1] +
           2 * x[0] * x[2] - p[0] * (3 - x[0] - x[1] - 2 * x[2]);
  });
  return named("hs35", std::move(problem), {with_multipliers({.5, .5, .5}, 1)},
               {point({4.0 / 3, 7.0 / 9, 4.0 / 9, 2.0 / 9})});
}

// Rosen and Suzuki; with `copies` of each constraint the multipliers are not unique and J is singular.
template <int Copies>
McpTestProblem hs43(const char* name) {
  auto problem = kkt_mcp<4, 3 * Copies>([](const auto& x, const auto& p) {
    auto L = square(x[0]) + square(x[1]) + 2 * square(x[2]) + square(x[3]) - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3];
    const auto a = 8 - square(x[0]) - square(x[1]) - square(x[2]) - square(x[3]) - x[0] + x[1] - x[2] + x[3];
    const auto b = 10 - square(x[0]) - 2 * square(x[1]) - square(x[2]) - 2 * square(x[3]) + x[0] + x[3];
    const auto c = 5 - 2 * square(x[0]) - square(x[1]) - square(x[2]) - 2 * x[0] + x[1] + x[3];
    for (std::size_t k = 0; k < Copies; ++k) L -= p[3 * k] * a + p[3 * k + 1] * b + p[3 * k + 2] * c;
    return L;
  });
  free_unknowns(problem, 0, 4);
  return named(name, std::move(problem),
               {with_multipliers({0, 0, 0, 0}, 3 * Copies), with_multipliers({5, -5, 5, -5}, 3 * Copies, 1)});
}

// Badly scaled: costs of 1e5 against unknowns of 1e2.
McpTestProblem hs64() {
  auto problem = kkt_mcp<3, 1>(
      [](const auto& x, const auto& p) {
        return 5 * x[0] + 50000 / x[0] + 20 * x[1] + 72000 / x[1] + 10 * x[2] + 144000 / x[2] -
               p[0] * (1 - 4 / x[0] - 32 / x[1] - 120 / x[2]);
      },
      1e-5);
  return named("hs64", std::move(problem), {with_multipliers({1, 1, 1}, 1), with_multipliers({100, 100, 100}, 1)});
}

McpTestProblem hs65() {
  auto problem = kkt_mcp<3, 1>([](const auto& x, const auto& p) {
    return square(x[0] - x[1]) + square((x[0] + x[1] - 10) / 3) + square(x[2] - 5) -
           p[0] * (48 - square(x[0]) - square(x[1]) - square(x[2]));
  });
  problem.lower.head(3) << -4.5, -4.5, -5;
  problem.upper.head(3) << 4.5, 4.5, 5;
  return named("hs65", std::move(problem), {with_multipliers({-5, 5, 0}, 1)},
               {point({3.650461821, 3.65046168, 4.6204170507, 0.0821528})});
}

McpTestProblem hs71() {
  auto problem = kkt_mcp<4, 2>(
      [](const auto& x, const auto& p) {
        return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2] - p[0] * (x[0] * x[1] * x[2] * x[3] - 25) -
               p[1] * (square(x[0]) + square(x[1]) + square(x[2]) + square(x[3]) - 40);
      },
      1, 5);
  free_unknowns(problem, 5, 1);
  return named("hs71", std::move(problem), {with_multipliers({1, 5, 5, 1}, 2), with_multipliers({3, 3, 3, 3}, 2)});
}

McpTestProblem hs76() {
  auto problem = kkt_mcp<4, 3>([](const auto& x, const auto& p) {
    return square(x[0]) + .5 * square(x[1]) + square(x[2]) + .5 * square(x[3]) - x[0] * x[2] + x[2] * x[3] - x[0] -
           3 * x[1] + x[2] - x[3] - p[0] * (5 - x[0] - 2 * x[1] - x[2] - x[3]) -
           p[1] * (4 - 3 * x[0] - x[1] - 2 * x[2] + x[3]) - p[2] * (x[1] + 4 * x[2] - 1.5);
  });
  return named("hs76", std::move(problem), {with_multipliers({.5, .5, .5, .5}, 3)});
}

McpTestProblem hs100() {
  auto problem = kkt_mcp<7, 4>([](const auto& x, const auto& p) {
    const auto pow4 = [](const auto& v) { return square(square(v)); };
    return square(x[0] - 10) + 5 * square(x[1] - 12) + pow4(x[2]) + 3 * square(x[3] - 11) +
           10 * pow4(x[4]) * square(x[4]) + 7 * square(x[5]) + pow4(x[6]) - 4 * x[5] * x[6] - 10 * x[5] - 8 * x[6] -
           p[0] * (127 - 2 * square(x[0]) - 3 * pow4(x[1]) - x[2] - 4 * square(x[3]) - 5 * x[4]) -
           p[1] * (282 - 7 * x[0] - 3 * x[1] - 10 * square(x[2]) - x[3] + x[4]) -
           p[2] * (196 - 23 * x[0] - square(x[1]) - 6 * square(x[5]) + 8 * x[6]) -
           p[3] * (3 * x[0] * x[1] - 4 * square(x[0]) - square(x[1]) - 2 * square(x[2]) - 5 * x[5] + 11 * x[6]);
  });
  free_unknowns(problem, 0, 7);
  return named("hs100", std::move(problem), {with_multipliers({1, 2, 0, 4, 0, 1, 1}, 4)});
}

// Heat exchanger design: bilinear, numbers from 1e-3 to 1e6, bounds on both sides.
McpTestProblem hs106() {
  auto problem = kkt_mcp<8, 6>([](const auto& x, const auto& p) {
    return x[0] + x[1] + x[2] - p[0] * (1 - .0025 * (x[3] + x[5])) - p[1] * (1 - .0025 * (x[4] + x[6] - x[3])) -
           p[2] * (1 - .01 * (x[7] - x[4])) - p[3] * (x[0] * x[5] - 833.33252 * x[3] - 100 * x[0] + 83333.333) -
           p[4] * (x[1] * x[6] - 1250 * x[4] - x[1] * x[3] + 1250 * x[3]) -
           p[5] * (x[2] * x[7] - 1250000 - x[2] * x[4] + 2500 * x[4]);
  });
  problem.lower.head(8) << 100, 1000, 1000, 10, 10, 10, 10, 10;
  problem.upper.head(8) << 1e4, 1e4, 1e4, 1e3, 1e3, 1e3, 1e3, 1e3;
  return named("hs106", std::move(problem), {with_multipliers({5000, 5000, 5000, 200, 350, 150, 225, 425}, 6)});
}

McpTestProblem hs113() {
  auto problem = kkt_mcp<10, 8>([](const auto& x, const auto& p) {
    auto L = square(x[0]) + square(x[1]) + x[0] * x[1] - 14 * x[0] - 16 * x[1] + square(x[2] - 10) +
             4 * square(x[3] - 5) + square(x[4] - 3) + 2 * square(x[5] - 1) + 5 * square(x[6]) + 7 * square(x[7] - 11) +
             2 * square(x[8] - 10) + square(x[9] - 7) + 45;
    L -= p[0] * (105 - 4 * x[0] - 5 * x[1] + 3 * x[6] - 9 * x[7]);
    L -= p[1] * (-10 * x[0] + 8 * x[1] + 17 * x[6] - 2 * x[7]);
    L -= p[2] * (8 * x[0] - 2 * x[1] - 5 * x[8] + 2 * x[9] + 12);
    L -= p[3] * (120 - 3 * square(x[0] - 2) - 4 * square(x[1] - 3) - 2 * square(x[2]) + 7 * x[3]);
    L -= p[4] * (40 - 5 * square(x[0]) - 8 * x[1] - square(x[2] - 6) + 2 * x[3]);
    L -= p[5] * (30 - .5 * square(x[0] - 8) - 2 * square(x[1] - 4) - 3 * square(x[4]) + x[5]);
    L -= p[6] * (-square(x[0]) - 2 * square(x[1] - 2) + 2 * x[0] * x[1] - 14 * x[4] + 6 * x[5]);
    L -= p[7] * (3 * x[0] - 6 * x[1] - 12 * square(x[8] - 8) + 7 * x[9]);
    return L;
  });
  free_unknowns(problem, 0, 10);
  return named("hs113", std::move(problem), {with_multipliers({2, 3, 5, 5, 1, 2, 7, 3, 6, 10}, 8)});
}

// Stackelberg-like chain: the follower's conditions inside the leader's box; F is not monotone.
McpTestProblem rosenbrock_box() {
  auto problem = kkt_mcp<2, 1>([](const auto& x, const auto& p) {
    return 100 * square(x[1] - square(x[0])) + square(1 - x[0]) - p[0] * (1.5 - square(x[0]) - square(x[1]));
  });
  problem.lower.head(2) << -2, -2;
  problem.upper.head(2) << .8, 2;
  return named("rosenbrock-disc", std::move(problem), {with_multipliers({-1.2, 1}, 1), with_multipliers({0, 0}, 1)});
}

}  // namespace

void add_optimality(std::vector<McpTestProblem>& all) {
  all.push_back(hs6());
  all.push_back(hs35());
  all.push_back(hs43<1>("hs43"));
  all.push_back(hs43<3>("hs43-tripled"));
  all.push_back(hs64());
  all.push_back(hs65());
  all.push_back(hs71());
  all.push_back(hs76());
  all.push_back(hs100());
  all.push_back(hs106());
  all.push_back(hs113());
  all.push_back(rosenbrock_box());
}

}  // namespace stickslip::complementarity::classics
