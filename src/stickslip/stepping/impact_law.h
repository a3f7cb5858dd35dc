// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Impacts at a frozen configuration: velocities jump, nothing moves.      v+ = v- + M^-1 J' p
//
// One contact alone (an island of one) is followed along its normal impulse (Routh 1905): compression in small increments of
// p_n with friction against the slip of the moment, until u_n = 0; then expansion until
//
//     Newton    u_n+ = -e u_n-                 Poisson   p_expansion = e p_compression
//     Stronge   work of p_n in expansion = -e^2 times that in compression         (Stronge 1990)
//
// so that slip that stops or reverses during the impact is seen. The three agree when friction does not couple into the
// normal velocity (central impacts) and differ otherwise.
//
// Several contacts at once: compression is one contact problem (0 <= p_n _|_ u_n >= 0 with friction), expansion a
// second one in which Newton's contacts get the speed -e u_n- and the others the normal impulse e p_compression
// (Stronge's law is about one contact: the work of several depends on their order), and a third one takes out what
// still approaches. Compression and expansion as two problems of complementarity: Glocker and Pfeiffer 1995.
//
// Energy. Newton's law can give more energy than was lost (friction that reverses slip). Whatever the law, the part of
// the restitution that would do so is taken back: the largest share s in 0 .. 1 of all coefficients in the island is
// used with which kinetic energy does not grow.
//
// Symbol  variable   meaning
//   e     restitution, per contact; 0: inelastic
//   u_n-  q[0]       normal velocity before, negative: approaching
//
// Cost: inelastic, one contact solve; elastic, four, and up to 123 more where s < 1 (41 trials of three). One
// contact alone needs no solve: about 64 increments of compression in space, one in the plane, and as many for expansion.
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/problem_solver.h"
#include "stickslip/stepping/world.h"

namespace stickslip::stepping {

class ImpactSolver {
 public:
  // One contact that takes part.
  struct Law {
    double restitution = 0;
    model::ImpactLaw kind = model::ImpactLaw::Newton;
    double friction = 0;
  };

  // The impulses of one island whose W is assembled; problem.q is the velocity before. False when a contact problem
  // was not solved. island.r: impulses of the whole impact.
  bool resolve(const Method& method, std::span<const Law> laws, contact::Island& island);

 private:
  bool follow(std::span<const Law> laws, double share, contact::Island& island);
  bool in_phases(const Method& method, std::span<const Law> laws, double share, contact::Island& island);
  bool solve_phase(const Method& method, contact::Island& island);

  ProblemSolver solver_;
  std::vector<double> before_, total_, compression_, velocity_;
};

// Does a contact give back anything? Not when the flight that follows would be shorter than a step: bouncing ends
// instead of accumulating for ever. falling: relative acceleration towards each other.
[[nodiscard]] inline bool rebounds(double restitution, double approach, double falling, double step) {
  return approach > 0 && 2 * restitution * approach > step * falling && restitution > 0;
}

// Kinetic energy gained by the impulses island.r in an impact: p . (u- + u+) / 2. before: u-.
[[nodiscard]] double energy_gained(const contact::Island& island, std::span<const double> before);

}  // namespace stickslip::stepping
