// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/lemke_basis.h"

#include "stickslip/complementarity/affine/lazy_schur.h"
#include "stickslip/complementarity/affine/matrix_columns.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace stickslip::complementarity {
namespace {

// Order from which a sparse basis is factored sparsely. Measured on stacks of boxes: the explicit inverse wins below.
constexpr int kLargeBasis = 256;

}  // namespace

template <class Matrix>
void LemkeBasis<Matrix>::reset(const Matrix& M, const double* cover) {
  M_ = &M;
  cover_ = cover;
  n_ = M.size();
  k_ = 0;
  large_ = false;
  inverse_.clear();
  column_position_.assign(static_cast<std::size_t>(n_) + 1, -1);
  row_position_.assign(static_cast<std::size_t>(n_) + 1, -1);
}

template <class Matrix>
void LemkeBasis<Matrix>::reserve(int k) {
  if (k <= static_cast<int>(C_.size())) return;
  const int room = std::max(16, k + k / 2);
  C_.resize(room);
  R_.resize(room);
  scratch_.resize(room);
  column_.resize(room);
}

template <class Matrix>
void LemkeBasis<Matrix>::append(int i, int j) {
  reserve(k_ + 1);
  C_[k_] = j;
  R_[k_] = i;
  column_position_[j] = k_;
  row_position_[i] = k_;
  ++k_;
}

template <class Matrix>
void LemkeBasis<Matrix>::clear() {
  for (int c = 0; c < k_; ++c) {
    column_position_[C_[c]] = -1;
    row_position_[R_[c]] = -1;
  }
  k_ = 0;
  large_ = false;
  inverse_.clear();
}

// Compressed columns of K, rows numbered so that unknown j and equation j meet on the diagonal wherever both are
// present.
template <class Matrix>
bool LemkeBasis<Matrix>::factor_sparse() {
  if constexpr (std::is_same_v<Matrix, SparseColumns>) {
    const auto k = static_cast<std::size_t>(k_);
    row_of_.assign(k, -1);
    partner_.clear();
    for (int c = 0; c < k_; ++c) {
      const int r = C_[c] < n_ ? row_position_[C_[c]] : -1;
      if (r >= 0) {
        row_of_[r] = c;
      } else {
        partner_.push_back(c);
      }
    }
    for (int r = 0; r < k_; ++r) {
      if (row_of_[r] >= 0) continue;
      row_of_[r] = partner_.back();
      partner_.pop_back();
    }
    block_start_.assign(1, 0);
    block_row_.clear();
    block_value_.clear();
    for (int c = 0; c < k_; ++c) {
      const auto put = [&](int i, double value) {
        if (const int r = row_position_[i]; r >= 0 && value != 0) {
          block_row_.push_back(row_of_[r]);
          block_value_.push_back(value);
        }
      };
      if (C_[c] < n_) {
        M_->for_each_in_column(C_[c], put);
      } else {
        for (int r = 0; r < k_; ++r) put(R_[r], cover_[R_[r]]);
      }
      block_start_.push_back(static_cast<int>(block_row_.size()));
    }
    block_order_.clear();
    for (const int j : elimination_.order_of(n_, M_->column_start(), M_->column_row())) {
      if (column_position_[j] >= 0) block_order_.push_back(column_position_[j]);
    }
    if (column_position_[n_] >= 0) block_order_.push_back(column_position_[n_]);
    return bordered_.factor(k_, block_start_.data(), block_row_.data(), block_value_.data(), block_order_.data(),
                            row_of_.data());
  } else {
    return false;
  }
}

template <class Matrix>
bool LemkeBasis<Matrix>::factor() {
  large_ = std::is_same_v<Matrix, SparseColumns> && k_ > kLargeBasis;
  if (large_) return factor_sparse();
  if (k_ == 0) {
    inverse_.clear();
    return true;
  }
  const std::size_t needed = static_cast<std::size_t>(k_) * k_;
  if (rows_.size() < needed) rows_.resize(C_.size() * C_.size());
  for (int r = 0; r < k_; ++r) gather_row(R_[r], rows_.data() + static_cast<std::size_t>(r) * k_);
  return inverse_.invert(rows_.data(), k_, k_);
}

template <class Matrix>
void LemkeBasis<Matrix>::solve_column(int j, double* u) {
  gather_column(j, scratch_.data());
  solve(scratch_.data(), u);
}

template <class Matrix>
void LemkeBasis<Matrix>::gather_column(int j, double* out) const {
  if (j < n_) {
    M_->gather_column(j, R_.data(), row_position_.data(), k_, out);
  } else {
    gather(cover_, out);
  }
}

template <class Matrix>
void LemkeBasis<Matrix>::solve_unit(int r, double* x) {
  if (!large_) {
    std::copy_n(inverse_.column(r), k_, x);
    return;
  }
  std::fill_n(scratch_.begin(), k_, 0.0);
  scratch_[r] = 1;
  bordered_.solve(scratch_.data(), x);
}

template <class Matrix>
void LemkeBasis<Matrix>::solve_row(int i, double* b) {
  gather_row(i, scratch_.data());
  inverse_.solve_transposed(scratch_.data(), b);
}

template <class Matrix>
void LemkeBasis<Matrix>::price(const double* x, double* y) const {
  M_->add_columns(C_.data(), x, k_, y);
  if (const int c = column_position_[n_]; c >= 0 && x[c] != 0) kernels::add_scaled(y, x[c], cover_, n_);
}

template <class Matrix>
void LemkeBasis<Matrix>::gather(const double* y, double* out) const {
  for (int r = 0; r < k_; ++r) out[r] = y[R_[r]];
}

template <class Matrix>
void LemkeBasis<Matrix>::gather_row(int i, double* out) const {
  M_->gather_row(i, C_.data(), column_position_.data(), k_, out);
  if (const int c = column_position_[n_]; c >= 0) out[c] = cover_[i];
}

template <class Matrix>
bool LemkeBasis<Matrix>::replace_column(int c, int j, const double* u) {
  if (u[c] == 0) return false;
  if (large_) {
    gather_column(j, column_.data());
    if (!bordered_.replace_column(c, column_.data())) return false;
  } else {
    inverse_.replace_column(c, u);
  }
  column_position_[C_[c]] = -1;
  C_[c] = j;
  column_position_[j] = c;
  return true;
}

template <class Matrix>
bool LemkeBasis<Matrix>::replace_row(int r, int i) {
  gather_row(i, scratch_.data());
  if (!(large_ ? bordered_.replace_row(r, scratch_.data()) : inverse_.replace_row(r, scratch_.data()))) return false;
  row_position_[R_[r]] = -1;
  R_[r] = i;
  row_position_[i] = r;
  return true;
}

template <class Matrix>
bool LemkeBasis<Matrix>::grow(int i, int j, const double* u) {
  reserve(k_ + 1);
  gather_row(i, scratch_.data());
  if (large_) {
    gather_column(j, column_.data());
    if (!bordered_.grow(scratch_.data(), column_.data(), entry(i, j))) return false;
  } else if (!inverse_.grow(scratch_.data(), u, entry(i, j))) {
    return false;
  }
  append(i, j);
  return true;
}

template <class Matrix>
bool LemkeBasis<Matrix>::shrink(int r, int c) {
  if (!(large_ ? bordered_.shrink(r, c) : inverse_.shrink(r, c))) return false;
  const int last = k_ - 1;
  column_position_[C_[c]] = -1;
  row_position_[R_[r]] = -1;
  if (c != last) {
    C_[c] = C_[last];
    column_position_[C_[c]] = c;
  }
  if (r != last) {
    R_[r] = R_[last];
    row_position_[R_[r]] = r;
  }
  k_ = last;
  return true;
}

template class LemkeBasis<DenseColumns>;
template class LemkeBasis<SparseColumns>;
template class LemkeBasis<LazySchur>;

}  // namespace stickslip::complementarity
