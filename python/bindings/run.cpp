// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One whole run of a model into a recording: the run of the command line, with the same checks and the same bits.
#include "handles.h"
#include "run_session.h"

#include <pybind11/stl.h>

namespace stickslip::python {
namespace {

// Ctrl-C and whatever the caller wants to know, between steps.
std::function<void()> polling(const py::object& progress, const simulation::Simulation*& run) {
  return [&progress, &run] {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress.is_none() && run != nullptr) progress(run->time());
  };
}

py::dict run_model(const Model& model, const std::string& path, const py::object& progress) {
  const simulation::Simulation* running = nullptr;
  app::RunOptions options;
  options.scene = model.scene().file.string();
  options.output = path;
  options.poll = polling(progress, running);
  py::dict out;
  const py::gil_scoped_release unlocked;
  app::RunSession session(options, model.scene());
  running = &session.simulation();
  const app::RunEnd end = session.run();
  const py::gil_scoped_acquire locked;
  out["certified"] = end != app::RunEnd::Uncertified;
  out["residual"] = session.simulation().counters().worst_residual;
  out["steps"] = session.simulation().counters().steps;
  out["steps_at_worst"] = session.simulation().counters().at_worst;
  out["seconds"] = session.wall_seconds();
  out["failed_problem"] = session.failed_problem_path();
  py::dict values;
  for (std::size_t i = 0; i < session.observables().size(); ++i)
    values[py::str(session.scene().observables[i].name)] = session.observables()[i];
  out["observables"] = values;
  return out;
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("_run", &run_model, py::arg("model"), py::arg("path"), py::arg("progress") = py::none());
}

}  // namespace stickslip::python
