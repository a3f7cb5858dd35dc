// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/polyhedron_topology.h"

#include "stickslip/model/point_tree.h"
#include "stickslip/model/triangulate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace stickslip::collision {
namespace {

// Faces whose normals differ by less are one facet: above the rounding of single-precision mesh files.
constexpr double kFlatSine = 1e-6;

struct HalfEdge {
  int low, high;  // vertices, low < high
  int face;
  bool forward;  // the face runs from low to high
};

class Builder {
 public:
  Builder(const std::vector<std::vector<int>>& faces, Geometry& g) : faces_(faces), g_(g) {}

  void run() {
    measure_faces();
    collect_half_edges();
    merge_coplanar_faces();
    make_facets();
    make_edges();
    make_pieces();
    make_vertices();
    make_rims();
    g_.polyhedron.convex = is_convex();
  }

 private:
  [[nodiscard]] const Vec3& at(int vertex) const { return g_.vertex[static_cast<std::size_t>(vertex)]; }

  void measure_faces() {
    for (const std::vector<int>& face : faces_) {
      const Vec3 n = model::area_vector(g_.vertex, face);
      area_.push_back(n.norm());
      normal_.push_back(n / area_.back());
    }
  }

  void collect_half_edges() {
    for (int f = 0; f < static_cast<int>(faces_.size()); ++f) {
      const std::vector<int>& face = faces_[static_cast<std::size_t>(f)];
      for (std::size_t i = 0; i < face.size(); ++i) {
        const int from = face[i], to = face[(i + 1) % face.size()];
        half_edges_.push_back({std::min(from, to), std::max(from, to), f, from < to});
      }
    }
    std::sort(half_edges_.begin(), half_edges_.end(), [](const HalfEdge& x, const HalfEdge& y) {
      return std::tuple(x.low, x.high, x.face) < std::tuple(y.low, y.high, y.face);
    });
  }

  int root(int face) {
    while (parent_[static_cast<std::size_t>(face)] != face) {
      int& up = parent_[static_cast<std::size_t>(face)];
      up = parent_[static_cast<std::size_t>(up)];  // halves the path: a plane of many faces is a long one
      face = up;
    }
    return face;
  }

  // The two faces at half-edge i, or a single one at the rim of an open surface.
  [[nodiscard]] bool paired(std::size_t i) const {
    return i + 1 < half_edges_.size() && half_edges_[i].low == half_edges_[i + 1].low &&
           half_edges_[i].high == half_edges_[i + 1].high;
  }

  void merge_coplanar_faces() {
    parent_.resize(faces_.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    for (std::size_t i = 0; i < half_edges_.size(); i += paired(i) ? 2 : 1) {
      if (!paired(i)) continue;
      const int f = half_edges_[i].face, k = half_edges_[i + 1].face;
      const Vec3 &nf = normal_[static_cast<std::size_t>(f)], &nk = normal_[static_cast<std::size_t>(k)];
      if (nf.dot(nk) > 0 && nf.cross(nk).norm() < kFlatSine) {
        const int low = std::min(root(f), root(k)), high = std::max(root(f), root(k));
        parent_[static_cast<std::size_t>(high)] = low;
      }
    }
  }

  void make_facets() {
    facet_of_.assign(faces_.size(), -1);
    std::vector<double> largest;
    for (int f = 0; f < static_cast<int>(faces_.size()); ++f) {
      const auto k = static_cast<std::size_t>(f), r = static_cast<std::size_t>(root(f));
      if (facet_of_[r] < 0) {
        facet_of_[r] = static_cast<int>(g_.facet.size());
        g_.facet.emplace_back();
        largest.push_back(0);
      }
      facet_of_[k] = facet_of_[r];
      const auto facet = static_cast<std::size_t>(facet_of_[k]);
      if (area_[k] > largest[facet]) {  // the largest face has the best normal
        largest[facet] = area_[k];
        Vec3 centre = Vec3::Zero();
        for (int v : faces_[k]) centre += at(v);
        centre /= static_cast<double>(faces_[k].size());
        g_.facet[facet] = {normal_[k], normal_[k].dot(centre)};
      }
    }
  }

  void make_edges() {
    for (std::size_t i = 0; i < half_edges_.size(); i += paired(i) ? 2 : 1) {
      const HalfEdge& half = half_edges_[i];
      PolyhedronEdge edge;
      edge.begin = half.low;
      edge.end = half.high;
      edge.direction = at(half.high) - at(half.low);
      edge.length = edge.direction.norm();
      edge.direction /= edge.length;
      for (int s = 0; s < (paired(i) ? 2 : 1); ++s) {
        const HalfEdge& side = half_edges_[i + static_cast<std::size_t>(s)];
        edge.facet[s] = facet_of_[static_cast<std::size_t>(side.face)];
        const Vec3& n = g_.facet[static_cast<std::size_t>(edge.facet[s])].normal;
        edge.into[s] = (side.forward ? 1.0 : -1.0) * n.cross(edge.direction);
      }
      if (paired(i)) edge.corner = corner_of(edge);
      if (edge.corner != Corner::Flat) g_.polyhedron.edge.push_back(edge);
    }
  }

  // Convex where the second facet falls away below the plane of the first.
  [[nodiscard]] Corner corner_of(const PolyhedronEdge& edge) const {
    if (edge.facet[0] == edge.facet[1]) return Corner::Flat;
    const double rise = g_.facet[static_cast<std::size_t>(edge.facet[0])].normal.dot(edge.into[1]);
    if (std::abs(rise) < kFlatSine && edge.into[0].dot(edge.into[1]) < 0) return Corner::Flat;
    return rise < 0 ? Corner::Convex : Corner::Reflex;
  }

  [[nodiscard]] int find_edge(int from, int to) const {
    const auto key = std::pair(std::min(from, to), std::max(from, to));
    const auto& edges = g_.polyhedron.edge;
    const auto it = std::lower_bound(edges.begin(), edges.end(), key, [](const PolyhedronEdge& e, const auto& k) {
      return std::pair(e.begin, e.end) < k;
    });
    const bool found = it != edges.end() && std::pair(it->begin, it->end) == key;
    return found ? static_cast<int>(it - edges.begin()) : -1;
  }

  void make_pieces() {
    for (std::size_t f = 0; f < faces_.size(); ++f) {
      if (model::is_convex_face(g_.vertex, faces_[f], normal_[f])) {
        add_piece(faces_[f], facet_of_[f]);
        continue;
      }
      for (const std::array<int, 3>& t : model::triangulate_face(g_.vertex, faces_[f])) {
        add_piece({t[0], t[1], t[2]}, facet_of_[f]);
      }
    }
  }

  void add_piece(const std::vector<int>& loop, int facet) {
    PolyhedronTopology& topology = g_.polyhedron;
    FacetPiece piece{facet, static_cast<int>(topology.piece_side.size()), 0, at(loop[0]), at(loop[0])};
    const Vec3& n = g_.facet[static_cast<std::size_t>(facet)].normal;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int from = loop[i], to = loop[(i + 1) % loop.size()];
      piece.low = piece.low.cwiseMin(at(from));
      piece.high = piece.high.cwiseMax(at(from));
      const Vec3 outward = (at(to) - at(from)).cross(n).normalized();
      topology.piece_side.push_back({outward, outward.dot(at(from)), find_edge(from, to)});
      ++piece.sides;
    }
    topology.piece.push_back(piece);
  }

  void make_vertices() {
    PolyhedronTopology& topology = g_.polyhedron;
    const std::size_t n = g_.vertex.size();
    std::vector<std::vector<Vec3>> arms(n);
    for (const PolyhedronEdge& edge : topology.edge) {
      arms[static_cast<std::size_t>(edge.begin)].push_back(edge.direction);
      arms[static_cast<std::size_t>(edge.end)].push_back(-edge.direction);
    }
    topology.first_arm = {0};
    for (const std::vector<Vec3>& at_vertex : arms) {
      topology.arm.insert(topology.arm.end(), at_vertex.begin(), at_vertex.end());
      topology.first_arm.push_back(static_cast<int>(topology.arm.size()));
      // Two opposite arms: a point along an edge.
      const bool along = at_vertex.size() == 2 && at_vertex[0].dot(at_vertex[1]) < -1 + kFlatSine;
      topology.is_feature.push_back(at_vertex.size() >= 2 && !along);
      if (topology.is_feature.back() != 0)
        topology.feature_vertex.push_back(static_cast<int>(topology.is_feature.size()) - 1);
    }
  }

  void make_rims() {
    PolyhedronTopology& topology = g_.polyhedron;
    std::vector<std::vector<FacetRim>> rims(g_.facet.size());
    for (int i = 0; i < static_cast<int>(topology.edge.size()); ++i) {
      const PolyhedronEdge& edge = topology.edge[static_cast<std::size_t>(i)];
      for (int side = 0; side < 2; ++side) {
        if (edge.facet[side] >= 0) rims[static_cast<std::size_t>(edge.facet[side])].push_back({i, side});
      }
    }
    topology.first_rim = {0};
    for (const std::vector<FacetRim>& rim : rims) {
      topology.rim.insert(topology.rim.end(), rim.begin(), rim.end());
      topology.first_rim.push_back(static_cast<int>(topology.rim.size()));
    }
  }

  [[nodiscard]] bool is_convex() const {
    const auto open = [](const PolyhedronEdge& edge) { return edge.facet[1] < 0; };
    if (std::ranges::any_of(g_.polyhedron.edge, open)) return false;
    double size = 0;
    for (const Vec3& v : g_.vertex) size = std::max(size, (v - at(0)).norm());
    const model::PointTree vertices(g_.vertex);
    return std::ranges::none_of(g_.facet, [&](const Facet& facet) {
      return vertices.any_beyond(facet.normal, facet.offset, kFlatSine * size);
    });
  }

  const std::vector<std::vector<int>>& faces_;
  Geometry& g_;
  std::vector<Vec3> normal_;
  std::vector<double> area_;
  std::vector<HalfEdge> half_edges_;
  std::vector<int> parent_, facet_of_;
};

}  // namespace

void build_polyhedron_topology(const std::vector<std::vector<int>>& faces, Geometry& g) {
  Builder(faces, g).run();
}

}  // namespace stickslip::collision
