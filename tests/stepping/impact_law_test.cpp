// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/impact_law.h"

#include "stickslip/complementarity/cone/contact_problem.h"

#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <random>

namespace stickslip::stepping {
namespace {

// Random contacts of one or two bodies: W = J M^-1 J' with J of full rank or not.
contact::Island random_island(std::mt19937& random, int contacts, int dimension) {
  std::normal_distribution<double> normal;
  const int n = contacts * dimension;
  Eigen::MatrixXd J(n, dimension == 2 ? 3 : 6);
  for (int i = 0; i < J.rows(); ++i)
    for (int k = 0; k < J.cols(); ++k) J(i, k) = normal(random);
  const Eigen::MatrixXd W = J * J.transpose();
  contact::Island island;
  island.problem.W = complementarity::make_block_matrix(W.sparseView(), dimension);
  const Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(J.cols(), [&] { return normal(random); });
  const Eigen::VectorXd u = J * v;
  island.problem.q.assign(u.data(), u.data() + n);
  island.problem.mu.assign(static_cast<std::size_t>(contacts), 0.0);
  island.r.assign(static_cast<std::size_t>(n), 0.0);
  for (int c = 0; c < contacts; ++c) island.contacts.push_back(c);
  return island;
}

TEST(ImpactLaw, KineticEnergyNeverGrowsInTenThousandRandomImpacts) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  Method method;
  ImpactSolver solver;
  int resolved = 0;
  for (int k = 0; k < 10000; ++k) {
    const int contacts = k % 10 == 0 ? 1 + k / 10 % 3 : 1, dimension = 2 + k % 2;
    contact::Island island = random_island(random, contacts, dimension);
    std::vector<ImpactSolver::Law> laws;
    for (int c = 0; c < contacts; ++c)
      laws.push_back({share(random), static_cast<model::ImpactLaw>(k % 3), 1.5 * share(random)});
    const std::vector<double> before = island.problem.q;
    if (!solver.resolve(method, laws, island)) continue;  // friction that jams: refused, not answered wrongly
    ++resolved;
    std::vector<double> after = before;
    double gained = 0, scale = 0;
    const complementarity::BlockMatrix& W = island.problem.W;
    const int D = dimension;
    for (int c = 0; c < W.rows(); ++c)
      for (int p = W.row_start[static_cast<std::size_t>(c)]; p < W.row_start[static_cast<std::size_t>(c) + 1]; ++p)
        for (int i = 0; i < D; ++i)
          for (int j = 0; j < D; ++j)
            after[static_cast<std::size_t>(c * D + i)] +=
                W.value[static_cast<std::size_t>((p * D + i) * D + j)] *
                island.r[static_cast<std::size_t>(W.column[static_cast<std::size_t>(p)] * D + j)];
    for (std::size_t i = 0; i < after.size(); ++i) {
      gained += 0.5 * island.r[i] * (before[i] + after[i]);
      scale += std::fabs(island.r[i] * before[i]);
    }
    EXPECT_LE(gained, 1e-9 * scale) << "impact " << k;
    for (int c = 0; c < contacts; ++c) EXPECT_GE(after[static_cast<std::size_t>(c * D)], -1e-6) << "impact " << k;
  }
  EXPECT_GT(resolved, 9900);
}

}  // namespace
}  // namespace stickslip::stepping
