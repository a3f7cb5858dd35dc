// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/norm_search.h"

#include <algorithm>
#include <cmath>

namespace stickslip::study {
namespace {

constexpr int kRounds = 60, kSweeps = 40;
constexpr double kFirstCorner = 1.0, kLastCorner = 1e-4;  // e, relative to the mean norm

// In place: x + argmin of g'd + d'Hd/2 within the bounds of x + d.
void descend(const Eigen::MatrixXd& H, Eigen::VectorXd gradient, const Eigen::VectorXd& low,
             const Eigen::VectorXd& high, Eigen::VectorXd& x) {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      if (!(H(i, i) > 0)) continue;
      const double next = std::clamp(x[i] - gradient[i] / H(i, i), low[i], high[i]);
      const double change = next - x[i];
      if (change == 0) continue;
      x[i] = next;
      gradient += change * H.col(i);
      moved = std::max(moved, std::abs(change) / (high[i] - low[i]));
    }
    if (moved < 1e-9) return;
  }
}

}  // namespace

double NormModel::value(const Eigen::VectorXd& step) const {
  const Eigen::VectorXd r = residuals + slopes * step;
  double sum = 0;
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sum += weight[i] * r.segment(at, sizes[i]).norm();
    at += sizes[i];
  }
  return sum;
}

Eigen::VectorXd minimising_step(const NormModel& model, const Eigen::VectorXd& low, const Eigen::VectorXd& high) {
  const Eigen::Index n = model.slopes.cols();
  Eigen::VectorXd step = Eigen::VectorXd::Zero(n), best = step;
  double total = 0;
  for (const double w : model.weight) total += w;
  double least = model.value(step);
  const double mean = total > 0 ? least / total : 0;
  if (!(mean > 0)) return step;
  Eigen::MatrixXd H(n, n);
  Eigen::VectorXd gradient(n);
  for (int round = 0; round < kRounds; ++round) {
    const double part = static_cast<double>(round) / (kRounds - 1);
    const double corner = mean * kFirstCorner * std::pow(kLastCorner / kFirstCorner, part);
    const Eigen::VectorXd r = model.residuals + model.slopes * step;
    H.setZero();
    gradient.setZero();
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < model.sizes.size(); ++i) {
      const int size = model.sizes[i];
      const auto J = model.slopes.middleRows(at, size);
      const double w = model.weight[i] / std::max(r.segment(at, size).norm(), corner);
      H.noalias() += w * J.transpose() * J;
      gradient.noalias() += w * J.transpose() * r.segment(at, size);
      at += size;
    }
    H.diagonal() *= 1 + 1e-10;  // directions that change nothing stay where they are
    descend(H, gradient, low, high, step);
    const double value = model.value(step);
    if (value < least) {
      least = value;
      best = step;
    }
  }
  return best;
}

}  // namespace stickslip::study
