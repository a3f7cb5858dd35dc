// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/objective.h"

#include <nlopt.hpp>

#include <algorithm>
#include <cmath>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kChange = 1e-9;  // relative, of the unknowns, at which the search ends
constexpr double kFailed = 1e10;  // stands for the objective and the violations where no run was possible

// NLopt asks for objective and constraints one after the other at the same place: one run answers all.
class Problem {
 public:
  Problem(const Plan& plan, Shooter& shooter) : plan_(plan), shooter_(shooter) {
    for (std::size_t i = 0; i < plan.conditions.size(); ++i)
      (plan.conditions[i].relation == Condition::Relation::Equal ? equations_ : inequalities_)
          .push_back(static_cast<Index>(i));
  }

  const Shot& at(unsigned n, const double* u) {
    const VectorXd here = Eigen::Map<const VectorXd>(u, n);
    if (place_.size() == 0 || place_ != here) {
      Shot shot = shooter_.shoot(here, true);
      if (!shot.ran) {
        shot.values.setConstant(static_cast<Index>(plan_.conditions.size()) + 1, kFailed);
        shot.derivatives.setZero(shot.values.size(), here.size());
      }
      shot_ = std::move(shot);
      place_ = here;
    }
    return shot_;
  }

  [[nodiscard]] const std::vector<Index>& equations() const { return equations_; }
  [[nodiscard]] const std::vector<Index>& inequalities() const { return inequalities_; }

  static double objective(unsigned n, const double* u, double* gradient, void* self) {
    const Shot& shot = static_cast<Problem*>(self)->at(n, u);
    const Index last = shot.values.size() - 1;
    for (unsigned k = 0; gradient != nullptr && k < n; ++k) gradient[k] = shot.derivatives(last, k);
    return shot.values[last];
  }
  static void equality(unsigned m, double* values, unsigned n, const double* u, double* gradient, void* self) {
    auto* problem = static_cast<Problem*>(self);
    fill(problem->at(n, u), problem->equations_, m, values, n, gradient);
  }
  static void inequality(unsigned m, double* values, unsigned n, const double* u, double* gradient, void* self) {
    auto* problem = static_cast<Problem*>(self);
    fill(problem->at(n, u), problem->inequalities_, m, values, n, gradient);
  }

 private:
  static void fill(const Shot& shot, const std::vector<Index>& rows, unsigned m, double* values, unsigned n,
                   double* gradient) {
    for (unsigned i = 0; i < m; ++i) {
      values[i] = shot.values[rows[i]];
      for (unsigned k = 0; gradient != nullptr && k < n; ++k) gradient[i * n + k] = shot.derivatives(rows[i], k);
    }
  }

  const Plan& plan_;
  Shooter& shooter_;
  std::vector<Index> equations_, inequalities_;
  VectorXd place_;
  Shot shot_;
};

}  // namespace

Search minimise(const Plan& plan, Shooter& shooter, const Search& feasible) {
  Problem problem(plan, shooter);
  nlopt::opt sqp(nlopt::LD_SLSQP, static_cast<unsigned>(plan.unknowns.size()));
  std::vector<double> low, high, u(feasible.unknowns.data(), feasible.unknowns.data() + feasible.unknowns.size());
  for (const Unknown& unknown : plan.unknowns) {
    low.push_back(unknown.low);
    high.push_back(unknown.high);
  }
  sqp.set_lower_bounds(low);
  sqp.set_upper_bounds(high);
  sqp.set_min_objective(Problem::objective, &problem);
  if (!problem.equations().empty())
    sqp.add_equality_mconstraint(Problem::equality, &problem,
                                 std::vector<double>(problem.equations().size(), plan.tolerance));
  if (!problem.inequalities().empty())
    sqp.add_inequality_mconstraint(Problem::inequality, &problem,
                                   std::vector<double>(problem.inequalities().size(), plan.tolerance));
  sqp.set_xtol_rel(kChange);
  sqp.set_maxeval(10 * plan.iterations);
  try {
    double value = 0;
    static_cast<void>(sqp.optimize(u, value));
  } catch (const std::exception&) {  // rounding stops it close to the solution: what it found so far counts
  }
  Search best = search(plan, shooter, Eigen::Map<const VectorXd>(u.data(), static_cast<Index>(u.size())));
  best.iterations += feasible.iterations;
  const bool better = best.ending == Search::Ending::Solved && best.objective <= feasible.objective;
  return better ? best : feasible;
}

}  // namespace stickslip::planning
