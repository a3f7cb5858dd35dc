// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/lemke_basis.h"

#include "stickslip/complementarity/affine/lazy_schur.h"
#include "stickslip/complementarity/affine/matrix_columns.h"

#include <algorithm>
#include <cstddef>

namespace stickslip::complementarity {

template <class Matrix>
void LemkeBasis<Matrix>::reset(const Matrix& M, const double* cover) {
  M_ = &M;
  cover_ = cover;
  n_ = M.size();
  k_ = 0;
  inverse_.clear();
  column_position_.assign(static_cast<std::size_t>(n_) + 1, -1);
  row_position_.assign(static_cast<std::size_t>(n_) + 1, -1);
}

template <class Matrix>
void LemkeBasis<Matrix>::reserve(int k) {
  if (k <= static_cast<int>(C_.size())) return;
  const int room = std::max(16, k + k / 2);
  inverse_.reserve(room);
  C_.resize(room);
  R_.resize(room);
  scratch_.resize(room);
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
  inverse_.clear();
}

template <class Matrix>
bool LemkeBasis<Matrix>::factor() {
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
  if (j < n_) {
    M_->gather_column(j, R_.data(), row_position_.data(), k_, scratch_.data());
  } else {
    gather(cover_, scratch_.data());
  }
  inverse_.solve(scratch_.data(), u);
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
  inverse_.replace_column(c, u);
  column_position_[C_[c]] = -1;
  C_[c] = j;
  column_position_[j] = c;
  return true;
}

template <class Matrix>
bool LemkeBasis<Matrix>::replace_row(int r, int i) {
  gather_row(i, scratch_.data());
  if (!inverse_.replace_row(r, scratch_.data())) return false;
  row_position_[R_[r]] = -1;
  R_[r] = i;
  row_position_[i] = r;
  return true;
}

template <class Matrix>
bool LemkeBasis<Matrix>::grow(int i, int j, const double* u) {
  reserve(k_ + 1);
  gather_row(i, scratch_.data());
  if (!inverse_.grow(scratch_.data(), u, entry(i, j))) return false;
  append(i, j);
  return true;
}

template <class Matrix>
bool LemkeBasis<Matrix>::shrink(int r, int c) {
  if (!inverse_.shrink(r, c)) return false;
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
