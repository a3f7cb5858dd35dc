// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What Python hands over as numbers, checked once: arrays of real numbers of a given shape, dense or sparse matrices.
// Every mistake is a TypeError (not numbers) or a ValueError (wrong shape) that names the argument.
#pragma once

#include "transposed.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stickslip::python {

namespace py = pybind11;

// Where numbers of this type may lie. Arrays that do not (a field of a packed structure, bytes from some offset) are
// copied: reading them in place is undefined.
constexpr int kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
using DoubleArray = py::array_t<double, py::array::c_style | py::array::forcecast | kAligned>;

// Whether an array can be read as it is. pybind11 looks at type and order alone.
template <typename Array>
bool is_ready(const py::handle& object) {
  return py::isinstance<Array>(object) && py::detail::check_flags(object.ptr(), kAligned);
}

// Real numbers only: a cast from complex numbers, texts or objects would lose or invent something.
inline DoubleArray real_array(const py::handle& object, const char* name) {
  if (is_ready<DoubleArray>(object)) return py::reinterpret_borrow<DoubleArray>(object);
  const py::array given = py::array::ensure(object);
  if (!given) {
    PyErr_Clear();
    throw py::type_error(fmt::format("{} must be an array of numbers", name));
  }
  const char kind = given.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b')
    throw py::type_error(fmt::format("{} must be an array of real numbers, not of {}", name,
                                     py::str(given.dtype()).cast<std::string>()));
  return DoubleArray(given);  // MemoryError where a copy has no room
}

inline void require_size(const DoubleArray& array, const char* name, py::ssize_t size) {
  if (array.shape(0) != size)
    throw py::value_error(fmt::format("{} must have {} entries, not {}", name, size, array.shape(0)));
}

// Real numbers along one axis; size < 0: as many as there are.
inline DoubleArray vector_array(const py::handle& object, const char* name, py::ssize_t size = -1) {
  DoubleArray array = real_array(object, name);
  if (array.ndim() != 1) throw py::value_error(fmt::format("{} must have one axis, not {}", name, array.ndim()));
  if (size >= 0) require_size(array, name, size);
  return array;
}

inline Eigen::Map<const Eigen::VectorXd> vector_map(const DoubleArray& array) {
  return {array.data(), array.shape(0)};
}

inline Eigen::VectorXd vector_from(const py::handle& object, const char* name, py::ssize_t size = -1) {
  return vector_map(vector_array(object, name, size));
}

// A dense matrix where NumPy has it, by rows or by columns.
struct DenseView {
  py::array held;
  const double* data;
  Eigen::Index rows, cols;
  bool by_columns;

  // Whether all entries are finite numbers: looked at on the way, as each further look at a large matrix costs as much.
  [[nodiscard]] bool copy_to(Eigen::MatrixXd& to) const {
    to.resize(rows, cols);
    return by_columns ? copy_finite(data, rows * cols, to.data()) : copy_transposed(data, rows, cols, to.data());
  }
};

inline DenseView dense_view(const py::handle& object, const char* name) {
  using ByColumns = py::array_t<double, py::array::f_style>;
  const bool by_columns = is_ready<ByColumns>(object) && !py::isinstance<DoubleArray>(object);
  py::array held = by_columns ? py::reinterpret_borrow<py::array>(object) : py::array(real_array(object, name));
  if (held.ndim() != 2) throw py::value_error(fmt::format("{} must have two axes, not {}", name, held.ndim()));
  const auto* data = static_cast<const double*>(held.data());
  const Eigen::Index rows = held.shape(0), cols = held.shape(1);
  return {std::move(held), data, rows, cols, by_columns};
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
using IndexArray = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast | kAligned>;
inline IndexArray index_array(const py::object& object) {
  if (is_ready<IndexArray>(object)) return py::reinterpret_borrow<IndexArray>(object);
  using WideArray = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast | kAligned>;
  const auto wide = WideArray::ensure(object);
  if (!wide) {
    PyErr_Clear();
    return py::reinterpret_steal<IndexArray>(nullptr);
  }
  for (py::ssize_t k = 0; k < wide.size(); ++k)
    if (wide.data()[k] != static_cast<std::int32_t>(wide.data()[k])) return py::reinterpret_steal<IndexArray>(nullptr);
  return IndexArray::ensure(wide);
}

// A sparse matrix by columns where SciPy has it.
struct SparseView {
  DoubleArray values;
  IndexArray indices, starts;
  Eigen::Index rows, cols;
  bool in_order;  // each column has its rows in order and none twice: the arrays are those of Eigen

  [[nodiscard]] Eigen::Index entries() const { return starts.data()[cols]; }
  [[nodiscard]] Eigen::Map<const Eigen::SparseMatrix<double>> map() const {
    return {rows, cols, entries(), starts.data(), indices.data(), values.data()};
  }
  // Products with 0 are 0 for finite numbers alone.
  [[nodiscard]] bool finite() const {
    return (Eigen::Map<const Eigen::ArrayXd>(values.data(), entries()) * 0).sum() == 0;
  }
  // As dense, where in_order. Whether all entries are finite numbers, as DenseView says it. Columns without zeros are as
  // they are in a dense matrix.
  [[nodiscard]] bool copy_to(Eigen::MatrixXd& to) const {
    to.resize(rows, cols);
    if (entries() == rows * cols) return copy_finite(values.data(), entries(), to.data());
    const std::int32_t *row = indices.data(), *start = starts.data();
    const double* value = values.data();
    for (Eigen::Index c = 0; c < cols; ++c) {
      double* column = to.data() + c * rows;
      std::fill(column, column + rows, 0.0);
      for (std::int32_t k = start[c]; k < start[c + 1]; ++k) column[row[k]] = value[k];
    }
    return finite();
  }
  // Entries in one place are summed.
  [[nodiscard]] Eigen::SparseMatrix<double> matrix() const {
    if (in_order) return map();
    const std::int32_t *row = indices.data(), *start = starts.data();
    std::vector<Eigen::Triplet<double>> all;
    all.reserve(static_cast<std::size_t>(values.shape(0)));
    for (Eigen::Index c = 0; c < cols; ++c)
      for (std::int32_t k = start[c]; k < start[c + 1]; ++k)
        all.emplace_back(row[k], static_cast<int>(c), values.data()[k]);
    Eigen::SparseMatrix<double> sum(rows, cols);
    sum.setFromTriplets(all.begin(), all.end());
    return sum;
  }
};

inline SparseView sparse_view(const py::handle& object, const char* name) {
  // A matrix by columns gives itself, but to ask it takes a microsecond.
  const py::object format = py::getattr(object, "format", py::none());
  const bool by_columns = py::isinstance<py::str>(format) && format.cast<std::string_view>() == "csc";
  const py::object columns = by_columns ? py::reinterpret_borrow<py::object>(object) : object.attr("tocsc")();
  const py::tuple shape = columns.attr("shape");
  SparseView view{real_array(columns.attr("data"), name), index_array(columns.attr("indices")),
                  index_array(columns.attr("indptr")),    shape[0].cast<Eigen::Index>(),
                  shape[1].cast<Eigen::Index>(),          true};
  const auto refuse = [&] { throw py::value_error(fmt::format("{} is not a well-formed sparse matrix", name)); };
  if (view.rows < 0 || view.cols < 0 || !view.indices || !view.starts || view.starts.ndim() != 1 ||
      view.starts.shape(0) != view.cols + 1 || view.indices.ndim() != 1 || view.values.ndim() != 1 ||
      view.indices.shape(0) != view.values.shape(0))
    refuse();
  const std::int32_t *row = view.indices.data(), *start = view.starts.data();
  const auto rows = static_cast<std::uint32_t>(std::min<Eigen::Index>(view.rows, INT32_MAX));
  view.in_order = start[0] == 0;
  for (Eigen::Index c = 0; c < view.cols; ++c) {
    if (start[c] < 0 || start[c + 1] < start[c] || start[c + 1] > view.values.shape(0)) refuse();
    // Without branches, so that several are looked at at once; a negative row is a large one without sign.
    unsigned outside = 0, disorder = 0;
    for (std::int32_t k = start[c]; k < start[c + 1]; ++k)
      outside |= static_cast<unsigned>(static_cast<std::uint32_t>(row[k]) >= rows);
    for (std::int32_t k = start[c] + 1; k < start[c + 1]; ++k) disorder |= static_cast<unsigned>(row[k - 1] >= row[k]);
    if (outside != 0) refuse();
    view.in_order = view.in_order && disorder == 0;
  }
  return view;
}

inline Eigen::SparseMatrix<double> sparse_from(const py::handle& object, const char* name) {
  if (is_sparse(object)) return sparse_view(object, name).matrix();
  Eigen::MatrixXd dense;
  (void)dense_view(object, name).copy_to(dense);  // validate() looks at what is sparse
  return dense.sparseView();
}

}  // namespace stickslip::python
