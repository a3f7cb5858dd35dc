// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/block_lu.h"

#include "stickslip/complementarity/cone/newton_system.h"
#include "stickslip/complementarity/dense_lu.h"
#include "tests/problems/contact_generators.h"
#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <set>

namespace stickslip::complementarity {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(DenseLu, ReproducesTheMatrixAndLeavesTheSchurComplement) {
  PortableRandom random(3);
  for (const auto& [m, p] :
       std::vector<std::pair<int, int>>{{1, 1}, {5, 5}, {9, 3}, {33, 33}, {40, 17}, {70, 48}, {131, 90}}) {
    RowMajor A(m, m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) A(i, j) = random.normal();
    RowMajor F = A;
    std::vector<int> exchange(p);
    EXPECT_EQ(partial_lu(F.data(), m, p, m, 1e-15, exchange.data()), 0);
    for (int k = 0; k < p; ++k) A.row(k).swap(A.row(exchange[k]));
    RowMajor L = RowMajor::Identity(m, m), U = RowMajor::Zero(m, m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) {
        if (j < std::min(i, p))
          L(i, j) = F(i, j);
        else
          U(i, j) = F(i, j);
      }
    EXPECT_LE((L * U - A).norm(), 1e-12 * A.norm()) << m << " x " << m << ", " << p << " eliminated";
  }
}

// Blocking and the width of the registers leave every entry its terms in their order: the bits are those of the loops
// that a textbook has.
TEST(DenseLu, HasTheBitsOfTheTextbooksLoops) {
  PortableRandom random(4);
  for (const auto& [m, p] :
       std::vector<std::pair<int, int>>{{7, 7}, {12, 6}, {31, 20}, {36, 36}, {75, 41}, {150, 150}}) {
    RowMajor A(m, m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) A(i, j) = random.normal();
    RowMajor F = A;
    std::vector<int> exchange(p);
    EXPECT_EQ(partial_lu(F.data(), m, p, m, 1e-15, exchange.data()), 0);
    for (int k = 0; k < p; ++k) {
      A.row(k).swap(A.row(exchange[k]));
      const double inverse = 1 / A(k, k);
      for (int i = k + 1; i < m; ++i) {
        A(i, k) *= inverse;
        for (int j = k + 1; j < m; ++j) A(i, j) -= A(i, k) * A(k, j);
      }
    }
    EXPECT_TRUE(A == F) << m << " x " << m << ", " << p << " eliminated";
  }
}

TEST(DenseLu, ReplacesVanishingPivots) {
  RowMajor A = RowMajor::Ones(4, 4);
  std::vector<int> exchange(4);
  EXPECT_EQ(partial_lu(A.data(), 4, 4, 4, 1e-15, exchange.data()), 3) << "the matrix of ones has rank 1";
  EXPECT_TRUE(A.allFinite());
}

// A random symmetric graph with its diagonal, in compressed rows.
void random_graph(PortableRandom& random, int nodes, int edges, std::vector<int>& row_start, std::vector<int>& column) {
  std::vector<std::set<int>> rows(nodes);
  for (int i = 0; i < nodes; ++i) rows[i].insert(i);
  for (int e = 0; e < edges; ++e) {
    const int a = random.index(nodes), b = random.index(nodes);
    rows[a].insert(b), rows[b].insert(a);
  }
  row_start.assign(1, 0), column.clear();
  for (const auto& row : rows) {
    column.insert(column.end(), row.begin(), row.end());
    row_start.push_back(static_cast<int>(column.size()));
  }
}

TEST(EliminationPlan, EliminatesEveryNodeOnceAndKnowsItsFill) {
  PortableRandom random(11);
  EliminationPlan plan;
  for (int trial = 0; trial < 200; ++trial) {
    const int nodes = 1 + random.index(80);
    std::vector<int> row_start, column;
    random_graph(random, nodes, random.index(4 * nodes), row_start, column);
    plan.analyse(row_start, column, std::vector<int>{3});

    std::vector<int> eliminated_in(nodes, -1);
    for (int f = 0; f < plan.fronts(); ++f) {
      EXPECT_TRUE(plan.parent(f) == -1 || plan.parent(f) > f) << "children stand before their parent";
      for (int node : plan.pivots(f)) {
        EXPECT_EQ(eliminated_in[node], -1) << "node " << node << " is eliminated twice";
        eliminated_in[node] = f;
      }
    }
    EXPECT_EQ(std::count(eliminated_in.begin(), eliminated_in.end(), -1), 0);

    // What a front leaves behind must stand in its parent; every neighbour stands in the front or was eliminated
    // before.
    for (int f = 0; f < plan.fronts(); ++f) {
      std::set<int> own(plan.pivots(f).begin(), plan.pivots(f).end());
      own.insert(plan.later(f).begin(), plan.later(f).end());
      for (int node : plan.pivots(f))
        for (int p = row_start[node]; p < row_start[node + 1]; ++p)
          EXPECT_TRUE(own.count(column[p]) || eliminated_in[column[p]] < f) << "entry without a place";
      if (plan.parent(f) < 0) {
        EXPECT_TRUE(plan.later(f).empty());
        continue;
      }
      const int parent = plan.parent(f);
      std::set<int> above(plan.pivots(parent).begin(), plan.pivots(parent).end());
      above.insert(plan.later(parent).begin(), plan.later(parent).end());
      for (int node : plan.later(f)) EXPECT_TRUE(above.count(node)) << "fill that the parent does not expect";
    }
  }
}

// Newton's matrix of an island as a dense matrix; alpha: the contacts' weights.
template <int D>
Eigen::MatrixXd dense_newton(const ScaledIsland<D>& island, const std::vector<double>& J, double rho,
                             const std::vector<double>& alpha) {
  const int n = island.unknowns();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(n, n), P = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd weight(n);
  for (int k = 0; k < n; ++k) weight[k] = alpha[k / D];
  for (int i = 0; i < island.contacts; ++i) {
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p)
      for (int k = 0; k < D * D; ++k) W(i * D + k / D, island.column[p] * D + k % D) = island.block(p)[k];
    for (int k = 0; k < D * D; ++k) P(i * D + k / D, i * D + k % D) = J[i * D * D + k];
  }
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  W.diagonal() += weight;
  return rho * P * W + I - P;
}

// Random modes, `open` of them separate, and derivatives J of the contact law.
template <int D>
void choose_modes(const ScaledIsland<D>& island, PortableRandom& random, double open, std::vector<ContactMode>& mode,
                  std::vector<double>& J) {
  J.assign(island.unknowns() * D, 0.0);
  mode.resize(island.contacts);
  for (int i = 0; i < island.contacts; ++i) {
    mode[i] = random.uniform(0, 1) < open ? ContactMode::Separate
              : random.index(2) == 0      ? ContactMode::Stick
                                          : ContactMode::Slip;
    double* J_i = J.data() + i * D * D;
    if (mode[i] == ContactMode::Separate) continue;
    const double shrink = mode[i] == ContactMode::Stick ? 1.0 : random.uniform(0.1, 0.9);
    for (int k = 0; k < D; ++k) J_i[k * D + k] = k == 0 ? 1.0 : shrink;
    if (mode[i] == ContactMode::Slip) J_i[D] = island.mu[i];
  }
}

// The step against a dense solve; with one weight for all, or one for each contact.
template <int D>
void expect_newton_step(std::uint64_t seed, bool own_weights, double tolerance) {
  const ContactProblem problem = random_contact_problem(seed).problem;
  if (problem.dimension() != D) return;
  IslandSplitter<D> splitter;
  ScaledIsland<D> island;
  EliminationPlan plan;
  NewtonSystem<D> system;
  PortableRandom random(seed);
  for (int index = 0, count = splitter.split(problem); index < count; ++index) {
    splitter.extract(problem, index, island);
    const int n = island.unknowns();
    std::vector<double> J, b(n), dr(n), alpha(island.contacts, 1e-3);
    std::vector<ContactMode> mode;
    choose_modes(island, random, 1.0 / 3, mode, J);
    if (own_weights)
      for (double& x : alpha) x = std::pow(10.0, random.uniform(-3, 1));
    for (double& x : b) x = random.normal();
    system.begin(island, plan);
    const double rho = 0.7;
    const ProximalWeight weight = own_weights ? ProximalWeight(alpha.data()) : ProximalWeight(1e-3);
    EXPECT_EQ(system.factor(J.data(), mode.data(), rho, weight), 0);
    system.solve(b.data(), dr.data(), 2);
    const Eigen::MatrixXd A = dense_newton(island, J, rho, alpha);
    const Eigen::Map<const Eigen::VectorXd> x(dr.data(), n), rhs(b.data(), n);
    EXPECT_LE((A * x - rhs).norm(), tolerance * (A.norm() * x.norm() + rhs.norm())) << "seed " << seed;
  }
}

// Backward errors: rounding, amplified by the growth inside fronts whose rows are exchanged only among themselves and
// by the 1/alpha of the wrench space; two refinement steps bring it back.
TEST(NewtonSystem, PlanarStepSolvesTheDenseSystem) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) expect_newton_step<2>(seed, false, 1e-12);
}
TEST(NewtonSystem, SpatialStepSolvesTheDenseSystem) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) expect_newton_step<3>(seed, false, 1e-12);
}

TEST(NewtonSystem, WeightsOfTheContactsOwn) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    expect_newton_step<2>(seed, true, 1e-12);
    expect_newton_step<3>(seed, true, 1e-12);
  }
}

// b - [rho J (W + alpha I) + I - J] x, without a dense matrix.
template <int D>
double newton_defect(const ScaledIsland<D>& island, const std::vector<double>& J, double rho, double alpha,
                     const std::vector<double>& x, const std::vector<double>& b) {
  double sum = 0;
  for (int i = 0; i < island.contacts; ++i) {
    double u[D];
    for (int k = 0; k < D; ++k) u[k] = (rho * alpha - 1) * x[i * D + k];
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p)
      for (int k = 0; k < D * D; ++k) u[k / D] += rho * island.block(p)[k] * x[island.column[p] * D + k % D];
    for (int k = 0; k < D; ++k) {
      double defect = b[i * D + k] - x[i * D + k];
      for (int l = 0; l < D; ++l) defect -= J[(i * D + k) * D + l] * u[l];
      sum += defect * defect;
    }
  }
  return std::sqrt(sum);
}

// Contacts close and open between the steps: whatever order they are eliminated in, the step is the same equation's,
// and it costs little while few are closed.
TEST(NewtonSystem, LargeIslandsAreOrderedByTheirClosedContacts) {
  const ContactProblem problem = sphere_pile(3, 7, 0.4);
  IslandSplitter<3> splitter;
  ScaledIsland<3> island;
  ASSERT_EQ(splitter.split(problem), 1);
  splitter.extract(problem, 0, island);
  ASSERT_GT(island.contacts, 400);
  EliminationPlan plan;
  NewtonSystem<3> system;
  system.begin(island, plan);
  PortableRandom random(5);
  std::vector<double> J, b(island.unknowns()), dr(island.unknowns());
  std::vector<ContactMode> mode;
  double few = 0, many = 0;
  for (const double open : {0.6, 0.55, 0.0, 0.7}) {
    choose_modes(island, random, open, mode, J);
    for (double& x : b) x = random.normal();
    EXPECT_EQ(system.factor(J.data(), mode.data(), 1.0, 1e-3), 0);
    system.solve(b.data(), dr.data(), 2);
    double norm = 0;
    for (double x : dr) norm += x * x;
    EXPECT_LE(newton_defect(island, J, 1.0, 1e-3, dr, b), 1e-10 * std::sqrt(norm)) << open;
    (open == 0 ? many : few) = system.work();
  }
  EXPECT_LT(few, 0.05 * many);
}

}  // namespace
}  // namespace stickslip::complementarity
