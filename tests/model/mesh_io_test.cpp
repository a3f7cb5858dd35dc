// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/mesh_io.h"

#include "stickslip/model/mass_properties.h"
#include "stickslip/model/primitives.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

namespace stickslip::model {
namespace {

using ::testing::HasSubstr;

const char* const kCube =
    "# a cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5/1/1 6/2/1 7/3/1 8/4/1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf -5 -8 -4 -1\n";

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "no error";
}

// Triangles of a shape as STL needs them: every corner repeated.
std::string stl_text(const Polyhedron& mesh, bool reverse) {
  std::string text = "solid test\n";
  for (const auto& face : mesh.faces) {
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      text += "facet normal 0 0 0\nouter loop\n";
      for (int v : {face[0], face[reverse ? i + 1 : i], face[reverse ? i : i + 1]}) {
        const Vec3& p = mesh.vertices[static_cast<std::size_t>(v)];
        text += fmt::format("vertex {} {} {}\n", p.x(), p.y(), p.z());
      }
      text += "endloop\nendfacet\n";
    }
  }
  return text + "endsolid test\n";
}

std::string stl_binary(const Polyhedron& mesh) {
  std::string bytes(80, 's');
  bytes.replace(0, 5, "solid");  // as many programs write it
  std::string facets;
  std::uint32_t count = 0;
  for (const auto& face : mesh.faces) {
    for (std::size_t i = 1; i + 1 < face.size(); ++i, ++count) {
      float numbers[12] = {};
      int at = 3;
      for (int v : {face[0], face[i], face[i + 1]}) {
        for (int k = 0; k < 3; ++k) numbers[at++] = static_cast<float>(mesh.vertices[static_cast<std::size_t>(v)][k]);
      }
      facets.append(reinterpret_cast<const char*>(numbers), 48);
      facets.append(2, '\0');
    }
  }
  bytes.append(reinterpret_cast<const char*>(&count), 4);
  return bytes + facets;
}

TEST(MeshIo, CubeFromObj) {
  const Polyhedron cube = parse_obj(kCube);
  EXPECT_EQ(cube.vertices.size(), 8u);
  EXPECT_EQ(cube.faces.size(), 6u);
  EXPECT_TRUE(cube.convex);
  EXPECT_NEAR(mass_properties(cube, 1).mass, 1, 1e-15);
}

TEST(MeshIo, TextAndBinaryStlAreWeldedAndTurnedOutward) {
  const Polyhedron box = make_box(Vec3(1, 2, 3));
  for (const std::string& bytes : {stl_text(box, false), stl_text(box, true), stl_binary(box)}) {
    const Polyhedron mesh = parse_stl(bytes);
    EXPECT_EQ(mesh.vertices.size(), 8u);
    EXPECT_EQ(mesh.faces.size(), 12u);
    EXPECT_TRUE(mesh.convex);
    EXPECT_NEAR(mass_properties(mesh, 1).mass, 6, 1e-14) << "inside out if negative";
  }
}

TEST(MeshIo, ConcaveMeshIsNotCalledConvex) {
  Polyhedron l;  // an L-shaped prism, two of whose faces are concave hexagons
  const Vec2 outline[] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (double z : {0.0, 1.0}) {
    for (const Vec2& p : outline) l.vertices.emplace_back(p.x(), p.y(), z);
  }
  std::vector<int> bottom{5, 4, 3, 2, 1, 0}, top{6, 7, 8, 9, 10, 11};
  l.faces = {bottom, top};
  for (int i = 0; i < 6; ++i) l.faces.push_back({i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6});
  const Polyhedron mesh = close_surface(l.vertices, l.faces);
  EXPECT_FALSE(mesh.convex);
  const MassProperties p = mass_properties(mesh, 1);
  EXPECT_NEAR(p.mass, 3, 1e-14);
  EXPECT_NEAR(p.centre.x(), (2 * 1 + 1 * 0.5) / 3, 1e-14);
}

TEST(MeshIo, SaysWhatIsWrong) {
  std::string open = kCube;
  open.erase(open.rfind("f "));
  EXPECT_THAT(message_of([&] { (void)parse_obj(open); }), HasSubstr("open"));
  std::string twisted = kCube;
  twisted.replace(twisted.find("f 1 2 6 5"), 9, "f 5 6 2 1");
  EXPECT_THAT(message_of([&] { (void)parse_obj(twisted); }), HasSubstr("not oriented"));
  std::string doubled = std::string(kCube) + "f 1 2 6 5\n";
  EXPECT_THAT(message_of([&] { (void)parse_obj(doubled); }), HasSubstr("share"));
  EXPECT_THAT(message_of([] { (void)parse_obj("v 0 0 0\nf 1 2 3\n"); }), HasSubstr("line 2: vertex 2 does not exist"));
  EXPECT_THAT(message_of([] { (void)parse_obj("v 0 zero 0\n"); }), HasSubstr("line 1: expected a number"));
  EXPECT_THAT(message_of([] { (void)parse_obj("v 0 0 0\nv 1 0 0\nf 1 2\n"); }), HasSubstr("line 3"));
  EXPECT_THAT(message_of([] { (void)parse_obj("v 0 nan 0\n"); }), HasSubstr("line 1"));
  EXPECT_THAT(message_of([] { (void)parse_obj(""); }), HasSubstr("no faces"));
  EXPECT_THAT(message_of([] { (void)parse_stl("hello"); }), HasSubstr("neither"));
  EXPECT_THAT(message_of([] { (void)parse_stl("solid x\nfacet normal 0 0 1\nvertex 0 0 0\n"); }),
              HasSubstr("not finished"));
  EXPECT_THAT(message_of([] { (void)parse_stl("solid x\nvertex 0 0 0\n"); }), HasSubstr("outside a facet"));
  EXPECT_THAT(message_of([] { (void)read_mesh("nowhere.obj"); }), HasSubstr("nowhere.obj: cannot be opened"));
  EXPECT_THAT(message_of([] { (void)read_mesh("mesh.ply"); }), HasSubstr(".obj or .stl"));
}

// Any damage gives a mesh or a std::runtime_error, never anything else.
TEST(MeshIo, DamagedFilesAreRejectedOrRead) {
  std::mt19937 random(7);
  const std::string good[] = {kCube, stl_text(make_box(Vec3(1, 1, 1)), false), stl_binary(make_box(Vec3(1, 1, 1)))};
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bytes = good[trial % 3];
    for (int k = 0; k < 1 + trial % 4; ++k) bytes[random() % bytes.size()] = static_cast<char>(random() % 128);
    if (trial % 5 == 0) bytes.resize(random() % bytes.size());
    (void)message_of([&] { (void)(trial % 3 == 0 ? parse_obj(bytes) : parse_stl(bytes)); });
  }
}

TEST(MeshIo, ReadsAFileByItsExtension) {
  const auto path = std::filesystem::temp_directory_path() / "stickslip_mesh_io_test.OBJ";
  std::ofstream(path) << kCube;
  EXPECT_EQ(read_mesh(path).vertices.size(), 8u);
  std::ofstream(path) << "f 1 2 3\n";
  EXPECT_THAT(message_of([&] { (void)read_mesh(path); }), HasSubstr("stickslip_mesh_io_test.OBJ: line 1"));
  std::filesystem::remove(path);
}

TEST(ConvexHull, OfACubeWithPointsInsideOnFacesAndEdges) {
  std::vector<Vec3> points = make_box(Vec3(2, 2, 2)).vertices;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0.3, 0.2), Vec3(1, 1, 0.1), Vec3(0, 0, -1), Vec3(1, 1, 1)})
    points.push_back(p);
  const Polyhedron hull = convex_hull(points);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.faces.size(), 6u);
  EXPECT_NEAR(mass_properties(hull, 1).mass, 8, 1e-14);
}

TEST(ConvexHull, OfRandomPointsHoldsThemAll) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Vec3> points;
    for (int i = 0; i < 5 + 10 * trial; ++i) points.emplace_back(normal(random), normal(random), normal(random));
    const Polyhedron hull = convex_hull(points);
    // Closed, convex, outward: the checks of a mesh file.
    const Polyhedron checked = close_surface(hull.vertices, hull.faces);
    EXPECT_TRUE(checked.convex);
    EXPECT_EQ(hull.vertices.size() + hull.faces.size() - 2, [&] {
      std::size_t corners = 0;
      for (const auto& face : hull.faces) corners += face.size();
      return corners / 2;  // Euler's formula: V - E + F = 2
    }());
    for (const auto& face : hull.faces) {
      const Vec3 &a = hull.vertices[face[0]], &b = hull.vertices[face[1]], &c = hull.vertices[face[2]];
      const Vec3 n = (b - a).cross(c - a).normalized();
      for (const Vec3& p : points) EXPECT_LE(n.dot(p - a), 1e-9);
    }
  }
}

TEST(ConvexHull, OfFlatPointsIsRefused) {
  const std::vector<Vec3> flat{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)};
  EXPECT_THAT(message_of([&] { (void)convex_hull(flat); }), HasSubstr("one plane"));
}

}  // namespace
}  // namespace stickslip::model
