// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Stewart-Trinkle steps of simple mechanical systems (affine_generators.h).
#include "tests/problems/affine_generators.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace stickslip::complementarity {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kGravity = 9.81;

void drop_rounding(MatrixXd& A, double size) {
  A = (A.array().abs() < size).select(0, A);
}

Eigen::SparseMatrix<double> sparse(const MatrixXd& A) {
  return A.sparseView(1, 0);
}

// Rows and columns (p_f, s) and (s, p_n), (s, p_f) that the pyramid adds below normal and friction rows.
void add_pyramid(const ContactStep& step, MatrixXd& M) {
  const int contacts = step.contacts(), d = step.directions(), slip = contacts * (1 + d);
  for (int c = 0; c < contacts; ++c) {
    M(slip + c, c) = step.mu[c];
    for (int k = 0; k < d; ++k) {
      M(contacts + c * d + k, slip + c) = 1;
      M(slip + c, contacts + c * d + k) = -1;
    }
  }
}

// Generalised force of a unit force along `direction` at `point`, both relative to the centre.
VectorXd wrench(const Vector3d& direction, const Vector3d& point) {
  VectorXd result(6);
  result << direction, point.cross(direction);
  return result;
}

std::vector<Vector3d> contact_points(int count, double a, double b, double c) {
  if (count == 3) return {{a, b, -c}, {a, -b, -c}, {-a, 0, -c}};
  if (count == 4) return {{a, b, -c}, {a, -b, -c}, {-a, -b, -c}, {-a, b, -c}};
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * i / count + 0.1;
    points.emplace_back(a * std::cos(angle), b * std::sin(angle), -c);
  }
  return points;
}

}  // namespace

AffineProblem contact_lcp(const ContactStep& step) {
  const int contacts = step.contacts(), d = step.directions(), forces = contacts * (1 + d), n = forces + contacts;
  MatrixXd G(step.mass.rows(), forces);
  G << step.normal, step.friction;
  const MatrixXd inverse_G = step.mass.llt().solve(G);
  MatrixXd W = G.transpose() * inverse_G;
  drop_rounding(W, 1e-14 * W.cwiseAbs().maxCoeff());

  MatrixXd M = MatrixXd::Zero(n, n);
  M.topLeftCorner(forces, forces) = W;
  add_pyramid(step, M);
  VectorXd q = VectorXd::Zero(n);
  q.head(forces) = inverse_G.transpose() * (step.mass * step.velocity + step.step * step.force);
  q.head(contacts) += step.gap / step.step;
  return make_lcp(sparse(M), std::move(q));
}

MixedLcp contact_mixed_lcp(const ContactStep& step) {
  const int contacts = step.contacts(), d = step.directions(), forces = contacts * (1 + d), m = forces + contacts;
  const auto dof = static_cast<int>(step.mass.rows());
  MatrixXd G = MatrixXd::Zero(dof, m), B = MatrixXd::Zero(m, m);
  G.leftCols(contacts) = step.normal;
  G.middleCols(contacts, contacts * d) = step.friction;
  add_pyramid(step, B);

  MixedLcp result;
  result.A = sparse(step.mass);
  result.B = sparse(B);
  result.C = sparse(-G);
  result.D = sparse(G.transpose());
  result.a = -(step.mass * step.velocity + step.step * step.force);
  result.b = VectorXd::Zero(m);
  result.b.head(contacts) = step.gap / step.step;
  return result;
}

ContactStep slide(const SlideOptions& o) {
  const double a = 0.1, b = 0.05, c = 0.05, mass = 1;
  ContactStep step;
  step.mass = MatrixXd::Identity(6, 6) * mass;
  step.mass(3, 3) = mass / 3 * (b * b + c * c);
  step.mass(4, 4) = mass / 3 * (a * a + c * c);
  step.mass(5, 5) = mass / 3 * (a * a + b * b);
  step.normal.resize(6, o.contacts);
  step.friction.resize(6, o.contacts * o.directions);
  const std::vector<Vector3d> points = contact_points(o.contacts, a, b, c);
  for (int i = 0; i < o.contacts; ++i) {
    step.normal.col(i) = wrench({0, 0, 1}, points[i]);
    for (int k = 0; k < o.directions; ++k) {
      const double angle = 2 * std::numbers::pi * k / o.directions;
      step.friction.col(i * o.directions + k) = wrench({std::cos(angle), std::sin(angle), 0}, points[i]);
    }
  }
  step.velocity.resize(6);
  step.velocity << o.vx, o.vy, o.vz, 0, 0, o.spin;
  step.force = VectorXd::Zero(6);
  step.force[2] = -kGravity * mass;
  if (o.reference_in_plane) {
    // v_centre = v_plane + omega x (0, 0, c)
    MatrixXd T = MatrixXd::Identity(6, 6);
    T(0, 4) = c;
    T(1, 3) = -c;
    step.mass = (T.transpose() * step.mass * T).eval();
    step.normal = (T.transpose() * step.normal).eval();
    step.friction = (T.transpose() * step.friction).eval();
    step.force = (T.transpose() * step.force).eval();
    step.velocity = T.partialPivLu().solve(step.velocity).eval();
  }
  for (MatrixXd* A : {&step.mass, &step.normal, &step.friction}) drop_rounding(*A, 1e-15);
  step.mu = VectorXd::Constant(o.contacts, o.mu);
  step.gap = VectorXd::Zero(o.contacts);
  return step;
}

ContactStep stack(int boxes, double mu, double push) {
  const double width = 0.5, height = 0.5, mass = 1, inertia = mass * (width * width + height * height) / 12;
  const int dof = 3 * boxes, contacts = 2 * boxes;
  ContactStep step;
  step.mass = MatrixXd::Zero(dof, dof);
  step.normal = MatrixXd::Zero(dof, contacts);
  step.friction = MatrixXd::Zero(dof, 2 * contacts);
  step.force = VectorXd::Zero(dof);
  for (int k = 0; k < boxes; ++k) {
    step.mass.diagonal().segment<3>(3 * k) = Vector3d(mass, mass, inertia);
    step.force[3 * k + 1] = -kGravity * mass;
    for (int side = 0; side < 2; ++side) {
      const int c = 2 * k + side;
      const double x = side == 0 ? -width / 2 : width / 2;
      VectorXd tangent = VectorXd::Zero(dof);
      step.normal.col(c).segment<3>(3 * k) = Vector3d(0, 1, x);
      tangent.segment<3>(3 * k) = Vector3d(1, 0, height / 2);
      if (k > 0) {
        step.normal.col(c).segment<3>(3 * k - 3) = Vector3d(0, -1, -x);
        tangent.segment<3>(3 * k - 3) = Vector3d(-1, 0, height / 2);
      }
      step.friction.col(2 * c) = tangent;
      step.friction.col(2 * c + 1) = -tangent;
    }
  }
  step.force[3 * (boxes - 1)] = push * mass * kGravity;
  step.velocity = VectorXd::Zero(dof);
  step.mu = VectorXd::Constant(contacts, mu);
  step.gap = VectorXd::Zero(contacts);
  return step;
}

ContactStep painleve(double mu) {
  const double angle = 0.6, length = 1, mass = 1;
  const double x = length * std::cos(angle), y = length * std::sin(angle);
  ContactStep step;
  step.mass = Vector3d(mass, mass, mass * length * length / 3).asDiagonal();
  step.normal = Vector3d(0, 1, -x);
  step.friction.resize(3, 2);
  step.friction.col(0) = Vector3d(1, 0, y);
  step.friction.col(1) = -step.friction.col(0);
  step.velocity = Vector3d(-1, 0, 0);
  step.force = Vector3d(0, -kGravity * mass, 0);
  step.mu = VectorXd::Constant(1, mu);
  step.gap = VectorXd::Zero(1);
  return step;
}

}  // namespace stickslip::complementarity
