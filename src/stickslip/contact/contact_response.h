// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How one body answers at a contact c to impulses at a contact d: a block of the Delassus matrix J A^-1 J'.
#pragma once

#include "stickslip/contact/contact_rows.h"

namespace stickslip::contact {

// block += sign * J_c A^-1 J_d' of one shared body.
template <int D>
inline void add_response(const Vec3* direction_c, const Vec3* moment_c, const Vec3* direction_d, const Vec3* turn_d,
                         const Vec3& inverse_mass, double sign, double* block) {
  for (int l = 0; l < D; ++l) {
    const Vec3 push = inverse_mass.cwiseProduct(direction_d[l]);
    for (int k = 0; k < D; ++k) block[k * D + l] += sign * (direction_c[k].dot(push) + moment_c[k].dot(turn_d[l]));
  }
}

}  // namespace stickslip::contact
