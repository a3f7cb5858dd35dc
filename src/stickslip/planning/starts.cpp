// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/starts.h"

#include "stickslip/planning/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int kDrawn = 8;            // random places for each search
constexpr int kFreeSteps = 8;        // without contacts, second order is exact
constexpr double kSameStart = 1e-9;  // relative

// In [0, 1), the same bits everywhere.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

}  // namespace

VectorXd Starts::guess(int number) const {
  VectorXd start(static_cast<Index>(plan_.unknowns.size()));
  for (std::size_t i = 0; i < plan_.unknowns.size(); ++i) {
    const std::vector<double>& guesses = plan_.unknowns[i].guesses;
    start[static_cast<Index>(i)] = guesses[std::min(static_cast<std::size_t>(number), guesses.size() - 1)];
  }
  return start;
}

VectorXd Starts::random(int number) const {
  VectorXd start(static_cast<Index>(plan_.unknowns.size()));
  std::mt19937_64 random(plan_.seed * 1000003 + static_cast<std::uint64_t>(number));
  for (std::size_t i = 0; i < plan_.unknowns.size(); ++i) {
    const Unknown& unknown = plan_.unknowns[i];
    const bool bounded = std::isfinite(unknown.low) && std::isfinite(unknown.high);
    const double share = uniform(random);
    start[static_cast<Index>(i)] =
        bounded ? unknown.low + (unknown.high - unknown.low) * share
                : std::clamp(unknown.guesses[0] + unknown.scale * (2 * share - 1), unknown.low, unknown.high);
  }
  return start;
}

void Starts::add_free_motion(const char* name, Plan::Free kind) {
  Plan flight = plan_;
  flight.free = kind;
  flight.steps = kFreeSteps;
  flight.has_objective = false;
  try {
    Shooter shooter(flight);
    const SearchResult found = search(flight, shooter, guess(0));
    if (found.ending == SearchResult::Ending::NeverRan) return;
    const auto same = [&](const VectorXd& other) {
      return (found.unknowns - other).cwiseAbs().maxCoeff() <= kSameStart * std::max(1.0, other.cwiseAbs().maxCoeff());
    };
    for (int k = 0; k < plan_.guesses(); ++k)
      if (same(guess(k))) return;
    if (std::ranges::any_of(free_motions_, [&](const Start& start) { return same(start.unknowns); })) return;
    free_motions_.push_back({name, found.unknowns, {}});
  } catch (const scene::SceneError&) {
    return;  // the scene at the guess is the planner's own to complain about
  }
}

std::optional<Start> Starts::at(int number) {
  if (plan_.starts > 0 && number >= plan_.starts) return std::nullopt;
  if (number < plan_.guesses())
    return Start{number == 0 ? "guess" : fmt::format("guess {}", number + 1), guess(number), {}};
  if (!generated_ && plan_.flies()) {
    add_free_motion("straight line", Plan::Free::Straight);
    add_free_motion("ballistic", Plan::Free::Ballistic);
  }
  generated_ = true;
  const int further = number - plan_.guesses(), known = static_cast<int>(free_motions_.size());
  if (further < known) return free_motions_[static_cast<std::size_t>(further)];
  if (plan_.starts == 0) return std::nullopt;
  Start start{fmt::format("random {}", further - known + 1), random(kDrawn * number), {}};
  for (int i = 1; i < kDrawn; ++i) start.others.push_back(random(kDrawn * number + i));
  return start;
}

}  // namespace stickslip::planning
