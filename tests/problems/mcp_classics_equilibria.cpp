// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Held-out problems: equilibria of markets, games and traffic. Data are our own unless a source is named.
#include "tests/problems/mcp_classics.h"
#include "tests/problems/mcp_from_formula.h"

#include <cmath>

namespace stickslip::complementarity::classics {
namespace {

using namespace elementary;
template <class A>
using Scalar = std::decay_t<decltype(std::declval<A>()[0])>;

Eigen::VectorXd constant(int n, double value) {
  return Eigen::VectorXd::Constant(n, value);
}

McpTestProblem josephy() {
  auto problem = formula_mcp<4>([](const auto& x, auto& f) {
    f[0] = 3 * square(x[0]) + 2 * x[0] * x[1] + 2 * square(x[1]) + x[2] + 3 * x[3] - 6;
    f[1] = 2 * square(x[0]) + x[0] + square(x[1]) + 3 * x[2] + 2 * x[3] - 2;
    f[2] = 3 * square(x[0]) + x[0] * x[1] + 2 * square(x[1]) + 2 * x[2] + 3 * x[3] - 1;
    f[3] = square(x[0]) + 3 * square(x[1]) + 2 * x[2] + 3 * x[3] - 3;
  });
  return named("josephy", std::move(problem),
               {point({0, 0, 0, 0}), point({1, 1, 1, 1}), point({100, 100, 100, 100}), point({1, 0, 1, 0}),
                point({1, 0, 0, 0}), point({0, 1, 1, 0}), point({0, 1, 0, 1}), point({1.25, 0, 0, 0.5})},
               {point({std::sqrt(6.0) / 2, 0, 0, 0.5})});
}

// Murphy, Sherali, Soyster 1982: marginal cost c + (q/5)^(1/b), demand (5000/Q)^(1/1.1).
McpTestProblem nash5() {
  auto problem = formula_mcp<5>([](const auto& q, auto& f) {
    constexpr std::array<double, 5> c{10, 8, 6, 4, 2}, b{1.2, 1.1, 1, .9, .8};
    constexpr double g = 1.1;
    const auto Q = q[0] + q[1] + q[2] + q[3] + q[4];
    const auto price = pow(5000 / Q, 1 / g);
    for (std::size_t i = 0; i < 5; ++i) f[i] = c[i] + pow(q[i] / 5, 1 / b[i]) - price + q[i] * price / (g * Q);
  });
  return named("nash5", std::move(problem), {constant(5, 1), constant(5, 10), point({1, 10, 100, 0, 20})},
               {point({36.933, 41.818, 43.707, 42.659, 39.179})});
}

// Cournot firms with capacities: quantities between two bounds, some at each.
McpTestProblem capacities() {
  auto problem = formula_mcp<4>([](const auto& q, auto& f) {
    constexpr std::array<double, 4> c{2, 4, 9, 1}, d{.02, .05, .01, .3};
    const auto Q = 1 + q[0] + q[1] + q[2] + q[3];
    const auto price = 60 * pow(Q, -0.5);
    for (std::size_t i = 0; i < 4; ++i) f[i] = c[i] + d[i] * q[i] * q[i] - price + 0.5 * q[i] * price / Q;
  });
  problem.upper = point({20, 20, 20, 3});
  return named("capacities", std::move(problem), {constant(4, 0), constant(4, 50), constant(4, 5)});
}

// Spatial price equilibrium in flows (Samuelson; Tobin's powers): three suppliers, four markets.
McpTestProblem spatial_prices() {
  auto problem = formula_mcp<12>([](const auto& x, auto& f) {
    constexpr double a[3] = {5, 12, 2}, b[3] = {.8, .3, 2}, A[4] = {40, 30, 60, 8}, B[4] = {1, 2, 1.5, .5};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        const auto supply = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
        const auto demand = x[j] + x[4 + j] + x[8 + j];
        const double distance = 1 + std::abs(2.0 * static_cast<double>(i) - static_cast<double>(j));
        f[4 * i + j] = a[i] + b[i] * supply + 0.01 * supply * supply * supply +
                       distance * (1 + 0.05 * square(square(x[4 * i + j]))) - A[j] + B[j] * demand;
      }
  });
  return named("spatial-prices", std::move(problem), {constant(12, 0), constant(12, 5), constant(12, 100)});
}

// Ring road after Bertsekas and Gafni: five pairs, clockwise or counter-clockwise, quartic asymmetric delays.
// Unknowns: ten path flows and five travel times, the latter free or non-negative.
McpTestProblem ring_road(bool free_times) {
  auto problem = formula_mcp<15>([](const auto& z, auto& f) {
    using T = Scalar<decltype(z)>;
    std::array<T, 5> clockwise{}, counter{}, clockwise_cost{}, counter_cost{};
    constexpr double demand[5] = {4, 3, 5, 2, 6};
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t s = 0; s < 2; ++s) clockwise[(i + s) % 5] += z[2 * i];
      for (std::size_t s = 0; s < 3; ++s) counter[(i + 2 + s) % 5] += z[2 * i + 1];
    }
    for (std::size_t l = 0; l < 5; ++l) {
      clockwise_cost[l] = 1 + clockwise[l] + 0.5 * counter[l] + square(square(clockwise[l] / 4));
      counter_cost[l] = 0.5 + 2 * counter[l] + 0.1 * clockwise[l] + square(square(counter[l] / 3));
    }
    for (std::size_t i = 0; i < 5; ++i) {
      f[2 * i] = clockwise_cost[i] + clockwise_cost[(i + 1) % 5] - z[10 + i];
      f[2 * i + 1] = counter_cost[(i + 2) % 5] + counter_cost[(i + 3) % 5] + counter_cost[(i + 4) % 5] - z[10 + i];
      f[10 + i] = z[2 * i] + z[2 * i + 1] - demand[i];
    }
  });
  if (free_times) problem.lower.tail(5).setConstant(-kInfinity);
  return named(free_times ? "ring-road-free" : "ring-road", std::move(problem),
               {constant(15, 0), constant(15, 1), constant(15, 100)});
}

// Pure exchange with CES consumers: F = endowment - demand is homogeneous of degree 0, J singular at every solution.
McpTestProblem exchange() {
  auto problem = formula_mcp<4>([](const auto& p, auto& f) {
    using T = Scalar<decltype(p)>;
    constexpr double weight[3][4] = {{1, 2, .5, .1}, {.3, 1, 3, 1}, {2, .1, .2, 4}};
    constexpr double own[3][4] = {{10, 1, 0, 2}, {1, 8, 3, 1}, {2, 0, 9, 4}};
    constexpr double elasticity[3] = {.5, 1.3, .8};
    for (std::size_t i = 0; i < 4; ++i) f[i] = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      T income = 0, index = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        income += p[i] * own[c][i];
        index += weight[c][i] * pow(p[i], 1 - elasticity[c]);
      }
      for (std::size_t i = 0; i < 4; ++i) f[i] += own[c][i] - weight[c][i] * income * pow(p[i], -elasticity[c]) / index;
    }
  });
  return named("exchange", std::move(problem), {constant(4, 1), point({1, 5, .2, 3}), constant(4, 0)}, {},
               "prices are determined up to a factor; undefined at p = 0");
}

// Scarf-type economy: activities y with outputs a - inputs, prices p, Cobb-Douglas demand; one activity never pays.
McpTestProblem production() {
  auto problem = formula_mcp<8>([](const auto& z, auto& f) {
    constexpr double A[4][4] = {{1, 0, -.2, 1}, {-.3, 1, -.1, -.9}, {-.4, -.2, 1, -.8}, {-1, -.8, -.6, -3}};
    constexpr double share[4] = {.3, .3, .3, .1}, endowment[4] = {0, 1, 0, 20};
    const auto* y = &z[0];
    const auto* p = &z[4];
    auto income = endowment[0] * p[0];
    for (std::size_t i = 1; i < 4; ++i) income += endowment[i] * p[i];
    for (std::size_t k = 0; k < 4; ++k) {
      f[k] = 0;
      for (std::size_t i = 0; i < 4; ++i) f[k] -= A[i][k] * p[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      f[4 + i] = endowment[i] - share[i] * income / p[i];
      for (std::size_t k = 0; k < 4; ++k) f[4 + i] += A[i][k] * y[k];
    }
  });
  return named("production", std::move(problem), {constant(8, 1), point({0, 0, 0, 0, 1, 1, 1, 1}), constant(8, 10)});
}

// Invariant capital stock in the manner of Hansen and Koopmans: concave utility with infinite slope at zero.
McpTestProblem capital() {
  auto problem = formula_mcp<10>([](const auto& z, auto& f) {
    constexpr double A[4][6] = {{1, 1, 0, 1, 2, 1}, {0, 2, 1, 1, 0, 3}, {1, 0, 2, .5, 1, 0}, {.2, .5, 1, 0, .3, 1}};
    constexpr double B[4][6] = {{0, 0, .5, 0, .8, 0}, {0, .7, 0, 0, 0, .9}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    constexpr double w[4] = {.5, .4, .8, .6}, discount = .7;
    const auto first = z[0] + 2.5 * z[1], second = 2.5 * z[2] + z[3], third = 2 * z[4] + 3 * z[5];
    const auto utility = pow(first, .2) * pow(second, .2) * pow(third, .2);
    const auto slope1 = .2 * utility / first, slope2 = .2 * utility / second, slope3 = .2 * utility / third;
    f[0] = -slope1;
    f[1] = -2.5 * slope1;
    f[2] = -2.5 * slope2;
    f[3] = -slope2;
    f[4] = -2 * slope3;
    f[5] = -3 * slope3;
    for (std::size_t i = 0; i < 4; ++i) {
      f[6 + i] = w[i];
      for (std::size_t k = 0; k < 6; ++k) {
        f[k] += (A[i][k] - discount * B[i][k]) * z[6 + i];
        f[6 + i] += (B[i][k] - A[i][k]) * z[k];
      }
    }
  });
  return named("capital", std::move(problem), {constant(10, 1), constant(10, .1), constant(10, 0)});
}

// Land use in rings around a town (von Thuenen): rents, crops per ring, prices; demands of very different size.
McpTestProblem land_use() {
  auto problem = formula_mcp<19>([](const auto& z, auto& f) {
    constexpr double area[4] = {3, 9, 15, 21}, K[3] = {1e3, 20, .5}, elasticity[3] = {.4, .9, 1.5};
    constexpr double cost[3] = {10, 1, .02}, haul[3] = {8, .3, .001};
    const auto* rent = &z[12];
    const auto* price = &z[16];
    for (std::size_t r = 0; r < 4; ++r) {
      f[12 + r] = area[r];
      for (std::size_t c = 0; c < 3; ++c) {
        f[3 * r + c] = rent[r] + cost[c] + haul[c] * static_cast<double>(r + 1) - price[c];
        f[12 + r] -= z[3 * r + c];
      }
    }
    for (std::size_t c = 0; c < 3; ++c)
      f[16 + c] = z[c] + z[3 + c] + z[6 + c] + z[9 + c] - K[c] * pow(price[c] + 1e-3, -elasticity[c]);
  });
  return named("land-use", std::move(problem), {constant(19, 1), constant(19, 0), constant(19, 100)});
}

// Mixed equilibrium of a bimatrix game with free values: x, y on simplices. Shapley's game and a degenerate one.
McpTestProblem game(const char* name, const std::array<std::array<double, 3>, 3>& A,
                    const std::array<std::array<double, 3>, 3>& B) {
  auto problem = formula_mcp<8>([A, B](const auto& z, auto& f) {
    for (std::size_t i = 0; i < 3; ++i) {
      f[i] = z[6];
      f[3 + i] = z[7];
      for (std::size_t j = 0; j < 3; ++j) {
        f[i] -= A[i][j] * z[3 + j];
        f[3 + i] -= B[j][i] * z[j];
      }
    }
    f[6] = 1 - z[0] - z[1] - z[2];
    f[7] = 1 - z[3] - z[4] - z[5];
  });
  problem.lower.tail(2).setConstant(-kInfinity);
  return named(name, std::move(problem), {constant(8, 0), constant(8, 1.0 / 3), point({1, 0, 0, 0, 1, 0, 5, -5})});
}

}  // namespace

void add_equilibria(std::vector<McpTestProblem>& all) {
  all.push_back(josephy());
  all.push_back(nash5());
  all.push_back(capacities());
  all.push_back(spatial_prices());
  all.push_back(ring_road(false));
  all.push_back(ring_road(true));
  all.push_back(exchange());
  all.push_back(production());
  all.push_back(capital());
  all.push_back(land_use());
  all.push_back(game("game-shapley", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}));
  all.push_back(game("game-degenerate", {{{2, 2, 0}, {2, 2, 0}, {0, 0, 1}}}, {{{1, 1, 1}, {1, 1, 1}, {0, 3, 3}}}));
}

}  // namespace stickslip::complementarity::classics
