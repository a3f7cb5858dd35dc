// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of narrow_phase.h.
//
// Planar shapes: vertices (sharp or rounded) against polygons and chains.
//
// For a vertex p of shape a with rounding r, in the frame of the polygon b: side i has the outward normal n_i, from
// vertex v_i along t_i over the length L_i.
//
//     g_i = n_i . (p - v_i)          height over the side's line
//     s_i = t_i . (p - v_i)          place along it; p faces the side when 0 <= s_i <= L_i
//
// Outside the solid the closest feature is a side that p faces, or a convex corner when p is past the ends of both its
// sides. In a notch p faces several sides: each is a hit. Inside the solid the closest side counts, and those that meet
// it in a notch.
//
// A vertex of a polygon touches only where it is the lowest point of its neighbourhood: its two arms (the sides that
// leave it) must not lean below the touching plane, by more than a slack for faces (rotation within the step), not at
// all for corner against corner (its neighbour, the other polygon's corner against that side, is the closer pair).
//
// A particle that by present velocities passes the end of the closest side before it comes to its line has no contact.
//
// Cost: O(sides) per vertex; sides and vertices outside the other shape's reach are skipped beforehand.
#include "stickslip/collision/narrow_phase.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip::collision {
namespace {

constexpr double kCornerSlack = 1e-9;   // rounding of unit vectors, with room
constexpr double kSameRelative = 1e-9;  // two points closer than this part of the shapes' size are one

struct Probe {
  Vec2 p = Vec2::Zero(), approach = Vec2::Zero();  // position; displacement within the horizon; frame of b
  double r = 0, margin = 0;                        // rounding; what forces may add to the approach
  Vec2 arm[2] = {Vec2::Zero(), Vec2::Zero()};
  int arms = 0;
  double slack = 0;
  int preferred_pass = 0;  // chains: +1 touch the side seen on the way out, -1 on the way back, 0 not known
  double sunk = 0;         // chains: how far it overlapped that side in the step before

  [[nodiscard]] bool lowest(const Vec2& n, double allowed) const {
    for (int i = 0; i < arms; ++i) {
      if (n.dot(arm[i]) < -allowed) return false;
    }
    return true;
  }
};

struct PolygonCandidate {
  FeatureCode feature = 0;
  double now = 0, then = 0;  // gap now and, by present velocities, at the end of the horizon
  Vec2 normal = Vec2::Zero();
  bool valid = false;
};

PolygonCandidate side_candidate(const PolygonTopology& b, const Probe& probe, int side) {
  const auto k = static_cast<std::size_t>(side);
  const Vec2& n = b.normal[k];
  const double now = n.dot(probe.p - b.vertex[k]) - probe.r;
  return {face_code(side), now, now + n.dot(probe.approach), n, probe.lowest(n, probe.slack)};
}

PolygonCandidate corner_candidate(const PolygonTopology& b, const Probe& probe, int vertex) {
  const Vec2 d = probe.p - b.vertex[static_cast<std::size_t>(vertex)];
  const double distance = d.norm();
  if (distance == 0) return {};
  const Vec2 n = d / distance;
  const double now = distance - probe.r;
  return {vertex_code(b.point_of(vertex)), now, now + n.dot(probe.approach), n, probe.lowest(n, kCornerSlack)};
}

// The closest feature, unless the vertex is about to reach it while another face of the same corner stays in front.
// (A closest feature that is not valid has a closer pair beside it: nothing takes its place.) Within `margin` it is not
// sure to be reached; then the other face must be as far in front.
PolygonCandidate choose(const PolygonCandidate& closest, const PolygonCandidate& before, const PolygonCandidate& after,
                        double margin = 0) {
  const double left = std::min(closest.now, closest.then);
  if (!closest.valid || left >= margin) return closest;
  for (const PolygonCandidate& other : {before, after}) {
    const double open = std::min(other.now, other.then);
    if (other.valid && (left < 0 ? open >= 0 : open > margin)) return other;
  }
  return closest;
}

void keep(const PolygonCandidate& c, double reach, std::vector<Hit>& hits) {
  if (!c.valid || !(c.now < reach)) return;
  for (const Hit& hit : hits) {
    if (hit.feature == c.feature) return;
  }
  hits.push_back({c.feature, c.now, Vec3(c.normal.x(), c.normal.y(), 0)});
}

// A convex corner, but not the end of a chain, beyond which lies the other face of the same line.
bool turns_convex(const PolygonTopology& b, int vertex) {
  const auto k = static_cast<std::size_t>(vertex);
  return b.corner[k] == Corner::Convex && b.tangent[k].dot(b.tangent[static_cast<std::size_t>(b.prev[k])]) > -1 + 1e-9;
}

// A particle crosses the line of the side beyond its end, in front of the other side of that corner, and stays there: it
// flies past (the concave free space of Egan, Berard and Trinkle 2003). Held back by the side's line it would stand in the
// air; the other side, behind which it still is, would push it.
bool flies_past(const Probe& probe, const PolygonCandidate& closest, const PolygonCandidate& other) {
  if (probe.arms > 0 || probe.r > 0 || !other.valid || !(closest.now >= 0) || !(closest.then < 0)) return false;
  const double crossing = closest.now / (closest.now - closest.then);
  return std::min(other.now + crossing * (other.then - other.now), other.then) > probe.margin;
}

void keep_side(const PolygonTopology& b, const Probe& probe, int side, double reach, std::vector<Hit>& hits) {
  const auto k = static_cast<std::size_t>(side);
  const PolygonCandidate closest = side_candidate(b, probe, side);
  PolygonCandidate before, after;
  if (turns_convex(b, side)) before = side_candidate(b, probe, b.prev[k]);
  if (turns_convex(b, b.next[k])) after = side_candidate(b, probe, b.next[k]);
  if (flies_past(probe, closest, before) || flies_past(probe, closest, after)) return;
  keep(choose(closest, before, after), reach, hits);
}

void keep_corner(const PolygonTopology& b, const Probe& probe, int vertex, double reach, std::vector<Hit>& hits) {
  const auto k = static_cast<std::size_t>(vertex);
  keep(choose(corner_candidate(b, probe, vertex), side_candidate(b, probe, vertex), side_candidate(b, probe, b.prev[k]),
              probe.margin),
       reach, hits);
}

// p on the boundary up to rounding: one of the sides that it lies on and can touch. Where corners coincide (blocks of
// one width on each other, the joints of an arch) rounding decides whether p faces a side or is past its end, and then
// nothing that it could touch is left: the corner has no direction.
void touch_boundary(const PolygonTopology& b, const Probe& probe, double reach, std::vector<Hit>& hits) {
  for (int side = 0; side < b.sides(); ++side) {
    const auto k = static_cast<std::size_t>(side);
    const double s = b.tangent[k].dot(probe.p - b.vertex[k]), same = kSameRelative * b.length[k];
    const PolygonCandidate on = side_candidate(b, probe, side);
    if (!on.valid || std::abs(on.now + probe.r) > same || s < -same || s > b.length[k] + same) continue;
    keep(on, reach, hits);
    return;
  }
}

// Convex polygon: the side with the largest height leads to the closest feature.
void touch_convex(const PolygonTopology& b, const Probe& probe, double reach, std::vector<Hit>& hits) {
  const double limit = reach + probe.r;
  const int n = b.sides();
  int best = 0;
  double height = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double g = b.normal[k].dot(probe.p - b.vertex[k]);
    if (g > limit) return;
    if (g > height) {
      height = g;
      best = i;
    }
  }
  if (height <= 0) {  // inside: the nearest side; of several equally near (p exactly on a corner), one it can touch
    PolygonCandidate nearest = side_candidate(b, probe, best);
    for (int i = 0; i < n && !nearest.valid; ++i) {
      const PolygonCandidate other = side_candidate(b, probe, i);
      if (other.now + probe.r >= height - kSameRelative * b.length[static_cast<std::size_t>(best)]) nearest = other;
    }
    keep(nearest, reach, hits);
    return;
  }
  // Walk along the boundary until p faces a side or stands before a corner; the walk cannot turn back.
  int direction = 0;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(best);
    const double s = b.tangent[k].dot(probe.p - b.vertex[k]);
    if (s < 0) {
      if (direction > 0) return keep_corner(b, probe, best, reach, hits);
      direction = -1;
      best = b.prev[k];
    } else if (s > b.length[k]) {
      if (direction < 0) return keep_corner(b, probe, b.next[k], reach, hits);
      direction = 1;
      best = b.next[k];
    } else {
      return keep_side(b, probe, best, reach, hits);
    }
  }
}

struct ClosestSide {
  double distance = std::numeric_limits<double>::infinity();
  bool inside = false;
  int side = -1, notch = -1;  // a side, or a reflex corner from within

  void consider(double d, bool is_inside, int a_side, int a_notch) {
    if (d >= distance) return;
    *this = {d, is_inside, a_side, a_notch};
  }
};

// Do two sides meet in a notch (or does the given notch join them)?
bool meet_in_notch(const PolygonTopology& b, const ClosestSide& closest, int side) {
  const auto k = static_cast<std::size_t>(side);
  const int end = b.next[k];
  const auto is_notch = [&](int v) { return b.corner[static_cast<std::size_t>(v)] == Corner::Reflex; };
  if (closest.notch >= 0) return side == closest.notch || end == closest.notch;
  if (side == closest.side) return true;
  const int closest_end = b.next[static_cast<std::size_t>(closest.side)];
  return (side == closest_end && is_notch(side)) || (end == closest.side && is_notch(end));
}

double height(const PolygonTopology& b, const Probe& probe, int side) {
  const auto k = static_cast<std::size_t>(side);
  return b.normal[k].dot(probe.p - b.vertex[k]);
}

// Exactly at a seam or on a convex corner p faces both sides: one of them is enough, the higher or else the first.
bool yields(const PolygonTopology& b, const Probe& probe, int side, const std::vector<int>& facing) {
  const auto k = static_cast<std::size_t>(side);
  const double g = height(b, probe, side);
  const auto faces = [&](int other) { return std::find(facing.begin(), facing.end(), other) != facing.end(); };
  const int before = b.prev[k], after = b.next[k];
  const auto joined = [&](int v) {
    return b.corner[static_cast<std::size_t>(v)] == Corner::Flat || turns_convex(b, v);
  };
  if (joined(side) && faces(before) && height(b, probe, before) >= g) return true;
  return joined(after) && faces(after) && height(b, probe, after) > g;
}

// Past a notch the line of a side bounds the free space in front of its neighbour, not what is behind that: the other side of
// the solid (a disc under the leg of an L).
bool before_neighbour(const PolygonTopology& b, const Probe& probe, int side) {
  const auto k = static_cast<std::size_t>(side);
  const double s = b.tangent[k].dot(probe.p - b.vertex[k]);
  if (s < 0) return height(b, probe, b.prev[k]) >= 0;
  return s <= b.length[k] || height(b, probe, b.next[k]) >= 0;
}

// Any polygon; tells whether p is inside the solid. Past a notch a side's line still bounds the free space, as far as
// the neighbour reaches. `active` holds all sides that are nearer to p than `known`.
bool touch_any(const PolygonTopology& b, const Probe& probe, double reach, double known, const std::vector<int>& active,
               std::vector<Hit>& hits, std::vector<int>& facing) {
  const double limit = reach + probe.r;
  ClosestSide closest;
  facing.clear();
  for (int side : active) {
    const auto k = static_cast<std::size_t>(side);
    const auto before = static_cast<std::size_t>(b.prev[k]), after = static_cast<std::size_t>(b.next[k]);
    const Vec2 d = probe.p - b.vertex[k];
    const double s = b.tangent[k].dot(d), g = b.normal[k].dot(d), length = b.length[k];
    const bool past_corner = s < 0 && b.tangent[before].dot(d) > 0;
    if (past_corner && b.corner[k] == Corner::Convex) {
      const double distance = d.norm();
      closest.consider(distance, false, -1, -1);
      if (distance < limit) keep_corner(b, probe, side, reach, hits);
    }
    if (past_corner && b.corner[k] == Corner::Reflex) closest.consider(d.norm(), true, -1, side);
    const double beyond_begin = b.corner[k] == Corner::Reflex ? std::min(limit, b.length[before]) : 0;
    const double beyond_end = b.corner[after] == Corner::Reflex ? std::min(limit, b.length[after]) : 0;
    if (s >= 0 && s <= length && !b.thin) closest.consider(std::abs(g), g < 0, side, -1);
    if (s >= -beyond_begin && s <= length + beyond_end && g < limit) facing.push_back(side);
  }
  // Of sides out of reach only some are in the list: they cannot tell which is closest.
  if (closest.distance > known) closest.inside = false;
  for (int side : facing) {
    const double g = height(b, probe, side);
    if (b.thin) {
      // Both passes face p, with opposite heights: stay on the side where p was.
      const int pass = side < b.points - 1 ? 1 : -1;
      const bool here = probe.preferred_pass != 0 ? pass == probe.preferred_pass && g > -limit - probe.sunk : g >= 0;
      if (!here || yields(b, probe, side, facing)) continue;
    } else {
      const bool in_notch = closest.inside && meet_in_notch(b, closest, side);
      const bool kept = g >= 0 ? !yields(b, probe, side, facing) : in_notch;
      if (!kept || !(in_notch || before_neighbour(b, probe, side))) continue;
    }
    keep_side(b, probe, side, reach, hits);
  }
  return closest.inside;
}

Vec2 flat(const Vec3& v) {
  return v.head<2>();
}

// Sides of b that a ball around shape a can reach.
void list_active_sides(PairSearch& pair, std::vector<int>& active) {
  const PolygonTopology& b = pair.b.geometry.polygon;
  active.clear();
  const Geometry& a = pair.a.geometry;
  const Vec2 centre = flat(pair.b.frame.to_body(pair.a.frame.to_world(a.box_centre)));
  const double radius = a.radius + pair.reach;
  for (int i = 0; i < b.sides(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec2 d = centre - b.vertex[k];
    const double s = std::clamp(b.tangent[k].dot(d), 0.0, b.length[k]);
    if ((d - s * b.tangent[k]).squaredNorm() <= radius * radius) active.push_back(i);
  }
}

// Chains: on which pass this vertex touched in the step before, and how deep. Soft contacts sink in by more than the
// reach of a step.
void set_previous_pass(const PairSearch& pair, FeatureCode vertex, Probe& probe) {
  if (!pair.b.geometry.polygon.thin) return;
  ContactId from = pair.id;
  const bool vertex_is_a = !pair.swapped;
  from.feature_a = vertex_is_a ? vertex : 0;
  from.feature_b = 0;
  auto it = std::lower_bound(pair.previous.begin(), pair.previous.end(), from,
                             [](const Contact& c, const ContactId& id) { return c.id < id; });
  for (; it != pair.previous.end(); ++it) {
    const ContactId& id = it->id;
    if (std::tie(id.body_a, id.body_b, id.shape_a, id.shape_b) !=
        std::tie(from.body_a, from.body_b, from.shape_a, from.shape_b)) {
      break;
    }
    const FeatureCode mine = vertex_is_a ? id.feature_a : id.feature_b;
    const FeatureCode other = vertex_is_a ? id.feature_b : id.feature_a;
    if (mine != vertex || feature_kind(other) != FeatureKind::Face) continue;
    probe.preferred_pass = feature_index(other) < pair.b.geometry.polygon.points - 1 ? 1 : -1;
    probe.sunk = std::max(0.0, -it->gap);
    return;
  }
}

bool in_box(const Geometry& g, const Vec2& p) {
  return ((p - g.box_centre.head<2>()).array().abs() <= g.box_half.head<2>().array()).all();
}

bool near_box(const Geometry& g, const Vec2& p) {
  const Vec2 half = g.box_half.head<2>();
  return ((p - g.box_centre.head<2>()).array().abs() <= half.array() + kSameRelative * half.norm()).all();
}

// Nothing in reach: perhaps p is so deep inside that the boundary is out of reach.
void touch_from_deep_inside(PairSearch& pair, const Probe& probe) {
  const PolygonTopology& b = pair.b.geometry.polygon;
  std::vector<int>& all = pair.scratch.all;
  all.resize(static_cast<std::size_t>(b.sides()));
  std::iota(all.begin(), all.end(), 0);
  constexpr double kAll = std::numeric_limits<double>::infinity();
  if (!touch_any(b, probe, pair.reach, kAll, all, pair.scratch.hits, pair.scratch.facing)) pair.scratch.hits.clear();
}

void touch(PairSearch& pair, const Probe& probe) {
  const PolygonTopology& b = pair.b.geometry.polygon;
  pair.scratch.hits.clear();
  if (b.convex) {
    touch_convex(b, probe, pair.reach, pair.scratch.hits);
  } else {
    touch_any(b, probe, pair.reach, pair.reach + probe.r, pair.scratch.active, pair.scratch.hits, pair.scratch.facing);
    if (pair.scratch.hits.empty() && !b.thin && in_box(pair.b.geometry, probe.p)) touch_from_deep_inside(pair, probe);
  }
  if (pair.scratch.hits.empty() && !b.thin && probe.arms > 0 && near_box(pair.b.geometry, probe.p))
    touch_boundary(b, probe, pair.reach, pair.scratch.hits);
}

Probe make_probe(const PairSearch& pair, int vertex) {
  const Vec3 x = pair.a.frame.to_world(pair.a.geometry.vertex[static_cast<std::size_t>(vertex)]);
  Probe probe;
  probe.p = flat(pair.b.frame.to_body(x));
  probe.approach = flat(pair.b.frame.rotation.transpose() * pair.approach(x));
  probe.r = pair.a.geometry.rounding;
  probe.margin = pair.margin;
  probe.slack = pair.slack;
  set_previous_pass(pair, vertex_code(vertex), probe);
  return probe;
}

// Corners of a against sides and corners of b.
void search_corners(PairSearch& pair, bool second_view) {
  const PolygonTopology& a = pair.a.geometry.polygon;
  if (!pair.b.geometry.polygon.convex) list_active_sides(pair, pair.scratch.active);
  const Mat3 relative = pair.b.frame.rotation.transpose() * pair.a.frame.rotation;
  const double tolerance = kSameRelative * std::min(pair.a.geometry.radius, pair.b.geometry.radius);
  for (int i = 0; i < a.points; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!a.thin && a.corner[k] != Corner::Convex) continue;
    Probe probe = make_probe(pair, i);
    probe.arms = a.thin && (i == 0 || i == a.points - 1) ? 1 : 2;
    probe.arm[0] = relative.topLeftCorner<2, 2>() * a.tangent[k];
    probe.arm[1] = relative.topLeftCorner<2, 2>() * -a.tangent[static_cast<std::size_t>(a.prev[k])];
    touch(pair, probe);
    for (const Hit& hit : pair.scratch.hits) {
      const Vec3 side = pair.b.frame.rotation * hit.normal;
      // Corner against corner was found from the other shape already.
      if (second_view && feature_kind(hit.feature) == FeatureKind::Vertex) continue;
      pair.add_unless_there(vertex_code(i), hit.feature, side, tolerance);
    }
  }
}

struct Axis {
  double separation = -std::numeric_limits<double>::infinity();
  int vertex = -1, side = -1;
};

// The side of b that has all of a farthest in front (negative: no side separates), with a's lowest vertex over it.
Axis best_axis(const Placed& a, const Placed& b) {
  Axis best;
  for (int side = 0; side < static_cast<int>(b.geometry.facet.size()); ++side) {
    const Facet& facet = b.geometry.facet[static_cast<std::size_t>(side)];
    const Vec3 normal = b.frame.rotation * facet.normal;
    const Vec3 n = a.frame.rotation.transpose() * normal;
    const double height = normal.dot(a.frame.position - b.frame.position) - facet.offset;
    Axis axis{std::numeric_limits<double>::infinity(), -1, side};
    for (int v = 0; v < static_cast<int>(a.geometry.vertex.size()); ++v) {
      const double gap = height + n.dot(a.geometry.vertex[static_cast<std::size_t>(v)]);
      if (gap < axis.separation) axis = {gap, v, side};
    }
    if (axis.separation > best.separation) best = axis;
    if (best.separation >= 0) break;
  }
  return best;
}

// Two convex polygons overlap by their shallowest way out, and some contact must say so. Corners alone may not: two bars
// that cross have none inside each other, and the corner of a block on one of the same width, slightly turned, is nearer
// to the lower one's flank, which it cannot touch, than to its top.
void report_way_out(PairSearch& pair) {
  double deepest = 0;
  for (std::size_t i = pair.first; i < pair.out.size(); ++i) deepest = std::min(deepest, pair.out[i].gap);
  const double noise = kSameRelative * std::min(pair.a.geometry.radius, pair.b.geometry.radius);
  const double known = deepest < 0 ? deepest - noise : 0;
  const Axis over_b = best_axis(pair.a, pair.b);
  if (over_b.separation >= known) return;
  const Axis over_a = best_axis(pair.b, pair.a);
  if (over_a.separation >= known) return;
  if (over_b.separation >= over_a.separation) {
    pair.add(vertex_code(over_b.vertex), face_code(over_b.side), Vec3::Zero());
  } else {
    pair.add(face_code(over_a.side), vertex_code(over_a.vertex), Vec3::Zero());
  }
}

// Sides of a that run through sides of b. What of a's outline is then behind the side of b has to come out over it, as
// far as its lowest vertex; the shallowest of these ways out goes to `best`, as seen from `pair`. An end closer than
// `noise` to the other side touches it: what lies flush crosses by rounding.
void find_crossings(const PairSearch& pair, double noise, Axis& best) {
  const PolygonTopology &a = pair.a.geometry.polygon, &b = pair.b.geometry.polygon;
  const auto place = [&](int vertex) {
    const Vec2& v = a.vertex[static_cast<std::size_t>(vertex)];
    return flat(pair.b.frame.to_body(pair.a.frame.to_world(Vec3(v.x(), v.y(), 0))));
  };
  const Vec2 middle = flat(pair.b.geometry.box_centre), half = flat(pair.b.geometry.box_half);
  for (int i = 0; i < a.sides(); ++i) {
    const Vec2 p = place(i), q = place(a.next[static_cast<std::size_t>(i)]);
    if (((p.cwiseMin(q) - middle).array() > half.array()).any() ||
        ((middle - p.cwiseMax(q)).array() > half.array()).any())
      continue;
    for (int side = 0; side < b.sides(); ++side) {
      const auto k = static_cast<std::size_t>(side);
      const double at_p = b.normal[k].dot(p - b.vertex[k]), at_q = b.normal[k].dot(q - b.vertex[k]);
      if ((at_p < 0) == (at_q < 0) || std::min(std::abs(at_p), std::abs(at_q)) <= noise) continue;
      const double s = b.tangent[k].dot(p + at_p / (at_p - at_q) * (q - p) - b.vertex[k]);
      const double slope = std::abs(at_p - at_q) / (q - p).norm();  // sine of the angle between the sides
      if (s * slope <= noise || (b.length[k] - s) * slope <= noise) continue;
      // From the end behind the side, away from the crossing, until the outline is in front again.
      Axis run{0, -1, side};
      int v = at_p < 0 ? i : a.next[static_cast<std::size_t>(i)];
      for (int n = 0; n < a.sides();
           ++n, v = at_p < 0 ? a.prev[static_cast<std::size_t>(v)] : a.next[static_cast<std::size_t>(v)]) {
        const double height = b.normal[k].dot(place(v) - b.vertex[k]);
        if (height >= 0) break;
        if (height < run.separation) run = {height, v, side};
      }
      if (run.vertex >= 0 && run.separation > best.separation) best = run;
    }
  }
}

// Outlines that are not both convex may cross with no corner inside the other: two crosses, a bar through an L.
void report_crossing(PairSearch& pair) {
  const double noise = kSameRelative * std::min(pair.a.geometry.radius, pair.b.geometry.radius);
  const Vec3 between =
      pair.a.frame.to_world(pair.a.geometry.box_centre) - pair.b.frame.to_world(pair.b.geometry.box_centre);
  if (between.norm() >= pair.a.geometry.radius + pair.b.geometry.radius) return;
  for (std::size_t i = pair.first; i < pair.out.size(); ++i)
    if (pair.out[i].gap < -noise) return;
  Axis over_b, over_a;
  find_crossings(pair, noise, over_b);
  find_crossings(seen_from_b(pair), noise, over_a);
  const Axis& best = over_b.separation >= over_a.separation ? over_b : over_a;
  if (best.vertex < 0 || best.separation > -noise) return;
  if (&best == &over_b)
    pair.add(vertex_code(over_b.vertex), face_code(over_b.side), Vec3::Zero());
  else
    pair.add(face_code(over_a.side), vertex_code(over_a.vertex), Vec3::Zero());
}

}  // namespace

void search_vertices_polygon(PairSearch& pair) {
  if (!pair.b.geometry.polygon.convex) list_active_sides(pair, pair.scratch.active);
  for (int i = 0; i < static_cast<int>(pair.a.geometry.vertex.size()); ++i) {
    touch(pair, make_probe(pair, i));
    for (const Hit& hit : pair.scratch.hits) {
      pair.add(vertex_code(i), hit.feature, pair.b.frame.rotation * hit.normal);
    }
  }
}

void search_polygon_polygon(PairSearch& pair) {
  search_corners(pair, false);
  PairSearch other = seen_from_b(pair);
  search_corners(other, true);
  const PolygonTopology &a = pair.a.geometry.polygon, &b = pair.b.geometry.polygon;
  if (a.convex && b.convex) {
    report_way_out(pair);
    complete_overlap(pair);
  } else if (!a.thin && !b.thin) {
    report_crossing(pair);
  }
}

}  // namespace stickslip::collision
