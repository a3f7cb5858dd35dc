// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of mesh_io.h.
//
// From a soup of faces to a closed, outward-oriented surface.
#include "stickslip/model/mesh_io.h"
#include "stickslip/model/point_tree.h"
#include "stickslip/model/triangulate.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace stickslip::model {
namespace {

// Vertices closer than this part of the mesh's size are one: single precision has 6e-8.
constexpr double kWeld = 1e-6;
// A polygon whose corners leave its plane by more than this part of its size is divided into triangles.
constexpr double kFlat = 1e-9;

using Faces = std::vector<std::vector<int>>;

double diagonal(const std::vector<Vec3>& vertices) {
  Vec3 low = vertices[0], high = vertices[0];
  for (const Vec3& v : vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  return (high - low).norm();
}

// Vertices by cells of space, each cell's in the order in which they came.
class Cells {
 public:
  using Cell = std::array<long long, 3>;

  explicit Cells(std::size_t vertices) { next_.reserve(vertices), first_.reserve(vertices); }

  void add(const Cell& cell, int vertex) {
    next_.resize(static_cast<std::size_t>(vertex) + 1, -1);
    const auto [place, fresh] = first_.try_emplace(cell, Ends{vertex, vertex});
    if (fresh) return;
    next_[static_cast<std::size_t>(place->second.last)] = vertex;
    place->second.last = vertex;
  }

  // The first vertex of the cell for which `is_it` holds; -1: none.
  template <class Test>
  [[nodiscard]] int find(const Cell& cell, const Test& is_it) const {
    const auto place = first_.find(cell);
    int vertex = place == first_.end() ? -1 : place->second.first;
    while (vertex >= 0 && !is_it(vertex)) vertex = next_[static_cast<std::size_t>(vertex)];
    return vertex;
  }

 private:
  struct Ends {
    int first, last;
  };
  struct Hash {
    std::size_t operator()(const Cell& cell) const {
      std::uint64_t h = 0;
      for (const long long x : cell) h = (h ^ static_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
      return h;
    }
  };
  std::unordered_map<Cell, Ends, Hash> first_;
  std::vector<int> next_;  // of the same cell
};

// For each vertex the first one within the welding distance. Cells have twice that size; a neighbour is looked through
// where it lies on the vertex's side of the cell's middle: the distance does not reach beyond the other side.
std::vector<int> weld(const std::vector<Vec3>& vertices, double distance) {
  constexpr double kMiddle = 1e-6;  // of a cell: above the rounding of numbers up to 1 / kWeld
  Cells kept(vertices.size());
  std::vector<int> first(vertices.size());
  for (int i = 0; i < static_cast<int>(vertices.size()); ++i) {
    const Vec3& v = vertices[static_cast<std::size_t>(i)];
    const Vec3 c = (v - vertices[0]) / (2 * distance);  // at most 1 / kWeld, wherever the mesh lies
    const Cells::Cell home{std::llround(c.x()), std::llround(c.y()), std::llround(c.z())};
    const auto reaches = [&](int axis, int step) {
      const double side = step * (c[axis] - static_cast<double>(home[static_cast<std::size_t>(axis)]));
      return step == 0 || side > -kMiddle;
    };
    const auto is_near = [&](int k) { return (vertices[static_cast<std::size_t>(k)] - v).norm() <= distance; };
    int found = -1;
    for (int k = 0; k < 27 && found < 0; ++k) {
      const int x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1;
      if (reaches(0, x) && reaches(1, y) && reaches(2, z))
        found = kept.find({home[0] + x, home[1] + y, home[2] + z}, is_near);
    }
    first[static_cast<std::size_t>(i)] = found < 0 ? i : found;
    if (found < 0) kept.add(home, i);
  }
  return first;
}

// Without repeated corners; empty when nothing is left.
std::vector<int> tidy(const std::vector<int>& face, const std::vector<int>& first) {
  std::vector<int> tidied;
  for (int v : face) {
    const int w = first[static_cast<std::size_t>(v)];
    if (tidied.empty() || tidied.back() != w) tidied.push_back(w);
  }
  while (tidied.size() > 1 && tidied.front() == tidied.back()) tidied.pop_back();
  if (tidied.size() < 3) tidied.clear();
  return tidied;
}

bool is_flat(const std::vector<Vec3>& vertices, const std::vector<int>& face) {
  const Vec3 area = area_vector(vertices, face);
  const Vec3 n = area.normalized();
  const Vec3& origin = vertices[static_cast<std::size_t>(face[0])];
  return std::all_of(face.begin(), face.end(), [&](int v) {
    return std::abs(n.dot(vertices[static_cast<std::size_t>(v)] - origin)) <= kFlat * std::sqrt(area.norm());
  });
}

std::string text_of(const Vec3& v) {
  return fmt::format("({:g}, {:g}, {:g})", v.x(), v.y(), v.z());
}

// Every edge must be used once in each direction.
void check_closed(const std::vector<Vec3>& vertices, const Faces& faces) {
  std::vector<std::pair<int, int>> edges;  // directed
  for (const std::vector<int>& face : faces) {
    for (std::size_t i = 0; i < face.size(); ++i) edges.emplace_back(face[i], face[(i + 1) % face.size()]);
  }
  std::ranges::sort(edges);
  for (auto place = edges.begin(); place != edges.end();) {
    const std::pair<int, int> edge = *place;
    const auto same = std::ranges::equal_range(place, edges.end(), edge);
    place = same.end();
    const auto count = std::ssize(same);
    const auto back = std::ssize(std::ranges::equal_range(edges, std::pair(edge.second, edge.first)));
    if (count == 1 && back == 1) continue;
    const std::string where =
        fmt::format("the edge from {} to {}", text_of(vertices[static_cast<std::size_t>(edge.first)]),
                    text_of(vertices[static_cast<std::size_t>(edge.second)]));
    if (count + back == 1)
      throw std::runtime_error(fmt::format("the mesh is open: {} belongs to one face only", where));
    if (count + back == 2) {
      throw std::runtime_error(
          fmt::format("the mesh is not oriented: two faces run along {} in the same direction", where));
    }
    throw std::runtime_error(fmt::format("the mesh is not a surface: {} faces share {}", count + back, where));
  }
}

double signed_volume(const std::vector<Vec3>& vertices, const Faces& faces) {
  double six = 0;
  const Vec3& origin = vertices[static_cast<std::size_t>(faces[0][0])];
  for (const std::vector<int>& face : faces) {
    six += area_vector(vertices, face).dot(vertices[static_cast<std::size_t>(face[0])] - origin);
  }
  return six / 6;
}

bool is_convex(const Polyhedron& mesh, double size) {
  const PointTree vertices(mesh.vertices);
  return std::ranges::none_of(mesh.faces, [&](const std::vector<int>& face) {
    const Vec3 n = area_vector(mesh.vertices, face).normalized();
    return vertices.any_beyond(n, n.dot(mesh.vertices[static_cast<std::size_t>(face[0])]), kWeld * size);
  });
}

// Only the vertices that faces use, in their order.
Polyhedron compact(const std::vector<Vec3>& vertices, Faces faces) {
  std::vector<int> number(vertices.size(), -1);
  for (const auto& face : faces) {
    for (int v : face) number[static_cast<std::size_t>(v)] = 0;
  }
  Polyhedron mesh;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(mesh.vertices.size());
    mesh.vertices.push_back(vertices[i]);
  }
  for (auto& face : faces) {
    for (int& v : face) v = number[static_cast<std::size_t>(v)];
  }
  mesh.faces = std::move(faces);
  return mesh;
}

}  // namespace

Polyhedron close_surface(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces) {
  if (faces.empty()) throw std::runtime_error("the mesh has no faces");
  for (const Vec3& v : vertices) {
    // Volumes and moments go with the third and fifth power.
    if (!(v.cwiseAbs().maxCoeff() <= 1e40)) throw std::runtime_error("the mesh has a vertex beyond 1e40");
  }
  const double size = diagonal(vertices);
  if (!(size >= 1e-40)) throw std::runtime_error("the mesh has no extent");
  const std::vector<int> first = weld(vertices, kWeld * size);
  Faces tidied;
  for (const std::vector<int>& face : faces) {
    const std::vector<int> corners = tidy(face, first);
    if (corners.empty()) continue;
    if (corners.size() == 3 || is_flat(vertices, corners)) {
      tidied.push_back(corners);
      continue;
    }
    for (const auto& t : triangulate_face(vertices, corners)) tidied.push_back({t[0], t[1], t[2]});
  }
  if (tidied.empty()) throw std::runtime_error("the mesh has no face with an area");
  check_closed(vertices, tidied);
  const double volume = signed_volume(vertices, tidied);
  if (!(std::abs(volume) > 1e-15 * size * size * size)) throw std::runtime_error("the mesh encloses no volume");
  if (volume < 0) {
    for (std::vector<int>& face : tidied) std::reverse(face.begin(), face.end());
  }
  Polyhedron mesh = compact(vertices, std::move(tidied));
  mesh.convex = is_convex(mesh, size);
  return mesh;
}

}  // namespace stickslip::model
