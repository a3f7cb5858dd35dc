// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip plan PLAN: find a motion between given ends, and replay it.
#include "batch.h"
#include "common_options.h"
#include "output_name.h"
#include "outputs.h"
#include "plan_check.h"
#include "plan_record.h"
#include "require_step.h"
#include "run_session.h"
#include "verbs.h"

#include "stickslip/files/output_file.h"
#include "stickslip/planning/planner.h"
#include "stickslip/planning/starts.h"
#include "stickslip/recording/recording.h"
#include "stickslip/report/json_number.h"
#include "stickslip/report/page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace stickslip::app {
namespace {

using planning::Plan;
using planning::PlanResult;
using planning::Solution;

constexpr const char* kPlanExamples =
    "A plan file names a scene, the unknowns and what is to hold at the end (docs/planning.md). The solution is\n"
    "written as a scene that `stickslip run` replays, with a recording of the replay and a page of all solutions. "
    "When\n"
    "nothing is found, the smallest violation is reported (which does not prove that there is no solution), and the\n"
    "closest attempt is recorded as NAME-closest. A solution is run again with half and a quarter of the step and "
    "under\n"
    "a second stepper: 'again' says whether it holds.\n"
    "\n"
    "Examples:\n"
    "  stickslip plan examples/plan-ball/plan.toml\n"
    "  stickslip plan examples/plan-ball/plan.toml --set target_x=0.8 --set steps=1000 --json --no-record\n"
    "  stickslip run plan-ball-plan.toml\n"
    "\n"
    "Exit codes: 0 found, 1 not found, not written, or an artefact of the steps, 2 bad input.";

struct PlanCommand {
  std::string file, output;
  std::vector<std::string> set;
  bool json = false, record = true, force = false;
};

// One solution on disk: the scene, how well it replays, and the recording.
struct Written {
  std::string scene, recording, page;
  double replay = 0;
  std::optional<PlanCheck> check;  // of a solution
};

// Apart from what `run` writes for the scene of the same folder, and never the plan itself.
std::string default_name(const std::string& file) {
  return name_after(file, "plan") + "-plan.toml";
}

// The scene of solution `number` from 0, or of the closest attempt.
std::filesystem::path scene_path(const PlanCommand& command, bool solved, std::size_t number) {
  std::filesystem::path path = command.output.empty() ? default_name(command.file) : command.output;
  if (!solved) path.replace_filename(path.stem().string() + "-closest.toml");
  if (number > 0) path.replace_filename(fmt::format("{}-{}.toml", path.stem().string(), number + 1));
  return path;
}

// How many solutions there will be is not known before the search; further ones are claimed when they are there.
void claim_files(Outputs& outputs, const PlanCommand& command, bool solved, std::size_t number) {
  const std::filesystem::path path = scene_path(command, solved, number);
  outputs.claim(path.string(), OutputKind::Scene);
  if (!command.record) return;
  outputs.claim(std::filesystem::path(path).replace_extension("h5").string(), OutputKind::Recording);
  if (number == 0) outputs.claim(std::filesystem::path(path).replace_extension("html").string(), OutputKind::Page);
}

// Solution `number` from 0, or the closest attempt, as a scene, and its replay.
Written write_solution(const PlanCommand& command, const Plan& plan, const PlanResult& result, std::size_t number) {
  const bool solved = result.status == PlanResult::Status::Solved;
  const Eigen::VectorXd& values = solved ? result.solutions[number].unknowns : result.closest;
  const std::filesystem::path path = scene_path(command, solved, number);
  Written written;
  written.scene = path.string();
  const std::span<const double> unknowns{values.data(), static_cast<std::size_t>(values.size())};
  files::write_file(written.scene, planning::solved_scene(plan, unknowns, path.parent_path()));
  RunOptions replay;
  replay.scene = written.scene;
  replay.force = command.force;
  replay.record = command.record;
  replay.output = std::filesystem::path(path).replace_extension("h5").string();
  const scene::Scene scene = scene::load_scene(written.scene);
  std::vector<planning::ReachedCondition> reached;  // none: the replay has no end
  {
    RunSession session(replay, scene);
    const model::State start = session.simulation().state();
    if (session.run() != RunEnd::Uncertified)
      reached = planning::EndConditions(plan, scene).reached(start, session.simulation().state());
  }
  written.replay = planning::worst_violation(reached);
  if (solved) written.check = check_plan(plan, written.scene);
  if (!command.record) return written;
  written.recording = replay.output;
  recording::attach_plan(written.recording, plan_record(plan, result, number, scene, reached));
  return written;
}

// One page of all solutions, beside the first.
void write_page(std::vector<Written>& written) {
  std::vector<std::unique_ptr<recording::Recording>> recordings;
  std::vector<report::RunData> data;
  std::vector<report::NamedRun> runs;
  for (const Written& one : written) {
    recordings.push_back(std::make_unique<recording::Recording>(one.recording));
    data.push_back(report::prepare(*recordings.back()));
  }
  for (std::size_t k = 0; k < data.size(); ++k)
    runs.push_back({std::filesystem::path(written[k].recording).stem().string(), &data[k]});
  const std::string page = std::filesystem::path(written[0].recording).replace_extension("html").string();
  files::write_file(page, report::runs_page(runs));
  for (Written& one : written) one.page = page;
}

const std::string& body_name(const scene::Scene& scene, int body) {
  return scene.model.bodies[static_cast<std::size_t>(body)].name;
}

nlohmann::json modes_of(const scene::Scene& scene, const Solution& solution) {
  nlohmann::json list = nlohmann::json::array();
  for (const simulation::ModeInterval& interval : solution.modes)
    list.push_back({{"between", {body_name(scene, interval.body_a), body_name(scene, interval.body_b)}},
                    {"mode", contact::to_string(interval.mode)},
                    {"begin", interval.begin},
                    {"end", interval.end}});
  return list;
}

nlohmann::json touches_of(const scene::Scene& scene, const Solution& solution) {
  nlohmann::json list = nlohmann::json::array();
  for (const sensitivity::Touch& touch : solution.touches)
    list.push_back(
        {{"between", {body_name(scene, touch.body_a), body_name(scene, touch.body_b)}}, {"time", touch.time}});
  return list;
}

nlohmann::json solution_json(const Plan& plan, const scene::Scene& scene, const Solution& solution,
                             const Written& written) {
  nlohmann::json unknowns = nlohmann::json::object();
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i)
    unknowns[plan.unknowns[i].name] = solution.unknowns[static_cast<Eigen::Index>(i)];
  nlohmann::json influence = nlohmann::json::array();
  for (Eigen::Index i = 0; i < solution.influence.rows(); ++i) {
    nlohmann::json row = nlohmann::json::object();
    for (std::size_t k = 0; k < plan.unknowns.size(); ++k)
      row[plan.unknowns[k].name] = solution.influence(i, static_cast<Eigen::Index>(k));
    influence.push_back(row);
  }
  nlohmann::json object = {{"unknowns", unknowns},
                           {"influence", influence},
                           {"violations", std::vector<double>(solution.residual.begin(), solution.residual.end())},
                           {"residuals",
                            {{"dynamics", solution.dynamics},
                             {"complementarity", solution.complementarity},
                             {"conditions", solution.violation},
                             {"replay", written.replay}}},
                           {"modes", modes_of(scene, solution)},
                           {"touches", touches_of(scene, solution)},
                           {"iterations", solution.iterations},
                           {"start", solution.start},
                           {"origin", solution.origin},
                           {"plan", written.scene}};
  if (written.check)
    object["again"] = {{"verdict", written.check->artefact ? "artefact" : "holds"},
                       {"half_step", report::number(written.check->half)},
                       {"quarter_step", report::number(written.check->quarter)},
                       {"second_stepper", written.check->other},
                       {"second_step", written.check->other_step},
                       {"second", report::number(written.check->second)},
                       {"part_of_allowed", report::number(written.check->part)}};
  if (plan.has_objective) object["objective"] = solution.objective;
  if (!written.recording.empty()) object["recording"] = written.recording;
  if (!written.page.empty()) object["page"] = written.page;
  return object;
}

// What was asked: the unknowns with their bounds, and the conditions.
nlohmann::json question_json(const Plan& plan) {
  nlohmann::json unknowns = nlohmann::json::array(), conditions = nlohmann::json::array();
  for (const planning::Unknown& unknown : plan.unknowns)
    unknowns.push_back(
        {{"name", unknown.name}, {"min", report::number(unknown.low)}, {"max", report::number(unknown.high)}});
  for (const planning::Condition& condition : plan.conditions) conditions.push_back(condition.text);
  nlohmann::json object = {
      {"title", plan.title}, {"unknowns", unknowns}, {"conditions", conditions}, {"tolerance", plan.tolerance}};
  if (plan.has_objective) object["objective"] = plan.objective.text;
  return object;
}

nlohmann::json result_json(const Plan& plan, const scene::Scene& scene, const PlanResult& result,
                           const std::vector<Written>& written) {
  nlohmann::json object = nlohmann::json::object();
  if (result.status == PlanResult::Status::Solved) {
    object = solution_json(plan, scene, result.solutions[0], written[0]);
    nlohmann::json all = nlohmann::json::array();
    for (std::size_t i = 0; i < result.solutions.size(); ++i)
      all.push_back(solution_json(plan, scene, result.solutions[i], written[i]));
    object["solutions"] = all;
  } else {
    nlohmann::json closest = nlohmann::json::object();
    for (std::size_t i = 0; i < plan.unknowns.size() && result.closest.size() > 0; ++i)
      closest[plan.unknowns[i].name] = result.closest[static_cast<Eigen::Index>(i)];
    object = {{"unknowns", nlohmann::json::object()},
              {"residuals", nlohmann::json::object()},
              {"modes", nlohmann::json::array()},
              {"closest", closest},
              {"violation", report::number(result.violation)},
              {"violated", result.violated},
              {"cause", result.cause},
              {"note", result.note}};
    if (!written.empty()) object["page"] = written[0].page;
  }
  object["status"] = result.status == PlanResult::Status::Solved ? "solved" : "not-found";
  object["seconds"] = result.seconds;
  object["steps"] = plan.steps;
  object["stepper"] = scene.method.stepper;
  object["stepper_note"] = plan.stepper_note;
  object["method"] = result.method;
  object["derivatives"] = result.derivatives;
  object["starts"] = result.starts;
  object["searches_solved"] = result.searches_solved;
  object["runs"] = result.runs;
  object["asked"] = question_json(plan);
  return object;
}

void print_solution(const Plan& plan, const scene::Scene& scene, const Solution& solution, const Written& written) {
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i)
    fmt::print("  {:<12} {:.12g}\n", plan.unknowns[i].name, solution.unknowns[static_cast<Eigen::Index>(i)]);
  if (plan.has_objective) fmt::print("  objective    {:.12g}\n", solution.objective);
  for (const simulation::ModeInterval& interval : solution.modes)
    fmt::print("  {:.6g} to {:.6g} s: {} and {} {}\n", interval.begin, interval.end, body_name(scene, interval.body_a),
               body_name(scene, interval.body_b), contact::to_string(interval.mode));
  for (const sensitivity::Touch& touch : solution.touches)
    fmt::print("  {:.6g} s: {} and {} meet\n", touch.time, body_name(scene, touch.body_a),
               body_name(scene, touch.body_b));
  fmt::print("  residuals    conditions {:.1e}, dynamics {:.1e}, complementarity {:.1e}, replay {:.1e}\n",
             solution.violation, solution.dynamics, solution.complementarity, written.replay);
  if (written.check) fmt::print("  again        {}\n", text_of(*written.check));
  fmt::print("  written      {}{}{}{}{}\n", written.scene, written.recording.empty() ? "" : ", ", written.recording,
             written.page.empty() ? "" : ", ", written.page);
}

void print_result(const Plan& plan, const scene::Scene& scene, const PlanResult& result,
                  const std::vector<Written>& written) {
  if (!plan.stepper_note.empty()) fmt::print("note         {}\n", plan.stepper_note);
  if (result.status == PlanResult::Status::NotFound) {
    fmt::print("not found    {} starts, {} runs, {:.3g} s\n", result.starts, result.runs, result.seconds);
    if (result.closest.size() > 0) {
      fmt::print("closest      \"{}\" is violated by {:.6g} with", result.violated, result.violation);
      for (std::size_t i = 0; i < plan.unknowns.size(); ++i)
        fmt::print("{} {} = {:.9g}", i > 0 ? "," : "", plan.unknowns[i].name,
                   result.closest[static_cast<Eigen::Index>(i)]);
      fmt::print("\n");
    }
    if (!result.note.empty()) fmt::print("note         {}\n", result.note);
    if (!result.cause.empty()) fmt::print("runs failed  {}\n", result.cause);
    if (!written.empty()) fmt::print("to look at   {}\n", written[0].page);
    return;
  }
  fmt::print("found        {} solution{}, {} of {} starts, {} runs, {:.3g} s; {}, {} derivatives\n",
             result.solutions.size(), result.solutions.size() == 1 ? "" : "s", result.searches_solved, result.starts,
             result.runs, result.seconds, result.method, result.derivatives);
  for (std::size_t i = 0; i < result.solutions.size(); ++i) {
    if (result.solutions.size() > 1)
      fmt::print("solution {}, from the start \"{}\"\n", i + 1, result.solutions[i].origin);
    print_solution(plan, scene, result.solutions[i], written[i]);
  }
}

int run_plan(const PlanCommand& command) {
  const Plan plan = planning::load_plan(command.file, overrides_of(command.set));
  Outputs outputs({command.file}, command.force);
  claim_files(outputs, command, true, 0);
  // What is wrong with the scene is said before the search, not after it.
  const Eigen::VectorXd guess = planning::Starts(plan).at(0)->unknowns;
  const scene::Scene scene = planning::scene_at(plan, {guess.data(), plan.unknowns.size()});
  require_step(scene, "plan");
  const PlanResult result = planning::solve(plan);
  std::vector<Written> written;
  for (std::size_t i = 1; i < result.solutions.size(); ++i) claim_files(outputs, command, true, i);
  for (std::size_t i = 0; i < result.solutions.size(); ++i) written.push_back(write_solution(command, plan, result, i));
  // An attempt that is far from a solution may not run to the end.
  if (result.solutions.empty() && result.closest.size() > 0 && command.record) {
    try {
      claim_files(outputs, command, false, 0);
      written.push_back(write_solution(command, plan, result, 0));
    } catch (const std::exception& error) {
      fmt::print(stderr, "stickslip: the closest attempt was not recorded: {}\n", error.what());
    }
  }
  if (command.record && !written.empty()) write_page(written);
  const nlohmann::json object = result_json(plan, scene, result, written);
  if (command.json)
    fmt::print("{}\n", object.dump());
  else
    print_result(plan, scene, result, written);
  if (result.status != PlanResult::Status::Solved) return kFailed;
  const bool holds =
      std::ranges::any_of(written, [](const Written& one) { return !one.check || !one.check->artefact; });
  if (!holds)
    fmt::print(stderr, "stickslip: {}: {} an artefact of the steps: take more of them (--set steps=...)\n",
               command.file, written.size() > 1 ? "every solution is" : "the solution is");
  return holds ? kDone : kFailed;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<PlanCommand>();
  CLI::App* verb = app.add_subcommand("plan", "Find a motion between given ends, through changes of contact");
  verb->footer(kPlanExamples);
  verb->add_option("PLAN", command->file, "Plan file (TOML)")->required();
  add_set_option(*verb, command->set, "name=value: a parameter, steps, duration, or method.KEY");
  verb->add_option("-o,--output", command->output, "Scene to write (default: named after the plan's folder)");
  add_force_option(*verb, command->force);
  verb->add_flag("!--no-record", command->record, "Write no recording and no page of the replay");
  add_json_option(*verb, command->json);
  verb->callback([command, &exit_code] { exit_code = run_plan(*command); });
}

}  // namespace stickslip::app
