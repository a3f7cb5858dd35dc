// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What one contact did in one step: what observables, recordings and the mode timeline read.
#pragma once

#include "stickslip/collision/contact.h"

#include <cstdint>

namespace stickslip::contact {

// Open: not touching. Stick: touching, no relative motion at the contact point (rolling without slip included).
// Slide: touching and slipping. Roll: sticks while the bodies turn relative to each other.
enum class Mode : std::uint8_t { Open, Stick, Roll, Slide };

[[nodiscard]] constexpr const char* to_string(Mode mode) {
  switch (mode) {
    case Mode::Open: return "open";
    case Mode::Stick: return "stick";
    case Mode::Roll: return "roll";
    case Mode::Slide: return "slide";
  }
  return "unknown";
}

struct ContactResult {
  collision::Contact contact;  // geometry (gap and points at the end of the step)
  Mode mode = Mode::Open;
  Vec3 force = Vec3::Zero();              // on body_a, world frame, mean over the step (impulse / h)
  Vec3 relative_velocity = Vec3::Zero();  // of a against b at the contact point, world frame, end of the step
};

}  // namespace stickslip::contact
