// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#define STICKSLIP_COUNT_ALLOCATIONS
#include "tests/support/allocation_counter.h"

#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/corpus/reader.h"
#include "tests/complementarity/affine/affine_checks.h"
#include "tests/problem_files.h"
#include "tests/problems/affine_generators.h"
#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>
#include <string>
#include <variant>

namespace stickslip::complementarity {
namespace {

using tests::plain_residual;

// Pivoting ends at machine precision; 1e-10 leaves room for condition numbers of 1e5 and is far below the 1e-8
// promised.
constexpr double kTight = 1e-10;

void expect_solved(AffineSolver& solver, const AffineProblem& problem, const std::string& what) {
  Eigen::VectorXd z;
  const SolverSummary summary = solver.solve(problem, z);
  EXPECT_TRUE(summary.solved()) << what << ": " << to_string(summary.status) << " by " << summary.solver;
  EXPECT_LE(summary.residual.error, 1e-8) << what;
  EXPECT_LE(plain_residual(problem, z), kTight * (1 + problem.q.lpNorm<Eigen::Infinity>())) << what;
}

AffineProblem small_lcp(std::initializer_list<double> rows, std::initializer_list<double> q) {
  const auto n = static_cast<Eigen::Index>(q.size());
  Eigen::MatrixXd M(n, n);
  auto it = rows.begin();
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) M(i, j) = *it++;
  }
  Eigen::VectorXd b(n);
  std::copy(q.begin(), q.end(), b.data());
  return make_lcp(M, b);
}

TEST(AffineSolver, TwoByTwoWithKnownAnswer) {
  // 2 z1 + z2 - 5 = 0, z1 + 2 z2 - 6 = 0 at z = (4/3, 7/3).
  AffineSolver solver;
  Eigen::VectorXd z;
  ASSERT_TRUE(solver.solve(small_lcp({2, 1, 1, 2}, {-5, -6}), z).solved());
  EXPECT_NEAR(z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(z[1], 7.0 / 3, 1e-15);
}

TEST(AffineSolver, BlockOnPlaneCarriesItsWeightEvenly) {
  // At rest on four corners nothing moves, and the impulses add up to the weight times the step.
  SlideOptions at_rest{.contacts = 4, .directions = 8, .vx = 0, .vy = 0, .spin = 0};
  AffineSolver solver;
  Eigen::VectorXd z;
  ASSERT_TRUE(solver.solve(contact_lcp(slide(at_rest)), z).solved());
  EXPECT_NEAR(z.head(4).sum(), 9.81 * 0.01, 1e-14);
}

TEST(AffineSolver, SlidingBlockIsSlowedByFriction) {
  // Sliding along a pyramid edge without spin: friction is mu times weight, v+ = v - mu g h.
  const ContactStep step = slide({.contacts = 4, .directions = 8, .vx = 1, .vy = 0, .spin = 0});
  const MixedLcpForm form = make_mixed_lcp(contact_mixed_lcp(step));
  AffineSolver solver;
  Eigen::VectorXd z;
  ASSERT_TRUE(solver.solve(form.problem, z).solved());
  EXPECT_NEAR(form.u(z)[0], 1 - 0.5 * 9.81 * 0.01, 1e-12);
}

TEST(AffineSolver, EveryFamilyOfTheGenerators) {
  AffineSolver solver;
  for (const int n : {1, 2, 4, 8, 16, 24}) {
    const std::string at = " " + std::to_string(n);
    expect_solved(solver, murty(n), "murty" + at);
    expect_solved(solver, murty_upper(n), "murty_upper" + at);
    expect_solved(solver, murty_lemke(n), "murty_lemke" + at);
    expect_solved(solver, fathi(n), "fathi" + at);
  }
  for (const int n : {4, 8, 12, 16}) expect_solved(solver, fathi_lemke(n), "fathi_lemke");
  for (const int n : {5, 10, 40, 100}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const std::string at = " " + std::to_string(n) + " seed " + std::to_string(seed);
      expect_solved(solver, harker_pang(n, seed), "harker_pang" + at);
      expect_solved(solver, p_matrix(n, seed), "p_matrix" + at);
      expect_solved(solver, m_matrix(n, seed), "m_matrix" + at);
      expect_solved(solver, semidefinite(n, seed).problem, "semidefinite" + at);
      expect_solved(solver, monotone(n, seed).problem, "monotone" + at);
    }
  }
  for (const int k : {4, 8, 20}) expect_solved(solver, obstacle(k), "obstacle");
  for (const int boxes : {1, 2, 5, 10, 20, 30}) {
    for (const double mu : {0.0, 0.5, 2.0}) {
      for (const double push : {0.0, 0.3, 1.0}) {
        const ContactStep step = stack(boxes, mu, push);
        expect_solved(solver, contact_lcp(step), "stack of " + std::to_string(boxes));
        expect_solved(solver, make_mixed_lcp(contact_mixed_lcp(step)).problem,
                      "mixed stack of " + std::to_string(boxes));
      }
    }
  }
  for (const double mu : {0.5, 1.5, 2.0, 3.0, 5.0, 10.0}) {
    expect_solved(solver, contact_lcp(painleve(mu)), "painleve");
    expect_solved(solver, make_mixed_lcp(contact_mixed_lcp(painleve(mu))).problem, "mixed painleve");
  }
}

TEST(AffineSolver, KnownSolutionsHaveZeroResidual) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const KnownProblem& known : {semidefinite(30, seed), monotone(30, seed)}) {
      EXPECT_LE(affine_residual(known.problem, known.solution).error, 1e-14);
    }
  }
}

// Random contact steps of the kind that the published pivoting codes fail on.
int count_unsolved(int count, std::uint64_t seed) {
  PortableRandom random(seed);
  AffineSolver solver;
  Eigen::VectorXd z;
  int unsolved = 0;
  for (int k = 0; k < count; ++k) {
    SlideOptions options{.contacts = 1 + k % 12, .directions = 4 + 2 * (k % 9)};
    options.mu = std::pow(10.0, random.uniform(-1.5, 1.5));
    const bool rest = k % 11 == 0, aligned = k % 11 == 1;
    options.vx = rest ? 0 : random.uniform(-1, 1);
    options.vy = rest || aligned ? 0 : random.uniform(-1, 1);
    options.spin = rest || aligned ? 0 : random.uniform(-3, 3);
    options.vz = k % 5 == 0 ? random.uniform(-1, 0) : 0;
    options.reference_in_plane = k % 2 == 0;
    const ContactStep step = slide(options);
    for (const AffineProblem& problem : {contact_lcp(step), make_mixed_lcp(contact_mixed_lcp(step)).problem}) {
      const SolverSummary summary = solver.solve(problem, z);
      const double scale = 1 + problem.q.lpNorm<Eigen::Infinity>();
      if (!summary.solved() || plain_residual(problem, z) > kTight * scale) {
        ++unsolved;
        ADD_FAILURE() << options.contacts << " contacts, " << options.directions << " directions, mu " << options.mu
                      << ": " << to_string(summary.status) << ", residual " << summary.residual.error;
      }
    }
  }
  return unsolved;
}

TEST(AffineSolver, RandomContactStepsAreAllSolved) {
  EXPECT_EQ(count_unsolved(1000, 5), 0);
}
TEST(AffineSolverSlow, ThousandsOfRandomContactStepsAreAllSolved) {
  EXPECT_EQ(count_unsolved(10000, 17), 0);
}

TEST(AffineSolver, TallTopplingStacksNeedOneRun) {
  // The slip of each box is a fixed part of that of the box above: z0 falls geometrically, to below rounding. Pivoting
  // codes that wait for an exact zero end on a ray here.
  AffineSolver solver;
  Eigen::VectorXd z;
  for (const int boxes : {20, 30, 40}) {
    for (const double mu : {1.0, 2.0, 5.0}) {
      for (const double push : {1.0, 2.0}) {
        const SolverSummary summary = solver.solve(contact_lcp(stack(boxes, mu, push)), z);
        EXPECT_TRUE(summary.solved()) << boxes << " boxes, mu " << mu << ", push " << push;
        EXPECT_EQ(summary.attempts, 1) << boxes << " boxes, mu " << mu << ", push " << push;
      }
    }
  }
}

TEST(AffineSolver, LargeStackUsesTheSparseBasis) {
  AffineSolver solver;
  Eigen::VectorXd z;
  const ContactStep step = stack(150, 0.5, 0.3);
  const MixedLcpForm form = make_mixed_lcp(contact_mixed_lcp(step));
  ASSERT_TRUE(solver.solve(contact_lcp(step), z).solved());
  ASSERT_TRUE(solver.solve(form.problem, z).solved());
  // The lowest interface carries all boxes: impulse = 150 m g h.
  EXPECT_NEAR(form.v(z, form.problem.size() - form.unknowns_free).head(2).sum(), 150 * 9.81 * 0.01, 1e-8);
}

TEST(AffineSolver, UnitsDoNotMatter) {
  // The same sliding block in grams and millimetres, in tonnes and kilometres: the same number of pivots.
  for (const double impulse : {1e-9, 1e-3, 1.0, 1e3, 1e9}) {
    for (const double velocity : {1e-6, 1.0, 1e6}) {
      AffineProblem problem = contact_lcp(slide({.contacts = 4, .directions = 12}));
      const Eigen::Index forces = 4 * 13, n = problem.size();
      Eigen::VectorXd row = Eigen::VectorXd::Constant(n, velocity), column = Eigen::VectorXd::Constant(n, 1 / impulse);
      row.tail(n - forces).setConstant(impulse);
      column.tail(n - forces).setConstant(1 / velocity);
      const auto iterations = [](const AffineProblem& p) {
        AffineSolver solver;
        Eigen::VectorXd z;
        const SolverSummary summary = solver.solve(p, z);
        EXPECT_TRUE(summary.solved()) << to_string(summary.status) << " " << summary.residual.error;
        return summary.iterations;
      };
      const int reference = iterations(problem);
      problem.dense = (row.asDiagonal() * problem.dense * column.asDiagonal()).eval();
      problem.q = problem.q.cwiseProduct(row).eval();
      EXPECT_EQ(iterations(problem), reference) << "impulses x " << impulse << ", velocities x " << velocity;
    }
  }
}

TEST(AffineSolver, SingularFreeBlockInAnyUnits) {
  // Two free unknowns that only the bounded ones can make basic (their own block is zero), as in quasi-static steps.
  const Eigen::Matrix4d M{{0, 0, -1, 0.5}, {0, 0, 0, -2}, {1, 0, 0, 0}, {-0.5, 2, 0, 0}};
  const Eigen::Vector4d q(3, 4, -1, 0);  // answer: p = (4, 2), v = (1, 0.25)
  for (const double size : {1e-13, 1e-6, 1.0, 1e9}) {
    AffineProblem problem = make_lcp(size * M, size * q);
    problem.lower.head(2).setConstant(-kInfinity);
    AffineSolver solver;
    Eigen::VectorXd z;
    const SolverSummary summary = solver.solve(problem, z, {}, "lemke");
    EXPECT_TRUE(summary.solved()) << size << ": " << to_string(summary.status);
    EXPECT_LE((z - Eigen::Vector4d(1, 0.25, 4, 2)).norm(), 1e-12) << size;
  }
}

TEST(AffineSolver, AgreesWithEnumerationUpToSixUnknowns) {
  // For a P-matrix the solution is unique. For any other matrix: whenever enumeration finds a solution, so must the
  // solver.
  PortableRandom random(3);
  AffineSolver solver;
  Eigen::VectorXd z;
  int with_solution = 0;
  for (int k = 0; k < 2000; ++k) {
    const int n = 1 + k % 6;
    Eigen::MatrixXd M(n, n);
    Eigen::VectorXd q(n);
    for (int i = 0; i < n; ++i) {
      q[i] = random.normal();
      for (int j = 0; j < n; ++j) M(i, j) = k % 3 == 0 ? random.index(3) - 1 : random.normal();
    }
    if (k % 4 == 0) M = (M * M.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n)).eval();
    const auto solutions = tests::enumerate_lcp(M, q);
    const SolverSummary summary = solver.solve(make_lcp(M, q), z);
    if (solutions.empty()) {
      EXPECT_FALSE(summary.solved() && plain_residual(make_lcp(M, q), z) > 1e-8);
      continue;
    }
    ++with_solution;
    EXPECT_NE(summary.status, Status::Infeasible) << "a solution exists, case " << k;
    EXPECT_TRUE(summary.solved()) << "case " << k << ": " << to_string(summary.status);
    if (k % 4 == 0 && summary.solved()) {
      EXPECT_LE((z - solutions.front()).lpNorm<Eigen::Infinity>(), 1e-8 * (1 + z.lpNorm<Eigen::Infinity>()));
    }
  }
  EXPECT_GT(with_solution, 800);  // the test must have something to say
}

TEST(AffineSolver, DuplicatedRowsAndContacts) {
  // Every contact three times: the basis is singular in many ways, the motion is not affected.
  ContactStep step = slide({.contacts = 4, .directions = 8});
  Eigen::MatrixXd normal(6, 12), friction(6, 96);
  for (int copy = 0; copy < 3; ++copy) {
    normal.middleCols(4 * copy, 4) = step.normal;
    friction.middleCols(32 * copy, 32) = step.friction;
  }
  const MixedLcpForm once = make_mixed_lcp(contact_mixed_lcp(step));
  step.normal = normal;
  step.friction = friction;
  step.mu = Eigen::VectorXd::Constant(12, 0.5);
  step.gap = Eigen::VectorXd::Zero(12);
  const MixedLcpForm thrice = make_mixed_lcp(contact_mixed_lcp(step));
  AffineSolver solver;
  Eigen::VectorXd a, b, c;
  ASSERT_TRUE(solver.solve(once.problem, a).solved());
  ASSERT_TRUE(solver.solve(thrice.problem, b).solved());
  EXPECT_TRUE(solver.solve(contact_lcp(step), c).solved());
}

TEST(AffineSolver, WarmStartNeedsNoPivotWhenNothingChanged) {
  AffineSolver solver;
  Eigen::VectorXd z;
  for (const int directions : {4, 16, 64}) {
    SlideOptions options{.contacts = 3, .directions = directions};
    ASSERT_TRUE(solver.solve(contact_lcp(slide(options)), z).solved());
    const Basis basis = solver.basis();
    options.vx *= 1.001;
    solver.warm_start(basis);
    const SolverSummary summary = solver.solve(contact_lcp(slide(options)), z);
    EXPECT_TRUE(summary.solved());
    EXPECT_EQ(summary.iterations, 0);
    EXPECT_STREQ(summary.solver, "warm-basis");
  }
}

TEST(AffineSolver, WrongWarmStartStillSolves) {
  AffineSolver solver;
  Eigen::VectorXd z;
  PortableRandom random(9);
  for (int k = 0; k < 200; ++k) {
    const AffineProblem problem =
        contact_lcp(slide({.contacts = 1 + k % 5, .directions = 8, .vx = random.uniform(-1, 1)}));
    Basis basis(static_cast<std::size_t>(problem.size()));
    for (auto& status : basis) status = random.index(2) == 0 ? VariableStatus::AtLower : VariableStatus::Basic;
    solver.warm_start(basis);
    EXPECT_TRUE(solver.solve(problem, z).solved()) << k;
  }
}

TEST(AffineSolver, IndependentBlocksAreSolvedApart) {
  // Three sliding blocks that do not touch, interleaved with unknowns that decide themselves.
  const AffineProblem one = contact_lcp(slide({.contacts = 3, .directions = 6}));
  const auto m = static_cast<int>(one.size());
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd q(4 * m);
  for (int copy = 0; copy < 3; ++copy) {
    for (int i = 0; i < m; ++i) {
      q[4 * i + copy] = one.q[i];
      for (int j = 0; j < m; ++j) {
        if (one.dense(i, j) != 0) entries.emplace_back(4 * i + copy, 4 * j + copy, one.dense(i, j));
      }
    }
  }
  for (int i = 0; i < m; ++i) {
    q[4 * i + 3] = i % 2 == 0 ? -1 : 1;
    entries.emplace_back(4 * i + 3, 4 * i + 3, 2);
  }
  Eigen::SparseMatrix<double> M(4 * m, 4 * m);
  M.setFromTriplets(entries.begin(), entries.end());
  AffineSolver solver;
  Eigen::VectorXd z;
  const AffineProblem problem = make_lcp(M, q);
  const SolverSummary summary = solver.solve(problem, z);
  EXPECT_TRUE(summary.solved());
  EXPECT_EQ(summary.blocks, 3);
  EXPECT_DOUBLE_EQ(z[3], 0.5);
  EXPECT_DOUBLE_EQ(z[7], 0);
  EXPECT_LE(plain_residual(problem, z), 1e-12);
}

TEST(AffineSolver, NamedAlgorithmsRunAlone) {
  AffineSolver solver;
  Eigen::VectorXd z;
  const AffineProblem problem = harker_pang(8, 1);
  for (const AlgorithmInfo& info : AffineSolver::algorithms()) {
    const SolverSummary summary = solver.solve(problem, z, {}, info.name);
    EXPECT_TRUE(summary.solved()) << info.name;
    EXPECT_STREQ(summary.solver, info.name);
    EXPECT_EQ(summary.attempts, 1) << info.name;
  }
  EXPECT_EQ(solver.solve(problem, z, {}, "no-such-algorithm").status, Status::BadInput);
}

TEST(AffineSolver, PlainLemkeTakesExponentiallyManyPivotsOnMurtysExample) {
  // A check of the pivoting itself: from covering vector 1 the path of murty_lemke has exactly 2^n - 1 pivots.
  AffineSolver solver;
  Eigen::VectorXd z;
  for (const int n : {4, 6, 8}) {
    SolverOptions options;
    options.max_iterations = 1 << (n + 1);
    EXPECT_EQ(solver.solve(murty_lemke(n), z, options, "lemke").iterations, (1 << n) - 1);
  }
}

TEST(AffineSolver, LimitsAreHonest) {
  AffineSolver solver;
  Eigen::VectorXd z;
  SolverOptions options;
  options.max_iterations = 3;
  EXPECT_EQ(solver.solve(contact_lcp(slide({})), z, options, "lemke").status, Status::IterationLimit);
  options = {};
  options.time_limit = 0;
  const SolverSummary summary = solver.solve(contact_lcp(slide({})), z, options);
  EXPECT_EQ(summary.status, Status::TimeLimit);
}

TEST(AffineSolver, NotANumberIsNeverSolved) {
  AffineSolver solver;
  Eigen::VectorXd z;
  AffineProblem problem = harker_pang(6, 1);
  problem.q[2] = NAN;
  EXPECT_EQ(solver.solve(problem, z).status, Status::BadInput);
  problem = harker_pang(6, 1);
  problem.dense.setConstant(NAN);
  EXPECT_FALSE(solver.solve(problem, z).solved());
}

TEST(AffineSolver, RepeatedSolvesAllocateNothing) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "malloc belongs to the sanitizer";
  AffineSolver solver;
  Eigen::VectorXd z;
  const std::vector<AffineProblem> problems = {
      contact_lcp(slide({.contacts = 3, .directions = 16})),
      make_mixed_lcp(contact_mixed_lcp(slide({.contacts = 4, .directions = 8}))).problem,
      contact_lcp(stack(10)),
      make_mixed_lcp(contact_mixed_lcp(stack(10, 0.5, 0.3))).problem,
      harker_pang(60, 1),
      p_matrix(60, 1),
      m_matrix(200, 1),
      obstacle(16),
      murty(8),
      fathi(20),
      semidefinite(40, 1).problem,
      monotone(40, 2).problem};
  for (std::size_t k = 0; k < problems.size(); ++k) {
    for (int warm_up = 0; warm_up < 2; ++warm_up) ASSERT_TRUE(solver.solve(problems[k], z).solved()) << k;
    const long before = tests::allocations();
    for (int repeat = 0; repeat < 3; ++repeat) {
      const SolverSummary summary = solver.solve(problems[k], z);
      ASSERT_TRUE(summary.solved());
    }
    EXPECT_EQ(tests::allocations() - before, 0) << "problem " << k;
  }
  const Basis basis = solver.basis();
  solver.warm_start(basis);
  (void)solver.solve(problems.back(), z);
  const long before = tests::allocations();
  solver.warm_start(basis);
  (void)solver.solve(problems.back(), z);
  EXPECT_EQ(tests::allocations() - before, 0) << "warm start";
}

TEST(AffineSolver, OpenCorpusIsSolvedOrProvedInfeasible) {
  const auto files = tests::problem_files();
  if (files.empty()) GTEST_SKIP() << "no problem files in " << tests::problems_folder();
  AffineSolver solver;
  Eigen::VectorXd z;
  int tried = 0;
  for (const auto& file : files) {
    const CorpusProblem corpus = read_corpus_file(file);
    AffineProblem problem;
    if (const auto* affine = std::get_if<AffineProblem>(&corpus.data)) {
      problem = *affine;
    } else if (const auto* mixed = std::get_if<MixedLcp>(&corpus.data)) {
      problem = make_mixed_lcp(*mixed).problem;
    } else {
      continue;
    }
    ++tried;
    const SolverSummary summary = solver.solve(problem, z);
    if (corpus.notes.find("NO SOLUTION") != std::string::npos) {
      EXPECT_EQ(summary.status, Status::Infeasible) << file;
      continue;
    }
    EXPECT_TRUE(summary.solved()) << file << " " << to_string(summary.status);
    EXPECT_LE(summary.residual.error, 1e-8) << file;
    EXPECT_LE(plain_residual(problem, z), 1e-8 * (1 + problem.q.lpNorm<Eigen::Infinity>())) << file;
  }
  EXPECT_GT(tried, 100);
}

}  // namespace
}  // namespace stickslip::complementarity
