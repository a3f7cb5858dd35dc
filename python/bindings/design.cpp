// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.study, optimise and plan: what stands on many runs.
#include "handles.h"

#include "stickslip/planning/planner.h"
#include "stickslip/study/optimise.h"
#include "stickslip/study/session.h"
#include "stickslip/study/store.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <thread>

namespace stickslip::python {
namespace {

int threads_from(int threads) {
  if (threads < 0) throw py::value_error("threads must not be negative (0: one for each core)");
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Ctrl-C between evaluations.
bool interrupted() {
  const py::gil_scoped_acquire locked;
  return PyErr_CheckSignals() != 0;
}

// Runs what is left of the study; its results are in the store afterwards.
void run_study(const std::string& file, const std::string& store_file, int threads) {
  threads = threads_from(threads);
  const py::gil_scoped_release unlocked;
  const study::Study study = study::load_study(file);
  const study::TrialRunner runner(study);
  const auto store = study::Store::create_or_resume(store_file, study::header_of(study, runner, STICKSLIP_VERSION));
  study::Session session(study, *store);
  study::run_threads(session, runner, threads);
  session.finish();
}

py::dict optimise(const std::string& file, int threads) {
  threads = threads_from(threads);
  study::OptimiseResult result;
  std::vector<std::string> names;
  bool stopped = false;
  {
    const py::gil_scoped_release unlocked;
    const study::Study study = study::load_study(file);
    if (!study.optimise) throw scene::SceneError({file, 0, 0}, "the study has no table [optimise]");
    for (const study::DesignVariable& variable : study.optimise->variables) names.push_back(variable.parameter);
    const study::TrialRunner runner(study);
    result =
        study::optimise(study, runner, threads, [&](const study::Evaluation&) { return !(stopped = interrupted()); });
  }
  if (stopped) throw py::error_already_set();
  py::dict design, out;
  for (std::size_t i = 0; i < result.best.design.size(); ++i) design[py::str(names[i])] = result.best.design[i];
  out["design"] = design;
  out["objective"] = result.best.value;
  out["objectives"] = to_numpy(result.best.objectives);
  out["start"] = result.first.value;
  out["evaluations"] = result.evaluations;
  out["runs"] = result.runs;
  out["ending"] = result.ending;
  return out;
}

py::dict plan(const std::string& file, const py::kwargs& values) {
  std::vector<scene::Override> overrides;
  for (const auto& [key, value] : values)
    overrides.push_back({key.cast<std::string>(), override_value(value, key.cast<std::string>())});
  planning::PlanResult result;
  std::vector<std::string> names;
  {
    const py::gil_scoped_release unlocked;
    const planning::Plan plan = planning::load_plan(file, overrides);
    for (const planning::Unknown& unknown : plan.unknowns) names.push_back(unknown.name);
    result = planning::solve(plan);
  }
  py::list solutions;
  for (const planning::Solution& solution : result.solutions) {
    py::dict unknowns, entry;
    for (std::size_t i = 0; i < names.size(); ++i)
      unknowns[py::str(names[i])] = solution.unknowns(static_cast<Eigen::Index>(i));
    entry["unknowns"] = unknowns;
    entry["violation"] = solution.violation;
    entry["objective"] = solution.objective;
    entry["dynamics"] = solution.dynamics;
    entry["certificate"] = solution.complementarity;
    entry["iterations"] = solution.iterations;
    solutions.append(entry);
  }
  py::dict out;
  out["solved"] = result.status == planning::PlanResult::Status::Solved;
  out["solutions"] = solutions;
  out["method"] = result.method;
  out["derivatives"] = result.derivatives;
  out["runs"] = result.runs;
  out["seconds"] = result.seconds;
  out["violation"] = result.violation;
  out["violated"] = result.violated;
  out["cause"] = result.cause;
  return out;
}

}  // namespace

void bind_design(py::module_& module) {
  module.def("_study", &run_study, py::arg("file"), py::arg("store"), py::arg("threads") = 0);
  module.def("_optimise", &optimise, py::arg("file"), py::arg("threads") = 0);
  module.def("_plan", &plan, py::arg("file"));
}

}  // namespace stickslip::python
