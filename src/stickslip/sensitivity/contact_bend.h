// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the normal, the arms and the frame of a contact change when its bodies move, for many unknowns at once
// (tangent_rows.h).
//
//     plane, turned by e      dn = e x n;   a point or something round on it keeps its arm up to the normal
//     anything else           central differences of its geometry over 1e-5 of its size: 4 moves in the plane,
//                             9 in space (of the bodies against each other, and turns of both)
//     frame                   t = (f - (f . n) n) / |...|,  b = n x t        f: the tangent that it is carried from
//
// Features are held: which point of which edge touches is what the step says.
#pragma once

#include "stickslip/collision/collider.h"
#include "stickslip/contact/contact_rows.h"
#include "stickslip/model/model.h"
#include "stickslip/sensitivity/plane_contact.h"
#include "stickslip/sensitivity/tangent_rows.h"

namespace stickslip::sensitivity {

// A body in one configuration, and how that changes.
struct MovedBody {
  model::BodyState at;
  const double* pose = nullptr;      // 6 rows: position, rotation; null: it stands still
  const double* velocity = nullptr;  // 6 rows
};

// A contact in one configuration, and how it changes: three rows each.
struct ContactBend {
  Vec3 direction[3], arm_a, arm_b;
  double *normal = nullptr, *d_arm_a = nullptr, *d_arm_b = nullptr;
  double* d_direction[3] = {};  // the first one is normal
};

class ContactBends {
 public:
  // All must outlive it.
  ContactBends(const model::Model& model, collision::Collider& collider) : model_(model), collider_(collider) {}

  // The frame is carried from that of `from`, null: from its own, which does not change.
  void set(const collision::Contact& contact, const contact::ContactRows& rows, const MovedBody& a, const MovedBody& b,
           const ContactBend* from, std::ptrdiff_t width, rows::Arena& arena, ContactBend& bend);
  // Other bodies do not matter, but the state must have them.
  void set_state(const model::State& state) { state_ = state; }

 private:
  void bend_on_plane(const collision::Contact& contact, PlaneContact::Side side, const MovedBody& a, const MovedBody& b,
                     std::ptrdiff_t width, rows::Arena& arena, ContactBend& bend) const;
  void bend_by_differences(const collision::Contact& contact, const MovedBody& a, const MovedBody& b,
                           std::ptrdiff_t width, rows::Arena& arena, ContactBend& bend);
  void carry(const ContactBend* from, std::ptrdiff_t width, rows::Arena& arena, ContactBend& bend) const;

  const model::Model& model_;
  collision::Collider& collider_;
  model::State state_;
  std::vector<collision::Contact> moved_;
};

}  // namespace stickslip::sensitivity
