// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The linear algebra under the pivoting: explicit inverse with its four updates, sparse LU.
#include "stickslip/complementarity/affine/basis_inverse.h"
#include "stickslip/complementarity/affine/elimination_order.h"
#include "stickslip/complementarity/affine/sparse_lu.h"
#include "tests/problems/affine_generators.h"
#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>
#include <Eigen/LU>
#include <vector>

namespace stickslip::complementarity {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor random_matrix(int n, PortableRandom& random) {
  RowMajor K(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) K(i, j) = random.normal();
  }
  return K;
}

// Random matrices of this order have condition numbers up to 1e4; updates lose no more than that.
void expect_inverse(const BasisInverse& inverse, const RowMajor& K) {
  ASSERT_EQ(inverse.order(), K.rows());
  for (int r = 0; r < K.rows(); ++r) {
    const Eigen::Map<const Eigen::VectorXd> column(inverse.column(r), K.rows());
    EXPECT_LE((K * column - Eigen::VectorXd::Unit(K.rows(), r)).lpNorm<Eigen::Infinity>(), 1e-9);
  }
}

TEST(BasisInverse, FourUpdatesKeepTheInverse) {
  PortableRandom random(4);
  BasisInverse inverse;
  RowMajor K = random_matrix(7, random);
  ASSERT_TRUE(inverse.invert(K.data(), 7, 7));
  for (int step = 0; step < 60; ++step) {
    const auto k = static_cast<int>(K.rows());
    Eigen::VectorXd a(k), v(k), u(k);
    for (int i = 0; i < k; ++i) {
      a[i] = random.normal();
      v[i] = random.normal();
    }
    inverse.solve(a.data(), u.data());
    const int where = random.index(k), other = random.index(k);
    switch (step % 4) {
      case 0:
        K.col(where) = a;
        inverse.replace_column(where, u.data());
        break;
      case 1:
        K.row(where) = v.transpose();
        ASSERT_TRUE(inverse.replace_row(where, v.data()));
        break;
      case 2: {
        RowMajor larger(k + 1, k + 1);
        larger << K, a, v.transpose(), 0.7;
        K = larger;
        ASSERT_TRUE(inverse.grow(v.data(), u.data(), 0.7));
        break;
      }
      default: {
        K.row(where) = K.row(k - 1).eval();
        K.col(other) = K.col(k - 1).eval();
        K = RowMajor(K.topLeftCorner(k - 1, k - 1));
        ASSERT_TRUE(inverse.shrink(where, other));
      }
    }
    expect_inverse(inverse, K);
  }
}

TEST(BasisInverse, SingularMatricesAreRefused) {
  BasisInverse inverse;
  RowMajor K = RowMajor::Ones(3, 3);
  EXPECT_FALSE(inverse.invert(K.data(), 3, 3));
  K.setIdentity();
  K.row(2).setZero();
  EXPECT_FALSE(inverse.invert(K.data(), 3, 3));
}

TEST(SparseLu, SolvesWhatDenseLuSolves) {
  PortableRandom random(8);
  for (int trial = 0; trial < 30; ++trial) {
    const int n = 5 + 7 * trial;
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i) {
      entries.emplace_back(i, (i * 7 + 3) % n, 1 + random.uniform(0, 1));  // regular, and not on the diagonal
      for (int k = 0; k < 2; ++k) entries.emplace_back(i, random.index(n), 0.3 * random.normal());
    }
    Eigen::SparseMatrix<double> A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    const Eigen::MatrixXd dense = A;
    if (dense.fullPivLu().rcond() < 1e-8) continue;
    EliminationOrder elimination;
    SparseLu lu;
    ASSERT_TRUE(lu.factor(n, A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr(),
                          elimination.order_of(n, A.outerIndexPtr(), A.innerIndexPtr()).data()));
    Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, -1, 2), x = b;
    lu.solve(x.data());
    EXPECT_LE((dense * x - b).lpNorm<Eigen::Infinity>(), 1e-8) << n;
  }
}

TEST(SparseLu, LittleFillOnAGrid) {
  const AffineProblem membrane = obstacle(40);
  EliminationOrder elimination;
  SparseLu lu;
  const auto& M = membrane.sparse;
  ASSERT_TRUE(lu.factor(1600, M.outerIndexPtr(), M.innerIndexPtr(), M.valuePtr(),
                        elimination.order_of(1600, M.outerIndexPtr(), M.innerIndexPtr()).data()));
  EXPECT_LT(lu.entries(), 60000);  // in the order of the grid it would be 2 x 1600 x 40
}

TEST(SparseLu, SingularMatricesAreRefused) {
  Eigen::SparseMatrix<double> A(2, 2);
  A.insert(0, 0) = 1;
  A.insert(0, 1) = 2;
  A.makeCompressed();
  const int order[] = {0, 1};
  SparseLu lu;
  EXPECT_FALSE(lu.factor(2, A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr(), order));
}

}  // namespace
}  // namespace stickslip::complementarity
