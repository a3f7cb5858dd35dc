// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/step_forces.h"

#include "stickslip/complementarity/union_find.h"
#include "stickslip/contact/canonical_share.h"
#include "stickslip/contact/compliance.h"
#include "stickslip/contact/material.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stickslip::contact {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Interval kUnknown{0, kInfinity, kInfinity};

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The free degrees of freedom of a body: three translations, three rotations.
std::array<bool, 6> freedoms_of(const model::Body& body, const BodyTraits& traits) {
  std::array<bool, 6> free{};
  for (std::size_t k = 0; k < 3; ++k) {
    free[k] = traits.free_translation[k];
    free[3 + k] = traits.free_rotation && (body.planar() ? k == 2 : !body.drive.rotation_locked[k]);
  }
  return free;
}

}  // namespace

struct StepForces::Group {
  std::vector<int> members;  // places in touching_
  SharedLoad load;
  VectorXd N, t;
  bool canonical = true, gives_way = false;
  std::unique_ptr<ForceRange> range;  // null: not asked for yet
};

StepForces::StepForces(const model::Model& model, const model::State& state, std::span<const ContactResult> results,
                       const ForceLaw& law)
    : model_(model),
      state_(state),
      results_(results),
      law_(law),
      dimension_(model.dimension),
      traits_(body_traits(model)) {
  find_touching();
  group();
}

StepForces::~StepForces() = default;

void StepForces::find_touching() {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const ContactResult& one = results_[i];
    const auto a = at(one.contact.id.body_a), b = at(one.contact.id.body_b);
    if (!traits_[a].movable && !traits_[b].movable) continue;
    double reach = 0;
    if (traits_[a].movable) reach = (one.contact.point_a - state_.bodies[a].pose.position).norm();
    if (traits_[b].movable) reach = std::max(reach, (one.contact.point_b - state_.bodies[b].pose.position).norm());
    const bool bears = one.force.dot(one.contact.normal) > 0;
    if (!bears && one.mode == Mode::Open && !(one.contact.gap <= kClosedGap * reach)) continue;
    touching_.push_back(static_cast<int>(i));
    ContactRows& rows = rows_.emplace_back();
    if (dimension_ == 2)
      set_rows<2>(one.contact, state_, rows);
    else
      set_rows<3>(one.contact, state_, rows);
  }
}

// Contacts that share a movable body.
void StepForces::group() {
  std::vector<int> parent(model_.bodies.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int b) { return complementarity::find_root(parent, b); };
  for (const ContactRows& rows : rows_)
    if (traits_[at(rows.a)].movable && traits_[at(rows.b)].movable) parent[at(root(rows.a))] = root(rows.b);
  std::vector<int> group_of_root(model_.bodies.size(), -1);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    int& number = group_of_root[at(root(traits_[at(rows_[k].a)].movable ? rows_[k].a : rows_[k].b))];
    if (number < 0) {
      number = static_cast<int>(groups_.size());
      groups_.push_back(std::make_unique<Group>());
    }
    Group& group = *groups_[at(number)];
    place_.emplace_back(number, static_cast<int>(group.members.size()));
    group.members.push_back(static_cast<int>(k));
  }
}

// Its law: which of its forces are unknown, and the share that the step has.
void StepForces::add_contact(Group& group, int k) {
  const ContactResult& result = results_[at(touching_[at(k)])];
  const ContactRows& rows = rows_[at(k)];
  const auto i = static_cast<Index>(group.load.closed.size());
  double t[2] = {}, u[2] = {}, slip = 0;
  group.N[i] = std::max(result.force.dot(rows.direction[0]), 0.0);
  for (int d = 1; d < dimension_; ++d) {
    t[d - 1] = result.force.dot(rows.direction[d]);
    u[d - 1] = result.relative_velocity.dot(rows.direction[d]);
    slip = std::hypot(slip, u[d - 1]);
  }
  SharedLoad::Closed one;
  one.contact = k;
  one.mu = friction_coefficient(model_.surfaces[at(result.contact.surface)], result.mode);
  one.direction[0] = 1;
  const bool bears = group.N[i] > 0;
  // One that bears nothing counts as open for steppers, which do not tell whether it slips.
  double speed = 0;
  for (const int b : {rows.a, rows.b}) speed += state_.bodies[at(b)].velocity.linear.norm();
  one.sticks = result.mode == Mode::Open ? !(slip > kClosedGap * speed) : result.mode != Mode::Slide;
  if (result.mode == Mode::Open && bears) one.sticks = false;  // it lifted off within the step
  if (one.sticks && one.mu > 0) {
    one.first = group.t.size();
    group.t.conservativeResize(one.first + dimension_ - 1);
    for (int d = 0; d < dimension_ - 1; ++d) group.t[one.first + d] = t[d];
  } else if (!one.sticks) {
    for (int d = 1; d < dimension_; ++d)
      one.direction[d] = bears ? t[d - 1] / group.N[i] : slip > 0 ? -one.mu * u[d - 1] / slip : 0.0;
  }
  group.load.closed.push_back(one);
}

// The rows of G: the free degrees of freedom of the bodies, in the order of the contacts that touch them.
StepForces::Freedoms StepForces::freedoms_of_bodies(const Group& group) const {
  Freedoms found;
  found.first.assign(model_.bodies.size(), -1);
  double arm = 0;
  for (const int k : group.members) {
    const ContactRows& rows = rows_[at(k)];
    for (const int b : {rows.a, rows.b}) {
      if (found.first[at(b)] < 0) {
        found.first[at(b)] = found.count;
        found.count += std::ranges::count(freedoms_of(model_.bodies[at(b)], traits_[at(b)]), true);
      }
      if (traits_[at(b)].free_rotation)
        for (int d = 0; d < dimension_; ++d)
          arm = std::max(arm, (b == rows.a ? rows.moment_a[d] : rows.moment_b[d]).norm());
    }
  }
  found.per_arm = arm > 0 ? 1 / arm : 0;
  return found;
}

// Has the normal force of a contact, or its friction, a spring that determines it?
bool StepForces::is_soft(int k, bool normal) const {
  const model::Compliance& law = model_.surfaces[at(results_[at(touching_[at(k)])].contact.surface)].compliance;
  if (normal) return law_.soft_normal && (law.patch != nullptr || law.stiffness_normal > 0 || law.damping_normal > 0);
  return law_.soft_tangential && (law.patch != nullptr || law.stiffness_tangential > 0 || law.damping_tangential > 0);
}

// column += weight times what a unit impulse along a row does to the momenta.
template <class Column>
void StepForces::add_momenta(const Freedoms& freedoms, const ContactRows& rows, int d, double weight,
                             Column&& column) const {
  for (const bool is_a : {true, false}) {
    const int b = is_a ? rows.a : rows.b;
    const auto free = freedoms_of(model_.bodies[at(b)], traits_[at(b)]);
    const Vec3& moment = is_a ? rows.moment_a[d] : rows.moment_b[d];
    const double sign = is_a ? weight : -weight;
    Index row = freedoms.first[at(b)];
    for (int k = 0; k < 6; ++k)
      if (free[at(k)]) column[row++] += sign * (k < 3 ? rows.direction[d][k] : freedoms.per_arm * moment[k - 3]);
  }
}

// G and g. Moments are over a length of the group, so that all rows have one unit; a spring is a further row.
void StepForces::make(Group& group) {
  SharedLoad& load = group.load;
  load.tangents = dimension_ - 1;
  group.N.resize(static_cast<Index>(group.members.size()));
  group.t.resize(0);
  for (const int k : group.members) add_contact(group, k);
  const Freedoms freedoms = freedoms_of_bodies(group);
  Index springs = 0;
  for (const SharedLoad::Closed& one : load.closed)
    springs +=
        (is_soft(one.contact, true) ? 1 : 0) + (one.first >= 0 && is_soft(one.contact, false) ? load.tangents : 0);
  group.gives_way = springs > 0;
  load.normal.setZero(freedoms.count + springs, group.N.size());
  load.tangential.setZero(freedoms.count + springs, group.t.size());
  Index spring = freedoms.count;
  for (std::size_t i = 0; i < load.closed.size(); ++i) {
    const SharedLoad::Closed& one = load.closed[i];
    const ContactRows& rows = rows_[at(one.contact)];
    const auto c = static_cast<Index>(i);
    for (int d = 0; d < dimension_; ++d) {
      if (one.direction[d] != 0) add_momenta(freedoms, rows, d, one.direction[d], load.normal.col(c));
      if (d > 0 && one.first >= 0) add_momenta(freedoms, rows, d, 1, load.tangential.col(one.first + d - 1));
    }
    if (is_soft(one.contact, true)) load.normal(spring++, c) = 1;
    if (one.first >= 0 && is_soft(one.contact, false))
      for (int d = 0; d < load.tangents; ++d) load.tangential(spring++, one.first + d) = 1;
  }
  load.load = load.normal * group.N + load.tangential * group.t;
}

std::span<const int> StepForces::members(std::size_t island) const {
  return groups_[island]->members;
}

bool StepForces::share(std::size_t island, CanonicalShare& by, std::vector<Shared>& found) {
  Group& group = *groups_[island];
  if (group.load.closed.empty()) make(group);
  VectorXd N, t;
  if (group.gives_way || !by.share(group.load, {group.N.data(), static_cast<std::size_t>(group.N.size())}, N, t))
    return false;
  found.clear();
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const SharedLoad::Closed& one = group.load.closed[i];
    const ContactRows& rows = rows_[at(one.contact)];
    Vec3 force = Vec3::Zero();
    for (int d = 0; d < dimension_; ++d) {
      double along = one.direction[d] * N[static_cast<Index>(i)];
      if (d > 0 && one.first >= 0) along += t[one.first + d - 1];
      force += along * rows.direction[d];
    }
    found.push_back({force, one.sticks});
  }
  return true;
}

// The geometry of a step's start, where loads were shared, and of its end differ by what bodies have moved.
bool StepForces::is_canonical(Group& group) {
  constexpr double kSame = 1e-6;
  if (group.load.independent()) return true;
  CanonicalShare share;
  VectorXd N, t;
  if (!share.share(group.load, {group.N.data(), static_cast<std::size_t>(group.N.size())}, N, t)) return false;
  const double size = kSame * N.cwiseAbs().maxCoeff();
  return (N - group.N).cwiseAbs().maxCoeff() <= size && (t.size() == 0 || (t - group.t).cwiseAbs().maxCoeff() <= size);
}

StepForces::Group& StepForces::with_range(Group& group) {
  if (group.range) return group;
  if (group.load.closed.empty()) make(group);
  group.range = std::make_unique<ForceRange>(group.load, group.N, group.t, law_);
  group.canonical = is_canonical(group);
  return group;
}

TouchingForce StepForces::force(std::size_t k) {
  const ContactResult& result = results_[at(touching_[k])];
  TouchingForce force;
  force.contact = touching_[k];
  force.normal = result.force.dot(rows_[k].direction[0]);
  for (int d = 0; d < 2; ++d) {
    force.tangent_direction[d] = d < dimension_ - 1 ? rows_[k].direction[d + 1] : Vec3::Zero();
    force.tangent[d] = result.force.dot(force.tangent_direction[d]);
  }
  if (groups_[at(place_[k].first)]->members.size() > most_contacts()) {
    force.normal_range = kUnknown;
    for (Interval& range : force.tangent_range) range = {-kUnknown.most, kUnknown.most, kUnknown.open};
    force.unique = force.canonical = false;
    return force;
  }
  Group& group = group_of(k);
  const int place = place_[k].second;
  const SharedLoad::Closed& one = group.load.closed[at(place)];
  const auto range = [&](Index normal, double weight, Index tangent) {
    VectorXd w_N = VectorXd::Zero(group.N.size()), w_t = VectorXd::Zero(group.t.size());
    if (normal >= 0) w_N[normal] = weight;
    if (tangent >= 0) w_t[tangent] = 1;
    return group.range->of(w_N, w_t);
  };
  force.normal_range = range(place, 1, -1);
  force.unique = group.range->is_noise(force.normal_range);
  force.canonical = group.canonical;
  for (int d = 0; d < dimension_ - 1; ++d) {
    force.tangent_range[d] = one.first >= 0 ? range(-1, 0, one.first + d) : range(place, one.direction[d + 1], -1);
    force.unique = force.unique && group.range->is_noise(force.tangent_range[d]);
  }
  return force;
}

Interval StepForces::normal_force(int a, int b) {
  Interval sum;
  const auto is_between = [&](int k) {
    const ContactRows& rows = rows_[at(k)];
    if (b < 0) return rows.a == a || rows.b == a;
    return (rows.a == a && rows.b == b) || (rows.a == b && rows.b == a);
  };
  for (const auto& group : groups_) {
    if (!std::ranges::any_of(group->members, is_between)) continue;
    if (group->members.size() > most_contacts()) return kUnknown;
    with_range(*group);
    VectorXd w_N = VectorXd::Zero(group->N.size());
    for (std::size_t i = 0; i < group->members.size(); ++i)
      if (is_between(group->members[i])) w_N[static_cast<Index>(i)] = 1;
    const Interval range = group->range->of(w_N, VectorXd::Zero(group->t.size()));
    sum.least += range.least;
    sum.most += range.most;
    sum.open += range.open;
  }
  return sum;
}

}  // namespace stickslip::contact
