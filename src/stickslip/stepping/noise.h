// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What is below noise, and why. A number that is the difference of larger ones is known up to a share of the sum of
// their magnitudes; below that it is taken for zero. Each bound is `share` times `scale`:
//
//     quantity                           share             scale: magnitudes of                where
//     velocity after a first-order step  kVelocityNoise    v_free, A^-1 J' p of all contacts   rest.h
//     the same, a large island at rest   certificate       the same                            rest.h
//     slip of a contact                  kVelocityNoise or velocities that meet in it, |q|     contact_memory.h
//                                        the certificate
//     the same, of a large island        VelocityNoise     what its certificate leaves open    below
//     friction at its bound              kVelocityNoise    mu r_n                              contact_memory.h
//     slip or approach, second order     kEventNoise       W p, the largest slip so far        slip_noise()
//     reserve of friction, second order  kForceNoise       forces of the contact               events.cpp
//     reserve of a compliant contact     kFlowNoise        terms of the reserve                runge_kutta.cpp
//     gap                                kGapNoise         coordinates of points and bodies    rest.h
//     gap at the instant of an event     kInstantGapNoise  coordinates of the points           trial.cpp
//     gap of a closed contact            kClosedGap        the arm of its point                contact_selection.cpp
//     gap over the step, large island    VelocityNoise     what certificate_at_worst leaves    stewart_trinkle.cpp
//     rest of a step that was divided    kTimeNoise        the length of the step              all that divide steps
//
// Reasons. After a solve to rounding (problem_solver.h) velocities are known to about 1e-12 of their terms. Second
// order compares trials, each a solve of its own: ten times that. A gap is a difference of coordinates, known to a few
// of their last bits; at the instant of an event several evaluations meet. A problem so large that it is only solved to
// its certificate has velocities that are known no better than that: the certificate takes the place of the share.
//
// Instants of impacts are found to 1e-10 of the arm (euler_stepper.cpp): what is closed has a gap of ten times that. The
// parts of a step, up to thousands, add up to its length but for a last bit each: what is left then is no part.
//
// A bound that is too large would hold bodies that move: 1e-12 of gravity, over a step, is far below what any step
// resolves. One that is too small would let bodies at rest creep by what solvers leave, over millions of steps.
#pragma once

#include "stickslip/contact/contact_system.h"

#include <cmath>
#include <limits>

namespace stickslip::stepping {

inline constexpr double kVelocityNoise = 1e-12;
inline constexpr double kEventNoise = 1e-11;
inline constexpr double kForceNoise = 1e-12;
inline constexpr double kFlowNoise = 64 * std::numeric_limits<double>::epsilon();
inline constexpr double kGapNoise = 8 * std::numeric_limits<double>::epsilon();
inline constexpr double kInstantGapNoise = 64 * std::numeric_limits<double>::epsilon();
inline constexpr double kClosedGap = 1e-9;
inline constexpr double kTimeNoise = 1e-12;

inline void remove_noise(double noise, Vec3& v) {
  for (int k = 0; k < 3; ++k)
    if (std::fabs(v[k]) <= noise) v[k] = 0;
}

// How far the velocities of an island's contacts may be from those of the exact answer: what the certificate allows,
//     |u_c - exact| <= error max(|q'|, |r'|) / s_c          (block-scaled variables of contact_residual.h)
class VelocityNoise {
 public:
  explicit VelocityNoise(const contact::Island& island) : VelocityNoise(island, island.summary.residual.error) {}
  // The same for impulses of the size of island.r that are certified to `error`.
  VelocityNoise(const contact::Island& island, double error);
  [[nodiscard]] double of(int contact) const;

 private:
  const complementarity::ContactProblem& problem_;
  double scaled_ = 0;
};

}  // namespace stickslip::stepping
