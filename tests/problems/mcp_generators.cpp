// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "tests/problems/mcp_generators.h"

#include "tests/problems/mcp_from_formula.h"

#include <fmt/format.h>
#include <cmath>
#include <memory>
#include <random>

namespace stickslip::complementarity {
namespace {

// std::mt19937 is the same everywhere, the standard distributions are not: numbers are made from its bits.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low = 0, double high = 1) { return low + (high - low) * (engine_() / 4294967296.0); }
  double symmetric() { return uniform(-1, 1); }

 private:
  std::mt19937 engine_;
};

struct Model {
  Eigen::MatrixXd A;
  Eigen::VectorXd c, solution, w;
  Eigen::VectorXd row_unit, unknown_unit;  // x = unknown_unit y, F = row_unit G(y)

  bool function(const Eigen::VectorXd& x, Eigen::VectorXd& f) const {
    const Eigen::VectorXd y = x.cwiseQuotient(unknown_unit);
    f = A * (y - solution) + w;
    for (Eigen::Index i = 0; i < y.size(); ++i) f[i] += c[i] * (std::pow(y[i], 3) - std::pow(solution[i], 3)) / 3;
    f = f.cwiseProduct(row_unit);
    return true;
  }
  bool jacobian(const Eigen::VectorXd& x, Eigen::SparseMatrix<double>& J) const {
    const Eigen::Index n = x.size();
    ensure_full_pattern(J, n);
    Eigen::Map<Eigen::MatrixXd> dense(J.valuePtr(), n, n);
    dense = A;
    for (Eigen::Index i = 0; i < n; ++i) dense(i, i) += c[i] * std::pow(x[i] / unknown_unit[i], 2);
    dense = row_unit.asDiagonal() * dense * unknown_unit.cwiseInverse().asDiagonal();
    return true;
  }
};

Eigen::MatrixXd matrix(RandomMcp kind, int n, Random& random) {
  const int rank = kind == RandomMcp::Singular ? (n + 1) / 2 : n;
  Eigen::MatrixXd B(rank, n), S(n, n);
  for (double& b : B.reshaped()) b = random.symmetric();
  for (double& s : S.reshaped()) s = random.symmetric();
  if (kind == RandomMcp::Indefinite) return S + 0.5 * std::sqrt(n) * Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd A = B.transpose() * B / n;
  if (kind != RandomMcp::Singular) A += 0.3 * (S - S.transpose());
  return A;
}

// Bounds of unknown i around its solution, and the sign of w* that goes with them.
void draw_unknown(Eigen::Index i, Model& model, Eigen::VectorXd& lower, Eigen::VectorXd& upper, Random& random) {
  const double x = 3 * random.symmetric(), which = random.uniform(), place = random.uniform();
  model.solution[i] = x;
  lower[i] = which < 0.75 ? x - random.uniform(0.1, 4) : -kInfinity;
  upper[i] = which > 0.5 && which < 0.9 ? x + random.uniform(0.1, 4) : kInfinity;
  const double size = random.uniform() < 1.0 / 3 ? 0 : random.uniform(0, 3);
  model.w[i] = 0;
  if (place < 0.4 && lower[i] > -kInfinity) {
    lower[i] = x;
    model.w[i] = size;
  } else if (place < 0.8 && upper[i] < kInfinity) {
    upper[i] = x;
    model.w[i] = -size;
  }
}

}  // namespace

McpTestProblem random_mcp(RandomMcp kind, int n, unsigned seed) {
  Random random(seed * 7919U + static_cast<unsigned>(n) * 31U + static_cast<unsigned>(kind));
  auto model = std::make_shared<Model>();
  model->A = matrix(kind, n, random);
  model->c.resize(n);
  for (Eigen::VectorXd* v : {&model->solution, &model->w}) v->resize(n);
  model->row_unit = model->unknown_unit = Eigen::VectorXd::Ones(n);
  McpTestProblem test;
  test.problem.lower.resize(n);
  test.problem.upper.resize(n);
  Eigen::VectorXd start(n);
  for (int i = 0; i < n; ++i) {
    model->c[i] = kind == RandomMcp::Singular && i % 2 == 0 ? 0 : random.uniform();
    draw_unknown(i, *model, test.problem.lower, test.problem.upper, random);
    if (kind == RandomMcp::Scaled) {
      model->row_unit[i] = std::pow(10.0, 3 * random.symmetric());
      model->unknown_unit[i] = std::pow(10.0, 3 * random.symmetric());
    }
    start[i] = 5 * random.symmetric() * model->unknown_unit[i];
  }
  test.problem.lower = test.problem.lower.cwiseProduct(model->unknown_unit);
  test.problem.upper = test.problem.upper.cwiseProduct(model->unknown_unit);
  test.name = fmt::format("random-{}-{}-{}", static_cast<int>(kind), n, seed);
  test.starts = {start};
  test.solutions = {model->solution.cwiseProduct(model->unknown_unit)};
  const std::shared_ptr<const Model> shared = model;
  test.problem.function = [shared](const Eigen::VectorXd& x, Eigen::VectorXd& f) { return shared->function(x, f); };
  test.problem.jacobian = [shared](const Eigen::VectorXd& x, Eigen::SparseMatrix<double>& J) {
    return shared->jacobian(x, J);
  };
  return test;
}

}  // namespace stickslip::complementarity
