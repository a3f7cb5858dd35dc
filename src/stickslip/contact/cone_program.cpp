// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/cone_program.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::contact {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr double kDependent = 1e-11;  // rows of G, of the largest: what rounding leaves of geometry
constexpr double kGap = 1e-15;        // of the squares of the numbers: near enough for Newton's method
constexpr double kFound = 1e-9;       // the same where rounding ends the way
constexpr double kResidual = 1e-9;    // of the equations, of their terms
constexpr int kMostSteps = 60;

double reach(const Vector3d& x, int size) {
  return size == 3 ? std::hypot(x[1], x[2]) : size == 2 ? std::fabs(x[1]) : 0.0;
}

// (x_0 - |x_t|) (x_0 + |x_t|)
double determinant(const Vector3d& x, int size) {
  const double t = reach(x, size);
  return (x[0] - t) * (x[0] + t);
}

// u with  lambda o u = r
Vector3d divide(const Vector3d& lambda, const Vector3d& r, int size) {
  Vector3d u = Vector3d::Zero();
  u[0] = (lambda[0] * r[0] - lambda.tail<2>().dot(r.tail<2>())) / determinant(lambda, size);
  u.tail<2>() = (r.tail<2>() - u[0] * lambda.tail<2>()) / lambda[0];
  return u;
}

Vector3d product(const Vector3d& x, const Vector3d& y) {
  Vector3d out;
  out[0] = x.dot(y);
  out.tail<2>() = x[0] * y.tail<2>() + y[0] * x.tail<2>();
  return out;
}

// The largest step from inside that does not leave the cone.
double longest(const Vector3d& x, const Vector3d& d, int size) {
  constexpr double kFar = 1e300;
  if (size == 1) return d[0] < 0 ? -x[0] / d[0] : kFar;
  // a s^2 + 2 b s + c = 0, c > 0
  const double a = d[0] * d[0] - d.tail<2>().squaredNorm(), b = x[0] * d[0] - x.tail<2>().dot(d.tail<2>()),
               c = determinant(x, size);
  const double under = b * b - a * c;
  double first = kFar;
  if (under >= 0) {
    const double root = std::sqrt(under);
    // The smaller positive root, by the form without a difference.
    if (b < 0)
      first = c / (-b + root);
    else if (a < 0)
      first = (b + root) / -a;
  }
  if (d[0] < 0) first = std::min(first, -x[0] / d[0]);
  return first;
}

// Into the inside of the cone, by at least 1.
void push_inside(Vector3d& x, int size) {
  const double short_of = reach(x, size) - x[0];
  if (short_of > -1e-3) x[0] += 1 + std::max(0.0, short_of);
}

}  // namespace

void ConeProgram::list(const std::vector<Cone>& cones, int tangents, const MatrixXd& G, const VectorXd& g,
                       const VectorXd& a) {
  by_rows_.setThreshold(kDependent);
  by_rows_.compute(G.transpose());
  rows_.assign(by_rows_.colsPermutation().indices().data(),
               by_rows_.colsPermutation().indices().data() + by_rows_.rank());
  std::ranges::sort(rows_);
  blocks_.resize(cones.size());
  column_.clear();
  for (std::size_t c = 0; c < cones.size(); ++c) {
    const Cone& cone = cones[c];
    Block& block = blocks_[c];
    block.at = static_cast<Index>(column_.size());
    block.size = cone.tangent < 0 ? 1 : 1 + tangents;
    block.mu = cone.tangent < 0 ? 1 : cone.mu;
    column_.push_back(cone.normal);
    for (int k = 1; k < block.size; ++k) column_.push_back(cone.tangent + k - 1);
  }
  const auto n = static_cast<Index>(rows_.size()), m = static_cast<Index>(column_.size());
  G_.resize(n, m);
  g_.resize(n);
  from_.resize(m);
  least_.setZero(m);
  for (std::size_t c = 0; c < cones.size(); ++c) {
    const Block& block = blocks_[c];
    for (int k = 0; k < block.size; ++k) {
      const double unit = k == 0 ? block.mu : 1.0;
      const Index column = column_[static_cast<std::size_t>(block.at + k)];
      from_[block.at + k] = unit * a[column];
      for (Index i = 0; i < n; ++i) G_(i, block.at + k) = G(rows_[static_cast<std::size_t>(i)], column) / unit;
    }
    if (block.size == 1) least_[block.at] = cones[c].least;
  }
  for (Index i = 0; i < n; ++i) g_[i] = g[rows_[static_cast<std::size_t>(i)]];
}

// The nearest point without cones, pushed inside.
void ConeProgram::start() {
  schur_.noalias() = G_ * G_.transpose();
  schur_.diagonal().array() *= 1 + 1e-13;
  factor_.compute(schur_);
  y_ = factor_.solve(G_ * from_ - g_);
  x_ = from_;
  x_.noalias() -= G_.transpose() * y_;
  dx_.noalias() = G_.transpose() * y_;
  for (Block& block : blocks_) {
    block.s.setZero();
    block.z.setZero();
    for (int k = 0; k < block.size; ++k) {
      const Index i = block.at + k;
      block.s[k] = x_[i] - least_[i];
      block.z[k] = block.weight(k) * (x_[i] - from_[i]) + dx_[i];
    }
    push_inside(block.s, block.size);
    push_inside(block.z, block.size);
    for (int k = 0; k < block.size; ++k) x_[block.at + k] = block.s[k] + least_[block.at + k];
  }
}

// W and what follows from it, and the factor of G (Q + W^-2)^-1 G'.
bool ConeProgram::scale() {
  GH_.resize(G_.rows(), G_.cols());
  for (Block& block : blocks_) {
    const int size = block.size;
    Eigen::Matrix3d& W = block.scaling;
    W.setIdentity();
    block.unscaling.setIdentity();
    if (size == 1) {
      if (!(block.s[0] > 0 && block.z[0] > 0)) return false;
      W(0, 0) = std::sqrt(block.s[0] / block.z[0]);
      block.unscaling(0, 0) = 1 / W(0, 0);
    } else {
      const double s_size = determinant(block.s, size), z_size = determinant(block.z, size);
      if (!(s_size > 0 && z_size > 0)) return false;
      Vector3d s = block.s / std::sqrt(s_size), z = block.z / std::sqrt(z_size);
      const double beta = std::sqrt(std::sqrt(s_size / z_size)), middle = std::sqrt(0.5 * (1 + s.dot(z)));
      z.tail<2>() *= -1;
      Vector3d w = (s + z) / (2 * middle);
      w[0] += 1;
      w /= std::sqrt(2 * w[0]);
      const Vector3d signs(1, -1, -1);
      W = beta * (2 * w * w.transpose());
      W.diagonal() -= beta * signs;
      w.tail<2>() *= -1;
      block.unscaling = 2 / beta * w * w.transpose();
      block.unscaling.diagonal() -= signs / beta;
      if (size == 2)
        W.row(2).setZero(), W.col(2).setZero(), block.unscaling.row(2).setZero(), block.unscaling.col(2).setZero();
    }
    block.lambda = W * block.z;
    for (int k = size; k < 3; ++k) block.lambda[k] = 0;
    Eigen::Matrix3d H = block.unscaling * block.unscaling;
    for (int k = 0; k < 3; ++k) H(k, k) = k < size ? H(k, k) + block.weight(k) : 1.0;
    block.inverse = H.inverse();
    GH_.middleCols(block.at, size).noalias() = G_.middleCols(block.at, size) * block.inverse.topLeftCorner(size, size);
  }
  schur_.noalias() = GH_ * G_.transpose();
  schur_.diagonal().array() *= 1 + 1e-14;
  factor_.compute(schur_);
  return factor_.info() == Eigen::Success;
}

// Newton's step for Block::wanted = lambda o (W dz + W^-1 ds).
bool ConeProgram::step(const VectorXd& dual, const VectorXd& primal) {
  right_ = -dual;
  for (Block& block : blocks_) {
    const Vector3d push = block.unscaling * divide(block.lambda, block.wanted, block.size);
    for (int k = 0; k < block.size; ++k) right_[block.at + k] += push[k];
  }
  dy_ = factor_.solve(GH_ * right_ + primal);
  for (int round = 0; round < 2; ++round) {  // what rounding has left of G dx = -primal
    dx_ = right_;
    dx_.noalias() -= G_.transpose() * dy_;
    for (const Block& block : blocks_) {
      Vector3d x = Vector3d::Zero();
      for (int k = 0; k < block.size; ++k) x[k] = dx_[block.at + k];
      x = block.inverse * x;
      for (int k = 0; k < block.size; ++k) dx_[block.at + k] = x[k];
    }
    dy_ += factor_.solve(G_ * dx_ + primal);
  }
  for (Block& block : blocks_) {
    block.ds.setZero();
    for (int k = 0; k < block.size; ++k) block.ds[k] = dx_[block.at + k];
    block.dz = block.unscaling * (divide(block.lambda, block.wanted, block.size) - block.unscaling * block.ds);
    for (int k = block.size; k < 3; ++k) block.dz[k] = 0;
  }
  return dx_.allFinite() && dy_.allFinite();
}

double ConeProgram::longest_step() const {
  double step = std::numeric_limits<double>::infinity();
  for (const Block& block : blocks_)
    step = std::min({step, longest(block.s, block.ds, block.size), longest(block.z, block.dz, block.size)});
  return step;
}

double ConeProgram::gap() const {
  double sum = 0;
  for (const Block& block : blocks_) sum += block.s.dot(block.z);
  return sum;
}

bool ConeProgram::solve(const std::vector<Cone>& cones, int tangents, const MatrixXd& G, const VectorXd& g,
                        const VectorXd& a, VectorXd& p, VectorXd& multipliers) {
  list(cones, tangents, G, g, a);
  const auto count = static_cast<double>(blocks_.size());
  // In numbers of about 1.
  double unit = std::max(from_.lpNorm<Eigen::Infinity>(), least_.lpNorm<Eigen::Infinity>());
  const double largest = G_.cwiseAbs().maxCoeff();
  if (largest > 0) unit = std::max(unit, g_.lpNorm<Eigen::Infinity>() / largest);
  if (!(unit > 0)) return false;
  g_ /= unit, from_ /= unit, least_ /= unit;
  start();
  VectorXd dual(x_.size()), primal(g_.size());
  bool found = false;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostSteps; ++round) {
    dual.noalias() = G_.transpose() * y_;
    double size = 1;
    for (const Block& block : blocks_)
      for (int k = 0; k < block.size; ++k) {
        size = std::max(size, std::fabs(block.z[k]));
        dual[block.at + k] += block.weight(k) * (x_[block.at + k] - from_[block.at + k]) - block.z[k];
      }
    primal.noalias() = G_ * x_;
    primal -= g_;
    const double m = gap() / count;
    const double error = std::max(dual.lpNorm<Eigen::Infinity>() / size, primal.lpNorm<Eigen::Infinity>());
    if (error <= kResidual && m <= kFound && m < best) {
      best = m;
      found = true;
      p.resize(a.size());
      for (const Block& block : blocks_)
        for (int k = 0; k < block.size; ++k)
          p[column_[static_cast<std::size_t>(block.at + k)]] = unit * x_[block.at + k] / (k == 0 ? block.mu : 1.0);
      multipliers.setZero(G.rows());
      for (std::size_t i = 0; i < rows_.size(); ++i) multipliers[rows_[i]] = -unit * y_[static_cast<Index>(i)];
      if (m <= kGap) return true;
    } else if (found && m >= best) {
      return true;
    }
    if (!scale()) break;
    for (Block& block : blocks_) block.wanted = -product(block.lambda, block.lambda);
    if (!step(dual, primal)) break;
    const double straight = std::min(1.0, longest_step());
    const double sigma = (1 - straight) * (1 - straight) * (1 - straight);
    for (Block& block : blocks_) {
      const Vector3d s = block.unscaling * block.ds, z = block.scaling * block.dz;
      block.wanted -= product(s, z);
      block.wanted[0] += sigma * m;
    }
    if (!step(dual, primal)) break;
    const double length = std::min(1.0, 0.99 * longest_step());
    if (!(length > 1e-8)) break;
    y_ += length * dy_;
    for (Block& block : blocks_) {
      block.s += length * block.ds;
      block.z += length * block.dz;
      for (int k = 0; k < block.size; ++k) x_[block.at + k] = block.s[k] + least_[block.at + k];
    }
  }
  return found;
}

}  // namespace stickslip::contact
