// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/variation_reader.h"

#include "stickslip/scene/scene_file.h"
#include "stickslip/study/sobol.h"
#include "stickslip/study/study_keys.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stickslip::study {
namespace {

using scene::Parameter;
using scene::SceneError;
using scene::TableReader;
using scene::Value;

void read_kind(Variation& variation, const std::string& kind, const std::vector<double>& numbers, const Value& value,
               const TableReader& table) {
  const auto need = [&](std::size_t count, const char* form) {
    if (numbers.size() != count)
      throw SceneError(value.place,
                       fmt::format("{} must be {}, not {} numbers", table.what(kind), form, numbers.size()));
  };
  if (kind == "list") {
    variation.kind = Variation::Kind::Grid;
    if (numbers.empty()) throw SceneError(value.place, fmt::format("{} is empty", table.what(kind)));
    variation.values = numbers;
    return;
  }
  if (kind == "grid") {
    variation.kind = Variation::Kind::Grid;
    need(3, "[from, to, count]");
    const double count = numbers[2];
    if (count != std::round(count) || count < 1 || count > 1e6)
      throw SceneError(value.place, fmt::format("{}: the count must be an integer from 1 to 1e6", table.what(kind)));
    if (count > 1 && numbers[0] == numbers[1])
      throw SceneError(value.place, fmt::format("{}: the range is empty", table.what(kind)));
    for (int i = 0; i < static_cast<int>(count); ++i) {
      const double share = count > 1 ? i / (count - 1) : 0;
      variation.values.push_back((1 - share) * numbers[0] + share * numbers[1]);
    }
    return;
  }
  need(2, kind == "normal" ? "[mean, deviation]" : "[from, to]");
  variation.a = numbers[0];
  variation.b = numbers[1];
  if (kind == "normal") {
    variation.kind = Variation::Kind::Normal;
    variation.low = table.number("min", variation.low);
    variation.high = table.number("max", variation.high);
    if (!(variation.b > 0))
      throw SceneError(value.place, fmt::format("{}: the deviation must be positive", table.what(kind)));
    return;
  }
  variation.kind = kind == "uniform" ? Variation::Kind::Uniform
                   : kind == "sobol" ? Variation::Kind::Sobol
                                     : Variation::Kind::Latin;
  if (!(variation.a < variation.b))
    throw SceneError(value.place,
                     fmt::format("{}: the range from {} to {} is empty", table.what(kind), variation.a, variation.b));
}

void check_range(Variation& variation, const Parameter& parameter, const Value& value) {
  const auto check = [&](double x) {
    if (x < parameter.min || x > parameter.max)
      throw SceneError(value.place, fmt::format("the variation of '{}' reaches {}, outside {} .. {} of the scene",
                                                parameter.name, x, parameter.min, parameter.max));
  };
  if (variation.kind == Variation::Kind::Normal) {
    variation.low = std::max(variation.low, parameter.min);
    variation.high = std::min(variation.high, parameter.max);
    // Values outside are drawn again; that must succeed now and then.
    if (!(variation.low < variation.high) || variation.low > variation.a + 5 * variation.b ||
        variation.high < variation.a - 5 * variation.b)
      throw SceneError(value.place,
                       fmt::format("the range of '{}' contains almost nothing of the distribution", parameter.name));
  } else if (variation.kind == Variation::Kind::Grid) {
    for (const double x : variation.values) check(x);
  } else {
    check(variation.a);
    check(variation.b);
  }
}

Variation read_variation(const Value::Entry& entry, const scene::Scene& scene, const expression::Scope& constants) {
  const Parameter* parameter = varied_parameter(scene, entry.key, entry.place);
  const std::string what = fmt::format("the variation of '{}'", entry.key);
  const TableReader table(entry.value, study_keys_of("vary.NAME"), constants, what);
  Variation variation;
  variation.parameter = entry.key;
  variation.place = entry.place;
  variation.each = table.choice("each", variation.each);
  constexpr std::array<const char*, 6> kKinds{"grid", "list", "uniform", "normal", "sobol", "latin"};
  const Value* value = nullptr;
  std::string kind;
  for (const char* name : kKinds) {
    if (!table.has(name)) continue;
    if (value != nullptr)
      throw SceneError(table.require(name).place, fmt::format("{} has both {} and {}", what, kind, name));
    value = table.find(name);
    kind = name;
  }
  if (value == nullptr)
    throw SceneError(entry.place, fmt::format("{} needs one of grid, list, uniform, normal, sobol, latin", what));
  const std::vector<double> numbers = scene::read_numbers(*value, constants, table.what(kind));
  read_kind(variation, kind, numbers, *value, table);
  if (parameter != nullptr) check_range(variation, *parameter, *value);
  return variation;
}

}  // namespace

const scene::Parameter* varied_parameter(const scene::Scene& scene, const std::string& name,
                                         const scene::Place& place) {
  const bool is_key = name == "duration" || name.starts_with("method.") || name.starts_with("record.");
  if (is_key && std::ranges::find(scene.parameters, name, &Parameter::name) == scene.parameters.end()) return nullptr;
  return &scene::parameter_named(scene, name, place);
}

std::vector<Variation> read_variations(const Value& table, const scene::Scene& scene,
                                       const expression::Scope& constants) {
  std::vector<Variation> variations;
  if (table.kind != Value::Kind::Table)
    throw SceneError(table.place, fmt::format("'vary' must be a table, not {}", Value::name_of(table.kind)));
  std::map<Variation::Each, int> sobol_dimensions;
  for (const Value::Entry& entry : table.entries) {
    Variation variation = read_variation(entry, scene, constants);
    if (variation.kind == Variation::Kind::Sobol) {
      variation.dimension = sobol_dimensions[variation.each]++;
      if (variation.dimension >= kMostSobolDimensions)
        throw SceneError(entry.place, fmt::format("a Sobol sequence has at most {} parameters", kMostSobolDimensions),
                         "use latin or uniform for the others");
    }
    variations.push_back(std::move(variation));
  }
  return variations;
}

}  // namespace stickslip::study
