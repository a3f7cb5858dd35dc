// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/load_sharing.h"

#include <Eigen/LU>
#include <Eigen/QR>

namespace stickslip::sensitivity {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kDependent = 1e-8;  // pivot, relative to the largest: rows that are differences have errors of 1e-10
constexpr double kChosen = 1e-4;     // of the impulses: how exactly the solver keeps to its choice
constexpr double kChanged = 1e-9;    // of the impulses: a change from step to step that counts
constexpr double kMoves = 1e-7;      // velocities among the loose changes

// Rows of normal and sticking contacts by freedoms, in the order of the unknowns, and each contact's own response.
struct SharedRows {
  MatrixXd rows;
  VectorXd proximal;

  SharedRows(const SolvedStep& step, const StepEquations& equations) {
    const StepJacobian& jacobian = step.jacobian;
    const Index n = jacobian.freedoms(), m = jacobian.size() - n;
    rows.setZero(m, n);
    proximal.setZero(m);
    VectorXd response(n);
    for (std::size_t c = 0; c < step.contacts.size(); ++c) {
      const ActiveContact& active = step.contacts[c];
      Index row = jacobian.first(c) - n;
      double own = jacobian.weight(c);
      if (active.support < 0) {
        equations.put_row(c, 0, rows, row);
        equations.response(c, 0, response);
        own = rows.row(row) * response;
        proximal[row++] = own;
      }
      if (active.slides) continue;
      for (int k = 1; k <= active.tangents; ++k, ++row) {
        equations.put_row(c, k, rows, row);
        proximal[row] = own;
      }
    }
    for (std::size_t c = 0; c < step.contacts.size(); ++c)  // impulses are unknowns in units of velocity
      proximal.segment(jacobian.first(c) - n, step.contacts[c].row_count()) /= jacobian.weight(c);
  }
};

}  // namespace

void LoadSharing::begin() {
  open_ = forces_open_ = motion_open_ = false;
}

void LoadSharing::keep(double h, const StepJacobian& jacobian, std::vector<ActiveContact>& contacts, MatrixXd& solved) {
  last_.h = h;
  last_.contacts.swap(contacts);
  last_.changes.swap(solved);
  last_.first.clear();
  last_.weight.clear();
  for (std::size_t c = 0; c < last_.contacts.size(); ++c) {
    last_.first.push_back(jacobian.first(c));
    last_.weight.push_back(jacobian.weight(c));
  }
}

// What each contact kept of its force: in units of velocity, in the frame that it has now.
void LoadSharing::take_kept(const SolvedStep& step, VectorXd& kept, MatrixXd& change) const {
  const StepJacobian& jacobian = step.jacobian;
  kept.setZero(jacobian.size());
  change.setZero(jacobian.size(), step.start.cols());
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const ActiveContact& now = step.contacts[c];
    const auto same = [&](const ActiveContact& one) {
      return one.support == now.support && (now.support >= 0 || one.contact.id == now.contact.id);
    };
    std::size_t b = 0;
    while (b < last_.contacts.size() && !same(last_.contacts[b])) ++b;
    if (b == last_.contacts.size()) continue;
    const ActiveContact& before = last_.contacts[b];
    const int skip = now.first_row();
    const double scale = jacobian.weight(c) * step.h / last_.h;
    for (int k = skip; k <= now.tangents; ++k)
      for (int j = skip; j <= before.tangents; ++j) {
        // Supports have frames of their own body: their friction is carried along.
        const double part =
            now.support < 0 ? before.rows.direction[j].dot(now.rows.direction[k]) : (j == k ? 1.0 : 0.0);
        kept[jacobian.first(c) + k - skip] += scale * part * before.p[j];
        change.row(jacobian.first(c) + k - skip) +=
            scale * part / last_.weight[b] * last_.changes.row(last_.first[b] + j - skip);
      }
  }
}

// d(L' P) (p - p_0) for all directions, from the equations a little to both sides.
void LoadSharing::change_of_choice(const SolvedStep& step, const MatrixXd& left, const VectorXd& moved,
                                   const MatrixXd& solved, MatrixXd& change) {
  StepJacobian& jacobian = step.jacobian;
  const Index n = jacobian.freedoms();
  const SharedRows here(step, jacobian.evaluate_here(values_));
  const VectorXd z = here.rows.completeOrthogonalDecomposition().solve(here.proximal.cwiseProduct(moved));
  for (Index k = 0; k < step.start.cols(); ++k) {
    const auto [below, above] = jacobian.amounts(k, step.start.col(k));
    if (!(below + above > 0)) continue;
    const auto at = [&](double amount) {
      const VectorXd velocity = step.velocity + amount * solved.col(k).head(n);
      return SharedRows(step, jacobian.evaluate_beside(k, amount, step.start.col(k), velocity, step.contacts, values_));
    };
    const SharedRows low = at(-below), high = at(above);
    change.col(k) = left.transpose() *
                    ((high.proximal - low.proximal).cwiseProduct(moved) - (high.rows - low.rows) * z) / (below + above);
  }
}

void LoadSharing::solve(const SolvedStep& step, MatrixXd& right) {
  StepJacobian& jacobian = step.jacobian;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(step.matrix);
  const Index size = jacobian.size(), n = jacobian.freedoms(), m = size - n, open = size - decomposition.rank();
  right = decomposition.solve(right).eval();
  if (open == 0) {
    open_ = false;
    return;
  }
  MatrixXd left = MatrixXd::Identity(size, size).rightCols(open);
  left.applyOnTheLeft(decomposition.householderQ());
  const MatrixXd loose = decomposition.colsPermutation() * decomposition.matrixZ().adjoint().rightCols(open);

  const SharedRows here(step, jacobian.evaluate_here(values_));
  VectorXd kept, now = VectorXd::Zero(m);
  MatrixXd kept_change;
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const ActiveContact& active = step.contacts[c];
    for (int k = active.first_row(); k <= active.tangents; ++k)
      now[jacobian.first(c) - n + k - active.first_row()] = jacobian.weight(c) * active.p[k];
  }
  take_kept(step, kept, kept_change);
  const MatrixXd left_rows = left.bottomRows(m);
  const MatrixXd choice = left_rows.transpose() * here.proximal.asDiagonal();
  const double exact = kChosen * choice.norm() * now.norm();
  const bool near_last = (choice * (now - kept.tail(m))).norm() <= exact;
  const bool smallest = !near_last && (choice * now).norm() <= exact;
  if (smallest) {
    kept.setZero();
    kept_change.setZero();
  }
  // The rows that depend on each other are the shared ones alone?
  const bool plain = (left_rows.transpose() * here.rows).norm() <= 1e-6 * left_rows.norm() * here.rows.norm();
  const Eigen::FullPivLU<MatrixXd> by_loose(choice * loose.bottomRows(m));
  open_ = !((near_last && !open_) || smallest) || !plain || !by_loose.isInvertible();
  if (open_) {
    forces_open_ = true;
    motion_open_ |= loose.topRows(n).norm() > kMoves;
    return;
  }
  MatrixXd wanted = choice * (kept_change - right).bottomRows(m);
  const VectorXd moved = now - kept.tail(m);
  if (moved.norm() > kChanged * now.norm()) {
    MatrixXd change = MatrixXd::Zero(open, right.cols());
    change_of_choice(step, left_rows, moved, right, change);
    wanted -= change;
  }
  right += loose * by_loose.solve(wanted);
}

}  // namespace stickslip::sensitivity
