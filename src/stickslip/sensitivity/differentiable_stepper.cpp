// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/differentiable_stepper.h"

#include "stickslip/sensitivity/run_sensitivity.h"
#include "stickslip/stepping/stepper.h"
#include "stickslip/stepping/stepper_traits.h"

#include <fmt/format.h>

namespace stickslip::sensitivity {

DifferentiableStepper with_differentiable_stepper(const scene::Document& document,
                                                  std::span<const scene::Override> overrides) {
  DifferentiableStepper result{{overrides.begin(), overrides.end()}, {}};
  const scene::Scene scene = scene::make_scene(document, overrides);
  const std::string& chosen = scene.method.stepper;
  // Compliant surfaces are another model than rigid ones, whatever its derivatives.
  if (scene.why_stepper.empty() || stepping::traits_of(chosen).compliant) return result;
  if (RunSensitivity::objection_to(scene.model, scene.method).empty()) return result;
  for (const char* name : {"stewart-trinkle", "implicit"}) {
    stepping::Method method = scene.method;
    method.stepper = name;
    if (!stepping::objection_to(method, scene.model).empty() || !RunSensitivity::covers_all_steps(scene.model, method))
      continue;
    result.overrides.push_back({"method.stepper", name});
    result.note =
        fmt::format("stepper {}, whose steps have exact derivatives, instead of {}: name one in the scene to have that",
                    name, chosen);
    return result;
  }
  return result;
}

}  // namespace stickslip::sensitivity
