// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Colliders by name: what scenes and `stickslip list` know.
#pragma once

#include "stickslip/collision/collider.h"

#include <memory>
#include <span>
#include <string_view>

namespace stickslip::collision {

struct ColliderInfo {
  const char* name;
  const char* description;  // one line, no full stop
};
using ColliderFactory = std::unique_ptr<Collider> (*)();

[[nodiscard]] std::unique_ptr<Collider> make_collider(std::string_view name);  // null when the name is unknown
[[nodiscard]] std::span<const ColliderInfo> colliders();
void register_collider(ColliderInfo info, ColliderFactory factory);

}  // namespace stickslip::collision
