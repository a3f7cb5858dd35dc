// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of narrow_phase.h.
//
// Two convex polyhedra -> their potential contacts, so that no overlap and no gap within reach is missed.
//
// With n the best separating axis (convex_axis.h) and s its separation, the list holds the corners of the overlay, seen
// along n, of the lower hull of a and the upper hull of b:
//
//     vertices of a over facets of b, vertices of b under facets of a, crossings of an edge of a with one of b,
//
// each measured by its own features. Along lines parallel to n the solids are apart if and only if all heights at these
// corners are >= 0, and the smallest height is s: the list is empty only if nothing is within reach, and its smallest
// gap is the depth when they overlap. An own gap is the height times the cosine between n and the features' normal, so
// both have one sign. Four additions:
//
//   - apart, with a vertex closest to a vertex or an edge: n is the direction of these, and they are in the list;
//   - thin overlays (edge along edge, corner on corner), narrower than the motion within the step: features that lie
//     beside the overlay by no more than that count as if they were over it;
//   - passing by: if the motion closes a gap of the list, but a facet of either solid separates them now and at the end
//     of the horizon, that facet stands between them: the list is the other solid's vertices over its plane;
//   - rounding: if no entry of the list reaches down to s, the features that carry the axis are added.
//
// Invariant (tests/collision/oracle_test.cpp): overlapping, the smallest gap is s; apart, it is the distance, if that
// is below the reach; both to 1e-12 of the size.
#include "stickslip/collision/convex_axis.h"
#include "stickslip/collision/narrow_phase.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kOver = 3e-13;          // of the size: a vertex on the rim of a facet is over it
constexpr double kSameRelative = 1e-8;   // two points closer than this part of the smaller size are one
constexpr double kSteepest = 1e-3;       // cosine to the axis below which a facet is not seen
constexpr double kSameDirection = 0.99;  // cosine above which normals beside the overlay are those of the axis
constexpr double kParallelSine = 1e-6;   // edges closer to parallel, seen along the axis, cross nowhere
constexpr double kEdgeSlack = 0.1;       // sine: how far a facet may lean over the plane of two crossing edges
constexpr double kBlocked = 0.999;       // cosine above which a facet looks the way that is blocked
constexpr double kSunk = 1e-6;           // of the smaller size: what resting solids overlap at most
constexpr double kMostSide = 0.1;        // of the smaller size: how far beside the overlay features may count
constexpr double kWayIn = 0.5;           // of the smaller size: a facet that far away is not where a solid came in

class ConvexSearch {
 public:
  explicit ConvexSearch(PairSearch& pair)
      : pair_(pair),
        scratch_(pair.scratch.convex),
        size_(2 * std::max(pair.a.geometry.radius, pair.b.geometry.radius)),
        smaller_(2 * std::min(pair.a.geometry.radius, pair.b.geometry.radius)),
        rounding_(kSeparationRounding * size_) {}

  void run() {
    place_vertices_and_facets();
    SeparatingAxis axis = best_facet_axis(view_, pair_.reach, scratch_);
    if (axis.separation >= pair_.reach) return;
    place_edges();
    improve_by_edges(view_, std::max(pair_.reach, -axis.separation) + rounding_, axis, scratch_);
    if (axis.separation >= pair_.reach) return;
    if (!pair_.blocked.empty()) return list_next_facet(axis.separation);
    normal_ = axis.normal;
    floor_ = axis.separation;
    list(axis);
    if (pair_.horizon > 0 && pair_.out.size() > pair_.first) let_pass();
  }

 private:
  void place_vertices_and_facets() {
    const Geometry &a = pair_.a.geometry, &b = pair_.b.geometry;
    turn_ = pair_.b.frame.rotation.transpose() * pair_.a.frame.rotation;
    const Vec3 shift = pair_.b.frame.to_body(pair_.a.frame.position);
    scratch_.vertex.clear();
    for (const Vec3& x : a.vertex) scratch_.vertex.push_back(turn_ * x + shift);
    scratch_.facet.clear();
    for (const Facet& f : a.facet) {
      const Vec3 n = turn_ * f.normal;
      scratch_.facet.push_back({n, f.offset + n.dot(shift)});
    }
    view_ = {{scratch_.vertex, scratch_.facet, {}, &a.polyhedron},
             {b.vertex, b.facet, b.polyhedron.edge, &b.polyhedron},
             size_,
             smaller_};
    grow_tree(view_.a, scratch_.tree_a);
    grow_tree(view_.b, scratch_.tree_b);
  }

  static void grow_tree(ConvexView& view, std::optional<model::PointTree>& tree) {
    constexpr std::size_t kMany = 1000;  // vertices, each of which would meet hundreds of facets
    tree.reset();
    if (view.vertex.size() >= kMany) view.tree = &tree.emplace(view.vertex);
  }

  void place_edges() {
    scratch_.edge = pair_.a.geometry.polyhedron.edge;
    for (PolyhedronEdge& e : scratch_.edge) {
      e.direction = turn_ * e.direction;
      for (Vec3& into : e.into) into = turn_ * into;
    }
    view_.a.edge = scratch_.edge;
  }

  void list(const SeparatingAxis& axis) {
    apart_ = floor_ > 3 * rounding_;
    side_ = 0;
    overlay();
    if (!reaches_down() && axis.kind == AxisKind::Edges) add_crossing(axis.a, axis.b, 0);
    if (!reaches_down() && apart_) add_closest();
    if (!reaches_down() && !apart_) {
      // Edges farther away than the reach may separate the solids after all.
      SeparatingAxis best = axis;
      improve_by_edges(view_, std::numeric_limits<double>::infinity(), best, scratch_);
      if (best.separation > 3 * rounding_) return pair_.out.resize(pair_.first);
      add_carrier(axis);
    }
    const double side = std::min(pair_.reach, kMostSide * smaller_);
    if (side > 0 && pair_.out.size() > pair_.first && narrower_than(side)) {
      side_ = side;
      overlay();
    }
  }

  [[nodiscard]] bool reaches_down() const { return smallest() <= floor_ + 5 * rounding_; }

  // --- the overlay

  void overlay() {
    over_facets(view_.a, view_.b, normal_, false);
    over_facets(view_.b, view_.a, -normal_, true);
    crossings();
  }

  // Vertices of p over facets of q; `up` points from q to p.
  void over_facets(const ConvexView& p, const ConvexView& q, const Vec3& up, bool p_is_b) {
    const double top = q.highest(up);
    for (const int i : p.topology->feature_vertex) {
      const Vec3& x = p.vertex[static_cast<std::size_t>(i)];
      if (up.dot(x) - top >= pair_.reach) continue;
      int best = -1;
      double flattest = side_ > 0 ? kSameDirection : kSteepest;
      for (int k = 0; k < static_cast<int>(q.facet.size()); ++k) {
        const Facet& f = q.facet[static_cast<std::size_t>(k)];
        const double cosine = f.normal.dot(up);
        if (cosine <= flattest) continue;
        const double own = f.normal.dot(x) - f.offset;
        if (own >= pair_.reach || own < floor_ - 3 * rounding_) continue;
        // Apart, the foot by the facet's own normal must lie in it: else the facet is not what is closest.
        const Vec3 foot = apart_ && side_ == 0 ? Vec3(x - own * f.normal) : Vec3(x - (own / cosine) * up);
        if (!in_facet(q, k, foot)) continue;
        best = k;
        flattest = cosine;
      }
      if (best < 0) continue;
      const Vec3& n = q.facet[static_cast<std::size_t>(best)].normal;
      if (p_is_b)
        add(face_code(best), vertex_code(i), -n);
      else
        add(vertex_code(i), face_code(best), n);
    }
  }

  [[nodiscard]] bool in_facet(const ConvexView& q, int facet, const Vec3& x) const {
    return outside_facet(q, facet, x) <= kOver * size_ + side_;
  }

  // The largest distance of x beyond an edge of the facet.
  [[nodiscard]] static double outside_facet(const ConvexView& q, int facet, const Vec3& x) {
    double worst = -std::numeric_limits<double>::infinity();
    const auto k = static_cast<std::size_t>(facet);
    for (int i = q.topology->first_rim[k]; i < q.topology->first_rim[k + 1]; ++i) {
      const FacetRim& rim = q.topology->rim[static_cast<std::size_t>(i)];
      const PolyhedronEdge& e = q.edge[static_cast<std::size_t>(rim.edge)];
      worst = std::max(worst, -e.into[rim.side].dot(x - q.begin(e)));
    }
    return worst;
  }

  // Can the edge be seen from the side of `up`?
  [[nodiscard]] static bool is_seen(const ConvexView& q, const PolyhedronEdge& e, const Vec3& up) {
    return std::max(q.facet[static_cast<std::size_t>(e.facet[0])].normal.dot(up),
                    q.facet[static_cast<std::size_t>(e.facet[1])].normal.dot(up)) > -1e-9;
  }

  void crossings() {
    const ConvexView &a = view_.a, &b = view_.b;
    for (const int i : scratch_.edges_a) {
      const PolyhedronEdge& e = a.edge[static_cast<std::size_t>(i)];
      if (!is_seen(a, e, -normal_)) continue;
      for (const int j : scratch_.edges_b) {
        if (is_seen(b, b.edge[static_cast<std::size_t>(j)], normal_)) add_crossing(i, j, kParallelSine);
      }
    }
  }

  // Edge i of a and edge j of b, if they cross within reach, seen along the axis, at more than the given sine.
  void add_crossing(int i, int j, double least_sine) {
    const PolyhedronEdge &e = view_.a.edge[static_cast<std::size_t>(i)], &f = view_.b.edge[static_cast<std::size_t>(j)];
    const Vec3 cross = e.direction.cross(f.direction), w = view_.a.begin(e) - view_.b.begin(f);
    const double seen = normal_.dot(cross);
    if (std::abs(seen) <= least_sine) return;
    const double length = cross.norm(), cosine = std::abs(seen) / length;
    if (cosine < (side_ > 0 ? kSameDirection : kEdgeSlack)) return;
    Vec3 n;
    if (!common_normal(e.direction, f.direction, n)) return;
    if (n.dot(normal_) < 0) n = -n;
    const double own = n.dot(w);
    if (own >= pair_.reach || own < floor_ - 3 * rounding_) return;
    // Along the axis; apart, the closest points of the lines themselves.
    const Vec3 along = apart_ ? Vec3(cross / (length * length)) : Vec3(normal_ / seen);
    const double s = -w.cross(f.direction).dot(along), t = -w.cross(e.direction).dot(along);
    const double beyond = kOver * size_ + side_;
    if (s < -beyond || s > e.length + beyond || t < -beyond || t > f.length + beyond) return;
    const double slack = kEdgeSlack + pair_.slack - 0.5;
    if (leaves(f, n, slack) && leaves(e, -n, slack)) add(edge_code(i), edge_code(j), n);
  }

  [[nodiscard]] static bool leaves(const PolyhedronEdge& e, const Vec3& m, double slack) {
    return e.into[0].dot(m) <= slack && e.into[1].dot(m) <= slack;
  }

  // --- what the overlay lacks

  // Apart, and no facet or pair of edges is closest: vertices and edges.
  struct ClosestPair {
    double distance2 = std::numeric_limits<double>::infinity();
    FeatureCode a = 0, b = 0;
    Vec3 between = Vec3::Zero();  // from b to a
  };

  template <class Visit>
  void visit_vertices_and_edges(const Visit& visit) const {
    const auto from = [&](const ConvexView& p, const ConvexView& q, bool p_is_b) {
      for (const int i : p.topology->feature_vertex) {
        for (const int j : p_is_b ? scratch_.edges_a : scratch_.edges_b) {
          const PolyhedronEdge& e = q.edge[static_cast<std::size_t>(j)];
          const Vec3 d = p.vertex[static_cast<std::size_t>(i)] - q.begin(e);
          const double s = std::clamp(e.direction.dot(d), 0.0, e.length);
          const bool inside = s > 0 && s < e.length;
          const FeatureCode other = inside ? edge_code(j) : vertex_code(s > 0 ? e.end : e.begin);
          const Vec3 between = d - s * e.direction;
          if (p_is_b)
            visit(ClosestPair{between.squaredNorm(), other, vertex_code(i), -between});
          else
            visit(ClosestPair{between.squaredNorm(), vertex_code(i), other, between});
        }
      }
    };
    from(view_.a, view_.b, false);
    from(view_.b, view_.a, true);
  }

  void add_closest() {
    ClosestPair closest;
    visit_vertices_and_edges([&](const ClosestPair& c) {
      if (c.distance2 < closest.distance2) closest = c;
    });
    const double distance = std::sqrt(closest.distance2);
    if (distance >= std::min(pair_.reach, smallest())) return;
    floor_ = distance;
    normal_ = closest.between / distance;
    pair_.out.resize(pair_.first);
    add(closest.a, closest.b, normal_);
    overlay();
    // Others that look the same way: both ends of an edge that is parallel to another.
    visit_vertices_and_edges([&](const ClosestPair& c) {
      const double d = std::sqrt(c.distance2);
      if (d < pair_.reach && c.between.dot(normal_) > kSameDirection * d) add(c.a, c.b, c.between / d);
    });
  }

  // The best facet that looks another way than the blocked normals, with what is over it or a step's motion beside it.
  void list_next_facet(double best_separation) {
    SeparatingAxis axis;
    const auto open = [&](const Vec3& n) {
      const Vec3 world = pair_.b.frame.rotation * n;
      return std::ranges::none_of(pair_.blocked, [&](const Vec3& blocked) { return blocked.dot(world) > kBlocked; });
    };
    for (int k = 0; k < static_cast<int>(view_.b.facet.size()); ++k) {
      const Vec3& n = view_.b.facet[static_cast<std::size_t>(k)].normal;
      const double s = scratch_.separation_b[static_cast<std::size_t>(k)];
      if (s > axis.separation && open(n)) axis = {AxisKind::FacetOfB, -1, k, n, s};
    }
    for (int k = 0; k < static_cast<int>(view_.a.facet.size()); ++k) {
      const Vec3 n = -view_.a.facet[static_cast<std::size_t>(k)].normal;
      const double s = scratch_.separation_a[static_cast<std::size_t>(k)];
      if (s > axis.separation && open(n)) axis = {AxisKind::FacetOfA, k, -1, n, s};
    }
    if (axis.kind == AxisKind::None || axis.separation >= pair_.reach) return;
    // Of a solid that deep behind a facet the centre is behind it too. What blocks the others pushes it out, not this one:
    // a corner in a ramp that lies on a floor of 40 m is not 20 m deep behind the side of the floor.
    if (!pair_.any_depth && axis.separation < -kWayIn * smaller_) return;
    // Solids that are apart by the blocked normal alone do not overlap along another.
    if (best_separation > -rounding_ && axis.separation < -kSunk * smaller_) return;
    normal_ = axis.normal;
    floor_ = axis.separation;
    scratch_.edges_a.clear();
    scratch_.edges_b.clear();
    side_ = std::min(pair_.reach, kMostSide * smaller_);
    overlay();
    if (best_separation < -rounding_ && !reaches_down()) add_carrier(axis);
  }

  void add_carrier(const SeparatingAxis& axis) {
    if (axis.kind == AxisKind::Edges) return add(edge_code(axis.a), edge_code(axis.b), axis.normal);
    const bool of_b = axis.kind == AxisKind::FacetOfB;
    const ConvexView &p = of_b ? view_.a : view_.b, &q = of_b ? view_.b : view_.a;
    const int facet = of_b ? axis.b : axis.a;
    const Facet& f = q.facet[static_cast<std::size_t>(facet)];
    int best = -1;
    double nearest = std::numeric_limits<double>::infinity();
    for (const int i : p.topology->feature_vertex) {
      const Vec3& x = p.vertex[static_cast<std::size_t>(i)];
      if (f.normal.dot(x) - f.offset > floor_ + 3 * rounding_) continue;
      const double outside = outside_facet(q, facet, x);
      if (outside >= nearest) continue;
      nearest = outside;
      best = i;
    }
    if (best < 0) return;
    if (of_b)
      add(vertex_code(best), face_code(facet), axis.normal);
    else
      add(face_code(facet), vertex_code(best), axis.normal);
  }

  // --- passing by

  // Gap at the end of the horizon by present velocities.
  [[nodiscard]] double later(const Contact& c) const {
    const BodyFrame &a = pair_.swapped ? pair_.b.frame : pair_.a.frame,
                    &b = pair_.swapped ? pair_.a.frame : pair_.b.frame;
    return c.gap + pair_.horizon * c.normal.dot(a.velocity_at(c.point_a) - b.velocity_at(c.point_b));
  }

  void let_pass() {
    bool closes = false, near = false;
    for (std::size_t i = pair_.first; i < pair_.out.size(); ++i) {
      const Contact& c = pair_.out[i];
      const double left = std::min(c.gap, later(c));
      const bool on_face =
          feature_kind(c.id.feature_a) == FeatureKind::Face || feature_kind(c.id.feature_b) == FeatureKind::Face;
      closes = closes || left < 0;
      near = near || (!on_face && left < pair_.margin);
    }
    if (!closes && !near) return;
    int facet = -1;
    bool of_b = false;
    double best = closes ? -rounding_ : pair_.margin;
    const auto look = [&](const ConvexView& q, const ConvexView& p, bool q_is_b) {
      const std::vector<double>& now = q_is_b ? scratch_.separation_b : scratch_.separation_a;
      for (int k = 0; k < static_cast<int>(q.facet.size()); ++k) {
        if (now[static_cast<std::size_t>(k)] < best) continue;
        const double left = separation_later(q.facet[static_cast<std::size_t>(k)], p, q_is_b);
        if (std::min(left, now[static_cast<std::size_t>(k)]) <= best) continue;
        best = std::min(left, now[static_cast<std::size_t>(k)]);
        facet = k;
        of_b = q_is_b;
      }
    };
    look(view_.b, view_.a, true);
    look(view_.a, view_.b, false);
    if (facet < 0) return;
    pair_.out.resize(pair_.first);
    const ConvexView &q = of_b ? view_.b : view_.a, &p = of_b ? view_.a : view_.b;
    const Vec3& n = q.facet[static_cast<std::size_t>(facet)].normal;
    for (const int i : p.topology->feature_vertex) {
      if (of_b)
        add(vertex_code(i), face_code(facet), n);
      else
        add(face_code(facet), vertex_code(i), -n);
    }
  }

  [[nodiscard]] double separation_later(const Facet& facet, const ConvexView& p, bool facet_of_b) const {
    const Mat3& to_world = pair_.b.frame.rotation;
    const Vec3 n = to_world * facet.normal;
    double low = std::numeric_limits<double>::infinity();
    for (const int i : p.topology->feature_vertex) {
      const Vec3& x = p.vertex[static_cast<std::size_t>(i)];
      const Vec3 approach = pair_.approach(pair_.b.frame.to_world(x));
      low = std::min(low, facet.normal.dot(x) - facet.offset + (facet_of_b ? 1.0 : -1.0) * n.dot(approach));
    }
    return low;
  }

  // --- the list

  [[nodiscard]] double smallest() const {
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t i = pair_.first; i < pair_.out.size(); ++i) gap = std::min(gap, pair_.out[i].gap);
    return gap;
  }

  // Of contacts at one place with one normal the lower one stays.
  void add(FeatureCode feature_a, FeatureCode feature_b, const Vec3& normal) {
    const Placement placed = pair_.place(feature_a, feature_b, pair_.b.frame.rotation * normal);
    if (!(placed.gap < pair_.reach)) return;
    const double same = kSameRelative * smaller_;
    for (std::size_t i = pair_.first; i < pair_.out.size(); ++i) {
      const Contact& c = pair_.out[i];
      if ((c.point_b - placed.point_b).squaredNorm() > same * same ||
          (c.point_a - placed.point_a).squaredNorm() > same * same || c.normal.dot(placed.normal) < 1 - 1e-9)
        continue;
      if (placed.gap >= c.gap - 1e-4 * same) return;
      pair_.out.erase(pair_.out.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
    pair_.append(feature_a, feature_b, placed);
  }

  // Is the width of the listed points, seen along the axis, less than `side`?
  [[nodiscard]] bool narrower_than(double side) const {
    const Vec3 n = pair_.b.frame.rotation * normal_;
    const auto begin = pair_.out.begin() + static_cast<std::ptrdiff_t>(pair_.first);
    const Vec3& origin = begin->point_a;
    Vec3 longest = Vec3::Zero();
    for (auto it = begin; it != pair_.out.end(); ++it) {
      const Vec3 d = it->point_a - origin, flat = d - n.dot(d) * n;
      if (flat.squaredNorm() > longest.squaredNorm()) longest = flat;
    }
    if (longest.norm() <= side) return true;
    const Vec3 across = n.cross(longest.normalized());
    double low = 0, high = 0;
    for (auto it = begin; it != pair_.out.end(); ++it) {
      const double x = across.dot(it->point_a - origin);
      low = std::min(low, x);
      high = std::max(high, x);
    }
    return high - low <= side;
  }

  PairSearch& pair_;
  ConvexScratch& scratch_;
  const double size_, smaller_, rounding_;
  Mat3 turn_ = Mat3::Identity();  // frame of a -> frame of b
  ConvexPairView view_;
  Vec3 normal_ = Vec3::UnitZ();  // of the overlay, frame of b
  double floor_ = 0;             // no gap is smaller
  bool apart_ = false;
  double side_ = 0;  // how far beside the overlay features count
};

}  // namespace

void search_convex_pair(PairSearch& pair) {
  ConvexSearch(pair).run();
}

}  // namespace stickslip::collision
