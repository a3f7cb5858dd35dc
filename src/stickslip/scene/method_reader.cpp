// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/method_reader.h"

#include "stickslip/scene/table_reader.h"
#include "stickslip/stepping/method_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace stickslip::scene {
namespace {

// Reads the field's key if the table has it: a name, or a number in the range of the field.
class FieldReader {
 public:
  FieldReader(const TableReader& table, const expression::Scope& constants) : table_(table), constants_(constants) {}

  template <class T>
  void operator()(const stepping::FieldInfo& info, T& field) const {
    const Value* value = table_.find(info.name);
    if (value == nullptr) return;
    const std::string what = table_.what(info.name);
    if constexpr (std::is_same_v<T, double>) {
      field = read_number(*value, constants_, what);
    } else if constexpr (std::is_same_v<T, int>) {
      field = read_integer(*value, constants_, what, static_cast<int>(info.least), static_cast<int>(info.most));
    } else {
      const std::string& name = read_word(*value, what, stepping::field_names(info, field));
      if constexpr (stepping::FieldChoice<T>)
        (void)stepping::set_by_name(name, field);
      else
        field = name;
    }
    if (const std::string objection = stepping::objection_to_value(info, field); !objection.empty())
      throw SceneError(value->place, fmt::format("{} {}", what, objection));
  }

 private:
  const TableReader& table_;
  const expression::Scope& constants_;
};

}  // namespace

stepping::Method read_method(const Value* value, const expression::Scope& constants) {
  stepping::Method method;
  if (value == nullptr) return method;
  const TableReader table(*value, keys_of("method"), constants, "[method]");
  stepping::visit_fields(method, FieldReader(table, constants));
  return method;
}

RecordingOptions read_recording(const Value* value, const expression::Scope& constants) {
  RecordingOptions options;
  if (value == nullptr) return options;
  const TableReader table(*value, keys_of("record"), constants, "[record]");
  options.interval = table.not_negative("interval", options.interval);
  options.contacts = table.boolean("contacts", options.contacts);
  return options;
}

}  // namespace stickslip::scene
