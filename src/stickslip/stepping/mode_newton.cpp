// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/mode_newton.h"

#include "stickslip/stepping/small_lu.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {
namespace {

// Relative to the diagonal. Small enough that one reuse of the factor removes it, large enough for a stable pivot.
constexpr double kProximal = 1e-9;

template <int D>
double tangent_norm(const double* x) {
  return D == 2 ? std::fabs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]);
}

bool is_support(const complementarity::ContactProblem& problem, int c) {
  return !problem.kind.empty() && problem.kind[c] == complementarity::ContactKind::Support;
}

// What the friction disc of a contact is mu times of.
double normal_impulse(const complementarity::ContactProblem& problem, int c, const double* r) {
  return is_support(problem, c) ? problem.normal_impulse[c] : r[0];
}

// The blocks of a contact's row. C > 0: so many contacts, each of which feels all others, so that loops have fixed
// lengths; 0: any number.
template <int C>
int first_block(const complementarity::BlockMatrix& W, int c) {
  return C > 0 ? c * C : W.row_start[c];
}
template <int C>
int column_of(const complementarity::BlockMatrix& W, int c, int p) {
  return C > 0 ? p - c * C : W.column[p];
}
template <int C>
int diagonal_of(const complementarity::BlockMatrix& W, int c) {
  return C > 0 ? c * C + c : W.diagonal[c];
}

// Impulses that lay outside of their cones: whether any did, and how far in all.
struct Excess {
  bool any = false;
  double sum = 0;
};

// Those outside of |r_t| <= mu r_n go to the nearest point of the cone of share mu.
template <int D>
Excess project_into_cones(std::span<const double> friction, double share, std::span<double> r) {
  Excess outside;
  for (std::size_t c = 0; c < friction.size(); ++c) {
    double* x = r.data() + c * D;
    const double length = tangent_norm<D>(x), mu = friction[c];
    if (x[0] >= 0 && length <= mu * x[0]) continue;
    outside.any = true;
    outside.sum += std::min(length - mu * x[0], length - x[0]);
    if (mu * length <= -x[0]) {
      std::fill(x, x + D, 0.0);
      continue;
    }
    const double inner = mu * share, normal = (x[0] + inner * length) / (1 + inner * inner);
    for (int k = 1; k < D; ++k) x[k] *= inner * normal / length;
    x[0] = normal;
  }
  return outside;
}

}  // namespace

template <int D, int C>
void ModeNewton::velocity(const complementarity::ContactProblem& problem, std::span<const double> r) {
  const complementarity::BlockMatrix& W = problem.W;
  const int contacts = C > 0 ? C : W.rows();
  for (int c = 0; c < contacts; ++c) {
    double* u = u_.data() + c * D;
    for (int k = 0; k < D; ++k) u[k] = problem.q[c * D + k];
    for (int p = first_block<C>(W, c); p < first_block<C>(W, c + 1); ++p) {
      const double* block = W.value.data() + p * D * D;
      const double* x = r.data() + column_of<C>(W, c, p) * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) u[k] += block[k * D + l] * x[l];
    }
  }
}

// The law that each contact obeys at r: closed if pressed together, sliding if its impulse points out of the cone.
template <int D, int C>
void ModeNewton::choose_laws(const complementarity::ContactProblem& problem, std::span<const double> r) {
  const complementarity::BlockMatrix& W = problem.W;
  const int contacts = C > 0 ? C : W.rows();
  for (int c = 0; c < contacts; ++c) {
    const double* block = W.value.data() + diagonal_of<C>(W, c) * D * D;
    const double* u = u_.data() + c * D;
    double z[D];  // the impulse that the natural map projects on the cone, in units of impulse
    for (int k = 0; k < D; ++k) {
      const double g = block[k * D + k];
      z[k] = r[c * D + k] - (g > 0 ? u[k] / g : 0.0);
    }
    const double length = tangent_norm<D>(z), mu = problem.mu[c];
    if (is_support(problem, c))
      law_[c] = length <= mu * problem.normal_impulse[c] ? Law::Stick : Law::Slide;
    else if (z[0] <= 0)
      law_[c] = Law::Open;
    else
      law_[c] = length <= mu * z[0] ? Law::Stick : Law::Slide;
  }
}

// Linearised at the velocity u: scale (r_t + mu r_n d) = 0, d = u_t / |u_t|. Times the scale so that all rows are velocities.
template <int D>
ModeNewton::SlideLaw<D> ModeNewton::slide_law(const double* u, double mu, double pressed, double scale) {
  SlideLaw<D> law;
  const double speed = tangent_norm<D>(u);
  for (int k = 1; k < D; ++k) law.d[k] = speed > 0 ? u[k] / speed : 0.0;
  if constexpr (D == 3) {
    if (speed > 0)
      for (int k = 1; k < D; ++k)
        for (int l = 1; l < D; ++l) law.spread[k][l] = scale * mu * pressed / speed * ((k == l) - law.d[k] * law.d[l]);
  }
  return law;
}

// The rows of a closed contact: as many of them as stick are velocities, the others its law of sliding.
template <int D, int C>
void ModeNewton::fill_closed(const complementarity::ContactProblem& problem, std::span<const double> r, int c, int n) {
  const complementarity::BlockMatrix& W = problem.W;
  double* row = matrix_.data() + c * D * n;
  const double* u = u_.data() + c * D;
  const double* diagonal = W.value.data() + diagonal_of<C>(W, c) * D * D;
  const double scale = diagonal[0] > 0 ? diagonal[0] : 1.0, mu = problem.mu[c];
  const double pressed = normal_impulse(problem, c, r.data() + c * D);
  const bool slides = law_[c] == Law::Slide, support = is_support(problem, c);
  const int stick_rows = slides ? 1 : D;
  const SlideLaw<D> law = slides ? slide_law<D>(u, mu, pressed, scale) : SlideLaw<D>{};
  for (int p = first_block<C>(W, c); p < first_block<C>(W, c + 1); ++p) {
    const double* block = W.value.data() + p * D * D;
    const int column = column_of<C>(W, c, p) * D;
    for (int k = 0; k < stick_rows; ++k)
      for (int l = 0; l < D; ++l) row[k * n + column + l] = block[k * D + l];
    if (D == 3 && slides)
      for (int k = 1; k < D; ++k)
        for (int l = 0; l < D; ++l)
          row[k * n + column + l] = law.spread[k][1] * block[D + l] + law.spread[k][2 % D] * block[(2 % D) * D + l];
  }
  for (int k = 0; k < stick_rows; ++k) {
    defect_[c * D + k] = u[k];
    row[k * n + c * D + k] += kProximal * scale;
  }
  for (int k = stick_rows; k < D; ++k) {
    defect_[c * D + k] = scale * (r[c * D + k] + mu * pressed * law.d[k]);
    row[k * n + c * D + k] += scale;
    if (!support) row[k * n + c * D] += scale * mu * law.d[k];
  }
  if (support) {  // r_n is given
    std::fill(row, row + n, 0.0);
    row[c * D] = scale;
    defect_[c * D] = scale * (r[c * D] - pressed);
  }
}

template <int D, int C>
void ModeNewton::fill(const complementarity::ContactProblem& problem, std::span<const double> r) {
  const int contacts = C > 0 ? C : problem.W.rows(), n = contacts * D;
  std::fill(matrix_.begin(), matrix_.begin() + n * n, 0.0);
  for (int c = 0; c < contacts; ++c) {
    if (law_[c] != Law::Open) {
      fill_closed<D, C>(problem, r, c, n);
      continue;
    }
    double* row = matrix_.data() + c * D * n;
    for (int k = 0; k < D; ++k) row[k * n + c * D + k] = 1, defect_[c * D + k] = r[c * D + k];
  }
}

template <int D, int C>
bool ModeNewton::run(const complementarity::ContactProblem& problem, std::span<double> r, int steps) {
  const int contacts = C > 0 ? C : problem.contacts(), n = contacts * D;
  prepare(contacts, n);
  velocity<D, C>(problem, r);
  choose_laws<D, C>(problem, r);
  for (int step = 0; step < steps; ++step) {
    fill<D, C>(problem, r);
    if (!factor_small(matrix_.data(), n, pivot_.data())) return false;
    const int repeats = 2;  // the second takes out what the proximal weight left of the first
    for (int repeat = 0; repeat < repeats; ++repeat) {
      if (repeat > 0) {  // the defect again, with the new r; slide rows are already linear to second order
        for (int c = 0; c < contacts; ++c) {
          const int rows = law_[c] == Law::Stick ? D : law_[c] == Law::Slide ? 1 : 0;
          const int first = is_support(problem, c) ? 1 : 0;
          for (int k = 0; k < D; ++k) defect_[c * D + k] = k >= first && k < rows ? u_[c * D + k] : 0.0;
        }
      }
      std::copy(defect_.begin(), defect_.begin() + n, step_.begin());
      substitute_small(matrix_.data(), n, pivot_.data(), step_.data());
      double sum = 0;
      for (int k = 0; k < n; ++k) r[k] -= step_[k], sum += r[k];
      if (!std::isfinite(sum)) return false;
      if (repeat + 1 < repeats || step + 1 < steps) velocity<D, C>(problem, r);
    }
  }
  // Put what the linear algebra left of the sliding impulses exactly on the cone's surface.
  for (int c = 0; c < contacts; ++c) {
    double* x = r.data() + c * D;
    if (law_[c] == Law::Open) std::fill(x, x + D, 0.0);
    if (law_[c] != Law::Slide) continue;
    const double length = tangent_norm<D>(x);
    const double onto = length > 0 ? problem.mu[c] * std::max(0.0, normal_impulse(problem, c, x)) / length : 0.0;
    for (int k = 1; k < D; ++k) x[k] *= onto;
  }
  return true;
}

void ModeNewton::prepare(int contacts, int n) {
  law_.resize(contacts);
  for (auto* x : {&u_, &defect_, &step_}) x->resize(n);
  matrix_.resize(n * n);
  pivot_.resize(n);
}

template <int D>
bool ModeNewton::run_hold(const complementarity::ContactProblem& problem, std::span<double> r) {
  constexpr int kRounds = 60, kBarely = 20, kHardly = 40;
  constexpr double kInside = 0.9, kNearEdge = 0.999, kAtEdge = 1 - 1e-6;  // of mu, from the rounds above on
  constexpr int kLook = 3;
  constexpr double kProgress = 0.8;  // of the distance at the look before
  const int contacts = problem.contacts(), n = contacts * D;
  prepare(contacts, n);
  velocity<D, 0>(problem, r);
  choose_laws<D, 0>(problem, r);
  for (Law& law : law_)
    if (law == Law::Slide) law = Law::Stick;
  fill<D, 0>(problem, r);
  if (!factor_small(matrix_.data(), n, pivot_.data())) return false;
  // From zero: the first projection then gives the smallest impulses that hold, without contacts that press against
  // each other (a stress left over from sliding, say).
  std::fill(r.begin(), r.end(), 0.0);
  std::copy(problem.q.begin(), problem.q.end(), u_.begin());
  double checked = std::numeric_limits<double>::infinity();  // how far outside at the last look
  for (int round = 0; round < kRounds; ++round) {
    for (int repeat = 0; repeat < 2; ++repeat) {  // onto u = 0; the second takes out what the proximal weight left
      for (int c = 0; c < contacts; ++c)
        for (int k = 0; k < D; ++k) step_[c * D + k] = law_[c] == Law::Stick ? u_[c * D + k] : r[c * D + k];
      substitute_small(matrix_.data(), n, pivot_.data(), step_.data());
      double sum = 0;
      for (int k = 0; k < n; ++k) r[k] -= step_[k], sum += r[k];
      if (!std::isfinite(sum)) return false;
      velocity<D, 0>(problem, r);
    }
    // Well inside at first, so that few rounds suffice; then nearer to the edge, for what is barely held.
    const double share = round < kBarely ? kInside : round < kHardly ? kNearEdge : kAtEdge;
    const Excess outside = project_into_cones<D>(problem.mu, share, r);
    if (!outside.any) return true;
    if (round % kLook == kLook - 1 && round < kBarely) {  // cones that cannot hold the load are not approached
      if (outside.sum > kProgress * checked) return false;
      checked = outside.sum;
    }
    velocity<D, 0>(problem, r);
  }
  return false;
}

bool ModeNewton::hold(const complementarity::ContactProblem& problem, std::span<double> r) {
  if (problem.contacts() > kMaxAtRest || !problem.kind.empty()) return false;
  return problem.dimension() == 2 ? run_hold<2>(problem, r) : run_hold<3>(problem, r);
}

bool ModeNewton::polish(const complementarity::ContactProblem& problem, std::span<double> r, int steps) {
  if (problem.contacts() > kMaxAtRest) return false;
  if (std::ranges::find(problem.kind, complementarity::ContactKind::Bilateral) != problem.kind.end()) return false;
  // The contacts of one body, few of them, in a fixed size: a stick on two fingers, a tripod, a box.
  const int contacts = problem.contacts();
  if (problem.W.column.size() == static_cast<std::size_t>(contacts * contacts)) {
    if (problem.dimension() == 2 && contacts == 2) return run<2, 2>(problem, r, steps);
    if (problem.dimension() == 3 && contacts == 3) return run<3, 3>(problem, r, steps);
    if (problem.dimension() == 3 && contacts == 4) return run<3, 4>(problem, r, steps);
  }
  return problem.dimension() == 2 ? run<2, 0>(problem, r, steps) : run<3, 0>(problem, r, steps);
}

}  // namespace stickslip::stepping
