// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/contact_reader.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/model/name_pattern.h"
#include "stickslip/scene/drive_reader.h"
#include "stickslip/scene/patch_reader.h"
#include "stickslip/scene/table_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <tuple>

namespace stickslip::scene {
namespace {

// With more, a normal impulse that keeps a body from sliding is below the rounding of the friction that it allows.
constexpr double kLargestFriction = 1e9;

// The bodies that a pattern matches; an error when there is none.
std::vector<int> select(const Value& value, const std::string& what, const model::Model& model) {
  const std::string& pattern = read_text(value, what);
  std::vector<int> selected;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model::matches(pattern, model.bodies[i].name)) selected.push_back(static_cast<int>(i));
  // Copies may be none at all (count = 0), so that a pattern with * may match nothing.
  if (!selected.empty() || pattern.find('*') != std::string::npos) return selected;
  std::vector<std::string> names;
  for (const model::Body& body : model.bodies) names.push_back(body.name);
  throw SceneError(value.place, fmt::format("{}: no body is called '{}'", what, pattern),
                   expression::did_you_mean(pattern, names));
}

double read_friction(const TableReader& table, const char* key) {
  const double friction = table.not_negative(key, 0);
  if (friction > kLargestFriction)
    throw SceneError(table.require(key).place,
                     fmt::format("{} is {}: it must not be above {}", table.what(key), friction, kLargestFriction));
  return friction;
}

// One number for both directions, or a table of two.
std::pair<double, double> read_directions(const TableReader& table, const char* key) {
  const Value* value = table.find(key);
  if (value == nullptr) return {0, 0};
  if (value->kind != Value::Kind::Table) {
    const double both = table.not_negative(key, 0);
    return {both, both};
  }
  const TableReader pair(*value, keys_of("compliance"), table.scope(), table.what(key));
  (void)pair.require("normal");
  (void)pair.require("tangential");
  return {pair.not_negative("normal", 0), pair.not_negative("tangential", 0)};
}

// A linear spring in place of Hertz's contact: the same deformation under the load.
struct Elastic {
  std::string_view name;
  double young, poisson;  // N/m^2
};
constexpr Elastic kMaterials[] = {
    {"steel", 210e9, 0.3},    {"aluminium", 70e9, 0.33}, {"glass", 70e9, 0.22},
    {"polymer", 2.5e9, 0.38}, {"rubber", 5e6, 0.49},
};

std::pair<double, double> read_material(const TableReader& table) {
  Elastic elastic{"", 0, 0.3};
  if (const Value* name = table.find("name")) {
    std::vector<std::string> known;
    for (const Elastic& one : kMaterials) known.emplace_back(one.name);
    elastic = *std::ranges::find(kMaterials, read_word(*name, table.what("name"), known), &Elastic::name);
  } else {
    (void)table.require("young");
  }
  const double young = table.positive("young", elastic.young), poisson = table.not_negative("poisson", elastic.poisson);
  if (poisson > 0.5)
    throw SceneError(table.require("poisson").place,
                     fmt::format("{} must not be above 0.5, but is {}", table.what("poisson"), poisson));
  const double radius = table.positive("radius"), load = table.positive("load");
  const double modulus = young / (2 * (1 - poisson * poisson));
  const double depth = std::pow(0.75 * load / (modulus * std::sqrt(radius)), 2.0 / 3.0);
  const double normal = load / depth;
  if (!(normal > 0 && normal <= kLargestNumber))
    throw SceneError(table.place(), fmt::format("{} gives a stiffness of {}", table.name(), normal));
  return {normal, normal * 2 * (1 - poisson) / (2 - poisson)};
}

model::Compliance read_compliance(const TableReader& table, int dimension) {
  model::Compliance c;
  std::tie(c.stiffness_normal, c.stiffness_tangential) = read_directions(table, "stiffness");
  if (const Value* material = table.find("material")) {
    if (table.has("stiffness"))
      throw SceneError(material->place, fmt::format("{} has both a stiffness and a material", table.name()),
                       "remove one of the two");
    const TableReader reader(*material, keys_of("material"), table.scope(), table.what("material"));
    std::tie(c.stiffness_normal, c.stiffness_tangential) = read_material(reader);
  }
  std::tie(c.damping_normal, c.damping_tangential) = read_directions(table, "damping");
  if (c.damping_normal > 0 && !(c.stiffness_normal > 0))
    throw SceneError(table.require("damping").place, fmt::format("{} has damping but no stiffness", table.name()),
                     "give 'stiffness' > 0: a rigid contact does not deform");
  if (const Value* patch = table.find("patch")) {
    const TableReader reader(*patch, keys_of("patch"), table.scope(), table.what("patch"));
    c.patch = read_patch(reader, c, dimension);
  }
  return c;
}

model::Surface read_surface(const TableReader& table, int dimension) {
  model::Surface surface;
  if (const Value* friction = table.find("friction")) {
    if (friction->kind == Value::Kind::Table) {
      const TableReader pair(*friction, keys_of("friction"), table.scope(), table.what("friction"));
      (void)pair.require("static");
      (void)pair.require("kinetic");
      surface.friction_static = read_friction(pair, "static");
      surface.friction_kinetic = read_friction(pair, "kinetic");
      if (surface.friction_kinetic > surface.friction_static) {
        throw SceneError(friction->place,
                         fmt::format("{}: kinetic friction ({}) must not be above static friction ({})",
                                     table.what("friction"), surface.friction_kinetic, surface.friction_static));
      }
    } else {
      surface.friction_static = surface.friction_kinetic = read_friction(table, "friction");
    }
  }
  surface.restitution = table.not_negative("restitution", 0);
  if (surface.restitution > 1) {
    throw SceneError(table.require("restitution").place,
                     fmt::format("{} must not be above 1, but is {}", table.what("restitution"), surface.restitution));
  }
  surface.impact = table.choice("impact", surface.impact);
  surface.compliance = read_compliance(table, dimension);
  if (surface.restitution > 0 && !(surface.compliance == model::Compliance{}))
    throw SceneError(table.require("restitution").place, fmt::format("{} has stiffness and restitution", table.name()),
                     "the rebound of a compliant contact follows from its damping: remove one of the two");
  return surface;
}

int index_of(const model::Surface& surface, std::vector<model::Surface>& surfaces) {
  const auto found = std::ranges::find(surfaces, surface);
  if (found != surfaces.end()) return static_cast<int>(found - surfaces.begin());
  surfaces.push_back(surface);
  return static_cast<int>(surfaces.size()) - 1;
}

model::PairLaws::Rule read_rule(const Value& entry, const expression::Scope& constants, model::Model& model) {
  const TableReader table(entry, keys_of("contact"), constants, "a contact");
  const Value& between = table.require("between");
  if (between.kind != Value::Kind::Array || between.items.size() != 2) {
    throw SceneError(between.place, fmt::format("{} must be two names", table.what("between")));
  }
  model::PairLaws::Rule rule;
  rule.first = select(between.items[0], table.what("between"), model);
  rule.second = select(between.items[1], table.what("between"), model);
  const model::Surface surface = read_surface(table, model.dimension);
  rule.law = table.boolean("enabled", true) ? index_of(surface, model.surfaces) : model::PairLaws::kNever;
  return rule;
}

}  // namespace

void read_contacts(const Value* contacts, const expression::Scope& constants, model::Model& model) {
  model.surfaces = {model::Surface{}};  // without friction and restitution, for pairs that no entry matches
  std::vector<model::PairLaws::Rule> rules;
  if (contacts != nullptr) {
    if (contacts->kind != Value::Kind::Array) throw SceneError(contacts->place, "contacts are written as [[contact]]");
    for (const Value& entry : contacts->items) rules.push_back(read_rule(entry, constants, model));
  }
  // Nothing can come of a contact between bodies that forces do not move.
  std::vector<int> prescribed;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const DriveFreedom freedom = freedom_of(model.bodies[i]);
    if (model.bodies[i].mass == 0 || (!freedom.translation && !freedom.rotation))
      prescribed.push_back(static_cast<int>(i));
  }
  rules.push_back({prescribed, prescribed, model::PairLaws::kNever});
  model.laws = model::PairLaws(model.bodies.size(), 0, rules);
}

}  // namespace stickslip::scene
