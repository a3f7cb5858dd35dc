// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/canonical_share.h"

#include "stickslip/complementarity/cone/contact_residual.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stickslip::contact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kDependent =
    1e-11;  // pivots of an orthogonal factor, of the largest: what rounding leaves of geometry
constexpr double kIndependent = 1e-10;  // pivots of a Cholesky factor, which are squares
constexpr double kVelocityNoise = 4e-12;
constexpr double kBalanced = 1e-14;   // of the terms of the balance: found
constexpr double kNearly = 1e-13;     // the same where rounding ends the search above
constexpr double kInside = 1e-9;      // of mu: what sticks stays off the edge of its cone by that, if it can
constexpr double kSameShare = 1e-13;  // of the largest impulse: the share was canonical already

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Cones of project(): N_c >= least_c, and |t_c| <= mu_c N_c for those that have columns of friction.
struct Cones {
  const SharedLoad& load;
  const VectorXd* least = nullptr;  // with it, N alone is unknown
  double ratio = 1;                 // mu is multiplied by it (units of N and t, distance from the edge)
};

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

// What project() and the factors below need, kept so that repeated problems of one size allocate nothing.
struct ShareWorkspace {
  std::vector<Eigen::Matrix3d> slope;
  VectorXd z, trial, there, F, step, along, at_start;
  MatrixXd H, SG;
  Eigen::LDLT<MatrixXd> factor;
  Eigen::ColPivHouseholderQR<MatrixXd> by_normal;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> friction, normal;
  VectorXd load, least, from, p, limited, none;
  MatrixXd columns, G;
  int steps_left = 0;  // of Newton's method, for one island
};

ShareWorkspace& workspace() {
  thread_local ShareWorkspace one;
  return one;
}

void onto_cones(const Cones& cones, VectorXd& x, std::vector<Eigen::Matrix3d>* slopes) {
  const SharedLoad& load = cones.load;
  const auto contacts = static_cast<Index>(load.closed.size());
  for (Index c = 0; c < contacts; ++c) {
    const SharedLoad::Closed& closed = load.closed[static_cast<std::size_t>(c)];
    Eigen::Matrix3d* s = slopes ? &(*slopes)[static_cast<std::size_t>(c)] : nullptr;
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

// Is there no N >= least with G N = g? So it is if along some z all N can only make z' G N smaller than z' g (Farkas).
bool proves_empty(const MatrixXd& G, const VectorXd& g, const VectorXd& least, const VectorXd& z, VectorXd& along) {
  along.noalias() = G.transpose() * z;
  const double size = along.cwiseAbs().maxCoeff();
  if (!(along.maxCoeff() <= 1e-9 * size)) return false;
  const double most = along.dot(least), wanted = z.dot(g);
  return wanted - most > 1e-9 * (along.cwiseAbs().dot(least) + z.cwiseAbs().dot(g.cwiseAbs()));
}

// The nearest point to `a` with G p = g in the cones. Unknowns of p: N of all closed contacts, then t.
bool project(const Cones& cones, const MatrixXd& G, const VectorXd& g, const VectorXd& a, VectorXd& p) {
  constexpr int kMostSteps = 40, kMostHalves = 30;
  const SharedLoad& load = cones.load;
  const auto contacts = static_cast<Index>(load.closed.size());
  const Index n = G.rows(), m = G.cols();
  ShareWorkspace& w = workspace();
  w.slope.resize(load.closed.size());
  w.z.setZero(n);
  w.SG.resize(m, n);
  w.H.resize(n, n);
  // 1/2 |P_K(a + G' z)|^2 - g' z
  const auto merit = [&](const VectorXd& x, const VectorXd& z) { return 0.5 * x.squaredNorm() - g.dot(z); };
  double error_before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kMostSteps && w.steps_left > 0; ++round, --w.steps_left) {
    p = a;
    p.noalias() += G.transpose() * w.z;
    onto_cones(cones, p, &w.slope);
    w.F = -g;
    w.F.noalias() += G * p;
    double terms = g.cwiseAbs().maxCoeff();
    for (Index i = 0; i < n; ++i) terms = std::max(terms, G.row(i).cwiseAbs().dot(p.transpose().cwiseAbs()));
    const double error = w.F.cwiseAbs().maxCoeff();
    if (!std::isfinite(error)) return false;
    if (error <= kBalanced * terms) return true;
    if (error <= kNearly * terms && error >= 0.5 * error_before) return true;
    error_before = error;
    w.SG.setZero();
    for (Index c = 0; c < contacts; ++c) {
      const SharedLoad::Closed& closed = load.closed[static_cast<std::size_t>(c)];
      const Eigen::Matrix3d& s = w.slope[static_cast<std::size_t>(c)];
      const int size = cones.least || closed.first < 0 ? 1 : 1 + load.tangents;
      const auto column = [&](int k) { return k == 0 ? c : contacts + closed.first + k - 1; };
      for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j)
          if (s(i, j) != 0) w.SG.row(column(i)) += s(i, j) * G.col(column(j)).transpose();
    }
    w.H.noalias() = G * w.SG;
    const double scale = std::max(w.H.trace(), 1e-3 * G.squaredNorm()) / static_cast<double>(n);
    w.H.diagonal().array() += 1e-11 * scale;
    w.factor.compute(w.H);
    w.step = w.factor.solve(w.F);
    w.step = -w.step;
    if (cones.least && proves_empty(G, g, *cones.least, w.step, w.along)) return false;
    // Armijo: H is positive, so the step goes down.
    const double now = merit(p, w.z), slope_along = w.F.dot(w.step);
    double length = 1;
    for (int half = 0; half < kMostHalves; ++half, length *= 0.5) {
      w.there = w.z + length * w.step;
      w.trial = a;
      w.trial.noalias() += G.transpose() * w.there;
      onto_cones(cones, w.trial, nullptr);
      if (merit(w.trial, w.there) <= now + 1e-4 * length * slope_along + 1e-15 * std::fabs(now)) break;
      w.F = -g;
      w.F.noalias() += G * w.trial;
      if (w.F.cwiseAbs().maxCoeff() < 0.5 * error) break;
    }
    w.z += length * w.step;
  }
  return false;
}

double largest(std::span<const double> x) {
  double most = 0;
  for (const double v : x) most = std::max(most, std::fabs(v));
  return most;
}

// u += W r; returns the largest of what meets in a component.
template <int D>
double add_velocities(const complementarity::ContactProblem& problem, const double* r, double* u) {
  const complementarity::BlockMatrix& W = problem.W;
  double scale = 0;
  for (int c = 0; c < problem.contacts(); ++c) {
    double* u_c = u + c * D;
    for (int b = W.row_start[at(c)]; b < W.row_start[at(c + 1)]; ++b) {
      const double *block = W.value.data() + at(b * D * D), *r_b = r + W.column[at(b)] * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) u_c[k] += block[k * D + l] * r_b[l];
    }
    const double* own = W.value.data() + at(W.diagonal[at(c)] * D * D);
    for (int k = 0; k < D; ++k)
      scale = std::max(scale, std::fabs(problem.q[at(c * D + k)]) + own[k * D + k] * std::fabs(r[c * D + k]));
  }
  return scale;
}

}  // namespace

// Which contacts are closed, and how, by the velocities u = W r + q.
void SharedLoad::classify(const Island& island) {
  const complementarity::ContactProblem& problem = island.problem;
  const int D = problem.dimension(), contacts = problem.contacts();
  u_.assign(problem.q.begin(), problem.q.end());
  const double scale = D == 2 ? add_velocities<2>(problem, island.r.data(), u_.data())
                              : add_velocities<3>(problem, island.r.data(), u_.data());
  const double noise = scale * std::max(kVelocityNoise, 10 * island.summary.residual.error);
  const double most = largest(island.r);
  closed.clear();
  tangents = D - 1;
  Index column = 0;
  for (int c = 0; c < contacts; ++c) {
    const double *u = u_.data() + c * D, *r = island.r.data() + c * D;
    if (!(r[0] > 0) && u[0] > noise) continue;
    Closed one;
    one.contact = c;
    one.mu = problem.mu[at(c)];
    one.direction[0] = 1;
    double slip = 0;
    for (int k = 1; k < D; ++k) slip += u[k] * u[k];
    slip = std::sqrt(slip);
    one.sticks = slip <= noise;
    if (one.sticks) {
      if (one.mu > 0) one.first = column, column += tangents;
    } else {
      // As the solver has it, so that its own impulses are among those that are compared.
      for (int k = 1; k < D; ++k) one.direction[k] = r[0] > 1e-6 * most ? r[k] / r[0] : -one.mu * u[k] / slip;
    }
    closed.push_back(one);
  }
}

void SharedLoad::set(const Island& island, std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics) {
  classify(island);
  const int D = island.problem.dimension();
  // Free degrees of freedom of the bodies, in the order of the contacts that touch them.
  first_of_body_.assign(dynamics.size(), -1);
  int freedoms = 0;
  double arm = 0;
  const auto axes_of = [&](const BodyDynamics& body) {
    int count = 0;
    for (int k = 0; k < 3; ++k) count += (body.inverse_mass[k] > 0) + (body.inverse_inertia(k, k) > 0);
    return count;
  };
  for (const Closed& one : closed) {
    const ContactRows& row = rows[at(island.contacts[at(one.contact)])];
    for (const int b : {row.a, row.b}) {
      const BodyDynamics& body = dynamics[at(b)];
      if (!body.movable || first_of_body_[at(b)] >= 0) continue;
      first_of_body_[at(b)] = freedoms;
      freedoms += axes_of(body);
    }
    for (int k = 0; k < D; ++k) {
      if (dynamics[at(row.a)].movable) arm = std::max(arm, row.moment_a[k].norm());
      if (dynamics[at(row.b)].movable) arm = std::max(arm, row.moment_b[k].norm());
    }
  }
  const double per_arm = arm > 0 ? 1 / arm : 0;
  const auto add = [&](const ContactRows& row, int k, double weight, auto&& column) {
    for (const bool first : {true, false}) {
      const auto b = at(first ? row.a : row.b);
      const BodyDynamics& body = dynamics[b];
      if (!body.movable) continue;
      const double sign = first ? weight : -weight;
      const Vec3& moment = first ? row.moment_a[k] : row.moment_b[k];
      Index i = first_of_body_[b];
      for (int axis = 0; axis < 3; ++axis)
        if (body.inverse_mass[axis] > 0) column[i++] += sign * row.direction[k][axis];
      for (int axis = 0; axis < 3; ++axis)
        if (body.inverse_inertia(axis, axis) > 0) column[i++] += sign * per_arm * moment[axis];
    }
  };
  normal.setZero(freedoms, static_cast<Index>(closed.size()));
  Index columns = 0;
  for (const Closed& one : closed)
    if (one.first >= 0) columns = one.first + tangents;
  tangential.setZero(freedoms, columns);
  load.setZero(freedoms);
  for (std::size_t i = 0; i < closed.size(); ++i) {
    const Closed& one = closed[i];
    const ContactRows& row = rows[at(island.contacts[at(one.contact)])];
    const double* r = island.r.data() + one.contact * D;
    auto column = normal.col(static_cast<Index>(i));
    for (int k = 0; k < D; ++k) {
      if (one.direction[k] != 0) add(row, k, one.direction[k], column);
      add(row, k, r[k], load);
      if (k > 0 && one.first >= 0) add(row, k, 1, tangential.col(one.first + k - 1));
    }
  }
}

bool SharedLoad::independent() {
  const Index n = normal.rows(), a = normal.cols(), m = a + tangential.cols();
  if (m > n) return false;
  gram_.resize(m, m);
  const auto column = [&](Index k) { return k < a ? normal.col(k) : tangential.col(k - a); };
  for (Index j = 0; j < m; ++j)
    for (Index i = j; i < m; ++i) gram_(i, j) = column(i).dot(column(j));
  for (Index j = 0; j < m; ++j) {  // Cholesky, with a look at the pivots
    const double own = gram_(j, j);
    double pivot = own;
    for (Index k = 0; k < j; ++k) pivot -= gram_(j, k) * gram_(j, k);
    if (!(pivot > kIndependent * own)) return false;
    const double root = std::sqrt(pivot);
    gram_(j, j) = root;
    for (Index i = j + 1; i < m; ++i) {
      double sum = gram_(i, j);
      for (Index k = 0; k < j; ++k) sum -= gram_(i, k) * gram_(j, k);
      gram_(i, j) = sum / root;
    }
  }
  return true;
}

namespace {

// Up to what the share is told apart by. What was shared is compared, so that small changes do not add up.
bool is_same(const std::vector<double>& kept, double size, const std::vector<double>& now) {
  if (kept.size() != now.size()) return false;
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (!(std::fabs(kept[k] - now[k]) <= kSameShare * size)) return false;
  return true;
}

}  // namespace

// t of least norm for which some N, of any sign, balances the load.
bool CanonicalShare::least_friction(const SharedLoad& load, VectorXd& t) {
  t.setZero(load.tangential.cols());
  if (t.size() == 0) return true;
  ShareWorkspace& w = workspace();
  w.by_normal.setThreshold(kDependent);
  w.by_normal.compute(load.normal);
  const Index rest = load.normal.rows() - w.by_normal.rank();
  if (rest == 0) return true;
  w.load = load.load;
  w.load.applyOnTheLeft(w.by_normal.householderQ().adjoint());
  w.columns = load.tangential;
  w.columns.applyOnTheLeft(w.by_normal.householderQ().adjoint());
  w.friction.setThreshold(kDependent);
  w.friction.compute(w.columns.bottomRows(rest));
  t = w.friction.solve(w.load.tail(rest));
  return t.allFinite();
}

// N of least norm with N >= l.
bool CanonicalShare::even_load(const SharedLoad& load, const VectorXd& t, double mu_share, VectorXd& N) {
  ShareWorkspace& w = workspace();
  w.load = load.load;
  w.load.noalias() -= load.tangential * t;
  w.normal.setThreshold(kDependent);
  w.normal.compute(load.normal);
  N = w.normal.solve(w.load);
  w.least.setZero(N.size());
  for (std::size_t i = 0; i < load.closed.size(); ++i) {
    const SharedLoad::Closed& one = load.closed[i];
    if (one.first >= 0)
      w.least[static_cast<Index>(i)] = t.segment(one.first, load.tangents).norm() / (mu_share * one.mu);
  }
  if (!N.allFinite()) return false;
  const double below = (w.least - N).maxCoeff();
  if (below <= 0) return true;
  if (w.normal.rank() == load.normal.cols()) {  // there is no other N
    if (below > kNearly * N.cwiseAbs().maxCoeff()) return false;
    N = N.cwiseMax(w.least);
    return true;
  }
  w.none.setZero(N.size());
  return project({load, &w.least, 1}, load.normal, w.load, w.none, N);
}

// Friction that cones limit: proximal steps in N, of which few are needed.
bool CanonicalShare::limited_friction(const SharedLoad& load, double mu_share, VectorXd& N, VectorXd& t) {
  constexpr double kStep = 0.05;  // root of e
  constexpr int kMostSteps = 30;
  const Index a = load.normal.cols(), m = a + load.tangential.cols();
  ShareWorkspace& w = workspace();
  w.G.resize(load.normal.rows(), m);
  w.G << load.normal / kStep, load.tangential;
  w.from.resize(m);
  for (int round = 0; round < kMostSteps; ++round) {
    w.from << kStep * N, VectorXd::Zero(m - a);
    if (!project({load, nullptr, mu_share / kStep}, w.G, load.load, w.from, w.p)) return false;
    const double size = w.p.tail(m - a).norm(), change = (w.p.tail(m - a) - t).norm();
    N = w.p.head(a) / kStep;
    t = w.p.tail(m - a);
    if (round > 0 && change <= kNearly * size) return true;
  }
  return false;
}

bool CanonicalShare::share(const SharedLoad& load, std::span<const double> normal_start, VectorXd& N, VectorXd& t) {
  constexpr int kEffort = 100;  // loads that friction barely holds may not settle; most need some ten steps
  workspace().steps_left = kEffort;
  if (!least_friction(load, t)) return false;
  for (const double mu_share : {1 - kInside, 1.0}) {
    if (even_load(load, t, mu_share, N)) return true;
    if (load.tangential.cols() == 0) return false;
    VectorXd limited = VectorXd::Zero(t.size());
    N = Eigen::Map<const VectorXd>(normal_start.data(), static_cast<Index>(normal_start.size()));
    if (!limited_friction(load, mu_share, N, limited) || !even_load(load, limited, mu_share, N)) continue;
    t = limited;
    return true;
  }
  return false;
}

void CanonicalShare::apply(ContactSystem& system, std::size_t index, std::span<const BodyDynamics> dynamics,
                           double aim) {
  Island& island = system.islands()[index];
  const complementarity::ContactProblem& problem = island.problem;
  const int contacts = problem.contacts(), D = problem.dimension();
  if (contacts < 2 || contacts > kMostContacts || !problem.kind.empty() || !island.summary.solved()) return;
  // A system of one island may be that of many components in turn. q is looked at first: where bodies move it differs.
  const bool in_turn = system.islands().size() == 1;
  Kept* seen = nullptr;
  for (std::size_t k = in_turn ? 0 : index; k < (in_turn ? kept_.size() : std::min(index + 1, kept_.size())); ++k) {
    Kept& kept = kept_[k];
    if (!is_same(kept.q, kept.size_q, problem.q)) continue;
    if (!kept.W.empty() && kept.mu == problem.mu && is_same(kept.r, kept.size_r, island.r) &&
        is_same(kept.W, kept.size_W, problem.W.value))
      return;
    if (seen == nullptr) seen = &kept;
  }
  load_.set(island, system.rows(), dynamics);
  if (load_.independent()) return;
  start_.clear();
  for (const SharedLoad::Closed& one : load_.closed) start_.push_back(island.r[at(one.contact * D)]);
  if (share(load_, start_, N_, t_)) take(island, aim);
  // Kept whatever came of it: the same problem is not looked at again. Whole when its q comes a second time, as at rest.
  if (seen != nullptr) {
    seen->W = problem.W.value;
    seen->r = island.r;
    seen->mu = problem.mu;
    seen->size_W = largest(seen->W);
    seen->size_r = largest(seen->r);
    return;
  }
  constexpr std::size_t kMostKept = 64;
  std::size_t place = index;
  if (in_turn) place = kept_.size() < kMostKept ? kept_.size() : std::bit_cast<std::uint64_t>(island.r[0]) % kMostKept;
  if (kept_.size() <= place) kept_.resize(place + 1);
  kept_[place].q = problem.q;
  kept_[place].size_q = largest(problem.q);
  kept_[place].W.clear();
}

// N_ and t_ as the island's impulses, where they are certified as well as those that it has.
void CanonicalShare::take(Island& island, double aim) {
  const int D = island.problem.dimension();
  r_.assign(island.r.size(), 0.0);
  for (std::size_t i = 0; i < load_.closed.size(); ++i) {
    const SharedLoad::Closed& one = load_.closed[i];
    for (int k = 0; k < D; ++k) {
      double& r = r_[at(one.contact * D + k)];
      r = one.direction[k] * N_[static_cast<Index>(i)];
      if (k > 0 && one.first >= 0) r += t_[one.first + k - 1];
    }
  }
  double change = 0;
  for (std::size_t k = 0; k < r_.size(); ++k) change = std::max(change, std::fabs(r_[k] - island.r[k]));
  if (!(change > kSameShare * largest(r_))) return;
  const complementarity::Residual residual = complementarity::contact_residual(island.problem, r_);
  if (!(residual.error <= std::max(0.1 * aim, island.summary.residual.error))) return;  // what rests must not creep
  std::copy(r_.begin(), r_.end(), island.r.begin());
  island.summary.residual = residual;
}

}  // namespace stickslip::contact
