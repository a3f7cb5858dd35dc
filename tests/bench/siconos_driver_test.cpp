// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Do we hand our problems over correctly? Small problems with answers known by hand; a wrong order of rows and columns,
// of blocks, or of signs would show.
#ifdef STICKSLIP_HAVE_SICONOS

#include "bench/siconos_driver.h"

#include "bench/common/our_solver.h"
#include "bench/siconos_peers.h"

#include <gtest/gtest.h>

#include <string>

namespace stickslip::bench {
namespace {

using namespace complementarity;

constexpr double kSiconosTolerance = 1e-7;  // it stops at 1e-8 in its own scaling; the numbers here are of order one

const SiconosSolver& solver_named(SiconosForm form, const std::string& name,
                                  SiconosStorage storage = SiconosStorage::Dense) {
  for (const SiconosSolver& solver : siconos_solvers(form))
    if (solver.name == name && solver.storage == storage) return solver;
  ADD_FAILURE() << name << " is not in the catalogue";
  return siconos_solvers(form).front();
}

// Not symmetric: a transposed matrix would give another answer. z = (3/5, 1/5), both w zero.
AffineProblem small_lcp() {
  Eigen::MatrixXd M(2, 2);
  M << 2, -1, 1, 2;
  return make_lcp(M, Eigen::Vector2d(-1, -1));
}

TEST(SiconosDriver, LcpArrivesUntransposed) {
  for (const SiconosStorage storage : {SiconosStorage::Dense, SiconosStorage::Sparse}) {
    const SiconosRun run = run_siconos(solver_named(SiconosForm::Lcp, "PGS", storage), small_lcp());
    ASSERT_TRUE(run.answered);
    EXPECT_NEAR(run.answer[0], 0.6, kSiconosTolerance);
    EXPECT_NEAR(run.answer[1], 0.2, kSiconosTolerance);
    EXPECT_GT(run.seconds, 0);
  }
}

TEST(SiconosDriver, MixedLcpKeepsItsFourBlocksApart) {
  // 0 = 2u - v + 1,  0 <= v _|_ u + 3v - 4 >= 0:  u = 1/7, v = 9/7.
  const auto scalar = [](double value) {
    Eigen::SparseMatrix<double> matrix(1, 1);
    matrix.insert(0, 0) = value;
    return matrix;
  };
  const MixedLcp problem{.A = scalar(2),
                         .B = scalar(3),
                         .C = scalar(-1),
                         .D = scalar(1),
                         .a = Eigen::VectorXd::Constant(1, 1),
                         .b = Eigen::VectorXd::Constant(1, -4)};
  for (const char* name : {"M_LCP_LEMKE", "M_FB", "M_ENUM", "M_PGS"}) {
    const SiconosRun run = run_siconos(solver_named(SiconosForm::Mlcp, name), problem);
    ASSERT_TRUE(run.answered) << name;
    EXPECT_NEAR(run.answer[0], 1.0 / 7, kSiconosTolerance) << name;
    EXPECT_NEAR(run.answer[1], 9.0 / 7, kSiconosTolerance) << name;
  }
}

TEST(SiconosDriver, BoxLcpKnowsBothBounds) {
  // w = z + q with |z| <= 1: saturates at either end.
  const Eigen::VectorXd one = Eigen::Vector2d::Ones();
  Eigen::SparseMatrix<double> M(2, 2);
  M.setIdentity();
  const AffineProblem problem = make_box_lcp(M, Eigen::Vector2d(-3, 0.5), -one, one);
  const SiconosRun run = run_siconos(solver_named(SiconosForm::Relay, "R_LEMKE"), problem);
  ASSERT_TRUE(run.answered);
  EXPECT_NEAR(run.answer[0], 1, kSiconosTolerance);
  EXPECT_NEAR(run.answer[1], -0.5, kSiconosTolerance);
}

// A point mass that slides along the first tangent: r = (1, -mu, 0) for W = I, q = (-1, 1, 0).
ContactProblem sliding_mass() {
  ContactProblem problem;
  Eigen::SparseMatrix<double> W(3, 3);
  W.setIdentity();
  problem.W = make_block_matrix(W, 3);
  problem.q = {-1, 1, 0};
  problem.mu = {0.25};
  return problem;
}

TEST(SiconosDriver, FrictionOpposesSlidingInEveryStorage) {
  for (const SiconosStorage storage : {SiconosStorage::Dense, SiconosStorage::Block}) {
    const SiconosRun run = run_siconos(solver_named(SiconosForm::Friction3d, "NSGS", storage), sliding_mass());
    ASSERT_TRUE(run.answered);
    EXPECT_NEAR(run.answer[0], 1, kSiconosTolerance);
    EXPECT_NEAR(run.answer[1], -0.25, kSiconosTolerance);
    EXPECT_NEAR(run.answer[2], 0, kSiconosTolerance);
  }
}

TEST(SiconosDriver, GlobalFormReturnsImpulsesThenVelocities) {
  GlobalContactProblem problem;
  problem.M.resize(3, 3);
  problem.M.setIdentity();
  problem.M *= 2;
  problem.H.resize(3, 3);
  problem.H.setIdentity();
  problem.f = Eigen::Vector3d(-2, 2, 0);
  problem.w = Eigen::Vector3d::Zero();
  problem.mu = {0.25};
  const SiconosRun run =
      run_siconos(solver_named(SiconosForm::GlobalFriction3d, "G_NSGS_WR", SiconosStorage::Sparse), problem);
  ASSERT_TRUE(run.answered);
  ASSERT_EQ(run.answer.size(), 6u);
  EXPECT_NEAR(run.answer[0], 2, kSiconosTolerance);
  EXPECT_NEAR(run.answer[1], -0.5, kSiconosTolerance);
  EXPECT_NEAR(run.answer[3], 0, kSiconosTolerance);
  EXPECT_NEAR(run.answer[4], 0.75, kSiconosTolerance);
}

TEST(SiconosPeers, AnswersAreJudgedByOurResidual) {
  CorpusProblem problem;
  problem.kind = CorpusKind::Lcp;
  problem.data = small_lcp();
  const auto runs = run_siconos_peers(problem, 1e-6, {});
  int solved = 0;
  for (const auto& run : runs) {
    solved += run.solved;
    EXPECT_EQ(run.solved, run.error <= kPeerTolerance) << run.solver;
  }
  EXPECT_GT(solved, 5);
  EXPECT_LE(corpus_error(problem, {0.6, 0.2}), 1e-15);
  EXPECT_GT(corpus_error(problem, {0.6, 0.3}), 1e-3);
  EXPECT_TRUE(std::isinf(corpus_error(problem, {0.6})));
}

}  // namespace
}  // namespace stickslip::bench

#endif
