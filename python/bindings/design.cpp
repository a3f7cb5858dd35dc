// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip.study, optimise and plan: what stands on many runs.
#include "handles.h"
#include "plan_check.h"
#include "python_signals.h"
#include "unlocked.h"

#include "stickslip/files/output_file.h"
#include "stickslip/planning/planner.h"
#include "stickslip/study/design_check.h"
#include "stickslip/study/optimise.h"
#include "stickslip/study/session.h"
#include "stickslip/study/store.h"

#include <pybind11/stl.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>

namespace stickslip::python {
namespace {

// Runs what is left of the study; its results are in the store afterwards. progress(done, total) now and then.
void run_study(const std::string& file, const std::string& store_file, int threads, const py::object& progress) {
  threads = threads_from(threads);
  Interruption interruption;
  {
    const Unlocked unlocked;
    const study::Study study = study::load_study(file);
    const study::TrialRunner runner(study);
    const auto store = study::Store::create_or_resume(store_file, study::header_of(study, runner, STICKSLIP_VERSION));
    study::Session session(study, *store);
    study::run_threads(session, runner, threads, interruption.asking([&] {
      const study::Progress now = session.progress();
      if (!progress.is_none()) progress(now.done, now.total);
    }));
    if (session.complete()) session.finish();
  }
  interruption.raise();
}

py::dict optimised(const study::OptimiseResult& result, const study::DesignCheck& check,
                   const std::vector<std::string>& names) {
  py::dict design, out;
  for (std::size_t i = 0; i < result.best.design.size(); ++i) design[py::str(names[i])] = result.best.design[i];
  out["design"] = design;
  out["objective"] = result.best.value;
  out["objectives"] = to_numpy(result.best.objectives);
  out["start"] = result.first.value;
  out["evaluations"] = result.evaluations;
  out["runs"] = result.runs;
  out["ending"] = result.ending;
  out["artefact"] = check.verdict == study::DesignCheck::Verdict::Artefact;
  out["again"] = study::text_of(check);
  return out;
}

// progress(evaluations, most evaluations) after each.
py::dict optimise(const std::string& file, int threads, const py::object& progress) {
  threads = threads_from(threads);
  study::OptimiseResult result;
  study::DesignCheck check;
  std::vector<std::string> names;
  Interruption interruption;
  {
    const Unlocked unlocked;
    const study::Study study = study::load_study(file);
    if (!study.optimise) throw scene::SceneError({file, 0, 0}, "the study has no table [optimise]");
    for (const study::DesignVariable& variable : study.optimise->variables) names.push_back(variable.parameter);
    const study::TrialRunner runner(study);
    std::int64_t done = 0;
    const std::function<bool()> go_on = interruption.asking([&] {
      if (!progress.is_none()) progress(done, study.optimise->evaluations);
    });
    result = study::optimise(study, runner, threads, [&](const study::Evaluation& now) {
      done = now.number;
      return go_on();
    });
    if (!interruption.caught() && result.best.number > 0)
      check = study::check_design(study, threads, result.best, result.first.value, go_on);
  }
  try {
    interruption.raise();
  } catch (const py::error_already_set& error) {
    error.value().attr("best") = optimised(result, check, names);  // until then
    throw;
  }
  return optimised(result, check, names);
}

// A solution run again, with shorter steps and under a second stepper. The check reads a scene file.
app::PlanCheck check_solution(const planning::Plan& plan, const planning::Solution& solution) {
  std::string folder = (std::filesystem::temp_directory_path() / "stickslip-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  const std::shared_ptr<void> removed(nullptr, [&folder](void*) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
  const std::string scene = folder + "/plan.toml";
  const std::span<const double> unknowns(solution.unknowns.data(), static_cast<std::size_t>(solution.unknowns.size()));
  files::write_file(scene, planning::solved_scene(plan, unknowns, folder));
  return app::check_plan(plan, scene);
}

py::dict plan(const std::string& file, const py::kwargs& values) {
  std::vector<scene::Override> overrides;
  for (const auto& [key, value] : values)
    overrides.push_back({key.cast<std::string>(), override_value(value, key.cast<std::string>())});
  planning::PlanResult result;
  std::vector<std::string> names;
  std::vector<app::PlanCheck> checks;  // of the solutions
  Interruption interruption;
  {
    const Unlocked unlocked;
    planning::Plan plan = planning::load_plan(file, overrides);
    plan.go_on = interruption.asking();
    for (const planning::Unknown& unknown : plan.unknowns) names.push_back(unknown.name);
    result = planning::solve(plan);
    for (const planning::Solution& solution : result.solutions)
      if (plan.go_on()) checks.push_back(check_solution(plan, solution));
  }
  interruption.raise();
  py::list solutions;
  for (std::size_t k = 0; k < result.solutions.size(); ++k) {
    const planning::Solution& solution = result.solutions[k];
    py::dict unknowns, entry;
    for (std::size_t i = 0; i < names.size(); ++i)
      unknowns[py::str(names[i])] = solution.unknowns(static_cast<Eigen::Index>(i));
    entry["unknowns"] = unknowns;
    entry["violation"] = solution.violation;
    entry["objective"] = solution.objective;
    entry["dynamics"] = solution.dynamics;
    entry["certificate"] = solution.complementarity;
    entry["iterations"] = solution.iterations;
    entry["artefact"] = checks[k].artefact;
    entry["again"] = app::text_of(checks[k]);
    solutions.append(entry);
  }
  py::dict out;
  out["solved"] = result.status == planning::PlanResult::Status::Solved;
  out["solutions"] = solutions;
  out["method"] = result.method;
  out["derivatives"] = result.derivatives;
  out["runs"] = result.runs;
  out["seconds"] = result.seconds;
  out["violation"] = result.solutions.empty() ? result.violation : result.solutions.front().violation;
  out["violated"] = result.violated;
  out["cause"] = result.cause;
  return out;
}

}  // namespace

void bind_design(py::module_& module) {
  module.def("_study", &run_study, py::arg("file"), py::arg("store"), py::arg("threads") = 0,
             py::arg("progress") = py::none());
  module.def("_optimise", &optimise, py::arg("file"), py::arg("threads") = 0, py::arg("progress") = py::none());
  module.def("_plan", &plan, py::arg("file"));
}

}  // namespace stickslip::python
