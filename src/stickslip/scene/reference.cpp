// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of keys.h.
//
// The generated part of docs/scene-reference.md.
#include "stickslip/expression/expression.h"
#include "stickslip/scene/keys.h"
#include "stickslip/stepping/method_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip::scene {
namespace {

// A cell of a Markdown table: a bar would end it.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

void write_rows(std::string& out, const TableKeys& table) {
  out += "| key | value | when absent | meaning |\n|---|---|---|---|\n";
  for (const Key& key : table.keys) {
    const bool is_word = std::ranges::find(key.words, key.fallback) != key.words.end();
    const std::string type = key.words.empty() ? key.type : stepping::range_text({key.words.begin(), key.words.end()});
    out += fmt::format("| `{}` | {} | {} | {} |\n", key.name, cell(type),
                       is_word ? fmt::format("\"{}\"", key.fallback) : cell(key.fallback), cell(key.meaning));
  }
}

void write_keys(std::string& out, const TableKeys& table) {
  out += fmt::format("\n### {}\n\n", std::string_view(table.title).find_first_of("[={") == std::string_view::npos
                                         ? std::string(table.title)
                                         : fmt::format("`{}`", table.title));
  if (*table.about != '\0') out += fmt::format("{}\n\n", table.about);
  write_rows(out, table);
}

const char* usable_in(expression::Reach reach) {
  switch (reach) {
    case expression::Reach::Constant: return "everywhere";
    case expression::Reach::Time: return "motions, forces, observables, stop";
    case expression::Reach::State: return "forces, observables, stop";
    case expression::Reach::Run: return "observables, stop";
  }
  return "";
}

}  // namespace

std::string key_tables(std::span<const TableKeys> tables) {
  std::string text;
  for (const TableKeys& table : tables) {
    text += fmt::format("### {}\n\n", table.title);
    if (*table.about != '\0') text += fmt::format("{}\n\n", table.about);
    write_rows(text, table);
    text += "\n";
  }
  return text;
}

std::string scene_reference() {
  std::string out = "## Keys\n";
  for (const TableKeys& table : scene_keys()) write_keys(out, table);

  out += "\n## Functions of expressions\n\n| function | where | value |\n|---|---|---|\n";
  for (const expression::FunctionInfo& f : expression::functions()) {
    out += fmt::format("| `{}({})` | {} | {} |\n", f.name, f.arguments, usable_in(f.reach), cell(f.meaning));
  }
  out +=
      "\n## Variables of a body\n\nWritten `body.variable`, in forces, observables and stop conditions.\n\n| variable "
      "| value |\n|---|---|\n";
  for (const expression::BodyVariable& v : expression::body_variables())
    out += fmt::format("| `.{}` | {} |\n", v.name, cell(v.meaning));
  return out;
}

}  // namespace stickslip::scene
