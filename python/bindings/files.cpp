// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.Recording and stickslip.Store: what runs and studies wrote, as arrays.
#include "handles.h"

#include "stickslip/recording/recording.h"
#include "stickslip/report/page.h"
#include "stickslip/study/store.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>

namespace stickslip::python {
namespace {

std::string path_from(const py::object& path) {
  return py::module_::import("os").attr("fspath")(path).cast<std::string>();
}

// Position, velocity or orientation of one body in all frames.
template <typename Get>
py::array_t<double> track(const recording::Recording& recording, const std::string& body, py::ssize_t width,
                          const Get& get) {
  const auto& names = recording.info().bodies;
  const auto found = std::find(names.begin(), names.end(), body);
  if (found == names.end()) throw py::key_error(fmt::format("no body \"{}\"", body));
  const auto index = static_cast<std::size_t>(found - names.begin());
  py::array_t<double> out({static_cast<py::ssize_t>(recording.frames()), width});
  for (std::size_t frame = 0; frame < recording.frames(); ++frame)
    get(recording.state(frame).bodies[index], out.mutable_data(static_cast<py::ssize_t>(frame)));
  return out;
}

py::array_t<double> observable(const recording::Recording& recording, const std::string& name) {
  const auto& names = recording.info().observables;
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw py::key_error(fmt::format("no observable \"{}\"", name));
  return to_numpy(recording.observable(name));
}

py::list events(const recording::Recording& recording) {
  py::list list;
  for (const recording::ModeChange& change : recording.events()) {
    const auto& names = recording.info().bodies;
    list.append(py::make_tuple(change.time, names[static_cast<std::size_t>(change.body_a)],
                               names[static_cast<std::size_t>(change.body_b)], contact::to_string(change.from),
                               contact::to_string(change.to)));
  }
  return list;
}

std::string page(const recording::Recording& recording, const std::string& name) {
  const report::RunData data = report::prepare(recording);
  return report::runs_page({{name, &data}});
}

// All rows of a store, by columns.
py::dict columns_of(study::Store& store) {
  const study::StoreHeader& header = store.header();
  std::vector<std::vector<double>> parameters(header.parameters.size()), observables(header.observables.size());
  std::vector<double> trial, success, objective, end_time, residual;
  std::vector<std::string> status, cause;
  store.read([&](const study::TrialPoint& at, const study::TrialResult& row) {
    trial.push_back(static_cast<double>(at.index));
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].push_back(at.values[i]);
    for (std::size_t i = 0; i < observables.size(); ++i) observables[i].push_back(row.observables[i]);
    success.push_back(row.success);
    objective.push_back(row.objective);
    end_time.push_back(row.end_time);
    residual.push_back(row.residual);
    status.emplace_back(study::name_of(row.status));
    cause.push_back(row.cause);
  });
  py::dict out;
  out["trial"] = to_numpy(trial);
  for (std::size_t i = 0; i < parameters.size(); ++i) out[py::str(header.parameters[i])] = to_numpy(parameters[i]);
  for (std::size_t i = 0; i < observables.size(); ++i) out[py::str(header.observables[i])] = to_numpy(observables[i]);
  out["success"] = to_numpy(success);
  out["objective"] = to_numpy(objective);
  out["end_time"] = to_numpy(end_time);
  out["residual"] = to_numpy(residual);
  out["status"] = status;
  out["cause"] = cause;
  return out;
}

}  // namespace

void bind_files(py::module_& module) {
  using recording::Recording;
  py::class_<Recording>(module, "_Recording", "A recorded run.")
      .def(py::init([](const py::object& path) { return std::make_unique<Recording>(path_from(path)); }),
           py::arg("path"))
      .def_property_readonly(
          "bodies", [](const Recording& r) { return r.info().bodies; }, "Names of the bodies.")
      .def_property_readonly(
          "observables", [](const Recording& r) { return r.info().observables; }, "Names.")
      .def_property_readonly(
          "method", [](const Recording& r) { return r.info().method; }, "How it was run, in words.")
      .def_property_readonly(
          "scene", [](const Recording& r) { return r.info().scene; }, "Text of the scene file.")
      .def_property_readonly(
          "end", [](const Recording& r) { return r.end(); }, "How the run ended, in words.")
      .def_property_readonly(
          "time", [](const Recording& r) { return to_numpy(r.time()); }, "Of each frame.")
      .def_property_readonly(
          "residual", [](const Recording& r) { return to_numpy(r.residual()); },
          "The worst certificate of the steps up to each frame.")
      .def_property_readonly("modes", &events, "Changes of contact mode: (time, body_a, body_b, from, to).")
      .def("__len__", [](const Recording& r) { return r.frames(); })
      .def("__getitem__", &observable, py::arg("name"), "An observable over time.")
      .def(
          "position",
          [](const Recording& r, const std::string& body) {
            return track(r, body, 3, [](const model::BodyState& b, double* x) {
              for (int k = 0; k < 3; ++k) x[k] = b.pose.position(k);
            });
          },
          py::arg("body"), "Centre of mass of a body over time, frames x 3.")
      .def(
          "velocity",
          [](const Recording& r, const std::string& body) {
            return track(r, body, 3, [](const model::BodyState& b, double* x) {
              for (int k = 0; k < 3; ++k) x[k] = b.velocity.linear(k);
            });
          },
          py::arg("body"), "Velocity of a body over time, frames x 3.")
      .def(
          "orientation",
          [](const Recording& r, const std::string& body) {
            return track(r, body, 4, [](const model::BodyState& b, double* x) {
              const Quat& q = b.pose.orientation;
              x[0] = q.w(), x[1] = q.x(), x[2] = q.y(), x[3] = q.z();
            });
          },
          py::arg("body"), "Unit quaternion w, x, y, z of a body over time, frames x 4.")
      .def("page", &page, py::arg("name") = "run", "The page that `stickslip report` makes, as HTML text.");

  py::class_<study::Store>(module, "_Store", "The results of a study.")
      .def(py::init([](const py::object& path) { return study::Store::open(path_from(path)); }), py::arg("path"))
      .def_property_readonly(
          "parameters", [](const study::Store& s) { return s.header().parameters; }, "Names.")
      .def_property_readonly(
          "observables", [](const study::Store& s) { return s.header().observables; }, "Names.")
      .def("__len__", [](study::Store& s) { return s.count(); })
      .def("columns", &columns_of, "All rows in the order of the trials, as arrays by name.");
}

}  // namespace stickslip::python
