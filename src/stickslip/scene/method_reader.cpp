// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/method_reader.h"

#include "stickslip/collision/registry.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/scene/nearest_name.h"
#include "stickslip/scene/table_reader.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>
#include <algorithm>

namespace stickslip::scene {
namespace {

// Reads one of a set of names.
void read_name(const TableReader& table, const char* key, const std::vector<std::string>& known, std::string& name) {
  const Value* value = table.find(key);
  if (value == nullptr) return;
  name = read_text(*value, table.what(key));
  if (std::ranges::find(known, name) != known.end()) return;
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  const std::string hint = did_you_mean(name, known);
  throw SceneError(value->place, fmt::format("{}: unknown name '{}'", table.what(key), name),
                   hint.empty() ? "known are " + list : hint);
}

template <class Infos>
std::vector<std::string> names_of(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) names.emplace_back(info.name);
  return names;
}

}  // namespace

stepping::Method read_method(const Value* value, const Scope& constants) {
  stepping::Method method;
  if (value == nullptr) return method;
  const TableReader table(*value, keys_of("method"), constants, "[method]");
  read_name(table, "motion", {"dynamic", "first-order", "quasi-static"}, method.motion);
  read_name(table, "stepper", names_of(stepping::steppers()), method.stepper);
  read_name(table, "friction", {"cone", "pyramid"}, method.friction);
  read_name(table, "impacts", {"auto", "back-up", "approach"}, method.impacts);
  read_name(table, "solver", names_of(complementarity::ContactSolver::algorithms()), method.solver);
  read_name(table, "collider", names_of(collision::colliders()), method.collider);
  if (const Value* directions = table.find("directions")) {
    method.directions = read_integer(*directions, constants, table.what("directions"), 4, 1024);
    if (method.directions % 2 != 0)
      throw SceneError(directions->place, fmt::format("{} must be even", table.what("directions")));
  }
  method.step = table.positive("step", method.step);
  method.gap_step = table.not_negative("gap_step", 0);
  method.gamma = table.not_negative("gamma", 0);
  method.tolerance = table.not_negative("tolerance", 0);
  method.certificate = table.positive("certificate", method.certificate);
  if (const Value* threads = table.find("threads"))
    method.threads = read_integer(*threads, constants, table.what("threads"), 1, 1024);
  return method;
}

RecordingOptions read_recording(const Value* value, const Scope& constants) {
  RecordingOptions options;
  if (value == nullptr) return options;
  const TableReader table(*value, keys_of("record"), constants, "[record]");
  options.interval = table.not_negative("interval", options.interval);
  options.contacts = table.boolean("contacts", options.contacts);
  return options;
}

}  // namespace stickslip::scene
