// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// EulerStep: quasi-static motion on supports in the modes of the last step (force_balance.h).
#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/stepping/euler_step.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>

namespace stickslip::stepping {

using contact::Island;

namespace {

constexpr double kOnTheCone = 1e-9;  // of the friction limit: a support that slid in the step before
constexpr double kBalanced = 1e-11;  // certificate: what rounding leaves of forces that are large beside inertia

void copy_row(const contact::ContactRows& row, int k, double* a, double* b) {
  const Vec3& d = row.direction[k];
  a[0] = b[0] = d.x(), a[1] = b[1] = d.y();
  a[2] = row.moment_a[k].z(), b[2] = row.moment_b[k].z();
}

}  // namespace

// The place of a body among the unknowns, entered when it is met first. -1: it does not move freely.
int EulerStep::unknown_of(const World& world, int body) {
  if (!dynamics_[index(body)].movable) return -1;
  int& place = unknown_[index(body)];
  if (place >= 0) return place;
  place = static_cast<int>(balance_.bodies.size());
  const model::Body& b = world.model.bodies[index(body)];
  const model::Wrench wrench = contact::applied_wrench(world.model, body, world.traits[index(body)], at_);
  const model::Twist& v = reference_[index(body)];
  balance_.bodies.push_back({{h_ * wrench.force.x(), h_ * wrench.force.y(), h_ * wrench.torque.z()},
                             {h_ * b.linear_damping, h_ * b.linear_damping, h_ * b.angular_damping},
                             {v.linear.x(), v.linear.y(), v.angular.z()}});
  return place;
}

void EulerStep::add_link(const World& world, const Island& island, std::size_t i) {
  const int c = island.contacts[i];
  const contact::ContactRows& row = rows_[index(c)];
  const double *r = island.r.data() + i * index(D_), *q = island.problem.q.data() + i * index(D_);
  ForceBalance::Link& link = balance_.links.emplace_back();
  link.support = is_support(c);
  link.a = unknown_of(world, row.a);
  link.b = unknown_of(world, row.b);
  link.mu = island.problem.mu[i];
  const int first = link.support ? 1 : 0;
  for (int k = 0; k < 2; ++k) {
    copy_row(row, first + k, link.row_a[k], link.row_b[k]);
    link.bias[k] = q[first + k] - relative_velocity(row, first + k, free_[index(row.a)], free_[index(row.b)]);
    link.impulse[k] = r[first + k];
  }
  using Law = ForceBalance::Law;
  if (link.support) {
    link.load = island.problem.normal_impulse[i];
    link.law = tangential_norm(r, D_) >= (1 - kOnTheCone) * link.mu * link.load ? Law::Slide : Law::Stick;
  } else if (r[0] > 0) {
    link.law = memory_[index(c)].mode == contact::Mode::Slide ? Law::Slide : Law::Stick;
  }
}

// Moves the references and the impulses of an island to where its forces balance. An island without a body that slides
// is left as it is: it rests.
bool EulerStep::balance(const World& world, Island& island) {
  balance_.bodies.clear();
  balance_.links.clear();
  std::fill(unknown_.begin(), unknown_.end(), -1);
  for (std::size_t i = 0; i < island.contacts.size(); ++i) add_link(world, island, i);
  if (std::ranges::none_of(balance_.links, [](const ForceBalance::Link& link) {
        return link.support && link.law == ForceBalance::Law::Slide;
      }))
    return true;
  if (!balance_.solve()) return false;
  for (std::size_t i = 0; i < unknown_.size(); ++i) {
    if (unknown_[i] < 0) continue;
    const contact::BodyTraits& traits = world.traits[i];
    if (!traits.free_translation[0] || !traits.free_translation[1] || !traits.free_rotation) return false;
    const double* v = balance_.bodies[index(unknown_[i])].velocity;
    reference_[i].linear = Vec3(v[0], v[1], 0);
    reference_[i].angular = Vec3(0, 0, v[2]);
  }
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const ForceBalance::Link& link = balance_.links[i];
    std::copy(link.impulse, link.impulse + 2, island.r.data() + i * index(D_) + (link.support ? 1 : 0));
  }
  return true;
}

bool EulerStep::balance_forces(World& world, int iteration, StepReport& report) {
  unknown_.resize(dynamics_.size());
  last_reference_ = reference_;
  bool balanced = std::ranges::all_of(system_.islands(), [&](Island& island) { return balance(world, island); });
  if (balanced) {
    warm_ = true;  // the impulses are in place
    evaluate_bodies(world, std::max(iteration, 1));
    pose(world, iteration);
    for (Island& island : system_.islands()) {
      const complementarity::Residual residual = complementarity::contact_residual(island.problem, island.r);
      balanced = balanced && residual.error <= kBalanced && !weaken(world, island);
      report.residual = std::max(report.residual, residual.error);
    }
    report.solver = "force-balance";
    report.solves += static_cast<int>(system_.islands().size());
  }
  if (balanced) return true;
  reference_ = last_reference_;
  evaluate_bodies(world, iteration);
  warm_ = false;
  report.residual = 0;
  return false;
}

}  // namespace stickslip::stepping
