// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/choose_stepper.h"

#include "stickslip/contact/compliance.h"
#include "stickslip/stepping/stepper.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {
namespace {

bool is_free(const model::Body& body) {
  return body.mass > 0;
}

bool accepts(Method method, const model::Model& model, const char* stepper) {
  method.stepper = stepper;
  return objection_to(method, model).empty();
}

// h max(sqrt(K W), C W) over the contacts that two bodies may have.
double step_over_contact_time(const Method& method, const model::Model& model) {
  double largest = 0;
  const auto inverse_mass = [&](std::size_t i) { return is_free(model.bodies[i]) ? 1 / model.bodies[i].mass : 0.0; };
  for (std::size_t a = 0; a < model.bodies.size(); ++a)
    for (std::size_t b = a + 1; b < model.bodies.size(); ++b) {
      const int law = model.surface_between(static_cast<int>(a), static_cast<int>(b));
      const double W = inverse_mass(a) + inverse_mass(b);
      if (law < 0 || W == 0) continue;
      const model::Compliance& c = model.surfaces[static_cast<std::size_t>(law)].compliance;
      const double K = std::max(c.stiffness_normal, c.stiffness_tangential);
      const double C = std::max(c.damping_normal, c.damping_tangential);
      largest = std::max({largest, std::sqrt(K * W), C * W});
    }
  return method.step * largest;
}

// On how many points a body stands.
int points_of(const model::Body& body) {
  const bool round = std::ranges::all_of(body.shapes, [](const model::PlacedShape& placed) {
    return std::holds_alternative<model::Disc>(placed.shape) || std::holds_alternative<model::Sphere>(placed.shape) ||
           std::holds_alternative<model::Superellipse>(placed.shape) ||
           std::holds_alternative<model::Superellipsoid>(placed.shape);
  });
  return round ? 1 : body.planar() ? 2 : 4;
}

bool is_crowd(const model::Model& model) {
  int contacts = 0;
  for (std::size_t a = 0; a < model.bodies.size() && contacts <= kMostSecondOrder; ++a) {
    if (!is_free(model.bodies[a])) continue;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      if (a == b || !is_free(model.bodies[b]) || model.surface_between(static_cast<int>(a), static_cast<int>(b)) < 0)
        continue;
      contacts += points_of(model.bodies[a]);
      break;
    }
  }
  return contacts > kMostSecondOrder;
}

}  // namespace

StepperChoice choose_stepper(const Method& method, const model::Model& model) {
  constexpr const char* kFirstOrder = "stewart-trinkle";
  constexpr const char* kCompliant = "song-pang-kumar";
  if (method.stepper != kAutoStepper) return {method.stepper, ""};
  if (method.motion != MotionModel::Dynamic) return {kFirstOrder, "motion without inertia"};
  if (method.compliance == SoftContacts::Normal) return {kFirstOrder, "compliance along normals only"};
  if (method.gamma > 0 || method.gap_step > 0) return {kCompliant, "gamma and gap_step are its options"};
  if (method.impacts != ImpactSearch::Auto) return {kFirstOrder, "impacts as asked"};
  const bool compliant =
      method.compliance == SoftContacts::Auto && std::ranges::any_of(model.surfaces, [](const model::Surface& surface) {
        return contact::is_compliant(surface.compliance);
      });
  if (compliant) {
    const bool resolved = step_over_contact_time(method, model) <= 1;
    if (resolved && accepts(method, model, "runge-kutta"))
      return {"runge-kutta", "contacts with a stiffness, which the step resolves"};
    if (accepts(method, model, kCompliant))
      return {kCompliant, resolved ? "contacts with a stiffness, some of which runge-kutta cannot handle"
                                   : "contacts with a stiffness, stiffer than the step resolves"};
  }
  if (is_crowd(model)) return {kFirstOrder, "many bodies that may touch each other"};
  if (accepts(method, model, "second-order")) return {"second-order", "rigid bodies in motion"};
  return {kFirstOrder, "second order refuses this scene"};
}

Method with_stepper(Method method, const model::Model& model) {
  method.stepper = choose_stepper(method, model).stepper;
  return method;
}

}  // namespace stickslip::stepping
