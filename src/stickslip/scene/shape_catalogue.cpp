// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/shape_catalogue.h"

#include "stickslip/model/mesh_io.h"
#include "stickslip/model/polygon_checks.h"
#include "stickslip/model/primitives.h"
#include "stickslip/model/svg_path.h"
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

// What the readers below ask for.
struct Request : ShapeRequest {
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

constexpr Key kHalfSpace[] = {
    {"normal", "vector", "required", "out of the solid; any length"},
    {"offset", "number", "0", "distance of the surface from the origin, along the normal"},
};

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

constexpr Key kPolygon[] = {
    {"outer", "list of points", "required", "outer boundary, either way round"},
    {"holes", "list of lists of points", "none", "each the boundary of a hole"},
};

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

constexpr Key kSvg[] = {
    {"path", "text", "none", "path data: M L H V C S Q T A Z, absolute or relative"},
    {"file", "file name", "none", "instead of path: the first path of this SVG file"},
    {"tolerance", "number > 0", "1e-3 of the size",
     "largest distance between a curve and the segments that stand for it, after scaling"},
    {"scale", "number > 0", "1", "lengths in the scene per unit of the path; y is turned to point up"},
};

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

constexpr Key kSuperellipse[] = {
    {"a", "number > 0", "required", "semi-axis along x"},
    {"b", "number > 0", "required", "semi-axis along y"},
    {"exponent", "number > 1", "2", "p: 2 is an ellipse, large is nearly a box"},
};

Shape superellipse(const Request& r) {
  const TableReader table = r.table("superellipse");
  return model::Superellipse{table.positive("a"), table.positive("b"),
                             exponent_above_one(r, table.number("exponent", 2))};
}

Shape ellipsoid(const Request& r) {
  const Vec3 axes = r.sizes(3);
  return model::Superellipsoid{axes.x(), axes.y(), axes.z(), 2, 2};
}

constexpr Key kSuperellipsoid[] = {
    {"semi_axes", "3 numbers > 0", "required", "a, b, c"},
    {"exponents", "2 numbers > 1", "2, 2", "p and q"},
};

Shape superellipsoid(const Request& r) {
  const TableReader table = r.table("superellipsoid");
  const Vec3 axes = Request{{table.require("semi_axes"), r.scope, table.what("semi_axes"), r.context}}.sizes(3);
  std::vector<double> exponents = {2, 2};
  if (const Value* value = table.find("exponents")) exponents = read_numbers(*value, r.scope, table.what("exponents"));
  if (exponents.size() != 2) r.fail("exponents must be two numbers");
  return model::Superellipsoid{axes.x(), axes.y(), axes.z(), exponent_above_one(r, exponents[0]),
                               exponent_above_one(r, exponents[1])};
}

constexpr Key kCapsule[] = {
    {"radius", "number > 0", "required", "radius"},
    {"length", "number >= 0", "required", "distance of the centres of the two hemispheres"},
};

Shape capsule(const Request& r) {
  const TableReader table = r.table("capsule");
  (void)table.require("length");
  return model::Capsule{table.positive("radius"), 0.5 * table.not_negative("length", 0)};
}

constexpr Key kCylinder[] = {
    {"radius", "number > 0", "required", "radius"},
    {"length", "number > 0", "required", "full length"},
};

Shape cylinder(const Request& r) {
  const TableReader table = r.table("cylinder");
  return model::Cylinder{table.positive("radius"), 0.5 * table.positive("length")};
}

constexpr Key kPolyhedron[] = {
    {"vertices", "list of points", "required", "corners"},
    {"faces", "list of lists of indices", "the convex hull", "counted from 0, counter-clockwise from outside"},
};

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

constexpr Key kPrism[] = {
    {"outline", "list of points", "required", "a polygon in the plane z = 0, convex or not"},
    {"height", "number > 0", "required", "full height: the prism reaches from -height/2 to height/2 along z"},
};

Shape prism(const Request& r) {
  const TableReader table = r.table("prism");
  model::Polygon base{{r.outline(table.require("outline"))}};
  const double half = 0.5 * table.positive("height");
  return located(r, [&] {
    model::check_polygon(base);
    const std::vector<Vec2>& corner = base.loops.front();
    const int n = static_cast<int>(corner.size());
    std::vector<Vec3> vertices;
    std::vector<std::vector<int>> faces(2);
    for (const double z : {-half, half})
      for (const Vec2& p : corner) vertices.emplace_back(p.x(), p.y(), z);
    for (int i = 0; i < n; ++i) {
      faces[0].push_back(n - 1 - i);
      faces[1].push_back(n + i);
      faces.push_back({i, (i + 1) % n, (i + 1) % n + n, i + n});
    }
    return model::close_surface(vertices, faces);
  });
}

constexpr Key kMesh[] = {
    {"file", "file name", "required", "OBJ or STL, relative to the scene file"},
    {"scale", "number > 0", "1", "lengths in the scene per unit of the file"},
};

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

template <Shape (*make)(const Request&)>
Shape read(const ShapeRequest& request) {
  return make(Request{request});
}

constexpr ShapeEntry kCatalogue[] = {
    {{"particle", "true", "none", "a point that does not turn (write also shape = \"particle\")"},
     0,
     read<particle>,
     {}},
    {{"points", "list of points", "none", "a set of points, rigidly joined: a tripod has three"}, 0, read<points>, {}},
    {{"half-plane", "table", "none", "plane: solid up to a line"}, 2, read<half_space>, {}},
    {{"half-space", "table", "none", "space: solid up to a plane"},
     3,
     read<half_space>,
     {"half-space", "half-plane = { ... }, half-space = { ... }", "", kHalfSpace}},
    {{"disc", "radius", "none", "plane"}, 2, read<disc>, {}},
    {{"box", "full sizes", "none", "plane: [x, y]; space: [x, y, z]"}, 0, read<box>, {}},
    {{"polygon", "list of points, or table", "none", "plane: convex or not; self-crossing ones are rejected"},
     2,
     read<polygon>,
     {"polygon", "polygon = { ... }", "", kPolygon}},
    {{"svg", "path text, or table", "none", "plane: outline from the path data of an SVG file"},
     2,
     read<svg>,
     {"svg", "svg = { ... }", "", kSvg}},
    {{"chain", "list of points", "none", "plane: open chain of segments, touched from both sides"}, 2, read<chain>, {}},
    {{"superellipse", "table", "none", "plane: |x/a|^p + |y/b|^p <= 1"},
     2,
     read<superellipse>,
     {"superellipse", "superellipse = { ... }", "", kSuperellipse}},
    {{"sphere", "radius", "none", "space"}, 3, read<sphere>, {}},
    {{"ellipsoid", "3 semi-axes", "none", "space"}, 3, read<ellipsoid>, {}},
    {{"capsule", "table", "none", "space: along z"}, 3, read<capsule>, {"capsule", "capsule = { ... }", "", kCapsule}},
    {{"cylinder", "table", "none", "space: along z"},
     3,
     read<cylinder>,
     {"cylinder", "cylinder = { ... }", "", kCylinder}},
    {{"superellipsoid", "table", "none", "space: (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1"},
     3,
     read<superellipsoid>,
     {"superellipsoid", "superellipsoid = { ... }", "", kSuperellipsoid}},
    {{"polyhedron", "table", "none", "space: from vertices, and faces or the convex hull"},
     3,
     read<polyhedron>,
     {"polyhedron", "polyhedron = { ... }", "", kPolyhedron}},
    {{"prism", "table", "none", "space: a polygon with a height along z, convex or not"},
     3,
     read<prism>,
     {"prism", "prism = { ... }", "", kPrism}},
    {{"mesh", "file name, or table", "none", "space: closed surface from an OBJ or STL file"},
     3,
     read<mesh>,
     {"mesh", "mesh = { ... }", "", kMesh}},
};

}  // namespace

std::span<const ShapeEntry> shape_catalogue() {
  return kCatalogue;
}

}  // namespace stickslip::scene
