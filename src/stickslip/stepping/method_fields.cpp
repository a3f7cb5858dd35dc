// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/method_fields.h"

#include "stickslip/collision/registry.h"
#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {
namespace {

template <class Infos>
std::vector<std::string> names_of(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) names.emplace_back(info.name);
  return names;
}

}  // namespace

std::vector<std::string> stepper_names() {
  std::vector<std::string> names = {"auto"};
  for (std::string& name : names_of(steppers())) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> cone_solver_names() {
  return names_of(complementarity::ContactSolver::algorithms());
}

std::vector<std::string> pyramid_solver_names() {
  std::vector<std::string> names = {"auto"};
  for (std::string& name : names_of(complementarity::AffineSolver::algorithms())) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> solver_names() {
  std::vector<std::string> names = cone_solver_names();
  for (std::string& name : pyramid_solver_names())
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> collider_names() {
  return names_of(collision::colliders());
}

std::string field_text(const std::string& name) {
  return name;
}

std::string field_text(double number) {
  return fmt::format("{}", number);
}

std::string field_text(int number) {
  return fmt::format("{}", number);
}

std::string objection_to_value(const FieldInfo& info, double number) {
  if (!std::isfinite(number)) return fmt::format("must be finite, not {}", number);
  if (info.above_least ? !(number > info.least) : !(number >= info.least)) {
    if (info.least == 0 && info.above_least) return fmt::format("must be positive, not {}", number);
    if (info.least == 0) return fmt::format("must not be negative, but is {}", number);
    return fmt::format("must be {} {}, not {}", info.above_least ? "above" : "at least", info.least, number);
  }
  if (number > info.most) return fmt::format("must be at most {}, not {}", info.most, number);
  return {};
}

std::string objection_to_value(const FieldInfo& info, int number) {
  if (number < info.least || number > info.most)
    return fmt::format("must be an integer from {} to {}, not {}", info.least, info.most, number);
  return info.even && number % 2 != 0 ? fmt::format("must be even, not {}", number) : std::string();
}

std::string objection_to_value(const FieldInfo& info, const std::string& name) {
  const std::vector<std::string> known = info.registered();
  return std::ranges::find(known, name) != known.end() ? "" : fmt::format("is not a known name: \"{}\"", name);
}

std::string objection_to(const Method& method) {
  std::string objection;
  visit_fields(method, [&](const FieldInfo& info, const auto& value) {
    if (!objection.empty()) return;
    if (const std::string why = objection_to_value(info, value); !why.empty())
      objection = fmt::format("method.{} {}", info.name, why);
  });
  return objection;
}

std::string range_text(const FieldInfo& info, double) {
  if (info.least == -std::numeric_limits<double>::infinity()) return "number";
  std::string text = fmt::format("number {} {}", info.above_least ? ">" : ">=", info.least);
  if (std::isfinite(info.most)) text += fmt::format(", at most {}", info.most);
  return text;
}

std::string range_text(const FieldInfo& info, int) {
  return fmt::format("{}integer, {} to {}", info.even ? "even " : "", info.least, info.most);
}

std::string range_text(const FieldInfo&, const std::string&) {
  return "name";
}

std::string range_text(const std::vector<std::string>& choices) {
  std::string text;
  for (std::size_t k = 0; k < choices.size(); ++k)
    text += (k == 0 ? "" : k + 1 == choices.size() ? " or " : ", ") + choices[k];
  return text;
}

std::string summary_of(const Method& method) {
  std::string text = fmt::format("{}, {}, {}", name_of(method.motion), method.stepper, name_of(method.friction));
  if (method.friction == FrictionLaw::Pyramid) text += fmt::format(" with {} directions", method.directions);
  text += fmt::format(", step {:.6g}, solver {}, certificate {}", method.step, method.solver, method.certificate);
  std::vector<std::string> defaults;
  visit_fields(Method{}, [&](const FieldInfo&, const auto& value) { defaults.push_back(field_text(value)); });
  std::size_t field = 0;
  visit_fields(method, [&](const FieldInfo& info, const auto& value) {
    constexpr std::string_view kAlwaysShown[] = {"motion", "stepper", "friction",   "directions",
                                                 "step",   "solver",  "certificate"};
    const std::string now = field_text(value);
    if (now != defaults[field++] && std::ranges::find(kAlwaysShown, info.name) == std::end(kAlwaysShown))
      text += fmt::format(", {} {}", info.name, now);
  });
  return text;
}

}  // namespace stickslip::stepping
