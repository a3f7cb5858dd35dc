// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/contact_residual.h"

#include <algorithm>
#include <cassert>

namespace stickslip::complementarity {
namespace {

// Squares of numbers in this range neither overflow nor lose their digits.
constexpr double kSafeLow = 1e-140, kSafeHigh = 1e140;

// Sums over the contacts, once in the units of the problem and once in block-scaled variables.
struct Sums {
  double defect = 0, r = 0, u = 0, q = 0;

  [[nodiscard]] double largest() const { return std::sqrt(std::max({r, u, q})); }
  [[nodiscard]] bool safe() const {
    const double norm = largest();
    return norm > kSafeLow && norm < kSafeHigh;
  }
  [[nodiscard]] double natural_error() const {
    if (!std::isfinite(defect) || !std::isfinite(largest())) return Residual::kUnknown;
    return defect > 0 ? std::sqrt(defect) / largest() : 0.0;
  }
};

struct Parts {
  double primal = 0, dual = 0, complementarity = 0, cone = 0;
};

struct Totals {
  Sums plain, scaled;
  Parts parts;
  double suspect = 0;  // largest |S'_c|^2 over a size that is never above size_c: a bound of local^2

  // local: computes the local error, where it is needed.
  template <class Local>
  [[nodiscard]] Residual residual(const Local& local) const {
    Residual out;
    out.natural = plain.natural_error();
    out.scaled = scaled_error(scaled.defect, scaled.r, scaled.u, scaled.q);
    out.error = std::max(out.natural, out.scaled);
    // Not even a strict tolerance would ask for less.
    constexpr double kBeyondDoubt = 1e-15;
    const bool doubtful =
        std::isfinite(out.error) && kLocalShare * std::sqrt(suspect) > std::max(out.error, kBeyondDoubt);
    if (doubtful) out.error = std::max(out.error, kLocalShare * local());
    const double norm = scaled.largest() > 0 ? scaled.largest() : 1.0;
    out.primal = parts.primal / norm;
    out.dual = parts.dual / norm;
    out.cone = parts.cone / norm;
    out.complementarity = parts.complementarity / norm / norm;
    return out;
  }
};

// One contact seen by the certificate.
template <int D>
struct JudgedContact {
  ContactKind kind;
  double mu, given, scale;
  double r[D], u[D], q[D];
};

template <int D>
void add_to_sums(const JudgedContact<D>& c, Sums& sums) {
  const int first = c.kind == ContactKind::Support ? 1 : 0;  // the normal velocity of a support is not constrained
  for (int k = 0; k < D; ++k) sums.r += c.r[k] * c.r[k];
  for (int k = first; k < D; ++k) sums.u += c.u[k] * c.u[k], sums.q += c.q[k] * c.q[k];
}

template <int D>
void add_to_parts(const JudgedContact<D>& c, Parts& parts) {
  if (c.kind == ContactKind::Bilateral) {
    for (int k = 0; k < D; ++k) parts.dual = std::max(parts.dual, std::fabs(c.u[k]));
    return;
  }
  double r_dot_u = 0;
  for (int k = 1; k < D; ++k) r_dot_u += c.r[k] * c.u[k];
  const double r_t = tangent_norm<D>(c.r), u_t = tangent_norm<D>(c.u);
  const double unused = std::clamp(c.mu * c.r[0] - r_t, 0.0, r_t + u_t);
  const double not_dissipated = r_t * u_t + r_dot_u + u_t * unused;
  parts.complementarity = std::max(parts.complementarity, not_dissipated);
  parts.cone = std::max(parts.cone, r_t - c.mu * std::max(0.0, c.r[0]));
  if (c.kind == ContactKind::Support) {
    parts.primal = std::max(parts.primal, std::fabs(c.r[0] - c.given));
  } else {
    parts.primal = std::max(parts.primal, -c.r[0]);
    parts.dual = std::max(parts.dual, -c.u[0]);
    parts.complementarity = std::max(parts.complementarity, std::fabs(c.r[0] * c.u[0]));
  }
}

template <int D>
void add_contact(JudgedContact<D>& c, Totals& totals) {
  add_to_sums(c, totals.plain);
  totals.plain.defect += natural_defect_squared<D>(c.kind, c.mu, c.given, c.r, c.u);
  const double inverse = 1 / c.scale;
  for (int k = 0; k < D; ++k) c.r[k] *= inverse, c.u[k] *= c.scale, c.q[k] *= c.scale;
  c.given *= inverse;
  Sums own;
  add_to_sums(c, own);
  own.defect = separated_defect_squared<D>(c.kind, c.mu, c.given, c.r, c.u);
  if (own.defect > 0) totals.suspect = std::max(totals.suspect, own.defect / std::max({own.r, own.u, own.q}));
  totals.scaled.defect += own.defect, totals.scaled.r += own.r, totals.scaled.u += own.u, totals.scaled.q += own.q;
  if (c.kind == ContactKind::Support) totals.scaled.q += c.given * c.given;  // given data, like q
  add_to_parts(c, totals.parts);
}

double scale_of_trace(double trace, double mean_trace, int dimension) {
  const double used = trace > 0 ? trace : mean_trace;
  return used > 0 ? 1 / std::sqrt(used / dimension) : 1.0;
}

template <int D>
double block_trace(const BlockMatrix& W, int c) {
  const double* block = W.value.data() + static_cast<std::size_t>(W.diagonal[c]) * D * D;
  double trace = 0;
  for (int k = 0; k < D; ++k) trace += std::fabs(block[k * D + k]);
  return trace;
}

template <int D>
double mean_block_trace(const BlockMatrix& W) {
  double sum = 0;
  for (int c = 0; c < W.rows(); ++c) sum += block_trace<D>(W, c);
  return W.rows() > 0 ? sum / W.rows() : 0.0;
}

// All sums with r, q and the given impulses multiplied by `factor` (1, unless the squares would leave the safe range).
template <int D>
Totals accumulate(const ContactProblem& problem, std::span<const double> r, double factor) {
  const BlockMatrix& W = problem.W;
  const double mean_trace = mean_block_trace<D>(W);
  Totals totals;
  for (int c = 0; c < W.rows(); ++c) {
    JudgedContact<D> contact;
    contact.kind = problem.kind.empty() ? ContactKind::Frictional : problem.kind[c];
    contact.mu = problem.mu[c];
    contact.given = contact.kind == ContactKind::Support ? factor * problem.normal_impulse[c] : 0.0;
    contact.scale = scale_of_trace(block_trace<D>(W, c), mean_trace, D);
    for (int k = 0; k < D; ++k) {
      contact.r[k] = factor * r[c * D + k];
      contact.q[k] = contact.u[k] = factor * problem.q[c * D + k];
    }
    for (int p = W.row_start[c]; p < W.row_start[c + 1]; ++p) {
      const double* block = W.value.data() + static_cast<std::size_t>(p) * D * D;
      const double* x = r.data() + static_cast<std::size_t>(W.column[p]) * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) contact.u[k] += block[k * D + l] * (factor * x[l]);
    }
    add_contact(contact, totals);
  }
  return totals;
}

// The local error. W is not symmetric by assumption, only its pattern.
template <int D>
double local_error(const ContactProblem& problem, std::span<const double> r, double factor) {
  const BlockMatrix& W = problem.W;
  const double mean_trace = mean_block_trace<D>(W);
  double speed = 0;  // V^2
  for (double q : problem.q) speed += factor * q * factor * q / W.rows();
  double worst = 0;
  for (int c = 0; c < W.rows(); ++c) {
    const ContactKind kind = problem.kind.empty() ? ContactKind::Frictional : problem.kind[c];
    const double scale = scale_of_trace(block_trace<D>(W, c), mean_trace, D), inverse = 1 / scale;
    const double given = kind == ContactKind::Support ? factor * problem.normal_impulse[c] * inverse : 0.0;
    double own[D], u[D], size = 0;
    for (int k = 0; k < D; ++k) {
      own[k] = factor * r[c * D + k] * inverse;
      double sum = factor * problem.q[c * D + k], sizes = std::fabs(sum);
      for (int p = W.row_start[c]; p < W.row_start[c + 1]; ++p)
        for (int l = 0; l < D; ++l) {
          const double term =
              W.value[(static_cast<std::size_t>(p) * D + k) * D + l] * (factor * r[W.column[p] * D + l]);
          sum += term, sizes += std::fabs(term);
        }
      u[k] = sum * scale;
      if (kind != ContactKind::Support || k > 0) size += sizes * scale;
      size += std::fabs(own[k]);
    }
    const double defect = std::sqrt(separated_defect_squared<D>(kind, problem.mu[c], given, own, u));
    if (defect > 0) worst = std::max(worst, defect / std::max(size + given, kNoise * scale * std::sqrt(speed)));
    if (!std::isfinite(defect)) return Residual::kUnknown;
  }
  return worst;
}

double largest_entry(std::span<const double> r, const std::vector<double>& q) {
  double m = 0;
  for (double x : r) m = std::max(m, std::fabs(x));
  for (double x : q) m = std::max(m, std::fabs(x));
  return m;
}

template <int D>
Residual local_residual(const ContactProblem& problem, std::span<const double> r) {
  Totals totals = accumulate<D>(problem, r, 1.0);
  double factor = 1;
  if (!totals.plain.safe() || !totals.scaled.safe()) {
    const double m = largest_entry(r, problem.q);
    if (m > 0 && std::isfinite(m)) totals = accumulate<D>(problem, r, factor = 1 / m);
  }
  return totals.residual([&] { return local_error<D>(problem, r, factor); });
}

// sizes += |A| |x|
void add_sizes(const Eigen::SparseMatrix<double>& A, std::span<const double> x, Eigen::VectorXd& sizes) {
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(A, j); entry; ++entry)
      sizes[entry.row()] += std::fabs(entry.value() * x[j]);
}

// The local error of the global form without the dynamics; u as computed from v.
template <int D>
double global_local_error(const GlobalContactProblem& problem, std::span<const double> r, const Eigen::VectorXd& v,
                          std::span<const double> trace, double mean_trace, std::span<const double> q,
                          const Eigen::VectorXd& u) {
  const int n = problem.contacts();
  double speed = 0;
  for (double x : q) speed += x * x / n;
  double worst = 0;
  for (int c = 0; c < n; ++c) {
    const ContactKind kind = problem.kind.empty() ? ContactKind::Frictional : problem.kind[c];
    const double scale = scale_of_trace(trace[c], mean_trace, D), inverse = 1 / scale;
    const double given = kind == ContactKind::Support ? problem.normal_impulse[c] * inverse : 0.0;
    double own[D], slip[D], size = given;
    for (int k = 0; k < D; ++k) {
      const int row = c * D + k;
      double sum = u[row], sizes = std::fabs(problem.w[row]) + (q.empty() ? 0.0 : std::fabs(q[row]));
      for (Eigen::SparseMatrix<double>::InnerIterator entry(problem.H, row); entry; ++entry)
        sizes += std::fabs(entry.value() * v[entry.row()]);
      for (int l = 0; l < D && !problem.compliance.empty(); ++l) {
        const double term = problem.compliance[row * D + l] * r[c * D + l];
        sum += term, sizes += std::fabs(term);
      }
      own[k] = r[row] * inverse, slip[k] = sum * scale;
      size += std::fabs(own[k]) + (kind != ContactKind::Support || k > 0 ? sizes * scale : 0.0);
    }
    const double defect = std::sqrt(separated_defect_squared<D>(kind, problem.mu[c], given, own, slip));
    if (!std::isfinite(defect)) return Residual::kUnknown;
    if (defect > 0) worst = std::max(worst, defect / std::max(size, kNoise * scale * std::sqrt(speed)));
  }
  return worst;
}

template <int D>
Residual global_residual(const GlobalContactProblem& problem, std::span<const double> r, const Eigen::VectorXd& v,
                         std::span<const double> trace, std::span<const double> q, GlobalResidualWorkspace& workspace) {
  const Eigen::Map<const Eigen::VectorXd> impulses(r.data(), static_cast<Eigen::Index>(r.size()));
  auto& [Mv, Hr, u, size] = workspace;
  Mv.noalias() = problem.M * v;
  Hr.noalias() = problem.H * impulses;
  const double motion = std::max({problem.f.norm(), Mv.norm(), Hr.norm()});
  const double dynamics = motion > 0 ? (Mv - Hr - problem.f).norm() / motion : 0.0;
  size = problem.f.cwiseAbs();
  add_sizes(problem.M, {v.data(), static_cast<std::size_t>(v.size())}, size);
  add_sizes(problem.H, r, size);
  double imbalance = 0;  // of the worst row
  for (Eigen::Index i = 0; i < size.size(); ++i)
    if (const double defect = std::fabs(Mv[i] - Hr[i] - problem.f[i]); defect > 0)
      imbalance = std::max(imbalance, defect / size[i]);

  u.noalias() = problem.H.transpose() * v;
  u += problem.w;
  double mean_trace = 0;
  for (double t : trace) mean_trace += t / static_cast<double>(trace.size());
  Totals totals;
  for (int c = 0; c < problem.contacts(); ++c) {
    JudgedContact<D> contact;
    contact.kind = problem.kind.empty() ? ContactKind::Frictional : problem.kind[c];
    contact.mu = problem.mu[c];
    contact.given = contact.kind == ContactKind::Support ? problem.normal_impulse[c] : 0.0;
    contact.scale = scale_of_trace(trace[c], mean_trace, D);
    for (int k = 0; k < D; ++k) {
      contact.r[k] = r[c * D + k];
      contact.u[k] = u[c * D + k];
      contact.q[k] = q.empty() ? 0.0 : q[c * D + k];
      if (problem.compliance.empty()) continue;
      for (int l = 0; l < D; ++l) contact.u[k] += problem.compliance[(c * D + k) * D + l] * r[c * D + l];
    }
    add_contact(contact, totals);
  }
  Residual out = totals.residual([&, &u = u] { return global_local_error<D>(problem, r, v, trace, mean_trace, q, u); });
  const bool finite = std::isfinite(dynamics) && std::isfinite(imbalance);
  out.natural = finite ? out.natural + dynamics : Residual::kUnknown;
  out.scaled = finite ? out.scaled + dynamics : Residual::kUnknown;
  out.dual = std::max({out.dual, dynamics, kLocalShare * imbalance});
  out.error = std::max({out.error + kLocalShare * imbalance, out.natural, out.scaled});
  return out;
}

}  // namespace

Residual contact_residual(const ContactProblem& problem, std::span<const double> r) {
  assert(r.size() == problem.q.size());
  return problem.dimension() == 2 ? local_residual<2>(problem, r) : local_residual<3>(problem, r);
}

Residual contact_residual(const GlobalContactProblem& problem, std::span<const double> r, const Eigen::VectorXd& v,
                          std::span<const double> block_trace, std::span<const double> q) {
  GlobalResidualWorkspace workspace;
  return contact_residual(problem, r, v, block_trace, q, workspace);
}

Residual contact_residual(const GlobalContactProblem& problem, std::span<const double> r, const Eigen::VectorXd& v,
                          std::span<const double> block_trace, std::span<const double> q,
                          GlobalResidualWorkspace& workspace) {
  assert(v.size() == problem.f.size() && block_trace.size() == problem.mu.size());
  return problem.dimension == 2 ? global_residual<2>(problem, r, v, block_trace, q, workspace)
                                : global_residual<3>(problem, r, v, block_trace, q, workspace);
}

void block_scales(int dimension, std::span<double> scale) {
  double mean = 0;
  for (double t : scale) mean += t / static_cast<double>(scale.size());
  for (double& s : scale) s = scale_of_trace(s, mean, dimension);
}

}  // namespace stickslip::complementarity
