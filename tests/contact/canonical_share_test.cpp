// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The canonical share of random loads, against what defines it: no other share of the load has less friction, and none with
// that friction is more even. (N*, t*) minimises a convex function over a convex set exactly if it does not fall towards
// any other point of the set.
#include "stickslip/contact/canonical_share.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

namespace stickslip::contact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct RandomLoad {
  SharedLoad load;
  VectorXd N, t;  // one share of it
};

// Contacts in space or in the plane, whose columns have the given rank; some slide, some bear nothing.
RandomLoad random_load(std::mt19937& random, int tangents) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  RandomLoad made;
  const int contacts = 2 + static_cast<int>(6 * uniform(random));
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

// How far along a direction the cones let one go from (N, t).
double room(const SharedLoad& load, const VectorXd& N, const VectorXd& t, const VectorXd& dN, const VectorXd& dt) {
  const auto inside = [&](double s) {
    for (std::size_t c = 0; c < load.closed.size(); ++c) {
      const SharedLoad::Closed& one = load.closed[c];
      const auto i = static_cast<Index>(c);
      const double now = N[i] + s * dN[i];
      if (now < 0) return false;
      if (one.first < 0) continue;
      if ((t + s * dt).segment(one.first, load.tangents).norm() > one.mu * now) return false;
    }
    return true;
  };
  double low = 0, high = 100;
  for (int k = 0; k < 60; ++k) (inside(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
  return low;
}

TEST(CanonicalShare, NoOtherShareOfARandomLoadHasLessFrictionOrIsMoreEven) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  int limited = 0, found = 0, redundant = 0;
  for (int k = 0; k < 2000; ++k) {
    RandomLoad made = random_load(random, 1 + k % 2);
    const SharedLoad& load = made.load;
    const Index a = load.normal.cols(), b = load.tangential.cols();
    CanonicalShare share;
    VectorXd N, t;
    const std::vector<double> start(made.N.begin(), made.N.end());
    if (!share.share(load, start, N, t)) continue;
    ++found;
    const double size = std::max(1.0, N.norm() + t.norm());
    EXPECT_LT((load.normal * N + load.tangential * t - load.load).norm(), 1e-11 * size) << k;
    for (std::size_t c = 0; c < load.closed.size(); ++c) {
      const SharedLoad::Closed& one = load.closed[c];
      EXPECT_GE(N[static_cast<Index>(c)], 0) << k;
      if (one.first < 0) continue;
      const double friction = t.segment(one.first, load.tangents).norm(), most = one.mu * N[static_cast<Index>(c)];
      EXPECT_LE(friction, most * (1 + 1e-12)) << k;
      limited += friction > (1 - 1e-6) * most && most > 1e-6;
    }
    // Towards other shares: that which made the load, and others along what changes nothing.
    MatrixXd G(load.normal.rows(), a + b);
    G << load.normal, load.tangential;
    const MatrixXd free = Eigen::FullPivLU<MatrixXd>(G).kernel();
    const bool many = free.norm() > 1e-9;
    redundant += many;
    for (int other = 0; other < 40; ++other) {
      VectorXd N1 = made.N, t1 = made.t;
      if (other > 0 && many) {
        const VectorXd d = free * VectorXd::NullaryExpr(free.cols(), [&] { return normal(random); });
        const double s = room(load, made.N, made.t, d.head(a), d.tail(b));
        N1 += s * d.head(a), t1 += s * d.tail(b);
      }
      // 1e-7: the distance of 1e-9 of mu from the edge that it keeps, times the numbers that meet here.
      EXPECT_GE(t.dot(t1 - t), -1e-7 * size * size) << k;
    }
    const MatrixXd even = Eigen::FullPivLU<MatrixXd>(load.normal).kernel();
    if (even.norm() < 1e-9) continue;
    for (int other = 0; other < 40; ++other) {
      const VectorXd d = even * VectorXd::NullaryExpr(even.cols(), [&] { return normal(random); });
      const double s = room(load, N, t, d, VectorXd::Zero(b));
      EXPECT_GE(N.dot(s * d), -1e-7 * size * size) << k;
    }
  }
  // Loads that barely hold (a contact whose N must be 0 among others) may be given back; most must not be.
  EXPECT_GT(found, 1900);
  EXPECT_GT(limited, 100);
  EXPECT_GT(redundant, 1000);
}

// Blocks of a semicircular arch under their own weight: two contacts at each joint, cones that bind at many of them.
SharedLoad arch(int blocks, double thickness, double mu) {
  SharedLoad load;
  const int joints = blocks + 1;
  const double half = std::acos(-1.0) / (2 * blocks);
  load.normal.setZero(3 * blocks, 2 * joints);
  load.tangential.setZero(3 * blocks, 2 * joints);
  load.load.setZero(3 * blocks);
  for (int i = 0; i < blocks; ++i) load.load[3 * i + 1] = 10;
  for (int j = 0; j < joints; ++j) {
    const double angle = 2 * half * j;
    const double across[2] = {-std::sin(angle), std::cos(angle)}, along[2] = {std::cos(angle), std::sin(angle)};
    for (int side = 0; side < 2; ++side) {
      const Index column = 2 * j + side;
      SharedLoad::Closed one;
      one.contact = static_cast<int>(column);
      one.sticks = true;
      one.direction[0] = 1;
      one.mu = mu;
      one.first = column;
      load.closed.push_back(one);
      const double radius = 1 + (side == 0 ? -0.5 : 0.5) * thickness;
      for (const int block : {j - 1, j}) {  // the normal pushes the later block on, and the earlier one back
        if (block < 0 || block >= blocks) continue;
        const double sign = block == j ? 1 : -1, centre = (2 * block + 1) * half;
        const double arm[2] = {radius * std::cos(angle) - std::cos(centre),
                               radius * std::sin(angle) - std::sin(centre)};
        for (auto [matrix, d] : {std::pair{&load.normal, across}, std::pair{&load.tangential, along}}) {
          (*matrix)(3 * block, column) = sign * d[0];
          (*matrix)(3 * block + 1, column) = sign * d[1];
          (*matrix)(3 * block + 2, column) = sign * (arm[0] * d[1] - arm[1] * d[0]);
        }
      }
    }
  }
  return load;
}

TEST(CanonicalShare, ArchesOfUpToFiftyJointsAreSharedAndTheirMirrorImagesAlike) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int found = 0, tried = 0;
  for (const int blocks : {3, 5, 8, 15, 24, 31, 49})
    for (const double thickness : {0.13, 0.14, 0.2, 0.3})
      for (const double mu : {0.5, 0.7, 1.0}) {
        const SharedLoad load = arch(blocks, thickness, mu);
        const Index n = load.normal.cols();
        CanonicalShare share;
        VectorXd N, t;
        ++tried;
        if (!share.share(load, std::vector<double>(static_cast<std::size_t>(n), 1.0), N, t)) {
          ADD_FAILURE() << blocks << " blocks, thickness " << thickness << ", mu " << mu;
          continue;
        }
        ++found;
        const double size = N.norm();
        EXPECT_LT((load.normal * N + load.tangential * t - load.load).norm(), 1e-12 * size);
        for (Index c = 0; c < n; ++c) {
          const Index mirror = n - 2 - (c / 2) * 2 + c % 2;
          EXPECT_NEAR(N[c], N[mirror], 1e-9 * size) << blocks << ' ' << thickness << ' ' << mu << " at " << c;
          EXPECT_NEAR(t[c], -t[mirror], 1e-9 * size) << blocks << ' ' << thickness << ' ' << mu << " at " << c;
          EXPECT_LE(std::fabs(t[c]), mu * N[c] * (1 + 1e-12));
        }
        MatrixXd G(load.normal.rows(), 2 * n);
        G << load.normal, load.tangential;
        const MatrixXd free = Eigen::FullPivLU<MatrixXd>(G).kernel();
        for (int other = 0; other < 200; ++other) {
          const VectorXd d = free * VectorXd::NullaryExpr(free.cols(), [&] { return normal(random); });
          const double s = room(load, N, t, d.head(n), d.tail(n));
          EXPECT_GE(t.dot(s * d.tail(n)), -1e-7 * size * size);
        }
      }
  EXPECT_EQ(found, tried);
}

}  // namespace
}  // namespace stickslip::contact
