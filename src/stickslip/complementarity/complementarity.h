// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip's complementarity library, whole: one include for its users.
//
//     #include "stickslip/complementarity/complementarity.h"
//     namespace sc = stickslip::complementarity;
//
// Three families of problems, each with its problem type, its certificate and its solver:
//
//     family                 problem                                   certificate        solver
//     affine: LCP, mixed     AffineProblem  (make_lcp, make_box_lcp,   affine_residual    AffineSolver
//       LCP, box, relay        make_mixed_lcp)
//     nonlinear: MCP         McpProblem     (callbacks)                mcp_residual       McpSolver
//     frictional contact     ContactProblem (W, q, mu)                 contact_residual   ContactSolver
//                            GlobalContactProblem (M, H, f, w, mu)
//
// make_pyramid turns a contact problem into an affine one with d friction directions, to_mcp an affine problem into an
// MCP; both map the solution back.
//
// All solvers are used alike:
//
//     sc::AffineSolver solver;                                  // keep it: it keeps its workspaces
//     Eigen::VectorXd z;
//     sc::SolverOptions options;                                // tolerance 1e-8, no limits
//     const sc::SolverSummary summary = solver.solve(problem, z, options);           // or (..., options, "lemke")
//     if (!summary.solved()) report(summary.full_report());
//
// What always holds:
//  - Status::Solved is said only when the certificate, which knows nothing of the solver, is within the tolerance on
//  the
//    problem as it was posed. Every other status leaves the best point found in the answer, and says why it ended.
//  - Numerics never throw. A malformed problem gives Status::BadInput; validate(problem) says in one line what is
//  wrong.
//  - A solver object is for one thread; different objects share nothing. Same input, same bits.
//  - Repeated solves of one size allocate nothing (exceptions are named in the solvers' headers).
//  - The library never prints. It needs Eigen; fmt is needed to link.
//
// Names of algorithms: `Solver::algorithms()` lists them with one line each; "auto" chooses.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/algorithm_info.h"
#include "stickslip/complementarity/cone/contact_problem.h"
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/complementarity/cone/pyramid.h"
#include "stickslip/complementarity/mcp/mcp_problem.h"
#include "stickslip/complementarity/mcp/mcp_residual.h"
#include "stickslip/complementarity/mcp/mcp_solver.h"
#include "stickslip/complementarity/options.h"
#include "stickslip/complementarity/status.h"
#include "stickslip/complementarity/summary.h"
