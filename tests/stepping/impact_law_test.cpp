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

// A rod (mass 1, inertia 1/12, length 1) meets a floor with its end at (x, y) from the centre; the end slides towards
// the centre, and the normal impulse turns that round. Along the normal impulse p the velocities are straight lines
// with one kink where slip stops, so all three laws have closed forms (Routh; Wang and Mason 1992).
TEST(ImpactLaw, RodWhoseSlipReversesFollowsTheClosedForms) {
  const double x = 0.5 * std::sin(0.7), y = -0.5 * std::cos(0.7), mu = 0.3, e = 0.6, un = -1.98, ut = -1;
  const double nn = 1 + 12 * x * x, tt = 1 + 12 * y * y, nt = -12 * x * y;
  const double stop = -ut / (nt + mu * tt), at_stop = un + (nn + mu * nt) * stop;
  ASSERT_LT(at_stop, 0);
  ASSERT_GT(nt, mu * tt);  // friction cannot hold it: slip reverses
  const double slope = nn - mu * nt, compression = stop - at_stop / slope;
  const double work = 0.5 * (un + at_stop) * stop - 0.5 * at_stop * at_stop / slope;
  const double after[] = {-e * un, slope * e * compression, std::sqrt(-2 * e * e * work * slope)};

  Eigen::SparseMatrix<double> W(2, 2);
  W.insert(0, 0) = nn, W.insert(0, 1) = nt, W.insert(1, 0) = nt, W.insert(1, 1) = tt;
  for (const auto law : {model::ImpactLaw::Newton, model::ImpactLaw::Poisson, model::ImpactLaw::Stronge}) {
    contact::Island island;
    island.problem.W = complementarity::make_block_matrix(W, 2);
    island.problem.q = {un, ut};
    island.problem.mu = {mu};
    island.r = {0, 0};
    island.contacts = {0};
    ImpactSolver solver;
    const ImpactSolver::Law laws[] = {{e, law, mu}};
    ASSERT_TRUE(solver.resolve(Method{}, laws, island));
    EXPECT_NEAR(un + nn * island.r[0] + nt * island.r[1], after[static_cast<int>(law)], 1e-9) << static_cast<int>(law);
  }
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
