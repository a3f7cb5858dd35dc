// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "run_report.h"

#include "audit_text.h"
#include "force_report.h"
#include "method_json.h"
#include "mode_mark.h"
#include "terminal.h"

#include "stickslip/report/json_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace stickslip::app {
namespace {

using contact::Mode;
using simulation::ModeInterval;
using OrderedJson = nlohmann::ordered_json;

constexpr auto number = report::number<OrderedJson>;

constexpr int kBandWidth = 64;
constexpr std::size_t kMostPairs = 20, kMostSwitches = 12;

using Pair = std::pair<int, int>;

std::map<Pair, std::vector<ModeInterval>> intervals_by_pair(const simulation::ModeTimeline& timeline) {
  std::map<Pair, std::vector<ModeInterval>> pairs;
  for (const ModeInterval& interval : timeline.finished())
    pairs[{interval.body_a, interval.body_b}].push_back(interval);
  for (const ModeInterval& interval : timeline.current()) pairs[{interval.body_a, interval.body_b}].push_back(interval);
  return pairs;
}

std::string pair_name(const RunSession& session, Pair pair) {
  const auto& bodies = session.scene().model.bodies;
  return fmt::format("{} / {}", bodies[static_cast<std::size_t>(pair.first)].name,
                     bodies[static_cast<std::size_t>(pair.second)].name);
}

void print_timeline(const RunSession& session) {
  const auto pairs = intervals_by_pair(session.simulation().timeline());
  if (pairs.empty()) return;
  std::size_t width = 0, shown = 0;
  for (const auto& [pair, intervals] : pairs) width = std::max(width, pair_name(session, pair).size());
  const double end = session.simulation().time();
  fmt::print("\ncontact modes from {:.6g} to {:.6g}   = stick   o roll   ~ slide   . open\n", session.start_time(),
             end);
  for (const auto& [pair, intervals] : pairs) {
    if (shown++ == kMostPairs) {
      fmt::print("  and {} more pairs (all are in the recording)\n", pairs.size() - kMostPairs);
      break;
    }
    fmt::print("  {:<{}}  {}\n", pair_name(session, pair), width,
               mode_band(intervals, session.start_time(), end, band_columns(kBandWidth, width + 4)));
  }
  shown = 0;
  for (const auto& [pair, intervals] : pairs) {
    if (shown++ == kMostPairs) break;
    if (intervals.size() < 2) continue;
    std::string line;
    for (std::size_t k = 0; k < intervals.size() && k < kMostSwitches; ++k)
      line += fmt::format("{}{} {:.9g}", k > 0 ? ", " : "", to_string(intervals[k].mode), intervals[k].begin);
    if (intervals.size() > kMostSwitches) line += fmt::format(", and {} more", intervals.size() - kMostSwitches);
    fmt::print("  {:<{}}  from: {}\n", pair_name(session, pair), width, line);
  }
}

std::string end_text(const RunSession& session, RunEnd end) {
  switch (end) {
    case RunEnd::Finished: return "finished";
    case RunEnd::Stopped: return fmt::format("stopped: {}", session.stop_text());
    case RunEnd::Uncertified:
      return session.simulation().audit().passed() ? "FAILED: a step could not be certified"
                                                   : "FAILED: the audit does not hold";
  }
  return {};
}

OrderedJson modes_json(const RunSession& session) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [pair, intervals] : intervals_by_pair(session.simulation().timeline())) {
    const auto& bodies = session.scene().model.bodies;
    for (const ModeInterval& interval : intervals)
      list.push_back(
          {{"bodies",
            {bodies[static_cast<std::size_t>(pair.first)].name, bodies[static_cast<std::size_t>(pair.second)].name}},
           {"mode", to_string(interval.mode)},
           {"begin", interval.begin},
           {"end", interval.end}});
  }
  return list;
}

OrderedJson audit_json(const simulation::Simulation& run) {
  const simulation::AuditSummary& audit = run.audit();
  OrderedJson out;
  out["on"] = audit.on;
  if (!audit.on) return out;
  const auto name = [&](int body) {
    return body < 0 ? OrderedJson(nullptr) : OrderedJson(run.model().bodies[static_cast<std::size_t>(body)].name);
  };
  out["passed"] = audit.passed();
  if (!audit.passed()) {
    out["violation"] = audit.violation;
    out["violation_time"] = number(audit.violation_time);
  }
  out["looks"] = audit.looks;
  out["depth"] = number(audit.depth);
  if (audit.depth > 0) {
    out["depth_time"] = number(audit.depth_time);
    out["depth_bodies"] = {name(audit.depth_a), name(audit.depth_b)};
  }
  if (*audit.energy_reason != '\0')
    out["energy_not_judged"] = audit.energy_reason;
  else
    out["energy_added"] = number(audit.energy_added);
  out["energy_steps"] = audit.energy_steps;
  out["energy_steps_not_judged"] = audit.energy_not_judged;
  out["momentum_defect"] = number(audit.momentum);
  out["momentum_steps"] = audit.momentum_steps;
  return out;
}

}  // namespace

std::string stepper_text(const scene::Scene& scene) {
  if (scene.why_stepper.empty()) return scene.method.stepper;
  return fmt::format("{} (auto: {})", scene.method.stepper, scene.why_stepper);
}

// What follows the value of an observable; empty without error bars.
std::string error_bar_text(const RunSession& session, std::size_t k) {
  if (session.error_bars().empty()) return {};
  const runs::ErrorBar& bar = session.error_bars()[k];
  std::string text = "  " + runs::text_of(bar);
  if (!bar.why_not.empty()) text += fmt::format(" ({})", bar.why_not);
  return text;
}

void print_run_report(const RunSession& session, RunEnd end) {
  const simulation::Simulation& run = session.simulation();
  const simulation::Counters& counters = run.counters();
  const stepping::Method& method = run.method();
  fmt::print("{}\n", session.scene().title.empty() ? session.scene().file.string() : session.scene().title);
  const std::string ended = end_text(session, end);
  fmt::print("  {} at t = {:.9g} after {} steps in {} ({} per step)\n",
             end == RunEnd::Uncertified ? toned(ended, Tone::Bad) : ended, run.time(), counters.steps,
             duration_text(session.wall_seconds()),
             duration_text(counters.steps > 0 ? session.wall_seconds() / static_cast<double>(counters.steps) : 0.0));
  fmt::print("  method       {}, {}, step {:.6g}\n", stepper_text(session.scene()),
             method.friction == stepping::FrictionLaw::Pyramid
                 ? fmt::format("pyramid of {} directions", method.directions)
                 : std::string("exact friction cone"),
             method.step);
  if (const simulation::StepChoice& choice = session.step_choice(); choice.runs > 0)
    fmt::print("  error        of positions about {:.2g} (asked {:g}), found with {} runs\n", choice.estimate,
               method.tolerance, choice.runs);
  fmt::print(
      "  certificate  worst residual {:.2e} at t = {:.6g} (allowed {:.0e}); {} contact problems, {} events, {} "
      "fall-backs\n",
      counters.worst_residual, counters.worst_time, method.certificate, counters.solves, counters.events,
      counters.fallbacks);
  if (counters.at_worst > 0)
    fmt::print("               {} of {} steps above it, taken at certificate_at_worst = {:.0e}\n", counters.at_worst,
               counters.steps, method.certificate_at_worst);
  fmt::print("  audit        {}\n", audit_text(run));
  if (counters.divisions > 0 || counters.passages > 0)
    fmt::print("  passages     {} cuts of steps where bodies would have passed through each other{}\n",
               counters.divisions,
               counters.passages > 0 ? fmt::format("; {} PARTS COULD NOT BE MADE SAFE", counters.passages) : "");
  std::size_t width = 0;
  for (const scene::Observable& observable : session.scene().observables)
    width = std::max(width, observable.name.size());
  for (std::size_t k = 0; k < session.observables().size(); ++k) {
    const scene::Observable& observable = session.scene().observables[k];
    fmt::print("  {:<{}}  {:.12g} {}{}\n", observable.name, width, session.observables()[k], observable.unit,
               error_bar_text(session, k));
  }
  print_timeline(session);
  if (session.balance()) print_forces(run, *session.balance());
  if (!session.recording_path().empty()) fmt::print("\nrecording: {}\n", session.recording_path());
}

void print_run_json(const RunSession& session, RunEnd end) {
  const simulation::Simulation& run = session.simulation();
  const simulation::Counters& counters = run.counters();
  OrderedJson out;
  out["scene"] = session.scene().file.string();
  out["time"] = run.time();
  out["steps"] = counters.steps;
  // Every step reached method.certificate. A run that finished at certificate_at_worst is reported by the next line.
  const bool to_its_end = end != RunEnd::Uncertified;
  out["certified"] = to_its_end && counters.at_worst == 0;
  out["certified_at_worst"] = to_its_end;
  out["worst_residual"] = number(counters.worst_residual);
  out["worst_time"] = number(counters.worst_time);
  out["steps_at_worst"] = counters.at_worst;
  out["audit"] = audit_json(run);
  out["wall_seconds"] = session.wall_seconds();
  out["observe"] = OrderedJson::object();
  for (std::size_t k = 0; k < session.observables().size(); ++k)
    out["observe"][session.scene().observables[k].name] = number(session.observables()[k]);
  if (!session.error_bars().empty()) {
    out["error_bars"] = OrderedJson::object();
    for (std::size_t k = 0; k < session.error_bars().size(); ++k) {
      const runs::ErrorBar& bar = session.error_bars()[k];
      out["error_bars"][session.scene().observables[k].name] = {
          {"claim", runs::name_of(bar.claim)},
          {"error", bar.claim == runs::ErrorBar::Claim::None ? OrderedJson() : OrderedJson(bar.error)},
          {"spread", number(bar.spread)},
          {"why_not", bar.why_not}};
    }
  }
  out["bodies"] = OrderedJson::object();
  for (std::size_t b = 0; b < run.model().bodies.size(); ++b) {
    const model::BodyState& state = run.state().bodies[b];
    const Quat& q = state.pose.orientation;
    OrderedJson body;
    body["position"] = report::vector_json<OrderedJson>(state.pose.position);
    body["orientation"] = OrderedJson::array({q.w(), q.x(), q.y(), q.z()});
    if (run.model().bodies[b].planar()) body["angle"] = state.angle;
    body["velocity"] = report::vector_json<OrderedJson>(state.velocity.linear);
    body["angular_velocity"] = report::vector_json<OrderedJson>(state.velocity.angular);
    out["bodies"][run.model().bodies[b].name] = std::move(body);
  }
  out["parameters"] = OrderedJson::object();
  for (const scene::Parameter& parameter : session.scene().parameters)
    out["parameters"][parameter.name] = parameter.value;
  out["method"] = method_json(run.method());
  if (!session.scene().why_stepper.empty()) out["why_stepper"] = session.scene().why_stepper;
  if (const simulation::StepChoice& choice = session.step_choice(); choice.runs > 0)
    out["error"] = {{"asked", run.method().tolerance}, {"estimate", choice.estimate}, {"runs", choice.runs}};
  out["end"] = end == RunEnd::Finished                 ? "finished"
               : end == RunEnd::Stopped                ? "stopped"
               : session.simulation().audit().passed() ? "uncertified"
                                                       : "audit";
  if (end == RunEnd::Stopped) out["stopped_by"] = session.stop_text();
  out["solves"] = counters.solves;
  out["events"] = counters.events;
  out["fallbacks"] = counters.fallbacks;
  out["divisions"] = counters.divisions;
  out["passages"] = counters.passages;
  out["modes"] = modes_json(session);
  if (session.balance()) out["forces"] = forces_json(run, *session.balance());
  if (!session.recording_path().empty()) out["recording"] = session.recording_path();
  fmt::print("{}\n", out.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

}  // namespace stickslip::app
