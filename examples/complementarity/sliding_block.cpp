// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One time step of a block that slides over the floor: friction as the exact cone, and as pyramids of d sides.
//
//     M v = H r + M v0 + h forces        v: velocity at the end of the step, r: impulses at the four lower corners
//     u   = H' v                         u: velocities of the corners; each impulse within its cone |r_t| <= mu r_n,
//                                           opposing the corner's sliding
//
// The answer is known: the block does not tip, all corners slide with the same velocity, so friction takes mu g h off
// the speed and leaves its direction alone. The four corners carry the weight in infinitely many ways; the solver
// finds one of them. A pyramid knows d directions only: friction acts along the one nearest to the sliding (the corner
// of the polygon that dissipates most), which turns the block aside. Ends with 1 when an answer is not the known one.
#include "stickslip/complementarity/complementarity.h"

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace sc = stickslip::complementarity;

namespace {

constexpr double kMass = 2.0, kGravity = 9.81, kStep = 0.01, kFriction = 0.4;
const Eigen::Vector3d kHalf(0.2, 0.1, 0.05);          // half edges of the block
const Eigen::Vector3d kStartVelocity(1.0, 0.5, 0.0);  // sliding, oblique to the edges

sc::GlobalContactProblem block_on_floor() {
  sc::GlobalContactProblem problem;
  problem.dimension = 3;
  Eigen::Matrix<double, 6, 1> inertia;
  inertia << kMass, kMass, kMass, Eigen::Vector3d(kHalf.cwiseAbs2().sum() - kHalf.cwiseAbs2().array()) * kMass / 3;
  Eigen::MatrixXd H(6, 12);
  int contact = 0;
  for (const double x : {-kHalf.x(), kHalf.x()})
    for (const double y : {-kHalf.y(), kHalf.y()}) {
      const Eigen::Vector3d corner(x, y, -kHalf.z());
      int column = 3 * contact++;
      for (const Eigen::Vector3d axis : {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY()})
        H.col(column++) << axis, corner.cross(axis);  // normal first, then the two tangents
    }
  problem.M = Eigen::MatrixXd(inertia.asDiagonal()).sparseView();
  problem.H = H.sparseView();
  problem.f = Eigen::VectorXd::Zero(6);
  problem.f.head<3>() = kMass * (kStartVelocity - kStep * kGravity * Eigen::Vector3d::UnitZ());
  problem.w = Eigen::VectorXd::Zero(12);
  problem.mu.assign(4, kFriction);
  return problem;
}

struct Step {
  double speed, turned;  // at the end of the step; angle against the start velocity
};

Step describe(const Eigen::VectorXd& v) {
  return {v.head<3>().norm(), std::atan2(v[1], v[0]) - std::atan2(kStartVelocity.y(), kStartVelocity.x())};
}

bool exact_cone(const sc::GlobalContactProblem& problem) {
  sc::ContactSolver solver;
  std::vector<double> r;
  Eigen::VectorXd v;
  const sc::SolverSummary summary = solver.solve(problem, r, v, {.tolerance = 1e-10});
  std::printf("exact cone: %s\n", summary.brief_report().c_str());
  if (!summary.solved()) return false;
  for (int c = 0; c < problem.contacts(); ++c)
    std::printf("  corner %d: normal impulse %.6f, friction (%.6f, %.6f)\n", c, r[3 * c], r[3 * c + 1], r[3 * c + 2]);

  const double expected = kStartVelocity.norm() - kFriction * kGravity * kStep;
  const Step step = describe(v);
  std::printf("  speed %.9f (expected %.9f), turned by %.1e rad (expected 0)\n", step.speed, expected, step.turned);
  // The certificate bounds the residual by 1e-10; the velocity may be off by that times the conditioning, here a few.
  return std::abs(step.speed - expected) < 1e-8 && std::abs(step.turned) < 1e-8;
}

bool pyramid(const sc::GlobalContactProblem& problem, int directions) {
  const sc::PyramidForm form = sc::make_pyramid(problem, directions);
  sc::AffineSolver solver;
  Eigen::VectorXd z;
  const sc::SolverSummary summary = solver.solve(form.problem, z, {.tolerance = 1e-10});
  std::printf("pyramid, %2d sides: %s\n", directions, summary.brief_report().c_str());
  if (!summary.solved()) return false;

  // Friction mu m g h along the known direction nearest to the sliding, at k 2 pi / d.
  const double angle = std::atan2(kStartVelocity.y(), kStartVelocity.x());
  const double spacing = 2 * std::numbers::pi / directions;
  const double along = spacing * std::round(angle / spacing);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(6);
  expected.head<3>() =
      kStartVelocity - kFriction * kGravity * kStep * Eigen::Vector3d(std::cos(along), std::sin(along), 0);
  const Step step = describe(form.velocities(z));
  std::printf("  speed %.9f, turned by %.1e rad (expected %.1e)\n", step.speed, step.turned, describe(expected).turned);
  return (form.velocities(z) - expected).norm() < 1e-8;
}

}  // namespace

int main() {
  const sc::GlobalContactProblem problem = block_on_floor();
  bool right = exact_cone(problem);
  for (const int directions : {4, 8, 16, 64}) right = pyramid(problem, directions) && right;
  if (!right) std::printf("this is NOT the known answer\n");
  return right ? 0 : 1;
}
