// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A contact problem as arrays: the dictionary from which stickslip.problems.Problem is made. Matrices are coordinate
// lists (rows, cols, i, j, x).
#pragma once

#include "arrays.h"

#include "stickslip/complementarity/cone/contact_problem.h"

#include <string>
#include <vector>

namespace stickslip::python {

inline py::dict coordinates(const Eigen::SparseMatrix<double>& matrix) {
  std::vector<double> x;
  std::vector<std::int64_t> i, j;
  for (Eigen::Index column = 0; column < matrix.outerSize(); ++column)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, column); entry; ++entry) {
      i.push_back(entry.row());
      j.push_back(entry.col());
      x.push_back(entry.value());
    }
  const auto indices = [](const std::vector<std::int64_t>& list) {
    return py::array_t<std::int64_t>(static_cast<py::ssize_t>(list.size()), list.data());
  };
  py::dict out;
  out["rows"] = matrix.rows();
  out["cols"] = matrix.cols();
  out["i"] = indices(i);
  out["j"] = indices(j);
  out["x"] = to_numpy(x);
  return out;
}

inline Eigen::SparseMatrix<double> scalar_matrix(const complementarity::BlockMatrix& blocks) {
  const int d = blocks.block_size;
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < blocks.rows(); ++row)
    for (int k = blocks.row_start[static_cast<std::size_t>(row)];
         k < blocks.row_start[static_cast<std::size_t>(row) + 1]; ++k)
      for (int a = 0; a < d; ++a)
        for (int b = 0; b < d; ++b)
          entries.emplace_back(row * d + a, blocks.column[static_cast<std::size_t>(k)] * d + b,
                               blocks.value[static_cast<std::size_t>((k * d + a) * d + b)]);
  Eigen::SparseMatrix<double> matrix(blocks.rows() * d, blocks.rows() * d);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

inline py::list kind_names(const std::vector<complementarity::ContactKind>& kinds) {
  py::list names;
  for (const complementarity::ContactKind kind : kinds)
    names.append(kind == complementarity::ContactKind::Support     ? "support"
                 : kind == complementarity::ContactKind::Bilateral ? "bilateral"
                                                                   : "frictional");
  return names;
}

inline py::dict contact_problem(const complementarity::ContactProblem& problem) {
  py::dict out;
  out["kind"] = problem.dimension() == 2 ? "fc2d" : "fc3d";
  out["W"] = coordinates(scalar_matrix(problem.W));
  out["q"] = to_numpy(problem.q);
  out["mu"] = to_numpy(problem.mu);
  if (!problem.kind.empty()) out["kinds"] = kind_names(problem.kind);
  if (!problem.normal_impulse.empty()) out["normal_impulses"] = to_numpy(problem.normal_impulse);
  return out;
}

}  // namespace stickslip::python
