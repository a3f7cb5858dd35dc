// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The part of StepSensitivity for contacts that share their load in more than one way: four feet on a floor, a peg
// between two walls. The matrix K of the step is then singular. Where feet slide in different directions (the body
// turns), friction, and with it the motion, depends on the share, so the derivative must be that of the share which the
// solver took. Its Newton steps in fixed modes (stepping/mode_newton.h) stay next to the impulses of the step before:
//
//     L' P (p - p_0) = 0,    L' K = 0        =>        L' P (dp - dp_0) + d(L' P) (p - p_0) = 0
//
//   symbol  variable      meaning
//   L       left          rows that depend on each other: L' J = 0 over normal rows and the rows of sticking contacts
//   P       proximal      own response of each contact to a normal impulse; 0 for the friction of sliding ones
//   N       loose         impulses (and velocities) that leave all equations as they are: K N = 0
//   p_0     kept          the forces of the step before, in the frames of this one
//   z                     J z = P (p - p_0) in the sense of least squares:  dL' P (p - p_0) = -L' dJ z
//
// dp is the smallest solution plus N c, with c from the condition above. Whether the solver did choose this way is
// looked at in p itself: L' P (p - p_0) = 0 or, for contacts that it holds at rest, L' P p = 0. Otherwise the share is
// not known; where it moves bodies, the derivative is in doubt and says so.
//
// Left out: that a second Newton step has another L, O(h) of the term with d(L' P).
// Cost: a rank-revealing factorisation, and two evaluations of the equations per direction where forces change.
#include "stickslip/sensitivity/step_sensitivity.h"

#include "stickslip/sensitivity/tangent.h"

#include <Eigen/QR>

#include <cmath>

namespace stickslip::sensitivity {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kDependent = 1e-8;  // pivot, relative to the largest: rows that are differences have errors of 1e-10
constexpr double kChosen = 1e-4;     // of the impulses: how exactly the solver keeps to its choice
constexpr double kChanged = 1e-9;    // of the impulses: a change from step to step that counts
constexpr double kMoves = 1e-7;      // velocities among the loose changes

}  // namespace

// What one contact kept of its force: in units of velocity, in the frame that it has now.
void StepSensitivity::take_kept(VectorXd& kept, MatrixXd& change) const {
  kept.setZero(matrix_.rows());
  change.setZero(matrix_.rows(), right_.cols());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ActiveContact& now = contacts_[c];
    const auto same = [&](const ActiveContact& one) {
      return one.support == now.support && (now.support >= 0 || one.contact.id == now.contact.id);
    };
    std::size_t b = 0;
    while (b < last_.contacts.size() && !same(last_.contacts[b])) ++b;
    if (b == last_.contacts.size()) continue;
    const ActiveContact& before = last_.contacts[b];
    const int skip = now.support < 0 ? 0 : 1;
    const double scale = weight_[c] * span_.h / last_.h;
    for (int k = skip; k <= now.tangents; ++k)
      for (int j = skip; j <= before.tangents; ++j) {
        // Supports have frames of their own body: their friction is carried along.
        const double part =
            now.support < 0 ? before.rows.direction[j].dot(now.rows.direction[k]) : (j == k ? 1.0 : 0.0);
        kept[first_[c] + k - skip] += scale * part * before.p[j];
        change.row(first_[c] + k - skip) +=
            scale * part / last_.weight[b] * last_.changes.row(last_.first[b] + j - skip);
      }
  }
}

// Rows of normal and sticking contacts by freedoms, in the order of the unknowns, and each contact's own response.
void StepSensitivity::list_shared(const StepEquations& equations, MatrixXd& rows, VectorXd& proximal) const {
  const Index n = velocity_.size();
  rows.setZero(response_.cols(), n);
  proximal.setZero(response_.cols());
  VectorXd response(n);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const ActiveContact& active = contacts_[c];
    Index row = first_[c] - n;
    double own = weight_[c];
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
  for (std::size_t c = 0; c < contacts_.size(); ++c) {  // impulses are unknowns in units of velocity
    const Index count = contacts_[c].tangents + (contacts_[c].support < 0 ? 1 : 0);
    proximal.segment(first_[c] - n, count) /= weight_[c];
  }
}

// d(L' P) (p - p_0) for all directions, from the equations a little to both sides.
void StepSensitivity::change_of_choice(const model::State& before, const MatrixXd& left, const VectorXd& moved,
                                       MatrixXd& change) {
  const Index n = velocity_.size();
  MatrixXd rows, low_rows, high_rows;
  VectorXd proximal, low_proximal, high_proximal;
  equations_.evaluate(before, span_, velocity_, contacts_, minus_);
  list_shared(equations_, rows, proximal);
  const VectorXd z = rows.completeOrthogonalDecomposition().solve(proximal.cwiseProduct(moved));
  VectorXd velocity(n);
  for (const std::vector<Index>* list : {&quick_, &slow_})
    for (const Index k : *list) {
      const auto i = static_cast<std::size_t>(k);
      const bool varies = low_[i] != nullptr;
      const double amount = varies ? 0 : amount_for(start_.col(k), span_.h);
      const double below = varies ? directions_[i].below : amount, above = varies ? directions_[i].above : amount;
      if (!(below + above > 0)) continue;
      const auto at = [&](StepEquations& equations, double along, MatrixXd& to_rows, VectorXd& to_proximal) {
        move_along(before, start_.col(k), along, moved_);
        velocity = velocity_ + along * right_.col(k).head(n);
        equations.evaluate(moved_, span_, velocity, contacts_, minus_);
        list_shared(equations, to_rows, to_proximal);
      };
      at(varies ? *low_[i] : equations_, -below, low_rows, low_proximal);
      at(varies ? *high_[i] : equations_, above, high_rows, high_proximal);
      const double width = below + above;
      change.col(k) =
          left.transpose() * ((high_proximal - low_proximal).cwiseProduct(moved) - (high_rows - low_rows) * z) / width;
    }
}

void StepSensitivity::solve_redundant(const model::State& before) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(matrix_);
  const Index n = velocity_.size(), m = response_.cols(), size = n + m, open = size - decomposition.rank();
  right_ = decomposition.solve(right_);
  if (open == 0) {
    share_open_ = false;
    return;
  }
  MatrixXd left = MatrixXd::Identity(size, size).rightCols(open);
  left.applyOnTheLeft(decomposition.householderQ());
  const MatrixXd loose = decomposition.colsPermutation() * decomposition.matrixZ().adjoint().rightCols(open);
  const bool moves = loose.topRows(n).norm() > kMoves;

  MatrixXd rows, kept_change;
  VectorXd proximal, kept, now = VectorXd::Zero(m);
  equations_.evaluate(before, span_, velocity_, contacts_, minus_);
  list_shared(equations_, rows, proximal);
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    for (int k = contacts_[c].support < 0 ? 0 : 1, j = 0; k <= contacts_[c].tangents; ++k, ++j)
      now[first_[c] - n + j] = weight_[c] * contacts_[c].p[k];
  take_kept(kept, kept_change);
  const MatrixXd left_rows = left.bottomRows(m);
  const MatrixXd choice = left_rows.transpose() * proximal.asDiagonal();
  const double exact = kChosen * choice.norm() * now.norm();
  const bool near_last = (choice * (now - kept.tail(m))).norm() <= exact;
  const bool smallest = !near_last && (choice * now).norm() <= exact;
  if (smallest) {
    kept.setZero();
    kept_change.setZero();
  }
  // The rows that depend on each other are those of list_shared() alone?
  const bool plain = (left_rows.transpose() * rows).norm() <= 1e-6 * left_rows.norm() * rows.norm();
  const Eigen::FullPivLU<MatrixXd> by_loose(choice * loose.bottomRows(m));
  share_open_ = !((near_last && !share_open_) || smallest) || !plain || !by_loose.isInvertible();
  if (share_open_) {
    forces_open_ = true;
    motion_open_ |= moves;
    return;
  }
  MatrixXd wanted = choice * (kept_change - right_).bottomRows(m);
  const VectorXd moved = now - kept.tail(m);
  if (moved.norm() > kChanged * now.norm()) {
    MatrixXd change = MatrixXd::Zero(open, right_.cols());
    change_of_choice(before, left_rows, moved, change);
    wanted -= change;
  }
  right_ += loose * by_loose.solve(wanted);
}

}  // namespace stickslip::sensitivity
