// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of feature_collider.h.
//
// Which third solids may be flush with the shapes of a pair, and what becomes of the pair's contacts (rule: buried.h).
//
// A third solid matters for shape q of the pair (p, q) when it may touch p too: it is found among the partners of p, or
// of q if those are fewer, and other shapes of q's body. If every contact of two convex polyhedra is a ghost, the next
// best facet takes their place: a cube that falls onto a tile close to the joint must find the tile's top.
#include "stickslip/collision/feature_collider.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kFlush = 2e-7;  // of the smaller radius: what differs by less is flush
constexpr double kSunk = 1e-6;   // of the smaller radius: what resting solids overlap at most
constexpr int kMostFacets = 8;   // rounds in which facets are tried: then nothing of the pair is open

}  // namespace

// Fills others_ with solids that are near shape p and may hide features of shape q.
void FeatureCollider::list_others(int geometry_q, int geometry_p, double reach) {
  others_.clear();
  const Geometry &q = geometry_[static_cast<std::size_t>(geometry_q)],
                 &p = geometry_[static_cast<std::size_t>(geometry_p)];
  if (q.family != Family::Polyhedron) return;
  const bool p_bounded = !p.unbounded();
  // Near both: near the smaller one is what can be asked of spheres.
  const bool use_p = p_bounded && p.radius <= q.radius;
  const Geometry& small = use_p ? p : q;
  const Vec3& centre = centre_[static_cast<std::size_t>(use_p ? geometry_p : geometry_q)];
  const auto consider = [&](int geometry_r) {
    const Geometry& r = geometry_[static_cast<std::size_t>(geometry_r)];
    if (geometry_r == geometry_q || r.body == p.body) return;
    const BodyFrame& frame = frame_[static_cast<std::size_t>(r.body)];
    if (r.unbounded()) {
      const Facet& plane = r.facet.front();
      const double height = (frame.rotation * plane.normal).dot(centre - frame.position) - plane.offset;
      if (height > small.radius + reach) return;
    } else {
      const double limit = small.radius + r.radius + reach;
      if ((centre_[static_cast<std::size_t>(geometry_r)] - centre).squaredNorm() > limit * limit) return;
    }
    const bool both_fixed =
        fixed_[static_cast<std::size_t>(r.body)] != 0 && fixed_[static_cast<std::size_t>(q.body)] != 0;
    others_.push_back({{r, frame}, r.body == q.body || both_fixed});
  };
  const auto partners = [&](int geometry) {
    const auto k = static_cast<std::size_t>(geometry);
    return std::span<const int>(partner_).subspan(static_cast<std::size_t>(first_partner_[k]),
                                                  static_cast<std::size_t>(first_partner_[k + 1] - first_partner_[k]));
  };
  const auto of_p = partners(geometry_p), of_q = partners(geometry_q);
  // Prescribed shapes are no partners of each other.
  if (of_p.size() <= of_q.size() || prescribed_[static_cast<std::size_t>(q.body)] != 0) {
    for (const int r : of_p) consider(r);
    return;
  }
  for (const int r : of_q) {
    if (surface_of(*model_, std::min(geometry_p, r), std::max(geometry_p, r)) >= 0) consider(r);
  }
  const auto body = static_cast<std::size_t>(q.body);
  for (int r = first_geometry_[body]; r < first_geometry_[body + 1]; ++r) consider(r);
}

void FeatureCollider::drop_buried(const ShapePair& pair, double margin, double horizon, std::size_t first,
                                  std::vector<Contact>& contacts) {
  const Geometry &ga = geometry_[static_cast<std::size_t>(pair.a)], &gb = geometry_[static_cast<std::size_t>(pair.b)];
  const double reach = reach_of(ga, gb, margin, sweep_of(horizon));
  const double eta = kFlush * std::min(ga.radius, gb.radius);
  bool overlapped = false;  // by a contact that was dropped
  const auto explained = [&] {
    const auto begin = contacts.begin() + static_cast<std::ptrdiff_t>(first);
    const auto overlaps = [](const Contact& c) { return c.gap < 0; };
    return begin != contacts.end() && (!overlapped || std::any_of(begin, contacts.end(), overlaps));
  };
  const auto filter = [&](int q, int p, bool q_is_b) {
    list_others(q, p, reach);
    if (others_.empty()) return;
    const Placed shape{geometry_[static_cast<std::size_t>(q)],
                       frame_[static_cast<std::size_t>(geometry_[static_cast<std::size_t>(q)].body)]};
    const auto buried = [&](const Contact& c) {
      const BuriedPoint touch =
          q_is_b ? BuriedPoint{c.id.feature_b, c.point_b, c.normal} : BuriedPoint{c.id.feature_a, c.point_a, -c.normal};
      if (!is_buried(shape, touch, others_, eta, reach)) return false;
      blocked_.push_back(c.normal);
      overlapped = overlapped || c.gap < -kSunk * std::min(ga.radius, gb.radius);
      return true;
    };
    contacts.erase(std::remove_if(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(), buried),
                   contacts.end());
  };
  const bool convex = ga.family == Family::Polyhedron && gb.family == Family::Polyhedron && ga.polyhedron.convex &&
                      gb.polyhedron.convex;
  blocked_.clear();
  for (int round = 0; round <= kMostFacets; ++round) {
    filter(pair.b, pair.a, true);
    filter(pair.a, pair.b, false);
    if (explained() || blocked_.empty() || !convex || round == kMostFacets) return;
    contacts.resize(first);
    search_pair(pair, margin, horizon, blocked_, contacts);
    if (contacts.size() > first) continue;
    if (overlapped && !any_depth_) unexplained_.push_back(pair);
    return;
  }
}

// What hides a pair's contacts is to push its solids apart. Where that does not (blocks of a compound, each so deep in
// the same solid that every facet near it is hidden by the others) the pair's next facet counts, however deep.
void FeatureCollider::explain_overlaps(double margin, double horizon, std::vector<Contact>& contacts) {
  const std::size_t told = contacts.size();
  const auto fixed = [&](int body) { return fixed_[static_cast<std::size_t>(body)] != 0; };
  const auto is_pushed = [&](const ShapePair& pair) {
    const Geometry &a = geometry_[static_cast<std::size_t>(pair.a)], &b = geometry_[static_cast<std::size_t>(pair.b)];
    const auto joined = [&](int x, int y) { return x == y || (fixed(x) && fixed(y)); };
    const double sunk = -kSunk * std::min(a.radius, b.radius);
    return std::any_of(contacts.begin(), contacts.begin() + static_cast<std::ptrdiff_t>(told), [&](const Contact& c) {
      const bool same = joined(c.id.body_a, a.body) && joined(c.id.body_b, b.body),
                 turned = joined(c.id.body_a, b.body) && joined(c.id.body_b, a.body);
      return c.gap < sunk && (same || turned);
    });
  };
  any_depth_ = true;
  for (const ShapePair& pair : unexplained_) {
    if (is_pushed(pair)) continue;
    const std::size_t first = contacts.size();
    search_pair(pair, margin, horizon, {}, contacts);
    drop_buried(pair, margin, horizon, first, contacts);
  }
  any_depth_ = false;
  unexplained_.clear();
  std::sort(contacts.begin(), contacts.end(), [](const Contact& x, const Contact& y) { return x.id < y.id; });
}

}  // namespace stickslip::collision
