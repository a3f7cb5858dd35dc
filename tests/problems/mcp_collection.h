// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Nonlinear mixed complementarity problems from the literature, with exact Jacobians, start points and known solutions.
//
//     mcp_collection()   29 problems, 49 starts: economic equilibria, obstacle and lubrication problems, first-order
//                        conditions, and small problems with singular or non-isolated solutions
//     mcp_classics()     further classical problems that the solver was not developed on (the held-out set)
//
// The mathematics is due to: Kojima, Shindo 1986; Josephy 1979; Billups 1995; Harker 1988; Murphy, Sherali, Soyster
// 1982; Mathiesen 1987; Colville 1968; Ciarlet 1978; Kostreva 1984; Dirkse, Ferris 1995; Oberlin, Wright 2009; Daryina,
// Izmailov, Solodov 2004; Arutyunov, Izmailov 2018; Fischer, Izmailov, Jelitte 2019; Izmailov, Kurennoy 2014; De Luca,
// Facchinei, Kanzow 2000; Hock, Schittkowski 1981; More, Garbow, Hillstrom 1981; Watson 1979.
#pragma once

#include "stickslip/complementarity/mcp/mcp_problem.h"

#include <string>
#include <vector>

namespace stickslip::complementarity {

struct McpTestProblem {
  std::string name;
  McpProblem problem;
  std::vector<Eigen::VectorXd> starts;
  std::vector<Eigen::VectorXd> solutions;  // known ones, to the digits published; may be a part of all
  std::string note;
};

[[nodiscard]] std::vector<McpTestProblem> mcp_collection();
[[nodiscard]] std::vector<McpTestProblem> mcp_classics();

// Parametric problems of the collection, for other sizes.
[[nodiscard]] McpTestProblem obstacle_between_membranes(int k);  // k x k grid, two-sided bounds, affine
[[nodiscard]] McpTestProblem lubrication_line_contact(int N);    // N + 1 unknowns, dense Jacobian

// Five-point differences on a k x k grid with zero around it, times -h^2.
[[nodiscard]] Eigen::SparseMatrix<double> five_point_laplacian(int k);

}  // namespace stickslip::complementarity
