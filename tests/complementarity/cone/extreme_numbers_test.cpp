// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contact problems with one number near an end of double: every solver ends, and what it calls solved is. One body of
// three degrees of freedom on one contact, in the global form (masses of 1e-308: W overflows) and in the local one.
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::complementarity {
namespace {

constexpr double kExtremes[] = {5e-324, 1e-308, 1e-200, 1e-160, 1e160, 1e200, 1e308, -1e308};
constexpr int kIterations = 300;  // a problem of one contact needs a few

GlobalContactProblem body_on_floor() {
  GlobalContactProblem problem;
  problem.M = (2 * Eigen::MatrixXd::Identity(3, 3)).sparseView();
  problem.H = Eigen::MatrixXd::Identity(3, 3).sparseView();
  problem.f = Eigen::Vector3d(-2, 4, 0);
  problem.w = Eigen::Vector3d::Zero();
  problem.mu = {0.5};
  return problem;
}

TEST(ExtremeNumbers, GlobalContactProblemsEndWell) {
  for (const AlgorithmInfo& info : ContactSolver::algorithms())
    for (const double extreme : kExtremes)
      for (int where = 0; where < 13; ++where) {
        GlobalContactProblem problem = body_on_floor();
        if (where < 3) problem.M.valuePtr()[where] = extreme;
        if (where >= 3 && where < 6) problem.H.valuePtr()[where - 3] = extreme;
        if (where >= 6 && where < 9) problem.f[where - 6] = extreme;
        if (where >= 9 && where < 12) problem.w[where - 9] = extreme;
        if (where == 12) problem.mu[0] = extreme;
        ContactSolver solver;
        std::vector<double> r;
        Eigen::VectorXd v;
        SolverOptions options;
        options.max_iterations = kIterations;
        if (!solver.solve(problem, r, v, options, info.name).solved()) continue;
        // As said: solved to the tolerance, with nothing that is not finite.
        ASSERT_EQ(r.size(), 3U);
        for (const double x : r) EXPECT_TRUE(std::isfinite(x)) << info.name << " " << extreme << " at " << where;
        EXPECT_TRUE(v.allFinite()) << info.name << " " << extreme << " at " << where;
        // The certificate is relative to all velocities that meet in the contact.
        const double u = problem.H.valuePtr()[0] * v[0] + problem.w[0];
        double size = 0;
        for (int k = 0; k < 3; ++k)
          size += std::fabs(problem.w[k]) + std::fabs(problem.H.valuePtr()[k]) *
                                                (std::fabs(v[k]) + std::fabs(problem.f[k] / problem.M.valuePtr()[k]));
        EXPECT_GE(u, -1e-4 * size) << info.name << " " << extreme << " at " << where;
        EXPECT_GE(r[0], -1e-4 * (std::fabs(r[0]) + std::fabs(r[1]) + std::fabs(r[2])))
            << info.name << " " << extreme << " at " << where;
      }
}

TEST(ExtremeNumbers, LocalContactProblemsEndWell) {
  for (const AlgorithmInfo& info : ContactSolver::algorithms())
    for (const double extreme : kExtremes)
      for (int where = 0; where < 13; ++where) {
        ContactProblem problem;
        problem.W = make_block_matrix(Eigen::MatrixXd::Identity(3, 3).sparseView(), 3);
        problem.q = {-1, 2, 0.5};
        problem.mu = {0.5};
        if (where < 9) problem.W.value[where] = extreme;
        if (where >= 9 && where < 12) problem.q[where - 9] = extreme;
        if (where == 12) problem.mu[0] = extreme;
        ContactSolver solver;
        std::vector<double> r;
        SolverOptions options;
        options.max_iterations = kIterations;
        if (!solver.solve(problem, r, options, info.name).solved()) continue;
        ASSERT_EQ(r.size(), 3U);
        // Usual impulses are q / W = 2, and solved to 1e-8.
        double u = problem.q[0], size = 0, impulses = 0;
        for (int k = 0; k < 3; ++k) {
          u += problem.W.value[k] * r[k], impulses += std::fabs(r[k]), size += std::fabs(problem.q[k]);
          for (int l = 0; l < 3; ++l) size += std::fabs(problem.W.value[k * 3 + l] * r[l]);
        }
        for (const double x : r) EXPECT_TRUE(std::isfinite(x)) << info.name << " " << extreme << " at " << where;
        EXPECT_GE(u, -1e-4 * size) << info.name << " " << extreme << " at " << where;
        EXPECT_GE(r[0], -1e-4 * impulses - 1e-7) << info.name << " " << extreme << " at " << where;
      }
}

}  // namespace
}  // namespace stickslip::complementarity
