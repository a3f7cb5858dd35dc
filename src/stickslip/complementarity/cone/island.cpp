// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/island.h"

#include "stickslip/complementarity/cone/contact_residual.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

// An island whose data are this small beside the whole problem's holds rounding noise.
constexpr double kNoiseIsland = 1e-6;

// The local error of contact_residual.h.
template <int D>
double local_error(const ScaledIsland<D>& island, const double* r, const double* u) {
  double worst = 0;
  for (int i = 0; i < island.contacts; ++i) {
    const double* own = r + i * D;
    const bool support = island.kind[i] == ContactKind::Support;
    double size = island.given[i];
    for (int k = 0; k < D; ++k) {
      size += std::fabs(own[k]);
      if (support && k == 0) continue;
      size += std::fabs(island.q[i * D + k]);
      for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p)
        for (int l = 0; l < D; ++l) size += std::fabs(island.block(p)[k * D + l] * r[island.column[p] * D + l]);
    }
    const double defect =
        std::sqrt(separated_defect_squared<D>(island.kind[i], island.mu[i], island.given[i], own, u + i * D));
    if (defect > 0) worst = std::max(worst, defect / std::max(size, kNoise * island.scale[i] * island.speed));
  }
  return worst;
}

}  // namespace

template <int D>
void island_velocity(const ScaledIsland<D>& island, const double* r, double* u) {
  for (int i = 0; i < island.contacts; ++i) {
    double sum[D];
    for (int k = 0; k < D; ++k) sum[k] = island.q[i * D + k];
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const double *block = island.block(p), *x = r + island.column[p] * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) sum[k] += block[k * D + l] * x[l];
    }
    for (int k = 0; k < D; ++k) u[i * D + k] = sum[k];
  }
}

template <int D>
IslandError island_error(const ScaledIsland<D>& island, const double* r, const double* u) {
  // Sums of squares: defect, r, u, q; in the units of the problem and scaled.
  double defect = 0, rr = 0, uu = 0, qq = 0, defect_s = 0, rr_s = 0, uu_s = 0, qq_s = 0;
  double suspect = 0;  // a bound of the local error's square
  for (int i = 0; i < island.contacts; ++i) {
    const double s = island.scale[i], inverse = 1 / s;
    const double *x = r + i * D, *v = u + i * D, *q = island.q.data() + i * D;
    double r_plain[D], u_plain[D], r2 = 0, u2 = 0, q2 = 0;
    const int first = island.kind[i] == ContactKind::Support ? 1 : 0;
    for (int k = 0; k < D; ++k) r_plain[k] = s * x[k], u_plain[k] = inverse * v[k], r2 += x[k] * x[k];
    for (int k = first; k < D; ++k) u2 += v[k] * v[k], q2 += q[k] * q[k];
    rr_s += r2, uu_s += u2, qq_s += q2 + island.given[i] * island.given[i];  // given impulses are data, like q
    rr += s * s * r2, uu += inverse * inverse * u2, qq += inverse * inverse * q2;
    const double defect_i = separated_defect_squared<D>(island.kind[i], island.mu[i], island.given[i], x, v);
    if (defect_i > 0) suspect = std::max(suspect, defect_i / std::max({r2, u2, q2}));
    defect_s += defect_i;
    defect += natural_defect_squared<D>(island.kind[i], island.mu[i], s * island.given[i], r_plain, u_plain);
  }
  const double norm = std::sqrt(std::max({rr, uu, qq}));
  if (!std::isfinite(norm) || !std::isfinite(defect)) return {Residual::kUnknown, Residual::kUnknown};
  const auto natural = [&](double least) { return defect > 0 ? std::sqrt(defect) / std::max(norm, least) : 0.0; };
  const auto scaled = [&](double least) { return scaled_error(defect_s, rr_s, uu_s, qq_s, least); };
  IslandError error{std::max(natural(kNoiseIsland * island.plain_floor), scaled(kNoiseIsland * island.scaled_floor)),
                    std::max(natural(island.plain_floor), scaled(island.scaled_floor))};
  if (kLocalShare * std::sqrt(suspect) > error.shared) {
    const double local = kLocalShare * local_error(island, r, u);
    error = {std::max(error.own, local), std::max(error.shared, local)};
  }
  return error;
}

template <int D>
int IslandSplitter<D>::split(const ContactProblem& problem) {
  const BlockMatrix& W = problem.W;
  const int n = W.rows();
  root_.resize(n), island_of_.resize(n), position_.resize(n), member_.resize(n), start_.resize(n + 1), scale_.resize(n);

  double plain = 0, scaled = 0;
  for (int c = 0; c < n; ++c) {
    const double* block = W.value.data() + static_cast<std::size_t>(W.diagonal[c]) * D * D;
    scale_[c] = 0;
    for (int k = 0; k < D; ++k) scale_[c] += std::fabs(block[k * D + k]);
  }
  block_scales(D, scale_);
  for (int c = 0; c < n; ++c) {
    const bool support = !problem.kind.empty() && problem.kind[c] == ContactKind::Support;
    for (int k = support ? 1 : 0; k < D; ++k) {
      const double q = problem.q[c * D + k];
      plain += q * q, scaled += q * q * scale_[c] * scale_[c];
    }
  }
  plain_norm_ = std::sqrt(plain), scaled_norm_ = std::sqrt(scaled);
  speed_ = n > 0 ? plain_norm_ / std::sqrt(static_cast<double>(n)) : 0.0;

  // Union-find with path halving; roots are the smallest member, so that islands come in order.
  for (int c = 0; c < n; ++c) root_[c] = c;
  const auto find = [this](int c) {
    while (root_[c] != c) c = root_[c] = root_[root_[c]];
    return c;
  };
  for (int i = 0; i < n; ++i)
    for (int p = W.row_start[i]; p < W.diagonal[i]; ++p) {
      const int a = find(i), b = find(W.column[p]);
      if (a != b) root_[std::max(a, b)] = std::min(a, b);
    }

  // Number the islands, count their members, then list them (ascending within each).
  islands_ = 0;
  std::fill(start_.begin(), start_.end(), 0);
  for (int c = 0; c < n; ++c) {
    island_of_[c] = root_[c] == c ? islands_++ : island_of_[find(c)];
    position_[c] = start_[island_of_[c] + 1]++;
  }
  for (int k = 0; k < islands_; ++k) start_[k + 1] += start_[k];
  for (int c = 0; c < n; ++c) member_[start_[island_of_[c]] + position_[c]] = c;
  return islands_;
}

template <int D>
void IslandSplitter<D>::extract(const ContactProblem& problem, int index, ScaledIsland<D>& island) const {
  const BlockMatrix& W = problem.W;
  const int first = start_[index], n = contacts(index);
  island.contacts = n;
  island.member.assign(member_.begin() + first, member_.begin() + first + n);
  island.row_start.resize(n + 1), island.diagonal.resize(n);
  island.q.resize(n * D), island.mu.resize(n), island.given.resize(n), island.scale.resize(n), island.kind.resize(n);
  int blocks = 0;
  for (int c : island.member) blocks += W.row_start[c + 1] - W.row_start[c];
  island.column.resize(blocks), island.mirror.resize(blocks), island.W.resize(static_cast<std::size_t>(blocks) * D * D);
  island.plain_floor = plain_norm_ / std::sqrt(static_cast<double>(islands_));
  island.speed = speed_;
  island.scaled_floor = scaled_norm_ / std::sqrt(static_cast<double>(islands_));

  int out = 0;
  for (int a = 0; a < n; ++a) {
    const int c = island.member[a];
    const double s = scale_[c];
    island.scale[a] = s;
    island.mu[a] = problem.mu[c];
    island.kind[a] = problem.kind.empty() ? ContactKind::Frictional : problem.kind[c];
    island.given[a] = island.kind[a] == ContactKind::Support ? problem.normal_impulse[c] / s : 0.0;
    for (int k = 0; k < D; ++k) island.q[a * D + k] = s * problem.q[c * D + k];
    island.row_start[a] = out;
    for (int p = W.row_start[c]; p < W.row_start[c + 1]; ++p, ++out) {
      const int b = W.column[p];
      if (b == c) island.diagonal[a] = out;
      island.column[out] = position_[b];
      const double factor = s * scale_[b];
      const double* from = W.value.data() + static_cast<std::size_t>(p) * D * D;
      double* to = island.W.data() + static_cast<std::size_t>(out) * D * D;
      for (int k = 0; k < D * D; ++k) to[k] = factor * from[k];
    }
  }
  island.row_start[n] = out;

  // Rows come in ascending order and so do the columns of each row: the next unmatched entry of row b is the mirror.
  island.cursor.assign(island.row_start.begin(), island.row_start.end() - 1);
  for (int a = 0; a < n; ++a)
    for (int p = island.row_start[a]; p < island.row_start[a + 1]; ++p)
      island.mirror[p] = island.cursor[island.column[p]]++;
}

template void island_velocity<2>(const ScaledIsland<2>&, const double*, double*);
template void island_velocity<3>(const ScaledIsland<3>&, const double*, double*);
template IslandError island_error<2>(const ScaledIsland<2>&, const double*, const double*);
template IslandError island_error<3>(const ScaledIsland<3>&, const double*, const double*);
template class IslandSplitter<2>;
template class IslandSplitter<3>;

}  // namespace stickslip::complementarity
