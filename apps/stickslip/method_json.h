// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A method as a JSON object, each field under the name that scenes give it.
#pragma once

#include "stickslip/stepping/method_fields.h"

#include <nlohmann/json.hpp>

#include <string>
#include <type_traits>

namespace stickslip::app {

[[nodiscard]] inline nlohmann::ordered_json method_json(const stepping::Method& method) {
  nlohmann::ordered_json object;
  stepping::visit_fields(method, [&](const stepping::FieldInfo& info, const auto& value) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
      object[std::string(info.name)] = value;
    else
      object[std::string(info.name)] = stepping::field_text(value);
  });
  return object;
}

}  // namespace stickslip::app
