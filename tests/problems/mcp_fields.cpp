// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The collection's discretised field problems, of any size: a membrane between two obstacles and the lubricated line
// contact of two elastic cylinders.
#include "tests/problems/mcp_collection.h"
#include "tests/problems/mcp_from_formula.h"

#include <fmt/format.h>
#include <cmath>
#include <memory>
#include <numbers>

namespace stickslip::complementarity {

Eigen::SparseMatrix<double> five_point_laplacian(int k) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) {
      const int row = i * k + j;
      entries.emplace_back(row, row, 4);
      if (i > 0) entries.emplace_back(row, row - k, -1);
      if (i + 1 < k) entries.emplace_back(row, row + k, -1);
      if (j > 0) entries.emplace_back(row, row - 1, -1);
      if (j + 1 < k) entries.emplace_back(row, row + 1, -1);
    }
  Eigen::SparseMatrix<double> A(k * k, k * k);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

// -Laplace v = 1 on the unit square, between s^3 and s^2 + 0.2 with s = sin(9.2 x) sin(9.3 y) (Ciarlet 1978);
// five-point differences, rows multiplied by h^2.
McpTestProblem obstacle_between_membranes(int k) {
  const double h = 1.0 / (k + 1);
  AffineProblem affine;
  affine.sparse = five_point_laplacian(k);
  affine.q = Eigen::VectorXd::Constant(k * k, -h * h);
  affine.lower.resize(k * k);
  affine.upper.resize(k * k);
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) {
      const int row = i * k + j;
      const double s = std::sin(9.2 * h * (i + 1)) * std::sin(9.3 * h * (j + 1));
      affine.lower[row] = s * s * s;
      affine.upper[row] = s * s + 0.2;
    }

  McpTestProblem p;
  p.name = fmt::format("obstacle2_{}", k);
  p.note = "membrane between two obstacles (affine F)";
  p.problem = to_mcp(affine);
  p.starts = {affine.lower.cwiseMax(0)};
  return p;
}

namespace {

// Elasto-hydrodynamic lubrication of a line contact (Kostreva 1984): unknowns are k (approach) and the pressures
// p_1..p_N at x_i = x_a + i dx, p_0 = p_{N+1} = 0. With film thickness H at the half points,
//
//     H_{i+1/2} = x_{i+1/2}^2 + k + 1 + (1/pi) sum_j w_j kappa(j - i - 1/2) (p_{j+1} - p_{j-1})
//     kappa(t)  = t dx ln(|t| dx),   w = (1/2, 1, .., 1, 1/2),  j = 0..N
//     G_i       = (lambda/dx) (H_{i+1/2} - H_{i-1/2}) - (Q_{i+1/2} - Q_{i-1/2}) / dx^2
//     Q_{i+1/2} = H_{i+1/2}^3 (p_{i+1} - p_i) / exp(alpha (p_{i+1} + p_i) / 2)
//     load      = 1 - (2 dx / pi) sum_i w_i p_i
struct Lubrication {
  static constexpr double kAlpha = 2.832, kLambda = 6.057, kBegin = -3, kEnd = 2;

  int N;
  double dx;
  Eigen::MatrixXd thickness;  // dH_{i+1/2} / dp_j for i = 0..N and j = 1..N

  explicit Lubrication(int size)
      : N(size), dx((kEnd - kBegin) / size), thickness(Eigen::MatrixXd::Zero(size + 1, size)) {
    for (int i = 0; i <= N; ++i)
      for (int j = 0; j <= N; ++j) {
        const double t = (j - i - 0.5) * dx;
        const double weight = (j == 0 || j == N ? 0.5 : 1.0) * t * std::log(std::abs(t)) / std::numbers::pi;
        // Difference quotient at node j: p_{j+1} - p_{j-1}, pressures with index 0 and beyond N being zero.
        if (j + 1 <= N) thickness(i, j) += weight;
        if (j - 1 >= 1) thickness(i, j - 2) -= weight;
      }
  }

  [[nodiscard]] double pressure(const Eigen::VectorXd& z, int i) const { return i >= 1 && i <= N ? z[i] : 0; }
  [[nodiscard]] double height(const Eigen::VectorXd& z, int i) const {
    const double x = kBegin + (i + 0.5) * dx;
    return x * x + z[0] + 1 + thickness.row(i).dot(z.tail(N));
  }

  bool function(const Eigen::VectorXd& z, Eigen::VectorXd& f) const {
    double load = 0, last_height = 0, last_flow = 0;
    for (int i = 0; i <= N; ++i) {
      const double p = pressure(z, i), next = pressure(z, i + 1), H = height(z, i);
      const double flow = H * H * H * (next - p) * std::exp(-kAlpha * (next + p) / 2);
      if (i >= 1) {
        load += (i == N ? 0.5 : 1.0) * p;
        f[i] = kLambda / dx * (H - last_height) - (flow - last_flow) / (dx * dx);
      }
      last_height = H;
      last_flow = flow;
    }
    f[0] = 1 - dx * 2 / std::numbers::pi * load;
    return f.allFinite();
  }

  bool jacobian(const Eigen::VectorXd& z, Eigen::SparseMatrix<double>& J) const {
    ensure_full_pattern(J, N + 1);
    Eigen::Map<Eigen::MatrixXd> A(J.valuePtr(), N + 1, N + 1);
    A.setZero();
    for (int i = 1; i <= N; ++i) A(0, i) = -dx * 2 / std::numbers::pi * (i == N ? 0.5 : 1.0);
    for (int i = 0; i <= N; ++i) {
      // The half point i + 1/2 enters row i with a plus sign and row i + 1 with a minus sign.
      const double p = pressure(z, i), next = pressure(z, i + 1), H = height(z, i);
      const double thinning = std::exp(-kAlpha * (next + p) / 2), H3 = H * H * H;
      const double by_height = kLambda / dx - 3 * H * H * (next - p) * thinning / (dx * dx);
      const double by_p = -H3 * thinning * (-1 - kAlpha / 2 * (next - p)) / (dx * dx);
      const double by_next = -H3 * thinning * (1 - kAlpha / 2 * (next - p)) / (dx * dx);
      for (const auto& [row, sign] : {std::pair{i, 1.0}, std::pair{i + 1, -1.0}}) {
        if (row < 1 || row > N) continue;
        A(row, 0) += sign * by_height;
        A.row(row).tail(N) += sign * by_height * thickness.row(i);
        if (i >= 1) A(row, i) += sign * by_p;
        if (i + 1 <= N) A(row, i + 1) += sign * by_next;
      }
    }
    return true;
  }
};

}  // namespace

McpTestProblem lubrication_line_contact(int N) {
  const auto model = std::make_shared<const Lubrication>(N);
  McpTestProblem p;
  p.name = fmt::format("ehl_kost_{}", N);
  p.note = "elasto-hydrodynamic lubrication of a line contact, dense Jacobian";
  p.problem.lower = Eigen::VectorXd::Zero(N + 1);
  p.problem.lower[0] = -kInfinity;
  p.problem.upper = Eigen::VectorXd::Constant(N + 1, kInfinity);
  p.problem.function = [model](const Eigen::VectorXd& z, Eigen::VectorXd& f) { return model->function(z, f); };
  p.problem.jacobian = [model](const Eigen::VectorXd& z, Eigen::SparseMatrix<double>& J) {
    return model->jacobian(z, J);
  };
  Eigen::VectorXd start(N + 1);
  start[0] = 1.6;
  for (int i = 1; i <= N; ++i) start[i] = std::max(0.0, 1 - std::abs((Lubrication::kBegin + 1 + i * model->dx) / 2));
  p.starts = {start};
  return p;
}

}  // namespace stickslip::complementarity
