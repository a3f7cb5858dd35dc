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

inline Eigen::SparseMatrix<double> sparse_from(const py::handle& object, const char* name) {
  if (!is_sparse(object)) {
    const DoubleArray array = real_array(object, name);
    if (array.ndim() != 2) throw py::value_error(fmt::format("{} must have two axes, not {}", name, array.ndim()));
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::MatrixXd(Eigen::Map<const RowMajor>(array.data(), array.shape(0), array.shape(1))).sparseView();
  }
  const py::object columns = object.attr("tocsc")();
  const py::tuple shape = columns.attr("shape");
  const auto rows = shape[0].cast<Eigen::Index>(), cols = shape[1].cast<Eigen::Index>();
  const DoubleArray values = real_array(columns.attr("data"), name);
  using IndexArray = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
  const auto indices = IndexArray::ensure(columns.attr("indices")), starts = IndexArray::ensure(columns.attr("indptr"));
  if (!indices || !starts || starts.ndim() != 1 || starts.shape(0) != cols + 1 || indices.ndim() != 1 ||
      values.ndim() != 1 || indices.shape(0) != values.shape(0))
    throw py::value_error(fmt::format("{} is not a well-formed sparse matrix", name));
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(values.shape(0)));
  for (Eigen::Index c = 0; c < cols; ++c) {
    const std::int64_t begin = starts.at(c), end = starts.at(c + 1);
    if (begin < 0 || end < begin || end > values.shape(0))
      throw py::value_error(fmt::format("{} is not a well-formed sparse matrix", name));
    for (std::int64_t k = begin; k < end; ++k) {
      if (indices.at(k) < 0 || indices.at(k) >= rows)
        throw py::value_error(fmt::format("{} is not a well-formed sparse matrix", name));
      entries.emplace_back(static_cast<int>(indices.at(k)), static_cast<int>(c), values.at(k));
    }
  }
  Eigen::SparseMatrix<double> matrix(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

}  // namespace stickslip::python
