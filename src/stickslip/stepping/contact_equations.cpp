// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/contact_equations.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/noise.h"
#include "stickslip/stepping/step_terms.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using complementarity::ContactKind;
using contact::ContactRows;
using contact::Island;
using contact::Mode;
using contact::relative_velocity;

namespace {

// The force of a contact that slides, in a frame that has turned since: still on the edge of the cone.
void put_on_cone(double mu, int dimension, double* r) {
  const double length = tangential_norm(r, dimension);
  if (!(r[0] > 0) || !(length > 0)) return;
  for (int k = 1; k < dimension; ++k) r[k] *= mu * r[0] / length;
}

// mu'
double smoothed(double gamma, double mu, double p_n) {
  return gamma > 0 && mu > 0 && p_n > 0 ? mu * std::sqrt(1 + 2 * gamma / (mu * p_n)) : mu;
}

void pose_support(const StepData& step, const ContactRows& row, double* q) {
  const auto a = index(row.a), b = index(row.b);
  q[0] = 0;
  for (int k = 1; k < 3; ++k)
    q[k] =
        relative_velocity(row, k, step.free[a], step.free[b]) + relative_velocity(row, k, step.drive[a], step.drive[b]);
}

}  // namespace

void ContactEquations::build(const World& world, const CompliantContacts& compliant, StepData& step) {
  const bool supports = step.supports_are_posed();
  const std::vector<SupportPoint>& points = step.supports.points;
  step.rows.resize(step.contacts.size() + (supports ? points.size() : 0));
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const model::State& at = step.bending.place_of(c, step.at);
    const collision::Contact& contact = step.bending.contact_of(c, step.contacts[c]);
    if (world.model.dimension == 3)
      contact::set_rows<3>(contact, at, step.rows[c]);
    else
      contact::set_rows<2>(contact, at, step.rows[c]);
    if (supports) contact::add_empty_tangent(step.rows[c]);
  }
  for (std::size_t s = 0; supports && s < points.size(); ++s)
    contact::set_support_rows(step.at, points[s].body, points[s].plane, points[s].position,
                              step.rows[step.contacts.size() + s]);
  step.system.build(step.D, step.rows, step.dynamics);
  step.system.assemble(step.dynamics);
  if (!step.rules.compliant && !supports) return;
  for (Island& island : step.system.islands())
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      compliant.add_compliance(world, step, island, i);
      complementarity::BlockMatrix& W = island.problem.W;
      if (supports) contact::complete_block(W.value.data() + index(W.diagonal[i] * step.D * step.D));
    }
}

void ContactEquations::pose(const World& world, int iteration, CompliantContacts& compliant, StepData& step) {
  for (Island& island : step.system.islands()) pose(world, iteration, compliant, step, island);
}

void ContactEquations::pose(const World& world, int iteration, CompliantContacts& compliant, StepData& step,
                            Island& island) {
  complementarity::ContactProblem& problem = island.problem;
  const std::size_t n = island.contacts.size();
  const bool supports = step.supports_are_posed();
  problem.kind.assign(supports ? n : 0, ContactKind::Frictional);
  problem.normal_impulse.assign(supports ? n : 0, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    double *q = problem.q.data() + i * index(step.D), *r = island.r.data() + i * index(step.D);
    const int c = island.contacts[i];
    const ContactRows& row = step.rows[index(c)];
    if (step.is_support(c)) {
      const SupportPoint& support = step.supports.points[index(c) - step.contacts.size()];
      pose_support(step, row, q);
      problem.kind[i] = ContactKind::Support;
      problem.normal_impulse[i] = step.h * support.load;
      problem.mu[i] = support.friction;
      if (step.warm) continue;
      set_start(row, step.D, support.force, step.h, r);
      r[0] = problem.normal_impulse[i];
      continue;
    }
    pose_contact(world, iteration, compliant, step, c, q);
    const collision::Contact& contact = step.contacts[index(c)];
    ContactMemory& memory = step.memory[index(c)];
    const auto a = index(row.a), b = index(row.b);
    const std::vector<model::BodyState>& start = world.state.bodies;
    const double mu = friction_term(world, contact, row, {start[a].velocity, start[b].velocity}, memory.mode);
    problem.mu[i] = smoothed(step.gamma, mu, step.warm ? r[0] : step.h * memory.force.dot(row.direction[0]));
    if (step.warm) continue;
    set_start(row, step.D, memory.force, step.h, r);
    if (memory.mode == Mode::Slide) put_on_cone(problem.mu[i], step.D, r);
  }
}

void ContactEquations::pose_contact(const World& world, int iteration, CompliantContacts& compliant, StepData& step,
                                    int c, double* q) {
  const collision::Contact& contact = step.contacts[index(c)];
  const ContactRows& row = step.rows[index(c)];
  const auto a = index(row.a), b = index(row.b);
  const PairVelocities free{step.free[a], step.free[b]}, drive{step.drive[a], step.drive[b]};
  set_free_terms(step.D, row, free, drive, true, q);
  // The gap without the motion that led to it: with redundant contacts, what rounding leaves of it would decide how
  // they share their load.
  const double moved = iteration > 0 ? step.h * relative_velocity(row, 0, step.last[a], step.last[b]) : 0.0;
  double gap = without_rounding_noise(contact, step.at, moved);
  // The gap of a closed contact is not taken out: how exactly an impact was located would decide how redundant contacts
  // share their load.
  if (step.rules.closed_only && std::fabs(gap) <= kClosedGap * arm_of(contact, step.at)) gap = 0;
  q[0] += (gap - step.overlap[index(c)]) / step.h;
  if (step.rules.closed_only) q[0] += relative_velocity(row, 0, drive.a, drive.b);
  compliant.add_terms(world, step, c, q);
}

bool ContactEquations::solve(const World& world, StepData& step, StepReport& report, StepFailure& failure) {
  report.contacts = static_cast<int>(step.contacts.size());
  solver_.solve(world.method, step.system.islands());
  for (Island& island : step.system.islands())
    if (!finish(world, step, island, report, failure)) return false;
  step.warm = true;
  return true;
}

bool ContactEquations::solve(const World& world, StepData& step, Island& island, StepReport& report,
                             StepFailure& failure) {
  solver_.solve(world.method, island);
  return finish(world, step, island, report, failure);
}

// Cones, and surfaces that do not give way: how the contacts share their load is then open.
bool ContactEquations::is_rigid(const World& world, const StepData& step, const Island& island) {
  if (world.method.friction != FrictionLaw::Cone || step.gamma > 0) return false;
  return std::ranges::none_of(
      island.contacts, [&](int c) { return step.is_support(c) || step.is_compliant(world, step.contacts[index(c)]); });
}

bool ContactEquations::finish(const World& world, StepData& step, Island& island, StepReport& report,
                              StepFailure& failure) {
  const PosedStep posed{step.system, step.dynamics, step.contacts, step.memory};
  if (solver_.finish(world, posed, island, is_rigid(world, step, island), report)) return true;
  fail_step(world, island, step.contacts, why_unsolved(world, step, island), report, failure);
  return false;
}

// A quasi-static problem without a solution: bodies that are driven into each other leave none even without friction.
std::string ContactEquations::why_unsolved(const World& world, const StepData& step, const Island& island) {
  if (step.motion.model != MotionModel::QuasiStatic) return {};
  Island smooth = island;
  std::fill(smooth.problem.mu.begin(), smooth.problem.mu.end(), 0.0);
  std::fill(smooth.r.begin(), smooth.r.end(), 0.0);
  if (!solver_.solve(world.method, smooth))
    return "jammed: no motion satisfies the contacts; bodies that are driven squeeze what lies between them";
  return "jammed: friction leaves no motion that satisfies the contacts (or none that a solver found)";
}

bool ContactEquations::still_solve(const World& world, const StepData& step, double share, StepReport& report) const {
  if (!step.warm || !step.rules.end_geometry || step.motion.model == MotionModel::QuasiStatic ||
      world.method.friction != FrictionLaw::Cone || step.gamma > 0)
    return false;
  double error = 0;
  for (const Island& island : step.system.islands())
    error = std::max(error, complementarity::contact_residual(island.problem, island.r).error);
  if (!(error <= share * world.method.certificate)) return false;
  report.residual = std::max(report.residual, error);
  return true;
}

void ContactEquations::take_velocities(const World& world, StepData& step) {
  const std::size_t n = world.model.bodies.size();
  for (std::size_t i = 0; i < n; ++i)
    step.end.bodies[i].velocity = world.traits[i].movable ? step.free[i] : model::Twist{};
  rest_.apply_impulses(step.system, step.dynamics, step.free, step.end);
  for (std::size_t i = 0; i < n; ++i) {
    if (!step.supports.in_problem) step.remove_support_noise(i, step.end.bodies[i].velocity);
    step.velocity[i] = step.end.bodies[i].velocity;
    step.end.bodies[i].velocity = scaled_sum(1, step.velocity[i], 1, step.drive[i]);
  }
}

bool ContactEquations::gains_energy(const World& world, const StepData& step) {
  constexpr double kGain = 1e-7;  // of the sum of the magnitudes: above the certificate, below what an audit looks for
  if (step.motion.model != MotionModel::Dynamic || !step.supports.empty()) return false;
  double gain = 0, magnitude = 0;
  for (const Island& island : step.system.islands()) {
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const auto c = index(island.contacts[i]);
      const ContactRows& row = step.rows[c];
      const auto a = index(row.a), b = index(row.b);
      if (world.traits[a].driven || world.traits[b].driven || step.is_compliant(world, step.contacts[c])) return false;
      for (int k = 0; k < step.D; ++k) {
        const double p = island.r[i * index(step.D) + index(k)];
        if (p == 0) continue;
        const double end = relative_velocity(row, k, step.velocity[a], step.velocity[b]);
        const double free = relative_velocity(row, k, step.free[a], step.free[b]);
        const double start = relative_velocity(row, k, {step.reference[a].linear, step.free[a].angular},
                                               {step.reference[b].linear, step.free[b].angular});
        gain += p * (0.5 * (end - free) + start);
        magnitude += std::fabs(p) * (std::fabs(end) + std::fabs(free) + std::fabs(start));
      }
    }
  }
  if (magnitude == 0) return false;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (!world.traits[i].movable) continue;
    const model::Body& body = world.model.bodies[i];
    gain -= 0.5 * body.mass * (step.free[i].linear - step.reference[i].linear).squaredNorm();
    if (!world.traits[i].free_rotation || world.traits[i].isotropic) continue;
    const auto turning = [&](const model::State& at, const Vec3& w) {
      return 0.5 * w.dot(contact::angular_momentum(body, at.bodies[i].pose.orientation, w));
    };
    gain += turning(step.at, step.free[i].angular) - turning(world.state, step.reference[i].angular);
  }
  return gain > kGain * magnitude;
}

double ContactEquations::smoothing_error(const World& world, const StepData& step) const {
  double error = 0, largest = 0;
  for (const Island& island : step.system.islands())
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const int c = island.contacts[i];
      if (step.is_support(c)) continue;
      const double p_n = island.r[i * index(step.D)];
      const model::Surface& surface = world.model.surfaces[index(step.contacts[index(c)].surface)];
      const double mu = contact::friction_coefficient(surface, step.memory[index(c)].mode);
      error = std::max(error, std::fabs(smoothed(step.gamma, mu, p_n) - island.problem.mu[i]) * p_n);
      largest = std::max(largest, p_n);
    }
  return largest > 0 ? error / largest : 0;
}

void ContactEquations::remember(const World& world, CompliantContacts& compliant, StepData& step) {
  for (const Island& island : step.system.islands()) {
    remember_contacts(world, island, step.rows, step.end.bodies, step.h, false, step.memory);
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const int c = island.contacts[i];
      if (!step.is_support(c)) {
        compliant.remember(world, island, i, step);
        continue;
      }
      const ContactRows& row = step.rows[index(c)];
      const double* r = island.r.data() + i * index(step.D);
      step.supports.points[index(c) - step.contacts.size()].force =
          (r[1] * row.direction[1] + r[2] * row.direction[2]) / step.h;
    }
  }
}

void ContactEquations::report_failure(const World& world, const StepData& step, const StepReport& report,
                                      std::string reason, StepFailure& failure) {
  const auto islands = step.system.islands();
  describe_failure(world, islands.empty() ? nullptr : &islands[0], step.contacts, report, std::move(reason), failure);
}

}  // namespace stickslip::stepping
