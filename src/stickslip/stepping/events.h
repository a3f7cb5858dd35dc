// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which change of contact mode comes first within a trial step, and when.
//
// Forces are means over a sub-step, that is, values at its middle. The reserves of the normal force and of friction
// there,
//
//     m_n = (p_n - max(0, u_n1) / G_nn) / h,        m_t = (mu_s p_n - |p_t| - |u_t1| / G_tt) / h,
//
// are also meaningful when the solver already let go (they are then negative). A line through the reserves of two
// sub-steps predicts when they vanish, to second order:
//
//     lift    closed, m_n falls below zero before the end
//     slip    sticking, m_t falls below zero before the end
//     touch   open, the gap is negative at the end or between
//     stop    sliding, the slip changes direction
//     turn    sliding in space past zero slip without stopping: no event, but the sub-step must be shortened
//
// Symbol        variable                    meaning
//   m_n, m_t    Margins                     reserves, forces
//   p           ContactTrial::p             impulse over the sub-step
//   u_n1, u_t1  ContactTrial::u1            velocity at its end
//   G           ContactTrial::g             diagonal of W
//   mu_s        Surface::friction_static
//
// A sticking contact may both slip and lift within one step; the earlier one (as a rule the slip, since the cone
// shrinks with the normal force) is what counts.
//
// Turns. Friction follows the direction of slip; over a sub-step in which that turns by da the mean of the direction is
// off by about da^2/12. The allowed turn is proportional to the step: kTurnPerStep * H / T, T = slip_peak / |du/dt|,
// the time in which the slip builds up, so that the error of one passage near zero slip falls like H^2.
//
// Cost: linear in the contacts of the component.
#pragma once

#include "stickslip/stepping/trial.h"

#include <algorithm>

namespace stickslip::stepping {

enum class EventKind : char { None, Touch, Lift, Slip, Stop };

constexpr int kNoContact = -1;

struct EventCandidate {
  EventKind kind = EventKind::None;
  int contact = kNoContact;
  double tau = 0;                // time from the start of the trial
  bool without_history = false;  // the solver changed the mode, and no line tells when
  double turn = 0;           // of slip, over what is allowed; > 1: shorten the sub-step unless an event comes before
  int turning = kNoContact;  // the contact whose slip turns so

  [[nodiscard]] bool turns_too_far(double h) const { return turn > 1 && (kind == EventKind::None || tau * turn > h); }
};

struct Margins {
  double normal = 0, tangential = 0;
};
[[nodiscard]] Margins force_margins(const ContactTrial& contact, double mu_static, double h, int dimension);

// Slip below this is zero up to rounding (noise.h).
[[nodiscard]] double slip_noise(const ContactStart& start, const ContactTrial& contact, int dimension);

// A sliding contact whose slip ends or reverses within the trial.
[[nodiscard]] bool slip_crosses(const ContactStart& start, const ContactTrial& contact, int dimension);

// How far the slip turns within a trial of length h in a step of length H, over what is allowed. 0: it passes zero so
// closely that it counts as a stop.
[[nodiscard]] double relative_turn(const ContactStart& start, const ContactTrial& contact, double H, double h);

constexpr double kTurnAim = 0.7;  // of the allowed turn of slip per sub-step
// The longest sub-step after a trial of length h in which the slip turned so (of what is allowed), between these parts of h.
[[nodiscard]] inline double length_by_turn(double h, double turn, double least, double most) {
  return h * std::clamp(kTurnAim / turn, least, most);
}

// A contact that opened at this very instant and has not been hit since.
[[nodiscard]] bool rests_open(const World& world, const ContactStart& contact);

// The first among contacts that close, except those.
[[nodiscard]] EventCandidate first_touch(const World& world, const Component& component, const Trial& trial);

// H: length of the whole step, h_min: the shortest sub-step.
[[nodiscard]] EventCandidate first_event(const World& world, const Component& component, const Trial& trial, double H,
                                         double h_min);

}  // namespace stickslip::stepping
