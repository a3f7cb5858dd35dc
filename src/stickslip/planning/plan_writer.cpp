// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of plan.h.
//
// A solution as a scene file: the plan's scene is included, and everything that the plan decides is written with all
// its digits.
#include "stickslip/planning/plan.h"
#include "stickslip/scene/scene_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip::planning {
namespace {

using scene::toml_text;
using scene::Value;

// Numbers, texts and lists of them: what start coordinates are written with.
std::string as_toml(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Number: return fmt::format("{}", value.number);
    case Value::Kind::Boolean: return value.boolean ? "true" : "false";
    case Value::Kind::Text: return toml_text(value.text);
    default: break;
  }
  std::string list;
  for (const Value& item : value.items) list += (list.empty() ? "" : ", ") + as_toml(item);
  return "[" + list + "]";
}

}  // namespace

std::string solved_scene(const Plan& plan, std::span<const double> unknowns, const std::filesystem::path& folder) {
  const scene::Scene scene = scene_at(plan, unknowns);
  std::error_code error;
  std::filesystem::path included = std::filesystem::proximate(plan.scene_file, folder.empty() ? "." : folder, error);
  if (error) included = std::filesystem::absolute(plan.scene_file);
  stepping::Method method = scene.method;
  method.tolerance = 0;  // plans are searched with the step as given
  std::string text = fmt::format("# A solution of {}: the unknowns are", plan.file.filename().string());
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i)
    text += fmt::format("{} {} = {}", i > 0 ? "," : "", plan.unknowns[i].name, unknowns[i]);
  text += fmt::format("\ntitle = {}\ninclude = [{}]\nduration = {}\n\n[method]\n",
                      toml_text(plan.title.empty() ? scene.title : plan.title), toml_text(included.generic_string()),
                      scene.duration);
  stepping::visit_fields(
      method, [&](const stepping::FieldInfo& info, const auto& value) { text += scene::method_line(info, value); });
  text += "\n[parameters]\n";
  for (const scene::Parameter& parameter : scene.parameters) text += scene::parameter_line(parameter, parameter.value);
  std::vector<std::string> written;
  for (const Unknown& unknown : plan.unknowns) {
    if (unknown.body < 0) continue;
    const std::string& name = scene.model.bodies[static_cast<std::size_t>(unknown.body)].name;
    if (std::ranges::find(written, name) != written.end()) continue;
    written.push_back(name);
    text += fmt::format("\n[[body]]\nname = {}\n", toml_text(name));
    for (const Value& body : plan.document.root.find("body")->items) {
      const Value* known = body.find("name");
      if (known == nullptr || known->text != name) continue;
      for (const char* key : {"position", "angle", "velocity", "angular_velocity"})
        if (const Value* value = body.find(key)) text += fmt::format("{} = {}\n", key, as_toml(*value));
    }
  }
  return text;
}

}  // namespace stickslip::planning
