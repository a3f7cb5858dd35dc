// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/reduction.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {

using Sparse = Eigen::SparseMatrix<double>;

bool Reduction::reduce(const GlobalContactProblem& problem) {
  find_bodies(problem);
  sparse_ = largest_body_ > kLargeBody;
  if (sparse_) {
    if (!reduce_by_sparse_lu(problem)) return false;
  } else {
    if (!invert_bodies(problem)) return false;
    local_.W.block_size = problem.dimension;
    collect_touches(problem);
    build_pattern(problem.contacts());
    sum_blocks();
  }
  finish(problem);
  return true;
}

void Reduction::find_bodies(const GlobalContactProblem& problem) {
  const Sparse& M = problem.M;
  const int n = static_cast<int>(M.rows());
  root_.resize(n), body_of_.resize(n), row_in_body_.resize(n);
  for (int i = 0; i < n; ++i) root_[i] = i;
  const auto find = [this](int i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  };
  for (int j = 0; j < n; ++j)
    for (Sparse::InnerIterator it(M, j); it; ++it) {
      const int a = find(static_cast<int>(it.row())), b = find(j);
      if (it.value() != 0 && a != b) root_[std::max(a, b)] = std::min(a, b);
    }
  body_start_.assign(1, 0);
  for (int i = 0; i < n; ++i) {
    if (root_[i] == i)
      body_of_[i] = static_cast<int>(body_start_.size()) - 1, body_start_.push_back(0);
    else
      body_of_[i] = body_of_[find(i)];
    row_in_body_[i] = body_start_[body_of_[i] + 1]++;
  }
  largest_body_ = 0;
  for (std::size_t b = 1; b < body_start_.size(); ++b) {
    largest_body_ = std::max(largest_body_, body_start_[b]);
    body_start_[b] += body_start_[b - 1];
  }
  body_row_.resize(n);
  for (int i = 0; i < n; ++i) body_row_[body_start_[body_of_[i]] + row_in_body_[i]] = i;
}

bool Reduction::invert_bodies(const GlobalContactProblem& problem) {
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kLargeBody, kLargeBody>;
  const int bodies = static_cast<int>(body_start_.size()) - 1;
  inverse_start_.resize(bodies + 1);
  inverse_start_[0] = 0;
  for (int b = 0; b < bodies; ++b) {
    const std::size_t size = body_start_[b + 1] - body_start_[b];
    inverse_start_[b + 1] = inverse_start_[b] + size * size;
  }
  inverse_.resize(inverse_start_[bodies]);
  for (int b = 0; b < bodies; ++b) {
    const int size = body_start_[b + 1] - body_start_[b];
    Block block = Block::Zero(size, size);
    for (int k = 0; k < size; ++k)
      for (Sparse::InnerIterator it(problem.M, body_row_[body_start_[b] + k]); it; ++it)
        if (it.value() != 0) block(row_in_body_[it.row()], k) = it.value();
    const Eigen::PartialPivLU<Block> lu(block);
    const double smallest = lu.matrixLU().diagonal().cwiseAbs().minCoeff();
    if (!(smallest > 0)) return false;
    const Block inverse = lu.inverse();
    if (!inverse.allFinite()) return false;
    std::copy_n(inverse.data(), static_cast<std::size_t>(size) * size, inverse_.data() + inverse_start_[b]);
  }
  return true;
}

// Which contacts touch which bodies, with the blocks of H and of M^-1 H.
void Reduction::collect_touches(const GlobalContactProblem& problem) {
  const int D = problem.dimension, bodies = static_cast<int>(body_start_.size()) - 1, contacts = problem.contacts();
  touch_count_.assign(bodies + 1, 0);
  mark_.assign(bodies, -1);
  const auto for_each_touch = [&](auto&& visit) {
    for (int c = 0; c < contacts; ++c)
      for (int k = 0; k < D; ++k)
        for (Sparse::InnerIterator it(problem.H, c * D + k); it; ++it)
          if (it.value() != 0) visit(c, k, body_of_[it.row()], row_in_body_[it.row()], it.value());
  };
  for_each_touch([&](int c, int, int body, int, double) {
    if (mark_[body] != c) mark_[body] = c, ++touch_count_[body + 1];
  });
  touch_start_.resize(bodies + 1);
  touch_start_[0] = 0;
  for (int b = 0; b < bodies; ++b) touch_start_[b + 1] = touch_start_[b] + touch_count_[b + 1];
  touch_.resize(touch_start_[bodies]), touch_body_.resize(touch_start_[bodies]);
  int values = 0;
  for (int b = 0; b < bodies; ++b)
    for (int t = touch_start_[b]; t < touch_start_[b + 1]; ++t) {
      touch_[t].first = values;
      touch_body_[t] = b;
      values += 2 * D * (body_start_[b + 1] - body_start_[b]);
    }
  touch_value_.assign(values, 0.0);
  std::fill(mark_.begin(), mark_.end(), -1);
  std::copy_n(touch_start_.begin(), bodies, touch_count_.begin());  // next free touch of each body
  for_each_touch([&](int c, int k, int body, int row, double value) {
    if (mark_[body] != c) mark_[body] = c, touch_[touch_count_[body]++].contact = c;
    const int size = body_start_[body + 1] - body_start_[body];
    touch_value_[touch_[touch_count_[body] - 1].first + k * size + row] += value;
  });
  for (std::size_t t = 0; t < touch_.size(); ++t) {
    const int b = touch_body_[t], size = body_start_[b + 1] - body_start_[b];
    const double* inverse = inverse_.data() + inverse_start_[b];
    const double* H = touch_value_.data() + touch_[t].first;
    double* out = touch_value_.data() + touch_[t].first + D * size;
    for (int k = 0; k < D; ++k)
      for (int j = 0; j < size; ++j)
        for (int i = 0; i < size; ++i) out[k * size + i] += inverse[j * size + i] * H[k * size + j];
  }
}

// Contacts are neighbours when they touch a common body.
void Reduction::build_pattern(int contacts) {
  BlockMatrix& W = local_.W;
  contact_touch_start_.assign(contacts + 1, 0);
  for (const Touch& t : touch_) ++contact_touch_start_[t.contact + 1];
  for (int c = 0; c < contacts; ++c) contact_touch_start_[c + 1] += contact_touch_start_[c];
  contact_touch_.resize(touch_.size());
  touch_count_.assign(contact_touch_start_.begin(), contact_touch_start_.end());
  for (std::size_t t = 0; t < touch_.size(); ++t)
    contact_touch_[touch_count_[touch_[t].contact]++] = static_cast<int>(t);

  W.row_start.assign(1, 0), W.column.clear(), W.diagonal.resize(contacts);
  mark_.assign(contacts, -1);
  for (int c = 0; c < contacts; ++c) {
    mark_[c] = c;
    W.column.push_back(c);
    for (int k = contact_touch_start_[c]; k < contact_touch_start_[c + 1]; ++k) {
      const int b = touch_body_[contact_touch_[k]];
      for (int t = touch_start_[b]; t < touch_start_[b + 1]; ++t) {
        const int other = touch_[t].contact;
        if (mark_[other] != c) mark_[other] = c, W.column.push_back(other);
      }
    }
    std::sort(W.column.begin() + W.row_start[c], W.column.end());
    W.diagonal[c] =
        static_cast<int>(std::lower_bound(W.column.begin() + W.row_start[c], W.column.end(), c) - W.column.begin());
    W.row_start.push_back(static_cast<int>(W.column.size()));
  }
}

void Reduction::sum_blocks() {
  BlockMatrix& W = local_.W;
  const int D = W.block_size, contacts = W.rows();
  W.value.assign(W.column.size() * D * D, 0.0);
  mark_.resize(contacts);
  for (int c = 0; c < contacts; ++c) {
    for (int p = W.row_start[c]; p < W.row_start[c + 1]; ++p) mark_[W.column[p]] = p;
    for (int k = contact_touch_start_[c]; k < contact_touch_start_[c + 1]; ++k) {
      const int mine = contact_touch_[k], b = touch_body_[mine], size = body_start_[b + 1] - body_start_[b];
      const double* H = touch_value_.data() + touch_[mine].first;
      for (int t = touch_start_[b]; t < touch_start_[b + 1]; ++t) {
        const double* MH = touch_value_.data() + touch_[t].first + D * size;
        double* block = W.value.data() + static_cast<std::size_t>(mark_[touch_[t].contact]) * D * D;
        for (int i = 0; i < D; ++i)
          for (int j = 0; j < D; ++j)
            for (int l = 0; l < size; ++l) block[i * D + j] += H[i * size + l] * MH[j * size + l];
      }
    }
  }
}

bool Reduction::reduce_by_sparse_lu(const GlobalContactProblem& problem) {
  if (!lu_) lu_ = std::make_unique<Eigen::SparseLU<Sparse>>();
  lu_->compute(problem.M);
  if (lu_->info() != Eigen::Success) return false;
  const Sparse H_t = problem.H.transpose();
  const Sparse MH = lu_->solve(problem.H);
  const Sparse W = H_t * MH;
  local_.W = make_block_matrix(W, problem.dimension);
  return true;
}

void Reduction::apply_inverse(const Eigen::VectorXd& x, Eigen::VectorXd& out) {
  if (sparse_) {
    out = lu_->solve(x);
    return;
  }
  out.setZero(x.size());
  for (std::size_t b = 0; b + 1 < body_start_.size(); ++b) {
    const int size = body_start_[b + 1] - body_start_[b];
    const int* row = body_row_.data() + body_start_[b];
    const double* inverse = inverse_.data() + inverse_start_[b];
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) out[row[i]] += inverse[j * size + i] * x[row[j]];
  }
}

void Reduction::finish(const GlobalContactProblem& problem) {
  apply_inverse(problem.f, free_velocity_);
  local_.q.resize(problem.w.size());
  Eigen::Map<Eigen::VectorXd> q(local_.q.data(), problem.w.size());
  q = problem.w;
  q.noalias() += problem.H.transpose() * free_velocity_;
  local_.mu = problem.mu;
  local_.kind = problem.kind;
  local_.normal_impulse = problem.normal_impulse;
  if (!problem.compliance.empty()) add_compliance(local_, problem.compliance);

  const int D = problem.dimension;
  block_trace_.assign(problem.contacts(), 0.0);
  for (int c = 0; c < problem.contacts(); ++c)
    for (int k = 0; k < D; ++k)
      block_trace_[c] += std::fabs(local_.W.value[(static_cast<std::size_t>(local_.W.diagonal[c]) * D + k) * D + k]);
}

void Reduction::velocities(const GlobalContactProblem& problem, const std::vector<double>& r, Eigen::VectorXd& v) {
  forces_ = problem.f;
  forces_.noalias() += problem.H * Eigen::Map<const Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(r.size()));
  apply_inverse(forces_, v);
}

}  // namespace stickslip::complementarity
