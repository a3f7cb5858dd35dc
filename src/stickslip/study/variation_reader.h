// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pieces of study files that several readers need: words, parameters of the scene, and how they vary.
#pragma once

#include "stickslip/expression/nearest_name.h"
#include "stickslip/scene/table_reader.h"
#include "stickslip/study/study.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace stickslip::study {

// One of a few words.
template <class Enum, std::size_t kCount>
Enum read_word(const scene::Value& value, const std::string& what,
               const std::array<std::pair<const char*, Enum>, kCount>& words) {
  const std::string& text = scene::read_text(value, what);
  std::vector<std::string> names;
  std::string list;
  for (const auto& [name, word] : words) {
    if (text == name) return word;
    names.emplace_back(name);
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string hint = expression::did_you_mean(text, names);
  throw scene::SceneError(value.place, fmt::format("{}: unknown name '{}'", what, text),
                          hint.empty() ? "known are " + list : hint);
}

// The parameter that a key names, or null for duration, method.step and the like. Throws when the scene has no such parameter.
[[nodiscard]] const scene::Parameter* parameter_named(const scene::Scene& scene, const std::string& name,
                                                      const scene::Place& place);

// A table of parameters with how they vary.
[[nodiscard]] std::vector<Variation> read_variations(const scene::Value& table, const scene::Scene& scene,
                                                     const expression::Scope& constants);

}  // namespace stickslip::study
