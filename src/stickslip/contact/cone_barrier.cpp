// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/cone_barrier.h"

#include <cmath>
#include <limits>

namespace stickslip::contact {

using Eigen::Index;
using Eigen::VectorXd;

ConeBarrier::ConeBarrier(const SharedLoad& load, const VectorXd& share, const Eigen::MatrixXd& null)
    : load_(load), share_(share), null_(null) {
  sum_of_normals_ = null.topRows(load.normal.cols()).colwise().sum().transpose();
  for (std::size_t i = 0; i < load.closed.size(); ++i) {
    double size = null.row(static_cast<Index>(i)).norm();
    const Index t = load.normal.cols() + load.closed[i].first;
    if (load.closed[i].first >= 0) size += null.middleRows(t, 2).norm();
    moves_.push_back(size > 0);
  }
}

double ConeBarrier::height(const VectorXd& c, double tau, const VectorXd& y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  p_ = share_;
  p_.noalias() += null_ * y;
  const double left = limit_ - sum_of_normals_.dot(y);
  if (!(left > 0)) return kInfinity;
  double sum = -tau * c.dot(y) - std::log(left);
  for (std::size_t i = 0; i < load_.closed.size(); ++i) {
    if (!moves_[i]) continue;
    const SharedLoad::Closed& one = load_.closed[i];
    const double N = p_[static_cast<Index>(i)];
    if (one.first < 0) {
      if (!(N + kInside > 0)) return kInfinity;
      sum -= std::log(N + kInside);
      continue;
    }
    const Index t = load_.normal.cols() + one.first;
    const double n = one.mu * N + kInside, length = std::hypot(p_[t], p_[t + 1]);
    if (!(n > length)) return kInfinity;
    sum -= std::log(n - length) + std::log(n + length);
  }
  return sum;
}

// Of f = n^2 - |t|^2, x = (n, t), with S = diag(1, -1, -1): gradient of -log f  -2 S x / f, Hessian 4 (S x)(S x)' / f^2 - 2 S / f.
void ConeBarrier::slopes(const VectorXd& c, double tau, const VectorXd& y) {
  p_ = share_;
  p_.noalias() += null_ * y;
  const double left = limit_ - sum_of_normals_.dot(y);
  slope_.setZero(p_.size());
  bent_.setZero(null_.rows(), null_.cols());
  for (std::size_t i = 0; i < load_.closed.size(); ++i) {
    if (!moves_[i]) continue;
    const SharedLoad::Closed& one = load_.closed[i];
    const auto k = static_cast<Index>(i);
    if (one.first < 0) {
      const double N = p_[k] + kInside;
      slope_[k] = -1 / N;
      bent_.row(k) = null_.row(k) / (N * N);
      continue;
    }
    const Index t = load_.normal.cols() + one.first;
    const double n = one.mu * p_[k] + kInside, length = std::hypot(p_[t], p_[t + 1]), f = (n - length) * (n + length);
    const Vec3 x(one.mu * n, -p_[t], -p_[t + 1]);
    const Vec3 square(-2 * one.mu * one.mu / f, 2 / f, 2 / f);
    const Index row[3] = {k, t, t + 1};
    there_ = (x[0] * null_.row(k) + x[1] * null_.row(t) + x[2] * null_.row(t + 1)).transpose();
    for (int d = 0; d < 3; ++d) {
      slope_[row[d]] = -2 / f * x[d];
      bent_.row(row[d]) = 4 / (f * f) * x[d] * there_.transpose() + square[d] * null_.row(row[d]);
    }
  }
  gradient_ = sum_of_normals_ / left - tau * c;
  gradient_.noalias() += null_.transpose() * slope_;
  hessian_.noalias() = null_.transpose() * bent_;
  hessian_.noalias() += sum_of_normals_ * sum_of_normals_.transpose() / (left * left);
}

bool ConeBarrier::follow(const VectorXd& c, double tau, VectorXd& y) {
  constexpr int kMostSteps = 60, kMostHalves = 40;
  constexpr double kNear = 1e-2;  // decrement, squared: the error is that of tau
  double now = height(c, tau, y);
  for (int round = 0; round < kMostSteps; ++round) {
    slopes(c, tau, y);
    hessian_.diagonal().array() += 1e-15 * hessian_.diagonal().maxCoeff();
    factor_.compute(hessian_);
    step_ = -factor_.solve(gradient_);
    const double decrement = -gradient_.dot(step_);
    if (!std::isfinite(decrement) || !(decrement > 0)) return false;
    if (decrement <= kNear) return true;
    double length = 1;
    bool down = false;
    for (int half = 0; half < kMostHalves && !down; ++half, length *= 0.5) {
      there_ = y + length * step_;
      const double then = height(c, tau, there_);
      if (then <= now - 0.1 * length * decrement) {
        y = there_;
        now = then;
        down = true;
      }
    }
    if (!down) return false;
  }
  return false;
}

}  // namespace stickslip::contact
