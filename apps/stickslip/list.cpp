// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip list: colliders, steppers (method.stepper of a scene) and solvers (--solver, method.solver), one line each.
#include "verbs.h"

#include "stickslip/collision/registry.h"
#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstring>
#include <span>

namespace stickslip::app {
namespace {

using complementarity::AlgorithmInfo;

constexpr const char* kListExamples =
    "The names that a scene may give for method.collider, method.stepper and method.solver, and the command line for\n"
    "--solver, each with one line that says what it does. Plug-ins add theirs.\n"
    "\n"
    "Examples:\n"
    "  stickslip list\n"
    "  stickslip list --plugin ./my-solver.so                        with what the library adds\n"
    "  stickslip run scene.toml --set method.stepper=second-order    one of the names, in use\n"
    "\n"
    "Exit codes: 0 done.";

void print(const char* title, std::span<const AlgorithmInfo> algorithms) {
  std::size_t width = 0;
  for (const AlgorithmInfo& algorithm : algorithms) width = std::max(width, std::strlen(algorithm.name));
  fmt::print("{}\n", title);
  for (const AlgorithmInfo& algorithm : algorithms)
    fmt::print("  {:<{}}  {}\n", algorithm.name, width, algorithm.description);
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  CLI::App* verb = app.add_subcommand("list", "List colliders, steppers and solvers by name");
  verb->footer(kListExamples);
  verb->callback([&exit_code] {
    fmt::print("colliders (method.collider in a scene)\n");
    for (const collision::ColliderInfo& collider : collision::colliders())
      fmt::print("  {:<15}  {}\n", collider.name, collider.description);
    fmt::print("\n");
    print("time steppers (method.stepper in a scene)", stepping::steppers());
    fmt::print("\n");
    print("affine problems (lcp, boxlcp, mlcp)", complementarity::AffineSolver::algorithms());
    fmt::print("\n");
    print("frictional contact (fc2d, fc3d, gfc2d, gfc3d)", complementarity::ContactSolver::algorithms());
    exit_code = kDone;
  });
}

}  // namespace stickslip::app
