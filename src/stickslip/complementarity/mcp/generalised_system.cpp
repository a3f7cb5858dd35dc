// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/generalised_system.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {

bool GeneralisedSystem::is_dense() const {
  const Eigen::Index n = dx_.size();
  return n <= kDenseSize || (n <= 2000 && J_->nonZeros() * 4 > n * n);
}

void GeneralisedSystem::set(const Sparse& J, const Eigen::VectorXd& dx, const Eigen::VectorXd& df) {
  J_ = &J;
  dx_ = dx;
  df_ = df;
}

void GeneralisedSystem::gradient(const Eigen::VectorXd& phi, Eigen::VectorXd& g) const {
  g.resize(phi.size());
  for (Eigen::Index j = 0; j < phi.size(); ++j) {
    double sum = dx_[j] * phi[j];
    for (Sparse::InnerIterator entry(*J_, j); entry; ++entry)
      sum += entry.value() * df_[entry.row()] * phi[entry.row()];
    g[j] = sum;
  }
}

// Unknowns whose row is D_x d_i = rhs_i are set; the rest of the system gets their part on the right-hand side.
void GeneralisedSystem::reduce(const Eigen::VectorXd& rhs, Eigen::VectorXd& d) {
  const Eigen::Index n = rhs.size();
  d.resize(n);
  kept_.clear();
  position_.resize(static_cast<std::size_t>(n));
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool fixed = df_[i] == 0 && dx_[i] != 0;
    position_[static_cast<std::size_t>(i)] = fixed ? -1 : static_cast<int>(kept_.size());
    if (fixed)
      d[i] = rhs[i] / dx_[i];
    else
      kept_.push_back(static_cast<int>(i));
  }
  work_ = rhs;
  for (Eigen::Index j = 0; j < n; ++j) {
    if (position_[static_cast<std::size_t>(j)] >= 0 || d[j] == 0) continue;
    for (Sparse::InnerIterator entry(*J_, j); entry; ++entry)
      work_[entry.row()] -= df_[entry.row()] * entry.value() * d[j];
  }
  reduced_rhs_.resize(n);
  for (std::size_t k = 0; k < kept_.size(); ++k) reduced_rhs_[static_cast<Eigen::Index>(k)] = work_[kept_[k]];
}

bool GeneralisedSystem::newton(const Eigen::VectorXd& rhs, Eigen::VectorXd& d) {
  kept_.reserve(static_cast<std::size_t>(rhs.size()));
  reduce(rhs, d);
  if (!kept_.empty()) {
    if (!(is_dense() ? newton_dense() : newton_sparse())) return false;
    for (std::size_t k = 0; k < kept_.size(); ++k) d[kept_[k]] = reduced_rhs_[static_cast<Eigen::Index>(k)];
  }
  return d.allFinite() && solves(rhs, d);
}

// LU with partial pivoting in the leading m x m block of A, applied to b in place. Eigen's own decomposition would
// allocate whenever m changes, and m changes with the active set.
bool GeneralisedSystem::solve_in_place(Eigen::MatrixXd& A, Eigen::Index m, Eigen::VectorXd& b) {
  for (Eigen::Index k = 0; k < m; ++k) {
    Eigen::Index pivot = 0;
    const double largest = A.col(k).segment(k, m - k).cwiseAbs().maxCoeff(&pivot);
    if (!(largest > 0)) return false;
    pivot += k;
    if (pivot != k) {
      A.row(k).head(m).swap(A.row(pivot).head(m));
      std::swap(b[k], b[pivot]);
    }
    const Eigen::Index rest = m - k - 1;
    A.col(k).segment(k + 1, rest) /= A(k, k);
    for (Eigen::Index j = k + 1; j < m; ++j)
      if (A(k, j) != 0) A.col(j).segment(k + 1, rest) -= A(k, j) * A.col(k).segment(k + 1, rest);
    b.segment(k + 1, rest) -= b[k] * A.col(k).segment(k + 1, rest);
  }
  for (Eigen::Index k = m - 1; k >= 0; --k) {
    b[k] /= A(k, k);
    b.head(k) -= b[k] * A.col(k).head(k);
  }
  return true;
}

bool GeneralisedSystem::newton_dense() {
  const auto m = static_cast<Eigen::Index>(kept_.size());
  const Eigen::Index n = dx_.size();
  dense_.resize(n, n);
  dense_.topLeftCorner(m, m).setZero();
  for (Eigen::Index k = 0; k < m; ++k) {
    const int j = kept_[static_cast<std::size_t>(k)];
    for (Sparse::InnerIterator entry(*J_, j); entry; ++entry) {
      const int i = position_[static_cast<std::size_t>(entry.row())];
      if (i >= 0) dense_(i, k) += df_[entry.row()] * entry.value();
    }
    dense_(k, k) += dx_[j];
  }
  if (m <= kDenseSize) return solve_in_place(dense_, m, reduced_rhs_);
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(dense_.topLeftCorner(m, m));
  reduced_rhs_.head(m) = lu.solve(reduced_rhs_.head(m).eval());
  return true;
}

bool GeneralisedSystem::newton_sparse() {
  assemble_sparse();
  if (!same_pattern()) {
    sparse_lu_.analyzePattern(sparse_);
    analysed_outer_.assign(sparse_.outerIndexPtr(), sparse_.outerIndexPtr() + sparse_.cols() + 1);
    analysed_inner_.assign(sparse_.innerIndexPtr(), sparse_.innerIndexPtr() + sparse_.nonZeros());
  }
  sparse_lu_.factorize(sparse_);
  if (sparse_lu_.info() != Eigen::Success) return false;
  const auto m = static_cast<Eigen::Index>(kept_.size());
  reduced_rhs_.head(m) = sparse_lu_.solve(reduced_rhs_.head(m).eval());
  return sparse_lu_.info() == Eigen::Success;
}

// The reduced H with its diagonal always stored, so that the pattern depends on J and the eliminated rows only.
void GeneralisedSystem::assemble_sparse() {
  const auto m = static_cast<Eigen::Index>(kept_.size());
  sparse_.resize(m, m);
  sparse_.reserve(J_->nonZeros() + m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const int j = kept_[static_cast<std::size_t>(k)];
    sparse_.startVec(k);
    bool diagonal_done = false;
    for (Sparse::InnerIterator entry(*J_, j); entry; ++entry) {
      const int i = position_[static_cast<std::size_t>(entry.row())];
      if (i < 0) continue;
      double value = df_[entry.row()] * entry.value();
      if (i == k) {
        value += dx_[j];
        diagonal_done = true;
      } else if (i > k && !diagonal_done) {
        sparse_.insertBack(k, k) = dx_[j];
        diagonal_done = true;
      }
      sparse_.insertBack(i, k) = value;
    }
    if (!diagonal_done) sparse_.insertBack(k, k) = dx_[j];
  }
  sparse_.finalize();
}

bool GeneralisedSystem::same_pattern() const {
  return static_cast<Eigen::Index>(analysed_outer_.size()) == sparse_.cols() + 1 &&
         static_cast<Eigen::Index>(analysed_inner_.size()) == sparse_.nonZeros() &&
         std::equal(analysed_outer_.begin(), analysed_outer_.end(), sparse_.outerIndexPtr()) &&
         std::equal(analysed_inner_.begin(), analysed_inner_.end(), sparse_.innerIndexPtr());
}

// A nearly singular factorisation shows in the residual of the system itself.
bool GeneralisedSystem::solves(const Eigen::VectorXd& rhs, const Eigen::VectorXd& d) {
  double worst = 0, largest = 0;
  Eigen::VectorXd& r = work_;
  r.setZero(rhs.size());
  for (Eigen::Index j = 0; j < d.size(); ++j)
    for (Sparse::InnerIterator entry(*J_, j); entry; ++entry) r[entry.row()] += entry.value() * d[j];
  for (Eigen::Index i = 0; i < d.size(); ++i) {
    worst = std::max(worst, std::abs(df_[i] * r[i] + dx_[i] * d[i] - rhs[i]));
    largest = std::max(largest, std::abs(rhs[i]));
  }
  return worst <= 1e-2 * largest;
}

bool GeneralisedSystem::levenberg_marquardt(const Eigen::VectorXd& phi, double lambda, const std::vector<char>& frozen,
                                            Eigen::VectorXd& d) {
  const Eigen::Index n = phi.size();
  const double root = std::sqrt(lambda);
  const auto column_value = [&](const Sparse::InnerIterator& entry) { return df_[entry.row()] * entry.value(); };
  if (is_dense()) {
    // QR of [H; sqrt(lambda) I] instead of the normal equations: at singular solutions every digit counts. The
    // right-hand side is one more column, which the factorisation multiplies by Q' on its way.
    stacked_.setZero(2 * n, n + 1);
    for (Eigen::Index j = 0; j < n; ++j) {
      stacked_(n + j, j) = root;
      if (frozen[static_cast<std::size_t>(j)]) continue;
      for (Sparse::InnerIterator entry(*J_, j); entry; ++entry) stacked_(entry.row(), j) += column_value(entry);
      stacked_(j, j) += dx_[j];
    }
    stacked_.col(n).head(n) = -phi;
    qr_.compute(stacked_);
    d = qr_.matrixQR().col(n).head(n);
    qr_.matrixQR().topLeftCorner(n, n).triangularView<Eigen::Upper>().solveInPlace(d);
    return d.allFinite();
  }
  full_ = *J_;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Sparse::InnerIterator entry(full_, j); entry; ++entry)
      entry.valueRef() *= frozen[static_cast<std::size_t>(j)] ? 0 : df_[entry.row()];
  Sparse diagonal(n, n);
  diagonal.reserve(Eigen::VectorXi::Ones(n));
  for (Eigen::Index j = 0; j < n; ++j) diagonal.insert(j, j) = frozen[static_cast<std::size_t>(j)] ? 0 : dx_[j];
  full_ = full_ + diagonal;
  normal_ = Sparse(full_.transpose()) * full_;
  for (Eigen::Index j = 0; j < n; ++j) diagonal.coeffRef(j, j) = lambda;
  normal_ = normal_ + diagonal;
  ldlt_.compute(normal_);
  if (ldlt_.info() != Eigen::Success) return false;
  d = ldlt_.solve(-(full_.transpose() * phi));
  return d.allFinite();
}

}  // namespace stickslip::complementarity
