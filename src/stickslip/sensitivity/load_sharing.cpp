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

// K where rows of it depend on each other: its smallest solutions, L and N.
class OpenSystem {
 public:
  explicit OpenSystem(const MatrixXd& matrix) {
    factors_.setThreshold(kDependent);
    factors_.compute(matrix);
  }
  [[nodiscard]] Index open() const { return factors_.rows() - factors_.rank(); }
  [[nodiscard]] MatrixXd smallest_solution(const MatrixXd& right) const { return factors_.solve(right); }
  [[nodiscard]] MatrixXd left() const {
    MatrixXd left = MatrixXd::Identity(factors_.rows(), factors_.rows()).rightCols(open());
    left.applyOnTheLeft(factors_.householderQ());
    return left;
  }
  [[nodiscard]] MatrixXd loose() const {
    return factors_.colsPermutation() * factors_.matrixZ().adjoint().rightCols(open());
  }

 private:
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors_;
};

// p of the step, in the order and the units of the unknowns.
VectorXd impulses_of(const SolvedStep& step) {
  const StepJacobian& jacobian = step.jacobian;
  const Index n = jacobian.freedoms();
  VectorXd p = VectorXd::Zero(jacobian.size() - n);
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const ActiveContact& active = step.contacts[c];
    for (int k = active.first_row(); k <= active.tangents; ++k)
      p[jacobian.first(c) - n + k - active.first_row()] = jacobian.weight(c) * active.p[k];
  }
  return p;
}

enum class Choice { NextToLast, Smallest, Neither };

// Which share the solver took. condition: L' P.
Choice choice_of(const MatrixXd& condition, const VectorXd& p, const VectorXd& kept) {
  const double exact = kChosen * condition.norm() * p.norm();
  if ((condition * (p - kept)).norm() <= exact) return Choice::NextToLast;
  return (condition * p).norm() <= exact ? Choice::Smallest : Choice::Neither;
}

// Whether the rows of the equations that depend on each other are those of the shared load alone: L' J = 0.
bool shared_alone(const MatrixXd& left, const SharedRows& shared) {
  return (left.transpose() * shared.rows).norm() <= 1e-6 * left.norm() * shared.rows.norm();
}

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
  const OpenSystem system(step.matrix);
  right = system.smallest_solution(right);
  if (system.open() == 0) {
    open_ = false;
    return;
  }
  StepJacobian& jacobian = step.jacobian;
  const Index n = jacobian.freedoms(), m = jacobian.size() - n;
  const SharedRows shared(step, jacobian.evaluate_here(values_));
  const MatrixXd left = system.left().bottomRows(m), loose = system.loose();
  const MatrixXd condition = left.transpose() * shared.proximal.asDiagonal();            // L' P
  const Eigen::FullPivLU<MatrixXd> condition_on_loose(condition * loose.bottomRows(m));  // L' P N

  VectorXd kept;  // p_0
  MatrixXd kept_change;
  take_kept(step, kept, kept_change);
  const VectorXd p = impulses_of(step);
  const Choice choice = choice_of(condition, p, kept.tail(m));
  if (choice == Choice::Smallest) {
    kept.setZero();
    kept_change.setZero();
  }
  // Next to the last share says nothing where that was not known.
  const bool known = choice == Choice::Smallest || (choice == Choice::NextToLast && !open_);
  open_ = !known || !shared_alone(left, shared) || !condition_on_loose.isInvertible();
  if (open_) {
    forces_open_ = true;
    motion_open_ |= loose.topRows(n).norm() > kMoves;
    return;
  }

  // dp = the smallest solution + N c:   L' P N c = L' P (dp_0 - smallest) - d(L' P) (p - p_0)
  MatrixXd wanted = condition * (kept_change - right).bottomRows(m);
  const VectorXd moved = p - kept.tail(m);
  if (moved.norm() > kChanged * p.norm()) {
    MatrixXd change = MatrixXd::Zero(left.cols(), right.cols());
    change_of_choice(step, left, moved, right, change);
    wanted -= change;
  }
  right += loose * condition_on_loose.solve(wanted);
}

}  // namespace stickslip::sensitivity
