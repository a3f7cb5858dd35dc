// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The one declaration of every key of a scene file. The reader rejects what is not here, and docs/scene-reference.md
// is written from it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stickslip::scene {

struct Key {
  std::string_view name;
  const char* type;      // as written in the reference; of a choice: null
  const char* fallback;  // what holds when the key is absent; "required" when there is none
  const char* meaning;
  // A choice: what may be written, in the order of the enumerators that the words stand for (TableReader::choice).
  std::span<const std::string_view> words = {};
};

struct TableKeys {
  std::string_view table;  // "" for the top level, "body", "body.motion", ...
  const char* title;       // heading in the reference
  const char* about;
  std::span<const Key> keys;
};

// The tables of one kind of file: the one with this name (it must exist), and all as Markdown.
[[nodiscard]] const TableKeys& keys_in(std::span<const TableKeys> tables, std::string_view table);
[[nodiscard]] std::string key_tables(std::span<const TableKeys> tables);

[[nodiscard]] std::span<const TableKeys> scene_keys();
[[nodiscard]] const TableKeys& keys_of(std::string_view table);  // the table must exist

// The part of the scene reference that is written from the code, in Markdown: all tables of keys, the shapes, the
// functions and variables of expressions.
[[nodiscard]] std::string scene_reference();

}  // namespace stickslip::scene
