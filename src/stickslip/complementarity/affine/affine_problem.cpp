// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/affine_problem.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace stickslip::complementarity {
namespace {

// Below this size a dense matrix is faster whatever its pattern.
constexpr Eigen::Index kAlwaysDense = 12;

AffineProblem assemble(Eigen::SparseMatrix<double> M, Eigen::VectorXd q, Eigen::VectorXd lower, Eigen::VectorXd upper) {
  AffineProblem problem;
  M.makeCompressed();
  problem.is_dense = prefers_dense(M.rows(), M.nonZeros());
  if (problem.is_dense) {
    problem.dense = M;
  } else {
    problem.sparse = std::move(M);
  }
  problem.q = std::move(q);
  problem.lower = std::move(lower);
  problem.upper = std::move(upper);
  return problem;
}

void append(std::vector<Eigen::Triplet<double>>& entries, const Eigen::SparseMatrix<double>& block, Eigen::Index row,
            Eigen::Index column) {
  for (Eigen::Index j = 0; j < block.outerSize(); ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(block, j); it; ++it) {
      entries.emplace_back(static_cast<int>(it.row() + row), static_cast<int>(it.col() + column), it.value());
    }
  }
}

}  // namespace

bool prefers_dense(Eigen::Index size, Eigen::Index entries) {
  const double all = static_cast<double>(size) * static_cast<double>(size);
  return size <= kAlwaysDense || static_cast<double>(entries) > 0.25 * all;
}

AffineProblem make_lcp(Eigen::MatrixXd M, Eigen::VectorXd q) {
  AffineProblem problem;
  problem.is_dense = true;
  problem.dense = std::move(M);
  problem.lower = Eigen::VectorXd::Zero(q.size());
  problem.upper = Eigen::VectorXd::Constant(q.size(), kInfinity);
  problem.q = std::move(q);
  return problem;
}

AffineProblem make_lcp(Eigen::SparseMatrix<double> M, Eigen::VectorXd q) {
  const Eigen::Index n = q.size();
  return assemble(std::move(M), std::move(q), Eigen::VectorXd::Zero(n), Eigen::VectorXd::Constant(n, kInfinity));
}

AffineProblem make_box_lcp(Eigen::SparseMatrix<double> M, Eigen::VectorXd q, Eigen::VectorXd lower,
                           Eigen::VectorXd upper) {
  return assemble(std::move(M), std::move(q), std::move(lower), std::move(upper));
}

MixedLcpForm make_mixed_lcp(const MixedLcp& blocks) {
  const Eigen::Index equations = blocks.a.size(), unknowns = blocks.A.cols(), m = blocks.b.size();
  const Eigen::Index free = std::max(equations, unknowns), n = free + m;

  std::vector<Eigen::Triplet<double>> entries;
  append(entries, blocks.A, 0, 0);
  append(entries, blocks.C, 0, free);
  append(entries, blocks.D, free, 0);
  append(entries, blocks.B, free, free);
  Eigen::SparseMatrix<double> M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());

  Eigen::VectorXd q = Eigen::VectorXd::Zero(n), lower = Eigen::VectorXd::Constant(n, -kInfinity);
  q.head(equations) = blocks.a;
  q.tail(m) = blocks.b;
  lower.tail(m).setZero();

  MixedLcpForm form;
  form.problem = assemble(std::move(M), std::move(q), std::move(lower), Eigen::VectorXd::Constant(n, kInfinity));
  form.unknowns_free = unknowns;
  return form;
}

std::string validate(const AffineProblem& problem) {
  const Eigen::Index n = problem.size();
  const Eigen::Index rows = problem.is_dense ? problem.dense.rows() : problem.sparse.rows();
  const Eigen::Index columns = problem.is_dense ? problem.dense.cols() : problem.sparse.cols();
  if (rows != n || columns != n) return fmt::format("matrix is {} x {}, but q has {} entries", rows, columns, n);
  if (problem.lower.size() != n || problem.upper.size() != n) {
    return fmt::format("{} lower and {} upper bounds for {} unknowns", problem.lower.size(), problem.upper.size(), n);
  }
  if (!problem.is_dense && !problem.sparse.isCompressed()) return "sparse matrix is not compressed";
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!std::isfinite(problem.q[i])) return fmt::format("q[{}] is not a finite number", i);
    const double lower = problem.lower[i], upper = problem.upper[i];
    if (std::isnan(lower) || std::isnan(upper)) return fmt::format("a bound of unknown {} is not a number", i);
    if (lower > upper) return fmt::format("unknown {}: lower bound {} above upper bound {}", i, lower, upper);
    if (lower == kInfinity || upper == -kInfinity) return fmt::format("unknown {} has an empty range", i);
  }
  if (problem.is_dense) {
    // Products with 0 are 0 for finite numbers alone, and their sum takes several at once, which allFinite() does not.
    if ((problem.dense.array() * 0).sum() != 0) return "the matrix has an entry that is not a finite number";
  } else {
    const double* value = problem.sparse.valuePtr();
    for (Eigen::Index k = 0; k < problem.sparse.nonZeros(); ++k) {
      if (!std::isfinite(value[k])) return "the matrix has an entry that is not a finite number";
    }
  }
  return {};
}

}  // namespace stickslip::complementarity
