// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/contact_mcp.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

namespace stickslip::complementarity {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

// The posed problem with its numbering: where each impulse component stands among the unknowns (-1: given).
struct Numbering {
  ContactProblem contact;
  std::vector<int> unknown_of;  // D per contact
  std::vector<int> lambda_of;   // per contact, -1 for joints

  explicit Numbering(const ContactProblem& problem) : contact(problem) {
    int next = 0;
    for (int c = 0; c < contacts(); ++c) {
      for (int k = 0; k < dimension(); ++k)
        unknown_of.push_back(k == 0 && kind(c) == ContactKind::Support ? -1 : next++);
      lambda_of.push_back(kind(c) == ContactKind::Bilateral ? -1 : next++);
    }
    size = next;
  }

  int size = 0;
  [[nodiscard]] int contacts() const { return contact.contacts(); }
  [[nodiscard]] int dimension() const { return contact.dimension(); }
  [[nodiscard]] ContactKind kind(int c) const {
    return contact.kind.empty() ? ContactKind::Frictional : contact.kind[static_cast<std::size_t>(c)];
  }
  [[nodiscard]] double mu(int c) const { return contact.mu[static_cast<std::size_t>(c)]; }
  [[nodiscard]] int unknown(int c, int k) const { return unknown_of[static_cast<std::size_t>(c * dimension() + k)]; }
  [[nodiscard]] int lambda(int c) const { return lambda_of[static_cast<std::size_t>(c)]; }
  [[nodiscard]] double impulse(const Eigen::VectorXd& x, int c, int k) const {
    const int i = unknown(c, k);
    return i >= 0 ? x[i] : contact.normal_impulse[static_cast<std::size_t>(c)];
  }
  [[nodiscard]] double block(int stored, int row, int column) const {
    const int D = dimension();
    return contact.W.value[static_cast<std::size_t>((stored * D + row) * D + column)];
  }
  // Component k of u at contact c.
  [[nodiscard]] double velocity(const Eigen::VectorXd& x, int c, int k) const {
    const BlockMatrix& W = contact.W;
    double u = contact.q[static_cast<std::size_t>(c * dimension() + k)];
    for (int s = W.row_start[static_cast<std::size_t>(c)]; s < W.row_start[static_cast<std::size_t>(c) + 1]; ++s)
      for (int j = 0; j < dimension(); ++j) u += block(s, k, j) * impulse(x, W.column[static_cast<std::size_t>(s)], j);
    return u;
  }
  // Adds `factor` times the derivative of velocity(c, k) to a row.
  void add_velocity_row(int c, int k, double factor, int row, Triplets& entries) const {
    const BlockMatrix& W = contact.W;
    for (int s = W.row_start[static_cast<std::size_t>(c)]; s < W.row_start[static_cast<std::size_t>(c) + 1]; ++s)
      for (int j = 0; j < dimension(); ++j)
        if (const int i = unknown(W.column[static_cast<std::size_t>(s)], j); i >= 0)
          entries.emplace_back(row, i, factor * block(s, k, j));
  }
};

void evaluate(const Numbering& p, const Eigen::VectorXd& x, Eigen::VectorXd& f) {
  for (int c = 0; c < p.contacts(); ++c) {
    if (p.kind(c) == ContactKind::Bilateral) {
      for (int k = 0; k < p.dimension(); ++k) f[p.unknown(c, k)] = p.velocity(x, c, k);
      continue;
    }
    const double r_n = p.impulse(x, c, 0), lambda = x[p.lambda(c)], radius = p.mu(c) * r_n;
    if (p.unknown(c, 0) >= 0) f[p.unknown(c, 0)] = p.velocity(x, c, 0);
    double slack = radius * radius;
    for (int k = 1; k < p.dimension(); ++k) {
      const double r_t = p.impulse(x, c, k);
      f[p.unknown(c, k)] = radius * p.velocity(x, c, k) + lambda * r_t;
      slack -= r_t * r_t;
    }
    f[p.lambda(c)] = slack;
  }
}

void differentiate(const Numbering& p, const Eigen::VectorXd& x, Triplets& entries) {
  entries.clear();
  for (int c = 0; c < p.contacts(); ++c) {
    if (p.kind(c) == ContactKind::Bilateral) {
      for (int k = 0; k < p.dimension(); ++k) p.add_velocity_row(c, k, 1, p.unknown(c, k), entries);
      continue;
    }
    const int normal = p.unknown(c, 0), slack_row = p.lambda(c);
    const double mu = p.mu(c), r_n = p.impulse(x, c, 0), lambda = x[slack_row];
    if (normal >= 0) {
      p.add_velocity_row(c, 0, 1, normal, entries);
      entries.emplace_back(slack_row, normal, 2 * mu * mu * r_n);
    }
    for (int k = 1; k < p.dimension(); ++k) {
      const int row = p.unknown(c, k);
      p.add_velocity_row(c, k, mu * r_n, row, entries);
      if (normal >= 0) entries.emplace_back(row, normal, mu * p.velocity(x, c, k));
      entries.emplace_back(row, row, lambda);
      entries.emplace_back(row, slack_row, x[row]);
      entries.emplace_back(slack_row, row, -2 * x[row]);
    }
  }
}

}  // namespace

ContactMcp to_mcp(const ContactProblem& contact) {
  const auto numbering = std::make_shared<const Numbering>(contact);
  ContactMcp mcp;
  McpProblem& problem = mcp.problem;
  problem.lower = Eigen::VectorXd::Constant(numbering->size, -kInfinity);
  problem.upper = Eigen::VectorXd::Constant(numbering->size, kInfinity);
  for (int c = 0; c < numbering->contacts(); ++c) {
    mcp.offset.push_back(std::max(numbering->unknown(c, 0), 0));
    if (numbering->unknown(c, 0) < 0) mcp.offset.back() = numbering->unknown(c, 1);
    if (numbering->lambda(c) < 0) continue;
    problem.lower[numbering->lambda(c)] = 0;
    if (numbering->unknown(c, 0) >= 0) problem.lower[numbering->unknown(c, 0)] = 0;
  }
  mcp.offset.push_back(numbering->size);
  problem.function = [numbering](const Eigen::VectorXd& x, Eigen::VectorXd& f) {
    evaluate(*numbering, x, f);
    return f.allFinite();
  };
  problem.jacobian = [numbering](const Eigen::VectorXd& x, Eigen::SparseMatrix<double>& J) {
    Triplets entries;
    differentiate(*numbering, x, entries);
    J.resize(numbering->size, numbering->size);
    J.setFromTriplets(entries.begin(), entries.end());
    return true;
  };
  return mcp;
}

Eigen::VectorXd ContactMcp::unknowns(const ContactProblem& contact, const std::vector<double>& r) const {
  const Numbering p(contact);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(p.size);
  for (int c = 0; c < p.contacts(); ++c)
    for (int k = 0; k < p.dimension(); ++k)
      if (const int i = p.unknown(c, k); i >= 0) x[i] = r[static_cast<std::size_t>(c * p.dimension() + k)];
  for (int c = 0; c < p.contacts(); ++c) {
    if (p.lambda(c) < 0) continue;
    double slip = 0;
    for (int k = 1; k < p.dimension(); ++k) slip = std::hypot(slip, p.velocity(x, c, k));
    x[p.lambda(c)] = slip;
  }
  return x;
}

std::vector<double> ContactMcp::impulses(const ContactProblem& contact, const Eigen::VectorXd& x) const {
  const Numbering p(contact);
  const auto D = static_cast<std::size_t>(p.dimension());
  std::vector<double> r(D * static_cast<std::size_t>(p.contacts()));
  for (int c = 0; c < p.contacts(); ++c) {
    double* block = r.data() + D * static_cast<std::size_t>(c);
    double tangential = 0;
    for (int k = 0; k < p.dimension(); ++k) {
      block[k] = p.impulse(x, c, k);
      if (k > 0) tangential = std::hypot(tangential, block[k]);
    }
    if (p.kind(c) == ContactKind::Bilateral) continue;
    const double radius = p.mu(c) * block[0];
    if (tangential <= radius) continue;
    for (int k = 1; k < p.dimension(); ++k) block[k] *= radius / tangential;
  }
  return r;
}

}  // namespace stickslip::complementarity
