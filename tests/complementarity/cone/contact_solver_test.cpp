// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/contact_solver.h"

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/pyramid.h"
#include "tests/problems/contact_generators.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string_view>

namespace stickslip::complementarity {
namespace {

constexpr double kGravityStep = 9.81e-3;

std::vector<double> velocities(const ContactProblem& problem, const std::vector<double>& r) {
  const int D = problem.dimension();
  std::vector<double> u = problem.q;
  for (int i = 0; i < problem.contacts(); ++i)
    for (int p = problem.W.row_start[i]; p < problem.W.row_start[i + 1]; ++p)
      for (int k = 0; k < D * D; ++k)
        u[i * D + k / D] += problem.W.value[p * D * D + k] * r[problem.W.column[p] * D + k % D];
  return u;
}

std::vector<double> solve_certified(const ContactProblem& problem, double tolerance = 1e-8) {
  ContactSolver solver;
  SolverOptions options;
  options.tolerance = tolerance;
  std::vector<double> r;
  const SolverSummary summary = solver.solve(problem, r, options);
  EXPECT_TRUE(summary.solved()) << to_string(summary.status) << ", error " << summary.residual.error;
  EXPECT_LE(contact_residual(problem, r).error, tolerance);
  return r;
}

double sum_of_normals(const ContactProblem& problem, const std::vector<double>& r) {
  double sum = 0;
  for (int c = 0; c < problem.contacts(); ++c) sum += r[c * problem.dimension()];
  return sum;
}

// --- a block on a table: weight g h, friction mu g h -----------------------------------------------------------------

TEST(BlockOnTable, SlidesAndLosesWhatFrictionTakes) {
  for (int D : {2, 3}) {
    // Feet 0.2 below the centre of mass: the load shifts, but the block neither tips nor lifts at mu = 0.3.
    const ContactProblem problem = block_on_table(D, 0.3, 1.0);
    const std::vector<double> r = solve_certified(problem, 1e-10), u = velocities(problem, r);
    EXPECT_NEAR(sum_of_normals(problem, r), kGravityStep, 1e-10) << "the table carries the weight";
    // The tangent axes are the generator's choice; the slip speed is not.
    for (int c = 0; c < problem.contacts(); ++c) {
      const double slip = D == 2 ? std::fabs(u[c * D + 1]) : std::hypot(u[c * D + 1], u[c * D + 2]);
      EXPECT_NEAR(slip, 1.0 - 0.3 * kGravityStep, 1e-9) << "deceleration mu g";
    }
  }
}

TEST(BlockOnTable, SticksBelowBreakAwayAndSlidesAbove) {
  // A velocity that friction can just stop: vx = mu g h. A hair more slides by that hair.
  const double mu = 0.3, limit = mu * kGravityStep;
  for (int D : {2, 3}) {
    // In the plane the tolerance of 1e-13 (of |u| ~ 1e-2) is what is left. In space, feet that creep by x may push in
    // directions that differ by an angle t without violating the law by more than x t; their friction then falls short
    // by the share t^2 / 2 of the limit, so that x = limit t^2 / 2 with x t = 1e-15: a creep of 1e-11 stays invisible.
    const double hair = (D == 2 ? 1e-9 : 1e-6) * limit, slack = D == 2 ? 1e-14 : 2e-11;
    for (double excess : {-hair, hair}) {
      const ContactProblem problem = block_on_table(D, mu, limit + excess);
      const std::vector<double> r = solve_certified(problem, 1e-13), u = velocities(problem, r);
      for (int c = 0; c < problem.contacts(); ++c) {
        const double slip = D == 2 ? std::fabs(u[c * D + 1]) : std::hypot(u[c * D + 1], u[c * D + 2]);
        EXPECT_NEAR(slip, std::max(0.0, excess), slack) << "D = " << D << ", excess " << excess;
      }
    }
  }
}

TEST(BlockOnTable, SpinsAboutItsCentreWithAllFeetSliding) {
  const ContactProblem problem = block_on_table(3, 0.3, 0, 0, 10.0);
  const std::vector<double> r = solve_certified(problem), u = velocities(problem, r);
  for (int c = 0; c < 3; ++c) {
    const double r_t = std::hypot(r[c * 3 + 1], r[c * 3 + 2]), u_t = std::hypot(u[c * 3 + 1], u[c * 3 + 2]);
    EXPECT_NEAR(r_t, 0.3 * r[c * 3], 1e-9);
    EXPECT_NEAR(r[c * 3 + 1] * u[c * 3 + 1] + r[c * 3 + 2] * u[c * 3 + 2], -r_t * u_t, 1e-9) << "friction opposes slip";
  }
}

TEST(BlockOnTable, LiftedOffFeelsNothing) {
  const ContactProblem problem = block_on_table(3, 0.3, 1.0, 0, 0, -1e-3);  // moving up
  const std::vector<double> r = solve_certified(problem);
  EXPECT_EQ(r, std::vector<double>(9, 0.0));
}

TEST(BoxStack, CarriesTheWeightAboveEachFace) {
  const ContactProblem problem = box_stack(3, 8, 0.5);  // four corners per face: hyperstatic
  const std::vector<double> r = solve_certified(problem);
  for (int box = 0; box < 8; ++box) {
    double load = 0;
    for (int k = 0; k < 4; ++k) load += r[(box * 4 + k) * 3];
    // The load is unique although its distribution over the corners is not; 1e-8 of the largest load, with a margin.
    EXPECT_NEAR(load, (8 - box) * kGravityStep, 1e-6 * 8 * kGravityStep) << "face under box " << box;
  }
}

TEST(SpherePile, StandsWithFrictionAndNothingSlips) {
  const ContactProblem problem = sphere_pile(3, 3, 0.9);
  const std::vector<double> r = solve_certified(problem), u = velocities(problem, r);
  for (double x : u) EXPECT_NEAR(x, 0.0, 1e-7) << "a pile with mu = 0.9 does not move";
}

// A step later the data have changed a little, and many modes with them.
TEST(SpherePile, WarmStartsAreDampedContactByContact) {
  ContactSolver solver;
  SolverOptions options;
  options.tolerance = 1e-6;
  options.record_history = true;
  std::vector<double> r = solve_certified(sphere_pile(3, 4, 0.25));
  for (const double change : {0.02, 0.2}) {
    ContactProblem problem = sphere_pile(3, 4, 0.25);
    std::vector<double> impulse(r.size());  // W times it: the change of velocities that bodies can have
    for (std::size_t k = 0; k < r.size(); ++k) impulse[k] = change * kGravityStep * std::sin(1.0 + 3.7 * k);
    const std::vector<double> moved = velocities(problem, impulse);
    problem.q = moved;
    const SolverSummary summary = solver.solve(problem, r, options);
    EXPECT_TRUE(summary.solved()) << change << ": error " << summary.residual.error;
    EXPECT_LE(contact_residual(problem, r).error, 1e-6);
    EXPECT_TRUE(std::ranges::any_of(summary.history, [](const IterationRecord& record) {
      return std::string_view(record.note) == "damped";
    })) << change;
  }
}

TEST(BoxStackSlow, OfMoreThanSixHundredContactsIsSolvedColdAndWarm) {
  // Large enough for sweeps and Newton steps by turns.
  for (int D : {2, 3})
    for (double push : {0.0, 0.5}) {
      const ContactProblem problem = box_stack(D, D == 2 ? 310 : 155, 0.6, push);
      ASSERT_EQ(problem.contacts(), 620);
      std::vector<double> r = solve_certified(problem);
      ContactSolver solver;
      EXPECT_TRUE(solver.solve(box_stack(D, D == 2 ? 310 : 155, 0.55, push), r).solved()) << "D = " << D;
    }
}

// --- special rows ----------------------------------------------------------------------------------------------------

// One point mass between two jaws along x, pulled along y; planar, both contacts act on the same body.
ContactProblem pinched_mass(double squeeze, double pull, double mu) {
  Eigen::MatrixXd H(2, 4);  // columns: normal, tangent of the left jaw; of the right jaw
  H << 1, 0, -1, 0, 0, 1, 0, 1;
  const Eigen::MatrixXd W = H.transpose() * H;
  ContactProblem problem;
  problem.W = make_block_matrix(W.sparseView(), 2);
  // The jaws close with `squeeze` on each side, which only compliance can take up; the mass falls with `pull`.
  problem.q = {-squeeze, -pull, -squeeze, -pull};
  problem.mu = {mu, mu};
  return problem;
}

TEST(PinchedMass, IsHeldByCompliantJawsUpToTheFrictionLimit) {
  // Compliance c in the normal direction: r_n = squeeze / c on each side; friction holds up to 2 mu r_n.
  const double squeeze = 0.5, c = 0.25, mu = 0.4, limit = 2 * mu * squeeze / c;
  for (double pull : {0.9 * limit, 1.1 * limit}) {
    ContactProblem problem = pinched_mass(squeeze, pull, mu);
    add_compliance(problem, {c, 0, 0, 0, c, 0, 0, 0});
    const std::vector<double> r = solve_certified(problem, 1e-10), u = velocities(problem, r);
    EXPECT_NEAR(r[0], squeeze / c, 1e-8);
    EXPECT_NEAR(r[2], squeeze / c, 1e-8);
    EXPECT_NEAR(u[1], -std::max(0.0, pull - limit), 1e-8);
  }
}

TEST(PinchedMass, BetweenRigidClosingJawsHasNoSolutionAndIsRefused) {
  const ContactProblem problem = pinched_mass(0.5, 0.1, 0.4);
  ContactSolver solver;
  std::vector<double> r;
  const SolverSummary summary = solver.solve(problem, r);
  EXPECT_EQ(summary.status, Status::Stalled) << "error " << summary.residual.error;
  EXPECT_GT(summary.residual.error, 1e-8);
  EXPECT_LT(summary.seconds, 10.0) << "a refusal has bounded work";
}

TEST(SupportPoint, GivesCoulombFrictionOfItsGivenLoad) {
  // Unit mass on one support of load 2: decelerates by mu 2, or stops.
  ContactProblem problem;
  problem.W = make_block_matrix(Eigen::MatrixXd::Identity(3, 3).sparseView(), 3);
  problem.q = {-5, 3, 4};  // the normal part means nothing
  problem.mu = {0.5};
  problem.kind = {ContactKind::Support};
  problem.normal_impulse = {2};
  std::vector<double> r = solve_certified(problem);
  EXPECT_NEAR(r[0], 2, 1e-12);
  EXPECT_NEAR(r[1], -0.6, 1e-8);
  EXPECT_NEAR(r[2], -0.8, 1e-8);
  problem.normal_impulse = {20};
  r = solve_certified(problem);
  EXPECT_NEAR(r[1], -3, 1e-7) << "sticks";
  problem.normal_impulse = {0};
  r = solve_certified(problem);
  EXPECT_EQ(std::hypot(r[1], r[2]), 0.0) << "no load, no friction";
}

TEST(Joint, HoldsInBothDirectionsWhileTheContactBesideItSlides) {
  // Two unit masses joined by a bilateral block; one of them lies on the ground.
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(4, 4);
  H.block(0, 0, 2, 2) << 0, 1, 1, 0;                   // ground under body 1: normal along y, tangent along x
  H.block(0, 2, 2, 2) = Eigen::Matrix2d::Identity();   // joint between body 1
  H.block(2, 2, 2, 2) = -Eigen::Matrix2d::Identity();  // and body 2
  const Eigen::MatrixXd W = H.transpose() * H;
  const Eigen::Vector4d free_velocity(1, -0.1, 1.5, -0.3);
  const Eigen::Vector4d q = H.transpose() * free_velocity;
  ContactProblem problem;
  problem.W = make_block_matrix(W.sparseView(), 2);
  problem.q.assign(q.data(), q.data() + 4);
  problem.mu = {0.5, 0};
  problem.kind = {ContactKind::Frictional, ContactKind::Bilateral};
  const std::vector<double> r = solve_certified(problem, 1e-10), u = velocities(problem, r);
  EXPECT_NEAR(u[2], 0, 1e-9);
  EXPECT_NEAR(u[3], 0, 1e-9);
  EXPECT_NEAR(r[0], 0.4, 1e-8) << "the ground carries the momentum of both";
  EXPECT_NEAR(u[1], (2.5 - 0.5 * 0.4) / 2, 1e-8) << "both slide on together, slowed by mu r_n";
}

TEST(Frictionless, ContactsCarryNoTangentialImpulse) {
  ContactProblem problem = box_stack(3, 3, 0.0, 0.5);
  const std::vector<double> r = solve_certified(problem);
  for (int c = 0; c < problem.contacts(); ++c) EXPECT_LE(std::hypot(r[c * 3 + 1], r[c * 3 + 2]), 1e-9);
}

// --- invariances and agreement ---------------------------------------------------------------------------------------

TEST(PlanarContact, InASpatialProblemIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const ContactProblem planar = random_contact_problem(seed).problem;
    if (planar.dimension() != 2) continue;
    ContactProblem spatial;
    Eigen::SparseMatrix<double> W(planar.contacts() * 3, planar.contacts() * 3);
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < planar.contacts(); ++i) {
      for (int p = planar.W.row_start[i]; p < planar.W.row_start[i + 1]; ++p)
        for (int k = 0; k < 4; ++k)
          entries.emplace_back(i * 3 + k / 2, planar.W.column[p] * 3 + k % 2, planar.W.value[p * 4 + k]);
      entries.emplace_back(i * 3 + 2, i * 3 + 2, 1.0);
      spatial.q.insert(spatial.q.end(), {planar.q[i * 2], planar.q[i * 2 + 1], 0.0});
    }
    W.setFromTriplets(entries.begin(), entries.end());
    spatial.W = make_block_matrix(W, 3);
    spatial.mu = planar.mu, spatial.kind = planar.kind, spatial.normal_impulse = planar.normal_impulse;
    // The impulses need not be unique: an answer to one form must be an answer to the other.
    const std::vector<double> r = solve_certified(spatial);
    std::vector<double> flat;
    for (int i = 0; i < planar.contacts(); ++i) {
      EXPECT_EQ(r[i * 3 + 2], 0.0) << "seed " << seed;
      flat.insert(flat.end(), {r[i * 3], r[i * 3 + 1]});
    }
    EXPECT_LE(contact_residual(planar, flat).natural, 1e-8) << "seed " << seed;
  }
}

TEST(PlanarContact, AgreesWithLemkeOnTheTwoSidedPyramid) {
  // In the plane the pyramid is the cone: any solution of the LCP is one of the cone problem.
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const ContactProblem problem = random_contact_problem(seed).problem;
    if (problem.dimension() != 2) continue;
    const PyramidForm form = make_pyramid(problem, 2);
    AffineSolver lemke;
    Eigen::VectorXd z;
    if (!lemke.solve(form.problem, z).solved()) continue;
    ++solved;
    const Eigen::VectorXd r = form.impulses(z);
    EXPECT_LE(contact_residual(problem, {r.data(), static_cast<std::size_t>(r.size())}).natural, 1e-7)
        << "seed " << seed;
    const std::vector<double> ours = solve_certified(problem);
    (void)ours;
  }
  EXPECT_GT(solved, 30);
}

TEST(ContactSolver, DoesNotDependOnUnits) {
  // Kilograms to grams, metres to millimetres: W and q change, the answer changes with them.
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const ContactProblem problem = random_contact_problem(seed).problem;
    for (double mass : {1e-3, 1e6})
      for (double length : {1e-3, 1e3}) {
        ContactProblem other = problem;
        for (double& w : other.W.value) w /= mass;
        for (double& q : other.q) q *= length;
        for (double& n : other.normal_impulse) n *= mass * length;
        std::vector<double> r;
        ContactSolver solver;
        EXPECT_TRUE(solver.solve(other, r).solved()) << "seed " << seed << " mass " << mass << " length " << length;
      }
  }
}

TEST(ContactSolver, AnswersRelabelledContacts) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const ContactProblem problem = random_contact_problem(seed).problem;
    const int D = problem.dimension(), n = problem.contacts();
    std::vector<int> new_index(n);
    std::iota(new_index.rbegin(), new_index.rend(), 0);  // reversed
    std::vector<Eigen::Triplet<double>> entries;
    ContactProblem other;
    other.q.resize(problem.q.size()), other.mu.resize(n);
    other.kind.resize(problem.kind.size()), other.normal_impulse.resize(problem.normal_impulse.size());
    for (int i = 0; i < n; ++i) {
      for (int p = problem.W.row_start[i]; p < problem.W.row_start[i + 1]; ++p)
        for (int k = 0; k < D * D; ++k)
          entries.emplace_back(new_index[i] * D + k / D, new_index[problem.W.column[p]] * D + k % D,
                               problem.W.value[p * D * D + k]);
      for (int k = 0; k < D; ++k) other.q[new_index[i] * D + k] = problem.q[i * D + k];
      other.mu[new_index[i]] = problem.mu[i];
      if (!problem.kind.empty()) other.kind[new_index[i]] = problem.kind[i];
      if (!problem.normal_impulse.empty()) other.normal_impulse[new_index[i]] = problem.normal_impulse[i];
    }
    Eigen::SparseMatrix<double> W(n * D, n * D);
    W.setFromTriplets(entries.begin(), entries.end());
    other.W = make_block_matrix(W, D);
    const std::vector<double> r = solve_certified(other);
    std::vector<double> back(r.size());
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < D; ++k) back[i * D + k] = r[new_index[i] * D + k];
    // Only the order of summation differs: rounding on top of the tolerance.
    EXPECT_LE(contact_residual(problem, back).error, 1.01e-8) << "seed " << seed;
  }
}

TEST(ContactSolver, WarmStartFromTheAnswerTakesNoIteration) {
  const ContactProblem problem = box_stack(3, 5, 0.5, 0.01);
  ContactSolver solver;
  std::vector<double> r;
  ASSERT_TRUE(solver.solve(problem, r).solved());
  const std::vector<double> answer = r;
  const SolverSummary again = solver.solve(problem, r);
  EXPECT_TRUE(again.solved());
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(r, answer);
}

TEST(ContactSolver, NonsymmetricMatrixIsSolvedAsPosed) {
  ContactProblem problem = box_stack(3, 4, 0.4, 0.02);
  for (std::size_t k = 0; k < problem.W.value.size(); ++k)
    problem.W.value[k] *= 1 + 1e-3 * std::sin(1.7 * static_cast<double>(k));
  solve_certified(problem);
}

TEST(ContactSolver, SameBitsEveryTime) {
  ContactSolver used;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const ContactProblem problem = random_contact_problem(seed).problem;
    std::vector<double> first, second;
    ContactSolver fresh;
    (void)used.solve(problem, first);  // a solver with other problems behind it
    (void)fresh.solve(problem, second);
    ASSERT_EQ(first.size(), second.size());
    EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)), 0) << "seed " << seed;
  }
}

TEST(ContactSolver, NamedAlgorithmsRunAloneAndSaySo) {
  const ContactProblem problem = block_on_table(3, 0.3, 1.0, 0.2, 0.5);
  for (const AlgorithmInfo& algorithm : ContactSolver::algorithms()) {
    ContactSolver solver;
    std::vector<double> r;
    SolverOptions options;
    options.record_history = true;
    const SolverSummary summary = solver.solve(problem, r, options, algorithm.name);
    EXPECT_TRUE(summary.solved()) << algorithm.name;
    EXPECT_FALSE(summary.history.empty()) << algorithm.name;
    if (std::string_view(algorithm.name) != "auto") {
      EXPECT_STREQ(summary.solver, algorithm.name);
    }
  }
}

TEST(ContactSolver, LimitsAndBadInputAreReported) {
  const ContactProblem problem = box_stack(3, 8, 0.5, 0.01);
  ContactSolver solver;
  std::vector<double> r;
  SolverOptions options;
  options.max_iterations = 2;
  EXPECT_EQ(solver.solve(problem, r, options).status, Status::IterationLimit);
  options = {};
  options.time_limit = 0;
  r.clear();
  EXPECT_EQ(solver.solve(problem, r, options).status, Status::TimeLimit);
  EXPECT_EQ(solver.solve(problem, r, {}, "no such algorithm").status, Status::BadInput);
  ContactProblem bad = problem;
  bad.mu[0] = -1;
  EXPECT_EQ(solver.solve(bad, r).status, Status::BadInput);
}

TEST(ContactSolver, NoContactIsNoProblem) {
  ContactProblem problem;
  ContactSolver solver;
  std::vector<double> r{1, 2, 3};
  EXPECT_TRUE(solver.solve(problem, r).solved());
  EXPECT_TRUE(r.empty());
}

}  // namespace
}  // namespace stickslip::complementarity
