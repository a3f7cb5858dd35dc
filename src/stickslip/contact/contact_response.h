// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How one body answers at a contact c to impulses at a contact d: a block of the Delassus matrix,
//
//     W_cd += sign J_c A^-1 J_d',      J_c A^-1 J_d' = d_c . (M^-1 d_d) + m_c . (I^-1 m_d)      for each pair of rows
//
// and other arithmetic of rows for which the dimension is known when it is compiled.
//
// Symbol   variable       meaning
//   d      direction      of a row: normal or tangent
//   m      moment         of the row about the centre of mass, arm x d
//   I^-1 m turn           contact_rows.h; damping is in M and I (body_dynamics.h)
//   sign                  -1 when the body is body a of one contact and body b of the other
//
// Cost: O(D^2) per block, without branches.
#pragma once

#include "stickslip/contact/contact_rows.h"

namespace stickslip::contact {

// block += sign * J_c A^-1 J_d' of one shared body.
template <int D>
inline void add_response(const Vec3* direction_c, const Vec3* moment_c, const Vec3* direction_d, const Vec3* turn_d,
                         const Vec3& inverse_mass, double sign, double* block) {
  for (int l = 0; l < D; ++l) {
    const Vec3 push = inverse_mass.cwiseProduct(direction_d[l]);
    for (int k = 0; k < D; ++k) {
      if constexpr (D == 2)  // all moments are about z
        block[k * D + l] +=
            sign * (direction_c[k].x() * push.x() + direction_c[k].y() * push.y() + moment_c[k].z() * turn_d[l].z());
      else
        block[k * D + l] += sign * (direction_c[k].dot(push) + moment_c[k].dot(turn_d[l]));
    }
  }
}

// relative_velocity() without what is zero in the plane.
template <int D>
[[nodiscard]] inline double velocity_along(const ContactRows& rows, int k, const model::Twist& a,
                                           const model::Twist& b) {
  if constexpr (D == 2)
    return rows.direction[k].x() * (a.linear.x() - b.linear.x()) +
           rows.direction[k].y() * (a.linear.y() - b.linear.y()) + rows.moment_a[k].z() * a.angular.z() -
           rows.moment_b[k].z() * b.angular.z();
  else
    return relative_velocity(rows, k, a, b);
}

}  // namespace stickslip::contact
