// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What Python hands over as numbers, checked once: arrays of real numbers of a given shape, dense or sparse matrices.
// Every mistake is a TypeError (not numbers) or a ValueError (wrong shape) that names the argument.
#pragma once

#include "sparse_columns.h"
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

// Throws what Python raised on the way where that is no mistake of the object's (Ctrl-C, no memory); else TypeError, which
// has it as its cause.
[[noreturn]] inline void raise_type_error(const std::string& message) {
  const bool mistake = PyErr_ExceptionMatches(PyExc_Exception) != 0 && PyErr_ExceptionMatches(PyExc_MemoryError) == 0;
  if (mistake) py::raise_from(PyExc_TypeError, message.c_str());
  throw py::error_already_set();
}

// Real numbers only: a cast from complex numbers, texts or objects would lose or invent something.
inline DoubleArray real_array(const py::handle& object, const char* name) {
  if (is_ready<DoubleArray>(object)) return py::reinterpret_borrow<DoubleArray>(object);
  const auto& numpy = py::detail::npy_api::get();
  const auto given = py::reinterpret_steal<py::array>(
      numpy.PyArray_FromAny_(object.ptr(), nullptr, 0, 0, py::detail::npy_api::NPY_ARRAY_ENSUREARRAY_, nullptr));
  if (!given) raise_type_error(fmt::format("{} must be an array of numbers", name));
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

// Names of attributes of SciPy's sparse matrices, made once: to make one takes longer than to look it up.
struct SparseNames {
  py::handle tocsc = PyUnicode_InternFromString("tocsc"), format = PyUnicode_InternFromString("format"),
             data = PyUnicode_InternFromString("data"), indices = PyUnicode_InternFromString("indices"),
             indptr = PyUnicode_InternFromString("indptr"), shape = PyUnicode_InternFromString("shape");
};
inline const SparseNames& sparse_names() {
  static const SparseNames names;
  return names;
}

// SciPy's sparse matrices are known by their method tocsc(), so that SciPy need not be there.
inline bool is_sparse(const py::handle& object) {
  return !py::isinstance<py::array>(object) && py::hasattr(object, sparse_names().tocsc);
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
  bool in_order;  // SparseForm

  [[nodiscard]] ColumnArrays columns() const {
    return {starts.data(), indices.data(), values.data(), rows, cols, values.shape(0)};
  }
  [[nodiscard]] Eigen::Index entries() const { return starts.data()[cols]; }
  // Where in_order: into a dense matrix, and with the arrays as they are. Whether all entries are finite numbers, as
  // DenseView says it.
  [[nodiscard]] bool copy_to(Eigen::MatrixXd& to) const {
    to.resize(rows, cols);
    return copy_dense(columns(), to.data());
  }
  [[nodiscard]] bool copy_to(Eigen::SparseMatrix<double>& to) const {
    to.resize(rows, cols);
    to.resizeNonZeros(entries());
    std::copy_n(starts.data(), cols + 1, to.outerIndexPtr());
    std::copy_n(indices.data(), entries(), to.innerIndexPtr());
    return copy_finite(values.data(), entries(), to.valuePtr());
  }
  // Entries in one place are summed.
  [[nodiscard]] Eigen::SparseMatrix<double> matrix() const {
    if (in_order) {
      Eigen::SparseMatrix<double> same;
      (void)copy_to(same);  // validate() looks at what is sparse
      return same;
    }
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
  const SparseNames& names = sparse_names();
  const py::object format = py::getattr(object, names.format, py::none());
  const bool by_columns = py::isinstance<py::str>(format) && format.cast<std::string_view>() == "csc";
  const py::object columns = by_columns ? py::reinterpret_borrow<py::object>(object) : object.attr(names.tocsc)();
  const py::tuple shape = columns.attr(names.shape);
  SparseView view{real_array(columns.attr(names.data), name),
                  index_array(columns.attr(names.indices)),
                  index_array(columns.attr(names.indptr)),
                  shape[0].cast<Eigen::Index>(),
                  shape[1].cast<Eigen::Index>(),
                  true};
  const auto refuse = [&] { throw py::value_error(fmt::format("{} is not a well-formed sparse matrix", name)); };
  if (view.rows < 0 || view.cols < 0 || !view.indices || !view.starts || view.starts.ndim() != 1 ||
      view.starts.shape(0) != view.cols + 1 || view.indices.ndim() != 1 || view.values.ndim() != 1 ||
      view.indices.shape(0) != view.values.shape(0))
    refuse();
  const SparseForm form = form_of(view.columns());
  if (form == SparseForm::Wrong) refuse();
  view.in_order = form == SparseForm::InOrder;
  return view;
}

inline Eigen::SparseMatrix<double> sparse_from(const py::handle& object, const char* name) {
  if (is_sparse(object)) return sparse_view(object, name).matrix();
  Eigen::MatrixXd dense;
  (void)dense_view(object, name).copy_to(dense);  // validate() looks at what is sparse
  return dense.sparseView();
}

}  // namespace stickslip::python
