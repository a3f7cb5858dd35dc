// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/problem_solver.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/one_contact.h"
#include "stickslip/complementarity/cone/one_contact_residual.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using complementarity::contact_residual;
using complementarity::Residual;

namespace {

constexpr double kAlmost = 1e3;    // of the tolerance: previous impulses that are almost right
constexpr double kSurplus = 1e-4;  // of the tolerance: what they are then improved to, if
constexpr double kAtRest = 1e-9;   // previous impulses so near to an answer that what is left is bodies coming to rest
constexpr int kFewSteps = 4;       // iterations suffice
// Sweeps: previous impulses this close (of the tolerance) are improved to that share of it.
constexpr double kClose = 10, kBeyond = 1e-3;
constexpr int kManyContacts = 60;  // compliant ones from which sweeps are cheaper than Newton's method
// Iterations after which an answer within certificate_at_worst is left as it is: dense packings stall there, and what
// further attempts find seldom is worth the seconds that they take.
constexpr int kEffort = 150;

// The certificate of a single contact, in a fixed size where there is one.
Residual single_residual(const complementarity::ContactProblem& problem, std::span<const double> r) {
  if (!problem.kind.empty()) return contact_residual(problem, r);
  const double *W = problem.W.value.data(), *q = problem.q.data();
  const double error = problem.dimension() == 2 ? complementarity::one_contact_error<2>(problem.mu[0], W, q, r.data())
                                                : complementarity::one_contact_error<3>(problem.mu[0], W, q, r.data());
  if (!std::isfinite(error)) return contact_residual(problem, r);
  Residual residual;
  residual.error = residual.natural = residual.scaled = error;
  return residual;
}

// Do the impulses r leave the first contact opening or closing although it is pressed? Then they are those of another
// moment, and the certificate need not be asked: a few multiplications instead of some hundred.
bool clearly_moved(const complementarity::ContactProblem& problem, std::span<const double> r) {
  const complementarity::BlockMatrix& W = problem.W;
  const int D = problem.dimension();
  if (!(r[0] > 0)) return false;
  double u = problem.q[0], size = std::fabs(u);
  for (int p = 0; p < W.row_start[1]; ++p) {
    const double* row = W.value.data() + p * D * D;
    const double* x = r.data() + W.column[static_cast<std::size_t>(p)] * D;
    for (int k = 0; k < D; ++k) {
      u += row[k] * x[k];
      size += std::fabs(row[k] * x[k]);
    }
  }
  return std::fabs(u) > 1e-10 * size;
}

}  // namespace

bool ProblemSolver::sweeps(const contact::Island& island) {
  return island.problem.contacts() > kManyContacts && island.soft_contacts == island.problem.contacts();
}

bool ProblemSolver::solve(const Method& method, contact::Island& island, int threads) {
  return method.friction == FrictionLaw::Pyramid ? pyramid_.solve(method, island) : solve_cone(method, island, threads);
}

bool ProblemSolver::accept(contact::Island& island, const Residual& residual, const char* solver) {
  island.summary.status = complementarity::Status::Solved;
  island.summary.residual = residual;
  island.summary.solver = solver;
  return true;
}

bool ProblemSolver::solve_cone(const Method& method, contact::Island& island, int threads) {
  const complementarity::ContactProblem& problem = island.problem;
  if (method.solver == "auto") {
    if (problem.contacts() == 1) {  // the closed form costs less than looking at the previous impulses
      solve_single(problem, island.r);
      const Residual residual = single_residual(problem, island.r);
      if (residual.error <= kAim) return accept(island, residual, "one-contact");
    } else {
      Residual warm;  // infinite error until looked at
      if (!clearly_moved(problem, island.r)) warm = contact_residual(problem, island.r);
      if (warm.error <= kAim) return accept(island, warm, "warm-start");
      if (try_polish(island) || try_hold(island)) return true;
      if (sweeps(island) ? sweep(method, island, threads) : near_rest(method, island)) return true;
    }
  }
  complementarity::SolverOptions options;
  options.tolerance = method.certificate;
  const bool fresh = std::ranges::all_of(island.r, [](double r) { return r == 0; });
  const bool full_effort = method.certificate_at_worst <= method.certificate || method.solver != "auto";
  if (!full_effort) options.max_iterations = kEffort;
  island.summary = cone_.solve(problem, island.r, options, method.solver);
  if (!full_effort && !island.summary.solved() && !(island.summary.residual.error <= method.certificate_at_worst)) {
    options.max_iterations = 0;
    island.summary = cone_.solve(problem, island.r, options, method.solver);
  }
  if (!island.summary.solved()) return false;
  if (fresh && problem.contacts() > ModeNewton::kMaxContacts && polish_once(island)) return true;
  if (problem.contacts() <= ModeNewton::kMaxContacts) {
    if (!try_polish(island)) tighten(method, island, kAim, 100);
  }
  return true;
}

// Compliant contacts: W is so well conditioned that sweeps are the cheapest solver of many contacts. Bodies that come to
// rest get impulses beyond the tolerance here too.
bool ProblemSolver::sweep(const Method& method, contact::Island& island, int threads) {
  const Residual warm = contact_residual(island.problem, island.r);
  if (warm.error <= kAtRest && near_rest(method, island)) return true;
  complementarity::SolverOptions options;
  options.tolerance = warm.error <= kClose * method.certificate ? kBeyond * method.certificate : method.certificate;
  options.threads = threads;
  options.give_up_early = true;
  r_.assign(island.r.begin(), island.r.end());
  const complementarity::SolverSummary summary = cone_.solve(island.problem, r_, options, "sweeps");
  if (!(summary.residual.error < warm.error)) return false;
  std::copy(r_.begin(), r_.end(), island.r.begin());  // where sweeps slow down Newton's method sets out
  if (!(summary.residual.error <= method.certificate)) return false;
  island.summary = summary;
  return accept(island, summary.residual, summary.solver);
}

// Many contacts whose previous impulses are almost right. Taking them because they just meet the tolerance leaves
// velocities that the next step has to correct, with impulses that are not those of rest, and so on for ever. A few
// steps of Newton beyond the tolerance end that: from then on the previous impulses are the answer to rounding.
bool ProblemSolver::near_rest(const Method& method, contact::Island& island) {
  if (island.problem.contacts() <= ModeNewton::kMaxContacts) return false;
  const Residual warm = contact_residual(island.problem, island.r);
  if (warm.error > kAlmost * method.certificate) return false;
  accept(island, warm, "warm-start");
  if (warm.error <= kAtRest && polish_once(island)) return true;
  if (warm.error > kSurplus * method.certificate) tighten(method, island, kSurplus * method.certificate, kFewSteps);
  return island.summary.residual.error <= method.certificate;
}

// One Newton step in the modes of the given impulses, or all contacts held, for more contacts than are worth it while
// bodies move: a stack that comes to rest, or starts at rest, then has impulses that are right to rounding, and stays.
bool ProblemSolver::polish_once(contact::Island& island) {
  if (island.problem.contacts() > ModeNewton::kMaxAtRest) return false;
  for (const bool hold : {false, true}) {
    r_.assign(island.r.begin(), island.r.end());
    if (!(hold ? newton_.hold(island.problem, r_) : newton_.polish(island.problem, r_, 1))) continue;
    const Residual residual = contact_residual(island.problem, r_);
    if (residual.error > kAim) continue;
    std::copy(r_.begin(), r_.end(), island.r.begin());
    return accept(island, residual, hold ? "hold" : "mode-newton");
  }
  return false;
}

// Lets the general solver go on from the island's answer, and keeps what it finds if it is better. Needed for a few
// contacts where some lie within the tolerance of the edge between two modes, so that Newton in fixed modes does not
// settle.
void ProblemSolver::tighten(const Method& method, contact::Island& island, double tolerance, int iterations) {
  complementarity::SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = iterations;
  r_.assign(island.r.begin(), island.r.end());
  const complementarity::SolverSummary summary = cone_.solve(island.problem, r_, options, method.solver);
  if (!(summary.residual.error < island.summary.residual.error)) return;
  std::copy(r_.begin(), r_.end(), island.r.begin());
  accept(island, summary.residual, summary.solver);
}

void ProblemSolver::solve_single(const complementarity::ContactProblem& problem, std::vector<double>& r) {
  using complementarity::ContactKind;
  double slip_rate = 0;
  const double* W = problem.W.value.data();
  const ContactKind kind = problem.kind.empty() ? ContactKind::Frictional : problem.kind[0];
  const double given = kind == ContactKind::Support ? problem.normal_impulse[0] : 0.0;
  if (problem.dimension() == 2)
    complementarity::solve_one_contact<2>(kind, problem.mu[0], given, W, problem.q.data(), r.data(), slip_rate);
  else
    complementarity::solve_one_contact<3>(kind, problem.mu[0], given, W, problem.q.data(), r.data(), slip_rate);
}

// The load of sticking contacts spread until each can bear its share.
bool ProblemSolver::try_hold(contact::Island& island) {
  if (island.problem.contacts() > ModeNewton::kMaxContacts) return false;
  r_.assign(island.r.begin(), island.r.end());
  if (!newton_.hold(island.problem, r_)) return false;
  const Residual residual = contact_residual(island.problem, r_);
  if (residual.error > kAim) return false;
  std::copy(r_.begin(), r_.end(), island.r.begin());
  return accept(island, residual, "hold");
}

// Newton steps from island.r as long as they converge; keeps the result, and returns true, if it certifies at the aim.
bool ProblemSolver::try_polish(contact::Island& island) {
  constexpr int kSteps = 5;
  constexpr double kConverging = 0.03;  // of the error before; the first step may change modes
  constexpr double kConverged = 1e-11;  // where Newton's method ends in rounding (bodies that are almost massless)
  if (island.problem.contacts() > ModeNewton::kMaxContacts) return false;
  r_.assign(island.r.begin(), island.r.end());
  double before = Residual::kUnknown;
  for (int step = 1; step <= kSteps; ++step) {
    if (!newton_.polish(island.problem, r_, 1)) return false;
    const Residual residual = contact_residual(island.problem, r_);
    if (residual.error <= kAim) {
      std::copy(r_.begin(), r_.end(), island.r.begin());
      return accept(island, residual, "mode-newton");
    }
    if (step > 1 && !(residual.error < kConverging * before)) {
      if (residual.error > kConverged || before > kConverged) return false;
      std::copy(r_.begin(), r_.end(), island.r.begin());
      return accept(island, residual, "mode-newton");
    }
    before = residual.error;
  }
  return false;
}

}  // namespace stickslip::stepping
