// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/stepper.h"

#include "stickslip/contact/compliance.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/bending.h"
#include "stickslip/stepping/euler_stepper.h"
#include "stickslip/stepping/extrapolated_euler.h"
#include "stickslip/stepping/guarded_stepper.h"
#include "stickslip/stepping/method_fields.h"
#include "stickslip/stepping/motion_model.h"
#include "stickslip/stepping/runge_kutta.h"
#include "stickslip/stepping/second_order.h"
#include "stickslip/stepping/stewart_trinkle.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip::stepping {
namespace {

struct Registry {
  std::vector<complementarity::AlgorithmInfo> infos;
  std::vector<StepperFactory> factories;

  void add(complementarity::AlgorithmInfo info, StepperFactory factory) {
    infos.push_back(info);
    factories.push_back(factory);
  }
  Registry() {
    add({"stewart-trinkle", "first order, one contact problem per step"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<StewartTrinkle>(); });
    add({"second-order", "second order between changes of contact mode, which are located inside the step"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<SecondOrder>(); });
    add({"anitescu-potra", "first order, velocity level; impacts at their instant, with the pairs' own laws"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<EulerStepper>(EulerRules{.closed_only = true}); });
    add({"implicit", "first order, geometry and forces at the end of the step, by iteration"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<EulerStepper>(EulerRules{.end_geometry = true}); });
    add({"song-pang-kumar", "first order, visco-elastic contacts (rigid where a contact has no stiffness)"},
        []() -> std::unique_ptr<Stepper> {
          return std::make_unique<EulerStepper>(EulerRules{.end_geometry = true, .compliant = true});
        });
    add({"runge-kutta", "fifth order, visco-elastic contacts; touch, lift and changes of slip are located"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<RungeKutta>(); });
  }
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

namespace {

bool locates(const Method& method, const model::Model& model) {
  return method.impacts != ImpactSearch::Auto ||
         std::ranges::any_of(model.surfaces, [](const model::Surface& surface) { return surface.restitution > 0; });
}

}  // namespace

namespace {

// stewart_trinkle.h is the fast page for rigid bodies in motion without rebounds; EulerStep knows the rest of the
// family.
std::unique_ptr<Stepper> make_bare_stepper(const Method& method, const model::Model& model) {
  const Registry& all = registry();
  const std::string& name = method.stepper;
  if (name == "stewart-trinkle" && (method.motion != MotionModel::Dynamic || contact::has_supports(model) ||
                                    locates(method, model) || has_bending_shapes(model)))
    return std::make_unique<EulerStepper>(EulerRules{});
  if (name == "second-order" && contact::has_supports(model)) return std::make_unique<ExtrapolatedEuler>();
  for (std::size_t k = 0; k < all.infos.size(); ++k)
    if (name == all.infos[k].name) return all.factories[k]();
  return nullptr;
}

// A solver belongs to one form of the contact problem.
std::string objection_to_solver(const Method& method) {
  const bool pyramid = method.friction == FrictionLaw::Pyramid;
  const std::vector<std::string> known = pyramid ? pyramid_solver_names() : cone_solver_names();
  if (std::ranges::find(known, method.solver) != known.end()) return {};
  if (pyramid)
    return fmt::format("solver \"{}\" is for friction cones; pyramids take {}", method.solver, range_text(known));
  return fmt::format(
      "solver \"{}\" is for friction pyramids: set friction = \"pyramid\" (in the plane the same law), or take {}",
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
  if (method.stepper != "stewart-trinkle")
    return "compliance = \"normal\" is a choice of stewart-trinkle: leave it out, or take that stepper";
  if (method.motion != MotionModel::Dynamic || contact::has_supports(model) || locates(method, model))
    return "compliance = \"normal\" needs dynamic motion without supports, restitution and located impacts: leave it "
           "out, or take song-pang-kumar";
  if (std::ranges::any_of(model.surfaces,
                          [](const model::Surface& surface) { return surface.compliance.patch != nullptr; }))
    return "compliance = \"normal\" knows lumped contacts only: leave 'patch' out, or take song-pang-kumar";
  return {};
}

}  // namespace

std::string objection_to(const Method& method, const model::Model& model) {
  if (std::string objection = objection_to(method); !objection.empty()) return objection;
  if (std::string objection = objection_to_solver(method); !objection.empty()) return objection;
  const MotionModel motion = method.motion;
  if (method.stepper == "second-order" && motion != MotionModel::Dynamic)
    return "the second-order stepper knows dynamic motion only: take stewart-trinkle, anitescu-potra or implicit";
  if ((method.stepper == "second-order" || method.stepper == "runge-kutta") && method.impacts != ImpactSearch::Auto)
    return "the " + method.stepper +
           " stepper locates every impact itself: leave 'impacts' out, or take another stepper";
  if (method.stepper != "song-pang-kumar" && method.gamma > 0)
    return "gamma rounds the friction cone of song-pang-kumar: leave it out, or set stepper = \"song-pang-kumar\"";
  if (method.stepper != "song-pang-kumar" && method.gap_step > 0)
    return "gap_step divides the steps of song-pang-kumar: leave it out, or set stepper = \"song-pang-kumar\"";
  if (method.gamma > 0 && method.friction == FrictionLaw::Pyramid)
    return "gamma rounds the exact cone: leave it out, or set friction = \"cone\"";
  if (method.impacts != ImpactSearch::Auto && motion != MotionModel::Dynamic)
    return "impacts = \"" + std::string(name_of(method.impacts)) +
           "\" needs dynamic motion: without inertia nothing is hit";
  if (method.stepper == "runge-kutta" && std::ranges::any_of(model.surfaces, [](const model::Surface& surface) {
        return surface.compliance.patch != nullptr;
      }))
    return "the runge-kutta stepper knows lumped contacts only: leave 'patch' out, or take song-pang-kumar";
  if (method.stepper == "runge-kutta" && motion != MotionModel::Dynamic)
    return "the runge-kutta stepper knows dynamic motion only: take song-pang-kumar with motion = \"dynamic\"";
  if (method.stepper == "runge-kutta" && method.friction != FrictionLaw::Cone && model.dimension == 3)
    return "the runge-kutta stepper knows exact friction only: set friction = \"cone\"";
  if (method.stepper == "runge-kutta") return RungeKutta::objection_to(model);
  if (method.stepper == "song-pang-kumar" && motion != MotionModel::Dynamic)
    return "compliant contacts need dynamic motion: set motion = \"dynamic\", or take a rigid stepper";
  if (method.stepper == "song-pang-kumar" && std::ranges::any_of(model.surfaces, [](const model::Surface& surface) {
        return contact::is_compliant(surface.compliance) && surface.restitution > 0;
      }))
    return "a compliant contact takes no coefficient of restitution: what it gives back follows from its damping";
  if (method.compliance != SoftContacts::Off)
    if (std::string objection = objection_to_soft_contacts(method, model); !objection.empty()) return objection;
  if (motion != MotionModel::Dynamic) return objection_to_motion(motion, model);
  return {};
}

int order_of(std::string_view stepper) {
  return stepper == "second-order" ? 2 : stepper == "runge-kutta" ? 5 : 1;
}

std::span<const complementarity::AlgorithmInfo> steppers() {
  return registry().infos;
}

void register_stepper(complementarity::AlgorithmInfo info, StepperFactory factory) {
  registry().add(info, factory);
}

}  // namespace stickslip::stepping
