// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/pyramid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace stickslip::complementarity {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double>;

// out = the matrix in compressed columns, in its own storage.
void set_columns(const std::vector<int>& outer, const std::vector<int>& row, const std::vector<double>& value,
                 Eigen::Index rows, Sparse& out) {
  out.resize(rows, static_cast<Eigen::Index>(outer.size()) - 1);
  out.resizeNonZeros(static_cast<Eigen::Index>(row.size()));
  std::copy(outer.begin(), outer.end(), out.outerIndexPtr());
  std::copy(row.begin(), row.end(), out.innerIndexPtr());
  std::copy(value.begin(), value.end(), out.valuePtr());
}

// G: what each unknown adds to the impulses.
void set_directions(const PyramidLayout& layout, Sparse& G) {
  const int D = layout.dimension, contacts = static_cast<int>(layout.slip.size());
  G.resize(static_cast<Eigen::Index>(contacts) * D, layout.size());
  G.resizeNonZeros(std::ranges::count_if(layout.direction, [](double e) { return e != 0; }));
  int entries = 0;
  for (int c = 0; c < contacts; ++c)
    for (int x = layout.first[c]; x < layout.first[c + 1]; ++x) {
      G.outerIndexPtr()[x] = entries;
      for (int k = 0; k < D; ++k) {
        const double e = layout.direction[static_cast<std::size_t>(x) * D + k];
        if (e == 0) continue;
        G.innerIndexPtr()[entries] = c * D + k;
        G.valuePtr()[entries++] = e;
      }
    }
  G.outerIndexPtr()[layout.size()] = entries;
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

}  // namespace

void pyramid_directions(int dimension, int directions, double angle, std::vector<double>& e) {
  e.clear();
  if (dimension == 2) {
    e.push_back(1), e.push_back(-1);
    return;
  }
  const int half = directions % 2 == 0 ? directions / 2 : directions;
  for (int k = 0; k < directions; ++k) {
    const double sign = k < half ? 1 : -1, turned = angle + 2 * std::numbers::pi * (k % half) / directions;
    e.push_back(sign * std::cos(turned));
    e.push_back(sign * std::sin(turned));
  }
}

void PyramidLayout::lay_out(int D, int directions, double angle, const std::vector<double>& mu,
                            const std::vector<ContactKind>& kind, const std::vector<double>& normal_impulse) {
  const int contacts = static_cast<int>(mu.size());
  pyramid_directions(D, directions, angle, around);
  dimension = D;
  first.assign(1, 0), direction.clear(), lower.clear(), q.clear();
  given.assign(static_cast<std::size_t>(contacts) * D, 0.0), slip.assign(contacts, -1), grip.assign(contacts, 0.0);
  const auto add = [&](double bound, double constant) {
    lower.push_back(bound), q.push_back(constant);
    direction.resize(direction.size() + D, 0.0);
    return direction.data() + direction.size() - D;
  };
  for (int c = 0; c < contacts; ++c) {
    const ContactKind this_kind = kind.empty() ? ContactKind::Frictional : kind[c];
    const double load = this_kind == ContactKind::Support ? normal_impulse[c] : 0.0;
    given[static_cast<std::size_t>(c) * D] = load;
    if (this_kind == ContactKind::Bilateral)
      for (int k = 0; k < D; ++k) add(-kInfinity, 0)[k] = 1;
    if (this_kind == ContactKind::Frictional) add(0, 0)[0] = 1, grip[c] = mu[c];
    if (this_kind == ContactKind::Frictional ? mu[c] > 0 : mu[c] * load > 0) {
      for (std::size_t k = 0; k < around.size(); k += D - 1)
        std::copy_n(around.begin() + static_cast<std::ptrdiff_t>(k), D - 1, add(0, 0) + 1);
      slip[c] = size();
      add(0, mu[c] * load);
    }
    first.push_back(size());
  }
}

// Rows of friction directions: + s. Row of s: mu p_n - sum of p_k.
double PyramidLayout::structure(int contact, int row, int column) const {
  const int s = slip[contact];
  if (s < 0 || (row == s) == (column == s)) return 0;
  const int other = row == s ? column : row;
  const bool normal = other == first[contact] && grip[contact] > 0;
  if (row == s) return normal ? grip[contact] : -1;
  return normal ? 0 : 1;
}

void PyramidForm::impulses(const Eigen::VectorXd& z, std::vector<double>& r) const {
  r.assign(given.data(), given.data() + given.size());
  Eigen::Map<Eigen::VectorXd>(r.data(), given.size()).noalias() += from_unknowns * z.tail(from_unknowns.cols());
}

Eigen::VectorXd PyramidForm::impulses(const Eigen::VectorXd& z) const {
  return from_unknowns * z.tail(from_unknowns.cols()) + given;
}

// The pattern is symmetric and rows are sorted: going through the rows in order, the next block of row j is (j, i).
void PyramidBuilder::find_mirrors(const BlockMatrix& W) {
  mirror_.resize(W.column.size());
  cursor_.assign(W.row_start.begin(), W.row_start.end() - 1);
  for (int i = 0; i < W.rows(); ++i)
    for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p) mirror_[p] = cursor_[W.column[p]]++;
}

// Entries e_y . W_ab e_x of all unknowns y of the neighbours a of contact b, and the structure within b.
void PyramidBuilder::add_column(const BlockMatrix& W, int contact, int unknown) {
  const int D = W.block_size;
  const double* e_x = layout_.direction.data() + static_cast<std::size_t>(unknown) * D;
  for (int p = W.row_start[contact]; p < W.row_start[contact + 1]; ++p) {
    const int a = W.column[p];
    const double* block = W.value.data() + static_cast<std::size_t>(mirror_[p]) * D * D;
    double u[3] = {};
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) u[k] += block[k * D + l] * e_x[l];
    for (int y = layout_.first[a]; y < layout_.first[a + 1]; ++y) {
      double sum = a == contact ? layout_.structure(a, y, unknown) : 0.0;
      for (int k = 0; k < D; ++k) sum += layout_.direction[static_cast<std::size_t>(y) * D + k] * u[k];
      if (sum != 0) row_.push_back(y), value_.push_back(sum);
    }
  }
}

void PyramidBuilder::assemble_matrix(const ContactProblem& problem) {
  outer_.assign(1, 0), row_.clear(), value_.clear();
  for (int c = 0; c < problem.contacts(); ++c)
    for (int x = layout_.first[c]; x < layout_.first[c + 1]; ++x) {
      add_column(problem.W, c, x);
      outer_.push_back(static_cast<int>(row_.size()));
    }
}

void PyramidBuilder::assemble_vectors(const ContactProblem& problem, PyramidForm& form) const {
  const BlockMatrix& W = problem.W;
  const int D = W.block_size, n = layout_.size();
  AffineProblem& affine = form.problem;
  affine.q.resize(n), affine.lower.resize(n), affine.upper.setConstant(n, kInfinity);
  for (int c = 0; c < W.rows(); ++c) {
    double u[3];  // q + W r0
    for (int k = 0; k < D; ++k) {
      u[k] = problem.q[c * D + k];
      for (int p = W.row_start[c]; p < W.row_start[c + 1]; ++p)
        u[k] += W.value[static_cast<std::size_t>(p) * D * D + k * D] * layout_.given[W.column[p] * D];
    }
    for (int x = layout_.first[c]; x < layout_.first[c + 1]; ++x) {
      affine.lower[x] = layout_.lower[x];
      affine.q[x] = layout_.q[x];
      for (int k = 0; k < D; ++k) affine.q[x] += layout_.direction[static_cast<std::size_t>(x) * D + k] * u[k];
    }
  }
  form.degrees_of_freedom = 0;
  form.given = Eigen::Map<const Eigen::VectorXd>(layout_.given.data(), static_cast<Eigen::Index>(layout_.given.size()));
  form.slip_index.assign(layout_.slip.begin(), layout_.slip.end());
}

void PyramidBuilder::build(const ContactProblem& problem, int directions, PyramidForm& form, double angle) {
  layout_.lay_out(problem.dimension(), directions, angle, problem.mu, problem.kind, problem.normal_impulse);
  find_mirrors(problem.W);
  assemble_matrix(problem);
  assemble_vectors(problem, form);
  set_directions(layout_, form.from_unknowns);
  AffineProblem& affine = form.problem;
  const int n = layout_.size();
  affine.is_dense = prefers_dense(n, static_cast<Eigen::Index>(row_.size()));
  if (!affine.is_dense) return set_columns(outer_, row_, value_, n, affine.sparse);
  affine.dense.setZero(n, n);
  for (int j = 0; j < n; ++j)
    for (int p = outer_[j]; p < outer_[j + 1]; ++p) affine.dense(row_[p], j) = value_[p];
}

PyramidForm make_pyramid(const ContactProblem& problem, int directions, double angle) {
  PyramidForm form;
  PyramidBuilder().build(problem, directions, form, angle);
  return form;
}

PyramidForm make_pyramid(const GlobalContactProblem& problem, int directions, double angle) {
  PyramidLayout layout;
  layout.lay_out(problem.dimension, directions, angle, problem.mu, problem.kind, problem.normal_impulse);
  PyramidForm form;
  Sparse& G = form.from_unknowns;
  set_directions(layout, G);
  form.given = Eigen::Map<const Eigen::VectorXd>(layout.given.data(), static_cast<Eigen::Index>(layout.given.size()));

  const auto dof = static_cast<int>(problem.M.rows()), m = layout.size(), n = dof + m;
  const Sparse HG = problem.H * G, HG_transposed = HG.transpose(), G_transposed = G.transpose();
  const Sparse R = compliance_matrix(problem), compliance = G_transposed * Sparse(R * G);
  std::vector<Triplet> entries;
  for (int c = 0; c < problem.contacts(); ++c)
    for (int x = layout.first[c]; x < layout.first[c + 1]; ++x)
      for (int y = layout.first[c]; y < layout.first[c + 1]; ++y)
        if (const double value = layout.structure(c, y, x); value != 0) entries.emplace_back(dof + y, dof + x, value);
  append(entries, problem.M, 0, 0);
  append(entries, -HG, 0, dof);
  append(entries, HG_transposed, dof, 0);
  append(entries, compliance, dof, dof);
  Sparse M(n, n);
  M.setFromTriplets(entries.begin(), entries.end());
  M.prune([](Eigen::Index, Eigen::Index, double value) { return value != 0; });

  Eigen::VectorXd q(n), lower = Eigen::VectorXd::Constant(n, -kInfinity);
  q.head(dof) = -(problem.f + problem.H * form.given);
  q.tail(m) = G_transposed * (problem.w + R * form.given) + Eigen::Map<const Eigen::VectorXd>(layout.q.data(), m);
  lower.tail(m) = Eigen::Map<const Eigen::VectorXd>(layout.lower.data(), m);
  form.problem = make_box_lcp(std::move(M), std::move(q), std::move(lower), Eigen::VectorXd::Constant(n, kInfinity));
  form.degrees_of_freedom = dof;
  for (int s : layout.slip) form.slip_index.push_back(s < 0 ? -1 : s + dof);
  return form;
}

}  // namespace stickslip::complementarity
