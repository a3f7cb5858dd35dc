// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of bodies that slide and turn on more contacts than the balance of forces needs. Friction then depends on
// how the feet share the load, and so do the derivatives. Differences of whole runs see what the solver really chose;
// the solver keeps its share to 1e-7 only, so they take long steps.
#include "stickslip/study/observable_derivatives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::study {
namespace {

// A body of the given shape whose feet are 0.05 below its centre.
scene::Document sliding(const std::string& shape, const std::string& more = "",
                        const std::string& stepper = "stewart-trinkle") {
  return scene::parse_document(
      "dimension = 3\ngravity = [0, 0, -9.81]\nduration = 0.3\n[parameters]\nmu = 0.3\nvx = 1.2\nwz = 3\nF = 2\nm = "
      "1.3\n"
      "L = 0.3\ntilt = 0\n[method]\nstep = 2e-3\nstepper = \"" +
          stepper + "\"\n[[body]]\nname = \"floor\"\nshape = { half-space = { normal = [0, 0, 1] } }\n" +
          (more.empty() ? "fixed = true\n" : more) + "[[body]]\nname = \"a\"\nmass = \"m\"\nshape = " + shape +
          "\nposition = [0, 0, 0.05]\nvelocity = [\"vx\", 0.4, 0]\nangular_velocity = [0, 0, \"wz\"]\n"
          "force = [\"F*sin(7*t)\", 0, 0]\n[[contact]]\nbetween = [\"a\", \"floor\"]\nfriction = \"mu\"\n"
          "[observe]\nx = \"a.x\"\ny = \"a.y\"\nyaw = \"a.yaw\"\nmean = \"mean_over_time(a.vx)\"\n",
      "sliding.toml");
}

void compare(const scene::Document& document, const std::vector<std::string>& names, double tolerance) {
  const Sensitivities implicit = sensitivities(document, {}, names, {1e-4, 1, DerivativeMethod::Implicit});
  const Sensitivities differences = sensitivities(document, {}, names, {1e-2, 1, DerivativeMethod::Differences});
  for (std::size_t j = 0; j < implicit.observables.size(); ++j) {
    double largest = 0;
    for (std::size_t i = 0; i < names.size(); ++i) largest = std::max(largest, std::abs(differences.at(i, j).value));
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_TRUE(implicit.at(i, j).implicit) << implicit.at(i, j).reason;
      const double d = differences.at(i, j).value;
      EXPECT_NEAR(implicit.at(i, j).value, d,
                  tolerance * std::max(std::abs(d), 0.01 * largest) + 3 * differences.at(i, j).error)
          << "d " << implicit.observables[j] << " / d " << names[i];
    }
  }
}

TEST(RedundantContacts, BoxOnFourCornersSlidesAndTurns) {
  for (const char* stepper : {"stewart-trinkle", "implicit"})
    compare(sliding("{ box = [\"L\", 0.2, 0.1] }", "", stepper), {"mu", "vx", "wz", "F", "m", "L", "a.vy", "a.rz"},
            1e-3);
}

TEST(RedundantContacts, StandingCylinderSlidesAndTurns) {
  compare(sliding("{ cylinder = { radius = 0.15, length = 0.1 } }"), {"mu", "vx", "wz", "F"}, 1e-3);
}

// The balance of forces gives the loads of three feet: nothing is open, and the derivatives are as exact as others.
TEST(RedundantContacts, ThreeFeetAreNotRedundant) {
  const scene::Document document = sliding(
      "{ points = [[0.15, 0, -0.05], [-0.1, 0.1, -0.05], [-0.1, -0.1, -0.05]] }\ninertia = [0.01, 0.01, 0.015]");
  compare(document, {"mu", "vx", "wz", "F"}, 1e-4);
}

}  // namespace
}  // namespace stickslip::study
