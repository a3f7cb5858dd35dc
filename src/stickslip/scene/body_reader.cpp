// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/body_reader.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/scene/body_packing.h"
#include "stickslip/scene/drive_reader.h"
#include "stickslip/scene/force_reader.h"
#include "stickslip/scene/mass_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

namespace stickslip::scene {
namespace {

std::vector<int> read_count(const Value& value, const expression::Scope& constants, const std::string& what,
                            std::size_t most) {
  const int limit = static_cast<int>(most);
  if (value.kind != Value::Kind::Array) return {read_integer(value, constants, what, 0, limit)};
  if (value.items.empty() || value.items.size() > 3)
    throw SceneError(value.place, fmt::format("{} must be one, two or three integers", what));
  std::vector<int> counts;
  for (const Value& item : value.items) counts.push_back(read_integer(item, constants, what, 0, limit));
  return counts;
}

void plan_copies(const Value& body, const std::string& name, const Value& count, const expression::Scope& constants,
                 std::size_t most, std::vector<BodyPlan>& plans) {
  std::vector<int> counts = read_count(count, constants, fmt::format("'count' of body '{}'", name), most);
  counts.resize(3, 1);
  for (const char* index : {"i", "j", "k", "index"}) {
    if (constants.constants.contains(index)) {
      throw SceneError(count.place, fmt::format("the parameter '{}' hides the index '{}' of the copies of body '{}'",
                                                index, index, name));
    }
  }
  int index = 0;
  for (int k = 0; k < counts[2]; ++k) {
    for (int j = 0; j < counts[1]; ++j) {
      for (int i = 0; i < counts[0]; ++i, ++index) {
        if (plans.size() >= most) throw SceneError(count.place, fmt::format("more than {} bodies", most));
        plans.push_back({&body, fmt::format("{}_{}", name, index), {{"i", i}, {"j", j}, {"k", k}, {"index", index}}});
      }
    }
  }
}

bool is_particle(const std::vector<model::PlacedShape>& shapes) {
  if (shapes.size() != 1) return false;
  const auto* set = std::get_if<model::PointSet>(&shapes[0].shape);
  return set != nullptr && set->points.size() == 1 && set->points[0] == Vec3::Zero() &&
         shapes[0].pose.position == Vec3::Zero();
}

std::vector<model::PlacedShape> read_shapes(const TableReader& table, const ShapeContext& context) {
  std::vector<model::PlacedShape> shapes;
  if (const Value* shape = table.find("shape")) {
    shapes.push_back(read_shape(*shape, table.scope(), table.what("shape"), context));
  }
  if (const Value* list = table.find("shapes")) {
    if (!shapes.empty()) throw SceneError(list->place, fmt::format("{} has both 'shape' and 'shapes'", table.name()));
    if (list->kind != Value::Kind::Array)
      throw SceneError(list->place, fmt::format("{} must be a list of shapes", table.what("shapes")));
    for (const Value& shape : list->items)
      shapes.push_back(read_shape(shape, table.scope(), table.what("shapes"), context));
  }
  return shapes;
}

// The pose and velocity as written: of the frame in which the body is written, and of its centre of mass.
model::BodyState read_written_state(const TableReader& table, const model::Body& body, int dimension) {
  model::BodyState state;
  state.pose.position = table.vector("position", Vec3::Zero(), dimension);
  state.velocity.linear = table.vector("velocity", Vec3::Zero(), dimension);
  const Value* angle = table.find("angle");
  const Value* orientation = table.find("orientation");
  const Value* spin = table.find("angular_velocity");
  if (!body.rotates()) {
    for (const Value* value : {angle, orientation, spin}) {
      if (value != nullptr)
        throw SceneError(value->place, fmt::format("{} is a particle and does not turn", table.name()));
    }
    return state;
  }
  if (dimension == 2) {
    if (orientation != nullptr)
      throw SceneError(orientation->place, fmt::format("{} is planar: write 'angle'", table.name()));
    state.angle = table.number("angle", 0);
    state.velocity.angular.z() = table.number("angular_velocity", 0);
    state.pose.orientation = Quat(Eigen::AngleAxisd(state.angle, Vec3::UnitZ()));
  } else {
    if (angle != nullptr)
      throw SceneError(angle->place, fmt::format("{} is spatial: write 'orientation'", table.name()));
    if (orientation != nullptr)
      state.pose.orientation = read_orientation(*orientation, table.scope(), table.what("orientation"));
    state.velocity.angular = table.vector("angular_velocity", Vec3::Zero(), 3);
  }
  return state;
}

// The state of a body at t = 0, drives applied.
model::BodyState start_of(const model::Body& body) {
  model::Model alone;
  alone.bodies.push_back(body);
  return model::initial_state(alone).bodies[0];
}

const model::Body& find_frame(const Value& frame, const TableReader& table, const std::vector<model::Body>& earlier) {
  const std::string& name = read_text(frame, table.what("frame"));
  const auto found = std::ranges::find(earlier, name, &model::Body::name);
  if (found != earlier.end()) return *found;
  std::vector<std::string> names;
  for (const model::Body& body : earlier) names.push_back(body.name);
  throw SceneError(frame.place, fmt::format("{}: no earlier body is called '{}'", table.what("frame"), name),
                   expression::did_you_mean(name, names));
}

// From relative to a moving body to the world.
void express_in_world(const model::BodyState& frame, model::BodyState& state) {
  const Vec3 arm = frame.pose.orientation * state.pose.position;
  state.pose.position = frame.pose.position + arm;
  state.pose.orientation = (frame.pose.orientation * state.pose.orientation).normalized();
  state.angle += frame.angle;
  state.velocity.linear =
      frame.velocity.linear + frame.velocity.angular.cross(arm) + frame.pose.orientation * state.velocity.linear;
  state.velocity.angular = frame.velocity.angular + frame.pose.orientation * state.velocity.angular;
}

}  // namespace

std::vector<BodyPlan> plan_bodies(const Value& bodies, const expression::Scope& constants, std::size_t most) {
  if (bodies.kind != Value::Kind::Array) throw SceneError(bodies.place, "bodies are written as [[body]]");
  std::vector<BodyPlan> plans;
  std::set<std::string> names;
  for (const Value& body : bodies.items) {
    const std::size_t first = plans.size();
    const TableReader table(body, keys_of("body"), constants, "a body");
    const Value& name_value = table.require("name");
    const std::string& name = read_text(name_value, table.what("name"));
    if (!expression::is_identifier(name)) {
      throw SceneError(
          name_value.place,
          fmt::format("'{}' cannot be the name of a body: use letters, digits and underscores, beginning with a letter",
                      name));
    }
    if (plans.size() >= most) throw SceneError(body.place, fmt::format("more than {} bodies", most));
    if (const Value* count = table.find("count"))
      plan_copies(body, name, *count, constants, most, plans);
    else
      plans.push_back({&body, name, {}});
    if (const Value* packing = table.find("packing")) {
      const std::vector<Vec3> places = read_packing(*packing, constants, name, plans.size() - first);
      for (std::size_t i = 0; i < places.size(); ++i) plans[first + i].packed = places[i];
    }
    for (std::size_t i = first; i < plans.size(); ++i) {
      if (!names.insert(plans[i].name).second)
        throw SceneError(name_value.place, fmt::format("there are two bodies called '{}'", plans[i].name));
    }
  }
  return plans;
}

model::Body read_body(const BodyPlan& plan, const BodyContext& context) {
  expression::Scope scope = context.constants;
  for (const auto& [name, value] : plan.indices) scope.constants[name] = value;
  const TableReader table(*plan.table, keys_of("body"), scope, fmt::format("body '{}'", plan.name));
  const int dimension = context.shapes.dimension;

  model::Body body;
  body.name = plan.name;
  body.shapes = read_shapes(table, context.shapes);
  const bool particle = is_particle(body.shapes);
  if (dimension == 2)
    body.kind = particle ? model::BodyKind::Particle2 : model::BodyKind::Planar;
  else
    body.kind = particle ? model::BodyKind::Particle3 : model::BodyKind::Spatial;

  // The centre of a body that is wholly prescribed stays where its frame is written.
  const Vec3 centre = read_mass(table, freedom_of(table, body), body);
  for (model::PlacedShape& shape : body.shapes) shape.pose.position -= centre;

  body.initial = read_written_state(table, body, dimension);
  body.initial.pose.position += body.initial.pose.orientation * centre + plan.packed;
  if (const Value* frame = table.find("frame")) {
    express_in_world(start_of(find_frame(*frame, table, context.earlier)), body.initial);
  }
  body.drive = read_drive(table, body, context.span);
  read_forces(table, context.state, plan.indices, context.span, body);
  read_support(table, context.supports, centre, context.earlier, body);
  return body;
}

}  // namespace stickslip::scene
