// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which stepper a model gets when the method leaves it open (stepper = "auto", the default). The first line that holds:
//
//     motion without inertia                                      stewart-trinkle    others know dynamic motion only
//     compliance = "normal", impacts other than "auto"            stewart-trinkle    options of first-order steps
//     gamma or gap_step                                           song-pang-kumar    options of that stepper
//     a contact has a stiffness, and the step resolves it         runge-kutta        fifth order; these two lines not
//     a contact has a stiffness, and it does not                  song-pang-kumar    with compliance = "off"
//     a crowd                                                     stewart-trinkle    gains nothing from higher order
//     otherwise                                                   second-order
//
// "Resolves": a contact between bodies of masses m_a and m_b oscillates and settles no faster than a step can follow,
//
//     h max( sqrt(K W), C W ) <= 1,      W = 1/m_a + 1/m_b,  0 for what is driven or fixed
//
// K, C: stiffness and damping along the normal, or along the tangents where those are larger. Six steps per
// oscillation; runge-kutta divides steps as its error asks, so this is about cost and not about accuracy.
//
// A crowd: free bodies that may touch each other and could share more contacts than kMostSecondOrder, counted as if each
// stood on another one: round bodies on 1 point, others on 2 in the plane and 4 in space. Second order takes them, too;
// but bodies that collide all the time make most of its steps first order, and none more accurate.
//
// A stepper that refuses the model (objection_to in stepper.h) makes room for the next line; stewart-trinkle is what
// remains, and its objection is then the user's to read. The choice depends on the model and the method alone and is
// made once, when a scene is read or a Simulation is made: what runs, and what is written anywhere, has a concrete name.
//
// Cost: a look at each pair of bodies, until enough are found.
#pragma once

#include "stickslip/stepping/method.h"

#include <string>

namespace stickslip::model {
struct Model;
}

namespace stickslip::stepping {

inline constexpr const char* kAutoStepper = "auto";
inline constexpr int kMostSecondOrder = 40;  // contacts of a crowd

struct StepperChoice {
  std::string stepper;
  std::string why;  // half a sentence; empty: the method names its stepper
};

// A method that names its stepper keeps it.
[[nodiscard]] StepperChoice choose_stepper(const Method& method, const model::Model& model);

// The method with the stepper that it names or that was chosen.
[[nodiscard]] Method with_stepper(Method method, const model::Model& model);

}  // namespace stickslip::stepping
