// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/our_solver.h"

#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"

#include <algorithm>
#include <limits>
#include <span>

namespace stickslip::bench {
namespace {

using namespace complementarity;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kOurTimeLimit = 20;  // seconds; only so that the benchmark ends when a solver is broken

struct Solve {
  const RepeatPolicy& policy;
  std::string_view algorithm;

  OurRun operator()(const AffineProblem& problem) const {
    AffineSolver solver;
    Eigen::VectorXd z;
    return measure([&] { return solver.solve(problem, z, options(), algorithm); },
                   [&] { return affine_residual(problem, z).error; });
  }
  OurRun operator()(const MixedLcp& blocks) const { return (*this)(make_mixed_lcp(blocks).problem); }
  OurRun operator()(const ContactProblem& problem) const {
    ContactSolver solver;
    std::vector<double> r;
    return measure(
        [&] {
          r.clear();  // no start given
          return solver.solve(problem, r, options(), algorithm);
        },
        [&] { return contact_residual(problem, r).error; });
  }
  OurRun operator()(const GlobalContactProblem& problem) const {
    ContactSolver solver;
    std::vector<double> r;
    Eigen::VectorXd v;
    double certified = kInfinite;  // the scaled part needs the reduced problem, which the solver has at hand
    return measure(
        [&] {
          r.clear();
          SolverSummary summary = solver.solve(problem, r, v, options(), algorithm);
          certified = summary.residual.error;
          return summary;
        },
        [&] {
          const std::vector<double> traces(problem.mu.size(), 1.0);
          return std::max(certified, contact_residual(problem, r, v, traces).natural);
        });
  }

 private:
  static SolverOptions options() {
    SolverOptions result;
    result.tolerance = kOurTolerance;
    result.time_limit = kOurTimeLimit;
    return result;
  }

  template <class Call, class Error>
  OurRun measure(Call&& call, Error&& error) const {
    SolverSummary summary;
    OurRun result;
    result.run.solver = "stickslip";
    result.run.seconds = best_seconds([&] { summary = call(); }, policy);
    result.run.error = error();
    result.run.note = summary.solver;
    result.status = summary.status;
    // The benchmark does not take the solver's word: its own evaluation of the certificate decides.
    result.run.solved = summary.solved() && result.run.error <= kOurTolerance;
    return result;
  }
};

struct CorpusError {
  const std::vector<double>& answer;

  double operator()(const AffineProblem& problem) const {
    if (!fits(problem.size())) return kInfinite;
    return affine_residual(problem, Eigen::Map<const Eigen::VectorXd>(answer.data(), problem.size())).natural;
  }
  double operator()(const MixedLcp& blocks) const {
    const MixedLcpForm form = make_mixed_lcp(blocks);
    const Eigen::Index free = blocks.A.cols(), m = blocks.b.size();
    if (!fits(free + m)) return kInfinite;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(form.problem.size());  // the form may have padded the free block
    z.head(free) = Eigen::Map<const Eigen::VectorXd>(answer.data(), free);
    z.tail(m) = Eigen::Map<const Eigen::VectorXd>(answer.data() + free, m);
    return affine_residual(form.problem, z).natural;
  }
  double operator()(const ContactProblem& problem) const {
    return fits(static_cast<Eigen::Index>(problem.q.size())) ? contact_residual(problem, answer).natural : kInfinite;
  }
  double operator()(const GlobalContactProblem& problem) const {
    const Eigen::Index rows = problem.w.size(), bodies = problem.f.size();
    if (!fits(rows + bodies)) return kInfinite;
    const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(answer.data() + rows, bodies);
    const std::vector<double> traces(problem.mu.size(), 1.0);  // read for the scaled error only
    return contact_residual(problem, std::span(answer).first(static_cast<std::size_t>(rows)), v, traces).natural;
  }

 private:
  [[nodiscard]] bool fits(Eigen::Index size) const { return static_cast<Eigen::Index>(answer.size()) == size; }
};

}  // namespace

OurRun run_ours(const CorpusProblem& problem, const RepeatPolicy& policy, std::string_view algorithm) {
  return std::visit(Solve{policy, algorithm}, problem.data);
}

double corpus_error(const CorpusProblem& problem, const std::vector<double>& answer) {
  return std::visit(CorpusError{answer}, problem.data);
}

}  // namespace stickslip::bench
