// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/patch_reader.h"

#include "stickslip/contact/patch.h"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <optional>

namespace stickslip::scene {
namespace {

Eigen::MatrixXd foundation(double k, double coupling, int side, int elements) {
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(elements, elements);
  const double own = k / elements;
  const auto join = [&](int e, int f) {
    K(e, e) += own * coupling;
    K(f, f) += own * coupling;
    K(e, f) -= own * coupling;
    K(f, e) -= own * coupling;
  };
  for (int e = 0; e < elements; ++e) {
    K(e, e) += own;
    if (e % side + 1 < side) join(e, e + 1);
    if (e + side < elements) join(e, e + side);
  }
  return K;
}

Eigen::MatrixXd read_matrix(const TableReader& table, const char* key, int elements, bool definite,
                            int directions = 1) {
  const Value& value = table.require(key);
  const std::string what = table.what(key);
  elements *= directions;
  const std::string expected = fmt::format("{} rows of {} numbers", elements, elements);
  if (value.kind != Value::Kind::Array || static_cast<int>(value.items.size()) != elements)
    throw SceneError(value.place, fmt::format("{} must be {}, one for each {}", what, expected,
                                              directions > 1 ? "direction of each element" : "element"));
  Eigen::MatrixXd matrix(elements, elements);
  for (int i = 0; i < elements; ++i) {
    const std::vector<double> row = read_numbers(value.items[static_cast<std::size_t>(i)], table.scope(), what);
    if (static_cast<int>(row.size()) != elements)
      throw SceneError(value.items[static_cast<std::size_t>(i)].place, fmt::format("{} must be {}", what, expected));
    for (int j = 0; j < elements; ++j) matrix(i, j) = row[static_cast<std::size_t>(j)];
  }
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > 1e-12 * matrix.cwiseAbs().maxCoeff())
    throw SceneError(value.place, fmt::format("{} is not symmetric", what),
                     "row i, column j must equal row j, column i");
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[0];
  const double rounding = 1e-12 * matrix.cwiseAbs().maxCoeff();
  if (definite ? !(least > rounding) : !(least >= -rounding))
    throw SceneError(value.place,
                     fmt::format("{} is not positive {} (its least eigenvalue is {:.3g})", what,
                                 definite ? "definite" : "semidefinite", least),
                     "a deformation would gain energy: make the diagonal larger beside the other entries");
  return matrix;
}

// Matrices over all directions.
void read_all(const TableReader& table, const std::optional<TableReader>& stiffness,
              const std::optional<TableReader>& damping, int elements, int dimension, model::Patch& patch) {
  if (!stiffness || !stiffness->has("all") || (damping && !damping->has("all")))
    throw SceneError(table.place(), fmt::format("{} has 'all' in one of stiffness and damping only", table.name()),
                     "give both over all directions, or both as 'normal' and 'tangential'");
  for (const std::optional<TableReader>& matrices : {stiffness, damping})
    if (matrices && (matrices->has("normal") || matrices->has("tangential")))
      throw SceneError(matrices->place(), fmt::format("{} has 'all' and 'normal' or 'tangential'", matrices->name()),
                       "leave one of them out");
  patch.K_n = read_matrix(*stiffness, "all", elements, true, dimension);
  patch.C_n = damping ? read_matrix(*damping, "all", elements, false, dimension)
                      : Eigen::MatrixXd::Zero(patch.K_n.rows(), patch.K_n.cols());
}

}  // namespace

std::shared_ptr<const model::Patch> read_patch(const TableReader& table, const model::Compliance& lumped,
                                               int dimension) {
  auto patch = std::make_shared<model::Patch>();
  patch->side = read_integer(table.require("elements"), table.scope(), table.what("elements"), 1, 16);
  patch->size = table.positive("size");
  if (table.has("radius")) patch->radius = table.positive("radius");
  const double coupling = table.not_negative("coupling", 0);
  const int elements = contact::elements_of(*patch, dimension);
  const auto matrices_of = [&](const char* key) -> std::optional<TableReader> {
    const Value* given = table.find(key);
    if (given == nullptr) return std::nullopt;
    return TableReader(*given, keys_of("matrices"), table.scope(), table.what(key));
  };
  const std::optional<TableReader> stiffness = matrices_of("stiffness"), damping = matrices_of("damping");
  const auto has_all = [](const std::optional<TableReader>& matrices) { return matrices && matrices->has("all"); };
  if (has_all(stiffness) || has_all(damping)) {
    read_all(table, stiffness, damping, elements, dimension, *patch);
    return patch;
  }
  if (stiffness) {
    patch->K_n = read_matrix(*stiffness, "normal", elements, true);
    patch->K_t = read_matrix(*stiffness, "tangential", elements, true);
  } else {
    if (!(lumped.stiffness_normal > 0) || !(lumped.stiffness_tangential > 0))
      throw SceneError(table.place(), fmt::format("{} has no stiffness", table.name()),
                       "give the contact 'stiffness' > 0 in both directions, or the patch matrices");
    patch->K_n = foundation(lumped.stiffness_normal, coupling, patch->side, elements);
    patch->K_t = foundation(lumped.stiffness_tangential, coupling, patch->side, elements);
  }
  if (damping) {
    patch->C_n = read_matrix(*damping, "normal", elements, false);
    patch->C_t = read_matrix(*damping, "tangential", elements, false);
  } else {
    patch->C_n = foundation(lumped.damping_normal, coupling, patch->side, elements);
    patch->C_t = foundation(lumped.damping_tangential, coupling, patch->side, elements);
  }
  return patch;
}

}  // namespace stickslip::scene
