// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The certificate against wrong answers, near solutions and far from them, with friction up to 1e250, masses from 1e-12
// to 1e12 side by side, and any unit of length and time. Problems are made around a solution (no solver is involved):
// point masses with contacts between them and the ground, each contact open, sticking or sliding, q = u - W r.
//
// What is wrong is decided by the law as it is said in words, in long double, by code that shares nothing with the
// certificate. A contact is wrong when it violates the law by more than 1e-4 of the velocities (or impulses) that meet
// in it; the certificate promises 1e-5 at a tolerance of 1e-8.
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstdlib>
#include <numeric>

namespace stickslip::complementarity {
namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

constexpr double kTolerance = 1e-8;
constexpr Real kWrong = 1e-4, kRounding = 1e-4;

struct Instance {
  int D = 3, n = 0;
  Matrix H, W;     // W = H' M^-1 H
  Vector mass, r;  // of each coordinate; a solution
  ContactProblem problem;
};

double magnitude(PortableRandom& random, double low, double high) {
  return std::pow(10.0, random.uniform(low, high));
}

// A direction in the contact's frame: normal first.
Eigen::MatrixXd random_frame(PortableRandom& random, int D) {
  Eigen::MatrixXd A(D, D);
  for (int i = 0; i < D * D; ++i) A.data()[i] = random.normal();
  return Eigen::HouseholderQR<Eigen::MatrixXd>(A).householderQ();
}

double random_friction(PortableRandom& random) {
  switch (random.index(5)) {
    case 0: return 0;
    case 1: return random.uniform(0, 2);
    case 2: return magnitude(random, 0, 6);
    case 3: return magnitude(random, 6, 20);
    default: return magnitude(random, 20, 250);
  }
}

Instance make_instance(std::uint64_t seed) {
  PortableRandom random(seed);
  Instance made;
  const int D = made.D = 2 + random.index(2), n = made.n = 1 + random.index(6), bodies = 1 + random.index(n);
  const double spread = random.index(2) == 0 ? 1 : 12;  // decades of mass
  made.mass.resize(bodies * D);
  for (int b = 0; b < bodies; ++b) made.mass.segment(b * D, D).setConstant(magnitude(random, -spread, spread));
  made.H = Matrix::Zero(bodies * D, n * D);
  for (int c = 0; c < n; ++c) {
    const int a = c < bodies ? c : random.index(bodies), b = random.index(bodies + 1);  // b = bodies: the ground
    const Eigen::MatrixXd frame = random_frame(random, D);
    made.H.block(a * D, c * D, D, D) = frame.cast<Real>();
    if (b < bodies && b != a) made.H.block(b * D, c * D, D, D) = -frame.cast<Real>();
  }
  made.W = made.H.transpose() * made.mass.cwiseInverse().asDiagonal() * made.H;

  const Real unit = magnitude(random, -20, 20);
  Vector u = Vector::Zero(n * D);
  made.r = Vector::Zero(n * D);
  made.problem.mu.resize(n);
  for (int c = 0; c < n; ++c) {
    const double mu = made.problem.mu[c] = random_friction(random);
    const Real v = unit * magnitude(random, -2, 2), p = v / made.W(c * D, c * D);
    Vector direction(D - 1);
    for (int k = 0; k < D - 1; ++k) direction[k] = random.normal();
    direction /= direction.norm();
    switch (random.index(3)) {
      case 0:  // open
        u[c * D] = v * random.uniform(0, 1);
        u.segment(c * D + 1, D - 1) = v * random.normal() * direction;
        break;
      case 1:  // sticks, with impulses of any direction that the cone has
        made.r[c * D] = p * random.uniform(0.1, 1);
        made.r.segment(c * D + 1, D - 1) = std::min<Real>(mu * made.r[c * D], p) * random.uniform(0, 0.9) * direction;
        break;
      default:  // slides
        u.segment(c * D + 1, D - 1) = v * direction;
        made.r[c * D] = mu > 1 ? p / mu : p;
        made.r.segment(c * D + 1, D - 1) = -mu * made.r[c * D] * direction;
    }
  }
  const Vector q = u - made.W * made.r;
  made.problem.q.resize(n * D);
  for (int i = 0; i < n * D; ++i) made.problem.q[i] = static_cast<double>(q[i]);
  made.problem.W = make_block_matrix(made.W.cast<double>().sparseView(), D);
  return made;
}

std::vector<double> plain(const Vector& r) {
  std::vector<double> out(static_cast<std::size_t>(r.size()));
  for (Eigen::Index i = 0; i < r.size(); ++i) out[i] = static_cast<double>(r[i]);
  return out;
}

// The law in words, for one contact: no penetrating velocity, no pull, no impulse on a contact that opens, friction
// within its bound, and on a contact that slips friction at its bound against the slip. v, p: sizes of velocities and
// impulses.
Real violation(double mu, const Vector& r, const Vector& u, Real v, Real p) {
  const Real rn = r[0], un = u[0], rt = r.tail(r.size() - 1).norm(), ut = u.tail(u.size() - 1).norm();
  Real worst = std::max(-un / v, -rn / p);
  worst = std::max(worst, std::min(rn / p, un / v));
  const Real bound = mu * std::max<Real>(rn, 0);
  worst = std::max(worst, (rt - bound) / p);
  if (ut > 0) {
    const Vector expected = -bound / ut * u.tail(u.size() - 1);
    worst = std::max(worst, std::min(ut / v, (r.tail(r.size() - 1) - expected).norm() / p));
  }
  return worst;
}

// Of the worst contact; u as given (from r in the local form, from the bodies in the global one).
Real violation(const Instance& made, const Vector& r, const Vector& u) {
  const int D = made.D;
  Vector q(made.n * D);
  for (int i = 0; i < made.n * D; ++i) q[i] = made.problem.q[i];
  const Real usual = q.norm() / std::sqrt(static_cast<Real>(made.n));
  Real worst = 0;
  for (int c = 0; c < made.n; ++c) {
    Real v = 0;
    for (int k = c * D; k < (c + 1) * D; ++k)
      v += std::fabs(q[k]) + made.W.row(k).cwiseAbs().dot(r.cwiseAbs().transpose());
    v = std::max(v, kRounding * usual);
    const Real p = v * D / made.W.block(c * D, c * D, D, D).trace() + r.segment(c * D, D).norm();
    worst = std::max(worst, violation(made.problem.mu[c], r.segment(c * D, D), u.segment(c * D, D), v, p));
  }
  return worst;
}

// An answer that is probably wrong.
Vector spoil(const Instance& made, PortableRandom& random) {
  const int D = made.D, c = random.index(made.n), k = c * D + random.index(D);
  Vector r = made.r;
  switch (random.index(9)) {
    case 0: r[k] *= 1 + magnitude(random, -3.5, 1) * (random.index(2) == 0 ? 1 : -1); break;
    case 1: r.segment(c * D, D).setZero(); break;
    case 2: r.setZero(); break;
    case 3: r.segment(c * D + 1, D - 1) *= -1; break;
    case 4: r.segment(c * D + 1, D - 1).setZero(); break;
    case 5: r *= magnitude(random, -12, 12); break;
    case 6: r[k] += r.norm() * magnitude(random, -4, 4) * random.normal(); break;
    case 7:  // within the cones, anywhere
      for (int i = 0; i < made.n; ++i) {
        const Real size = magnitude(random, -20, 20);
        for (int t = 1; t < D; ++t) r[i * D + t] = size * random.normal();
        const Real mu = made.problem.mu[i];
        r[i * D] = mu > 0 ? r.segment(i * D + 1, D - 1).norm() / mu * random.uniform(1, 2) : size;
        if (mu == 0) r.segment(i * D + 1, D - 1).setZero();
      }
      break;
    default: {  // what makes this contact's normal velocity zero without friction
      const Real w = made.W(c * D, c * D);
      r.segment(c * D, D).setZero();
      r[c * D] = std::max<Real>(0, -made.problem.q[c * D] / w);
    }
  }
  for (Eigen::Index i = 0; i < r.size(); ++i) r[i] = static_cast<double>(r[i]);  // as it will be judged
  return r;
}

// Tries until `count` wrong answers were judged; returns how many of them were accepted.
int accepted_wrong(int count, std::uint64_t seed) {
  int accepted = 0;
  for (int wrong = 0; wrong < count; ++seed) {
    const Instance made = make_instance(seed);
    Vector q(made.n * made.D);
    for (int i = 0; i < made.n * made.D; ++i) q[i] = made.problem.q[i];
    PortableRandom random(seed ^ 0x5eed);
    for (int k = 0; k < 10; ++k) {
      const Vector r = spoil(made, random);
      if (!(violation(made, r, q + made.W * r) > kWrong)) continue;
      ++wrong;
      const Residual residual = contact_residual(made.problem, plain(r));
      if (residual.error > kTolerance) continue;
      ++accepted;
      ADD_FAILURE() << "seed " << seed << ", answer " << k << ": error " << residual.error << ", violation "
                    << static_cast<double>(violation(made, r, q + made.W * r));
      if (accepted > 20) return accepted;
    }
  }
  return accepted;
}

TEST(CertificateAdversary, NoWrongAnswerOfContactsIsAccepted) {
  EXPECT_EQ(accepted_wrong(20'000, 1), 0);
}

TEST(CertificateAdversary, SlowNoneOfAMillionWrongAnswersOfContactsIsAccepted) {
  EXPECT_EQ(accepted_wrong(1'000'000, 1'000'000), 0);
}

// A certificate that refuses everything would pass as well.
TEST(CertificateAdversary, TheSolutionsThatTheWrongAnswersSurroundAreAccepted) {
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    const Instance made = make_instance(seed);
    // What rounding of q = u - W r leaves: less than 1e-12 of the sizes that the local error is relative to, and of the
    // largest contact's in the others.
    EXPECT_LE(contact_residual(made.problem, plain(made.r)).error, 1e-9) << "seed " << seed;
  }
}

// The global form: the bodies' velocities do not follow from the impulses, or the contacts violate their law.
TEST(CertificateAdversary, NoWrongAnswerOfBodiesAndContactsIsAccepted) {
  int wrong = 0;
  for (std::uint64_t seed = 1; wrong < 20'000; ++seed) {
    const Instance made = make_instance(seed);
    PortableRandom random(seed ^ 0xb0d1e5);
    GlobalContactProblem problem;
    problem.dimension = made.D;
    problem.M = made.mass.cast<double>().asDiagonal().toDenseMatrix().sparseView();
    problem.H = made.H.cast<double>().sparseView();
    problem.mu = made.problem.mu;
    // f = 0 and w = q: every momentum comes from the contacts.
    problem.f = Eigen::VectorXd::Zero(made.mass.size());
    problem.w = Eigen::Map<const Eigen::VectorXd>(made.problem.q.data(), made.n * made.D);
    std::vector<double> trace(static_cast<std::size_t>(made.n));
    for (int c = 0; c < made.n; ++c)
      trace[c] = static_cast<double>(made.W.block(c * made.D, c * made.D, made.D, made.D).trace());
    for (int k = 0; k < 10; ++k) {
      Vector r = random.index(2) == 0 ? made.r : spoil(made, random);
      Vector v = made.mass.cwiseInverse().asDiagonal() * (made.H * r);
      const int i = random.index(static_cast<int>(v.size()));
      if (random.index(2) == 0) v[i] += (v.norm() + std::fabs(v[i])) * magnitude(random, -3, 3) * random.normal();
      for (Eigen::Index j = 0; j < v.size(); ++j) v[j] = static_cast<double>(v[j]);
      for (Eigen::Index j = 0; j < r.size(); ++j) r[j] = static_cast<double>(r[j]);
      const Vector Hr = made.H * r, imbalance = made.mass.asDiagonal() * v - Hr;
      Real unbalanced = 0;
      for (Eigen::Index j = 0; j < v.size(); ++j) {
        const Real size = made.mass[j] * std::fabs(v[j]) + made.H.row(j).cwiseAbs().dot(r.cwiseAbs().transpose());
        if (size > 0) unbalanced = std::max(unbalanced, std::fabs(imbalance[j]) / size);
      }
      if (!(unbalanced > kWrong || violation(made, r, problem.w.cast<Real>() + made.H.transpose() * v) > 2 * kWrong))
        continue;
      // Sizes in violation() are those of the impulses; where v does not belong to r they may be larger.
      if (!(unbalanced > kWrong) && unbalanced > 1e-12) continue;
      ++wrong;
      EXPECT_GT(contact_residual(problem, plain(r), v.cast<double>(), trace, made.problem.q).error, kTolerance)
          << "seed " << seed << ", answer " << k;
    }
  }
}

// A body that falls on a floor with much friction (and slides): r = 0 used to be certified from mu = 1e8 on.
TEST(CertificateAdversary, FrictionDoesNotHideAPenetratingVelocity) {
  ContactProblem problem;
  problem.W = make_block_matrix(Eigen::MatrixXd::Identity(3, 3).sparseView(), 3);
  problem.q = {-1, 2, 0.3};
  for (const double mu : {1e3, 1e6, 1e8, 1e9, 1e15, 1e100, 1e300}) {
    problem.mu = {mu};
    EXPECT_GT(contact_residual(problem, std::vector<double>{0, 0, 0}).error, 0.1) << "mu = " << mu;
    EXPECT_LE(contact_residual(problem, std::vector<double>{1, -2, -0.3}).error, 1e-15) << "it sticks, mu = " << mu;
    for (const AlgorithmInfo& info : ContactSolver::algorithms()) {
      ContactSolver solver;
      std::vector<double> r;
      if (!solver.solve(problem, r, {}, info.name).solved()) continue;
      EXPECT_NEAR(r[0], 1, 1e-7) << info.name << ", mu = " << mu;
      EXPECT_NEAR(r[1], -2, 1e-7) << info.name << ", mu = " << mu;
    }
  }
}

}  // namespace
}  // namespace stickslip::complementarity
