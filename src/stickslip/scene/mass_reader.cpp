// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Uniform bodies: mass, centre and inertia are sums over the shapes by the parallel-axis theorem; overlapping shapes
// count twice. With `mass` the density is chosen so that the total is right. With `centre_of_mass` and without
// `inertia` the uniform body's inertia is moved to that point (parallel axes).
#include "stickslip/scene/mass_reader.h"

#include "stickslip/model/mass_properties.h"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <optional>

namespace stickslip::scene {
namespace {

// Inertia of a mass point at `r`.
Mat3 point_inertia(double mass, const Vec3& r) {
  return mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
}

Mat3 read_inertia(const TableReader& table, const model::Body& body) {
  const Value& value = table.require("inertia");
  const std::string what = table.what("inertia");
  Mat3 inertia = Mat3::Zero();
  if (body.planar()) {
    inertia(2, 2) = table.positive("inertia");
    return inertia;
  }
  if (value.kind != Value::Kind::Array || value.items.size() != 3) {
    throw SceneError(value.place, fmt::format("{} must be 3 principal moments or a 3 x 3 matrix", what));
  }
  if (value.items[0].kind == Value::Kind::Array) {
    for (int row = 0; row < 3; ++row) {
      inertia.row(row) = read_vector(value.items[static_cast<std::size_t>(row)], table.scope(), what, 3).transpose();
    }
  } else {
    inertia = read_vector(value, table.scope(), what, 3).asDiagonal();
  }
  if (!inertia.isApprox(inertia.transpose(), 1e-12))
    throw SceneError(value.place, fmt::format("{} must be symmetric", what));
  inertia = 0.5 * (inertia + inertia.transpose()).eval();
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();  // ascending
  if (!(moments[0] > 0)) throw SceneError(value.place, fmt::format("{} must be positive definite", what));
  if (moments[2] > (moments[0] + moments[1]) * (1 + 1e-9)) {
    throw SceneError(
        value.place,
        fmt::format("{}: no body has these moments: the largest, {:.6g}, is more than the other two together", what,
                    moments[2]));
  }
  return inertia;
}

// What is computed from sizes and densities must stay where it can be squared and divided: masses within the bounds of
// all numbers, moments of inertia (mass times length squared) within their third power.
void require_range(double value, double low, double high, const Place& place, const std::string& what) {
  if (value >= low && value <= high) return;
  throw SceneError(place, fmt::format("{} comes out as {}: it must lie between {} and {}", what, value, low, high));
}

void check_inertia(const TableReader& table, const model::Body& body) {
  constexpr double kLow = kSmallestPositive * kSmallestPositive * kSmallestPositive, kHigh = 1 / kLow;
  const Place& place = table.has("inertia") ? table.require("inertia").place : table.place();
  const std::string what = fmt::format("the moment of inertia of {}", table.name());
  if (body.planar()) return require_range(body.inertia(2, 2), kLow, kHigh, place, what);
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(body.inertia, Eigen::EigenvaluesOnly).eigenvalues();
  for (const double moment : moments) require_range(moment, kLow, kHigh, place, what);
}

}  // namespace

Vec3 read_mass(const TableReader& table, const DriveFreedom& freedom, model::Body& body) {
  if (table.has("mass") && table.has("density")) {
    throw SceneError(table.require("density").place, fmt::format("{} has both 'mass' and 'density'", table.name()));
  }
  const std::optional<model::MassProperties> uniform = model::uniform_body(body.shapes);
  if (table.has("density") && !uniform) {
    throw SceneError(table.require("density").place, fmt::format("{} has a density but no solid shape", table.name()));
  }
  if (table.has("mass")) body.mass = table.positive("mass");
  if (table.has("density")) {
    body.mass = table.positive("density") * uniform->mass;
    require_range(body.mass, kSmallestPositive, kLargestNumber, table.require("density").place,
                  fmt::format("the mass of {}", table.name()));
  }
  if (freedom.translation && !(body.mass > 0)) {
    throw SceneError(table.place(), fmt::format("{} can move but has no mass", table.name()),
                     "give 'mass', or 'density' with a solid shape");
  }

  const bool stays = !freedom.translation && !freedom.rotation;
  Vec3 centre = uniform && !stays ? uniform->centre : Vec3::Zero();
  if (const Value* value = table.find("centre_of_mass")) {
    if (stays)
      throw SceneError(value->place,
                       fmt::format("{} is wholly prescribed: its centre of mass has no meaning", table.name()));
    centre = read_vector(*value, table.scope(), table.what("centre_of_mass"), body.planar() ? 2 : 3);
  }

  if (!body.rotates()) {
    if (const Value* value = table.find("inertia"))
      throw SceneError(value->place, fmt::format("{} is a particle and does not turn", table.name()));
    return centre;
  }
  if (table.has("inertia")) {
    body.inertia = read_inertia(table, body);
  } else if (uniform && body.mass > 0) {
    body.inertia =
        (body.mass / uniform->mass) * (uniform->inertia + point_inertia(uniform->mass, uniform->centre - centre));
  } else if (freedom.rotation) {
    throw SceneError(table.place(), fmt::format("{} can turn but has no inertia", table.name()),
                     "give 'inertia', or 'mass' with a solid shape");
  }
  if (freedom.rotation) check_inertia(table, body);
  return centre;
}

}  // namespace stickslip::scene
