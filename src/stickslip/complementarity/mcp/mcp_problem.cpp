// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/mcp_problem.h"

#include <fmt/format.h>
#include <cmath>
#include <memory>

namespace stickslip::complementarity {

std::string validate(const McpProblem& problem) {
  if (problem.upper.size() != problem.lower.size())
    return fmt::format("{} lower bounds but {} upper bounds", problem.lower.size(), problem.upper.size());
  if (!problem.function) return "the function F is missing";
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    const double lower = problem.lower[i], upper = problem.upper[i];
    if (std::isnan(lower) || std::isnan(upper)) return fmt::format("a bound of unknown {} is not a number", i);
    if (lower > upper) return fmt::format("unknown {}: lower bound {} exceeds upper bound {}", i, lower, upper);
    if (lower >= kNoBound) return fmt::format("unknown {}: lower bound {} leaves no value", i, lower);
    if (upper <= -kNoBound) return fmt::format("unknown {}: upper bound {} leaves no value", i, upper);
  }
  return {};
}

McpProblem to_mcp(const AffineProblem& problem) {
  // Shared by both callbacks: a std::function must be copyable, the matrix should not be copied with it.
  struct Data {
    Eigen::SparseMatrix<double> M;
    Eigen::VectorXd q;
  };
  auto data = std::make_shared<Data>();
  data->M = problem.is_dense ? Eigen::SparseMatrix<double>(problem.dense.sparseView(0, 0)) : problem.sparse;
  data->M.makeCompressed();
  data->q = problem.q;

  McpProblem mcp;
  mcp.lower = problem.lower;
  mcp.upper = problem.upper;
  mcp.function = [data](const Eigen::VectorXd& x, Eigen::VectorXd& f) {
    f = data->q;
    f.noalias() += data->M * x;
    return true;
  };
  mcp.jacobian = [data](const Eigen::VectorXd&, Eigen::SparseMatrix<double>& J) {
    J = data->M;
    return true;
  };
  return mcp;
}

}  // namespace stickslip::complementarity
