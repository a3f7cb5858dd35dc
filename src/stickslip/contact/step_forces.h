// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The contact forces of a step: which of them the motion determines, and between which bounds the others lie.
//
// Made from what a step shows (ContactResult), so that it is one code for all steppers: the load of an island of
// contacts is what the forces of the step do to the free degrees of freedom of its bodies,
//
//     g = sum over contacts of J' f        (force and moment about the centre of mass, in the geometry of the end of the step)
//
// and the range of a force is taken over all forces with the same g in the same modes (force_range.h):
//
//     sticks, rolls    N >= 0,  |t| <= mu_static N
//     slides           N >= 0,  t in the ratio to N that the step has it in; that of Coulomb's law where N = 0
//     touches          a gap below kClosedGap of the distance to the bodies: takes part with N >= 0, though it may bear nothing
//     gives way        N (or t) is what its spring says: a further row of G
//
// Friction of supports (2.5D) stays what it is. In a step in which modes change, forces are means over the step, and the modes
// those at its end.
//
// Islands of more than kMostPlanar or kMostSpatial contacts: [0, infinity] with Interval::open infinite, that is, not known.
//
// Cost: that of force_range.h, when an island is first asked for.
#pragma once

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/contact/contact_result.h"
#include "stickslip/contact/contact_rows.h"
#include "stickslip/contact/force_range.h"

#include <memory>
#include <span>
#include <vector>

namespace stickslip::contact {

// A contact that touches. Forces on body_a.
struct TouchingForce {
  int contact = 0;            // in the step's results
  double normal = 0;          // as the step has it
  double tangent[2] = {};     // along tangent_direction; in the plane the second is 0
  Vec3 tangent_direction[2];  // of contact_rows.h
  Interval normal_range, tangent_range[2];
  bool unique = true;     // the whole force
  bool canonical = true;  // it is that of the canonical share (canonical_share.h), as far as its contacts are looked at
};

class StepForces {
 public:
  // All must outlive this.
  StepForces(const model::Model& model, const model::State& state, std::span<const ContactResult> results,
             const ForceLaw& law = {});
  ~StepForces();
  StepForces(const StepForces&) = delete;
  StepForces& operator=(const StepForces&) = delete;

  // Contacts that touch, by their places in the results.
  [[nodiscard]] const std::vector<int>& touching() const { return touching_; }
  // Of one of them: touching()[k].
  [[nodiscard]] TouchingForce force(std::size_t k);
  // Contacts that touch and share movable bodies, by their places in touching().
  [[nodiscard]] std::size_t islands() const { return groups_.size(); }
  [[nodiscard]] std::span<const int> members(std::size_t island) const;
  // The forces on body_a of an island's members in their canonical share. False: not found, or surfaces give way.
  struct Shared {
    Vec3 force;
    bool sticks;
  };
  [[nodiscard]] bool share(std::size_t island, CanonicalShare& by, std::vector<Shared>& found);
  // Of the sum of the normal forces between two bodies; b = -1: between a and any other.
  [[nodiscard]] Interval normal_force(int a, int b);

  static constexpr double kClosedGap = 1e-9;
  // Contacts of an island: beyond, nothing is known of ranges.
  static constexpr std::size_t kMostPlanar = 200, kMostSpatial = 60;

 private:
  struct Group;  // an island of contacts
  void find_touching();
  void group();
  struct Freedoms {
    std::vector<Eigen::Index> first;  // row of each body's first one; -1: has none
    Eigen::Index count = 0;
    double per_arm = 0;  // one over a length of the group
  };
  [[nodiscard]] Freedoms freedoms_of_bodies(const Group& group) const;
  [[nodiscard]] bool is_soft(int k, bool normal) const;
  template <class Column>
  void add_momenta(const Freedoms& freedoms, const ContactRows& rows, int d, double weight, Column&& column) const;
  void make(Group& group);  // its load
  static bool is_canonical(Group& group);
  Group& with_range(Group& group);
  void add_contact(Group& group, int k);
  Group& group_of(std::size_t k) { return with_range(*groups_[static_cast<std::size_t>(place_[k].first)]); }
  [[nodiscard]] std::size_t most_contacts() const { return dimension_ == 2 ? kMostPlanar : kMostSpatial; }

  const model::Model& model_;
  const model::State& state_;
  std::span<const ContactResult> results_;
  ForceLaw law_;
  int dimension_;
  std::vector<BodyTraits> traits_;
  std::vector<int> touching_;
  std::vector<ContactRows> rows_;           // of touching contacts
  std::vector<std::pair<int, int>> place_;  // of touching contacts: group, place in it
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace stickslip::contact
