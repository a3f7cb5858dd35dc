// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The views of M that pivoting works with. Pivoting needs little: whole columns (to price the rows), and the parts
// of rows and columns that belong to the basis. Each view offers
//
//     size()                          n
//     at(i, j)                        M_ij
//     add_column(j, s, y)             y += s M(:, j)
//     add_columns(C, s, k, y)         y += sum_c s[c] M(:, C[c])
//     gather_row(i, C, where, k, out)     out[c] = M(i, C[c]),  where[j] = position of j in C or -1
//     gather_column(j, R, where, k, out)  out[r] = M(R[r], j)
//     diagonal(i)                     M_ii, or an estimate of its size
//     for_each_in_row(i, f), for_each_in_column(j, f)      f(index, value)
//
// Indices >= size() in C are skipped (gather_row writes 0 there).
#pragma once

#include "stickslip/complementarity/affine/vector_kernels.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstddef>
#include <vector>

namespace stickslip::complementarity {

// What a view with dense columns, View::column(j), can do.
template <class View>
class OfDenseColumns {
 public:
  [[nodiscard]] double at(int i, int j) const { return view().column(j)[i]; }

  void add_column(int j, double s, double* y) const { kernels::add_scaled(y, s, view().column(j), view().size()); }

  // Four at a time.
  void add_columns(const int* C, const double* s, int k, double* y) const {
    const double* columns[4];
    double weights[4];
    int count = 0;
    for (int c = 0; c < k; ++c) {
      if (s[c] == 0 || C[c] >= view().size()) continue;
      columns[count] = view().column(C[c]);
      weights[count] = s[c];
      if (++count == 4) {
        kernels::add_scaled4(y, weights, columns, view().size());
        count = 0;
      }
    }
    for (int c = 0; c < count; ++c) kernels::add_scaled(y, weights[c], columns[c], view().size());
  }

  void gather_row(int i, const int* C, const int*, int k, double* out) const {
    for (int c = 0; c < k; ++c) out[c] = C[c] < view().size() ? at(i, C[c]) : 0;
  }

  void gather_column(int j, const int* R, const int*, int k, double* out) const {
    const double* values = view().column(j);
    for (int r = 0; r < k; ++r) out[r] = values[R[r]];
  }

 private:
  [[nodiscard]] const View& view() const { return static_cast<const View&>(*this); }
};

class DenseColumns : public OfDenseColumns<DenseColumns> {
 public:
  void set(const Eigen::MatrixXd& M) {
    data_ = M.data();
    n_ = static_cast<int>(M.rows());
  }
  [[nodiscard]] int size() const { return n_; }
  [[nodiscard]] const double* column(int j) const { return data_ + static_cast<std::ptrdiff_t>(j) * n_; }
  [[nodiscard]] double diagonal(int i) const { return at(i, i); }
  template <class F>
  void for_each_in_row(int i, F&& f) const {
    for (int j = 0; j < n_; ++j) f(j, at(i, j));
  }
  template <class F>
  void for_each_in_column(int j, F&& f) const {
    for (int i = 0; i < n_; ++i) f(i, at(i, j));
  }

 private:
  const double* data_ = nullptr;
  int n_ = 0;
};

// Compressed columns as they come, and compressed rows that are built by set().
class SparseColumns {
 public:
  void set(const Eigen::SparseMatrix<double>& M);

  [[nodiscard]] int size() const { return n_; }
  [[nodiscard]] double at(int i, int j) const {
    for (int p = column_start_[j]; p < column_start_[j + 1]; ++p) {
      if (row_[p] == i) return value_[p];
    }
    return 0;
  }

  void add_column(int j, double s, double* y) const {
    for (int p = column_start_[j]; p < column_start_[j + 1]; ++p) y[row_[p]] += s * value_[p];
  }

  void add_columns(const int* C, const double* s, int k, double* y) const {
    for (int c = 0; c < k; ++c) {
      if (s[c] != 0 && C[c] < n_) add_column(C[c], s[c], y);
    }
  }

  void gather_row(int i, const int*, const int* where, int k, double* out) const {
    std::fill(out, out + k, 0.0);
    for (int p = row_start_[i]; p < row_start_[i + 1]; ++p) {
      if (const int c = where[column_[p]]; c >= 0) out[c] = row_value_[p];
    }
  }

  void gather_column(int j, const int*, const int* where, int k, double* out) const {
    std::fill(out, out + k, 0.0);
    for (int p = column_start_[j]; p < column_start_[j + 1]; ++p) {
      if (const int r = where[row_[p]]; r >= 0) out[r] = value_[p];
    }
  }

  [[nodiscard]] double diagonal(int i) const { return at(i, i); }
  template <class F>
  void for_each_in_row(int i, F&& f) const {
    for (int p = row_start_[i]; p < row_start_[i + 1]; ++p) f(column_[p], row_value_[p]);
  }
  template <class F>
  void for_each_in_column(int j, F&& f) const {
    for (int p = column_start_[j]; p < column_start_[j + 1]; ++p) f(row_[p], value_[p]);
  }

  // The pattern, by columns.
  [[nodiscard]] const int* column_start() const { return column_start_; }
  [[nodiscard]] const int* column_row() const { return row_; }

 private:
  int n_ = 0;
  const int *column_start_ = nullptr, *row_ = nullptr;
  const double* value_ = nullptr;
  std::vector<int> row_start_, column_;
  std::vector<double> row_value_;
};

}  // namespace stickslip::complementarity
