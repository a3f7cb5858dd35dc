// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Model.compare and Model.converge: what the verbs of these names find, as JSON text that stickslip.tables reads.
#include "comparison.h"
#include "handles.h"
#include "python_signals.h"
#include "refinement.h"
#include "unlocked.h"

#include <pybind11/stl.h>
#include <nlohmann/json.hpp>

namespace stickslip::python {
namespace {

std::string compare(const Model& model, const std::vector<std::string>& methods, int threads) {
  threads = threads_from(threads);
  Interruption interruption;
  app::Comparison found;
  try {
    const Unlocked unlocked;
    found = app::compare_methods(model.document(), model.overrides(), methods, threads, interruption.asking());
  } catch (const std::exception&) {
    interruption.raise();
    throw;
  }
  interruption.raise();
  return app::to_json(model.document().file.string(), found).dump();
}

std::string converge(const Model& model, int levels, const std::vector<int>& directions, int threads) {
  if (levels < 2 || levels > 12) throw py::value_error("levels must lie between 2 and 12");
  threads = threads_from(threads);
  Interruption interruption;
  const app::Refined found = [&] {
    const Unlocked unlocked;
    return app::refine(model.document(), model.overrides(), {levels, directions, threads, interruption.asking()});
  }();
  interruption.raise();
  bool bad_input = false;
  if (const std::string failure = app::failure_of(found.sweeps, bad_input); !failure.empty()) {
    if (bad_input) throw py::value_error(failure);
    throw std::runtime_error(failure);
  }
  return app::to_json(model.document().file.string(), found).dump();
}

}  // namespace

void bind_tables(py::module_& module) {
  module.def("_compare", &compare, py::arg("model"), py::arg("methods"), py::arg("threads") = 0);
  module.def("_converge", &converge, py::arg("model"), py::arg("levels") = 5,
             py::arg("directions") = std::vector<int>{}, py::arg("threads") = 0);
}

}  // namespace stickslip::python
