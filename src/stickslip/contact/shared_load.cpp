// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/shared_load.h"

#include <algorithm>
#include <cmath>

namespace stickslip::contact {

using Eigen::Index;

namespace {

constexpr double kIndependent = 1e-10;  // pivots of a Cholesky factor, which are squares
constexpr double kVelocityNoise = 4e-12;
constexpr int kFewColumns = 12;  // for a look at their products

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// u = W r + q; returns the largest of what meets in a component.
template <int D>
double find_velocities(const complementarity::ContactProblem& problem, const double* r, double* u) {
  const complementarity::BlockMatrix& W = problem.W;
  double scale = 0;
  for (int c = 0; c < problem.contacts(); ++c) {
    double sum[D];
    for (int k = 0; k < D; ++k) sum[k] = problem.q[at(c * D + k)];
    for (int b = W.row_start[at(c)]; b < W.row_start[at(c + 1)]; ++b) {
      const double *block = W.value.data() + at(b * D * D), *r_b = r + W.column[at(b)] * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) sum[k] += block[k * D + l] * r_b[l];
    }
    std::copy(sum, sum + D, u + c * D);
    const double* own = W.value.data() + at(W.diagonal[at(c)] * D * D);
    for (int k = 0; k < D; ++k)
      scale = std::max(scale, std::fabs(problem.q[at(c * D + k)]) + own[k * D + k] * std::fabs(r[c * D + k]));
  }
  return scale;
}

}  // namespace

// Which contacts are closed, and how, by the velocities u = W r + q.
void SharedLoad::classify(const Island& island) {
  const complementarity::ContactProblem& problem = island.problem;
  const int D = problem.dimension(), contacts = problem.contacts();
  u_.resize(problem.q.size());
  const double scale = D == 2 ? find_velocities<2>(problem, island.r.data(), u_.data())
                              : find_velocities<3>(problem, island.r.data(), u_.data());
  const double noise = scale * std::max(kVelocityNoise, 10 * island.summary.residual.error);
  double most = 0;
  for (const double r : island.r) most = std::max(most, std::fabs(r));
  closed.clear();
  tangents = D - 1;
  Index column = 0;
  for (int c = 0; c < contacts; ++c) {
    const double *u = u_.data() + c * D, *r = island.r.data() + c * D;
    if (!(r[0] > 0) && u[0] > noise) continue;
    Closed one;
    one.contact = c;
    one.mu = problem.mu[at(c)];
    one.direction[0] = 1;
    double slip = 0;
    for (int k = 1; k < D; ++k) slip += u[k] * u[k];
    slip = std::sqrt(slip);
    one.sticks = slip <= noise;
    if (one.sticks) {
      if (one.mu > 0) one.first = column, column += tangents;
    } else {
      // As the solver has it, so that its own impulses are among those that are compared.
      for (int k = 1; k < D; ++k) one.direction[k] = r[0] > 1e-6 * most ? r[k] / r[0] : -one.mu * u[k] / slip;
    }
    closed.push_back(one);
  }
}

void SharedLoad::set(const Island& island, std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics) {
  classify(island);
  add_columns(island, rows, dynamics);
}

void SharedLoad::add_columns(const Island& island, std::span<const ContactRows> rows,
                             std::span<const BodyDynamics> dynamics) {
  const int D = island.problem.dimension();
  // Free degrees of freedom of the bodies, in the order of the contacts that touch them.
  first_of_body_.assign(dynamics.size(), -1);
  int freedoms = 0;
  double arm = 0;
  const auto axes_of = [&](const BodyDynamics& body) {
    int count = 0;
    for (int k = 0; k < 3; ++k) count += (body.inverse_mass[k] > 0) + (body.inverse_inertia(k, k) > 0);
    return count;
  };
  for (const Closed& one : closed) {
    const ContactRows& row = rows[at(island.contacts[at(one.contact)])];
    for (const int b : {row.a, row.b}) {
      const BodyDynamics& body = dynamics[at(b)];
      if (!body.movable || first_of_body_[at(b)] >= 0) continue;
      first_of_body_[at(b)] = freedoms;
      freedoms += axes_of(body);
    }
    for (int k = 0; k < D; ++k) {
      if (dynamics[at(row.a)].movable) arm = std::max(arm, row.moment_a[k].norm());
      if (dynamics[at(row.b)].movable) arm = std::max(arm, row.moment_b[k].norm());
    }
  }
  const double per_arm = arm > 0 ? 1 / arm : 0;
  const auto add = [&](const ContactRows& row, int k, double weight, auto&& column) {
    for (const bool first : {true, false}) {
      const auto b = at(first ? row.a : row.b);
      const BodyDynamics& body = dynamics[b];
      if (!body.movable) continue;
      const double sign = first ? weight : -weight;
      const Vec3& moment = first ? row.moment_a[k] : row.moment_b[k];
      Index i = first_of_body_[b];
      for (int axis = 0; axis < 3; ++axis)
        if (body.inverse_mass[axis] > 0) column[i++] += sign * row.direction[k][axis];
      for (int axis = 0; axis < 3; ++axis)
        if (body.inverse_inertia(axis, axis) > 0) column[i++] += sign * per_arm * moment[axis];
    }
  };
  normal.setZero(freedoms, static_cast<Index>(closed.size()));
  Index columns = 0;
  for (const Closed& one : closed)
    if (one.first >= 0) columns = one.first + tangents;
  tangential.setZero(freedoms, columns);
  load.setZero(freedoms);
  for (std::size_t i = 0; i < closed.size(); ++i) {
    const Closed& one = closed[i];
    const ContactRows& row = rows[at(island.contacts[at(one.contact)])];
    const double* r = island.r.data() + one.contact * D;
    auto column = normal.col(static_cast<Index>(i));
    for (int k = 0; k < D; ++k) {
      if (one.direction[k] != 0) add(row, k, one.direction[k], column);
      add(row, k, r[k], load);
      if (k > 0 && one.first >= 0) add(row, k, 1, tangential.col(one.first + k - 1));
    }
  }
}

bool SharedLoad::independent() {
  const Index n = normal.rows(), a = normal.cols(), m = a + tangential.cols();
  if (m > n) return false;
  gram_.resize(m, m);
  const auto column = [&](Index k) { return k < a ? normal.col(k) : tangential.col(k - a); };
  for (Index j = 0; j < m; ++j)
    for (Index i = j; i < m; ++i) gram_(i, j) = column(i).dot(column(j));
  for (Index j = 0; j < m; ++j) {  // Cholesky, with a look at the pivots
    const double own = gram_(j, j);
    double pivot = own;
    for (Index k = 0; k < j; ++k) pivot -= gram_(j, k) * gram_(j, k);
    if (!(pivot > kIndependent * own)) return false;
    const double root = std::sqrt(pivot);
    gram_(j, j) = root;
    for (Index i = j + 1; i < m; ++i) {
      double sum = gram_(i, j);
      for (Index k = 0; k < j; ++k) sum -= gram_(i, k) * gram_(j, k);
      gram_(i, j) = sum / root;
    }
  }
  return true;
}

// Elimination without exchanges of X' W X, with the columns of closed contacts in X: N along `direction`, then t. Where
// velocities are those along other rows W is not symmetric, but it is singular where columns depend on each other.
template <int D>
bool SharedLoad::products_are_regular(const Island& island) const {
  const complementarity::BlockMatrix& W = island.problem.W;
  double products[kFewColumns][kFewColumns], own[kFewColumns];
  const bool full = W.column.size() == at(W.rows() * W.rows());
  int row = 0;
  for (const Closed& one : closed) {
    const int begin = W.row_start[at(one.contact)], end = W.row_start[at(one.contact + 1)];
    const int rows = one.first >= 0 ? D : 1;
    int column = 0;
    for (const Closed& other : closed) {
      const int cols = other.first >= 0 ? D : 1;
      int p = begin + other.contact;
      if (!full)
        for (p = begin; p < end && W.column[at(p)] != other.contact;) ++p;
      const double* block = W.value.data() + at(p * D * D);
      for (int l = 0; l < cols; ++l) {
        double along[D] = {};  // block X of the other
        if (p < end)
          for (int k = 0; k < D; ++k) {
            along[k] = block[k * D + l];
            if (!other.sticks)
              for (int m = 1; m < D; ++m) along[k] += block[k * D + m] * other.direction[m];
          }
        products[row][column + l] = along[0];
        if (!one.sticks)
          for (int k = 1; k < D; ++k) products[row][column + l] += one.direction[k] * along[k];
        for (int k = 1; k < rows; ++k) products[row + k][column + l] = along[k];
      }
      column += cols;
    }
    row += rows;
  }
  const int columns = row;
  for (int j = 0; j < columns; ++j) own[j] = products[j][j];
  for (int j = 0; j < columns; ++j) {
    if (!(products[j][j] > kIndependent * own[j])) return false;
    const double inverse = 1 / products[j][j];
    for (int i = j + 1; i < columns; ++i) {
      const double factor = products[i][j] * inverse;
      for (int k = j + 1; k < columns; ++k) products[i][k] -= factor * products[j][k];
    }
  }
  return true;
}

bool SharedLoad::surely_independent(const Island& island) const {
  if (island.bodies.size() != at(island.problem.contacts())) return false;
  int columns = 0;
  bool one_body = true;  // alone, on bodies that do not answer
  for (const Closed& one : closed) {
    columns += one.first >= 0 ? 1 + tangents : 1;
    one_body = one_body && island.bodies[at(one.contact)] == island.bodies[at(closed[0].contact)];
  }
  if (columns > kFewColumns || (one_body && columns > 3 * tangents)) return false;
  return tangents == 1 ? products_are_regular<2>(island) : products_are_regular<3>(island);
}

}  // namespace stickslip::contact
