// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The one declaration of the fields of Method. Everything that reads or writes a method goes through visit_fields: the
// scene reader and --set, the key table of docs/scene-reference.md, checkpoints, plans that are written, recordings,
// JSON and the live page. A new option is a member of Method and a line here.
//
//     visit_fields(method, [](const FieldInfo& info, const auto& value) { ... });
//
// A field is a choice (an enum with kChoices), a name of a registry that plug-ins add to, a number or an integer.
#pragma once

#include "stickslip/stepping/method.h"

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stickslip::stepping {

struct FieldInfo {
  std::string_view name;       // in scenes, after --set method., in JSON
  std::string_view meaning;    // one line
  std::string_view unit = {};  // of the scene's own units: "time", "length", "force"; empty: none

  // Range of numbers and integers.
  double least = 0, most = std::numeric_limits<double>::infinity();
  bool above_least = false;  // least itself is not allowed
  bool even = false;

  bool changes_result = true;                          // false: only how fast it is found
  std::vector<std::string> (*registered)() = nullptr;  // names that are known now
};

[[nodiscard]] std::vector<std::string> stepper_names();
[[nodiscard]] std::vector<std::string> cone_solver_names();
[[nodiscard]] std::vector<std::string> pyramid_solver_names();
[[nodiscard]] std::vector<std::string> solver_names();  // of both
[[nodiscard]] std::vector<std::string> collider_names();

// Calls visit(info, field) for each field, in the order of the documentation. M: Method or const Method, by reference.
template <class M, class Visit>
void visit_fields(M&& method, Visit&& visit) {
  visit(FieldInfo{.name = "motion",
                  .meaning = "equations of motion: dynamic, first-order (velocity follows force, by damping) or "
                             "quasi-static (forces balance)"},
        method.motion);
  visit(FieldInfo{.name = "stepper",
                  .meaning =
                      "time stepper; auto: the best that fits the scene (docs/theory/second-order.md), named in the "
                      "summary; `stickslip list` names the others",
                  .registered = &stepper_names},
        method.stepper);
  visit(FieldInfo{.name = "friction", .meaning = "cone (exact) or pyramid"}, method.friction);
  visit(FieldInfo{.name = "directions",
                  .meaning = "sides of the friction pyramid (spatial contacts)",
                  .least = 4,
                  .most = 1024,
                  .even = true},
        method.directions);
  visit(FieldInfo{.name = "pyramid_angle",
                  .meaning =
                      "angle of the pyramid's first direction from the contact's first tangent (x on a level floor)",
                  .unit = "radians",
                  .least = -std::numeric_limits<double>::infinity()},
        method.pyramid_angle);
  visit(FieldInfo{.name = "impacts",
                  .meaning = "how first-order steppers find the instant of an impact: auto (those with restitution, by "
                             "backing up), back-up or approach (all, by backing up or with ever shorter steps)"},
        method.impacts);
  visit(FieldInfo{.name = "compliance",
                  .meaning = "which steppers use contact stiffness: auto: song-pang-kumar and runge-kutta, of which "
                             "stepper = auto then takes one; off: stepper = auto takes a rigid one; normal: "
                             "stewart-trinkle, along the normal, at steps far above their own oscillation"},
        method.compliance);
  visit(FieldInfo{.name = "step", .meaning = "length of a time step", .unit = "time", .above_least = true},
        method.step);
  visit(FieldInfo{.name = "gap_step",
                  .meaning = "song-pang-kumar: steps are divided so that they end where a compliant contact begins, "
                             "and so that its gap then moves by at most this length in each part; 0: not divided",
                  .unit = "length"},
        method.gap_step);
  visit(FieldInfo{.name = "gamma",
                  .meaning = "song-pang-kumar: force that rounds the tip of the friction cone; 0: exact",
                  .unit = "force"},
        method.gamma);
  visit(FieldInfo{.name = "tolerance",
                  .meaning = "instead of step: largest error of positions at the end of the run; the step is found, "
                             "starting from 'step'. 0: the step is as given",
                  .unit = "length"},
        method.tolerance);
  visit(FieldInfo{.name = "solver",
                  .meaning = "solver of the contact problems; `stickslip list` names those for cones and, under affine "
                             "problems, those for pyramids",
                  .registered = &solver_names},
        method.solver);
  // Relative to the velocities of a step. At 1e-4 a contact may be violated by 1e-4 of them, about the error of a step
  // itself; with more, "certified" would say nothing.
  visit(FieldInfo{.name = "certificate",
                  .meaning = "largest residual at which a step counts as solved",
                  .most = 1e-4,
                  .above_least = true},
        method.certificate);
  visit(FieldInfo{.name = "certificate_at_worst",
                  .meaning = "a step that no solver brings below the certificate, divided or not, is taken up to this "
                             "residual, counted and shown; 0: the run ends there",
                  .most = 1e-4},
        method.certificate_at_worst);
  visit(FieldInfo{.name = "collider",
                  .meaning = "contact detection; `stickslip list` names them",
                  .registered = &collider_names},
        method.collider);
  visit(FieldInfo{.name = "audit",
                  .meaning = "check the run independently of the stepper: overlaps by geometry, energy, momentum, "
                             "finite state; a violation ends it",
                  .changes_result = false},
        method.audit);
  visit(FieldInfo{.name = "error_bars",
                  .meaning = "on: runs with three and six times the step beside the run estimate or bound the error of "
                             "each observable, or mark it unresolved; adds about half the run time",
                  .changes_result = false},
        method.error_bars);
  visit(FieldInfo{.name = "rest",
                  .meaning = "bodies at rest that nothing disturbs are skipped, or solved again in every step; the "
                             "result does not depend on it",
                  .changes_result = false},
        method.rest);
  visit(FieldInfo{.name = "threads",
                  .meaning = "independent groups of contacts solved at the same time; the result does not depend on it",
                  .least = 1,
                  .most = 1024,
                  .changes_result = false},
        method.threads);
}

template <class T>
concept FieldChoice = std::is_enum_v<T>;

// The value as a user writes it; numbers with all digits that tell them apart.
[[nodiscard]] std::string field_text(const std::string& name);
[[nodiscard]] std::string field_text(double number);
[[nodiscard]] std::string field_text(int number);
template <FieldChoice T>
[[nodiscard]] std::string field_text(T choice) {
  return std::string(name_of(choice));
}

// What may be written: names that are known, else empty.
template <class T>
[[nodiscard]] std::vector<std::string> field_names(const FieldInfo& info, const T&) {
  if constexpr (FieldChoice<T>)
    return {std::begin(kChoices<T>), std::end(kChoices<T>)};
  else
    return info.registered != nullptr ? info.registered() : std::vector<std::string>();
}

// Assigns a name that field_names gives; false for any other.
template <FieldChoice T>
[[nodiscard]] bool set_by_name(std::string_view name, T& choice) {
  for (std::size_t k = 0; k < std::size(kChoices<T>); ++k) {
    if (kChoices<T>[k] != name) continue;
    choice = static_cast<T>(k);
    return true;
  }
  return false;
}

// What is wrong with a value, to follow its name in a message ("must be positive, not -1"); empty: nothing.
[[nodiscard]] std::string objection_to_value(const FieldInfo& info, double number);
[[nodiscard]] std::string objection_to_value(const FieldInfo& info, int number);
[[nodiscard]] std::string objection_to_value(const FieldInfo& info, const std::string& name);
template <FieldChoice T>
[[nodiscard]] std::string objection_to_value(const FieldInfo&, T choice) {
  return static_cast<std::size_t>(choice) < std::size(kChoices<T>) ? "" : "is none of its choices";
}

// The first value that is out of its range or names nothing, as a message; empty: all are as they should be. Whether
// they fit each other and a model is objection_to(method, model) of stepper.h.
[[nodiscard]] std::string objection_to(const Method& method);

// What may be written, in words: "number > 0", "cone or pyramid".
[[nodiscard]] std::string range_text(const FieldInfo& info, double);
[[nodiscard]] std::string range_text(const FieldInfo& info, int);
[[nodiscard]] std::string range_text(const FieldInfo& info, const std::string&);
[[nodiscard]] std::string range_text(const std::vector<std::string>& choices);
template <FieldChoice T>
[[nodiscard]] std::string range_text(const FieldInfo& info, T choice) {
  return range_text(field_names(info, choice));
}

// The method in one line for people: motion, stepper, friction, step, solver, certificate, and each other field that is
// not at its default.
[[nodiscard]] std::string summary_of(const Method& method);

}  // namespace stickslip::stepping
