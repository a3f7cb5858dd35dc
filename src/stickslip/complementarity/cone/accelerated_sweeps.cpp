// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/accelerated_sweeps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::complementarity {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

constexpr double kRegularisation = 1e-10;  // of the Gram matrix, relative to its diagonal
constexpr double kDependent = 1e-14;       // pivot relative to the diagonal at which the differences are dependent
constexpr double kNear = 1.5;              // expected error relative to the goal at which a look is worth its cost
constexpr int kUnseen = 8;                 // sweeps after which the expectation is checked

}  // namespace

template <int D>
void AcceleratedSweeps<D>::remember() {
  std::vector<double>&dF = dF_[next_], &dG = dG_[next_];
  dF.resize(f_.size()), dG.resize(f_.size());
  for (std::size_t k = 0; k < f_.size(); ++k) dF[k] = f_[k] - last_f_[k], dG[k] = g_[k] - last_g_[k];
  length_ = std::min(length_ + 1, kMemory);
  for (int j = 0; j < length_; ++j) gram_[j * kMemory + next_] = gram_[next_ * kMemory + j] = dot(dF_[j], dF);
  next_ = (next_ + 1) % kMemory;
}

template <int D>
bool AcceleratedSweeps<D>::extrapolate(std::vector<double>& r) {
  double L[kMemory][kMemory], gamma[kMemory];
  for (int i = 0; i < length_; ++i) {
    gamma[i] = dot(dF_[i], f_);
    for (int j = 0; j <= i; ++j) {
      double sum = gram_[i * kMemory + j] * (i == j ? 1 + kRegularisation : 1.0);
      for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      if (i == j) {
        if (!(sum > kDependent * gram_[i * kMemory + i])) return false;
        L[i][i] = std::sqrt(sum);
      } else {
        L[i][j] = sum / L[j][j];
      }
    }
    for (int k = 0; k < i; ++k) gamma[i] -= L[i][k] * gamma[k];
    gamma[i] /= L[i][i];
  }
  for (int i = length_ - 1; i >= 0; --i) {
    for (int k = i + 1; k < length_; ++k) gamma[i] -= L[k][i] * gamma[k];
    gamma[i] /= L[i][i];
  }
  r = g_;
  for (int j = 0; j < length_; ++j)
    for (std::size_t k = 0; k < r.size(); ++k) r[k] -= gamma[j] * dG_[j][k];
  return true;
}

// f = g - r; returns |f|.
template <int D>
double AcceleratedSweeps<D>::residual(const std::vector<double>& r) {
  double sum = 0;
  for (std::size_t k = 0; k < r.size(); ++k) f_[k] = g_[k] - r[k], sum += f_[k] * f_[k];
  return std::sqrt(sum);
}

// Offers g if |f|, which is proportional to the error while the modes stay, says that it may have reached the goal.
template <int D>
bool AcceleratedSweeps<D>::look(Search<D>& search, double norm) {
  const double expected = looked_at_error_ * norm / looked_at_norm_;
  if (++unseen_ < kUnseen && expected > kNear * search.goal()) return false;
  island_velocity(search.island(), g_.data(), u_.data());
  const bool reached = search.offer(g_.data(), u_.data());
  search.record(norm, "accelerated sweep");
  looked_at_norm_ = norm, looked_at_error_ = search.last(), unseen_ = 0;
  return reached;
}

template <int D>
bool AcceleratedSweeps<D>::run(GaussSeidel<D>& sweeper, Search<D>& search, std::vector<double>& r,
                               const Limits& limits) {
  const Island<D>& island = search.island();
  for (auto* x : {&g_, &f_, &u_, &last_g_, &last_f_, &best_g_}) x->resize(r.size());
  forget();
  unseen_ = kUnseen;  // look at the first sweep
  double last_norm = 0, best = std::numeric_limits<double>::infinity(), mark = best;
  const double work = static_cast<double>(island.W.size()) + 3.0 * kMemory * island.unknowns();
  for (int sweep = 0, marked_at = 0; sweep < limits.sweeps; ++sweep) {
    g_ = r;
    sweeper.sweep(island, g_.data());
    const double norm = residual(r);
    const bool stop = !search.budget().spend(work);
    if (look(search, norm)) {
      r = g_;
      return true;
    }
    if (norm < best) best = norm, best_g_ = g_;
    if (norm < 0.5 * mark) mark = norm, marked_at = sweep;
    if (stop || sweep - marked_at > limits.patience) break;
    if (has_last_ && norm > last_norm) forget();
    if (has_last_) remember();
    last_f_ = f_, last_g_ = g_, has_last_ = true, last_norm = norm;
    if (length_ == 0 || !extrapolate(r)) r = g_;
  }
  r = best_g_;
  return search.reached();
}

template class AcceleratedSweeps<2>;
template class AcceleratedSweeps<3>;

}  // namespace stickslip::complementarity
