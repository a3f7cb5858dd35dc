// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/pyramid.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace stickslip::complementarity {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double>;

// The unknowns of all contacts and what does not depend on W: G, r0, the structure and the bounds.
struct Layout {
  Sparse G;
  Eigen::VectorXd r0;
  std::vector<Triplet> structure;
  std::vector<double> q, lower;
  std::vector<Eigen::Index> slip_index;

  [[nodiscard]] int size() const { return static_cast<int>(lower.size()); }
};

class LayoutBuilder {
 public:
  LayoutBuilder(int dimension, int directions, int contacts) : D_(dimension), d_(dimension == 2 ? 2 : directions) {
    layout_.r0 = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dimension) * contacts);
    layout_.slip_index.assign(static_cast<std::size_t>(contacts), -1);
  }

  void add_frictional(int c, double mu) {
    const int normal = add_unknown(0);
    couple(c * D_, normal, 1);
    if (mu > 0) {
      const int slip = add_friction(c);
      layout_.structure.emplace_back(slip, normal, mu);
    }
  }

  void add_support(int c, double mu, double normal_impulse) {
    layout_.r0[static_cast<Eigen::Index>(c) * D_] = normal_impulse;
    if (mu * normal_impulse > 0) layout_.q[add_friction(c)] = mu * normal_impulse;
  }

  void add_bilateral(int c) {
    for (int k = 0; k < D_; ++k) couple(c * D_ + k, add_unknown(-kInfinity), 1);
  }

  Layout finish() {
    layout_.G.resize(layout_.r0.size(), layout_.size());
    layout_.G.setFromTriplets(entries_.begin(), entries_.end());
    return std::move(layout_);
  }

 private:
  int add_unknown(double lower) {
    layout_.lower.push_back(lower);
    layout_.q.push_back(0);
    return layout_.size() - 1;
  }

  void couple(int impulse, int unknown, double value) { entries_.emplace_back(impulse, unknown, value); }

  // The d friction unknowns of contact c and its slip speed; returns the latter.
  int add_friction(int c) {
    const int first = layout_.size();
    for (int k = 0; k < d_; ++k) {
      const int unknown = add_unknown(0);
      const double angle = 2 * std::numbers::pi * k / d_;
      if (D_ == 2) {
        couple(c * D_ + 1, unknown, k == 0 ? 1 : -1);
      } else {
        couple(c * D_ + 1, unknown, std::cos(angle));
        couple(c * D_ + 2, unknown, std::sin(angle));
      }
    }
    const int slip = add_unknown(0);
    layout_.slip_index[c] = slip;
    for (int k = 0; k < d_; ++k) {
      layout_.structure.emplace_back(first + k, slip, 1);
      layout_.structure.emplace_back(slip, first + k, -1);
    }
    return slip;
  }

  int D_, d_;
  Layout layout_;
  std::vector<Triplet> entries_;
};

template <class Problem>
Layout make_layout(const Problem& problem, int dimension, int directions) {
  const int contacts = problem.contacts();
  LayoutBuilder builder(dimension, directions, contacts);
  for (int c = 0; c < contacts; ++c) {
    switch (problem.kind.empty() ? ContactKind::Frictional : problem.kind[c]) {
      case ContactKind::Frictional: builder.add_frictional(c, problem.mu[c]); break;
      case ContactKind::Support: builder.add_support(c, problem.mu[c], problem.normal_impulse[c]); break;
      case ContactKind::Bilateral: builder.add_bilateral(c); break;
    }
  }
  return builder.finish();
}

Sparse to_sparse(const BlockMatrix& W) {
  const int D = W.block_size;
  std::vector<Triplet> entries;
  for (int row = 0; row < W.rows(); ++row) {
    for (int b = W.row_start[row]; b < W.row_start[row + 1]; ++b) {
      const double* block = W.value.data() + static_cast<std::size_t>(b) * D * D;
      for (int i = 0; i < D; ++i) {
        for (int j = 0; j < D; ++j) {
          const double value = block[i * D + j];
          if (value != 0) entries.emplace_back(row * D + i, W.column[b] * D + j, value);
        }
      }
    }
  }
  Sparse matrix(W.rows() * D, W.rows() * D);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Sparse compliance_matrix(const GlobalContactProblem& problem) {
  const int D = problem.dimension, n = problem.contacts() * D;
  std::vector<Triplet> entries;
  for (int c = 0; c < problem.contacts() && !problem.compliance.empty(); ++c) {
    for (int i = 0; i < D; ++i) {
      for (int j = 0; j < D; ++j) {
        entries.emplace_back(c * D + i, c * D + j, problem.compliance[static_cast<std::size_t>(c) * D * D + i * D + j]);
      }
    }
  }
  Sparse R(n, n);
  R.setFromTriplets(entries.begin(), entries.end());
  return R;
}

void append(std::vector<Triplet>& entries, const Sparse& block, int row, int column) {
  for (Eigen::Index j = 0; j < block.outerSize(); ++j) {
    for (Sparse::InnerIterator it(block, j); it; ++it) {
      entries.emplace_back(static_cast<int>(it.row()) + row, static_cast<int>(it.col()) + column, it.value());
    }
  }
}

PyramidForm assemble(Layout layout, const std::vector<Triplet>& entries, Eigen::VectorXd q, Eigen::Index dof) {
  const Eigen::Index m = layout.size(), n = dof + m;
  Sparse M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());
  M.prune([](Eigen::Index, Eigen::Index, double value) { return value != 0; });
  Eigen::VectorXd lower = Eigen::VectorXd::Constant(n, -kInfinity);
  lower.tail(m) = Eigen::Map<const Eigen::VectorXd>(layout.lower.data(), m);
  q.tail(m) += Eigen::Map<const Eigen::VectorXd>(layout.q.data(), m);

  PyramidForm form;
  form.problem = make_box_lcp(std::move(M), std::move(q), std::move(lower), Eigen::VectorXd::Constant(n, kInfinity));
  form.degrees_of_freedom = dof;
  form.from_unknowns = std::move(layout.G);
  form.given = std::move(layout.r0);
  form.slip_index = std::move(layout.slip_index);
  for (Eigen::Index& index : form.slip_index) {
    if (index >= 0) index += dof;
  }
  return form;
}

}  // namespace

Eigen::VectorXd PyramidForm::impulses(const Eigen::VectorXd& z) const {
  return from_unknowns * z.tail(from_unknowns.cols()) + given;
}

PyramidForm make_pyramid(const ContactProblem& problem, int directions) {
  Layout layout = make_layout(problem, problem.dimension(), directions);
  const Sparse W = to_sparse(problem.W), G_transposed = layout.G.transpose();
  const Sparse M = G_transposed * Sparse(W * layout.G);
  const Eigen::Map<const Eigen::VectorXd> q(problem.q.data(), static_cast<Eigen::Index>(problem.q.size()));
  std::vector<Triplet> entries = layout.structure;
  append(entries, M, 0, 0);
  Eigen::VectorXd rows = G_transposed * (q + W * layout.r0);
  return assemble(std::move(layout), entries, std::move(rows), 0);
}

PyramidForm make_pyramid(const GlobalContactProblem& problem, int directions) {
  Layout layout = make_layout(problem, problem.dimension, directions);
  const auto dof = static_cast<int>(problem.M.rows());
  const Sparse HG = problem.H * layout.G, HG_transposed = HG.transpose(), G_transposed = layout.G.transpose();
  const Sparse R = compliance_matrix(problem), compliance = G_transposed * Sparse(R * layout.G);

  std::vector<Triplet> entries;
  for (const Triplet& t : layout.structure) entries.emplace_back(t.row() + dof, t.col() + dof, t.value());
  append(entries, problem.M, 0, 0);
  append(entries, -HG, 0, dof);
  append(entries, HG_transposed, dof, 0);
  append(entries, compliance, dof, dof);

  Eigen::VectorXd q(dof + layout.size());
  q.head(dof) = -(problem.f + problem.H * layout.r0);
  q.tail(layout.size()) = G_transposed * (problem.w + R * layout.r0);
  return assemble(std::move(layout), entries, std::move(q), dof);
}

}  // namespace stickslip::complementarity
