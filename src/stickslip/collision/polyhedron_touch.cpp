// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of polyhedron_search.h.
//
// Closest features of a polyhedron to a point p. For facet f: g_f = n_f . p - d_f. The foot of p lies in a convex piece
// of the facet when it is on the inner side of all the piece's sides. Outside a convex solid exactly one of these
// holds: p faces one facet, or it stands before an edge, or before a vertex. Around a notch (reflex edge) p may face
// several.
#include "stickslip/collision/polyhedron_search.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kCornerSlack = 1e-9;  // rounding of unit vectors, with room
constexpr double kOnRim = 1e-9;        // part of the size by which a foot may lie outside its facet: rounding

struct PolyhedronCandidate {
  FeatureCode feature = 0;
  double now = 0, then = 0;
  Vec3 normal = Vec3::Zero();
  bool valid = false;

  [[nodiscard]] double left() const { return std::min(now, then); }
};

// The closest feature is about to be reached, or within the margin of it; a facet that stays in front (as far as
// the margin in the second case) tells that p passes by.
bool passes_by(const PolyhedronCandidate& closest, const PolyhedronCandidate& facet, double margin) {
  return facet.valid && (closest.left() < 0 ? facet.left() >= 0 : facet.left() > margin);
}

// A particle crosses the plane of the closest facet in front of another one and stays there: it flies past the edge (as
// flies_past in polygon_search.cpp).
bool flies_past(const SpatialProbe& probe, const PolyhedronCandidate& closest, const PolyhedronCandidate& facet) {
  if (!probe.arms.empty() || probe.r > 0 || !facet.valid || !(closest.now >= 0) || !(closest.then < 0)) return false;
  const double crossing = closest.now / (closest.now - closest.then);
  return std::min(facet.now + crossing * (facet.then - facet.now), facet.then) > probe.margin;
}

PolyhedronCandidate facet_candidate(const Geometry& b, const SpatialProbe& probe, int facet) {
  const Facet& f = b.facet[static_cast<std::size_t>(facet)];
  const double now = f.normal.dot(probe.p) - f.offset - probe.r;
  return {face_code(facet), now, now + f.normal.dot(probe.approach), f.normal, probe.lowest(f.normal, probe.slack)};
}

// Edge or vertex whose closest point is y.
PolyhedronCandidate point_candidate(const SpatialProbe& probe, FeatureCode feature, const Vec3& y) {
  const Vec3 d = probe.p - y;
  const double distance = d.norm();
  if (distance == 0) return {};
  const Vec3 n = d / distance;
  const double now = distance - probe.r;
  // The normal of a sharp pair turns at once when it slides along: only the lowest vertex may have it. A rounded one
  // turns gently, and the ends of a lying capsule must both be found.
  return {feature, now, now + n.dot(probe.approach), n, probe.lowest(n, probe.r > 0 ? probe.slack : kCornerSlack)};
}

void keep(const PolyhedronCandidate& c, double reach, std::vector<Hit>& hits) {
  if (!c.valid || !(c.now < reach)) return;
  for (const Hit& hit : hits) {
    if (hit.feature == c.feature) return;
  }
  hits.push_back({c.feature, c.now, c.normal});
}

// The largest distance of the foot of p beyond a side of the piece (<= 0: inside). Past a notch the facet's plane still
// bounds the free space: there `beyond_notch` is forgiven.
double foot_outside(const Geometry& b, const FacetPiece& piece, const Vec3& p, double beyond_notch) {
  double worst = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < piece.sides; ++i) {
    const PieceSide& side = b.polyhedron.piece_side[static_cast<std::size_t>(piece.first_side + i)];
    double distance = side.outward.dot(p) - side.offset;
    if (beyond_notch > 0 && side.edge >= 0) {
      const PolyhedronEdge& edge = b.polyhedron.edge[static_cast<std::size_t>(side.edge)];
      if (edge.corner == Corner::Reflex) distance -= std::min(beyond_notch, edge.length);
    }
    worst = std::max(worst, distance);
  }
  return worst;
}

// Beyond a notch that bounds the piece: in front of the other facet there? Behind it is the other side of the solid, of which
// the plane of this facet says nothing (a ball under the leg of an L).
bool before_neighbours(const Geometry& b, const FacetPiece& piece, const Vec3& p) {
  for (int i = 0; i < piece.sides; ++i) {
    const PieceSide& side = b.polyhedron.piece_side[static_cast<std::size_t>(piece.first_side + i)];
    if (side.edge < 0 || side.outward.dot(p) <= side.offset) continue;
    const PolyhedronEdge& edge = b.polyhedron.edge[static_cast<std::size_t>(side.edge)];
    if (edge.corner != Corner::Reflex) continue;
    const Facet& other =
        b.facet[static_cast<std::size_t>(edge.facet[0] == piece.facet ? edge.facet[1] : edge.facet[0])];
    if (other.normal.dot(p) < other.offset) return false;
  }
  return true;
}

// The closest edge or vertex of a convex solid to a point outside.
PolyhedronCandidate closest_edge_or_vertex(const Geometry& b, const SpatialProbe& probe) {
  const PolyhedronEdge* closest = nullptr;
  double smallest = std::numeric_limits<double>::infinity(), place = 0;
  for (const PolyhedronEdge& edge : b.polyhedron.edge) {
    const Vec3 d = probe.p - b.vertex[static_cast<std::size_t>(edge.begin)];
    const double s = std::clamp(edge.direction.dot(d), 0.0, edge.length);
    const double distance2 = (d - s * edge.direction).squaredNorm();
    if (distance2 < smallest) {
      smallest = distance2;
      closest = &edge;
      place = s;
    }
  }
  const Vec3& begin = b.vertex[static_cast<std::size_t>(closest->begin)];
  if (place > 0 && place < closest->length) {
    return point_candidate(probe, edge_code(static_cast<int>(closest - b.polyhedron.edge.data())),
                           begin + place * closest->direction);
  }
  const int vertex = place > 0 ? closest->end : closest->begin;
  return point_candidate(probe, vertex_code(vertex), b.vertex[static_cast<std::size_t>(vertex)]);
}

// The nearest facet to a point inside; of several equally near (a vertex exactly on an edge), one it can touch.
PolyhedronCandidate nearest_from_inside(const Geometry& b, const SpatialProbe& probe, int highest, double height) {
  const PolyhedronCandidate first = facet_candidate(b, probe, highest);
  if (first.valid) return first;
  for (int i = 0; i < static_cast<int>(b.facet.size()); ++i) {
    const Facet& f = b.facet[static_cast<std::size_t>(i)];
    if (f.normal.dot(probe.p) - f.offset < height - kOnRim * b.radius) continue;
    const PolyhedronCandidate other = facet_candidate(b, probe, i);
    if (other.valid) return other;
  }
  return first;
}

}  // namespace

bool SpatialProbe::lowest(const Vec3& n, double allowed) const {
  if (arms.empty()) return true;
  const Vec3 m = arm_turn.transpose() * n;
  return std::all_of(arms.begin(), arms.end(), [&](const Vec3& arm) { return m.dot(arm) >= -allowed; });
}

void touch_convex(const Geometry& b, const SpatialProbe& probe, double reach, std::vector<Hit>& hits) {
  const double limit = reach + probe.r;
  int highest = 0;
  double height = -std::numeric_limits<double>::infinity();
  const int facets = static_cast<int>(b.facet.size());
  for (int i = 0; i < facets; ++i) {
    const Facet& f = b.facet[static_cast<std::size_t>(i)];
    const double g = f.normal.dot(probe.p) - f.offset;
    if (g > limit) return;
    if (g > height) {
      height = g;
      highest = i;
    }
  }
  if (height <= 0) return keep(nearest_from_inside(b, probe, highest, height), reach, hits);

  PolyhedronCandidate closest;
  bool faces_facet = false;
  for (const FacetPiece& piece : b.polyhedron.piece) {
    const Facet& f = b.facet[static_cast<std::size_t>(piece.facet)];
    if (f.normal.dot(probe.p) <= f.offset) continue;
    if (foot_outside(b, piece, probe.p, 0) <= kOnRim * b.radius) {
      closest = facet_candidate(b, probe, piece.facet);
      faces_facet = true;
      break;
    }
  }
  if (!faces_facet) closest = closest_edge_or_vertex(b, probe);
  if (closest.valid && closest.now < reach && closest.left() < (faces_facet ? 0 : probe.margin)) {
    for (int i = 0; i < facets; ++i) {
      const PolyhedronCandidate other = facet_candidate(b, probe, i);
      if (passes_by(closest, other, probe.margin)) return keep(other, reach, hits);
      if (faces_facet && flies_past(probe, closest, other)) return;
    }
  }
  keep(closest, reach, hits);
}

namespace {

struct ClosestFacet {
  double distance = std::numeric_limits<double>::infinity();
  bool inside = false;
  int facet = -1, notch = -1;  // the facet, or the reflex edge seen from within the solid

  void consider(double d, bool is_inside, int a_facet, int a_notch) {
    if (d < distance) *this = {d, is_inside, a_facet, a_notch};
  }
};

bool meet_in_notch(const Geometry& b, const ClosestFacet& closest, int facet) {
  if (closest.facet == facet) return true;
  const auto joins = [&](const PolyhedronEdge& edge) {
    return edge.corner == Corner::Reflex && (edge.facet[0] == facet || edge.facet[1] == facet);
  };
  if (closest.notch >= 0) return joins(b.polyhedron.edge[static_cast<std::size_t>(closest.notch)]);
  return std::any_of(b.polyhedron.edge.begin(), b.polyhedron.edge.end(), [&](const PolyhedronEdge& edge) {
    return joins(edge) && (edge.facet[0] == closest.facet || edge.facet[1] == closest.facet);
  });
}

// Exactly on a convex edge p faces both its facets: one of them is enough, the first that it can touch.
bool yields(const Geometry& b, const SpatialProbe& probe, int facet, const std::vector<int>& facing, double rim) {
  const PolyhedronCandidate mine = facet_candidate(b, probe, facet);
  if (mine.now + probe.r > rim) return false;
  for (const PolyhedronEdge& edge : b.polyhedron.edge) {
    if (edge.corner != Corner::Convex || (edge.facet[0] != facet && edge.facet[1] != facet)) continue;
    const int other = edge.facet[0] == facet ? edge.facet[1] : edge.facet[0];
    if (std::find(facing.begin(), facing.end(), other) == facing.end()) continue;
    const PolyhedronCandidate theirs = facet_candidate(b, probe, other);
    if (theirs.now + probe.r < 0 || !theirs.valid) continue;
    if (!mine.valid || other < facet) return true;
  }
  return false;
}

// p stands before an edge when it is past the edge of both its facets; outside at a convex edge, inside at a notch.
void touch_edge(const Geometry& b, const SpatialProbe& probe, int index, double reach, ClosestFacet& closest,
                std::vector<Hit>& hits) {
  const PolyhedronEdge& edge = b.polyhedron.edge[static_cast<std::size_t>(index)];
  const Vec3& begin = b.vertex[static_cast<std::size_t>(edge.begin)];
  const Vec3 d = probe.p - begin;
  const double s = edge.direction.dot(d);
  if (s <= 0 || s >= edge.length || edge.into[0].dot(d) > 0 || edge.into[1].dot(d) > 0) return;
  const double distance = (d - s * edge.direction).norm();
  closest.consider(distance, edge.corner == Corner::Reflex, -1, edge.corner == Corner::Reflex ? index : -1);
  if (edge.corner != Corner::Convex || distance >= reach + probe.r) return;
  const PolyhedronCandidate candidate = point_candidate(probe, edge_code(index), begin + s * edge.direction);
  if (candidate.valid && candidate.left() < probe.margin) {
    for (int facet : edge.facet) {
      const PolyhedronCandidate other = facet_candidate(b, probe, facet);
      if (passes_by(candidate, other, probe.margin)) return keep(other, reach, hits);
    }
  }
  keep(candidate, reach, hits);
}

// p stands before a vertex when it is past the begin of every edge there.
void touch_vertex(const Geometry& b, const SpatialProbe& probe, int vertex, double reach, ClosestFacet& closest,
                  std::vector<Hit>& hits) {
  const auto k = static_cast<std::size_t>(vertex);
  const PolyhedronTopology& topology = b.polyhedron;
  const Vec3 d = probe.p - b.vertex[k];
  for (int i = topology.first_arm[k]; i < topology.first_arm[k + 1]; ++i) {
    if (topology.arm[static_cast<std::size_t>(i)].dot(d) > 0) return;
  }
  const double distance = d.norm();
  if (!topology.is_feature[k]) return;
  closest.consider(distance, false, -1, -1);
  if (distance < reach + probe.r) keep(point_candidate(probe, vertex_code(vertex), b.vertex[k]), reach, hits);
}

// In a list of facets: one that p faces from behind its neighbour. The same undoes it.
constexpr int behind(int facet) {
  return -1 - facet;
}

}  // namespace

bool touch_any(const Geometry& b, const SpatialProbe& probe, double reach, double known, const std::vector<int>& active,
               std::vector<Hit>& hits, std::vector<int>& facing) {
  const double limit = reach + probe.r, rim = kOnRim * b.radius;
  ClosestFacet closest;
  facing.clear();
  for (int index : active) {
    const FacetPiece& piece = b.polyhedron.piece[static_cast<std::size_t>(index)];
    const Facet& f = b.facet[static_cast<std::size_t>(piece.facet)];
    const double g = f.normal.dot(probe.p) - f.offset;
    for (int i = 0; i < piece.sides; ++i) {
      const int edge = b.polyhedron.piece_side[static_cast<std::size_t>(piece.first_side + i)].edge;
      if (edge < 0) continue;
      // Each edge belongs to two pieces: `keep` drops the repetition.
      touch_edge(b, probe, edge, reach, closest, hits);
      const PolyhedronEdge& e = b.polyhedron.edge[static_cast<std::size_t>(edge)];
      if (b.polyhedron.is_feature[static_cast<std::size_t>(e.begin)])
        touch_vertex(b, probe, e.begin, reach, closest, hits);
      if (b.polyhedron.is_feature[static_cast<std::size_t>(e.end)]) touch_vertex(b, probe, e.end, reach, closest, hits);
    }
    if (foot_outside(b, piece, probe.p, limit) > rim) continue;
    const bool over = foot_outside(b, piece, probe.p, 0) <= rim;
    if (over) closest.consider(std::abs(g), g < 0, piece.facet, -1);
    if (g < limit) facing.push_back(over || before_neighbours(b, piece, probe.p) ? piece.facet : behind(piece.facet));
  }
  // Of pieces out of reach only some are in the list: they cannot tell which is closest.
  if (closest.distance > known) closest.inside = false;
  for (int entry : facing) {
    const int facet = std::max(entry, behind(entry));
    const PolyhedronCandidate candidate = facet_candidate(b, probe, facet);
    const double g = candidate.now + probe.r;
    const bool in_notch = closest.inside && meet_in_notch(b, closest, facet);
    const bool kept = g >= 0 ? !yields(b, probe, facet, facing, rim) : in_notch;
    if (kept && (entry >= 0 || in_notch)) keep(candidate, reach, hits);
  }
  return closest.inside;
}

}  // namespace stickslip::collision
