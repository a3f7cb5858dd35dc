// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What files that stand on a scene share (studies, plans, scenes that are written back): the name of the scene, values
// for it in a table [set], its method and its parameters as TOML. Lines are put together here and not by toml++, whose
// tables know neither comments nor the order in which the scene has its keys.
#pragma once

#include "stickslip/scene/scene.h"
#include "stickslip/scene/table_reader.h"
#include "stickslip/stepping/method_fields.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stickslip::scene {

// What a TOML file is, by the keys that only one kind has.
enum class FileKind { Scene, Study, Plan };
// Throws SceneError for a file of another kind, with the command that takes it; says nothing where no key tells.
void require_kind(const Value& root, FileKind wanted);

// The file that the key `scene` names, relative to the folder of `file`. Throws SceneError when there is none.
[[nodiscard]] std::filesystem::path named_scene(const TableReader& top, const std::filesystem::path& file);

// A text, number or boolean as it would follow --set name=; `what` names it in messages.
[[nodiscard]] std::string override_text(const Value& value, const std::string& what);

// The entries of [set], each as it would follow --set; tables within it give names with dots.
void read_set(const Value& table, std::vector<Override>& set);

// Throws SceneError, with the nearest name.
[[nodiscard]] const Parameter& parameter_named(const Scene& scene, const std::string& name);
[[nodiscard]] const Parameter& parameter_named(const Scene& scene, const std::string& name, const Place& place);

[[nodiscard]] std::string toml_text(std::string_view text);  // in quotes
// One line KEY = VALUE of [method].
template <class T>
[[nodiscard]] std::string method_line(const stepping::FieldInfo& info, const T& value) {
  const std::string text = stepping::field_text(value);
  return std::string(info.name) + " = " + (std::is_arithmetic_v<T> ? text : toml_text(text)) + "\n";
}
// NAME = { value = ..., and everything else that the scene says about the parameter }
[[nodiscard]] std::string parameter_line(const Parameter& parameter, double value);

}  // namespace stickslip::scene
