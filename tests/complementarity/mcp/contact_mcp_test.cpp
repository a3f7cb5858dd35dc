// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/contact_mcp.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/complementarity/mcp/mcp_solver.h"

#include <gtest/gtest.h>
#include <cmath>
#include <random>

namespace stickslip::complementarity {
namespace {

// Contacts of unit masses that do not touch each other: W = 1, u = r + q.
ContactProblem unit_masses(int dimension, std::vector<double> q, std::vector<double> mu) {
  ContactProblem problem;
  const auto n = static_cast<Eigen::Index>(q.size());
  Eigen::SparseMatrix<double> W(n, n);
  W.setIdentity();
  problem.W = make_block_matrix(W, dimension);
  problem.q = std::move(q);
  problem.mu = std::move(mu);
  return problem;
}

std::vector<double> solve(const ContactProblem& contact, Status expected = Status::Solved) {
  const ContactMcp mcp = to_mcp(contact);
  Eigen::VectorXd x = mcp.unknowns(contact, std::vector<double>(contact.q.size(), 0.0));
  McpSolver solver;
  const SolverSummary summary = solver.solve(mcp.problem, x);
  EXPECT_EQ(summary.status, expected) << summary.full_report();
  return mcp.impulses(contact, x);
}

// Falling at 1, sliding at v: sticks (r_t = -v) up to v = mu, then slides with r_t = -mu.
TEST(ContactMcp, PointMassOnTheFloorSticksOrSlides) {
  for (const double v : {0.0, 0.2, 0.49, 0.51, 3.0}) {
    const std::vector<double> planar = solve(unit_masses(2, {-1, v}, {0.5}));
    EXPECT_NEAR(planar[0], 1, 1e-7);
    EXPECT_NEAR(planar[1], -std::min(v, 0.5), 1e-7);
    const std::vector<double> spatial = solve(unit_masses(3, {-1, 0.6 * v, 0.8 * v}, {0.5}));
    EXPECT_NEAR(spatial[1], -0.6 * std::min(v, 0.5), 1e-7);
    EXPECT_NEAR(spatial[2], -0.8 * std::min(v, 0.5), 1e-7);
  }
}

TEST(ContactMcp, SeparatingContactHasNoImpulse) {
  const std::vector<double> r = solve(unit_masses(3, {1, 2, -1}, {0.5}));
  for (const double component : r) EXPECT_NEAR(component, 0, 1e-8);
}

TEST(ContactMcp, SupportAndJointFollowTheirOwnLaws) {
  ContactProblem problem = unit_masses(3, {9, 3, 4, -1, 2, 5}, {0.5, 0});
  problem.kind = {ContactKind::Support, ContactKind::Bilateral};
  problem.normal_impulse = {2, 0};
  const std::vector<double> r = solve(problem);
  EXPECT_EQ(r[0], 2) << "given";
  EXPECT_NEAR(r[1], -0.6, 1e-7) << "slides: mu r_n = 1 against (3,4)/5";
  EXPECT_NEAR(r[2], -0.8, 1e-7);
  EXPECT_NEAR(r[3], 1, 1e-8);
  EXPECT_NEAR(r[4], -2, 1e-8);
  EXPECT_NEAR(r[5], -5, 1e-8);
}

// A second, independent certificate: the cone's own residual of what the MCP found, and the contact solver's answer
// where W is positive definite and mu small, which makes the solution unique. The MCP form squares r_t at separated
// contacts (see contact_mcp.h), hence 1e-4 = sqrt(1e-8).
TEST(ContactMcp, AgreesWithTheContactSolver) {
  std::mt19937 engine(3);
  const auto uniform = [&engine] { return engine() / 2147483648.0 - 1; };
  for (int sample = 0; sample < 20; ++sample) {
    const int contacts = 1 + sample % 4, n = 3 * contacts;
    Eigen::MatrixXd H(n, n);
    for (double& h : H.reshaped()) h = uniform();
    const Eigen::MatrixXd W = H * H.transpose() / n + Eigen::MatrixXd::Identity(n, n);
    ContactProblem problem;
    problem.W = make_block_matrix(W.sparseView(), 3);
    for (int i = 0; i < n; ++i) problem.q.push_back(2 * uniform());
    problem.mu.assign(static_cast<std::size_t>(contacts), 0.3);
    const std::vector<double> r = solve(problem);
    EXPECT_LE(contact_residual(problem, r).error, 1e-4) << "sample " << sample;
    std::vector<double> expected;
    ContactSolver solver;
    ASSERT_TRUE(solver.solve(problem, expected).solved());
    for (std::size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], expected[i], 2e-4) << "sample " << sample;
  }
}

TEST(ContactMcp, JacobianIsTheDerivative) {
  ContactProblem problem = unit_masses(3, {-1, .3, .2, -.5, 1, 2, .1, .2, .3}, {0.4, 0.7, 0});
  problem.W.value[1] = 0.25;
  problem.W.value[5] = -0.5;
  problem.kind = {ContactKind::Frictional, ContactKind::Support, ContactKind::Bilateral};
  problem.normal_impulse = {0, 1.5, 0};
  const ContactMcp mcp = to_mcp(problem);
  const Eigen::Index n = mcp.problem.size();
  EXPECT_EQ(n, 4 + 3 + 3);
  EXPECT_EQ(mcp.offset, (std::vector<int>{0, 4, 7, 10}));
  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, 0.3, 1.7);
  Eigen::SparseMatrix<double> J(n, n);
  ASSERT_TRUE(mcp.problem.jacobian(x, J));
  const Eigen::MatrixXd dense = J;
  Eigen::VectorXd above(n), below(n), y = x;
  const double h = 1e-4;  // F is quadratic or cubic: truncation at most h^2, rounding 1e-12
  for (Eigen::Index j = 0; j < n; ++j) {
    y[j] = x[j] + h;
    ASSERT_TRUE(mcp.problem.function(y, above));
    y[j] = x[j] - h;
    ASSERT_TRUE(mcp.problem.function(y, below));
    y[j] = x[j];
    EXPECT_LE((dense.col(j) - (above - below) / (2 * h)).lpNorm<Eigen::Infinity>(), 1e-7) << "unknown " << j;
  }
}

}  // namespace
}  // namespace stickslip::complementarity
