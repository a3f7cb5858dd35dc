// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the laws of granular flow speak of, measured in runs: the rate at which a silo runs out, the slope in a drum.
//
//   Beverloo, Leniger and van de Velde 1961:   W = C rho sqrt(g) (D - k d)^p,   p = 3/2 in the plane, 5/2 in space
//
//   W: mass per time, rho: bulk density, D: hole, d: grain. Fits give C = 0.55 .. 0.65 and k = 1.2 .. 1.6 for round holes
//   in space (pi/4 times C for the area of a square one), and C about 1 for slits. W^(1/p) is linear in D: two holes or
//   more give k, then C.
//
//   The dynamic angle of repose: the centre of mass of a segment of a circle lies on the normal of its chord, so that the
//   slope of what is in the drum is the angle by which its centre of mass is turned away from straight below.
#pragma once

#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace stickslip::bench {

struct Discharge {
  double rate = 0;    // bodies per second, between a tenth and `until` of them
  double passed = 0;  // share that went through
  bool failed = false;
};

// Runs until the share `until` of the free bodies is below `level` (coordinate `axis`).
template <class Observer>
[[nodiscard]] Discharge discharge(simulation::Simulation& run, double end, int axis, double level, double until,
                                  Observer&& go_on) {
  Discharge out;
  std::vector<double> times;  // at which each body went through
  std::vector<bool> gone(run.model().bodies.size(), false);
  double count = 0;
  for (const model::Body& body : run.model().bodies) count += body.mass > 0;
  run.run_until(end, [&](const simulation::Simulation& now) {
    for (std::size_t i = 0; i < gone.size(); ++i)
      if (!gone[i] && now.model().bodies[i].mass > 0 && now.state().bodies[i].pose.position[axis] < level) {
        gone[i] = true;
        times.push_back(now.time());
      }
    return static_cast<double>(times.size()) < until * count && go_on();
  });
  out.failed = run.failure() != nullptr;
  out.passed = static_cast<double>(times.size()) / count;
  const auto first = static_cast<std::size_t>(0.1 * count);
  if (times.size() > first + 10)
    out.rate = static_cast<double>(times.size() - 1 - first) / (times.back() - times[first]);
  return out;
}

// k and C' of rate = C' (D - k)^p, D in diameters, by least squares of rate^(1/p) over D.
struct Beverloo {
  double k = 0, factor = 0, worst = 0;  // worst: largest relative distance of a rate from the law
};
[[nodiscard]] inline Beverloo fit_beverloo(std::span<const std::pair<double, double>> rates, double p) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [hole, rate] : rates) {
    const double y = std::pow(rate, 1 / p);
    n += 1, sx += hole, sy += y, sxx += hole * hole, sxy += hole * y;
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), level = (sy - slope * sx) / n;
  Beverloo law{-level / slope, std::pow(slope, p), 0};
  for (const auto& [hole, rate] : rates)
    law.worst = std::max(law.worst, std::fabs(law.factor * std::pow(hole - law.k, p) / rate - 1));
  return law;
}

// Angle of the free bodies' centre of mass from straight below the origin, in the plane; positive where the drum turns
// counter-clockwise and carries them up on the right.
[[nodiscard]] inline double slope_in_drum(const simulation::Simulation& run) {
  double x = 0, y = 0;
  for (std::size_t i = 0; i < run.model().bodies.size(); ++i) {
    const double m = run.model().bodies[i].mass;
    x += m * run.state().bodies[i].pose.position.x(), y += m * run.state().bodies[i].pose.position.y();
  }
  return std::atan2(x, -y);
}

}  // namespace stickslip::bench
