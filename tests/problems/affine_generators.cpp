// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "tests/problems/affine_generators.h"

#include "tests/problems/portable_random.h"

#include <Eigen/LU>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace stickslip::complementarity {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd murty_matrix(int n) {
  MatrixXd L = MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) L(i, j) = 2;
  }
  return L;
}

VectorXd lemke_vector(int n) {
  VectorXd q(n);
  double sum = 0;
  for (int i = 0; i < n; ++i) q[i] = -(sum += std::ldexp(1.0, n - i));
  return q;
}

MatrixXd normal_matrix(int rows, int columns, PortableRandom& random) {
  MatrixXd A(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) A(i, j) = random.normal();
  }
  return A;
}

MatrixXd uniform_matrix(int n, double size, PortableRandom& random) {
  MatrixXd A(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) A(i, j) = random.uniform(-size, size);
  }
  return A;
}

MatrixXd dominant_matrix(int n, PortableRandom& random) {
  MatrixXd A = uniform_matrix(n, 1, random);
  A.diagonal().setZero();
  const VectorXd size = A.cwiseAbs().rowwise().sum();
  A.diagonal() = 1.02 * size.array() + 0.01;
  return A;
}

// A third of the pairs with z > 0, a third with w > 0, a third with both zero, in random order.
KnownProblem with_degenerate_solution(MatrixXd M, PortableRandom& random) {
  const auto n = static_cast<int>(M.rows());
  VectorXd z = VectorXd::Zero(n), w = VectorXd::Zero(n);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.index(i + 1)]);
  for (int i = 0; i < n / 3; ++i) z[order[i]] = random.uniform(0.1, 1);
  for (int i = n / 3; i < 2 * (n / 3); ++i) w[order[i]] = random.uniform(0.1, 1);
  VectorXd q = w - M * z;
  return {make_lcp(std::move(M), std::move(q)), z};
}

}  // namespace

AffineProblem murty(int n) {
  return make_lcp(murty_matrix(n), VectorXd::Constant(n, -1));
}
AffineProblem murty_upper(int n) {
  return make_lcp(murty_matrix(n).transpose(), VectorXd::Constant(n, -1));
}
AffineProblem murty_lemke(int n) {
  return make_lcp(murty_matrix(n), lemke_vector(n));
}

AffineProblem fathi(int n) {
  const MatrixXd L = murty_matrix(n);
  return make_lcp(L * L.transpose(), VectorXd::Constant(n, -1));
}

AffineProblem fathi_lemke(int n) {
  const MatrixXd L = murty_matrix(n);
  return make_lcp(L * L.transpose(), lemke_vector(n));
}

AffineProblem harker_pang(int n, std::uint64_t seed) {
  PortableRandom random(seed);
  const MatrixXd A = uniform_matrix(n, 5, random), B = uniform_matrix(n, 5, random);
  MatrixXd M = A.transpose() * A + B - B.transpose();
  for (int i = 0; i < n; ++i) M(i, i) += random.uniform(0, 0.3);
  VectorXd q(n);
  for (int i = 0; i < n; ++i) q[i] = random.uniform(-500, 500);
  return make_lcp(std::move(M), std::move(q));
}

AffineProblem p_matrix(int n, std::uint64_t seed) {
  PortableRandom random(seed);
  const MatrixXd A = dominant_matrix(n, random), B = dominant_matrix(n, random);
  MatrixXd M = A.partialPivLu().solve(B);
  VectorXd q(n);
  for (int i = 0; i < n; ++i) q[i] = random.normal();
  return make_lcp(std::move(M), std::move(q));
}

AffineProblem m_matrix(int n, std::uint64_t seed) {
  PortableRandom random(seed);
  std::vector<Eigen::Triplet<double>> entries;
  VectorXd size = VectorXd::Zero(n);
  for (int k = 0; k < 3 * n; ++k) {
    const int i = random.index(n), j = random.index(n);
    if (i == j) continue;
    const double value = random.uniform(0, 1);
    entries.emplace_back(i, j, -value);
    size[i] += value;
  }
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, 1.05 * size[i] + 0.05);
  Eigen::SparseMatrix<double> M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());
  VectorXd q(n);
  for (int i = 0; i < n; ++i) q[i] = random.normal();
  return make_lcp(std::move(M), std::move(q));
}

AffineProblem obstacle(int k) {
  const int n = k * k;
  const double spacing = 1.0 / (k + 1);
  std::vector<Eigen::Triplet<double>> entries;
  VectorXd height(n);
  for (int y = 0; y < k; ++y) {
    for (int x = 0; x < k; ++x) {
      const int i = y * k + x;
      const double dx = (x + 1) * spacing - 0.5, dy = (y + 1) * spacing - 0.5;
      height[i] = -0.02 - 0.1 * (dx * dx + dy * dy);
      entries.emplace_back(i, i, 4);
      if (x > 0) entries.emplace_back(i, i - 1, -1);
      if (x + 1 < k) entries.emplace_back(i, i + 1, -1);
      if (y > 0) entries.emplace_back(i, i - k, -1);
      if (y + 1 < k) entries.emplace_back(i, i + k, -1);
    }
  }
  Eigen::SparseMatrix<double> M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());
  VectorXd q = M * height + VectorXd::Constant(n, spacing * spacing);
  return make_lcp(std::move(M), std::move(q));
}

KnownProblem semidefinite(int n, std::uint64_t seed) {
  PortableRandom random(seed);
  const MatrixXd A = normal_matrix(n / 2, n, random);
  return with_degenerate_solution(A.transpose() * A, random);
}

KnownProblem monotone(int n, std::uint64_t seed) {
  PortableRandom random(seed);
  const MatrixXd A = normal_matrix(std::max(2, n / 5), n, random);
  MatrixXd B = normal_matrix(n, n, random);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (random.uniform(0, 1) * n >= 10) B(i, j) = 0;
    }
  }
  return with_degenerate_solution(A.transpose() * A + B - B.transpose(), random);
}

}  // namespace stickslip::complementarity
