// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Frictional contact with the exact cone (cone/contact_problem.h) as an MCP, u = W r + q:
//
//     frictional    r_n >= 0       _|_  u_n >= 0
//                   r_t free            mu r_n u_t + lambda r_t = 0
//                   lambda >= 0    _|_  mu^2 r_n^2 - |r_t|^2 >= 0
//     support       the same without the first line, r_n given
//     bilateral     r free              u = 0
//
// lambda = |u_t| where the contact slides; D + 1 unknowns per frictional contact (4 in space, 3 in the plane), D per
// support, D per joint, in the order of the contacts: normal, tangents, lambda.
//
// Assumes nothing of W. The form is exact but not regular: with r_n = 0 or mu = 0, lambda is arbitrary and r_t = 0 is a
// double root, so that a residual of 1e-8 here can mean |r_t| = 1e-4. impulses() therefore puts r on its cone, and
// the certificate for contact remains that of cone/contact_residual.h. Meant as a reference and for models that are
// MCPs anyway; the solvers in cone/ are faster and more robust.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"
#include "stickslip/complementarity/mcp/mcp_problem.h"

#include <vector>

namespace stickslip::complementarity {

struct ContactMcp {
  McpProblem problem;
  std::vector<int> offset;  // first unknown of each contact, and the total at the end

  // x for given impulses r (D per contact), lambda from u; a start for the solver.
  [[nodiscard]] Eigen::VectorXd unknowns(const ContactProblem& contact, const std::vector<double>& r) const;
  // The impulses of x, D per contact, tangential parts put on the disc of radius mu r_n.
  [[nodiscard]] std::vector<double> impulses(const ContactProblem& contact, const Eigen::VectorXd& x) const;
};

// The callbacks own a copy of the contact problem, which must be valid.
[[nodiscard]] ContactMcp to_mcp(const ContactProblem& contact);

}  // namespace stickslip::complementarity
