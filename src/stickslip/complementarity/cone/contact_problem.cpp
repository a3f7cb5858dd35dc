// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/contact_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stickslip::complementarity {
namespace {

// Index of the first entry that is NaN or infinite, or -1.
std::ptrdiff_t first_not_finite(const double* x, std::size_t n) {
  // 0 * inf and 0 * NaN are NaN: one pass with independent sums decides the usual case.
  double sum[4] = {};
  std::size_t done = 0;
  for (; done + 4 <= n; done += 4)
    for (int k = 0; k < 4; ++k) sum[k] += 0.0 * x[done + k];
  for (; done < n; ++done) sum[0] += 0.0 * x[done];
  if (sum[0] + sum[1] + sum[2] + sum[3] == 0) return -1;
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(x[i])) return static_cast<std::ptrdiff_t>(i);
  return -1;
}

std::string check_finite(const char* name, const double* x, std::size_t n) {
  const auto bad = first_not_finite(x, n);
  return bad < 0 ? std::string() : fmt::format("{}: entry {} is {}", name, bad, x[bad]);
}

// Sizes and values of what both forms share: friction, kinds, given normal impulses.
std::string check_contacts(const std::vector<double>& mu, const std::vector<ContactKind>& kind,
                           const std::vector<double>& normal_impulse, std::size_t contacts) {
  if (mu.size() != contacts) return fmt::format("mu has {} entries for {} contacts", mu.size(), contacts);
  if (!kind.empty() && kind.size() != contacts)
    return fmt::format("kind has {} entries for {} contacts", kind.size(), contacts);
  if (!normal_impulse.empty() && normal_impulse.size() != contacts)
    return fmt::format("normal_impulse has {} entries for {} contacts", normal_impulse.size(), contacts);
  for (std::size_t c = 0; c < contacts; ++c) {
    if (!(mu[c] >= 0) || !std::isfinite(mu[c]))
      return fmt::format("mu: contact {} has {}, expected a number >= 0", c, mu[c]);
    if (kind.empty() || kind[c] != ContactKind::Support) continue;
    if (normal_impulse.empty()) return fmt::format("contact {} is a support without a normal_impulse", c);
    if (!(normal_impulse[c] >= 0) || !std::isfinite(normal_impulse[c]))
      return fmt::format("normal_impulse: support {} has {}, expected a number >= 0", c, normal_impulse[c]);
  }
  return {};
}

std::string check_row_starts(const BlockMatrix& W) {
  const auto n = static_cast<std::size_t>(W.rows());
  if (W.block_size != 2 && W.block_size != 3)
    return fmt::format("W: block size {} (expected 2 for planar, 3 for spatial contacts)", W.block_size);
  if (W.row_start.size() != n + 1 || W.row_start[0] != 0)
    return fmt::format("W: {} row starts for {} block rows", W.row_start.size(), n);
  const auto stored = W.column.size();
  for (std::size_t i = 0; i < n; ++i)
    if (W.row_start[i + 1] < W.row_start[i] || static_cast<std::size_t>(W.row_start[i + 1]) > stored)
      return fmt::format("W: row starts do not ascend at block row {}", i);
  if (static_cast<std::size_t>(W.row_start[n]) != stored)
    return fmt::format("W: row starts end at {}, {} blocks are stored", W.row_start[n], stored);
  const auto entries = stored * static_cast<std::size_t>(W.block_size * W.block_size);
  if (W.value.size() != entries) return fmt::format("W: {} values, expected {}", W.value.size(), entries);
  return {};
}

std::string check_columns(const BlockMatrix& W) {
  const int n = W.rows();
  for (int i = 0; i < n; ++i) {
    for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p) {
      if (W.column[p] < 0 || W.column[p] >= n)
        return fmt::format("W: block row {} names column {} of {}", i, W.column[p], n);
      if (p > W.row_start[i] && W.column[p] <= W.column[p - 1])
        return fmt::format("W: columns of block row {} do not ascend", i);
    }
    const int d = W.diagonal[i];
    if (d < W.row_start[i] || d >= W.row_start[i + 1] || W.column[d] != i)
      return fmt::format("W: diagonal block of row {} is missing or wrongly indexed", i);
  }
  return {};
}

// Rows are visited in ascending order, so the next unmatched entry of row j must name exactly the row that names j.
std::string check_symmetric_pattern(const BlockMatrix& W, std::vector<int>& cursor) {
  cursor.assign(W.row_start.begin(), W.row_start.end() - 1);
  for (int i = 0; i < W.rows(); ++i)
    for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p) {
      const int j = W.column[p];
      if (cursor[j] >= W.row_start[j + 1] || W.column[cursor[j]++] != i)
        return fmt::format("W: the block pattern is not symmetric at ({}, {})", i, j);
    }
  return {};
}

}  // namespace

std::string validate(const ContactProblem& problem) {
  std::vector<int> workspace;
  return validate(problem, workspace);
}

std::string validate(const ContactProblem& problem, std::vector<int>& workspace) {
  const auto n = static_cast<std::size_t>(problem.contacts());
  if (auto text = check_row_starts(problem.W); !text.empty()) return text;
  if (auto text = check_columns(problem.W); !text.empty()) return text;
  if (auto text = check_symmetric_pattern(problem.W, workspace); !text.empty()) return text;
  const auto unknowns = n * static_cast<std::size_t>(problem.dimension());
  if (problem.q.size() != unknowns) return fmt::format("q has {} entries, expected {}", problem.q.size(), unknowns);
  if (auto text = check_finite("W", problem.W.value.data(), problem.W.value.size()); !text.empty()) return text;
  if (auto text = check_finite("q", problem.q.data(), problem.q.size()); !text.empty()) return text;
  return check_contacts(problem.mu, problem.kind, problem.normal_impulse, n);
}

std::string validate(const GlobalContactProblem& problem) {
  const int D = problem.dimension;
  const auto contacts = static_cast<std::size_t>(problem.contacts());
  const auto unknowns = static_cast<Eigen::Index>(contacts) * D;
  const auto dofs = problem.M.rows();
  if (D != 2 && D != 3) return fmt::format("dimension is {}, expected 2 or 3", D);
  if (problem.M.cols() != dofs) return fmt::format("M is {} x {}, expected square", dofs, problem.M.cols());
  if (problem.H.rows() != dofs || problem.H.cols() != unknowns)
    return fmt::format("H is {} x {}, expected {} x {}", problem.H.rows(), problem.H.cols(), dofs, unknowns);
  if (problem.f.size() != dofs) return fmt::format("f has {} entries, expected {}", problem.f.size(), dofs);
  if (problem.w.size() != unknowns) return fmt::format("w has {} entries, expected {}", problem.w.size(), unknowns);
  const auto expected = contacts * static_cast<std::size_t>(D * D);
  if (!problem.compliance.empty() && problem.compliance.size() != expected)
    return fmt::format("compliance has {} entries, expected {}", problem.compliance.size(), expected);
  if (!problem.M.isCompressed() || !problem.H.isCompressed()) return "M and H must be compressed";
  const auto check = [](const char* name, const double* x, Eigen::Index n) {
    return check_finite(name, x, static_cast<std::size_t>(n));
  };
  if (auto text = check("M", problem.M.valuePtr(), problem.M.nonZeros()); !text.empty()) return text;
  if (auto text = check("H", problem.H.valuePtr(), problem.H.nonZeros()); !text.empty()) return text;
  if (auto text = check("f", problem.f.data(), problem.f.size()); !text.empty()) return text;
  if (auto text = check("w", problem.w.data(), problem.w.size()); !text.empty()) return text;
  if (auto text = check_finite("compliance", problem.compliance.data(), problem.compliance.size()); !text.empty())
    return text;
  return check_contacts(problem.mu, problem.kind, problem.normal_impulse, contacts);
}

BlockMatrix make_block_matrix(const Eigen::SparseMatrix<double>& W, int block_size) {
  const int D = block_size;
  assert(W.rows() == W.cols() && W.rows() % D == 0);
  const int n = static_cast<int>(W.rows()) / D;

  // Which block columns each block row needs: the pattern of W, of its transpose, and the diagonal.
  std::vector<std::pair<int, int>> pattern;
  for (int i = 0; i < n; ++i) pattern.emplace_back(i, i);
  for (int col = 0; col < W.outerSize(); ++col)
    for (Eigen::SparseMatrix<double>::InnerIterator it(W, col); it; ++it) {
      const int i = static_cast<int>(it.row()) / D, j = col / D;
      if (it.value() == 0 || i == j) continue;
      pattern.emplace_back(i, j);
      pattern.emplace_back(j, i);
    }
  std::sort(pattern.begin(), pattern.end());
  pattern.erase(std::unique(pattern.begin(), pattern.end()), pattern.end());

  BlockMatrix B;
  B.block_size = D;
  B.row_start.assign(static_cast<std::size_t>(n) + 1, 0);
  B.diagonal.resize(static_cast<std::size_t>(n));
  B.column.reserve(pattern.size());
  for (const auto& [i, j] : pattern) {
    if (i == j) B.diagonal[i] = static_cast<int>(B.column.size());
    B.column.push_back(j);
    B.row_start[i + 1] = static_cast<int>(B.column.size());
  }
  B.value.assign(pattern.size() * static_cast<std::size_t>(D * D), 0.0);
  for (int col = 0; col < W.outerSize(); ++col)
    for (Eigen::SparseMatrix<double>::InnerIterator it(W, col); it; ++it) {
      if (it.value() == 0) continue;
      const int i = static_cast<int>(it.row()) / D, j = col / D;
      const auto first = B.column.begin() + B.row_start[i], last = B.column.begin() + B.row_start[i + 1];
      const auto block = std::lower_bound(first, last, j) - B.column.begin();
      B.value[block * D * D + (it.row() % D) * D + col % D] += it.value();
    }
  return B;
}

void add_compliance(ContactProblem& problem, const std::vector<double>& compliance) {
  const auto entries = static_cast<std::size_t>(problem.dimension() * problem.dimension());
  assert(compliance.size() == entries * static_cast<std::size_t>(problem.contacts()));
  for (std::size_t c = 0; c < static_cast<std::size_t>(problem.contacts()); ++c) {
    double* block = problem.W.value.data() + static_cast<std::size_t>(problem.W.diagonal[c]) * entries;
    for (std::size_t k = 0; k < entries; ++k) block[k] += compliance[c * entries + k];
  }
}

}  // namespace stickslip::complementarity
