// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/load_share.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::contact {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kDependent =
    1e-11;                           // pivots of an orthogonal factor, of the largest: what rounding leaves of geometry
constexpr double kBalanced = 1e-14;  // of the terms of the balance: found
constexpr double kNearly = 1e-13;    // the same where rounding ends the search above; it grows with the
constexpr double kFew = 16;          // square of the contacts over so many, whose solver balances them less closely
constexpr double kInside = 1e-9;     // of mu: what sticks stays off the edge of its cone by that, if it can
constexpr double kSettled = 1e-12;   // of friction: proximal steps have come to an end
constexpr double kNoFriction = 0.1;  // of the load: of less, what rounding leaves of the balance is most
constexpr double kStep = 0.05;       // root of e
constexpr double kPushed = 1e-9;     // of the largest force: a cone pushes back

constexpr std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

// P_K of one contact's (N, t), and its derivative.
void project_cone(double mu, int tangents, double* x, Eigen::Matrix3d* slope) {
  double length = 0;
  for (int k = 1; k <= tangents; ++k) length += x[k] * x[k];
  length = std::sqrt(length);
  if (x[0] >= 0 && length <= mu * x[0]) {
    if (slope) slope->setIdentity();
    return;
  }
  if (mu * length <= -x[0]) {
    std::fill(x, x + 1 + tangents, 0.0);
    if (slope) slope->setZero();
    return;
  }
  const double weight = 1 / (1 + mu * mu), s = x[0] + mu * length, normal = weight * s;
  double d[3] = {1, 0, 0};
  for (int k = 1; k <= tangents; ++k) d[k] = x[k] / length;
  if (slope) {
    // (N, t) = normal (1, mu d): along the edge with weight, across it (t only) with mu normal / length.
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double ei = i == 0 ? 1 : mu * d[i], ej = j == 0 ? 1 : mu * d[j];
        (*slope)(i, j) = weight * ei * ej;
        if (i > 0 && j > 0 && tangents > 1) (*slope)(i, j) += mu * normal / length * ((i == j) - d[i] * d[j]);
      }
  }
  for (int k = 1; k <= tangents; ++k) x[k] = mu * normal * d[k];
  x[0] = normal;
}

// Is there no N >= least with G N = g? So it is if along some z all N can only make z' G N smaller than z' g (Farkas).
bool proves_empty(const MatrixXd& G, const VectorXd& g, const VectorXd& least, const VectorXd& z, VectorXd& along) {
  along.noalias() = G.transpose() * z;
  const double size = along.cwiseAbs().maxCoeff();
  if (!(along.maxCoeff() <= 1e-9 * size)) return false;
  const double most = along.dot(least), wanted = z.dot(g);
  return wanted - most > 1e-9 * (along.cwiseAbs().dot(least) + z.cwiseAbs().dot(g.cwiseAbs()));
}

}  // namespace

void LoadShare::onto_cones(const Cones& cones, VectorXd& x, bool with_slopes) {
  const SharedLoad& load = cones.load;
  const auto contacts = static_cast<Index>(load.closed.size());
  for (Index c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& closed = load.closed[at(c)];
    Eigen::Matrix3d* s = with_slopes ? &slope_[at(c)] : nullptr;
    if (cones.least || closed.first < 0) {
      const double least = cones.least ? (*cones.least)[c] : 0.0;
      if (s) s->setZero(), (*s)(0, 0) = x[c] > least ? 1 : 0;
      x[c] = std::max(x[c], least);
      continue;
    }
    double y[3] = {x[c], x[contacts + closed.first], 0};
    if (load.tangents > 1) y[2] = x[contacts + closed.first + 1];
    project_cone(cones.ratio * closed.mu, load.tangents, y, s);
    x[c] = y[0];
    for (int k = 0; k < load.tangents; ++k) x[contacts + closed.first + k] = y[k + 1];
  }
}

// The rows of G in which a contact's columns have entries: those of its two bodies.
void LoadShare::list_rows(const Cones& cones, const MatrixXd& G) {
  const SharedLoad& load = cones.load;
  const auto contacts = static_cast<Index>(load.closed.size());
  rows_.clear();
  rows_end_.clear();
  for (Index c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& closed = load.closed[at(c)];
    const int tangents = cones.least || closed.first < 0 ? 0 : load.tangents;
    for (Index i = 0; i < G.rows(); ++i) {
      bool any = G(i, c) != 0;
      for (int k = 0; k < tangents; ++k) any = any || G(i, contacts + closed.first + k) != 0;
      if (any) rows_.push_back(i);
    }
    rows_end_.push_back(rows_.size());
  }
}

// G P' G' with the slopes P' of the projection, into factor_.
void LoadShare::newton_matrix(const Cones& cones, const MatrixXd& G) {
  const SharedLoad& load = cones.load;
  const auto contacts = static_cast<Index>(load.closed.size());
  H_.setZero(G.rows(), G.rows());
  for (Index c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& closed = load.closed[at(c)];
    const Eigen::Matrix3d& slope = slope_[at(c)];
    const int size = cones.least || closed.first < 0 ? 1 : 1 + load.tangents;
    const auto column = [&](int k) { return k == 0 ? c : contacts + closed.first + k - 1; };
    const std::size_t begin = c == 0 ? 0 : rows_end_[at(c - 1)], end = rows_end_[at(c)];
    for (std::size_t b = begin; b < end; ++b)
      for (int i = 0; i < size; ++i) {
        double weight = 0;
        for (int j = 0; j < size; ++j) weight += slope(i, j) * G(rows_[b], column(j));
        if (weight == 0) continue;
        const auto own = G.col(column(i));
        auto out = H_.col(rows_[b]);
        for (std::size_t a = b; a < end; ++a) out[rows_[a]] += weight * own[rows_[a]];  // the lower triangle
      }
  }
  const double scale = std::max(H_.trace(), 1e-3 * G.squaredNorm()) / static_cast<double>(G.rows());
  H_.diagonal().array() += 1e-11 * scale;
  factor_.compute(H_);
}

// How far to go along step_ (Armijo: H is positive, so the step goes down), from z_ with p and F_ there.
double LoadShare::search_line(const Cones& cones, const MatrixXd& G, const VectorXd& g, const VectorXd& a,
                              const VectorXd& p) {
  constexpr int kMostHalves = 30;
  // 1/2 |P_K(a + G' z)|^2 - g' z
  const auto merit = [&](const VectorXd& x, const VectorXd& z) { return 0.5 * x.squaredNorm() - g.dot(z); };
  const double now = merit(p, z_), slope_along = F_.dot(step_), error = F_.cwiseAbs().maxCoeff();
  double length = 1;
  for (int half = 0; half < kMostHalves; ++half, length *= 0.5) {
    there_ = z_ + length * step_;
    trial_ = a;
    trial_.noalias() += G.transpose() * there_;
    onto_cones(cones, trial_, false);
    if (merit(trial_, there_) <= now + 1e-4 * length * slope_along + 1e-15 * std::fabs(now)) break;
    F_ = -g;
    F_.noalias() += G * trial_;
    if (F_.cwiseAbs().maxCoeff() < 0.5 * error) break;
  }
  return length;
}

// The nearest point to `a` with G p = g in the cones, from z_. Unknowns of p: N of all closed contacts, then t.
LoadShare::Found LoadShare::newton(const Cones& cones, const MatrixXd& G, const VectorXd& g, const VectorXd& a,
                                   VectorXd& p) {
  constexpr int kMostSteps = 40;
  constexpr int kPatience = 6;   // steps, after which the error
  constexpr double kLost = 1e2;  // may not be so many times the first one
  const Index n = G.rows();
  slope_.resize(cones.load.closed.size());
  list_rows(cones, G);
  const double many = std::max(1.0, static_cast<double>(cones.load.closed.size()) / kFew),
               nearly = kNearly * many * many;
  double error_before = std::numeric_limits<double>::infinity(), first = 0;
  for (int round = 0; round < kMostSteps && steps_left_ > 0; ++round, --steps_left_) {
    p = a;
    p.noalias() += G.transpose() * z_;
    onto_cones(cones, p, true);
    F_ = -g;
    F_.noalias() += G * p;
    double terms = g.cwiseAbs().maxCoeff();
    for (Index i = 0; i < n; ++i) terms = std::max(terms, G.row(i).cwiseAbs().dot(p.transpose().cwiseAbs()));
    const double error = F_.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) return Found::No;
    if (error <= kBalanced * terms) return Found::Yes;
    if (error <= nearly * terms && error >= 0.5 * error_before) return Found::Yes;
    if (round == 0) first = error;
    if (round >= kPatience && error > kLost * first) return Found::No;
    error_before = error;
    newton_matrix(cones, G);
    step_ = factor_.solve(F_);
    step_ = -step_;
    if (cones.least && proves_empty(G, g, *cones.least, step_, along_)) return Found::Empty;
    z_ += search_line(cones, G, g, a, p) * step_;
  }
  return Found::No;
}

// The same where Newton's method loses its way: from a point inside the cones near to the answer.
bool LoadShare::project(const Cones& cones, const MatrixXd& G, const VectorXd& g, const VectorXd& a, VectorXd& p) {
  const Found found = newton(cones, G, g, a, p);
  if (found != Found::No) return found == Found::Yes;
  const SharedLoad& load = cones.load;
  const auto contacts = static_cast<Index>(load.closed.size());
  cones_.clear();
  for (Index c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& closed = load.closed[at(c)];
    if (cones.least || closed.first < 0)
      cones_.push_back({.normal = c, .least = cones.least ? (*cones.least)[c] : 0.0});
    else
      cones_.push_back({.normal = c, .tangent = contacts + closed.first, .mu = cones.ratio * closed.mu});
  }
  return program_.solve(cones_, load.tangents, G, g, a, p, z_) && newton(cones, G, g, a, p) == Found::Yes;
}

// t of least norm for which some N, of any sign, balances the load.
bool LoadShare::least_friction(const SharedLoad& load, VectorXd& t) {
  t.setZero(load.tangential.cols());
  if (t.size() == 0) return true;
  by_normal_.compute(load.normal, kDependent);
  const Index rest = load.normal.rows() - by_normal_.rank();
  if (rest == 0) return true;
  load_ = load.load;
  by_normal_.reflect(load_);
  columns_ = load.tangential;
  by_normal_.reflect(columns_);
  friction_.compute(columns_.bottomRows(rest).transpose(), kDependent);
  beyond_ = load_.tail(rest);
  friction_.least_norm(beyond_, t);
  return t.allFinite();
}

// N of least norm with N >= l.
bool LoadShare::even_load(const SharedLoad& load, const VectorXd& t, double mu_share, VectorXd& N) {
  load_ = load.load;
  if (t.size() > 0) load_.noalias() -= load.tangential * t;
  normal_.compute(load.normal.transpose(), kDependent);
  normal_.least_norm(load_, N);
  least_.setZero(N.size());
  for (std::size_t i = 0; i < load.closed.size(); ++i) {
    const SharedLoad::Closed& one = load.closed[i];
    if (one.first >= 0)
      least_[static_cast<Index>(i)] = t.segment(one.first, load.tangents).norm() / (mu_share * one.mu);
  }
  if (!N.allFinite()) return false;
  const double below = (least_ - N).maxCoeff();
  if (below <= 0) return true;
  if (normal_.rank() == load.normal.cols()) {  // there is no other N
    if (below > kNearly * N.cwiseAbs().maxCoeff()) return false;
    N = N.cwiseMax(least_);
    return true;
  }
  none_.setZero(N.size());
  trial_ = N;  // from the multipliers without cones, G_n' z = N
  normal_.reflect(trial_);
  normal_.solve(trial_, z_);
  return project({load, &least_, 1}, load.normal, load_, none_, N);
}

// Friction that cones limit: proximal steps in N, of which few are needed.
bool LoadShare::limited_friction(const SharedLoad& load, double mu_share, VectorXd& N, VectorXd& t) {
  constexpr int kMostSteps = 30;
  const Index a = load.normal.cols(), m = a + load.tangential.cols();
  G_.resize(load.normal.rows(), m);
  G_ << load.normal / kStep, load.tangential;
  from_.resize(m);
  z_.setZero(load.normal.rows());
  for (int round = 0; round < kMostSteps; ++round) {
    from_ << kStep * N, VectorXd::Zero(m - a);
    if (!project({load, nullptr, mu_share / kStep}, G_, load.load, from_, p_)) return false;
    const double size = std::max(p_.tail(m - a).norm(), kNoFriction * p_.head(a).norm());
    const double change = (p_.tail(m - a) - t).norm();
    N = p_.head(a) / kStep;
    t = p_.tail(m - a);
    if (round > 0 && change <= kSettled * size) {
      list_pushed(load, mu_share);
      return true;
    }
  }
  return false;
}

// Contacts whose cones push back, from the last projection of limited_friction().
void LoadShare::list_pushed(const SharedLoad& load, double mu_share) {
  const auto contacts = static_cast<Index>(load.closed.size());
  const double noise = kPushed * p_.cwiseAbs().maxCoeff();
  trial_ = from_;
  trial_.noalias() += G_.transpose() * z_;
  pushed_.assign(load.closed.size(), Push::None);
  for (Index c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& one = load.closed[at(c)];
    double out = -trial_[c];
    if (one.first >= 0) {
      const double mu = mu_share / kStep * one.mu;
      out = trial_.segment(contacts + one.first, load.tangents).norm() - mu * trial_[c];
      out /= std::hypot(1, mu);
    }
    if (out > noise) pushed_[at(c)] = p_[c] > 0 ? Push::Edge : Push::Open;
  }
}

// N of least norm with N >= l, where the N of contacts whose cones push back is known.
bool LoadShare::even_rest(const SharedLoad& load, double mu_share, VectorXd& N, VectorXd& t) {
  const auto contacts = static_cast<Index>(load.closed.size());
  const auto known = static_cast<Index>(std::ranges::count(pushed_, Push::Edge));
  const auto free = static_cast<Index>(std::ranges::count(pushed_, Push::None));
  // All that is known as one: t, then N of those contacts.
  rest_.closed.clear();
  rest_.tangents = load.tangents;
  rest_.normal.resize(load.normal.rows(), free);
  rest_.tangential.resize(load.normal.rows(), t.size() + known);
  rest_.tangential.leftCols(t.size()) = load.tangential;
  rest_.load = load.load;
  known_.resize(t.size() + known);
  known_.head(t.size()) = t;
  Index k = t.size();
  for (Index c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& one = load.closed[at(c)];
    if (pushed_[at(c)] == Push::Edge) {
      rest_.tangential.col(k) = load.normal.col(c);
      known_[k++] = N[c];
    } else if (pushed_[at(c)] == Push::None) {
      rest_.normal.col(static_cast<Index>(rest_.closed.size())) = load.normal.col(c);
      rest_.closed.push_back(one);
    } else if (one.first >= 0) {
      rest_.tangential.middleCols(one.first, load.tangents).setZero();
      known_.segment(one.first, load.tangents).setZero();
    }
  }
  balance_known();
  t = known_.head(t.size());
  rest_.load.noalias() -= rest_.tangential.rightCols(known) * known_.tail(known);
  rest_.tangential.conservativeResize(Eigen::NoChange, t.size());
  if (free > 0 && !even_load(rest_, t, mu_share, N_rest_)) return false;
  k = t.size();
  Index i = 0;
  for (Index c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& one = load.closed[at(c)];
    N[c] = pushed_[at(c)] == Push::None ? N_rest_[i++] : pushed_[at(c)] == Push::Edge ? known_[k++] : 0.0;
    if (one.first < 0) continue;
    auto own = t.segment(one.first, load.tangents);  // rounding must not lead out of the cone
    if (pushed_[at(c)] == Push::Open) own.setZero();
    if (pushed_[at(c)] == Push::Edge) N[c] = std::max(N[c], own.norm() / one.mu);
  }
  return true;
}

// What rounding has left of the balance of known_ with the other N, of any sign.
void LoadShare::balance_known() {
  if (known_.size() == 0) return;
  load_ = rest_.load;
  load_.noalias() -= rest_.tangential * known_;
  columns_ = rest_.tangential;
  Index rest = rest_.normal.rows();
  if (rest_.normal.cols() > 0) {
    by_normal_.compute(rest_.normal, kDependent);
    rest -= by_normal_.rank();
    if (rest == 0) return;
    by_normal_.reflect(load_);
    by_normal_.reflect(columns_);
  }
  friction_.compute(columns_.bottomRows(rest).transpose(), kDependent);
  beyond_ = load_.tail(rest);
  friction_.least_norm(beyond_, trial_);
  known_ += trial_;
}

bool LoadShare::find(const SharedLoad& load, std::span<const double> normal_start, VectorXd& N, VectorXd& t) {
  constexpr int kEffort = 200;  // loads that friction barely holds may not settle; most need some ten steps
  steps_left_ = kEffort;
  if (!least_friction(load, t)) return false;
  for (const double mu_share : {1 - kInside, 1.0}) {
    if (even_load(load, t, mu_share, N)) return true;
    if (load.tangential.cols() == 0) return false;
    limited_.setZero(t.size());
    N = Eigen::Map<const VectorXd>(normal_start.data(), static_cast<Index>(normal_start.size()));
    // Where there is room, contacts that are pushed stay off the edge by more than what rounding leaves of them.
    const double narrower = mu_share < 1 ? mu_share - kInside : mu_share;
    if (!limited_friction(load, narrower, N, limited_) || !even_rest(load, mu_share, N, limited_)) continue;
    t = limited_;
    return true;
  }
  return false;
}

}  // namespace stickslip::contact
