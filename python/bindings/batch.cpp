// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.batch: one scene with a table of values, on all cores. Trial k is the scene with the k-th value of every
// argument and nothing else, so the results do not depend on the number of threads.
#include "handles.h"
#include "names.h"
#include "python_signals.h"
#include "unlocked.h"

#include "stickslip/complementarity/worker_pool.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/study/observable_derivatives.h"
#include "stickslip/study/scene_run.h"
#include "stickslip/study/statistics.h"

#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace stickslip::python {
namespace {

struct Column {
  std::string name;
  std::vector<double> values;
};

struct BatchResult {
  using MadeByInit = BatchResult;
  std::vector<Column> parameters;
  std::vector<model::State> states;  // to start from; empty: as the scene says
  std::vector<std::string> observables;
  std::vector<study::SceneRun> runs;
  double certificate = 0;  // of the scene
};

// To its end, and every step at the certificate.
bool is_certified(const BatchResult& batch, std::size_t k) {
  double certificate = batch.certificate;
  for (const Column& column : batch.parameters)
    if (column.name == "method.certificate") certificate = column.values[k];
  return batch.runs[k].ran() && batch.runs[k].residual <= certificate;
}

// The name in the scene of a keyword: a parameter or a key of [method].
std::string name_of(const Model& model, const py::handle& key) {
  py::kwargs one;
  one[key] = 0.0;
  return overrides_from(&model, one).front().name;
}

// What holds for all trials: texts, and switches of [method]. The rest of the arguments is left.
Model with_texts(const Model& model, py::kwargs& arguments) {
  py::kwargs texts, others;
  for (const auto& [key, value] : arguments) {
    const bool text = py::isinstance<py::str>(value) ||
                      (py::isinstance<py::bool_>(value) && name_of(model, key).starts_with("method."));
    (text ? texts : others)[key] = value;
  }
  arguments = others;
  return texts.empty() ? model : model.with(overrides_from(&model, texts));
}

// Every argument as a column of the same length; single numbers are repeated, in an array or not.
std::vector<Column> columns_from(const Model& model, const py::kwargs& arguments) {
  std::vector<Column> columns;
  std::size_t rows = 1;
  for (const auto& [key, value] : arguments) {
    const std::string name = name_of(model, key);
    const std::string argument = key.cast<std::string>();
    // A wrong name is refused before anything runs; wrong values make single trials fail.
    if (name == argument && name != "duration") (void)scene::parameter_named(model.scene(), name);
    const DoubleArray array = real_array(value, argument.c_str());
    if (array.ndim() > 1) throw py::value_error(fmt::format("{} must be a number or have one axis", argument));
    std::vector<double> values(array.data(), array.data() + array.size());
    for (const double x : values)
      if (!std::isfinite(x)) throw py::value_error(fmt::format("{} must be finite", argument));
    if (values.size() != 1) {
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

// From a state in place of the scene's start, which is where bodies settle.
void start_from(const model::State& state, scene::Scene& scene) {
  model::Model& model = scene.model;
  scene.settle = false;
  if (state.bodies.size() != model.bodies.size())
    throw std::runtime_error("with these values the scene has other bodies than the states");
  for (std::size_t i = 0; i < model.bodies.size(); ++i) model.bodies[i].initial = state.bodies[i];
}

void run_trial(const Model& model, BatchResult& batch, std::size_t trial, const std::atomic<bool>& stop) {
  std::vector<scene::Override> overrides = model.overrides();
  for (const Column& column : batch.parameters)
    overrides.push_back({column.name, fmt::format("{}", column.values[trial])});
  study::SceneRun& run = batch.runs[trial];
  try {
    scene::Scene scene = scene::make_scene(model.document(), overrides);
    if (!batch.states.empty()) start_from(batch.states[trial], scene);
    run = study::run_scene(scene, 0, runs::asking([&stop] { return !stop; }));
  } catch (const runs::Interrupted&) {
    // As it was before.
  } catch (const std::exception& error) {
    run.status = study::TrialStatus::Rejected;
    run.cause = error.what();
  }
}

// Runs all trials without the interpreter lock. The calling thread looks for signals (Ctrl-C), the others work.
void run_all(const Model& model, BatchResult& batch, int threads, Interruption& interruption,
             const py::object& progress) {
  std::atomic<std::size_t> next = 0, done = 0;
  std::atomic<bool> stop = false;
  const int workers = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), batch.runs.size()));
  int working = workers;
  std::mutex mutex;  // of `working`
  std::condition_variable ended;
  const std::function<bool()> go_on = interruption.asking([&] {
    if (!progress.is_none()) progress(done.load(), batch.runs.size());
  });
  const auto watch = [&] {
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kPatience, [&] { return working == 0; })) {
      lock.unlock();
      if (!stop && !go_on()) stop = true;
      lock.lock();
    }
  };
  const auto work = [&] {
    for (std::size_t trial; !stop && (trial = next++) < batch.runs.size(); ++done) run_trial(model, batch, trial, stop);
    const std::lock_guard lock(mutex);
    if (--working == 0) ended.notify_one();
  };
  const Unlocked unlocked;
  complementarity::WorkerPool().run_each(workers + 1, [&](int worker) { worker == 0 ? watch() : work(); });
  if (!stop) (void)go_on();  // the end of the progress
}

BatchResult run_batch(const Model& given, int threads, const py::object& states, const py::object& progress,
                      py::kwargs arguments) {
  threads = threads_from(threads);
  const Model model = with_texts(given, arguments);
  BatchResult batch;
  batch.parameters = columns_from(model, arguments);
  batch.observables = observable_names(model.scene());
  std::size_t trials = batch.parameters.empty() ? 1 : batch.parameters.front().values.size();
  if (!states.is_none()) {
    batch.states = read_states(states, model.scene().model);
    for (Column& column : batch.parameters)
      if (column.values.size() == 1) column.values.resize(batch.states.size(), column.values.front());
    if (!batch.parameters.empty() && batch.parameters.front().values.size() != batch.states.size())
      throw py::value_error(fmt::format("there are {} states, and {} values", batch.states.size(), trials));
    trials = batch.states.size();
  }
  study::SceneRun none;
  none.status = study::TrialStatus::Error;
  none.cause = "interrupted";
  none.observables.assign(batch.observables.size(), study::kNotANumber);
  batch.runs.assign(trials, none);
  batch.certificate = model.scene().method.certificate;
  Interruption interruption;
  run_all(model, batch, threads, interruption, progress);
  batch.states = {};
  try {
    interruption.raise();
  } catch (const py::error_already_set& error) {
    error.value().attr("batch") = py::cast(std::move(batch));  // what was done until then
    throw;
  }
  return batch;
}

std::vector<std::string> names_of(const BatchResult& batch) {
  std::vector<std::string> names = batch.observables;
  for (const Column& column : batch.parameters) names.push_back(column.name);
  return names;
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
  throw unknown("observable or argument", name, names_of(batch));
}

template <typename Of>
py::array_t<double> numbers_of(const BatchResult& batch, const Of& of) {
  py::array_t<double> out(static_cast<py::ssize_t>(batch.runs.size()));
  for (std::size_t k = 0; k < batch.runs.size(); ++k) out.mutable_data()[k] = of(batch.runs[k]);
  return out;
}

// Copies, and what goes to another process.
py::tuple contents_of(const BatchResult& batch) {
  py::list parameters, runs;
  for (const Column& column : batch.parameters) parameters.append(py::make_tuple(column.name, to_numpy(column.values)));
  for (const study::SceneRun& run : batch.runs)
    runs.append(py::make_tuple(static_cast<int>(run.status), run.cause, to_numpy(run.observables), run.end_time,
                               run.residual, run.steps, run.modes));
  return py::make_tuple(parameters, batch.observables, runs, batch.certificate);
}

std::vector<double> numbers_from(const py::handle& object, std::size_t count) {
  const Eigen::VectorXd given = vector_from(object, "values", static_cast<py::ssize_t>(count));
  return {given.begin(), given.end()};
}

BatchResult batch_from(const py::tuple& contents) {
  if (contents.size() != 4) throw py::value_error("this is no batch of this version");
  BatchResult batch;
  batch.observables = contents[1].cast<std::vector<std::string>>();
  batch.certificate = contents[3].cast<double>();
  for (const py::handle entry : py::list(contents[2])) {
    const auto of = entry.cast<py::tuple>();
    study::SceneRun& run = batch.runs.emplace_back();
    const int status = of[0].cast<int>();
    if (status < 0 || status > static_cast<int>(study::TrialStatus::Error)) throw py::value_error("unknown status");
    run.status = static_cast<study::TrialStatus>(status);
    run.cause = of[1].cast<std::string>();
    run.observables = numbers_from(of[2], batch.observables.size());
    run.end_time = of[3].cast<double>();
    run.residual = of[4].cast<double>();
    run.steps = of[5].cast<std::int64_t>();
    run.modes = of[6].cast<std::uint64_t>();
  }
  for (const py::handle entry : py::list(contents[0])) {
    const auto of = entry.cast<py::tuple>();
    batch.parameters.push_back({of[0].cast<std::string>(), numbers_from(of[1], batch.runs.size())});
  }
  return batch;
}

py::dict sensitivity(const Model& model, const std::vector<std::string>& parameters, double step, int threads) {
  if (!(step > 0 && step < 1)) throw py::value_error("step must lie between 0 and 1");
  study::SensitivityOptions options;
  options.step = step;
  options.threads = threads_from(threads);
  Interruption interruption;
  options.go_on = interruption.asking();
  study::Sensitivities found;
  try {
    const Unlocked unlocked;
    found = study::sensitivities(model.document(), model.overrides(), parameters, options);
  } catch (const runs::Interrupted&) {
    interruption.raise();
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
      entry["note"] = found.note;
      if (derivative.corner) {
        entry["left"] = py::make_tuple(derivative.left.value, derivative.left.error);
        entry["right"] = py::make_tuple(derivative.right.value, derivative.right.error);
      }
      row[py::str(found.parameters[i])] = entry;
    }
    out[py::str(found.observables[j])] = row;
  }
  return out;
}

}  // namespace

void bind_batch(py::module_& module) {
  py::class_<BatchResult> type(module, "Batch",
                               "Many runs of one scene. batch[name]: an observable or argument as an array.\n\n"
                               ">>> import stickslip as ss\n"
                               ">>> model = ss.Model.from_file(\"examples/box/scene.toml\")\n"
                               ">>> out = ss.batch(model, mu=[0.4, 0.5])\n"
                               ">>> out[\"x\"].round(6).tolist(), out.status\n"
                               "([0.509684, 0.407747], ['finished', 'finished'])\n");
  refuse_iteration(type);
  type.def("__getitem__", &column_of, py::arg("name"), "An observable or an argument, one value per run.")
      .def("__contains__", [](const BatchResult& b, const py::object& name) { return contains(names_of(b), name); })
      .def(
          "__len__", [](const BatchResult& b) { return b.runs.size(); }, "How many runs.")
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
            for (std::size_t k = 0; k < b.runs.size(); ++k) out.mutable_data()[k] = is_certified(b, k);
            return out;
          },
          "Which runs finished with every step at method.certificate; status says which finished.")
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
          "Why a run did not finish; empty where it did.")
      .def_property_readonly(
          "steps",
          [](const BatchResult& b) {
            return numbers_of(b, [](const study::SceneRun& run) { return static_cast<double>(run.steps); });
          },
          "Steps of each run.")
      .def_property_readonly(
          "residual",
          [](const BatchResult& b) { return numbers_of(b, [](const study::SceneRun& run) { return run.residual; }); },
          "The worst certificate of each run.")
      .def_property_readonly(
          "end_time",
          [](const BatchResult& b) { return numbers_of(b, [](const study::SceneRun& run) { return run.end_time; }); },
          "Simulated seconds at the end of each run.")
      .def(py::pickle(&contents_of, &batch_from))
      .def("__copy__", [](const py::object& self) { return self; })  // nothing can change it
      .def("__deepcopy__", [](const py::object& self, const py::object&) { return self; })
      .def("__repr__", [](const BatchResult& b) {
        std::size_t certified = 0;
        for (std::size_t k = 0; k < b.runs.size(); ++k) certified += is_certified(b, k) ? 1 : 0;
        return fmt::format("<Batch of {} runs, {} certified>", b.runs.size(), certified);
      });
  module.def("_batch", &run_batch, py::arg("model"), py::kw_only(), py::arg("threads") = 0,
             py::arg("states") = py::none(), py::arg("progress") = py::none());
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
      R"(The interval of a rate from counted successes, after Wilson (1927).

>>> import stickslip as ss
>>> low, high = ss.rate_interval(84, 100)
>>> round(low, 3), round(high, 3)
(0.756, 0.899)
)");
  module.def("_sensitivity", &sensitivity, py::arg("model"), py::arg("parameters"), py::kw_only(),
             py::arg("step") = 1e-4, py::arg("threads") = 1);
}

}  // namespace stickslip::python
