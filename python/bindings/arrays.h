// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What Python hands over as numbers, checked once: arrays of real numbers of a given shape, dense or sparse matrices.
// Every mistake is a TypeError (not numbers) or a ValueError (wrong shape) that names the argument.
#pragma once

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::python {

namespace py = pybind11;
using DoubleArray = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Real numbers only: a cast from complex numbers, texts or objects would lose or invent something.
inline DoubleArray real_array(const py::handle& object, const char* name) {
  if (py::isinstance<DoubleArray>(object)) return py::reinterpret_borrow<DoubleArray>(object);
  const py::array given = py::array::ensure(object);
  if (!given) {
    PyErr_Clear();
    throw py::type_error(fmt::format("{} must be an array of numbers", name));
  }
  const char kind = given.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b')
    throw py::type_error(fmt::format("{} must be an array of real numbers, not of {}", name,
                                     py::str(given.dtype()).cast<std::string>()));
  return DoubleArray::ensure(given);
}

inline Eigen::VectorXd vector_from(const py::handle& object, const char* name, py::ssize_t size = -1) {
  const DoubleArray array = real_array(object, name);
  if (array.ndim() != 1) throw py::value_error(fmt::format("{} must have one axis, not {}", name, array.ndim()));
  if (size >= 0 && array.shape(0) != size)
    throw py::value_error(fmt::format("{} must have {} entries, not {}", name, size, array.shape(0)));
  return Eigen::Map<const Eigen::VectorXd>(array.data(), array.shape(0));
}

inline py::array_t<double> to_numpy(const Eigen::VectorXd& x) {
  return py::array_t<double>(x.size(), x.data());
}
inline py::array_t<double> to_numpy(const std::vector<double>& x) {
  return py::array_t<double>(static_cast<py::ssize_t>(x.size()), x.data());
}

// SciPy's sparse matrices are known by their method tocsc(), so that SciPy need not be there.
inline bool is_sparse(const py::handle& object) {
  return !py::isinstance<py::array>(object) && py::hasattr(object, "tocsc");
}

// Indices of SciPy have 32 or 64 bits; null for what is not made of integers that fit into 32.
using IndexArray = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;
inline IndexArray index_array(const py::object& object) {
  if (py::isinstance<IndexArray>(object)) return py::reinterpret_borrow<IndexArray>(object);
  using WideArray = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
  const auto wide = WideArray::ensure(object);
  if (!wide) {
    PyErr_Clear();
    return py::reinterpret_steal<IndexArray>(nullptr);
  }
  for (py::ssize_t k = 0; k < wide.size(); ++k)
    if (wide.data()[k] != static_cast<std::int32_t>(wide.data()[k])) return py::reinterpret_steal<IndexArray>(nullptr);
  return IndexArray::ensure(wide);
}

inline Eigen::SparseMatrix<double> sparse_from(const py::handle& object, const char* name) {
  if (!is_sparse(object)) {
    const DoubleArray array = real_array(object, name);
    if (array.ndim() != 2) throw py::value_error(fmt::format("{} must have two axes, not {}", name, array.ndim()));
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::MatrixXd(Eigen::Map<const RowMajor>(array.data(), array.shape(0), array.shape(1))).sparseView();
  }
  // A matrix by columns gives itself, but to ask it takes a microsecond.
  const py::object format = py::getattr(object, "format", py::none());
  const bool by_columns = py::isinstance<py::str>(format) && format.cast<std::string_view>() == "csc";
  const py::object columns = by_columns ? py::reinterpret_borrow<py::object>(object) : object.attr("tocsc")();
  const py::tuple shape = columns.attr("shape");
  const auto rows = shape[0].cast<Eigen::Index>(), cols = shape[1].cast<Eigen::Index>();
  const DoubleArray values = real_array(columns.attr("data"), name);
  const auto indices = index_array(columns.attr("indices")), starts = index_array(columns.attr("indptr"));
  const auto refuse = [&] { throw py::value_error(fmt::format("{} is not a well-formed sparse matrix", name)); };
  if (rows < 0 || cols < 0 || !indices || !starts || starts.ndim() != 1 || starts.shape(0) != cols + 1 ||
      indices.ndim() != 1 || values.ndim() != 1 || indices.shape(0) != values.shape(0))
    refuse();
  const std::int32_t *row = indices.data(), *start = starts.data();
  // SciPy's arrays are those of Eigen where each column has its rows in order and none twice.
  bool in_order = start[0] == 0;
  for (Eigen::Index c = 0; c < cols; ++c) {
    if (start[c] < 0 || start[c + 1] < start[c] || start[c + 1] > values.shape(0)) refuse();
    for (std::int32_t k = start[c]; k < start[c + 1]; ++k) {
      if (row[k] < 0 || row[k] >= rows) refuse();
      in_order = in_order && (k == start[c] || row[k - 1] < row[k]);
    }
  }
  if (in_order)
    return Eigen::Map<const Eigen::SparseMatrix<double>>(rows, cols, start[cols], start, row, values.data());
  std::vector<Eigen::Triplet<double>> entries;  // those in one place are summed
  entries.reserve(static_cast<std::size_t>(values.shape(0)));
  for (Eigen::Index c = 0; c < cols; ++c)
    for (std::int32_t k = start[c]; k < start[c + 1]; ++k)
      entries.emplace_back(row[k], static_cast<int>(c), values.data()[k]);
  Eigen::SparseMatrix<double> matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace stickslip::python
