// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contact problems made on the spot: named mechanical ones with known behaviour, and random ones for robustness.
//
// All are built from bodies: W = H' M^-1 H and q = H' v with v the bodies' velocities before contact. q then lies in
// the range of H', so that every one of them has a solution (Klarbring and Pang 1998), however redundant its contacts
// are; except the squeezed ones, which have none. The same seed gives the same problem on every machine: the random
// numbers are our own.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"

#include <cstdint>
#include <string>

namespace stickslip::complementarity {

enum class ContactFamily {
  Cloud,    // random points and normals on up to 10 bodies
  Stack,    // boxes on boxes, four (planar: two) corner contacts per face: hyperstatic
  LowRank,  // random matrix of prescribed rank, contacts of very different scale
  Wedge,    // one to three bodies held between many walls: jamming
  Pile,     // discs or spheres packed in a box under gravity
};
enum class ContactVariant {
  Plain,
  Duplicated,   // some contacts repeated exactly
  Parallel,     // some contacts repeated with a relative difference of 1e-9 .. 1e-2
  SpecialRows,  // some contacts are supports or bilateral, some compliant
};

struct RandomContactProblem {
  ContactProblem problem;
  ContactFamily family;
  ContactVariant variant;
};

// 1 to 40 contacts, planar or spatial, friction from 0 to 10, mass ratios up to 1e6.
[[nodiscard]] RandomContactProblem random_contact_problem(std::uint64_t seed);

// The same with one more contact, so that no impulse opens all contacts: rigid jaws, or a wedge, that close with the
// speed `closing` times the largest entry of q. Has no solution (squeezed_contacts.cpp).
[[nodiscard]] ContactProblem squeezed_contact_problem(std::uint64_t seed, double closing = 1.0);

[[nodiscard]] const char* to_string(ContactFamily family);
[[nodiscard]] const char* to_string(ContactVariant variant);

// A block of unit mass on a table, on three (planar: two) contacts, with a velocity (vx, vy, angular) in the plane of
// the table before a step of gravity g h. Slides, turns or sticks.
[[nodiscard]] ContactProblem block_on_table(int dimension, double mu, double vx, double vy = 0, double angular = 0,
                                            double gravity_step = 9.81e-3);

// `count` boxes on each other and on the ground, pushed sideways at the top with velocity `push`.
[[nodiscard]] ContactProblem box_stack(int dimension, int count, double mu, double push = 0);

// Spheres (planar: discs) in a box-shaped pyramid of the given base length, settling under gravity.
[[nodiscard]] ContactProblem sphere_pile(int dimension, int base, double mu);

}  // namespace stickslip::complementarity
