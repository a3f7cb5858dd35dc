// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The parts of mcp_classics() (mcp_collection.h), one file each.
#pragma once

#include "tests/problems/mcp_collection.h"

#include <initializer_list>
#include <vector>

namespace stickslip::complementarity::classics {

void add_equilibria(std::vector<McpTestProblem>& all);  // markets, games, traffic, general equilibrium
void add_optimality(std::vector<McpTestProblem>& all);  // first-order conditions of nonlinear programs
void add_equations(std::vector<McpTestProblem>& all);   // systems of equations, free and boxed
void add_fields(std::vector<McpTestProblem>& all);      // discretised differential problems, sparse
void add_degenerate(std::vector<McpTestProblem>& all);  // singular, non-isolated, badly scaled small problems

[[nodiscard]] inline Eigen::VectorXd point(std::initializer_list<double> values) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (const double value : values) v[i++] = value;
  return v;
}

[[nodiscard]] inline McpTestProblem named(const char* name, McpProblem problem, std::vector<Eigen::VectorXd> starts,
                                          std::vector<Eigen::VectorXd> solutions = {}, const char* note = "") {
  return {name, std::move(problem), std::move(starts), std::move(solutions), note};
}

}  // namespace stickslip::complementarity::classics
