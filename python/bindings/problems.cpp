// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Problem files for the solvers: what `stickslip solve` reads and failed runs leave behind, as arrays.
#include "problem_arrays.h"
#include "unlocked.h"

#include "stickslip/complementarity/corpus/reader.h"

namespace stickslip::python {
namespace {

namespace ss = stickslip::complementarity;

py::dict arrays_of(const ss::AffineProblem& problem) {
  py::dict out;
  out["M"] = coordinates(problem.is_dense ? Eigen::SparseMatrix<double>(problem.dense.sparseView()) : problem.sparse);
  out["q"] = to_numpy(problem.q);
  out["lower"] = to_numpy(problem.lower);
  out["upper"] = to_numpy(problem.upper);
  return out;
}

py::dict arrays_of(const ss::MixedLcp& problem) {
  py::dict out;
  out["A"] = coordinates(problem.A);
  out["B"] = coordinates(problem.B);
  out["C"] = coordinates(problem.C);
  out["D"] = coordinates(problem.D);
  out["a"] = to_numpy(problem.a);
  out["b"] = to_numpy(problem.b);
  return out;
}

py::dict arrays_of(const ss::ContactProblem& problem) {
  return contact_problem(problem);
}

py::dict arrays_of(const ss::GlobalContactProblem& problem) {
  py::dict out;
  out["M"] = coordinates(problem.M);
  out["H"] = coordinates(problem.H);
  out["f"] = to_numpy(problem.f);
  out["w"] = to_numpy(problem.w);
  out["mu"] = to_numpy(problem.mu);
  if (!problem.compliance.empty()) out["compliance"] = to_numpy(problem.compliance);
  if (!problem.kind.empty()) out["kinds"] = kind_names(problem.kind);
  if (!problem.normal_impulse.empty()) out["normal_impulses"] = to_numpy(problem.normal_impulse);
  return out;
}

py::dict load_problem(const std::string& path) {
  const ss::CorpusProblem problem = [&] {
    try {
      const Unlocked unlocked;
      return ss::read_corpus_file(path);
    } catch (const ss::CorpusError& error) {
      throw py::value_error(error.what());
    }
  }();
  py::dict out = std::visit([](const auto& data) { return arrays_of(data); }, problem.data);
  out["kind"] = ss::to_string(problem.kind);
  out["name"] = problem.name;
  out["notes"] = problem.notes;
  return out;
}

}  // namespace

void bind_problems(py::module_& module) {
  module.def("_load_problem", &load_problem, py::arg("path"));
}

}  // namespace stickslip::python
