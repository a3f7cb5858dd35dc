// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/recording/run_description.h"

#include "stickslip/model/shape_fields.h"
#include "stickslip/recording/recording_error.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace stickslip::recording {
namespace {

using Json = nlohmann::json;
using namespace model;  // NOLINT: every shape by its name

// --- values of shapes and bodies
template <class T>
Json json(const T& value) {
  return value;
}
template <int N>
Json json(const Eigen::Matrix<double, N, 1>& v) {
  Json list = Json::array();
  for (int k = 0; k < N; ++k) list.push_back(v[k]);
  return list;
}
template <class T>
Json json(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(json(item));
  return list;
}

template <class T>
void read(const Json& j, T& value) {
  value = j.get<T>();
}
template <int N>
void read(const Json& list, Eigen::Matrix<double, N, 1>& v) {
  if (list.size() != static_cast<std::size_t>(N)) throw RecordingError("a vector has the wrong length");
  for (int k = 0; k < N; ++k) v[k] = list[static_cast<std::size_t>(k)].get<double>();
}
template <class T>
void read(const Json& list, std::vector<T>& items) {
  items.resize(list.size());
  for (std::size_t k = 0; k < items.size(); ++k) read(list.at(k), items[k]);
}

template <int N>
Eigen::Matrix<double, N, 1> vector(const Json& list) {
  Eigen::Matrix<double, N, 1> v;
  read(list, v);
  return v;
}

// --- shapes: {"kind": ..., fields}
Json shape_json(const Shape& shape) {
  Json out{{"kind", kShapeNames[shape.index()]}};
  std::visit(
      [&](const auto& s) {
        std::apply([&](const auto&... field) { ((out[field.name] = json(field.value)), ...); }, fields_of(s));
      },
      shape);
  return out;
}

// Of the alternatives from K on.
template <std::size_t K = 0>
Shape shape_from(const Json& j, const std::string& kind) {
  if constexpr (K == kShapeNames.size()) {
    throw RecordingError("unknown shape " + kind);
  } else {
    if (kind != kShapeNames[K]) return shape_from<K + 1>(j, kind);
    std::variant_alternative_t<K, Shape> shape;
    std::apply([&](const auto&... field) { (read(j.at(field.name), field.value), ...); }, fields_of(shape));
    return shape;
  }
}

Shape shape_from(const Json& j) {
  Shape shape = shape_from(j, j.at("kind"));
  if (const auto* solid = std::get_if<Polyhedron>(&shape))
    for (const std::vector<int>& face : solid->faces)
      for (const int corner : face)
        if (corner < 0 || static_cast<std::size_t>(corner) >= solid->vertices.size())
          throw RecordingError("a face has a corner that does not exist");
  return shape;
}

constexpr const char* kKinds[] = {"particle2", "planar", "particle3", "spatial"};

Json body_json(const Body& body) {
  Json shapes = Json::array();
  for (const PlacedShape& placed : body.shapes) {
    Json shape = shape_json(placed.shape);
    const Quat& q = placed.pose.orientation;
    shape["position"] = json(placed.pose.position);
    shape["orientation"] = {q.w(), q.x(), q.y(), q.z()};
    shapes.push_back(std::move(shape));
  }
  Json inertia = Json::array();
  for (int row = 0; row < 3; ++row) inertia.push_back(json(Vec3(body.inertia.row(row))));
  Json supports = Json::array(), loads = Json::array();  // where a body of dimension 2.5 stands, and with which load
  for (const model::Support::Point& point : body.support.points) {
    supports.push_back(json(point.position));
    loads.push_back(point.load);
  }
  return {{"name", body.name},
          {"kind", kKinds[static_cast<int>(body.kind)]},
          {"mass", body.mass},
          {"inertia", std::move(inertia)},
          {"shapes", std::move(shapes)},
          {"supports", std::move(supports)},
          {"support_loads", std::move(loads)},
          {"support_friction", body.support.friction}};
}

Body body_from(const Json& j) {
  Body body;
  body.name = j.at("name");
  const std::string kind = j.at("kind");
  for (int k = 0; k < 4; ++k)
    if (kind == kKinds[k]) body.kind = static_cast<BodyKind>(k);
  body.mass = j.at("mass");
  for (int row = 0; row < 3; ++row)
    body.inertia.row(row) = vector<3>(j.at("inertia").at(static_cast<std::size_t>(row))).transpose();
  for (const Json& item : j.at("shapes")) {
    const Eigen::Vector4d q = vector<4>(item.at("orientation"));
    body.shapes.push_back({shape_from(item), {vector<3>(item.at("position")), Quat(q[0], q[1], q[2], q[3])}});
  }
  if (j.contains("supports"))
    for (const Json& item : j.at("supports")) body.support.points.push_back({vector<3>(item), 0});
  if (j.contains("support_loads") && j.at("support_loads").size() == body.support.points.size()) {
    for (std::size_t k = 0; k < body.support.points.size(); ++k) body.support.points[k].load = j.at("support_loads")[k];
    body.support.friction = j.value("support_friction", 0.0);
  }
  return body;
}

Json quantities_json(const std::vector<Quantity>& quantities) {
  Json list = Json::array();
  for (const Quantity& q : quantities)
    list.push_back({{"name", q.name}, {"unit", q.unit}, {"description", q.description}, {"value", q.value}});
  return list;
}

std::vector<Quantity> quantities_from(const Json& list) {
  std::vector<Quantity> quantities;
  for (const Json& q : list) quantities.push_back({q.at("name"), q.at("unit"), q.at("description"), q.at("value")});
  return quantities;
}

}  // namespace

std::string to_json(const RunDescription& run) {
  Json bodies = Json::array(), surfaces = Json::array(), pairs = Json::array();
  for (const Body& body : run.model.bodies) bodies.push_back(body_json(body));
  for (const Surface& s : run.model.surfaces)
    surfaces.push_back({s.friction_static, s.friction_kinetic, s.restitution});
  // The table of pairs grows with the square of the bodies and holds few different numbers: runs of [value, length].
  const int n = static_cast<int>(run.model.laws.bodies());
  std::int64_t length = 0;
  int value = 0;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      const int law = run.model.laws.between(a, b);
      if (length > 0 && law != value) pairs.push_back({value, std::exchange(length, 0)});
      value = law;
      ++length;
    }
  }
  if (length > 0) pairs.push_back({value, length});
  const Json out{{"format", 1},
                 {"title", run.title},
                 {"description", run.description},
                 {"duration", run.duration},
                 {"tolerance", run.tolerance},
                 {"dimension", run.model.dimension},
                 {"gravity", json(run.model.gravity)},
                 {"parameters", quantities_json(run.parameters)},
                 {"observables", quantities_json(run.observables)},
                 {"bodies", std::move(bodies)},
                 {"surfaces", std::move(surfaces)},
                 {"pairs", std::move(pairs)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunDescription description_from_json(const std::string& text) {
  try {
    const Json in = Json::parse(text);
    RunDescription run;
    run.title = in.at("title");
    run.description = in.at("description");
    run.duration = in.at("duration");
    run.tolerance = in.at("tolerance");
    run.model.dimension = in.at("dimension");
    run.model.gravity = vector<3>(in.at("gravity"));
    run.parameters = quantities_from(in.at("parameters"));
    run.observables = quantities_from(in.at("observables"));
    for (const Json& body : in.at("bodies")) run.model.bodies.push_back(body_from(body));
    for (const Json& s : in.at("surfaces")) {
      model::Surface& surface = run.model.surfaces.emplace_back();
      surface.friction_static = s.at(0);
      surface.friction_kinetic = s.at(1);
      surface.restitution = s.at(2);
    }
    const std::size_t pairs = run.model.bodies.size() * run.model.bodies.size();
    std::vector<int> table;
    for (const Json& length : in.at("pairs")) {
      const int value = length.at(0), count = length.at(1);
      if (value < -1 || value >= static_cast<int>(run.model.surfaces.size()) || count < 0 ||
          table.size() + static_cast<std::size_t>(count) > pairs)
        throw RecordingError("the table of pairs does not match the bodies");
      table.insert(table.end(), static_cast<std::size_t>(count), value);
    }
    if (table.size() != pairs) throw RecordingError("the table of pairs does not match the bodies");
    run.model.laws = model::PairLaws::from_table(run.model.bodies.size(), table);
    return run;
  } catch (const Json::exception& error) {
    throw RecordingError(fmt::format("the recording's model cannot be read: {}", error.what()));
  } catch (const RecordingError& error) {
    throw RecordingError(fmt::format("the recording's model cannot be read: {}", error.what()));
  }
}

}  // namespace stickslip::recording
