// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/setting_json.h"

#include "stickslip/model/triangulate.h"
#include "stickslip/report/json_number.h"
#include "stickslip/report/units.h"

namespace stickslip::report {
namespace {

using Json = nlohmann::json;

// The recording's JSON of a body is what the page reads, with faces cut into triangles.
Json bodies_json(const recording::RunDescription& description) {
  Json bodies = Json::parse(recording::to_json(description)).at("bodies");
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& shapes = description.model.bodies[b].shapes;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const auto* solid = std::get_if<model::Polyhedron>(&shapes[s].shape);
      if (solid == nullptr) continue;
      Json triangles = Json::array();
      for (const std::vector<int>& face : solid->faces)
        for (const auto& t : model::triangulate_face(solid->vertices, face)) triangles.push_back(t);
      bodies[b]["shapes"][s]["triangles"] = std::move(triangles);
    }
  }
  return bodies;
}

Json quantities(const std::vector<recording::Quantity>& list) {
  Json out = Json::array();
  for (const recording::Quantity& q : list)
    out.push_back({{"name", q.name}, {"unit", q.unit}, {"description", q.description}, {"value", number(q.value)}});
  return out;
}

}  // namespace

Json setting_json(const recording::RunDescription& description) {
  const Units units = units_of(description);
  return {{"title", description.title},
          {"description", description.description},
          {"dimension", description.model.dimension},
          {"gravity", {description.model.gravity.x(), description.model.gravity.y(), description.model.gravity.z()}},
          {"units", {{"time", units.time}, {"length", units.length}, {"force", units.force}}},
          {"duration", number(description.duration)},
          {"tolerance", number(description.tolerance)},
          {"parameters", quantities(description.parameters)},
          {"observables", quantities(description.observables)},
          {"bodies", bodies_json(description)}};
}

}  // namespace stickslip::report
