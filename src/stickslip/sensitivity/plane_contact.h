// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contacts whose rows are known in closed form wherever the bodies move: something round about its centre of mass, or a
// point that does not turn, on a plane. Per unit of a move, with e its axis, n and t normal and tangents:
//
//     plane turned by e      dn = e x n,   dt = -(t . dn) n,   the gap changes by dn . (arm to the point)
//     body b moved by e      n, t as they are; the foot of the point on the plane moves by the tangential part of e
//
// Cost: O(1) per contact and move.
#pragma once

#include "stickslip/contact/contact_rows.h"
#include "stickslip/model/model.h"

#include <span>

namespace stickslip::sensitivity {

class PlaneContact {
 public:
  // Which of the two bodies is the plane; None: it is no such contact.
  enum class Side { None, A, B };
  [[nodiscard]] static Side side_of(const model::Model& model, const collision::ContactId& id);
  // Whether the rows of a contact turn when its bodies move. Those of such contacts on planes that do not turn do not.
  [[nodiscard]] static bool bends(const model::Model& model, std::span<const contact::BodyTraits> traits,
                                  const collision::ContactId& id, const model::State& state);

  // side is not None. The contact must outlive it.
  PlaneContact(const model::Model& model, const collision::Contact& contact, const model::State& state, Side side);

  // The part of a world axis along the plane.
  [[nodiscard]] Vec3 along(int axis) const { return Vec3::Unit(axis) - contact_.normal[axis] * contact_.normal; }
  // What is added to the rows per unit: of body b moved along, of the plane turned about an axis.
  void shift(int axis, int tangents, contact::ContactRows& rows) const;
  void turn(int axis, int tangents, contact::ContactRows& rows) const;

 private:
  const collision::Contact& contact_;
  bool plane_is_a_, round_;
  Vec3 arm_a_, arm_b_, to_point_;
};

}  // namespace stickslip::sensitivity
