// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/buried.h"

#include "stickslip/collision/smooth_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stickslip::collision {
namespace {

constexpr double kSameFacet = 0.9;        // cosine to the normal of the contact above which a facet touches with it
constexpr double kLean = 2e-7;            // angle between normals up to which a half-space is the same plane
constexpr double kFirst = 4, kRatio = 8;  // places around the point: 4 eta, 32 eta, ...

// The farthest that vertices get along n (body frame), rounding included.
double farthest_vertex(const Geometry& g, const Vec3& n) {
  double high = -std::numeric_limits<double>::infinity();
  for (const Vec3& v : g.vertex) high = std::max(high, n.dot(v));
  return high + g.rounding;
}

// Does the polyhedron that need not be convex have a facet at x which reaches beyond the plane?
bool concave_covers(const Geometry& g, const Vec3& x, const Vec3& n, double eta) {
  for (const FacetPiece& piece : g.polyhedron.piece) {
    if (((x - piece.low).array() < -eta).any() || ((piece.high - x).array() < -eta).any()) continue;
    const Facet& facet = g.facet[static_cast<std::size_t>(piece.facet)];
    if (std::abs(facet.normal.dot(x) - facet.offset) > eta) continue;
    bool on_it = true;
    for (int i = 0; i < piece.sides && on_it; ++i) {
      const PieceSide& side = g.polyhedron.piece_side[static_cast<std::size_t>(piece.first_side + i)];
      on_it = side.outward.dot(x) - side.offset <= eta;
    }
    if (!on_it) continue;
    const auto f = static_cast<std::size_t>(piece.facet);
    for (int i = g.polyhedron.first_rim[f]; i < g.polyhedron.first_rim[f + 1]; ++i) {
      const PolyhedronEdge& edge =
          g.polyhedron.edge[static_cast<std::size_t>(g.polyhedron.rim[static_cast<std::size_t>(i)].edge)];
      for (const int v : {edge.begin, edge.end}) {
        if (n.dot(g.vertex[static_cast<std::size_t>(v)] - x) > 2 * eta) return true;
      }
    }
  }
  return false;
}

// Signed distance of x (body frame) from the solid; inside convex polyhedra from the plane of the nearest facet.
double distance_to(const Placed& r, const Vec3& x, const Vec3& world) {
  const Geometry& g = r.geometry;
  switch (g.family) {
    case Family::Ball: return (x - g.vertex[0]).norm() - g.rounding;
    case Family::Capsule: {
      const PolyhedronEdge& axis = g.polyhedron.edge.front();
      const double s = std::clamp(axis.direction.dot(x - g.vertex[0]), 0.0, axis.length);
      return (x - g.vertex[0] - s * axis.direction).norm() - g.rounding;
    }
    case Family::HalfSpace:
    case Family::Polyhedron: {
      double highest = -std::numeric_limits<double>::infinity();
      for (const Facet& f : g.facet) highest = std::max(highest, f.normal.dot(x) - f.offset);
      return highest;
    }
    case Family::Cylinder:
    case Family::Superellipsoid: return smooth_closest(r, world).distance;
    default: return std::numeric_limits<double>::infinity();  // points and planar shapes hide nothing
  }
}

// Is x on r (or in it, when joined), and does r reach beyond the plane through x with normal n? World frame.
bool covers(const Neighbour& neighbour, const Vec3& x, const Vec3& n, double eta) {
  const Placed& r = neighbour.shape;
  const Geometry& g = r.geometry;
  const Vec3 p = r.frame.to_body(x), m = r.frame.rotation.transpose() * n;
  if (((p - g.box_centre).array().abs() > g.box_half.array() + eta).any()) return false;
  if (g.family == Family::Polyhedron && !g.polyhedron.convex) return concave_covers(g, p, m, eta);
  const double distance = distance_to(r, p, x);
  if (distance > eta || (!neighbour.joined && distance < -eta)) return false;
  if (g.family == Family::HalfSpace) return (g.facet.front().normal - m).norm() > kLean;
  if (g.family == Family::Cylinder || g.family == Family::Superellipsoid)
    return n.dot(smooth_support(r, smooth_code(0), n) - x) > 2 * eta;
  return farthest_vertex(g, m) - m.dot(p) > 2 * eta;
}

// An edge or a vertex of q that stands on r is open beside it, in the notch that both make: a wedge that lies on a floor
// can be met at its toe. It is closed where r takes the whole side on which it touches, or where q does not reach beyond a
// facet of r there: then both are one flat surface, and that facet touches.
bool closes(const Neighbour& neighbour, const Placed& q, const Vec3& x, const Vec3& n, double eta) {
  const Placed& r = neighbour.shape;
  const Geometry& g = r.geometry;
  if (g.family != Family::HalfSpace && !(g.family == Family::Polyhedron && g.polyhedron.convex)) return true;
  const Vec3 p = r.frame.to_body(x);
  bool on_surface = false;
  for (const Facet& facet : g.facet) {
    if (std::abs(facet.normal.dot(p) - facet.offset) > eta) continue;
    on_surface = true;
    const Vec3 k = r.frame.rotation * facet.normal, m = q.frame.rotation.transpose() * k;
    if (k.dot(n) < -kSameFacet || farthest_vertex(q.geometry, m) - m.dot(q.frame.to_body(x)) <= 2 * eta) return true;
  }
  return !on_surface;
}

// Directions from the touching point along which q touches in the same way, and how far the feature goes that way. Of a
// vertex with more edges than four, the first four count.
struct Ways {
  std::array<Vec3, 16> direction;  // four edges with two facets each, two directions per facet
  int count = 0;
  void add(const Vec3& d) {
    if (count < static_cast<int>(direction.size())) direction[static_cast<std::size_t>(count++)] = d;
  }
};

// `notched(n)`: does a third solid stand on the facet with normal n (world) at the point?
template <class Notched>
Ways ways_of(const Placed& q, const BuriedPoint& touch, const Notched& notched) {
  const PolyhedronTopology& topology = q.geometry.polyhedron;
  const Vec3 n = q.frame.rotation.transpose() * touch.normal;
  const int index = feature_index(touch.feature);
  Ways ways;
  // A facet that touches too, as far as its direction goes, and makes a notch with a third solid.
  const auto touches = [&](int facet) {
    const Vec3& m = q.geometry.facet[static_cast<std::size_t>(facet)].normal;
    return m.dot(n) > kSameFacet && notched(Vec3(q.frame.rotation * m));
  };
  switch (feature_kind(touch.feature)) {
    case FeatureKind::Face: {
      const Vec3 normal = q.geometry.facet[static_cast<std::size_t>(index)].normal, first = normal.unitOrthogonal(),
                 second = normal.cross(first);
      for (int i = 0; i < 12; ++i) {
        const double angle = std::numbers::pi / 6 * i;
        ways.add(std::cos(angle) * first + std::sin(angle) * second);
      }
      break;
    }
    case FeatureKind::Edge: {
      const PolyhedronEdge& edge = topology.edge[static_cast<std::size_t>(index)];
      for (int side = 0; side < 2; ++side) {
        if (edge.facet[side] >= 0 && touches(edge.facet[side])) ways.add(edge.into[side]);
      }
      ways.add(edge.direction);
      ways.add(-edge.direction);
      break;
    }
    case FeatureKind::Vertex: {
      for (const PolyhedronEdge& edge : topology.edge) {
        if (edge.begin != index && edge.end != index) continue;
        const double away = edge.begin == index ? 1 : -1;
        for (int side = 0; side < 2; ++side) {
          if (edge.facet[side] < 0 || !touches(edge.facet[side])) continue;
          ways.add(away * edge.direction);
          ways.add((away * edge.direction + edge.into[side]).normalized());
        }
      }
      break;
    }
    case FeatureKind::Smooth: break;  // no facets beside it
  }
  return ways;
}

// Does the feature reach x (body frame of q)?
bool on_feature(const Geometry& q, FeatureCode feature, const Vec3& x, double tolerance) {
  const auto k = static_cast<std::size_t>(feature_index(feature));
  if (feature_kind(feature) == FeatureKind::Face) {
    return std::ranges::any_of(q.polyhedron.piece, [&](const FacetPiece& piece) {
      if (piece.facet != feature_index(feature)) return false;
      for (int i = 0; i < piece.sides; ++i) {
        const PieceSide& side = q.polyhedron.piece_side[static_cast<std::size_t>(piece.first_side + i)];
        if (side.outward.dot(x) - side.offset > tolerance) return false;
      }
      return true;
    });
  }
  if (feature_kind(feature) == FeatureKind::Edge) {
    const PolyhedronEdge& edge = q.polyhedron.edge[k];
    const double s = edge.direction.dot(x - q.vertex[static_cast<std::size_t>(edge.begin)]);
    return s >= -tolerance && s <= edge.length + tolerance;
  }
  return true;
}

// The point of a facet next to x (both in its plane, body frame), to a tolerance: alternating projections on its sides.
Vec3 next_in_facet(const Geometry& q, int facet, const Vec3& x) {
  Vec3 best = x;
  double smallest = std::numeric_limits<double>::infinity();
  for (const FacetPiece& piece : q.polyhedron.piece) {
    if (piece.facet != facet) continue;
    Vec3 y = x;
    for (int round = 0; round < 8; ++round) {
      for (int i = 0; i < piece.sides; ++i) {
        const PieceSide& side = q.polyhedron.piece_side[static_cast<std::size_t>(piece.first_side + i)];
        y -= std::max(0.0, side.outward.dot(y) - side.offset) * side.outward;
      }
    }
    if ((y - x).squaredNorm() >= smallest) continue;
    smallest = (y - x).squaredNorm();
    best = y;
  }
  return best;
}

}  // namespace

bool is_buried(const Placed& q, const BuriedPoint& at, std::span<const Neighbour> others, double eta, double around) {
  BuriedPoint touch = at;
  if (feature_kind(at.feature) == FeatureKind::Face) {  // planes that are passed by are touched beside the facet too
    touch.point = q.frame.to_world(next_in_facet(q.geometry, feature_index(at.feature), q.frame.to_body(at.point)));
  }
  const bool on_facet = feature_kind(at.feature) == FeatureKind::Face;
  const auto covered = [&](const Vec3& x) {
    return std::ranges::any_of(others, [&](const Neighbour& r) {
      return covers(r, x, touch.normal, eta) && (on_facet || closes(r, q, x, touch.normal, eta));
    });
  };
  if (!covered(touch.point)) return false;
  const Ways ways = ways_of(q, touch, [&](const Vec3& n) {
    return std::ranges::any_of(others, [&](const Neighbour& r) { return covers(r, touch.point, n, eta); });
  });
  for (double far = kFirst * eta; far <= kFirst * eta + around; far *= kRatio) {
    for (int i = 0; i < ways.count; ++i) {
      const Vec3 x = touch.point + far * (q.frame.rotation * ways.direction[static_cast<std::size_t>(i)]);
      if (on_feature(q.geometry, touch.feature, q.frame.to_body(x), 0.1 * eta) && !covered(x)) return false;
    }
  }
  return true;
}

}  // namespace stickslip::collision
