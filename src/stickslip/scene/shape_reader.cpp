// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/shape_reader.h"

#include "stickslip/model/mesh_io.h"
#include "stickslip/model/polygon_checks.h"
#include "stickslip/model/primitives.h"
#include "stickslip/model/svg_path.h"
#include "stickslip/motion/prescribed_rotation.h"
#include "stickslip/scene/svg_file.h"
#include "stickslip/scene/table_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace stickslip::scene {
namespace {

using model::Shape;

// What a shape's own reader needs to know.
struct Request {
  const Value& value;
  const expression::Scope& scope;
  std::string what;
  const ShapeContext& context;

  [[nodiscard]] TableReader table(const char* keys) const { return {value, keys_of(keys), scope, what}; }
  [[noreturn]] void fail(const std::string& message) const {
    throw SceneError(value.place, fmt::format("{}: {}", what, message));
  }
  [[nodiscard]] double radius() const {
    const double radius = read_number(value, scope, what);
    require_positive(radius, value.place, fmt::format("{}: the radius", what));
    return radius;
  }
  [[nodiscard]] Vec3 sizes(int count) const {
    const Vec3 sizes = read_vector(value, scope, what, count);
    for (int i = 0; i < count; ++i) {
      require_positive(sizes[i], value.place, fmt::format("{}: a size", what));
    }
    return sizes;
  }
  [[nodiscard]] std::vector<Vec2> outline(const Value& points) const {
    std::vector<Vec2> outline;
    for (const Vec3& p : read_points(points, scope, what, 2)) outline.emplace_back(p.head<2>());
    return outline;
  }
};

// Errors of the model's own readers (self-crossing polygon, open mesh, ...) get the place of the shape.
template <class Make>
auto located(const Request& request, const Make& make) {
  try {
    return make();
  } catch (const SceneError&) {
    throw;
  } catch (const std::runtime_error& error) {
    request.fail(error.what());
  }
}

Shape particle(const Request& r) {
  if (!read_boolean(r.value, r.what)) r.fail("write particle = true");
  return model::PointSet{{Vec3::Zero()}};
}

Shape points(const Request& r) {
  model::PointSet set{read_points(r.value, r.scope, r.what, r.context.dimension)};
  if (set.points.empty()) r.fail("at least one point is needed");
  return set;
}

Shape half_space(const Request& r) {
  const TableReader table = r.table("half-space");
  const Vec3 normal = read_vector(table.require("normal"), r.scope, table.what("normal"), r.context.dimension);
  const double length = normal.norm();
  if (!(length > 0)) r.fail("the normal must not be zero");
  return model::HalfSpace{normal / length, table.number("offset", 0)};
}

Shape disc(const Request& r) {
  return model::Disc{r.radius()};
}
Shape sphere(const Request& r) {
  return model::Sphere{r.radius()};
}

Shape box(const Request& r) {
  const Vec3 size = r.sizes(r.context.dimension);
  if (r.context.dimension == 2) return model::make_rectangle(size.x(), size.y());
  return model::make_box(size);
}

// Loops that follow the first are holes of it; they do not cross.
void require_holes_inside(const model::Polygon& polygon) {
  for (std::size_t i = 1; i < polygon.loops.size(); ++i) {
    const auto& corner = polygon.loops[i].front();
    if (!model::loop_contains(polygon.loops.front(), corner))
      throw std::runtime_error(fmt::format("hole {} does not lie within the outer boundary", i - 1));
    for (std::size_t j = 1; j < polygon.loops.size(); ++j) {
      if (i != j && model::loop_contains(polygon.loops[j], corner))
        throw std::runtime_error(fmt::format("hole {} lies within hole {}", i - 1, j - 1));
    }
  }
}

Shape polygon(const Request& r) {
  model::Polygon polygon;
  if (r.value.kind == Value::Kind::Table) {
    const TableReader table = r.table("polygon");
    polygon.loops.push_back(r.outline(table.require("outer")));
    if (const Value* holes = table.find("holes")) {
      if (holes->kind != Value::Kind::Array) r.fail("holes must be a list of lists of points");
      for (const Value& hole : holes->items) polygon.loops.push_back(r.outline(hole));
    }
  } else {
    polygon.loops.push_back(r.outline(r.value));
  }
  return located(r, [&] {
    model::check_polygon(polygon);
    require_holes_inside(polygon);
    return polygon;
  });
}

// The largest number in the path: an upper bound of the size of its curves, within a small factor.
double largest_number(std::string_view path) {
  double largest = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool starts = std::isdigit(static_cast<unsigned char>(path[i])) != 0 || path[i] == '.';
    if (!starts) continue;
    double number = 0;
    const auto [end, status] = std::from_chars(path.data() + i, path.data() + path.size(), number);
    if (status == std::errc::invalid_argument) continue;
    if (status == std::errc()) largest = std::max(largest, number);
    i = static_cast<std::size_t>(end - path.data()) - 1;
  }
  return largest;
}

// Tolerance 0 stands for a thousandth of the outline's size.
model::Polygon outline_of(const std::string& path, double tolerance) {
  if (tolerance > 0) return model::parse_svg_path(path, tolerance);
  const double numbers = largest_number(path);
  if (!(numbers > 0)) throw std::runtime_error("the path has no extent");
  Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const auto& loop : model::parse_svg_path(path, 1e-2 * numbers).loops) {
    for (const Vec2& p : loop) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
  }
  return model::parse_svg_path(path, 1e-3 * (high - low).norm());
}

Shape svg(const Request& r) {
  std::string path;
  double scale = 1, tolerance = 0;
  if (r.value.kind == Value::Kind::Table) {
    const TableReader table = r.table("svg");
    if (table.has("path") == table.has("file")) r.fail("give either 'path' or 'file'");
    scale = table.positive("scale", 1);
    tolerance = table.positive("tolerance", 0);
    if (table.has("path"))
      path = table.text("path", "");
    else
      path = located(r, [&] { return first_path_of(r.context.folder / table.text("file", "")); });
  } else {
    path = read_text(r.value, r.what);
  }
  return located(r, [&] {
    model::Polygon outline = outline_of(path, tolerance / scale);
    for (auto& loop : outline.loops) {
      for (Vec2& p : loop) p = scale * Vec2(p.x(), -p.y());  // SVG's y axis points down
    }
    model::check_polygon(outline);  // the reflection has turned the loops round
    return outline;
  });
}

Shape chain(const Request& r) {
  model::Chain chain{r.outline(r.value)};
  if (const std::string problem = model::chain_problem(chain); !problem.empty()) r.fail(problem);
  return chain;
}

double exponent_above_one(const Request& r, double exponent) {
  if (!(exponent > 1)) r.fail(fmt::format("an exponent must be above 1, not {}", exponent));
  return exponent;
}

Shape superellipse(const Request& r) {
  const TableReader table = r.table("superellipse");
  return model::Superellipse{table.positive("a"), table.positive("b"),
                             exponent_above_one(r, table.number("exponent", 2))};
}

Shape ellipsoid(const Request& r) {
  const Vec3 axes = r.sizes(3);
  return model::Superellipsoid{axes.x(), axes.y(), axes.z(), 2, 2};
}

Shape superellipsoid(const Request& r) {
  const TableReader table = r.table("superellipsoid");
  const Vec3 axes = Request{table.require("semi_axes"), r.scope, table.what("semi_axes"), r.context}.sizes(3);
  std::vector<double> exponents = {2, 2};
  if (const Value* value = table.find("exponents")) exponents = read_numbers(*value, r.scope, table.what("exponents"));
  if (exponents.size() != 2) r.fail("exponents must be two numbers");
  return model::Superellipsoid{axes.x(), axes.y(), axes.z(), exponent_above_one(r, exponents[0]),
                               exponent_above_one(r, exponents[1])};
}

Shape capsule(const Request& r) {
  const TableReader table = r.table("capsule");
  (void)table.require("length");
  return model::Capsule{table.positive("radius"), 0.5 * table.not_negative("length", 0)};
}

Shape cylinder(const Request& r) {
  const TableReader table = r.table("cylinder");
  return model::Cylinder{table.positive("radius"), 0.5 * table.positive("length")};
}

Shape polyhedron(const Request& r) {
  const TableReader table = r.table("polyhedron");
  const std::vector<Vec3> vertices = read_points(table.require("vertices"), r.scope, table.what("vertices"), 3);
  const Value* faces = table.find("faces");
  if (faces == nullptr) return located(r, [&] { return model::convex_hull(vertices); });
  std::vector<std::vector<int>> sides;
  if (faces->kind != Value::Kind::Array) r.fail("faces must be a list of lists of indices");
  const int last = static_cast<int>(vertices.size()) - 1;
  for (const Value& face : faces->items) {
    if (face.kind != Value::Kind::Array) r.fail("faces must be a list of lists of indices");
    std::vector<int>& indices = sides.emplace_back();
    for (const Value& index : face.items) indices.push_back(read_integer(index, r.scope, table.what("faces"), 0, last));
  }
  return located(r, [&] { return model::close_surface(vertices, sides); });
}

Shape mesh(const Request& r) {
  std::string file;
  double scale = 1;
  if (r.value.kind == Value::Kind::Table) {
    const TableReader table = r.table("mesh");
    file = read_text(table.require("file"), table.what("file"));
    scale = table.positive("scale", 1);
  } else {
    file = read_text(r.value, r.what);
  }
  return located(r, [&] {
    model::Polyhedron mesh = model::read_mesh(r.context.folder / file);
    for (Vec3& vertex : mesh.vertices) vertex *= scale;
    return mesh;
  });
}

struct ShapeReader {
  const char* key;
  int dimension;  // 0: both
  Shape (*read)(const Request&);
};
constexpr ShapeReader kReaders[] = {
    {"particle", 0, particle},         {"points", 0, points},     {"half-plane", 2, half_space},
    {"half-space", 3, half_space},     {"disc", 2, disc},         {"box", 0, box},
    {"polygon", 2, polygon},           {"svg", 2, svg},           {"chain", 2, chain},
    {"superellipse", 2, superellipse}, {"sphere", 3, sphere},     {"ellipsoid", 3, ellipsoid},
    {"capsule", 3, capsule},           {"cylinder", 3, cylinder}, {"superellipsoid", 3, superellipsoid},
    {"polyhedron", 3, polyhedron},     {"mesh", 3, mesh},
};

void read_placement(const TableReader& table, const ShapeContext& context, model::Pose& pose) {
  pose.position = table.vector("offset", Vec3::Zero(), context.dimension);
  const Value* angle = table.find("angle");
  const Value* orientation = table.find("orientation");
  if (angle != nullptr && context.dimension != 2)
    throw SceneError(angle->place, "a shape in space is turned by 'orientation'");
  if (orientation != nullptr && context.dimension != 3)
    throw SceneError(orientation->place, "a shape in the plane is turned by 'angle'");
  if (angle != nullptr) pose.orientation = Quat(Eigen::AngleAxisd(table.number("angle"), Vec3::UnitZ()));
  if (orientation != nullptr)
    pose.orientation = read_orientation(*orientation, table.scope(), table.what("orientation"));
}

}  // namespace

Quat read_orientation(const Value& value, const expression::Scope& scope, const std::string& what) {
  const TableReader table(value, keys_of("orientation"), scope, what);
  const int forms =
      int{table.has("quaternion")} + int{table.has("axis") || table.has("angle")} + int{table.has("euler")};
  if (forms != 1)
    throw SceneError(value.place, fmt::format("{} must be one of quaternion, axis with angle, or euler", what));
  if (table.has("axis") || table.has("angle")) {
    const Vec3 axis = read_vector(table.require("axis"), scope, table.what("axis"), 3);
    if (!(axis.norm() > 0)) throw SceneError(value.place, fmt::format("{}: the axis must not be zero", what));
    return Quat(Eigen::AngleAxisd(table.number("angle"), axis.normalized()));
  }
  const bool euler = table.has("euler");
  const char* key = euler ? "euler" : "quaternion";
  const std::vector<double> q = read_numbers(table.require(key), scope, table.what(key));
  if (q.size() != (euler ? 3U : 4U)) {
    throw SceneError(table.require(key).place, fmt::format("{} must be {} numbers", table.what(key), euler ? 3 : 4));
  }
  if (euler) return motion::from_euler_angles(q[0], q[1], q[2]);
  const Quat quaternion(q[0], q[1], q[2], q[3]);
  if (!(quaternion.norm() > 0)) throw SceneError(value.place, fmt::format("{}: the quaternion must not be zero", what));
  return quaternion.normalized();
}

model::PlacedShape read_shape(const Value& value, const expression::Scope& scope, const std::string& what,
                              const ShapeContext& context) {
  if (value.kind == Value::Kind::Text) {
    if (value.text != "particle")
      throw SceneError(value.place, fmt::format("{} must be \"particle\" or a table such as {{ box = [1, 1] }}", what));
    return {model::PointSet{{Vec3::Zero()}}, {}};
  }
  const TableReader table(value, keys_of("shape"), scope, what);
  const ShapeReader* chosen = nullptr;
  for (const ShapeReader& reader : kReaders) {
    if (!table.has(reader.key)) continue;
    if (chosen != nullptr)
      throw SceneError(value.place, fmt::format("{} has both '{}' and '{}': use 'shapes' for several", what,
                                                chosen->key, reader.key));
    chosen = &reader;
  }
  if (chosen == nullptr) throw SceneError(value.place, fmt::format("{} names no shape (box, sphere, disc, ...)", what));
  if (chosen->dimension != 0 && chosen->dimension != context.dimension) {
    throw SceneError(table.require(chosen->key).place,
                     fmt::format("{}: '{}' belongs to dimension {}, the scene has dimension {}", what, chosen->key,
                                 chosen->dimension, context.dimension));
  }
  model::PlacedShape placed;
  placed.shape =
      chosen->read({table.require(chosen->key), scope, fmt::format("'{}' of {}", chosen->key, what), context});
  read_placement(table, context, placed.pose);
  return placed;
}

}  // namespace stickslip::scene
