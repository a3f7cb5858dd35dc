// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One whole run of a model into a recording: the run of the command line, with the same checks and the same bits.
#include "handles.h"
#include "names.h"
#include "run_session.h"
#include "unlocked.h"

#include <pybind11/stl.h>

#include <utility>

namespace stickslip::python {
namespace {

// Runs beside the run, which look for its step or for its error, are without its functions.
void refuse_runs_beside(const stepping::Method& method, const Callbacks& calls) {
  if (method.tolerance > 0 && calls.pushes())
    throw py::value_error(
        "a run with forces or a controller cannot have a tolerance: the runs that look for its step would be without "
        "them; give the step");
  if (method.error_bars == stepping::ErrorBars::On && !calls.empty())
    throw py::value_error(
        "a run with forces, a controller or an observer cannot have error_bars: the coarser runs beside it would be "
        "without them");
}

// Ctrl-C and whatever the caller wants to know, between steps.
std::function<void()> polling(const py::object& progress, const simulation::Simulation*& run) {
  return [&progress, &run] {
    const Locked locked;
    or_wait_for_the_end([&] {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none() && run != nullptr) progress(run->time());
    });
  };
}

Callbacks callbacks_from(const scene::Scene& scene, const py::dict& forces, const py::object& controller,
                         const py::object& observer) {
  Callbacks calls;
  for (const auto& [name, function] : forces)
    calls.add_force(body_index(scene.model, name.cast<std::string>()), py::reinterpret_borrow<py::object>(function));
  if (!controller.is_none()) calls.add_controller(controller);
  if (!observer.is_none()) calls.add_observer(observer);
  return calls;
}

py::dict result_of(const app::RunSession& session, app::RunEnd end) {
  py::dict out, values;
  out["certified_at_worst"] = end != app::RunEnd::Uncertified;
  out["certified"] = end != app::RunEnd::Uncertified && session.simulation().counters().at_worst == 0;
  out["residual"] = session.simulation().counters().worst_residual;
  out["steps"] = session.simulation().counters().steps;
  out["steps_at_worst"] = session.simulation().counters().at_worst;
  out["seconds"] = session.wall_seconds();
  out["failed_problem"] = text_from(session.failed_problem_path());
  for (std::size_t i = 0; i < session.observables().size(); ++i)
    values[py::str(session.scene().observables[i].name)] = session.observables()[i];
  out["observables"] = values;
  py::dict bars, claims;
  for (std::size_t i = 0; i < session.error_bars().size(); ++i) {
    const runs::ErrorBar& bar = session.error_bars()[i];
    const py::str name(session.scene().observables[i].name);
    bars[name] = bar.claim == runs::ErrorBar::Claim::None ? py::none() : py::object(py::float_(bar.error));
    claims[name] = std::string(runs::name_of(bar.claim));
  }
  out["error_bars"] = bars;
  out["error_claims"] = claims;
  return out;
}

py::dict run_model(const Model& model, const std::string& path, const py::object& progress, const py::dict& forces,
                   const py::object& controller, const py::object& observer) {
  const simulation::Simulation* running = nullptr;
  app::RunOptions options;
  options.scene = model.scene().file.string();
  options.output = path;
  options.progress = false;  // Python's own, where it is asked for
  options.poll = polling(progress, running);
  scene::Scene scene = model.scene();
  const Callbacks calls = callbacks_from(scene, forces, controller, observer);
  refuse_runs_beside(scene.method, calls);
  if (!calls.empty()) {
    const std::size_t bodies = scene.model.bodies.size();
    const auto pushes =
        std::make_shared<Pushes>(Pushes{std::vector<model::Wrench>(bodies), std::vector<model::Wrench>(bodies)});
    feel(scene.model, pushes);
    options.each_step = [&calls, pushes, first = true](const runs::Run& run) mutable {
      const Locked locked;
      const model::State& state = run.simulation().state();
      return or_wait_for_the_end([&] {
        if (!std::exchange(first, false) && !calls.observe(state)) return false;
        calls.push(run.scene().model, state, pushes->called);
        return true;
      });
    };
  }
  const Unlocked unlocked;
  app::RunSession session(options, std::move(scene));
  running = &session.simulation();
  const app::RunEnd end = session.run();
  const Locked locked;
  return result_of(session, end);
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("_run", &run_model, py::arg("model"), py::arg("path"), py::arg("progress") = py::none(),
             py::arg("forces") = py::dict(), py::arg("controller") = py::none(), py::arg("observer") = py::none());
}

}  // namespace stickslip::python
