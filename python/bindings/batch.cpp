// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.batch: one scene with a table of values, on all cores. Trial k is the scene with the k-th value of every
// argument and nothing else, so the results do not depend on the number of threads.
#include "handles.h"

#include "stickslip/scene/scene_file.h"
#include "stickslip/study/observable_derivatives.h"
#include "stickslip/study/scene_run.h"
#include "stickslip/study/statistics.h"

#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace stickslip::python {
namespace {

struct Column {
  std::string name;
  std::vector<double> values;
};

struct BatchResult {
  std::vector<Column> parameters;
  std::vector<std::string> observables;
  std::vector<study::SceneRun> runs;
};

// Every argument as a column of the same length; single numbers are repeated.
std::vector<Column> columns_from(const Model& model, const py::kwargs& arguments) {
  std::vector<Column> columns;
  std::size_t rows = 1;
  for (const auto& [key, value] : arguments) {
    py::kwargs one;
    one[key] = 0.0;  // the name alone: parameter or key of [method]
    const std::string name = overrides_from(&model, one).front().name;
    const std::string argument = key.cast<std::string>();
    // A wrong name is refused before anything runs; wrong values make single trials fail.
    if (name == argument && name != "duration") (void)scene::parameter_named(model.scene(), name);
    const DoubleArray array = real_array(value, argument.c_str());
    if (array.ndim() > 1) throw py::value_error(fmt::format("{} must be a number or have one axis", argument));
    std::vector<double> values(array.data(), array.data() + array.size());
    for (const double x : values)
      if (!std::isfinite(x)) throw py::value_error(fmt::format("{} must be finite", argument));
    if (array.ndim() == 1) {
      if (rows != 1 && values.size() != rows)
        throw py::value_error(fmt::format("{} has {} values, others have {}", argument, values.size(), rows));
      rows = values.size();
    }
    columns.push_back({name, std::move(values)});
  }
  for (Column& column : columns)
    if (column.values.size() == 1) column.values.resize(rows, column.values.front());
  return columns;
}

void run_trial(const Model& model, BatchResult& batch, std::size_t trial) {
  std::vector<scene::Override> overrides = model.overrides();
  for (const Column& column : batch.parameters)
    overrides.push_back({column.name, fmt::format("{}", column.values[trial])});
  study::SceneRun& run = batch.runs[trial];
  try {
    run = study::run_scene(scene::make_scene(model.document(), overrides));
  } catch (const std::exception& error) {
    run.status = study::TrialStatus::Rejected;
    run.cause = error.what();
    run.observables.assign(batch.observables.size(), study::kNotANumber);
  }
}

// Runs all trials without the interpreter lock; looks for signals (Ctrl-C) now and then.
void run_all(const Model& model, BatchResult& batch, int threads) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> working = 0;
  std::atomic<bool> stop = false;
  const auto work = [&] {
    for (std::size_t trial; !stop && (trial = next++) < batch.runs.size();) run_trial(model, batch, trial);
    --working;
  };
  std::vector<std::jthread> pool;
  const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(threads), batch.runs.size());
  working = static_cast<int>(wanted);
  const py::gil_scoped_release unlocked;
  for (std::size_t k = 0; k < wanted; ++k) pool.emplace_back(work);
  for (int waited = 0; working > 0; ++waited) {
    std::this_thread::sleep_for(std::chrono::microseconds(waited < 100 ? 20 : 2000));
    if (waited % 50 != 49) continue;
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() == 0) continue;
    stop = true;
    throw py::error_already_set();
  }
}

BatchResult run_batch(const Model& model, int threads, const py::kwargs& arguments) {
  if (threads < 0) throw py::value_error("threads must not be negative (0: one for each core)");
  if (threads == 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  BatchResult batch;
  batch.parameters = columns_from(model, arguments);
  for (const scene::Observable& observable : model.scene().observables) batch.observables.push_back(observable.name);
  const std::size_t trials = batch.parameters.empty() ? 1 : batch.parameters.front().values.size();
  batch.runs.resize(trials);
  run_all(model, batch, threads);
  return batch;
}

py::array_t<double> column_of(const BatchResult& batch, const std::string& name) {
  for (std::size_t i = 0; i < batch.observables.size(); ++i) {
    if (batch.observables[i] != name) continue;
    py::array_t<double> out(static_cast<py::ssize_t>(batch.runs.size()));
    for (std::size_t k = 0; k < batch.runs.size(); ++k) out.mutable_data()[k] = batch.runs[k].observables[i];
    return out;
  }
  for (const Column& column : batch.parameters)
    if (column.name == name || column.name == "method." + name) return to_numpy(column.values);
  throw py::key_error(fmt::format("no observable or argument \"{}\"", name));
}

template <typename Of>
py::array_t<double> numbers_of(const BatchResult& batch, const Of& of) {
  py::array_t<double> out(static_cast<py::ssize_t>(batch.runs.size()));
  for (std::size_t k = 0; k < batch.runs.size(); ++k) out.mutable_data()[k] = of(batch.runs[k]);
  return out;
}

py::dict sensitivity(const Model& model, const std::vector<std::string>& parameters, double step, int threads) {
  if (!(step > 0 && step < 1)) throw py::value_error("step must lie between 0 and 1");
  study::SensitivityOptions options;
  options.step = step;
  options.threads = std::max(1, threads);
  study::Sensitivities found;
  {
    const py::gil_scoped_release unlocked;
    found = study::sensitivities(model.document(), model.overrides(), parameters, options);
  }
  py::dict out;
  for (std::size_t j = 0; j < found.observables.size(); ++j) {
    py::dict row;
    for (std::size_t i = 0; i < found.parameters.size(); ++i) {
      const study::Derivative& derivative = found.at(i, j);
      py::dict entry;
      entry["value"] = derivative.value;
      entry["error"] = derivative.error;
      entry["exact"] = derivative.implicit;
      entry["same_modes"] = derivative.same_modes;
      entry["reason"] = derivative.reason;
      row[py::str(found.parameters[i])] = entry;
    }
    out[py::str(found.observables[j])] = row;
  }
  return out;
}

}  // namespace

void bind_batch(py::module_& module) {
  py::class_<BatchResult>(module, "Batch",
                          "Many runs of one scene. batch[name]: an observable or argument as an array.")
      .def("__getitem__", &column_of, py::arg("name"))
      .def("__len__", [](const BatchResult& b) { return b.runs.size(); })
      .def_property_readonly(
          "observables", [](const BatchResult& b) { return b.observables; }, "Names.")
      .def_property_readonly(
          "parameters",
          [](const BatchResult& b) {
            std::vector<std::string> names;
            for (const Column& column : b.parameters) names.push_back(column.name);
            return names;
          },
          "Names of the arguments.")
      .def_property_readonly(
          "certified",
          [](const BatchResult& b) {
            py::array_t<bool> out(static_cast<py::ssize_t>(b.runs.size()));
            for (std::size_t k = 0; k < b.runs.size(); ++k) out.mutable_data()[k] = b.runs[k].ran();
            return out;
          },
          "Which runs came to their end with every step certified.")
      .def_property_readonly(
          "status",
          [](const BatchResult& b) {
            std::vector<std::string> out;
            for (const study::SceneRun& run : b.runs) out.emplace_back(study::name_of(run.status));
            return out;
          },
          "finished, stopped, uncertified, rejected or error, of each run.")
      .def_property_readonly(
          "cause",
          [](const BatchResult& b) {
            std::vector<std::string> out;
            for (const study::SceneRun& run : b.runs) out.push_back(run.cause);
            return out;
          },
          "Why a run did not come to its end; empty where it did.")
      .def_property_readonly(
          "residual",
          [](const BatchResult& b) { return numbers_of(b, [](const study::SceneRun& run) { return run.residual; }); },
          "The worst certificate of each run.")
      .def_property_readonly(
          "end_time",
          [](const BatchResult& b) { return numbers_of(b, [](const study::SceneRun& run) { return run.end_time; }); },
          "Simulated seconds at the end of each run.")
      .def("__repr__", [](const BatchResult& b) {
        std::size_t ran = 0;
        for (const study::SceneRun& run : b.runs) ran += run.ran() ? 1 : 0;
        return fmt::format("<Batch of {} runs, {} certified>", b.runs.size(), ran);
      });
  module.def("batch", &run_batch, py::arg("model"), py::kw_only(), py::arg("threads") = 0,
             "Runs the model once for each value: keywords are parameters (or keys of [method]) with arrays of equal "
             "length. The same bits for any number of threads.");
  module.def(
      "rate_interval",
      [](std::int64_t successes, std::int64_t trials, double confidence) {
        if (trials < 1 || successes < 0 || successes > trials)
          throw py::value_error("0 <= successes <= trials and trials >= 1 are needed");
        if (!(confidence > 0 && confidence < 1)) throw py::value_error("confidence must lie between 0 and 1");
        const study::Estimate estimate = study::wilson_interval(successes, trials, confidence);
        return py::make_tuple(estimate.low, estimate.high);
      },
      py::arg("successes"), py::arg("trials"), py::arg("confidence") = 0.95,
      "The interval of a rate from counted successes.");
  module.def("_sensitivity", &sensitivity, py::arg("model"), py::arg("parameters"), py::kw_only(),
             py::arg("step") = 1e-4, py::arg("threads") = 1);
}

}  // namespace stickslip::python
