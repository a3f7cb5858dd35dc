// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/registry.h"

#include "stickslip/collision/feature_collider.h"

#include <vector>

namespace stickslip::collision {
namespace {

struct ColliderRegistry {
  std::vector<ColliderInfo> infos;
  std::vector<ColliderFactory> factories;

  void add(ColliderInfo info, ColliderFactory factory) {
    infos.push_back(info);
    factories.push_back(factory);
  }
  ColliderRegistry() {
    add({"features", "all pairs of vertices, edges and faces that could touch within the step"},
        []() -> std::unique_ptr<Collider> { return std::make_unique<FeatureCollider>(); });
  }
};

ColliderRegistry& registry() {
  static ColliderRegistry instance;
  return instance;
}

}  // namespace

std::unique_ptr<Collider> make_collider(std::string_view name) {
  const ColliderRegistry& all = registry();
  for (std::size_t k = 0; k < all.infos.size(); ++k)
    if (name == all.infos[k].name) return all.factories[k]();
  return nullptr;
}

std::span<const ColliderInfo> colliders() {
  return registry().infos;
}

void register_collider(ColliderInfo info, ColliderFactory factory) {
  registry().add(info, factory);
}

}  // namespace stickslip::collision
