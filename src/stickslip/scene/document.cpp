// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/document.h"

#include "stickslip/files/regular_file.h"
#include "stickslip/scene/ascii_check.h"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

namespace stickslip::scene {
namespace {

// Larger files are not scenes; reading them would only exhaust memory.
constexpr std::size_t kLargestFile = 64U << 20;
constexpr std::size_t kMostIncludes = 32;

class DocumentReader {
 public:
  Document read(std::string text, const std::filesystem::path& file) {
    Document document;
    document.root = parse(text, file);
    document.file = file;
    document.text = std::move(text);
    document.included = std::move(included_);
    return document;
  }

  Document read(const std::filesystem::path& file) { return read(load(file, {file.string(), 0, 0}), file); }

 private:
  static std::string load(const std::filesystem::path& file, const Place& place) {
    try {
      return files::read_regular_file(file, kLargestFile);
    } catch (const files::FileError& error) {
      // The message begins with the file that was asked for; what that one includes is named.
      throw SceneError(place, place.line == 0 ? std::string(error.what())
                                              : fmt::format("cannot read '{}': it {}", file.string(), error.what()));
    }
  }

  static Value parse_toml(const std::string& text, const std::string& file);

  Value parse(const std::string& text, const std::filesystem::path& file) {
    open_.push_back(std::filesystem::weakly_canonical(file));
    if (const auto bad = find_non_ascii(text)) {
      throw SceneError({file.string(), bad->line, bad->column},
                       "characters other than ASCII are allowed in strings and comments only");
    }
    Value root = parse_toml(text, file.string());
    root = with_includes(std::move(root), file);
    open_.pop_back();
    return root;
  }

  Value with_includes(Value root, const std::filesystem::path& file);
  Value include(const Value& name, const std::filesystem::path& from);

  std::vector<std::filesystem::path> open_;  // the files that are being read, outermost first
  std::vector<SourceFile> included_;
};

// --- toml++ -> Value

struct Converter {
  const std::string& file;
  std::vector<std::string_view> lines;

  Converter(const std::string& text, const std::string& name) : file(name) {
    std::string_view rest = text;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      lines.push_back(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }

  Place place(const toml::source_region& region) const {
    return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }

  Value convert(const toml::node& node) const {
    Value value;
    value.place = place(node.source());
    if (const auto* table = node.as_table()) return convert_table(*table, std::move(value));
    if (const auto* array = node.as_array()) {
      value.kind = Value::Kind::Array;
      value.items.reserve(array->size());
      for (const toml::node& item : *array) value.items.push_back(convert(item));
    } else if (const auto* text = node.as_string()) {
      value.kind = Value::Kind::Text;
      value.text = text->get();
      value.exact_columns = written_plainly(value);
    } else if (const auto* integer = node.as_integer()) {
      value.kind = Value::Kind::Number;
      value.number = static_cast<double>(integer->get());
      value.integer = true;
    } else if (const auto* real = node.as_floating_point()) {
      value.kind = Value::Kind::Number;
      value.number = real->get();
    } else if (const auto* boolean = node.as_boolean()) {
      value.kind = Value::Kind::Boolean;
      value.boolean = boolean->get();
    } else {
      throw SceneError(value.place, "dates and times have no meaning in a scene");
    }
    return value;
  }

  Value convert_table(const toml::table& table, Value value) const {
    value.kind = Value::Kind::Table;
    for (const auto& [key, node] : table) {
      value.entries.push_back({std::string(key.str()), place(key.source()), convert(node)});
    }
    // toml++ sorts by name; people expect the order in which they wrote.
    std::ranges::stable_sort(value.entries, {},
                             [](const Value::Entry& entry) { return std::pair(entry.place.line, entry.place.column); });
    return value;
  }

  // A one-line string without escapes: its characters stand in the file as they are.
  bool written_plainly(const Value& value) const {
    const auto line = static_cast<std::size_t>(value.place.line);
    if (line < 1 || line > lines.size() || value.place.column < 1) return false;
    const auto begin = static_cast<std::size_t>(value.place.column) - 1;
    if (begin >= lines[line - 1].size()) return false;
    const std::string_view rest = lines[line - 1].substr(begin);
    if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) return false;
    return rest.size() > value.text.size() && rest.substr(1).starts_with(value.text);
  }
};

Value DocumentReader::parse_toml(const std::string& text, const std::string& file) {
  try {
    const toml::table table = toml::parse(std::string_view(text), file);
    Value root = Converter(text, file).convert(table);
    root.place = {file, 0, 0};
    return root;
  } catch (const toml::parse_error& error) {
    const auto& where = error.source().begin;
    throw SceneError({file, static_cast<int>(where.line), static_cast<int>(where.column)},
                     std::string(error.description()));
  }
}

// --- includes

const std::string* body_name(const Value& body) {
  const Value* name = body.find("name");
  return name != nullptr && name->kind == Value::Kind::Text ? &name->text : nullptr;
}

void merge(Value& base, Value&& over);

// [[body]]: one with a known name overrides, the others are appended.
void merge_bodies(Value& base, Value&& over) {
  std::map<std::string, std::size_t> known;  // the first body of each name
  for (std::size_t i = 0; i < base.items.size(); ++i)
    if (const std::string* name = body_name(base.items[i])) known.try_emplace(*name, i);
  for (Value& body : over.items) {
    const std::string* name = body_name(body);
    const auto same = name != nullptr ? known.find(*name) : known.end();
    if (same != known.end()) {
      merge(base.items[same->second], std::move(body));
      continue;
    }
    if (name != nullptr) known.try_emplace(*name, base.items.size());
    base.items.push_back(std::move(body));
  }
}

bool is_table_array(const Value& value) {
  return value.kind == Value::Kind::Array && !value.items.empty() &&
         std::ranges::all_of(value.items, [](const Value& item) { return item.kind == Value::Kind::Table; });
}

void merge(Value& base, Value&& over) {
  for (Value::Entry& entry : over.entries) {
    Value* known = base.find(entry.key);
    if (known == nullptr) {
      base.entries.push_back(std::move(entry));
    } else if (entry.key == "body" && is_table_array(*known) && is_table_array(entry.value)) {
      merge_bodies(*known, std::move(entry.value));
    } else if (entry.key == "contact" && is_table_array(*known) && is_table_array(entry.value)) {
      std::ranges::move(entry.value.items, std::back_inserter(known->items));
    } else if ((entry.key == "parameters" || entry.key == "method" || entry.key == "observe" ||
                entry.key == "record") &&
               known->kind == Value::Kind::Table && entry.value.kind == Value::Kind::Table) {
      merge(*known, std::move(entry.value));
    } else {
      *known = std::move(entry.value);
    }
  }
}

Value DocumentReader::with_includes(Value root, const std::filesystem::path& file) {
  const Value* list = root.find("include");
  if (list == nullptr) return root;
  Value base;
  base.place = root.place;
  if (list->kind == Value::Kind::Text) {
    merge(base, include(*list, file));
  } else if (list->kind == Value::Kind::Array) {
    for (const Value& name : list->items) merge(base, include(name, file));
  } else {
    throw SceneError(list->place,
                     fmt::format("include must be a list of file names, not {}", Value::name_of(list->kind)));
  }
  std::erase_if(root.entries, [](const Value::Entry& entry) { return entry.key == "include"; });
  merge(base, std::move(root));
  return base;
}

Value DocumentReader::include(const Value& name, const std::filesystem::path& from) {
  if (name.kind != Value::Kind::Text) {
    throw SceneError(name.place,
                     fmt::format("include must be a list of file names, not {}", Value::name_of(name.kind)));
  }
  const std::filesystem::path file = from.parent_path() / name.text;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(file);
  if (std::ranges::find(open_, canonical) != open_.end()) {
    throw SceneError(name.place, fmt::format("'{}' includes itself", name.text));
  }
  if (included_.size() >= kMostIncludes)
    throw SceneError(name.place, fmt::format("more than {} included files", kMostIncludes));
  included_.push_back({file, load(file, name.place)});
  const std::string text = included_.back().text;  // a copy: files that it includes join the list
  return parse(text, file);
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

const char* Value::name_of(Kind kind) {
  switch (kind) {
    case Kind::Number: return "a number";
    case Kind::Boolean: return "true or false";
    case Kind::Text: return "text";
    case Kind::Array: return "a list";
    case Kind::Table: return "a table";
  }
  return "unknown";
}

Document read_document(const std::filesystem::path& file) {
  return DocumentReader().read(file);
}

Document parse_document(std::string text, const std::filesystem::path& name) {
  return DocumentReader().read(std::move(text), name);
}

Value parse_override(std::string_view text, const std::string& origin) {
  Value value;
  value.place = {origin, 0, 0};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value.number);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    value.kind = Value::Kind::Number;
    value.integer = text.find_first_not_of("+-0123456789") == std::string_view::npos;
  } else if (text == "true" || text == "false") {
    value.kind = Value::Kind::Boolean;
    value.boolean = text == "true";
  } else {
    value.kind = Value::Kind::Text;
    value.text = text;
  }
  return value;
}

}  // namespace stickslip::scene
