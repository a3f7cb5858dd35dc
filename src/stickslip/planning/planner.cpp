// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/planner.h"

#include "stickslip/complementarity/seconds_since.h"
#include "stickslip/planning/multiple_shooting.h"
#include "stickslip/planning/objective.h"
#include "stickslip/planning/starts.h"
#include "stickslip/planning/whole_trajectory.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kOtherClass = 10;  // how much further away a start counts that touches too often or too rarely
constexpr double kSame = 1e-6;      // relative: unknowns of one and the same solution

bool same(const VectorXd& a, const VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff() <= kSame * std::max(1.0, a.cwiseAbs().maxCoeff());
}

bool within_bounds(const Plan& plan, const VectorXd& u) {
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i)
    if (u[static_cast<Index>(i)] < plan.unknowns[i].low || u[static_cast<Index>(i)] > plan.unknowns[i].high)
      return false;
  return true;
}

void note_closest(const Plan& plan, const SearchResult& found, PlanResult& result) {
  if (found.ending == SearchResult::Ending::NeverRan) {
    if (result.cause.empty()) result.cause = found.cause;
    return;
  }
  if (!(found.violation() < result.violation)) return;
  result.violation = found.violation();
  result.closest = found.unknowns;
  result.note = found.note;
  Index worst = 0;
  found.residual.cwiseAbs().maxCoeff(&worst);
  result.violated = plan.conditions[static_cast<std::size_t>(worst)].text;
}

// Searches from all starts, by one method and then perhaps by the other.
class Planner {
 public:
  explicit Planner(const Plan& plan) : plan_(plan), shooter_(plan), starts_(plan) {}

  PlanResult run() {
    const std::string objection = objection_to_whole(plan_, shooter_.scene());
    if (plan_.method == SearchMethod::Whole && !objection.empty())
      throw scene::SceneError(plan_.method_place, objection);
    const auto begin = std::chrono::steady_clock::now();
    const auto wanted = [&](SearchMethod method) {
      return result_.solutions.empty() && (plan_.method == SearchMethod::Auto || plan_.method == method);
    };
    if (wanted(SearchMethod::Shooting)) search_all("shooting", [&](const VectorXd& start) { return shoot(start); });
    if (wanted(SearchMethod::Multiple))
      search_all("multiple-shooting", [&](const VectorXd& start) { return multiple(start); });
    if (wanted(SearchMethod::Whole) && objection.empty())
      search_all("whole", [&](const VectorXd& start) { return whole(start); });
    if (plan_.has_objective) std::ranges::stable_sort(result_.solutions, {}, &Solution::objective);
    result_.status = result_.solutions.empty() ? PlanResult::Status::NotFound : PlanResult::Status::Solved;
    result_.derivatives = shooter_.derivatives();
    result_.runs = shooter_.runs();
    result_.seconds = complementarity::seconds_since(begin);
    for (Solution& solution : result_.solutions) {
      const Shot shot = shooter_.shoot(solution.unknowns, true);
      if (!shot.ran) continue;
      solution.influence = shot.derivatives.topRows(shooter_.residuals());
      for (std::size_t i = 0; i < plan_.conditions.size(); ++i)  // values of >= are right minus left
        if (plan_.conditions[i].relation == Condition::Relation::AtLeast)
          solution.influence.row(static_cast<Index>(i)) *= -1;
    }
    return std::move(result_);
  }

 private:
  SearchResult shoot(const VectorXd& start) { return improved(search(plan_, shooter_, start)); }
  SearchResult multiple(const VectorXd& start) { return improved(solve_multiple(plan_, shooter_, start)); }

  SearchResult improved(const SearchResult& found) {
    const bool improve = plan_.has_objective && found.ending == SearchResult::Ending::Solved;
    return improve ? minimise(plan_, shooter_, found) : found;
  }

  // The simulator's own run, which is one Newton step away at most, has the last word.
  SearchResult whole(const VectorXd& start) {
    const SearchResult found = solve_whole(plan_, shooter_, start);
    if (found.ending != SearchResult::Ending::Solved) return found;
    if (!within_bounds(plan_, found.unknowns)) {
      SearchResult outside;  // the complementarity problem knows no bounds of the unknowns
      outside.cause = "the whole trajectory has a solution, but outside the bounds of the unknowns";
      return outside;
    }
    SearchResult confirmed = search(plan_, shooter_, found.unknowns);
    confirmed.iterations += found.iterations;
    return confirmed;
  }

  // Among random places, the one whose run comes closest to the conditions, and touches as often as it should.
  void choose(Start& start) {
    if (start.others.empty()) return;
    double least = distance(start.unknowns);
    for (const VectorXd& other : start.others) {
      const double here = distance(other);
      if (!(here < least)) continue;
      least = here;
      start.unknowns = other;
    }
  }

  double distance(const VectorXd& unknowns) {
    const Shot shot = shooter_.shoot(unknowns, false);
    if (!shot.ran) return std::numeric_limits<double>::infinity();
    VectorXd residual;
    Eigen::MatrixXd none;
    residual_of(shooter_, shot, residual, none);
    const bool other_class = plan_.touches >= 0 && static_cast<std::size_t>(plan_.touches) != shooter_.touches().size();
    return residual.norm() * (other_class ? kOtherClass : 1);
  }

  template <class OneSearch>
  void search_all(const char* method, const OneSearch& one) {
    result_.method = method;
    int number = 0;
    for (std::optional<Start> start; !shooter_.stopped() && (start = starts_.at(number)); ++number) {
      choose(*start);
      const SearchResult found = one(start->unknowns);
      ++result_.starts;
      if (found.ending != SearchResult::Ending::Solved) {
        note_closest(plan_, found, result_);
        continue;
      }
      ++result_.searches_solved;
      if (plan_.touches >= 0 && static_cast<std::size_t>(plan_.touches) != shooter_.touches().size()) {
        result_.cause = "solutions were found, but not with the number of impacts asked for";
        continue;
      }
      const bool known = std::ranges::any_of(
          result_.solutions, [&](const Solution& other) { return same(other.unknowns, found.unknowns); });
      if (!known)
        result_.solutions.push_back({found.unknowns,
                                     found.violation(),
                                     found.residual,
                                     {},
                                     found.objective,
                                     found.worst_balance,
                                     found.worst_residual,
                                     shooter_.modes(),
                                     shooter_.touches(),
                                     number,
                                     start->name,
                                     start->unknowns,
                                     found.iterations});
      if (plan_.wanted == Wanted::One) return;
    }
  }

  const Plan& plan_;
  Shooter shooter_;
  Starts starts_;
  PlanResult result_;
};

}  // namespace

PlanResult solve(const Plan& plan) {
  return Planner(plan).run();
}

}  // namespace stickslip::planning
