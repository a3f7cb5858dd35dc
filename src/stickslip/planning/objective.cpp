// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/objective.h"

#include <nlopt.h>

#include <memory>

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

SearchResult minimise(const Plan& plan, Shooter& shooter, const SearchResult& feasible) {
  Problem problem(plan, shooter);
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> sqp(
      nlopt_create(NLOPT_LD_SLSQP, static_cast<unsigned>(plan.unknowns.size())), nlopt_destroy);
  std::vector<double> low, high, u(feasible.unknowns.data(), feasible.unknowns.data() + feasible.unknowns.size());
  for (const Unknown& unknown : plan.unknowns) {
    low.push_back(unknown.low);
    high.push_back(unknown.high);
  }
  nlopt_set_lower_bounds(sqp.get(), low.data());
  nlopt_set_upper_bounds(sqp.get(), high.data());
  nlopt_set_min_objective(sqp.get(), Problem::objective, &problem);
  const std::vector<double> tolerance(plan.conditions.size(), plan.tolerance);
  if (!problem.equations().empty())
    nlopt_add_equality_mconstraint(sqp.get(), static_cast<unsigned>(problem.equations().size()), Problem::equality,
                                   &problem, tolerance.data());
  if (!problem.inequalities().empty())
    nlopt_add_inequality_mconstraint(sqp.get(), static_cast<unsigned>(problem.inequalities().size()),
                                     Problem::inequality, &problem, tolerance.data());
  nlopt_set_xtol_rel(sqp.get(), kChange);
  nlopt_set_maxeval(sqp.get(), 10 * plan.iterations);
  double value = 0;
  static_cast<void>(nlopt_optimize(sqp.get(), u.data(), &value));  // however it ends, what it found counts
  SearchResult best = search(plan, shooter, Eigen::Map<const VectorXd>(u.data(), static_cast<Index>(u.size())));
  best.iterations += feasible.iterations;
  const bool better = best.ending == SearchResult::Ending::Solved && best.objective <= feasible.objective;
  return better ? best : feasible;
}

}  // namespace stickslip::planning
