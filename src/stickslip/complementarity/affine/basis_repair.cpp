// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/basis_repair.h"

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/lazy_schur.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

namespace stickslip::complementarity {
namespace {

constexpr double kDependent = 1e-10;  // a pivot below this part of the largest entry counts as zero
constexpr double kNoBridge = 1e-9;    // the same for Schur entries, against the largest term of their row or column

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

// M(i, :) - M(i, C) K^-1 M(R, :)
template <class Matrix>
void BasisRepair<Matrix>::schur_row(const Matrix& M, LemkeBasis<Matrix>& basis, int i, Line& row) {
  basis.solve_row(i, solved_.data());
  row.value.resize(M.size());
  row.size = 0;
  for (int j = 0; j < M.size(); ++j) {
    double value = M.at(i, j);
    row.size = std::max(row.size, std::fabs(value));
    for (int r = 0; r < basis.order(); ++r) {
      if (solved_[r] == 0) continue;
      const double term = solved_[r] * M.at(basis.row(r), j);
      row.size = std::max(row.size, std::fabs(term));
      value -= term;
    }
    row.value[j] = value;
  }
}

// M(:, j) - M(:, C) K^-1 M(R, j)
template <class Matrix>
void BasisRepair<Matrix>::schur_column(const Matrix& M, LemkeBasis<Matrix>& basis, int j, Line& column) {
  basis.solve_column(j, solved_.data());
  column.value.assign(M.size(), 0.0);
  M.add_column(j, -1, column.value.data());
  column.size = kernels::abs_max(column.value.data(), M.size());
  basis.price(solved_.data(), column.value.data());
  for (double& value : column.value) value = -value;
}

// Takes entry k out of the list; its line is put behind those that stay, where the caller may still read it.
template <class Matrix>
auto BasisRepair<Matrix>::take(int k, std::vector<int>& list, std::vector<Line>& lines) -> const Line& {
  const auto line = lines.begin() + k;
  std::rotate(line, line + 1, lines.begin() + static_cast<std::ptrdiff_t>(list.size()));
  list.erase(list.begin() + k);
  return lines[list.size()];
}

template <class Matrix>
void BasisRepair<Matrix>::find_lines(const Matrix& M, LemkeBasis<Matrix>& basis) {
  if (row_.size() < left_rows_.size()) row_.resize(left_rows_.size());
  if (column_.size() < left_columns_.size()) column_.resize(left_columns_.size());
  for (std::size_t t = 0; t < left_rows_.size(); ++t) schur_row(M, basis, left_rows_[t], row_[t]);
  for (std::size_t t = 0; t < left_columns_.size(); ++t) schur_column(M, basis, left_columns_[t], column_[t]);
}

// S - S(:, b) S(a, :) / S(a, b) in the rows and columns that are still left over.
template <class Matrix>
void BasisRepair<Matrix>::follow_pivot(const Line& row, int a, const Line& column, int b) {
  const double pivot = row.value[b];
  const auto subtract = [](const Line& by, double factor, Line& line) {
    if (factor == 0) return;
    for (std::size_t k = 0; k < line.value.size(); ++k) line.value[k] -= factor * by.value[k];
    line.size = std::max(line.size, std::fabs(factor) * by.size);
  };
  for (std::size_t t = 0; t < left_rows_.size(); ++t) subtract(row, row_[t].value[b] / pivot, row_[t]);
  for (std::size_t t = 0; t < left_columns_.size(); ++t) subtract(column, column_[t].value[a] / pivot, column_[t]);
}

template <class Matrix>
typename BasisRepair<Matrix>::Bridge BasisRepair<Matrix>::best_bridge(const Matrix& M, const Basis& status) const {
  Bridge best;
  for (std::size_t ti = 0; ti < left_rows_.size() && best.row < 0; ++ti) {
    const Line& row = row_[ti];
    for (std::size_t tj = 0; tj < left_columns_.size(); ++tj) {
      const double direct = std::fabs(row.value[left_columns_[tj]]);
      if (direct > kNoBridge * row.size && direct > best.size) {
        best = {static_cast<int>(ti), static_cast<int>(tj), -1, direct};
      }
    }
    if (best.row >= 0) break;  // a direct pivot keeps the basis smaller than a bridge would
    for (std::size_t tj = 0; tj < left_columns_.size(); ++tj) {
      const Line& column = column_[tj];
      for (int c = 0; c < M.size(); ++c) {
        if (status[c] == VariableStatus::Basic) continue;
        if (std::fabs(row.value[c]) <= kNoBridge * row.size) continue;
        if (std::fabs(column.value[c]) <= kNoBridge * column.size) continue;
        const double size = std::fabs(row.value[c] * column.value[c]);
        if (size > best.size) best = {static_cast<int>(ti), static_cast<int>(tj), c, size};
      }
    }
  }
  return best;
}

// Equation a and unknown b, whose row and column of S are given, enter the basis.
template <class Matrix>
bool BasisRepair<Matrix>::pivot(LemkeBasis<Matrix>& basis, const Line& row, int a, const Line& column, int b) {
  basis.solve_column(b, solved_.data());
  if (!basis.grow(a, b, solved_.data())) return false;
  follow_pivot(row, a, column, b);
  return true;
}

template <class Matrix>
bool BasisRepair<Matrix>::join(const Matrix& M, LemkeBasis<Matrix>& basis, const Bridge& bridge, Basis& status) {
  const int i = left_rows_[bridge.row], j = left_columns_[bridge.column], c = bridge.through;
  const Line& row = take(bridge.row, left_rows_, row_);
  if (c >= 0) {
    schur_column(M, basis, c, through_column_);
    if (!pivot(basis, row, i, through_column_, c)) return false;
    status[c] = VariableStatus::Basic;
    schur_row(M, basis, c, through_row_);
  }
  const Line& column = take(bridge.column, left_columns_, column_);
  return c >= 0 ? pivot(basis, through_row_, c, column, j) : pivot(basis, row, i, column, j);
}

template <class Matrix>
bool BasisRepair<Matrix>::drop_dependent_equation(const Matrix& M, Basis& status) {
  for (std::size_t t = 0; t < left_rows_.size(); ++t) {
    if (kernels::abs_max(row_[t].value.data(), M.size()) > kNoBridge * row_[t].size) continue;
    // Only when equation and unknown are of one pair does "nonbasic at 0" keep the basis complementary.
    auto unknown = std::find(left_columns_.begin(), left_columns_.end(), left_rows_[t]);
    if (unknown == left_columns_.end()) unknown = std::prev(left_columns_.end());
    status[*unknown] = VariableStatus::AtLower;
    take(static_cast<int>(unknown - left_columns_.begin()), left_columns_, column_);
    take(static_cast<int>(t), left_rows_, row_);
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
  find_lines(M, basis);
  while (!left_rows_.empty()) {
    const Bridge bridge = best_bridge(M, status);
    if (bridge.row >= 0) {
      if (!join(M, basis, bridge, status)) return false;
    } else if (!drop_dependent_equation(M, status)) {
      return false;
    }
  }
  return true;
}

template class BasisRepair<DenseColumns>;
template class BasisRepair<SparseColumns>;
template class BasisRepair<LazySchur>;

}  // namespace stickslip::complementarity
