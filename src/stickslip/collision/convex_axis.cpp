// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/convex_axis.h"

#include "stickslip/collision/evaluate.h"
#include "stickslip/math/bounds.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kTie = 3 * kSeparationRounding;  // of the size
constexpr double kGaussSlack = 1e-9;              // sine: arcs of normals that miss each other by less cross

Bounds box_of(std::span<const Vec3> points, double grow) {
  Bounds box;
  for (const Vec3& x : points) box.include(x, grow);
  return box;
}

void list_edges_within(const ConvexView& solid, const Bounds& box, std::vector<int>& list) {
  list.clear();
  for (int i = 0; i < static_cast<int>(solid.edge.size()); ++i) {
    const PolyhedronEdge& e = solid.edge[static_cast<std::size_t>(i)];
    const Vec3 &x = solid.begin(e), &y = solid.vertex[static_cast<std::size_t>(e.end)];
    if (box.overlaps({x.cwiseMin(y), x.cwiseMax(y)})) list.push_back(i);
  }
}

const Facet& facet_at(const ConvexView& solid, const PolyhedronEdge& e, int side) {
  return solid.facet[static_cast<std::size_t>(e.facet[side])];
}

// Do the two facets of edge f lie on different sides of the plane through the centre that is square to u?
bool straddles(const ConvexView& solid, const PolyhedronEdge& f, const Vec3& u) {
  const double r = u.dot(facet_at(solid, f, 0).normal), t = u.dot(facet_at(solid, f, 1).normal);
  return !((r > kGaussSlack && t > kGaussSlack) || (r < -kGaussSlack && t < -kGaussSlack));
}

}  // namespace

double ConvexView::lowest(const Vec3& n) const {
  if (tree != nullptr) return -tree->reach(-n, Vec3::Zero());
  double low = std::numeric_limits<double>::infinity();
  for (const Vec3& x : vertex) low = std::min(low, n.dot(x));
  return low;
}

double ConvexView::highest(const Vec3& n) const {
  if (tree != nullptr) return tree->reach(n, Vec3::Zero());
  double high = -std::numeric_limits<double>::infinity();
  for (const Vec3& x : vertex) high = std::max(high, n.dot(x));
  return high;
}

double facet_separation(const Facet& facet, const ConvexView& other) {
  return other.lowest(facet.normal) - facet.offset;
}

SeparatingAxis best_facet_axis(const ConvexPairView& pair, double reach, ConvexScratch& scratch) {
  SeparatingAxis best;
  scratch.separation_b.clear();
  for (int i = 0; i < static_cast<int>(pair.b.facet.size()); ++i) {
    const Facet& facet = pair.b.facet[static_cast<std::size_t>(i)];
    const double s = facet_separation(facet, pair.a);
    scratch.separation_b.push_back(s);
    if (s > best.separation) best = {AxisKind::FacetOfB, -1, i, facet.normal, s};
    if (s >= reach) return best;
  }
  scratch.separation_a.clear();
  for (int i = 0; i < static_cast<int>(pair.a.facet.size()); ++i) {
    const Facet& facet = pair.a.facet[static_cast<std::size_t>(i)];
    const double s = facet_separation(facet, pair.b);
    scratch.separation_a.push_back(s);
    if (s > best.separation + kTie * pair.size) best = {AxisKind::FacetOfA, i, -1, -facet.normal, s};
    if (s >= reach) return best;
  }
  return best;
}

void improve_by_edges(const ConvexPairView& pair, double limit, SeparatingAxis& best, ConvexScratch& scratch) {
  const ConvexView &a = pair.a, &b = pair.b;
  const double tie = kTie * pair.size;
  list_edges_within(a, box_of(b.vertex, limit), scratch.edges_a);
  if (scratch.edges_a.empty()) return;
  list_edges_within(b, box_of(a.vertex, limit), scratch.edges_b);
  for (const int i : scratch.edges_a) {
    const PolyhedronEdge& e = a.edge[static_cast<std::size_t>(i)];
    const Vec3 away = facet_at(a, e, 0).normal + facet_at(a, e, 1).normal;
    for (const int j : scratch.edges_b) {
      const PolyhedronEdge& f = b.edge[static_cast<std::size_t>(j)];
      if (!straddles(b, f, e.direction) || !straddles(a, e, f.direction)) continue;
      const Vec3 out = facet_at(b, f, 0).normal + facet_at(b, f, 1).normal - away, w = a.begin(e) - b.begin(f);
      const Vec3 cross = e.direction.cross(f.direction);
      const double length2 = cross.squaredNorm(), sign = cross.dot(out) < 0 ? -1.0 : 1.0;
      // The edges' own distance bounds the separation from above: most pairs end here.
      if (length2 > 1e-8 && sign * cross.dot(w) <= (best.separation + tie) * std::sqrt(length2)) continue;
      Vec3 n;
      if (!common_normal(e.direction, f.direction, n)) continue;
      if (n.dot(out) < 0) n = -n;
      const double s = a.lowest(n) - b.highest(n);
      // An axis that these edges do not carry belongs to a facet, within rounding.
      if (s <= best.separation + tie || n.dot(w) > s + tie) continue;
      best = {AxisKind::Edges, i, j, n, s};
    }
  }
}

}  // namespace stickslip::collision
