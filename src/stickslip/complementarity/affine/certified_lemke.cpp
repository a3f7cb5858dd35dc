// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/certified_lemke.h"

#include <algorithm>

namespace stickslip::complementarity {
namespace {

constexpr int kRestarts = 4;
constexpr double kRestartTie = 1e-13;
// Answers that are certified but not as good as pivoting usually gets (a path that broke off early) are worth one
// restart: contacts that stick should stick exactly.
constexpr double kPolished = 1e-12;

}  // namespace

void CertifiedLemke::bind(const AffineProblem& problem) {
  problem_ = &problem;
  schur_form_ = SchurForm::Unknown;
  if (problem.is_dense) {
    dense_.set(problem.dense);
  } else {
    sparse_.set(problem.sparse);
  }
}

bool CertifiedLemke::has_schur_form() {
  if (schur_form_ == SchurForm::Unknown) {
    const bool yes = !problem_->is_dense && schur_.set(sparse_, problem_->q, problem_->lower, problem_->upper);
    schur_form_ = yes ? SchurForm::Yes : SchurForm::No;
  }
  return schur_form_ == SchurForm::Yes;
}

template <class Engine>
LemkeExit CertifiedLemke::keep(const Engine& engine, LemkeExit exit, Eigen::VectorXd& z) {
  pivots_ += engine.pivots();
  basis_ = engine.basis();
  const auto n = static_cast<Eigen::Index>(basis_.size());
  if (exit == LemkeExit::Solved) z = Eigen::Map<const Eigen::VectorXd>(engine.z().data(), n);
  if (exit == LemkeExit::Ray) ray_ = engine.ray();
  return exit;
}

LemkeExit CertifiedLemke::run_once(const VariableStatus* start, const LemkeOptions& options, bool schur_form,
                                   Eigen::VectorXd& z) {
  const AffineProblem& p = *problem_;
  const double *q = p.q.data(), *lower = p.lower.data(), *upper = p.upper.data();
  if (!schur_form) {
    if (p.is_dense) return keep(dense_lemke_, dense_lemke_.solve(dense_, q, lower, upper, start, options), z);
    return keep(sparse_lemke_, sparse_lemke_.solve(sparse_, q, lower, upper, start, options), z);
  }
  const int n = schur_.size();
  const VariableStatus* reduced_start = nullptr;
  if (start != nullptr) {
    restart_.resize(n);
    for (int i = 0; i < n; ++i) restart_[i] = start[schur_.original(i)];
    reduced_start = restart_.data();
  }
  const LemkeExit exit = schur_lemke_.solve(schur_, schur_.q(), schur_.lower(), schur_.upper(), reduced_start, options);
  pivots_ += schur_lemke_.pivots();
  basis_.assign(static_cast<std::size_t>(p.size()), VariableStatus::Basic);
  for (int i = 0; i < n; ++i) basis_[schur_.original(i)] = schur_lemke_.basis()[i];
  if (exit == LemkeExit::Solved) schur_.expand(schur_lemke_.z().data(), z);
  if (exit == LemkeExit::Ray) {
    ray_.assign(static_cast<std::size_t>(p.size()), 0.0);
    for (int i = 0; i < n; ++i) ray_[schur_.original(i)] = schur_lemke_.ray()[i];
  }
  return exit;
}

CertifiedLemke::Result CertifiedLemke::run(const VariableStatus* start, const LemkeOptions& options, double tolerance,
                                           bool schur_form, Eigen::VectorXd& z) {
  Result result;
  pivots_ = 0;
  schur_form = schur_form && has_schur_form();
  LemkeOptions again = options;
  again.tie_tolerance = std::min(options.tie_tolerance, kRestartTie);
  bool latest_is_best = false, restarted = false;
  for (int attempt = 0; attempt <= kRestarts; ++attempt) {
    LemkeExit exit = LemkeExit::Breakdown;
    if (attempt == 0) {
      exit = result.exit = run_once(start, options, schur_form, z);
    } else {
      if (latest_is_best) {
        best_z_ = z;
        best_basis_ = basis_;
        latest_is_best = false;
      }
      if (pivots_ >= options.max_pivots) break;
      restarted = true;
      again.max_pivots = options.max_pivots - pivots_;
      again.cover_all = attempt % 2 == 0;
      again.seed += 7;
      from_ = basis_;
      exit = run_once(from_.data(), again, schur_form, z);
    }
    if (exit != LemkeExit::Solved) break;
    const Residual residual = affine_residual(*problem_, z, residual_);
    latest_is_best = attempt == 0 || residual.error < result.residual.error;
    if (latest_is_best) result.residual = residual;
    result.certified = result.residual.error <= tolerance;
    if (result.certified && (attempt > 0 || std::min(residual.natural, residual.scaled) <= kPolished)) break;
  }
  if (result.exit == LemkeExit::Solved && !latest_is_best && restarted) {
    z = best_z_;
    basis_ = best_basis_;
  }
  result.pivots = pivots_;
  return result;
}

}  // namespace stickslip::complementarity
