// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Held-out problems: discretised differential problems with sparse Jacobians.
#include "tests/problems/mcp_classics.h"

#include <fmt/format.h>
#include <cmath>
#include <memory>
#include <numbers>

namespace stickslip::complementarity::classics {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

// An MCP  F(x) = A x + q + D(x)  with a sparse matrix and a function of each unknown alone.
struct Pointwise {
  Sparse A;
  Eigen::VectorXd q;
  std::function<double(Eigen::Index, double)> value, slope;
};

McpProblem pointwise_mcp(Pointwise model, Eigen::VectorXd lower, Eigen::VectorXd upper) {
  const auto data = std::make_shared<const Pointwise>(std::move(model));
  McpProblem problem;
  problem.lower = std::move(lower);
  problem.upper = std::move(upper);
  problem.function = [data](const Eigen::VectorXd& x, Eigen::VectorXd& f) {
    f = data->A * x + data->q;
    for (Eigen::Index i = 0; i < x.size(); ++i) f[i] += data->value(i, x[i]);
    return f.allFinite();
  };
  problem.jacobian = [data](const Eigen::VectorXd& x, Sparse& J) {
    J = data->A;
    for (Eigen::Index i = 0; i < x.size(); ++i) J.coeffRef(i, i) += data->slope(i, x[i]);
    return true;
  };
  return problem;
}

// Bratu's problem -Laplace u = lambda exp(u) with an obstacle above and u >= 0.
McpTestProblem bratu(int k, double lambda, double obstacle) {
  const double h = 1.0 / (k + 1);
  Pointwise model{five_point_laplacian(k), Eigen::VectorXd::Zero(k * k),
                  [=](Eigen::Index, double u) { return -h * h * lambda * std::exp(u); },
                  [=](Eigen::Index, double u) { return -h * h * lambda * std::exp(u); }};
  auto problem =
      pointwise_mcp(std::move(model), Eigen::VectorXd::Zero(k * k), Eigen::VectorXd::Constant(k * k, obstacle));
  return {fmt::format("bratu_{}_{}", k, lambda),
          std::move(problem),
          {Eigen::VectorXd::Zero(k * k), Eigen::VectorXd::Constant(k * k, obstacle)},
          {},
          ""};
}

// Elastic-plastic torsion of a square bar: |grad u| <= 1 as u <= distance to the boundary.
McpTestProblem torsion(int k, double twist) {
  const double h = 1.0 / (k + 1);
  Eigen::VectorXd distance(k * k);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) distance[i * k + j] = h * std::min({i + 1, k - i, j + 1, k - j});
  Pointwise model{five_point_laplacian(k), Eigen::VectorXd::Constant(k * k, -twist * h * h),
                  [](Eigen::Index, double u) { return 1e-3 * u * u * u; },
                  [](Eigen::Index, double u) { return 3e-3 * u * u; }};
  auto problem = pointwise_mcp(std::move(model), -distance, distance);
  return {fmt::format("torsion_{}", k), std::move(problem), {Eigen::VectorXd::Zero(k * k), distance}, {}, ""};
}

// Journal bearing: -div(w^3 grad p) = eps sin(theta), w = 1 + eps cos(theta), cavitation p >= 0.
McpTestProblem journal_bearing(int m, int k, double eps) {
  const double dt = 2 * std::numbers::pi / (m + 1), dz = 20.0 / (k + 1);
  const auto film = [eps](double theta) { return std::pow(1 + eps * std::cos(theta), 3); };
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd q(m * k);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < k; ++j) {
      const int row = i * k + j;
      const double theta = (i + 1) * dt;
      const double east = film(theta + dt / 2) * dz / dt, west = film(theta - dt / 2) * dz / dt,
                   side = film(theta) * dt / dz;
      entries.emplace_back(row, row, east + west + 2 * side);
      if (i > 0) entries.emplace_back(row, row - k, -west);
      if (i + 1 < m) entries.emplace_back(row, row + k, -east);
      if (j > 0) entries.emplace_back(row, row - 1, -side);
      if (j + 1 < k) entries.emplace_back(row, row + 1, -side);
      q[row] = -dt * dz * eps * std::sin(theta);
    }
  Pointwise model{Sparse(m * k, m * k), q, [](Eigen::Index, double) { return 0.0; },
                  [](Eigen::Index, double) { return 0.0; }};
  model.A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::VectorXd none = Eigen::VectorXd::Constant(m * k, kInfinity);
  return {fmt::format("bearing_{}", m * k),
          pointwise_mcp(std::move(model), Eigen::VectorXd::Zero(m * k), none),
          {Eigen::VectorXd::Zero(m * k), Eigen::VectorXd::Ones(m * k)},
          {},
          ""};
}

// Optimal control of a pendulum, explicit Euler, |u| <= limit: states and adjoints free, controls between bounds.
//     min sum_t 1/2 (a_t^2 + w_t^2) + 0.005 u_t^2,   a' = w,  w' = -sin a + u,   a_0 = start, w_0 = 0
// Unknowns per step t = 1..N: a_t, w_t, adjoints p_t, r_t, control u_{t-1}. F: derivatives of the Lagrangian.
struct Pendulum {
  int N;
  double h, first;

  [[nodiscard]] double a(const Eigen::VectorXd& z, int t) const { return t == 0 ? first : z[5 * (t - 1)]; }
  [[nodiscard]] double w(const Eigen::VectorXd& z, int t) const { return t == 0 ? 0 : z[5 * (t - 1) + 1]; }

  bool function(const Eigen::VectorXd& z, Eigen::VectorXd& f) const {
    for (int t = 1; t <= N; ++t) {
      const int o = 5 * (t - 1);
      const double p = z[o + 2], r = z[o + 3], u = z[o + 4];
      const double p_next = t < N ? z[o + 7] : 0, r_next = t < N ? z[o + 8] : 0;
      f[o] = h * a(z, t) + p - p_next + h * std::cos(a(z, t)) * r_next;
      f[o + 1] = h * w(z, t) + r - h * p_next - r_next;
      f[o + 2] = a(z, t) - a(z, t - 1) - h * w(z, t - 1);
      f[o + 3] = w(z, t) - w(z, t - 1) - h * (u - std::sin(a(z, t - 1)));
      f[o + 4] = .01 * h * u - h * r;
    }
    return f.allFinite();
  }

  bool jacobian(const Eigen::VectorXd& z, Sparse& J) const {
    std::vector<Eigen::Triplet<double>> e;
    for (int t = 1; t <= N; ++t) {
      const int o = 5 * (t - 1), n = o + 5, b = o - 5;
      const double r_next = t < N ? z[o + 8] : 0;
      e.emplace_back(o, o, h - h * std::sin(a(z, t)) * r_next);
      e.emplace_back(o, o + 2, 1);
      e.emplace_back(o + 1, o + 1, h);
      e.emplace_back(o + 1, o + 3, 1);
      if (t < N) {
        e.emplace_back(o, n + 2, -1);
        e.emplace_back(o, n + 3, h * std::cos(a(z, t)));
        e.emplace_back(o + 1, n + 2, -h);
        e.emplace_back(o + 1, n + 3, -1);
      }
      e.emplace_back(o + 2, o, 1);
      e.emplace_back(o + 3, o + 1, 1);
      e.emplace_back(o + 3, o + 4, -h);
      if (t > 1) {
        e.emplace_back(o + 2, b, -1);
        e.emplace_back(o + 2, b + 1, -h);
        e.emplace_back(o + 3, b + 1, -1);
        e.emplace_back(o + 3, b, h * std::cos(a(z, t - 1)));
      }
      e.emplace_back(o + 4, o + 4, .01 * h);
      e.emplace_back(o + 4, o + 3, -h);
    }
    J.resize(5 * N, 5 * N);
    J.setFromTriplets(e.begin(), e.end());
    return true;
  }
};

McpTestProblem pendulum(int N, double first, double limit) {
  const auto model = std::make_shared<const Pendulum>(Pendulum{N, 4.0 / N, first});
  McpProblem problem;
  problem.lower = Eigen::VectorXd::Constant(5 * N, -kInfinity);
  problem.upper = Eigen::VectorXd::Constant(5 * N, kInfinity);
  for (int t = 0; t < N; ++t) {
    problem.lower[5 * t + 4] = -limit;
    problem.upper[5 * t + 4] = limit;
  }
  problem.function = [model](const Eigen::VectorXd& z, Eigen::VectorXd& f) { return model->function(z, f); };
  problem.jacobian = [model](const Eigen::VectorXd& z, Sparse& J) { return model->jacobian(z, J); };
  return {fmt::format("pendulum_{}", N),
          std::move(problem),
          {Eigen::VectorXd::Zero(5 * N), Eigen::VectorXd::Ones(5 * N)},
          {},
          ""};
}

// Broyden's tridiagonal equations, all unknowns free.
McpTestProblem broyden(int n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 0);
    if (i > 0) entries.emplace_back(i, i - 1, -1);
    if (i + 1 < n) entries.emplace_back(i, i + 1, -2);
  }
  Pointwise model{Sparse(n, n), Eigen::VectorXd::Ones(n), [](Eigen::Index, double x) { return (3 - 2 * x) * x; },
                  [](Eigen::Index, double x) { return 3 - 4 * x; }};
  model.A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::VectorXd none = Eigen::VectorXd::Constant(n, kInfinity);
  return {fmt::format("broyden_{}", n),
          pointwise_mcp(std::move(model), -none, none),
          {Eigen::VectorXd::Constant(n, -1)},
          {},
          ""};
}

// Harker and Pang's monotone problem: M = A'A + B - B', a term d arctan(x), q as drawn by a fixed generator; dense.
McpTestProblem harker_pang(int n) {
  unsigned state = 7;
  const auto uniform = [&state] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / static_cast<double>(1U << 24);
  };
  Eigen::MatrixXd A(n, n), B(n, n);
  Eigen::VectorXd q(n), d(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      A(i, j) = 10 * uniform() - 5;
      B(i, j) = 10 * uniform() - 5;
    }
  for (int i = 0; i < n; ++i) {
    q[i] = -500 * uniform();
    d[i] = 10 * uniform();
  }
  Pointwise model{Eigen::MatrixXd(A.transpose() * A + B - B.transpose()).sparseView(), q,
                  [d](Eigen::Index i, double x) { return d[i] * std::atan(x); },
                  [d](Eigen::Index i, double x) { return d[i] / (1 + x * x); }};
  return {fmt::format("harker-pang_{}", n),
          pointwise_mcp(std::move(model), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, kInfinity)),
          {Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, 10)},
          {},
          ""};
}

}  // namespace

void add_fields(std::vector<McpTestProblem>& all) {
  all.push_back(obstacle_between_membranes(16));
  all.push_back(lubrication_line_contact(40));
  all.push_back(bratu(16, 6, 4));
  all.push_back(bratu(30, 20, .8));
  all.push_back(torsion(24, 8));
  all.push_back(journal_bearing(30, 12, .6));
  all.push_back(pendulum(20, 1.5, .4));
  all.push_back(pendulum(100, 3, 1));
  all.push_back(broyden(500));
  all.push_back(harker_pang(60));
}

}  // namespace stickslip::complementarity::classics
