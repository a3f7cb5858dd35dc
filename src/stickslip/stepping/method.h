// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How a model is to be stepped: the [method] table of a scene. What is known about each field beside its type and
// default (range, unit, one line of help) is declared in method_fields.h.
#pragma once

#include <string>
#include <string_view>

namespace stickslip::stepping {

enum class MotionModel : char { Dynamic, FirstOrder, QuasiStatic };  // motion_model.h
enum class FrictionLaw : char { Cone, Pyramid };
// How first-order steppers find the instant of an impact (euler_stepper.h).
enum class ImpactSearch : char { Auto, BackUp, Approach };

// Whether runs are audited (simulation/audit.h).
enum class Auditing : char { On, Off };

// What the stiffness of contacts is for. Auto: for the steppers that know compliant contacts, and for the choice of one.
// Off: the choice takes a rigid stepper whatever stiffness there is. Normal: stewart-trinkle reads it along the normal
// (stewart_trinkle.h).
enum class SoftContacts : char { Auto, Off, Normal };

// Whether a run is accompanied by ones of three and six times its step, from which the errors of its observables are
// estimated (runs/error_bars.h).
enum class ErrorBars : char { Off, On };

// Whether bodies whose step would change nothing are left out of it (resting_bodies.h): the same bits either way.
enum class RestingStep : char { Skipped, Solved };

// The names of a choice, in the order of its values.
template <class Choice>
inline constexpr std::string_view kChoices[] = {""};
template <>
inline constexpr std::string_view kChoices<MotionModel>[] = {"dynamic", "first-order", "quasi-static"};
template <>
inline constexpr std::string_view kChoices<FrictionLaw>[] = {"cone", "pyramid"};
template <>
inline constexpr std::string_view kChoices<ImpactSearch>[] = {"auto", "back-up", "approach"};
template <>
inline constexpr std::string_view kChoices<Auditing>[] = {"on", "off"};

template <>
inline constexpr std::string_view kChoices<SoftContacts>[] = {"auto", "off", "normal"};
template <>
inline constexpr std::string_view kChoices<ErrorBars>[] = {"off", "on"};
template <>
inline constexpr std::string_view kChoices<RestingStep>[] = {"skipped", "solved"};

template <class Choice>
[[nodiscard]] constexpr std::string_view name_of(Choice choice) {
  return kChoices<Choice>[static_cast<std::size_t>(choice)];
}

struct Method {
  MotionModel motion = MotionModel::Dynamic;
  std::string stepper = "auto";  // a name of the stepper registry, or the one that fits the model (choose_stepper.h)
  FrictionLaw friction = FrictionLaw::Cone;
  int directions = 8;        // of the pyramid (spatial contacts only)
  double pyramid_angle = 0;  // of its first direction, from the contact's first tangent
  ImpactSearch impacts = ImpactSearch::Auto;
  SoftContacts compliance = SoftContacts::Auto;
  double step = 1e-3;
  double gap_step = 0;                 // how far a compliant gap moves in a sub-step; 0: no sub-steps
  double gamma = 0;                    // force that rounds the tip of the friction cone (song-pang-kumar)
  double tolerance = 0;                // error of positions at the end; 0: the step is as given (error_control.h)
  std::string solver = "auto";         // a name of the solver registry
  double certificate = 1e-9;           // largest certified residual of a step
  double certificate_at_worst = 1e-6;  // the same where no solver gets there; counted (simulation.h)
  std::string collider = "features";   // a name of the collider registry
  Auditing audit = Auditing::On;
  ErrorBars error_bars = ErrorBars::Off;
  RestingStep rest = RestingStep::Skipped;
  int threads = 1;  // islands in parallel; the result does not depend on it
};

}  // namespace stickslip::stepping
