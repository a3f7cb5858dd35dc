// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// McpProblem from a formula: the callbacks for small problems that are written once, over any scalar type.
//
//     formula_mcp<N>(f)            f(x, y) writes F(x) to y, both std::array<T, N>;  Jacobian by dual numbers
//     kkt_mcp<N, M>(lagrangian)    L(x, p) = objective - sum_k p_k constraint_k(x) over x in R^N, p in R^M;
//                                  F = (dL/dx, -dL/dp), the first-order conditions of
//                                      min objective,  constraint_k >= 0 (p_k >= 0) or = 0 (p_k free),  x in a box
//
// The Jacobian's pattern is full. Nothing is allocated after the first Jacobian.
#pragma once

#include "stickslip/complementarity/mcp/mcp_problem.h"
#include "tests/problems/dual.h"

#include <array>

namespace stickslip::complementarity {

// Gives J the full n x n pattern, column by column, unless it has it already.
inline void ensure_full_pattern(Eigen::SparseMatrix<double>& J, Eigen::Index n) {
  if (J.rows() == n && J.cols() == n && J.isCompressed() && J.nonZeros() == n * n) return;
  J.resize(n, n);
  J.reserve(n * n);
  for (Eigen::Index j = 0; j < n; ++j) {
    J.startVec(j);
    for (Eigen::Index i = 0; i < n; ++i) J.insertBack(i, j) = 0;
  }
  J.finalize();
}

template <int N, class Formula>
[[nodiscard]] McpProblem formula_mcp(Formula formula, double lower = 0, double upper = kInfinity) {
  McpProblem problem;
  problem.lower = Eigen::VectorXd::Constant(N, lower);
  problem.upper = Eigen::VectorXd::Constant(N, upper);
  problem.function = [formula](const Eigen::VectorXd& x, Eigen::VectorXd& f) {
    std::array<double, N> in{}, out{};
    for (int i = 0; i < N; ++i) in[static_cast<std::size_t>(i)] = x[i];
    formula(in, out);
    for (int i = 0; i < N; ++i) f[i] = out[static_cast<std::size_t>(i)];
    return f.allFinite();
  };
  problem.jacobian = [formula](const Eigen::VectorXd& x, Eigen::SparseMatrix<double>& J) {
    std::array<Dual<N>, N> in{}, out{};
    for (int i = 0; i < N; ++i) in[static_cast<std::size_t>(i)] = Dual<N>::variable(x[i], i);
    formula(in, out);
    ensure_full_pattern(J, N);
    for (std::size_t j = 0; j < N; ++j)
      for (std::size_t i = 0; i < N; ++i) J.valuePtr()[j * N + i] = out[i].d[j];
    return true;
  };
  return problem;
}

template <int N, int M, class Lagrangian>
[[nodiscard]] McpProblem kkt_mcp(Lagrangian lagrangian, double lower = 0, double upper = kInfinity) {
  constexpr int kSize = N + M;
  using First = Dual<kSize>;
  using Second = Dual<kSize, First>;
  McpProblem problem;
  problem.lower = Eigen::VectorXd::Constant(kSize, lower);
  problem.upper = Eigen::VectorXd::Constant(kSize, upper);
  problem.lower.tail(M).setZero();
  problem.upper.tail(M).setConstant(kInfinity);
  problem.function = [lagrangian](const Eigen::VectorXd& x, Eigen::VectorXd& f) {
    std::array<First, N> in{};
    std::array<First, M> multiplier{};
    for (int i = 0; i < N; ++i) in[static_cast<std::size_t>(i)] = First::variable(x[i], i);
    for (int i = 0; i < M; ++i) multiplier[static_cast<std::size_t>(i)] = First::variable(x[N + i], N + i);
    const First L = lagrangian(in, multiplier);
    for (int i = 0; i < kSize; ++i) f[i] = i < N ? L.d[static_cast<std::size_t>(i)] : -L.d[static_cast<std::size_t>(i)];
    return f.allFinite();
  };
  problem.jacobian = [lagrangian](const Eigen::VectorXd& x, Eigen::SparseMatrix<double>& J) {
    std::array<Second, N> in{};
    std::array<Second, M> multiplier{};
    for (int i = 0; i < N; ++i) in[static_cast<std::size_t>(i)] = Second::variable(First::variable(x[i], i), i);
    for (int i = 0; i < M; ++i)
      multiplier[static_cast<std::size_t>(i)] = Second::variable(First::variable(x[N + i], N + i), N + i);
    const Second L = lagrangian(in, multiplier);
    ensure_full_pattern(J, kSize);
    for (std::size_t j = 0; j < kSize; ++j)
      for (std::size_t i = 0; i < kSize; ++i) J.valuePtr()[j * kSize + i] = (i < N ? 1 : -1) * L.d[i].d[j];
    return true;
  };
  return problem;
}

}  // namespace stickslip::complementarity
