// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Ranges of forces over all shares of a load, against closed forms and against enumerations that are written here.
#include "stickslip/contact/force_range.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <numbers>
#include <random>

namespace stickslip::contact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What a bound may differ by from the exact one: ForceRange closes in to 1e-11 of the largest force.
constexpr double kSame = 1e-9;

struct Shared {
  SharedLoad load;
  VectorXd N, t;  // one share
};

// Contacts in space or in the plane with random columns; some slide, some bear nothing.
Shared random_load(std::mt19937& random, int tangents, int most_contacts) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  Shared made;
  const int contacts = 2 + static_cast<int>((most_contacts - 1) * uniform(random));
  SharedLoad& load = made.load;
  load.tangents = tangents;
  Index columns = 0;
  for (int c = 0; c < contacts; ++c) {
    SharedLoad::Closed one;
    one.contact = c;
    one.mu = 0.1 + uniform(random);
    one.sticks = uniform(random) < 0.7;
    one.direction[0] = 1;
    if (one.sticks) one.first = columns, columns += tangents;
    load.closed.push_back(one);
  }
  const Index freedoms = 1 + static_cast<Index>(uniform(random) * static_cast<double>(contacts + columns));
  const auto matrix = [&](Index cols) { return MatrixXd::NullaryExpr(freedoms, cols, [&] { return normal(random); }); };
  load.normal = matrix(contacts);
  load.tangential = matrix(columns);
  made.N.resize(contacts);
  made.t.resize(columns);
  for (int c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& one = load.closed[static_cast<std::size_t>(c)];
    made.N[c] = uniform(random) < 0.8 ? uniform(random) : 0.0;
    if (one.first < 0) continue;
    auto t = made.t.segment(one.first, tangents);
    for (Index k = 0; k < tangents; ++k) t[k] = normal(random);
    t *= one.mu * made.N[c] * uniform(random) / t.norm();
  }
  load.load = load.normal * made.N + load.tangential * made.t;
  return made;
}

VectorXd random_vector(std::mt19937& random, Index size) {
  std::normal_distribution<double> normal;
  return VectorXd::NullaryExpr(size, [&] { return normal(random); });
}

// All laws of planar contacts as rows A p >= 0.
MatrixXd planar_laws(const SharedLoad& load) {
  const Index a = load.normal.cols(), m = a + load.tangential.cols();
  std::vector<VectorXd> rows;
  for (std::size_t i = 0; i < load.closed.size(); ++i) {
    const SharedLoad::Closed& one = load.closed[i];
    VectorXd row = VectorXd::Zero(m);
    row[static_cast<Index>(i)] = one.first < 0 ? 1 : one.mu;
    if (one.first < 0) rows.push_back(row);
    for (const double sign : {1.0, -1.0}) {
      if (one.first < 0) continue;
      row[a + one.first] = sign;
      rows.push_back(row);
    }
  }
  MatrixXd A(static_cast<Index>(rows.size()), m);
  for (Index i = 0; i < A.rows(); ++i) A.row(i) = rows[static_cast<std::size_t>(i)];
  return A;
}

// The largest w' p by all vertices, and all extreme rays: some laws hold as equalities, so many that one point is left.
double largest_by_enumeration(const Shared& shared, const VectorXd& w) {
  const SharedLoad& load = shared.load;
  const MatrixXd A = planar_laws(load);
  const Index m = A.cols();
  MatrixXd G(load.normal.rows(), m);
  G << load.normal, load.tangential;
  const Index free = m - Eigen::FullPivLU<MatrixXd>(G).rank();
  double largest = -kInfinity;
  for (unsigned mask = 0; mask < 1U << A.rows(); ++mask) {
    const int held = std::popcount(mask);
    if (held != free && held != free - 1) continue;
    MatrixXd system(G.rows() + held, m);
    system.topRows(G.rows()) = G;
    for (Index i = 0, k = G.rows(); i < A.rows(); ++i)
      if ((mask >> i & 1U) != 0) system.row(k++) = A.row(i);
    const Eigen::FullPivLU<MatrixXd> factor(system);
    if (held == free) {
      if (factor.rank() < m) continue;
      VectorXd right = VectorXd::Zero(system.rows());
      right.head(G.rows()) = load.load;
      const VectorXd p = factor.solve(right);
      if ((A * p).minCoeff() > -1e-9 && (system * p - right).norm() < 1e-9) largest = std::max(largest, w.dot(p));
    } else if (factor.rank() == m - 1) {
      for (const double sign : {1.0, -1.0}) {
        const VectorXd ray = sign * factor.kernel().col(0).normalized();
        if ((A * ray).minCoeff() > -1e-9 && w.dot(ray) > 1e-9) return kInfinity;
      }
    }
  }
  return largest;
}

void expect_same(double expected, double found, double scale, const std::string& what) {
  if (std::isinf(expected))
    EXPECT_EQ(expected, found) << what;
  else
    EXPECT_NEAR(expected, found, kSame * std::max({1.0, scale, std::fabs(expected)})) << what;
}

TEST(ForceRange, OfRandomPlanarContactsIsThatOfAllVertices) {
  std::mt19937 random(1);
  int bounded = 0, unbounded = 0;
  for (int k = 0; k < 300; ++k) {
    const Shared shared = random_load(random, 1, 4);
    ForceRange range(shared.load, shared.N, shared.t);
    for (int j = 0; j < 4; ++j) {
      const VectorXd w_N = random_vector(random, shared.N.size()), w_t = random_vector(random, shared.t.size());
      VectorXd w(w_N.size() + w_t.size());
      w << w_N, w_t;
      const Interval found = range.of(w_N, w_t);
      const double most = largest_by_enumeration(shared, w), least = -largest_by_enumeration(shared, -w);
      expect_same(most, found.most, range.scale(), "most, problem " + std::to_string(k));
      expect_same(least, found.least, range.scale(), "least, problem " + std::to_string(k));
      EXPECT_EQ(found.open, 0);
      ++(std::isinf(most) ? unbounded : bounded);
    }
  }
  EXPECT_GT(bounded, 300);
  EXPECT_GT(unbounded, 100);
}

// By how much (N, t) is not a share of the load.
double defect(const SharedLoad& load, const VectorXd& N, const VectorXd& t) {
  double worst = (load.normal * N + load.tangential * t - load.load).cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < load.closed.size(); ++i) {
    const SharedLoad::Closed& one = load.closed[i];
    const double normal = N[static_cast<Index>(i)];
    worst = std::max(worst, -normal);
    if (one.first >= 0) worst = std::max(worst, t.segment(one.first, load.tangents).norm() - one.mu * normal);
  }
  return worst;
}

// Is there a share with w' p = value? By another method: the nearest one, with that value as a further balance.
bool has_share(const Shared& shared, const VectorXd& w, double value) {
  SharedLoad load = shared.load;
  const Index n = load.normal.rows(), a = load.normal.cols(), b = load.tangential.cols();
  load.normal.conservativeResize(n + 1, a);
  load.tangential.conservativeResize(n + 1, b);
  load.load.conservativeResize(n + 1);
  load.normal.row(n) = w.head(a);
  load.tangential.row(n) = w.tail(b);
  load.load[n] = value;
  VectorXd N, t;
  CanonicalShare share;
  return share.share(load, std::span(shared.N.data(), static_cast<std::size_t>(a)), N, t) && defect(load, N, t) < 1e-9;
}

// The end of a range is attained, and there is nothing beyond.
TEST(ForceRange, OfRandomSpatialContactsEndsWhereSharesEnd) {
  std::mt19937 random(2);
  int bounded = 0, inside = 0, unbounded = 0;
  for (int k = 0; k < 600; ++k) {
    const Shared shared = random_load(random, 2, 6);
    ForceRange range(shared.load, shared.N, shared.t);
    const VectorXd w_N = random_vector(random, shared.N.size()), w_t = random_vector(random, shared.t.size());
    VectorXd w(w_N.size() + w_t.size());
    w << w_N, w_t;
    const Interval found = range.of(w_N, w_t);
    const double scale = std::max(1.0, range.scale());
    EXPECT_LE(found.open, kSame * scale) << k;
    if (range.is_noise(found)) continue;
    const VectorXd p = range.farthest();
    EXPECT_LT(defect(shared.load, p.head(shared.N.size()), p.tail(shared.t.size())), kSame * p.cwiseAbs().maxCoeff())
        << "problem " << k;
    if (std::isinf(found.most)) {
      ++unbounded;
      EXPECT_GT(w.dot(p), 1e3 * scale) << "problem " << k;
      continue;
    }
    ++bounded;
    EXPECT_NEAR(w.dot(p), found.most, kSame * std::max(scale, std::fabs(found.most))) << "problem " << k;
    const double width = std::isinf(found.least) ? scale : found.most - found.least;
    inside += has_share(shared, w, found.most - 0.05 * width) ? 1 : 0;
    EXPECT_FALSE(has_share(shared, w, found.most + 1e-4 * width)) << "problem " << k;
  }
  // The other method gives up on loads that friction barely holds. It must find most, or it would say nothing.
  EXPECT_GT(bounded, 200);
  EXPECT_GT(inside, 0.95 * bounded);
  EXPECT_GT(unbounded, 20);
}

TEST(ForceRange, CanonicalSharesOfRandomLoadsLieWithin) {
  std::mt19937 random(3);
  int shared_loads = 0;
  for (int k = 0; k < 1000; ++k) {
    const Shared shared = random_load(random, 1 + k % 2, 6);
    CanonicalShare canonical;
    VectorXd N, t;
    if (!canonical.share(shared.load, std::span(shared.N.data(), static_cast<std::size_t>(shared.N.size())), N, t))
      continue;
    ++shared_loads;
    ForceRange range(shared.load, shared.N, shared.t);
    const double noise = kSame * std::max(1.0, range.scale());
    for (Index c = 0; c < N.size(); ++c) {
      const Interval found = range.of(VectorXd::Unit(N.size(), c), VectorXd::Zero(t.size()));
      EXPECT_LE(found.open, noise) << k;
      EXPECT_GE(N[c], found.least - noise) << "problem " << k << ", contact " << c;
      EXPECT_LE(N[c], found.most + noise) << "problem " << k << ", contact " << c;
      EXPECT_GE(found.least, -noise);
    }
  }
  EXPECT_GT(shared_loads, 950);
}

}  // namespace
}  // namespace stickslip::contact
