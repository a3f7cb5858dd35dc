// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/force_range.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace stickslip::contact {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kDependent = 1e-10;  // pivots of the factor, of the largest: what rounding leaves of geometry
constexpr double kZero = 1e-12;       // entries of a basis of length 1
constexpr double kOnCone = 1e-11;     // of the largest force
constexpr double kClosed = 1e-10;     // of a bound: both sides have met
constexpr double kNearCone = 1e-3;    // tangents are laid where a point inside is so near to a cone
constexpr double kFirstTau = 1e8, kMoreTau = 100, kLargestTau = 1e12;
constexpr int kMostRounds = 40;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ForceRange::ForceRange(const SharedLoad& load, const VectorXd& N, const VectorXd& t, const ForceLaw& law)
    : load_(load) {
  const Index a = load.normal.cols(), m = a + load.tangential.cols();
  share_.resize(m);
  share_ << N, t;
  scale_ = m > 0 ? share_.cwiseAbs().maxCoeff() : 0;
  if (!(scale_ > 0)) scale_ = 1;
  share_ /= scale_;
  MatrixXd transposed(m, load.normal.rows());
  transposed << load.normal.transpose(), load.tangential.transpose();
  Eigen::ColPivHouseholderQR<MatrixXd> factor;
  factor.setThreshold(kDependent);
  factor.compute(transposed);
  const Index rank = transposed.cols() > 0 ? factor.rank() : 0;
  null_.setZero(m, m - rank);
  null_.bottomRows(m - rank).setIdentity();
  if (transposed.cols() > 0) null_.applyOnTheLeft(factor.householderQ());
  null_ = (null_.array().abs() < kZero).select(0.0, null_);
  program_.begin(null_.cols());
  round_ = load.tangents > 1 && law.directions == 0 && load.tangential.cols() > 0;
  if (null_.cols() > 0) {
    if (round_) {
      add_limit();
      barrier_ = std::make_unique<ConeBarrier>(load_, share_, null_);
    }
    add_first_rows(law);
  }
  first_rows_ = program_.rows();
}

void ForceRange::add_limit() {
  row_ = null_.topRows(load_.normal.cols()).colwise().sum().transpose();
  limit_length_ = row_.norm();
  if (limit_length_ > kZero)
    program_.add_row(row_ / limit_length_, 1);
  else
    limit_length_ = 0;  // sum N is given: nothing is without end
}

// d' t <= limit mu N.
void ForceRange::add_facet(std::size_t contact, double cosine, double sine, double limit) {
  const SharedLoad::Closed& one = load_.closed[contact];
  const auto c = static_cast<Index>(contact), t = load_.normal.cols() + one.first;
  const double mu = limit * one.mu;
  row_ = cosine * null_.row(t) - mu * null_.row(c);
  double b = mu * share_[c] - cosine * share_[t];
  if (load_.tangents > 1) {
    row_ += sine * null_.row(t + 1).transpose();
    b -= sine * share_[t + 1];
  }
  const double length = row_.norm();
  if (length > kZero) program_.add_row(row_ / length, b / length);
}

void ForceRange::add_first_rows(const ForceLaw& law) {
  for (std::size_t i = 0; i < load_.closed.size(); ++i) {
    const SharedLoad::Closed& one = load_.closed[i];
    if (one.first < 0) {
      row_ = -null_.row(static_cast<Index>(i));
      const double length = row_.norm();
      if (length > kZero) program_.add_row(row_ / length, share_[static_cast<Index>(i)] / length);
    } else if (load_.tangents == 1) {
      add_facet(i, 1, 0, 1);
      add_facet(i, -1, 0, 1);
    } else if (law.directions > 0) {
      const double half = std::numbers::pi / law.directions;
      for (int k = 0; k < law.directions; ++k) {
        const double angle = law.angle + (2 * k + 1) * half;
        add_facet(i, std::cos(angle), std::sin(angle), std::cos(half));
      }
    } else {
      for (const double sign : {1.0, -1.0}) {
        add_facet(i, sign, 0, 1);
        add_facet(i, 0, sign, 1);
      }
    }
  }
}

double ForceRange::cut(const VectorXd& p, double noise) {
  double worst = 0;
  for (std::size_t i = 0; i < load_.closed.size(); ++i) {
    const SharedLoad::Closed& one = load_.closed[i];
    if (one.first < 0) continue;
    const Index t = load_.normal.cols() + one.first;
    const double length = std::hypot(p[t], p[t + 1]), beyond = length - one.mu * p[static_cast<Index>(i)];
    worst = std::max(worst, beyond);
    if (beyond > noise && length > 0) add_facet(i, p[t] / length, p[t + 1] / length, 1);
  }
  return worst;
}

// How far, of the way to `to`, the cones let one go.
double ForceRange::part_inside(const VectorXd& from, const VectorXd& to) const {
  double part = 1;
  for (std::size_t i = 0; i < load_.closed.size(); ++i) {
    const SharedLoad::Closed& one = load_.closed[i];
    if (one.first < 0) continue;
    const auto c = static_cast<Index>(i), t = load_.normal.cols() + one.first;
    const Eigen::Vector2d t0 = from.segment<2>(t), dt = to.segment<2>(t) - t0;
    const double n0 = one.mu * from[c], dn = one.mu * (to[c] - from[c]);
    if (to.segment<2>(t).norm() <= one.mu * to[c]) continue;
    // |t0 + s dt|^2 = (n0 + s dn)^2, n0 + s dn >= 0: the root between 0 and 1, since 0 is inside and 1 is not.
    const double A = dt.squaredNorm() - dn * dn, B = t0.dot(dt) - n0 * dn,
                 C = std::min(t0.squaredNorm() - n0 * n0, 0.0);
    const double root = std::sqrt(std::max(B * B - A * C, 0.0));
    const double q = B + std::copysign(root, B);
    double s = 2;
    for (const double candidate : {A != 0 ? -q / A : -1.0, q != 0 ? -C / q : -1.0})
      if (candidate >= 0 && candidate <= 1 && n0 + candidate * dn >= 0) s = std::min(s, candidate);
    part = std::min(part, s <= 1 ? s : 0.0);  // none in what rounding leaves: at the tip
  }
  return part;
}

ForceRange::Bound ForceRange::largest(const VectorXd& w) {
  const VectorXd c = null_.transpose() * w;
  const double length = w.norm();
  farthest_ = share_;
  if (!(c.norm() > kZero * length)) return {w.dot(share_), 0};
  if (!round_) {
    const LinearProgram::End end = program_.maximise(c);
    if (end != LinearProgram::End::Bounded) return {kInfinity, end == LinearProgram::End::Unbounded ? 0 : kInfinity};
    farthest_ = share_;
    farthest_.noalias() += null_ * program_.y();
    return {w.dot(farthest_), 0};
  }
  const double now = share_.head(load_.normal.cols()).sum();
  Bound before{-kInfinity, 0};
  VectorXd reached;
  for (const double limit : {10.0, 1e3, kNoEnd}) {
    const double more = limit * std::max(now, 1.0);
    if (limit_length_ > 0) program_.set_limit(0, more / limit_length_);
    bool binds = false;
    const Bound found = largest_within(w, c, binds, more);
    // What does not grow with the limit does not grow with any larger one: the maximum is concave in it.
    const double noise = kNoise * std::max(1.0, std::fabs(before.value)) + 20 * kOnCone * more;
    const bool grows = std::isinf(before.value) || found.value - before.value > noise * length;
    if (!grows) {
      farthest_ = reached;
      return before;
    }
    if (!binds || !(limit_length_ > 0)) return found;
    before = found;
    reached = farthest_;
  }
  return {kInfinity, 0};
}

// The largest w' p where sum N grows by `most` at most; binds: it does.
ForceRange::Bound ForceRange::largest_within(const VectorXd& w, const VectorXd& c, bool& binds, double most) {
  if (program_.rows() > 4 * first_rows_ + 64) program_.drop_slack_rows(first_rows_);
  const double length = w.norm(), now = share_.head(load_.normal.cols()).sum();
  double above = kInfinity, below = w.dot(share_);
  const VectorXd unit = c / c.norm();
  barrier_->set_limit(1.01 * most);
  if (centre_.size() == 0) {
    centre_.setZero(c.size());
    (void)barrier_->follow(unit, 0, centre_);
  }
  VectorXd y = centre_, p;  // inside for every limit, since the first is the smallest
  double tau = 1;
  for (int round = 0; round < kMostRounds; ++round) {
    // A point inside, nearer to the largest value each time; tangents there are right to second order.
    if (tau < kLargestTau) {
      const double target = round == 0 ? kFirstTau : kMoreTau * tau;
      bool on_path = false;
      while (tau < target) on_path = barrier_->follow(unit, tau *= 10, y);
      p = share_;
      p.noalias() += null_ * y;
      if (on_path) above = std::min(above, w.dot(p) + barrier_->gap() / tau * c.norm());
      cut(p, -kNearCone * std::max(1.0, p.cwiseAbs().maxCoeff()));
      if (w.dot(p) > below) {
        below = w.dot(p);
        farthest_ = p;
      }
      inside_ = p;
    }
    const LinearProgram::End end = program_.maximise(c);
    if (end != LinearProgram::End::Bounded) {  // tangents that nearly coincide cost digits; the path goes on
      if (above - below <= kClosed * length) return {above, 0};
      if (tau < kLargestTau) continue;
      break;
    }
    p = share_;
    p.noalias() += null_ * program_.y();
    above = std::min(above, w.dot(p));
    binds = p.head(load_.normal.cols()).sum() - now > 0.999 * most;
    const double size = std::max(1.0, p.cwiseAbs().maxCoeff()), noise = kOnCone * size;
    const bool is_share = cut(p, noise) <= noise;
    if (!is_share) {
      p = inside_ + part_inside(inside_, p) * (p - inside_);
      cut(p, -noise);  // tangents where the line from the point inside leaves the cones (Veinott 1967)
    }
    const double reached = is_share ? above : w.dot(p);
    if (reached > below) {
      below = reached;
      farthest_ = p;
    }
    if (above - below <= kClosed * length * size) return {above, 0};
  }
  return {above, above - below};
}

Interval ForceRange::of(const VectorXd& w_N, const VectorXd& w_t) {
  VectorXd w(share_.size());
  w << w_N, w_t;
  const Bound least = largest(-w);
  const Bound most = largest(w);
  return {0.0 - scale_ * least.value, scale_ * most.value, scale_ * std::max(least.open, most.open)};
}

}  // namespace stickslip::contact
