// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Completes a singular start basis of Lemke's method. In circuits and statics the free block A of a mixed problem is
// often singular although the whole problem is well posed: some free unknown is determined only through a diode or
// contact.
//
//     1. Gaussian elimination with complete pivoting finds the independent part of the wanted basis. What is left over
//     are
//        equally many equations i and unknowns j.
//     2. A bounded unknown that is left over on both sides was only a guess: it goes back to its bound.
//     3. Each left-over (i, j) joins directly when its Schur entry is not zero, or through a bounded unknown c that
//     becomes
//        basic: pivots (i, c) and (c, j). All pairs and all c are searched, the largest product of pivots wins.
//     4. A left-over equation that depends on the others for all columns says nothing new: its unknown j stays at 0.
//        (Should it contradict them, the certificate at the end says so.)
//
// The Schur complement S = M - M(:, C) K^-1 M(R, :) is kept in the left-over rows and columns and follows each pivot
// (a, b) by S - S(:, b) S(a, :) / S(a, b).
//
// Cost: k^3 for the elimination; (left over) n k for the rows and columns, (left over)^2 n for each search. Runs only
// when the plain basis is singular.
#pragma once

#include "stickslip/complementarity/affine/basis.h"
#include "stickslip/complementarity/affine/lemke_basis.h"

#include <vector>

namespace stickslip::complementarity {

template <class Matrix>
class BasisRepair {
 public:
  // basis holds the wanted (singular) members; on success it is factored and status agrees with it. False: beyond
  // repair.
  [[nodiscard]] bool repair(const Matrix& M, const double* lower, const double* upper, LemkeBasis<Matrix>& basis,
                            Basis& status);

 private:
  struct Bridge {
    int row = -1, column = -1;  // indices into the left-over lists
    int through = -1;           // the bounded unknown, or -1 for a direct pivot
    double size = 0;
  };

  void keep_independent_part(const Matrix& M, LemkeBasis<Matrix>& basis);
  void drop_guesses(const double* lower, const double* upper, Basis& status);
  // A row or column of S, and the largest term in its sums.
  struct Line {
    std::vector<double> value;
    double size = 0;
  };

  void schur_row(const Matrix& M, LemkeBasis<Matrix>& basis, int i, Line& row);
  void schur_column(const Matrix& M, LemkeBasis<Matrix>& basis, int j, Line& column);
  static const Line& take(int k, std::vector<int>& list, std::vector<Line>& lines);
  void find_lines(const Matrix& M, LemkeBasis<Matrix>& basis);
  void follow_pivot(const Line& row, int a, const Line& column, int b);
  [[nodiscard]] Bridge best_bridge(const Matrix& M, const Basis& status) const;
  [[nodiscard]] bool pivot(LemkeBasis<Matrix>& basis, const Line& row, int a, const Line& column, int b);
  [[nodiscard]] bool join(const Matrix& M, LemkeBasis<Matrix>& basis, const Bridge& bridge, Basis& status);
  [[nodiscard]] bool drop_dependent_equation(const Matrix& M, Basis& status);

  std::vector<int> rows_, columns_, row_order_, column_order_, left_rows_, left_columns_;
  std::vector<double> matrix_, solved_;
  std::vector<Line> row_, column_;  // the first ones: of the left-over equations and unknowns
  Line through_row_, through_column_;
};

}  // namespace stickslip::complementarity
