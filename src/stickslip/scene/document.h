// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A scene file as a tree of values that know where they were written. The TOML parser stays behind this header.
#pragma once

#include "stickslip/files/scene_error.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stickslip::scene {

// The one exception that reading a scene throws; motions throw it too, while they run.
using files::Place;
using files::SceneError;

struct Value {
  enum class Kind { Number, Boolean, Text, Array, Table };
  struct Entry;

  Kind kind = Kind::Table;
  Place place;  // of the value
  double number = 0;
  bool integer = false;  // written without point or exponent
  bool boolean = false;
  std::string text;
  bool exact_columns = false;  // character i of the text stands at place.column + 1 + i
  std::vector<Value> items;    // Array
  std::vector<Entry> entries;  // Table, in the order of the file

  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Value* find(std::string_view key);
  [[nodiscard]] static const char* name_of(Kind kind);  // "a number", "a table", ...
};

struct Value::Entry {
  std::string key;
  Place place;  // of the key
  Value value;
};

struct SourceFile {
  std::filesystem::path file;
  std::string text;
};

struct Document {
  Value root;
  std::filesystem::path file;
  std::string text;                  // of the file, as read
  std::vector<SourceFile> included;  // in the order in which they were read
};

// Reads a file and what it includes (`include = ["base.toml"]`, relative to the including file). Tables of the
// including file override those of the included ones key by key; [[body]], [[contact]] and [[observe]] arrays are
// appended to them, except that a body with the name of an included one overrides its keys. Throws SceneError.
[[nodiscard]] Document read_document(const std::filesystem::path& file);

// The same from text; `name` stands for the file in messages, includes are relative to the folder of `name`.
[[nodiscard]] Document parse_document(std::string text, const std::filesystem::path& name);

// A value from the command line: a number, true, false, or an expression as text. Its place is `origin`.
[[nodiscard]] Value parse_override(std::string_view text, const std::string& origin);

}  // namespace stickslip::scene
