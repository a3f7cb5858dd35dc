// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/stepper.h"

#include "stickslip/contact/compliance.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/bending.h"
#include "stickslip/stepping/choose_stepper.h"
#include "stickslip/stepping/euler_stepper.h"
#include "stickslip/stepping/extrapolated_euler.h"
#include "stickslip/stepping/guarded_stepper.h"
#include "stickslip/stepping/method_fields.h"
#include "stickslip/stepping/motion_model.h"
#include "stickslip/stepping/runge_kutta.h"
#include "stickslip/stepping/second_order.h"
#include "stickslip/stepping/stepper_traits.h"
#include "stickslip/stepping/stewart_trinkle.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip::stepping {
namespace {

bool locates_impacts(const Method& method, const model::Model& model) {
  return method.impacts != ImpactSearch::Auto ||
         std::ranges::any_of(model.surfaces, [](const model::Surface& surface) { return surface.restitution > 0; });
}

bool has_patches(const model::Model& model) {
  return std::ranges::any_of(model.surfaces,
                             [](const model::Surface& surface) { return surface.compliance.patch != nullptr; });
}

template <class Kind>
std::unique_ptr<Stepper> make() {
  return std::make_unique<Kind>();
}

// stewart_trinkle.h is the fast page for rigid bodies in motion without rebounds; EulerStep knows the rest of the
// family.
std::unique_ptr<Stepper> general_stewart_trinkle(const Method& method, const model::Model& model) {
  if (method.motion == MotionModel::Dynamic && !contact::has_supports(model) && !locates_impacts(method, model) &&
      !has_bending_shapes(model))
    return nullptr;
  return std::make_unique<EulerStepper>(EulerRules{});
}

std::unique_ptr<Stepper> second_order_on_supports(const Method&, const model::Model& model) {
  return contact::has_supports(model) ? std::make_unique<ExtrapolatedEuler>() : nullptr;
}

std::string objection_of_second_order(const Method& method, const model::Model&) {
  if (method.motion != MotionModel::Dynamic)
    return "the second-order stepper handles only dynamic motion: use stewart-trinkle, anitescu-potra or implicit";
  return {};
}

std::string objection_of_song_pang_kumar(const Method& method, const model::Model& model) {
  if (method.motion != MotionModel::Dynamic)
    return "compliant contacts need dynamic motion: set motion = \"dynamic\", or use a rigid stepper";
  if (std::ranges::any_of(model.surfaces, [](const model::Surface& surface) {
        return contact::is_compliant(surface.compliance) && surface.restitution > 0;
      }))
    return "a compliant contact cannot have a coefficient of restitution: its rebound follows from its damping";
  return {};
}

std::string objection_of_runge_kutta(const Method& method, const model::Model& model) {
  if (has_patches(model))
    return "the runge-kutta stepper handles only lumped contacts: leave out 'patch', or use song-pang-kumar";
  if (method.motion != MotionModel::Dynamic)
    return "the runge-kutta stepper handles only dynamic motion: use song-pang-kumar with motion = \"dynamic\"";
  if (method.friction != FrictionLaw::Cone && model.dimension == 3)
    return "the runge-kutta stepper handles only exact friction: set friction = \"cone\"";
  return RungeKutta::objection_to(model);
}

struct StepperRegistry {
  // Another class for some methods and models; null where the registered one is right.
  using SpecialForm = std::unique_ptr<Stepper> (*)(const Method& method, const model::Model& model);
  struct Entry {
    StepperFactory factory;
    StepperTraits traits;
    SpecialForm special;
  };
  std::vector<complementarity::AlgorithmInfo> infos;
  std::vector<Entry> entries;  // one for each of infos

  void add(complementarity::AlgorithmInfo info, StepperFactory factory, const StepperTraits& traits,
           SpecialForm special = nullptr) {
    infos.push_back(info);
    entries.push_back({factory, traits, special});
  }
  [[nodiscard]] const Entry* find(std::string_view name) const {
    for (std::size_t k = 0; k < infos.size(); ++k)
      if (name == infos[k].name) return &entries[k];
    return nullptr;
  }
  StepperRegistry() {
    add({"stewart-trinkle", "first order, one contact problem per step"}, make<StewartTrinkle>,
        {.soft_normals = true, .derivatives = StepDerivatives::Equations}, general_stewart_trinkle);
    add({"second-order", "second order between changes of contact mode, which are located inside the step"},
        make<SecondOrder>,
        {.order = 2,
         .drives_at_end = false,
         .locates_events = true,
         .derivatives = StepDerivatives::SubSteps,
         .objection = objection_of_second_order},
        second_order_on_supports);
    add({"anitescu-potra", "first order, velocity level; impacts at their instant, with the pairs' own laws"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<EulerStepper>(EulerRules{.closed_only = true}); },
        {.drives_at_end = false});
    add({"implicit", "first order, geometry and forces at the end of the step, by iteration"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<EulerStepper>(EulerRules{.end_geometry = true}); },
        {.end_geometry = true, .derivatives = StepDerivatives::Equations});
    add({"song-pang-kumar", "first order, visco-elastic contacts (rigid where a contact has no stiffness)"},
        []() -> std::unique_ptr<Stepper> {
          return std::make_unique<EulerStepper>(EulerRules{.end_geometry = true, .compliant = true});
        },
        {.end_geometry = true, .compliant = true, .smoothed_cone = true, .objection = objection_of_song_pang_kumar});
    add({"runge-kutta", "fifth order, visco-elastic contacts; touch, lift and changes of slip are located"},
        make<RungeKutta>,
        {.order = 5,
         .drives_at_end = false,
         .compliant = true,
         .locates_events = true,
         .certified_forces = false,
         .derivatives = StepDerivatives::FlowParts,
         .objection = objection_of_runge_kutta});
  }
};

StepperRegistry& registry() {
  static StepperRegistry instance;
  return instance;
}

std::unique_ptr<Stepper> make_bare_stepper(const Method& method, const model::Model& model) {
  const StepperRegistry::Entry* entry = registry().find(choose_stepper(method, model).stepper);
  if (entry == nullptr) return nullptr;
  if (entry->special != nullptr)
    if (std::unique_ptr<Stepper> special = entry->special(method, model)) return special;
  return entry->factory();
}

// A solver belongs to one form of the contact problem.
std::string objection_to_solver(const Method& method) {
  const bool pyramid = method.friction == FrictionLaw::Pyramid;
  const std::vector<std::string> known = pyramid ? pyramid_solver_names() : cone_solver_names();
  if (std::ranges::find(known, method.solver) != known.end()) return {};
  if (pyramid)
    return fmt::format("solver \"{}\" is for friction cones; pyramids use {}", method.solver, range_text(known));
  return fmt::format(
      "solver \"{}\" is for friction pyramids: set friction = \"pyramid\" (in the plane the same law), or use {}",
      method.solver, range_text(known));
}

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Method& method, const model::Model& model) {
  std::unique_ptr<Stepper> bare = make_bare_stepper(method, model);
  return bare ? std::make_unique<GuardedStepper>(std::move(bare)) : nullptr;
}

namespace {

// What stewart_trinkle.h knows beside soft contacts.
std::string objection_to_soft_contacts(const Method& method, const model::Model& model) {
  if (!traits_of(method.stepper).soft_normals)
    return "compliance = \"normal\" is a choice of stewart-trinkle: leave it out, or use that stepper";
  if (method.motion != MotionModel::Dynamic || contact::has_supports(model) || locates_impacts(method, model))
    return "compliance = \"normal\" needs dynamic motion without supports, restitution and located impacts: leave it "
           "out, or use song-pang-kumar";
  if (has_patches(model))
    return "compliance = \"normal\" handles only lumped contacts: leave out 'patch', or use song-pang-kumar";
  return {};
}

}  // namespace

std::string objection_to(const Method& method, const model::Model& model) {
  if (method.stepper == kAutoStepper) return objection_to(with_stepper(method, model), model);
  if (std::string objection = objection_to(method); !objection.empty()) return objection;
  if (std::string objection = objection_to_solver(method); !objection.empty()) return objection;
  const MotionModel motion = method.motion;
  const StepperTraits& traits = traits_of(method.stepper);
  if (traits.locates_events && method.impacts != ImpactSearch::Auto)
    return "the " + method.stepper +
           " stepper locates every impact itself: leave 'impacts' out, or use another stepper";
  if (!traits.smoothed_cone && method.gamma > 0)
    return "gamma rounds the friction cone of song-pang-kumar: leave it out, or set stepper = \"song-pang-kumar\"";
  if (!traits.smoothed_cone && method.gap_step > 0)
    return "gap_step divides the steps of song-pang-kumar: leave it out, or set stepper = \"song-pang-kumar\"";
  if (method.gamma > 0 && method.friction == FrictionLaw::Pyramid)
    return "gamma rounds the exact cone: leave it out, or set friction = \"cone\"";
  if (method.impacts != ImpactSearch::Auto && motion != MotionModel::Dynamic)
    return "impacts = \"" + std::string(name_of(method.impacts)) +
           "\" needs dynamic motion: without inertia nothing is hit";
  if (traits.objection != nullptr)
    if (std::string objection = traits.objection(method, model); !objection.empty()) return objection;
  if (method.compliance == SoftContacts::Normal)
    if (std::string objection = objection_to_soft_contacts(method, model); !objection.empty()) return objection;
  if (motion != MotionModel::Dynamic) return objection_to_motion(motion, model);
  return {};
}

const StepperTraits& traits_of(std::string_view stepper) {
  static const StepperTraits kDefaults;
  const StepperRegistry::Entry* entry = registry().find(stepper);
  return entry != nullptr ? entry->traits : kDefaults;
}

int order_of(std::string_view stepper) {
  return traits_of(stepper).order;
}

std::span<const complementarity::AlgorithmInfo> steppers() {
  return registry().infos;
}

void register_stepper(complementarity::AlgorithmInfo info, StepperFactory factory) {
  register_stepper(info, factory, {});
}

void register_stepper(complementarity::AlgorithmInfo info, StepperFactory factory, const StepperTraits& traits) {
  registry().add(info, factory, traits);
}

}  // namespace stickslip::stepping
