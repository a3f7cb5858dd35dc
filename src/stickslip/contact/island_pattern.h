// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The block pattern of an island's Delassus matrix: contacts c and d have a block if they share a movable body.
#pragma once

#include "stickslip/contact/contact_system.h"

namespace stickslip::contact {

// Storage that is kept between calls.
struct PatternScratch {
  std::vector<int>&start, &contact, &slot;
};

// Sizes problem.W, q, mu and mirror from island.bodies. mirror[p] is the stored block (d, c) of the
// stored block p = (c, d). Cost: O(blocks).
void make_pattern(int dimension, std::size_t bodies, Island& island, PatternScratch scratch);

}  // namespace stickslip::contact
