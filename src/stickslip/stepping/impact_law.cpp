// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/impact_law.h"

#include "stickslip/complementarity/cone/one_contact.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using complementarity::BlockMatrix;
using complementarity::ContactKind;
using contact::Island;

namespace {

// u += W r
void add_product(const BlockMatrix& W, std::span<const double> r, std::span<double> u) {
  const int D = W.block_size;
  for (int c = 0; c < W.rows(); ++c)
    for (int p = W.row_start[index(c)]; p < W.row_start[index(c) + 1]; ++p) {
      const double* block = W.value.data() + index(p * D * D);
      const double* x = r.data() + index(W.column[index(p)] * D);
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) u[index(c * D + k)] += block[k * D + l] * x[l];
    }
}

// One contact's velocity, impulse and work along its normal impulse.
struct Path {
  const double* W;
  int D;
  double mu;
  double u[3], p[3] = {}, work = 0;

  // Friction over an increment dp of the normal impulse opposes the slip at its end. In the plane an increment in which
  // slip stops is two, so that each has one direction of slip and all is exact.
  void advance(double dp) {
    double r[3] = {}, slip_rate = 0;
    if (D == 2 && u[1] != 0) {
      const double friction = u[1] > 0 ? -mu : mu, rate = W[2] + friction * W[3];
      const double stop = -u[1] / rate;
      if (stop > 0 && stop < dp) {
        const double sliding[2] = {stop, friction * stop};
        add(sliding);
        u[1] = 0;
        dp -= stop;
      }
    }
    if (D == 2)
      complementarity::solve_one_contact<2>(ContactKind::Support, mu, dp, W, u, r, slip_rate);
    else
      complementarity::solve_one_contact<3>(ContactKind::Support, mu, dp, W, u, r, slip_rate);
    r[0] = dp;
    add(r);
  }
  void add(const double* r) {
    const double before = u[0];
    for (int k = 0; k < D; ++k) {
      p[k] += r[k];
      for (int l = 0; l < D; ++l) u[k] += W[k * D + l] * r[l];
    }
    work += 0.5 * (before + u[0]) * r[0];
  }
  [[nodiscard]] Path after(double dp) const {
    Path next = *this;
    next.advance(dp);
    return next;
  }
};

// The increment in 0 .. dp after which `value` of the path is zero; it is <= 0 now and > 0 after dp.
template <class Value>
double crossing(const Path& path, double dp, Value value) {
  double low = 0, high = dp;
  for (int k = 0; k < 60 && high - low > 1e-15 * dp; ++k) {
    const double middle = 0.5 * (low + high);
    (value(path.after(middle)) > 0 ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

// Increments until value(path) > 0, the last one shortened to meet zero. False when that never happens.
template <class Value>
bool advance_until(Path& path, double dp, Value value) {
  constexpr int kMost = 20000;  // a slip that jams (Painleve) may need far more impulse than W_nn tells
  for (int k = 0; k < kMost; ++k) {
    if (value(path) >= 0) return true;
    if (value(path.after(dp)) > 0) {
      path.advance(crossing(path, dp, value));
      return true;
    }
    path.advance(dp);
  }
  return false;
}

}  // namespace

double energy_gained(const Island& island, std::span<const double> before) {
  double gained = 0;
  std::vector<double> after(before.begin(), before.end());
  add_product(island.problem.W, island.r, after);
  for (std::size_t k = 0; k < after.size(); ++k) gained += 0.5 * island.r[k] * (before[k] + after[k]);
  return gained;
}

bool ImpactSolver::resolve(const Method& method, std::span<const Law> laws, Island& island) {
  before_ = island.problem.q;
  double lost = 0;  // scale of the energies
  const auto attempt = [&](double share) {
    std::copy(before_.begin(), before_.end(), island.problem.q.begin());
    return laws.size() == 1 ? follow(laws, share, island) : in_phases(method, laws, share, island);
  };
  if (!attempt(0)) return false;
  const bool elastic = std::ranges::any_of(laws, [](const Law& law) { return law.restitution > 0; });
  if (elastic) {
    lost = -energy_gained(island, before_);
    constexpr double kRounding = 1e-12;
    if (!attempt(1)) return false;
    if (energy_gained(island, before_) > kRounding * lost) {
      double low = 0, high = 1;
      for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (low + high);
        if (!attempt(middle)) return false;
        (energy_gained(island, before_) > kRounding * lost ? high : low) = middle;
      }
      if (!attempt(low)) return false;
    }
  }
  std::copy(before_.begin(), before_.end(), island.problem.q.begin());
  return true;
}

bool ImpactSolver::follow(std::span<const Law> laws, double share, Island& island) {
  const int D = island.problem.dimension();
  // In the plane an increment of any length is exact (advance()).
  const int increments = D == 2 ? 1 : 64;
  const double* W = island.problem.W.value.data();
  const double e = share * laws[0].restitution;
  Path path{.W = W, .D = D, .mu = laws[0].friction, .u = {}};
  std::copy(before_.begin(), before_.end(), path.u);
  std::fill(island.r.begin(), island.r.end(), 0.0);
  if (path.u[0] >= 0 || !(W[0] > 0)) return true;
  const double before = path.u[0], dp = -before / W[0] / increments;
  if (!advance_until(path, dp, [](const Path& x) { return x.u[0]; })) return false;
  const double impulse = path.p[0], work = path.work;
  bool reached = true;
  if (e > 0) switch (laws[0].kind) {
      case model::ImpactLaw::Newton:
        reached = advance_until(path, dp, [&](const Path& x) { return x.u[0] + e * before; });
        break;
      case model::ImpactLaw::Poisson:
        reached = advance_until(path, dp, [&](const Path& x) { return x.p[0] - (1 + e) * impulse; });
        break;
      case model::ImpactLaw::Stronge:
        reached = advance_until(path, dp, [&](const Path& x) { return x.work - (1 - e * e) * work; });
        break;
    }
  std::copy(path.p, path.p + D, island.r.begin());
  return reached;
}

bool ImpactSolver::solve_phase(const Method& method, Island& island) {
  std::fill(island.r.begin(), island.r.end(), 0.0);
  if (!solver_.solve(method, island)) return false;
  for (std::size_t k = 0; k < total_.size(); ++k) total_[k] += island.r[k];
  add_product(island.problem.W, island.r, island.problem.q);
  return true;
}

bool ImpactSolver::in_phases(const Method& method, std::span<const Law> laws, double share, Island& island) {
  complementarity::ContactProblem& problem = island.problem;
  const std::size_t D = index(problem.dimension()), n = laws.size();
  total_.assign(problem.q.size(), 0.0);
  for (std::size_t c = 0; c < n; ++c) problem.mu[c] = laws[c].friction;
  if (!solve_phase(method, island)) return false;
  const bool elastic = share > 0 && std::ranges::any_of(laws, [](const Law& law) { return law.restitution > 0; });
  if (elastic) {
    compression_ = island.r;
    velocity_ = problem.q;
    problem.kind.assign(n, ContactKind::Frictional);
    problem.normal_impulse.assign(n, 0.0);
    for (std::size_t c = 0; c < n; ++c) {
      const double e = share * laws[c].restitution;
      if (e == 0) continue;
      switch (laws[c].kind) {
        case model::ImpactLaw::Newton: problem.q[c * D] -= std::max(0.0, -e * before_[c * D]); break;
        case model::ImpactLaw::Poisson:
        case model::ImpactLaw::Stronge:  // the work of several contacts depends on their order
          problem.kind[c] = ContactKind::Support;
          problem.normal_impulse[c] = e * compression_[c * D];
          break;
      }
    }
    std::fill(island.r.begin(), island.r.end(), 0.0);
    const bool solved = solver_.solve(method, island);
    problem.kind.clear();
    problem.normal_impulse.clear();
    if (!solved) return false;
    for (std::size_t k = 0; k < total_.size(); ++k) total_[k] += island.r[k];
    problem.q = velocity_;
    add_product(problem.W, island.r, problem.q);
    if (!solve_phase(method, island)) return false;
  }
  island.r = total_;
  return true;
}

}  // namespace stickslip::stepping
