// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/basis_repair.h"

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/lazy_schur.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace stickslip::complementarity {
namespace {

constexpr double kDependent = 1e-10;  // a pivot below this part of the largest entry counts as zero
constexpr double kNoBridge = 1e-9;    // the same for Schur entries, against the largest term of their row or column

bool contains(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

template <class Matrix>
void BasisRepair<Matrix>::keep_independent_part(const Matrix& M, LemkeBasis<Matrix>& basis) {
  const int m = basis.order();
  rows_.resize(m);
  columns_.resize(m);
  row_order_.resize(m);
  column_order_.resize(m);
  matrix_.resize(static_cast<std::size_t>(m) * m);
  for (int i = 0; i < m; ++i) {
    rows_[i] = basis.row(i);
    columns_[i] = basis.column(i);
    row_order_[i] = column_order_[i] = i;
    basis.gather_row(rows_[i], matrix_.data() + static_cast<std::size_t>(i) * m);
  }
  const auto entry = [&](int i, int j) -> double& {
    return matrix_[static_cast<std::size_t>(row_order_[i]) * m + column_order_[j]];
  };
  int rank = 0;
  double first = 0;
  for (; rank < m; ++rank) {
    int pivot_row = rank, pivot_column = rank;
    double largest = 0;
    for (int i = rank; i < m; ++i) {
      for (int j = rank; j < m; ++j) {
        if (const double value = std::fabs(entry(i, j)); value > largest) {
          largest = value;
          pivot_row = i;
          pivot_column = j;
        }
      }
    }
    if (rank == 0) first = largest;
    if (!(largest > kDependent * first)) break;
    std::swap(row_order_[rank], row_order_[pivot_row]);
    std::swap(column_order_[rank], column_order_[pivot_column]);
    for (int i = rank + 1; i < m; ++i) {
      const double factor = entry(i, rank) / entry(rank, rank);
      if (factor == 0) continue;
      for (int j = rank; j < m; ++j) entry(i, j) -= factor * entry(rank, j);
    }
  }
  basis.clear();
  for (int i = 0; i < rank; ++i) basis.append(rows_[row_order_[i]], columns_[column_order_[i]]);
  left_rows_.clear();
  left_columns_.clear();
  for (int i = rank; i < m; ++i) {
    left_rows_.push_back(rows_[row_order_[i]]);
    left_columns_.push_back(columns_[column_order_[i]]);
  }
  row_.resize(M.size());
  column_.resize(M.size());
  solved_.resize(static_cast<std::size_t>(M.size()) + 2);
}

template <class Matrix>
void BasisRepair<Matrix>::drop_guesses(const double* lower, const double* upper, Basis& status) {
  for (std::size_t t = 0; t < left_rows_.size();) {
    const int i = left_rows_[t];
    const auto twin = std::find(left_columns_.begin(), left_columns_.end(), i);
    const bool bounded = lower[i] > -kInfinity || upper[i] < kInfinity;
    if (twin == left_columns_.end() || !bounded) {
      ++t;
      continue;
    }
    status[i] = lower[i] > -kInfinity ? VariableStatus::AtLower : VariableStatus::AtUpper;
    left_columns_.erase(twin);
    left_rows_.erase(left_rows_.begin() + static_cast<std::ptrdiff_t>(t));
  }
}

// row_ = M(i, :) - M(i, C) K^-1 M(R, :)
template <class Matrix>
void BasisRepair<Matrix>::schur_row(const Matrix& M, LemkeBasis<Matrix>& basis, int i) {
  basis.solve_row(i, solved_.data());
  row_size_ = 0;
  for (int j = 0; j < M.size(); ++j) {
    double value = M.at(i, j);
    row_size_ = std::max(row_size_, std::fabs(value));
    for (int r = 0; r < basis.order(); ++r) {
      if (solved_[r] == 0) continue;
      const double term = solved_[r] * M.at(basis.row(r), j);
      row_size_ = std::max(row_size_, std::fabs(term));
      value -= term;
    }
    row_[j] = value;
  }
}

// column_ = M(:, j) - M(:, C) K^-1 M(R, j)
template <class Matrix>
void BasisRepair<Matrix>::schur_column(const Matrix& M, LemkeBasis<Matrix>& basis, int j) {
  basis.solve_column(j, solved_.data());
  std::fill(column_.begin(), column_.end(), 0.0);
  M.add_column(j, -1, column_.data());
  column_size_ = kernels::abs_max(column_.data(), M.size());
  basis.price(solved_.data(), column_.data());
  for (double& value : column_) value = -value;
}

template <class Matrix>
typename BasisRepair<Matrix>::Bridge BasisRepair<Matrix>::best_bridge(const Matrix& M, LemkeBasis<Matrix>& basis,
                                                                      const Basis& status) {
  Bridge best;
  for (std::size_t ti = 0; ti < left_rows_.size() && best.row < 0; ++ti) {
    schur_row(M, basis, left_rows_[ti]);
    for (std::size_t tj = 0; tj < left_columns_.size(); ++tj) {
      const double direct = std::fabs(row_[left_columns_[tj]]);
      if (direct > kNoBridge * row_size_ && (best.row < 0 || best.through >= 0 || direct > best.size)) {
        best = {static_cast<int>(ti), static_cast<int>(tj), -1, direct};
      }
    }
    if (best.row >= 0) break;  // a direct pivot keeps the basis smaller than a bridge would
    for (std::size_t tj = 0; tj < left_columns_.size(); ++tj) {
      schur_column(M, basis, left_columns_[tj]);
      for (int c = 0; c < M.size(); ++c) {
        if (status[c] == VariableStatus::Basic) continue;
        if (std::fabs(row_[c]) <= kNoBridge * row_size_) continue;
        if (std::fabs(column_[c]) <= kNoBridge * column_size_) continue;
        const double size = std::fabs(row_[c] * column_[c]);
        if (size > best.size) best = {static_cast<int>(ti), static_cast<int>(tj), c, size};
      }
    }
  }
  return best;
}

template <class Matrix>
bool BasisRepair<Matrix>::join(LemkeBasis<Matrix>& basis, const Bridge& bridge, Basis& status) {
  const int i = left_rows_[bridge.row], j = left_columns_[bridge.column];
  left_rows_.erase(left_rows_.begin() + bridge.row);
  left_columns_.erase(left_columns_.begin() + bridge.column);
  if (bridge.through < 0) {
    basis.solve_column(j, solved_.data());
    return basis.grow(i, j, solved_.data());
  }
  basis.solve_column(bridge.through, solved_.data());
  if (!basis.grow(i, bridge.through, solved_.data())) return false;
  status[bridge.through] = VariableStatus::Basic;
  basis.solve_column(j, solved_.data());
  return basis.grow(bridge.through, j, solved_.data());
}

template <class Matrix>
bool BasisRepair<Matrix>::drop_dependent_equation(const Matrix& M, LemkeBasis<Matrix>& basis, Basis& status) {
  for (std::size_t t = 0; t < left_rows_.size(); ++t) {
    schur_row(M, basis, left_rows_[t]);
    if (kernels::abs_max(row_.data(), M.size()) > kNoBridge * row_size_) continue;
    const int j = left_columns_.back();
    // Only when equation and unknown are of one pair does "nonbasic at 0" keep the basis complementary.
    if (!contains(left_columns_, left_rows_[t])) {
      status[j] = VariableStatus::AtLower;
      left_columns_.pop_back();
    } else {
      status[left_rows_[t]] = VariableStatus::AtLower;
      left_columns_.erase(std::find(left_columns_.begin(), left_columns_.end(), left_rows_[t]));
    }
    left_rows_.erase(left_rows_.begin() + static_cast<std::ptrdiff_t>(t));
    return true;
  }
  return false;
}

template <class Matrix>
bool BasisRepair<Matrix>::repair(const Matrix& M, const double* lower, const double* upper, LemkeBasis<Matrix>& basis,
                                 Basis& status) {
  if (!basis.has_explicit_inverse()) return false;  // complete pivoting would take too long
  keep_independent_part(M, basis);
  if (!basis.factor()) return false;
  drop_guesses(lower, upper, status);
  while (!left_rows_.empty()) {
    const Bridge bridge = best_bridge(M, basis, status);
    if (bridge.row >= 0) {
      if (!join(basis, bridge, status)) return false;
    } else if (!drop_dependent_equation(M, basis, status)) {
      return false;
    }
  }
  return true;
}

template class BasisRepair<DenseColumns>;
template class BasisRepair<SparseColumns>;
template class BasisRepair<LazySchur>;

}  // namespace stickslip::complementarity
