// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/keys.h"

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

constexpr Key kPacking[] = {
    {"kind", "grid or random", "random",
     "grid: a lattice, filled along x, then y, then z; random: drawn evenly, none too near to another (Poisson disc)"},
    {"low", "vector", "required", "lower corner of the box of places"},
    {"high", "vector", "required", "upper corner"},
    {"distance", "number > 0", "required", "of two places at least; the spacing of the lattice"},
    {"seed", "integer >= 0", "1", "random: another one gives other places"},
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

constexpr Key kShape[] = {
    {"particle", "true", "none", "a point that does not turn (write also shape = \"particle\")"},
    {"points", "list of points", "none", "a set of points, rigidly joined: a tripod has three"},
    {"half-plane", "table", "none", "plane: solid up to a line"},
    {"half-space", "table", "none", "space: solid up to a plane"},
    {"disc", "radius", "none", "plane"},
    {"box", "full sizes", "none", "plane: [x, y]; space: [x, y, z]"},
    {"polygon", "list of points, or table", "none", "plane: convex or not; self-crossing ones are rejected"},
    {"svg", "path text, or table", "none", "plane: outline from the path data of an SVG file"},
    {"chain", "list of points", "none", "plane: open chain of segments, touched from both sides"},
    {"superellipse", "table", "none", "plane: |x/a|^p + |y/b|^p <= 1"},
    {"sphere", "radius", "none", "space"},
    {"ellipsoid", "3 semi-axes", "none", "space"},
    {"capsule", "table", "none", "space: along z"},
    {"cylinder", "table", "none", "space: along z"},
    {"superellipsoid", "table", "none", "space: (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1"},
    {"polyhedron", "table", "none", "space: from vertices, and faces or the convex hull"},
    {"mesh", "file name, or table", "none", "space: closed surface from an OBJ or STL file"},
    {"offset", "vector", "zero", "where the shape's origin lies in the body"},
    {"angle", "number", "0", "plane: how the shape is turned in the body"},
    {"orientation", "table", "none", "space: how the shape is turned in the body, as for a body"},
};

constexpr Key kHalfSpace[] = {
    {"normal", "vector", "required", "out of the solid; any length"},
    {"offset", "number", "0", "distance of the surface from the origin, along the normal"},
};
constexpr Key kPolygon[] = {
    {"outer", "list of points", "required", "outer boundary, either way round"},
    {"holes", "list of lists of points", "none", "each the boundary of a hole"},
};
constexpr Key kSvg[] = {
    {"path", "text", "none", "path data: M L H V C S Q T A Z, absolute or relative"},
    {"file", "file name", "none", "instead of path: the first path of this SVG file"},
    {"tolerance", "number > 0", "1e-3 of the size",
     "largest distance between a curve and the segments that stand for it, after scaling"},
    {"scale", "number > 0", "1", "lengths in the scene per unit of the path; y is turned to point up"},
};
constexpr Key kSuperellipse[] = {
    {"a", "number > 0", "required", "semi-axis along x"},
    {"b", "number > 0", "required", "semi-axis along y"},
    {"exponent", "number > 1", "2", "p: 2 is an ellipse, large is nearly a box"},
};
constexpr Key kCapsule[] = {
    {"radius", "number > 0", "required", "radius"},
    {"length", "number >= 0", "required", "distance of the centres of the two hemispheres"},
};
constexpr Key kCylinder[] = {
    {"radius", "number > 0", "required", "radius"},
    {"length", "number > 0", "required", "full length"},
};
constexpr Key kSuperellipsoid[] = {
    {"semi_axes", "3 numbers > 0", "required", "a, b, c"},
    {"exponents", "2 numbers > 1", "2, 2", "p and q"},
};
constexpr Key kPolyhedron[] = {
    {"vertices", "list of points", "required", "corners"},
    {"faces", "list of lists of indices", "the convex hull", "counted from 0, counter-clockwise from outside"},
};
constexpr Key kMesh[] = {
    {"file", "file name", "required", "OBJ or STL, relative to the scene file"},
    {"scale", "number > 0", "1", "lengths in the scene per unit of the file"},
};

constexpr Key kContact[] = {
    {"between", "2 names", "required", "names of bodies; * stands for any text. Later entries override earlier ones"},
    {"friction", "number, 0 to 1e9, or table", "0", "coefficient of friction"},
    {"restitution", "number 0 to 1", "0", "what an impact gives back, see impact"},
    {"impact", "text", "\"newton\"",
     "what restitution is a share of: newton (speed), poisson (impulse of compression), stronge (root of its work)"},
    {"stiffness", "number > 0, or table", "rigid",
     "force per deformation; read by the song-pang-kumar and runge-kutta steppers, and by stewart-trinkle with "
     "method.compliance"},
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
    {"normal", "list of rows", "required", "along the normal"},
    {"tangential", "list of rows", "required", "along the surface"},
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
    {"shape", "Shapes",
     "Exactly one of the shapes, and where it sits in the body. Lengths and angles may be expressions of parameters.",
     kShape},
    {"half-space", "half-plane = { ... }, half-space = { ... }", "", kHalfSpace},
    {"polygon", "polygon = { ... }", "", kPolygon},
    {"svg", "svg = { ... }", "", kSvg},
    {"superellipse", "superellipse = { ... }", "", kSuperellipse},
    {"capsule", "capsule = { ... }", "", kCapsule},
    {"cylinder", "cylinder = { ... }", "", kCylinder},
    {"superellipsoid", "superellipsoid = { ... }", "", kSuperellipsoid},
    {"polyhedron", "polyhedron = { ... }", "", kPolyhedron},
    {"mesh", "mesh = { ... }", "", kMesh},
    {"contact", "[[contact]]",
     "Two bodies may touch unless both are wholly prescribed. Pairs that no entry matches touch without friction and "
     "restitution.",
     kContact},
    {"friction", "friction = { ... }", "", kFriction},
    {"compliance", "stiffness = { ... }, damping = { ... }", "One number means the same in both directions.",
     kCompliance},
    {"patch", "patch = { ... }",
     "Without matrices, `stiffness` and `damping` of the contact are those of the whole patch pressed evenly.", kPatch},
    {"matrices", "stiffness = { ... }, damping = { ... } of a patch", "", kMatrices},
    {"support", "support = { ... }",
     "What a body stands on when the plane of motion is itself a surface (dimension 2.5). Loads must balance the "
     "weight.",
     kSupport},
    {"observe.NAME", "[observe]",
     "Each entry is a name with an expression, or a table with these keys. Later entries and stop conditions may use "
     "earlier ones by name.",
     kObserve},
};

}  // namespace

std::span<const TableKeys> scene_keys() {
  static const MethodKeys method;
  static const std::vector<TableKeys> tables = [] {
    std::vector<TableKeys> all(std::begin(kDeclared), std::end(kDeclared));
    std::ranges::find(all, "method", &TableKeys::table)->keys = method.keys();
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
