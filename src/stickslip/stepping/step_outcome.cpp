// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/step_outcome.h"

#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/noise.h"

#include <utility>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Island;

bool StepSolver::finish(const World& world, const PosedStep& step, Island& island, bool shares, StepReport& report) {
  ++report.solves;
  while (island.summary.solved() && weaken_broken_contacts(world.model, step.contacts, step.memory, island)) {
    ++report.solves;
    pool_.solve(world.method, island);
  }
  if (!island.summary.solved()) return false;
  if (shares)
    share_.apply(step.system, static_cast<std::size_t>(&island - step.system.islands().data()), step.dynamics,
                 ProblemSolver::kAim);
  if (island.summary.residual.error >= report.residual) {
    report.residual = island.summary.residual.error;
    report.solver = island.summary.solver;
  }
  return true;
}

void remember_contacts(const World& world, const Island& island, std::span<const ContactRows> rows,
                       std::span<const model::BodyState> end, double h, bool keeps_forces,
                       std::span<ContactMemory> memory) {
  const VelocityNoise noise(island);
  const int D = island.problem.dimension();
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const auto c = index(island.contacts[i]);
    if (c >= memory.size()) continue;
    const ContactRows& row = rows[c];
    const double *r = island.r.data() + i * index(D), *q = island.problem.q.data() + i * index(D);
    const model::Twist &va = end[index(row.a)].velocity, &vb = end[index(row.b)].velocity;
    const Vec3 force = memory[c].force;
    record_outcome(row, world.model, r, q, va, vb, h, world.method.certificate, noise.of(static_cast<int>(i)),
                   memory[c]);
    bool same =
        keeps_forces && va.linear.isZero(0) && va.angular.isZero(0) && vb.linear.isZero(0) && vb.angular.isZero(0);
    for (int k = 0; k < D; ++k) same = same && r[k] == h * force.dot(row.direction[k]);
    if (same) memory[c].force = force;
  }
}

void describe_failure(const World& world, const Island* island, std::span<const collision::Contact> contacts,
                      const StepReport& report, std::string reason, StepFailure& failure) {
  failure.time = world.state.time;
  failure.residual = report.residual;
  failure.solver = report.solver;
  failure.reason = std::move(reason);
  failure.contacts.clear();
  failure.problem = island != nullptr ? island->problem : complementarity::ContactProblem{};
  if (island == nullptr) return;
  for (int c : island->contacts)
    if (index(c) < contacts.size()) failure.contacts.push_back(contacts[index(c)].id);
}

void fail_step(const World& world, const Island& island, std::span<const collision::Contact> contacts,
               std::string reason, StepReport& report, StepFailure& failure) {
  report.certified = false;
  report.residual = island.summary.residual.error;
  report.solver = island.summary.solver;
  describe_failure(world, &island, contacts, report, std::move(reason), failure);
}

}  // namespace stickslip::stepping
