// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.Recording and stickslip.Store: what runs and studies wrote, as arrays.
#include "contact_arrays.h"
#include "handles.h"
#include "names.h"
#include "unlocked.h"

#include "stickslip/recording/recording.h"
#include "stickslip/report/page.h"
#include "stickslip/study/store.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace stickslip::python {
namespace {

// A file that may be closed before its object goes. One thread at a time reads it, without the interpreter lock; the
// others wait.
template <typename File>
class Closable {
 public:
  using MadeByInit = Closable;

  Closable(std::unique_ptr<File> file, const char* what) : file_(std::move(file)), what_(what) {}

  // read(file) must not touch Python.
  template <typename Read>
  auto read(const Read& read) const {
    const Unlocked unlocked;
    const std::lock_guard alone(mutex_);
    if (!file_) throw py::value_error(fmt::format("the {} is closed", what_));
    return read(*file_);
  }
  void close() {
    const Unlocked unlocked;
    const std::lock_guard alone(mutex_);
    file_.reset();
  }

 private:
  std::unique_ptr<File> file_;
  mutable std::mutex mutex_;
  const char* what_;
};
using RecordingFile = Closable<recording::Recording>;
using StoreFile = Closable<study::Store>;

template <typename File>
void bind_closing(py::class_<Closable<File>>& type) {
  type.def("close", &Closable<File>::close, "Lets the file go; everything else raises ValueError afterwards.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](Closable<File>& file, const py::args&) { file.close(); });
}

// Position, velocity or orientation of one body in all frames.
template <typename Get>
py::array_t<double> track(const RecordingFile& file, const std::string& body, std::size_t width, const Get& get) {
  const std::vector<double> values = file.read([&](const recording::Recording& recording) {
    const auto& names = recording.info().bodies;
    const auto found = std::find(names.begin(), names.end(), body);
    if (found == names.end()) throw unknown("body", body, names);
    const auto index = static_cast<std::size_t>(found - names.begin());
    std::vector<double> all(recording.frames() * width);
    for (std::size_t frame = 0; frame < recording.frames(); ++frame)
      get(recording.state(frame).bodies[index], &all[frame * width]);
    return all;
  });
  const auto columns = static_cast<py::ssize_t>(width);
  return py::array_t<double>({static_cast<py::ssize_t>(values.size()) / columns, columns}, values.data());
}

std::vector<double> observable(const recording::Recording& recording, const std::string& name) {
  const auto& names = recording.info().observables;
  if (std::find(names.begin(), names.end(), name) == names.end()) throw unknown("observable", name, names);
  return recording.observable(name);
}

py::array contacts(const RecordingFile& file, py::ssize_t frame) {
  std::vector<std::string> bodies;
  const auto found = file.read([&](const recording::Recording& recording) {
    const auto frames = static_cast<py::ssize_t>(recording.frames());
    const py::ssize_t at = frame < 0 ? frame + frames : frame;
    if (at < 0 || at >= frames) throw py::index_error(fmt::format("frame {}, and there are {}", frame, frames));
    bodies = recording.info().bodies;
    return recording.contacts(static_cast<std::size_t>(at));
  });
  return contact_array(found, bodies, contact_type(bodies, WithSurface::No));
}

py::list events(const RecordingFile& file) {
  std::vector<std::string> names;
  const auto changes = file.read([&](const recording::Recording& recording) {
    names = recording.info().bodies;
    return recording.events();
  });
  py::list list;
  for (const recording::ModeChange& change : changes)
    list.append(py::make_tuple(change.time, names[static_cast<std::size_t>(change.body_a)],
                               names[static_cast<std::size_t>(change.body_b)], contact::to_string(change.from),
                               contact::to_string(change.to)));
  return list;
}

std::string page(const recording::Recording& recording, const std::string& name) {
  const report::RunData data = report::prepare(recording);
  return report::runs_page({{name, &data}});
}

// All rows of a store, by columns.
py::dict columns_of(const StoreFile& file) {
  study::StoreHeader header;
  std::vector<std::vector<double>> parameters, observables;
  std::vector<double> trial, success, objective, end_time, residual;
  std::vector<std::string> status, cause;
  file.read([&](study::Store& store) {
    header = store.header();
    parameters.resize(header.parameters.size());
    observables.resize(header.observables.size());
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
  py::class_<RecordingFile> recording_type(module, "_Recording", "A recorded run.");
  bind_closing(recording_type);
  refuse_iteration(recording_type);
  recording_type
      .def(py::init([](const py::object& path) {
             const std::string name = path_from(path);
             const Unlocked unlocked;
             return std::make_unique<RecordingFile>(std::make_unique<recording::Recording>(name), "recording");
           }),
           py::arg("path"))
      .def_property_readonly(
          "bodies", [](const RecordingFile& r) { return r.read([](const auto& f) { return f.info().bodies; }); },
          "Names of the bodies.")
      .def_property_readonly(
          "observables",
          [](const RecordingFile& r) { return r.read([](const auto& f) { return f.info().observables; }); }, "Names.")
      .def_property_readonly(
          "method", [](const RecordingFile& r) { return r.read([](const auto& f) { return f.info().method; }); },
          "How it was run, in words.")
      .def_property_readonly(
          "scene", [](const RecordingFile& r) { return r.read([](const auto& f) { return f.info().scene; }); },
          "Text of the scene file.")
      .def_property_readonly(
          "end", [](const RecordingFile& r) { return r.read([](const auto& f) { return f.end(); }); },
          "How the run ended, in words.")
      .def_property_readonly(
          "time", [](const RecordingFile& r) { return to_numpy(r.read([](const auto& f) { return f.time(); })); },
          "Of each frame.")
      .def_property_readonly(
          "residual",
          [](const RecordingFile& r) { return to_numpy(r.read([](const auto& f) { return f.residual(); })); },
          "The worst certificate of the steps up to each frame.")
      .def_property_readonly(
          "modes", [](const RecordingFile& r) { return events(r); },
          "Changes of contact mode: (time, body_a, body_b, from, to).")
      .def(
          "__len__", [](const RecordingFile& r) { return r.read([](const auto& f) { return f.frames(); }); },
          "How many frames.")
      .def("__contains__",
           [](const RecordingFile& r, const py::object& name) {
             return contains(r.read([](const auto& f) { return f.info().observables; }), name);
           })
      .def(
          "__getitem__",
          [](const RecordingFile& r, const std::string& name) {
            return to_numpy(r.read([&](const auto& f) { return observable(f, name); }));
          },
          py::arg("name"), "An observable over time.")
      .def(
          "position",
          [](const RecordingFile& r, const std::string& body) {
            return track(r, body, 3, [](const model::BodyState& b, double* x) {
              for (int k = 0; k < 3; ++k) x[k] = b.pose.position(k);
            });
          },
          py::arg("body"), "Centre of mass of a body over time, frames x 3.")
      .def(
          "velocity",
          [](const RecordingFile& r, const std::string& body) {
            return track(r, body, 3, [](const model::BodyState& b, double* x) {
              for (int k = 0; k < 3; ++k) x[k] = b.velocity.linear(k);
            });
          },
          py::arg("body"), "Velocity of a body over time, frames x 3.")
      .def(
          "angular_velocity",
          [](const RecordingFile& r, const std::string& body) {
            return track(r, body, 3, [](const model::BodyState& b, double* x) {
              for (int k = 0; k < 3; ++k) x[k] = b.velocity.angular(k);
            });
          },
          py::arg("body"), "Angular velocity of a body over time, world frame, frames x 3.")
      .def(
          "orientation",
          [](const RecordingFile& r, const std::string& body) {
            return track(r, body, 4, [](const model::BodyState& b, double* x) {
              const Quat& q = b.pose.orientation;
              x[0] = q.w(), x[1] = q.x(), x[2] = q.y(), x[3] = q.z();
            });
          },
          py::arg("body"), "Unit quaternion w, x, y, z of a body over time, frames x 4.")
      .def("contacts", &contacts, py::arg("frame"),
           "Contacts of a frame (negative: from the end), an array like Simulation.contacts but for the surface, which "
           "is not recorded; empty where "
           "the scene records none.")
      .def(
          "page",
          [](const RecordingFile& r, const std::string& name) {
            return r.read([&](const auto& f) { return page(f, name); });
          },
          py::arg("name") = "run", "The page that `stickslip report` makes, as HTML text.");

  py::class_<StoreFile> store_type(module, "_Store", "The results of a study.");
  bind_closing(store_type);
  refuse_iteration(store_type);
  store_type
      .def(py::init([](const py::object& path) {
             const std::string name = path_from(path);
             const Unlocked unlocked;
             return std::make_unique<StoreFile>(study::Store::open(name), "store");
           }),
           py::arg("path"))
      .def_property_readonly(
          "parameters", [](const StoreFile& s) { return s.read([](const auto& f) { return f.header().parameters; }); },
          "Names.")
      .def_property_readonly(
          "observables",
          [](const StoreFile& s) { return s.read([](const auto& f) { return f.header().observables; }); }, "Names.")
      .def(
          "__len__", [](const StoreFile& s) { return s.read([](auto& f) { return f.count(); }); }, "How many trials.")
      .def(
          "columns", [](const StoreFile& s) { return columns_of(s); },
          "All rows in the order of the trials, as arrays by name.");
}

}  // namespace stickslip::python
