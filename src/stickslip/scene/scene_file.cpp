// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/scene_file.h"

#include "stickslip/expression/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace stickslip::scene {
namespace {

void read_entries(const Value& table, const std::string& prefix, std::vector<Override>& set) {
  if (table.kind != Value::Kind::Table)
    throw SceneError(table.place, fmt::format("'set' must be a table, not {}", Value::name_of(table.kind)));
  for (const Value::Entry& entry : table.entries) {
    const std::string name = prefix + entry.key;
    if (entry.value.kind == Value::Kind::Table)
      read_entries(entry.value, name + ".", set);
    else
      set.push_back({name, override_text(entry.value, fmt::format("'{}' of [set]", name))});
  }
}

}  // namespace

std::string override_text(const Value& value, const std::string& what) {
  switch (value.kind) {
    case Value::Kind::Number: return fmt::format("{}", value.number);
    case Value::Kind::Boolean: return value.boolean ? "true" : "false";
    case Value::Kind::Text: return value.text;
    default: throw SceneError(value.place, fmt::format("{} must be a number or text", what));
  }
}

void require_kind(const Value& root, FileKind wanted) {
  const bool stands_on_scene = root.find("scene") != nullptr;
  if (!stands_on_scene && root.find("body") == nullptr && root.find("dimension") == nullptr) return;
  const FileKind kind = !stands_on_scene                  ? FileKind::Scene
                        : root.find("unknown") != nullptr ? FileKind::Plan
                                                          : FileKind::Study;
  if (kind == wanted) return;
  const auto names = [](FileKind one) {
    return one == FileKind::Scene ? "scene" : one == FileKind::Study ? "study" : "plan";
  };
  throw SceneError({root.place.file, 0, 0}, fmt::format("this is a {}, not a {}", names(kind), names(wanted)),
                   kind == FileKind::Scene   ? "it is for stickslip run"
                   : kind == FileKind::Study ? "it is for stickslip study or optimise"
                                             : "it is for stickslip plan");
}

std::filesystem::path named_scene(const TableReader& top, const std::filesystem::path& file) {
  const Value& name = top.require("scene");
  const std::filesystem::path scene = file.parent_path() / read_text(name, top.what("scene"));
  std::error_code error;
  if (!std::filesystem::is_regular_file(scene, error))
    throw SceneError(name.place, fmt::format("cannot read the scene '{}'", scene.string()));
  return scene;
}

void read_set(const Value& table, std::vector<Override>& set) {
  read_entries(table, "", set);
}

const Parameter& parameter_named(const Scene& scene, const std::string& name) {
  return parameter_named(scene, name, {scene.file.string(), 0, 0});
}

const Parameter& parameter_named(const Scene& scene, const std::string& name, const Place& place) {
  const auto found = std::ranges::find(scene.parameters, name, &Parameter::name);
  if (found != scene.parameters.end()) return *found;
  std::vector<std::string> names;
  for (const Parameter& parameter : scene.parameters) names.push_back(parameter.name);
  const std::string hint = expression::did_you_mean(name, names);
  throw SceneError(place, fmt::format("the scene has no parameter '{}'", name),
                   !hint.empty()   ? hint
                   : names.empty() ? "it has none at all"
                                   : fmt::format("it has {}", fmt::join(names, ", ")));
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string parameter_line(const Parameter& parameter, double value) {
  std::string line = fmt::format("{} = {{ value = {}", parameter.name, value);
  if (std::isfinite(parameter.min)) line += fmt::format(", min = {}", parameter.min);
  if (std::isfinite(parameter.max)) line += fmt::format(", max = {}", parameter.max);
  if (!parameter.choices.empty()) line += fmt::format(", choices = [{}]", fmt::join(parameter.choices, ", "));
  if (!parameter.group.empty()) line += fmt::format(", group = {}", toml_text(parameter.group));
  if (!parameter.unit.empty()) line += fmt::format(", unit = {}", toml_text(parameter.unit));
  if (!parameter.description.empty()) line += fmt::format(", description = {}", toml_text(parameter.description));
  return line + " }\n";
}

}  // namespace stickslip::scene
