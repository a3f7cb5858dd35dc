// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/keys.h"

#include "stickslip/scene/shape_catalogue.h"
#include "stickslip/stepping/method_fields.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

namespace stickslip::scene {
namespace {

constexpr Key kScene[] = {
    {"title", "text", "empty", "one line that says what the scene shows"},
    {"description", "text", "empty", "more about it"},
    {"include", "list of file names", "none", "files read first, relative to this one; this file overrides them"},
    {"dimension", "2, 2.5 or 3", "required",
     "the plane (x, y), the plane with bodies that stand on it, or space (x, y, z)"},
    {"gravity", "vector", "zero", "acceleration of gravity; 2.5: three numbers, the last one presses on the supports"},
    {"duration", "number > 0", "required", "time at which the run ends"},
    {"settle", "true or false", "false",
     "the run starts with the bodies at rest: what moves freely falls and settles before t = 0, with prescribed bodies "
     "held where they are at t = 0"},
    {"stop", "condition, or list of conditions", "none", "the run ends as soon as one holds"},
    {"parameters", "table", "none", "named numbers, see below"},
    {"method", "table", "defaults", "how time is stepped, see below"},
    {"record", "table", "defaults", "what a recording holds, see below"},
    {"body", "list of tables", "required", "the bodies, see below"},
    {"start", "table", "none", "where bodies are at t = 0, at rest, in place of what [[body]] says; see below"},
    {"contact", "list of tables", "none", "the laws between bodies, see below"},
    {"observe", "table", "none", "named results: each a name and an expression, see below"},
};

constexpr Key kParameter[] = {
    {"value", "number", "required", "used unless the command line or a study overrides it"},
    {"min", "number", "none", "smallest value that makes sense"},
    {"max", "number", "none", "largest value that makes sense"},
    {"choices", "list of numbers", "all", "the only values that make sense; `live` offers them as a choice"},
    {"group", "text", "none", "heading under which `live` lists it"},
    {"unit", "text", "empty", "for people to read"},
    {"description", "text", "empty", "for people to read"},
};

// The keys of [method] are the fields of stepping::Method.
class MethodKeys {
 public:
  MethodKeys() {
    stepping::visit_fields(stepping::Method{}, [&](const stepping::FieldInfo& info, const auto& value) {
      const bool is_name = !std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>;
      const std::string fallback = stepping::field_text(value);
      keys_.push_back({info.name, keep(stepping::range_text(info, value)),
                       keep(is_name ? '"' + fallback + '"' : fallback), keep(std::string(info.meaning))});
    });
  }

  [[nodiscard]] std::span<const Key> keys() const { return keys_; }

 private:
  const char* keep(std::string text) { return texts_.emplace_back(std::move(text)).c_str(); }

  std::deque<std::string> texts_;  // what the keys point to
  std::vector<Key> keys_;
};

constexpr Key kRecord[] = {
    {"interval", "number >= 0", "0", "time between two recorded frames, 0 for every step"},
    {"contacts", "true or false", "true", "record contacts, forces and modes"},
};

constexpr std::string_view kArrangements[] = {"grid", "random"};
constexpr Key kPacking[] = {
    {"kind", nullptr, "random",
     "grid: a lattice, filled along x, then y, then z; random: drawn evenly, none too near to another (Poisson disc)",
     kArrangements},
    {"low", "vector", "required", "lower corner of the box of places"},
    {"high", "vector", "required", "upper corner"},
    {"distance", "number > 0", "required", "smallest distance between two places; the spacing of the lattice"},
    {"seed", "integer >= 0", "1", "random: each seed gives other places"},
};

constexpr Key kStart[] = {
    {"position", "vector", "required", "of the centre of mass"},
    {"quaternion", "4 numbers w, x, y, z", "not turned", "space: orientation"},
    {"angle", "number", "0", "plane: angle about z"},
};

constexpr Key kBody[] = {
    {"name", "identifier", "required", "letters, digits and underscores"},
    {"count", "integer, or list of 2 or 3", "1",
     "makes copies name_0, name_1, ...; their expressions may use index and i (or i, j, k for a list)"},
    {"packing", "table", "none", "places of the copies, apart from each other, added to position; see below"},
    {"shape", "shape", "none", "see Shapes"},
    {"shapes", "list of shapes", "none", "a compound: several shapes, rigidly joined"},
    {"mass", "number > 0", "from density", "needed unless every degree of freedom is prescribed"},
    {"density", "number > 0", "none",
     "mass per area (plane) or volume (space); mass, centre and inertia follow from the shapes"},
    {"inertia", "number, 3 numbers, or 3 x 3", "from the shapes",
     "about the centre of mass, in the body's frame (plane: about z)"},
    {"centre_of_mass", "vector", "from the shapes", "in the frame in which the shapes are written"},
    {"position", "vector", "zero", "where the origin of the frame in which the shapes are written starts"},
    {"angle", "number", "0", "plane: initial angle about z"},
    {"orientation", "table", "none", "space: initial orientation, see below"},
    {"velocity", "vector", "zero", "initial velocity of the centre of mass"},
    {"angular_velocity", "number or vector", "zero", "initial angular velocity (plane: about z)"},
    {"frame", "name of an earlier body", "the world",
     "position, orientation and velocities are measured in that body's frame and relative to its motion at the start"},
    {"fixed", "true or false", "false", "the body does not move"},
    {"motion", "table", "free", "prescribed motion, see below"},
    {"locked", "list of x, y, z, rx, ry, rz", "none", "degrees of freedom that keep their initial value"},
    {"force", "vector of expressions", "none", "force at the centre of mass, of t and the state"},
    {"torque", "expression, or vector", "none", "torque (plane: about z)"},
    {"support", "table", "none", "dimension 2.5: the points on which the body stands, see below"},
    {"linear_damping", "number >= 0", "0", "force = -linear_damping * velocity"},
    {"angular_damping", "number >= 0", "0", "torque = -angular_damping * angular velocity"},
};

constexpr Key kOrientation[] = {
    {"quaternion", "4 numbers w, x, y, z", "none", "normalised when read"},
    {"axis", "vector", "none", "with angle: rotation about this axis"},
    {"angle", "number", "none", "with axis"},
    {"euler", "3 numbers", "none", "roll about x, then pitch about y, then yaw about z (axes of the world)"},
};

constexpr Key kMotion[] = {
    {"position", "vector of expressions", "none", "position of the body's origin"},
    {"velocity", "vector of expressions", "none", "integrated from the initial position"},
    {"acceleration", "vector of expressions", "none", "integrated twice, from the initial position and velocity"},
    {"angle", "expression", "none", "plane: angle about z; space: angle about axis"},
    {"axis", "vector", "none", "space: fixed axis of angle"},
    {"angular_velocity", "expression, or vector", "none", "plane: about z; space: in the world frame"},
    {"angular_acceleration", "expression, or vector", "none", "integrated likewise"},
    {"symmetric", "true or false", "false",
     "velocities and accelerations are sums of sines and cosines: the motion swings about the initial position and "
     "orientation"},
    {"period", "number > 0", "from the frequencies", "with symmetric rotations about several axes"},
};

// Where a shape sits in its body; the shapes themselves: shape_catalogue.cpp.
constexpr Key kPlacement[] = {
    {"offset", "vector", "zero", "where the shape's origin lies in the body"},
    {"angle", "number", "0", "plane: how the shape is turned in the body"},
    {"orientation", "table", "none", "space: how the shape is turned in the body, as for a body"},
};

constexpr std::string_view kImpactLaws[] = {"newton", "poisson", "stronge"};  // model::ImpactLaw
constexpr Key kContact[] = {
    {"between", "2 names", "required", "names of bodies; * stands for any text. Later entries override earlier ones"},
    {"friction", "number, 0 to 1e9, or table", "0", "coefficient of friction"},
    {"restitution", "number 0 to 1", "0", "how much an impact gives back; see impact"},
    {"impact", nullptr, "newton",
     "what restitution is a share of: newton (speed), poisson (impulse of compression), stronge (root of its work)",
     kImpactLaws},
    {"stiffness", "number > 0, or table", "rigid",
     "force per deformation; read by the song-pang-kumar and runge-kutta steppers, and by stewart-trinkle with "
     "method.compliance"},
    {"material", "table", "none", "stiffness of elastic bodies instead of a number, see below"},
    {"damping", "number >= 0, or table", "0", "force per rate of deformation"},
    {"patch", "table", "lumped", "divides the layer into elements with coupled stiffness, see below"},
    {"enabled", "true or false", "true", "false: the bodies pass through each other"},
};
constexpr Key kFriction[] = {
    {"static", "number, 0 to 1e9", "required", "bounds a contact that sticks"},
    {"kinetic", "number, 0 to 1e9", "required", "bounds a contact that slides; not above static"},
};
constexpr Key kCompliance[] = {
    {"normal", "number >= 0", "required", "along the normal"},
    {"tangential", "number >= 0", "required", "along the surface"},
};
constexpr Key kMaterial[] = {
    {"name", "text", "none", "steel, aluminium, glass, polymer or rubber: Young's modulus and Poisson's ratio"},
    {"young", "number > 0", "of the name", "Young's modulus of both bodies"},
    {"poisson", "number 0 to 0.5", "of the name, or 0.3", "Poisson's ratio of both bodies"},
    {"radius", "length > 0", "required",
     "of curvature where they touch, 1/R = 1/R_a + 1/R_b: half the radius of two equal spheres, the radius of one on a "
     "plane"},
    {"load", "number > 0", "required", "force at which the deformation is Hertz's: the typical load of a contact"},
};
constexpr Key kPatch[] = {
    {"elements", "integer 1 to 16", "required", "n in a row (plane), n x n (space)"},
    {"size", "length > 0", "required", "of the row, or of the side of the square, about the contact point"},
    {"radius", "length > 0", "flat", "of curvature of the gap beside the contact point"},
    {"coupling", "number >= 0", "0",
     "foundation: stiffness against differences between neighbours, as a multiple of an element's own; 0: independent "
     "springs"},
    {"stiffness", "table", "foundation", "matrices instead: one row and column per element, positive definite"},
    {"damping", "table", "foundation", "matrices instead: one row and column per element, positive semidefinite"},
};
constexpr Key kMatrices[] = {
    {"normal", "list of rows", "required without all", "along the normal"},
    {"tangential", "list of rows", "required without all", "along the surface"},
    {"all", "list of rows", "none",
     "instead of both, directions coupled: rows and columns of the normals of all elements, then of their first "
     "tangents, "
     "in space then of their second ones"},
};
constexpr Key kSupport[] = {
    {"points", "list of points", "none", "where the body stands, in the frame of its shapes; three or more"},
    {"spread", "number of points", "none", "instead of points: the weight spread evenly over the body's outline"},
    {"loads", "list of numbers >= 0", "from the centre of mass", "force out of the plane at each point"},
    {"friction", "number >= 0", "0", "coefficient of friction at the points"},
    {"viscous", "number >= 0", "0",
     "viscous friction beside the dry one: force per speed of the whole body, shared among the points by their loads"},
    {"on", "name of an earlier body", "a plane at rest", "the plane moves with this body"},
};
constexpr Key kObserve[] = {
    {"value", "expression", "required", "evaluated along the run"},
    {"unit", "text", "empty", "for people to read"},
    {"description", "text", "empty", "for people to read"},
};

constexpr TableKeys kDeclared[] = {
    {"", "Top level", "", kScene},
    {"parameters.NAME", "[parameters]",
     "Each entry is a name with a number, an expression of other parameters, or a table with these keys.", kParameter},
    {"method", "[method]", "", {}},  // MethodKeys
    {"record", "[record]", "", kRecord},
    {"body", "[[body]]",
     "Shapes are written in a frame of the body. Free bodies without shapes, `mass` or `density` are rejected.", kBody},
    {"packing", "packing = { ... }", "Places of the copies that `count` makes, before they are turned.", kPacking},
    {"start.NAME", "[start]",
     "`stickslip settle` writes this table: an entry per body, by its name (`ball_0 = { ... }`). Bodies that are "
     "prescribed are not listed.",
     kStart},
    {"orientation", "orientation = { ... }", "One of quaternion, axis with angle, or euler.", kOrientation},
    {"motion", "motion = { ... }",
     "A body with a motion follows it in every degree of freedom: what the table does not mention stands still, and "
     "the "
     "text \"free\" in place of an expression leaves that degree of freedom to the forces. Expressions may use t and "
     "parameters.",
     kMotion},
    {"shape",
     "Shapes",
     "Exactly one of the shapes, and where it sits in the body. Lengths and angles may be expressions of parameters.",
     {}},  // ShapeTables
    {"contact", "[[contact]]",
     "Two bodies may touch unless both are wholly prescribed. Pairs that no entry matches touch without friction and "
     "restitution.",
     kContact},
    {"friction", "friction = { ... }", "", kFriction},
    {"compliance", "stiffness = { ... }, damping = { ... }", "One number means the same in both directions.",
     kCompliance},
    {"material", "material = { ... }",
     "Hertz's contact of two elastic spheres, F = 4/3 E' sqrt(R) d^(3/2) with E' = E / (2 (1 - nu^2)), as a linear "
     "spring "
     "k = F/d that deforms as much under `load`; the same stiffness along the surface, times 2 (1 - nu) / (2 - nu) "
     "(Mindlin). Lighter loads are in truth softer and heavier ones stiffer, k growing with the cube root of the load. "
     "Units are those of the scene: newton and metre where the name of a material is given.",
     kMaterial},
    {"patch", "patch = { ... }",
     "Without matrices, `stiffness` and `damping` of the contact are those of the whole patch pressed evenly.", kPatch},
    {"matrices", "stiffness = { ... }, damping = { ... } of a patch",
     "Stiffness and damping both have `all`, or neither; damping left out is then none. In the plane the tangent is "
     "the normal turned "
     "by -90 degrees.",
     kMatrices},
    {"support", "support = { ... }",
     "What a body stands on when the plane of motion is itself a surface (dimension 2.5). Loads must balance the "
     "weight.",
     kSupport},
    {"observe.NAME", "[observe]",
     "Each entry is a name with an expression, or a table with these keys. Later entries and stop conditions may use "
     "earlier ones by name.",
     kObserve},
};

// The keys of the shape table and the tables of shapes, from their catalogue.
class ShapeTables {
 public:
  ShapeTables() {
    for (const ShapeEntry& entry : shape_catalogue()) {
      keys_.push_back(entry.key);
      if (!entry.table.keys.empty()) tables_.push_back(entry.table);
    }
    keys_.insert(keys_.end(), std::begin(kPlacement), std::end(kPlacement));
  }
  [[nodiscard]] std::span<const Key> keys() const { return keys_; }
  [[nodiscard]] std::span<const TableKeys> tables() const { return tables_; }

 private:
  std::vector<Key> keys_;
  std::vector<TableKeys> tables_;
};

}  // namespace

std::span<const TableKeys> scene_keys() {
  static const MethodKeys method;
  static const ShapeTables shapes;
  static const std::vector<TableKeys> tables = [] {
    std::vector<TableKeys> all(std::begin(kDeclared), std::end(kDeclared));
    std::ranges::find(all, "method", &TableKeys::table)->keys = method.keys();
    const auto shape = std::ranges::find(all, "shape", &TableKeys::table);
    shape->keys = shapes.keys();
    all.insert(shape + 1, shapes.tables().begin(), shapes.tables().end());
    return all;
  }();
  return tables;
}

const TableKeys& keys_in(std::span<const TableKeys> tables, std::string_view table) {
  const auto found = std::ranges::find(tables, table, &TableKeys::table);
  assert(found != tables.end());
  return *found;
}

const TableKeys& keys_of(std::string_view table) {
  return keys_in(scene_keys(), table);
}

}  // namespace stickslip::scene
