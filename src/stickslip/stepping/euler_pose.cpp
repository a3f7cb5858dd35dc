// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// EulerStep: what enters its contact problems, and what contacts remember afterwards.
#include "stickslip/contact/compliance.h"
#include "stickslip/contact/material.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/euler_step.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using complementarity::ContactKind;
using contact::ContactRows;
using contact::Island;
using contact::Mode;
using contact::relative_velocity;

namespace {

// a M V / (h F) of motion_model.h: small, so that few proximal steps suffice; not so small that the velocities, which
// the contact problem then holds as differences of numbers 1 / kShare as large, lose digits.
constexpr double kShare = 1e-3;

constexpr double kOnTheCone = 1e-12;

// Velocity level: a gap within which contacts count as closed, relative to the arm (euler_contacts.cpp), is not taken
// out: how exactly an impact was located would decide how redundant contacts share their load.
constexpr double kTouching = 1e-9;

// The force of a contact that slides, in a frame that has turned since: still on the edge of the cone.
void put_on_cone(double mu, int dimension, double* r) {
  const double length = tangential_norm(r, dimension);
  if (!(r[0] > 0) || !(length > 0)) return;
  for (int k = 1; k < dimension; ++k) r[k] *= mu * r[0] / length;
}

}  // namespace

void EulerStep::prepare(const World& world) {
  const int n = static_cast<int>(world.model.bodies.size());
  for (int i = 0; i < n; ++i) {
    const model::Support& support = world.model.bodies[index(i)].support;
    if (support.points.empty()) continue;
    footings_.push_back({i, support.on < 0 ? n : support.on, supports_.size(), support.points.size()});
    for (const model::Support::Point& point : support.points)
      supports_.push_back(
          {i, support.on < 0 ? n : support.on, point.position, point.load, support.friction, Vec3::Zero()});
  }
  for (std::size_t s = 0; s < std::min(supports_.size(), restored_.size()); ++s) supports_[s].force = restored_[s];
  if (rules_.compliant) {
    patch_laws_.resize(world.model.surfaces.size());
    has_patches_ = std::ranges::any_of(
        world.model.surfaces, [](const model::Surface& surface) { return surface.compliance.patch != nullptr; });
  }
  for (const model::Body& body : world.model.bodies)
    if (body.rotates() && body.mass > 0)
      body_arm_ = std::max(body_arm_, std::sqrt(body.inertia.diagonal().maxCoeff() / body.mass));
  prepared_ = true;
}

// How fast things move without inertia: as what is prescribed; if nothing is, as dampers let forces move them. With the
// largest force and mass.
double EulerStep::driven_speed(const World& world, double& force, double& mass) const {
  double speed = 0, damped = 0;
  force = mass = 0;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    const model::Body& body = world.model.bodies[i];
    speed = std::max(speed, speed_of(drive_[i]));
    if (!world.traits[i].movable) continue;
    const model::Wrench wrench =
        contact::applied_wrench(world.model, static_cast<int>(i), world.traits[i], world.state);
    if (body.linear_damping > 0) damped = std::max(damped, wrench.force.norm() / body.linear_damping);
    if (body.angular_damping > 0) damped = std::max(damped, body_arm_ * wrench.torque.norm() / body.angular_damping);
    mass = std::max(mass, body.mass);
    double resistance = wrench.force.norm();
    if (body_arm_ > 0) resistance = std::max(resistance, wrench.torque.norm() / body_arm_);
    for (const model::Support::Point& point : body.support.points) resistance += body.support.friction * point.load;
    force = std::max(force, resistance);
  }
  return speed > 0 || motion_.model == MotionModel::Dynamic ? speed : damped;
}

// Without a speed or a force there is nothing to compare with, and any weight will do.
void EulerStep::choose_weight(const World& world) {
  double force = 0, mass = 0;
  const double speed = driven_speed(world, force, mass);
  motion_.weight = speed > 0 && force > 0 ? kShare * h_ * force / (mass * speed) : 1.0;
}

void EulerStep::pose(World& world, int iteration) {
  for (Island& island : system_.islands()) pose(world, island, iteration);
}

void EulerStep::pose(World& world, Island& island, int iteration) {
  complementarity::ContactProblem& problem = island.problem;
  const std::size_t n = island.contacts.size();
  const bool supports = supports_in_problem_ && !supports_.empty();
  problem.kind.assign(supports ? n : 0, ContactKind::Frictional);
  problem.normal_impulse.assign(supports ? n : 0, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    double *q = problem.q.data() + i * index(D_), *r = island.r.data() + i * index(D_);
    const int c = island.contacts[i];
    const ContactRows& row = rows_[index(c)];
    Vec3 force;
    if (is_support(c)) {
      const SupportPoint& support = supports_[index(c) - contacts_.size()];
      pose_support(row, q);
      problem.kind[i] = ContactKind::Support;
      problem.normal_impulse[i] = h_ * support.load;
      problem.mu[i] = support.friction;
      force = support.force;
    } else {
      pose_contact(world, island, i, iteration, q);
      const model::Surface& surface = world.model.surfaces[index(contacts_[index(c)].surface)];
      force = memory_[index(c)].force;
      const double p_n = warm_ ? r[0] : h_ * force.dot(row.direction[0]);
      problem.mu[i] = smoothed(contact::friction_coefficient(surface, memory_[index(c)].mode), p_n);
    }
    if (!warm_) {
      for (int k = 0; k < D_; ++k) r[k] = h_ * force.dot(row.direction[k]);
      if (is_support(c))
        r[0] = problem.normal_impulse[i];
      else if (memory_[index(c)].mode == Mode::Slide)
        put_on_cone(problem.mu[i], D_, r);
    }
  }
}

void EulerStep::pose_support(const ContactRows& row, double* q) {
  const auto a = index(row.a), b = index(row.b);
  q[0] = 0;
  for (int k = 1; k < 3; ++k)
    q[k] = relative_velocity(row, k, free_[a], free_[b]) + relative_velocity(row, k, drive_[a], drive_[b]);
}

void EulerStep::pose_contact(World& world, const Island& island, std::size_t i, int iteration, double* q) {
  const int c = island.contacts[i];
  const ContactRows& row = rows_[index(c)];
  const auto a = index(row.a), b = index(row.b);
  ContactMemory& memory = memory_[index(c)];
  // The gap without the motion that led to it: with redundant contacts, what rounding leaves of it would decide how
  // they share their load.
  const double way = iteration > 0 ? h_ * relative_velocity(row, 0, last_[a], last_[b]) : 0.0;
  double gap = without_rounding_noise(contacts_[index(c)], at_, way);
  if (rules_.closed_only && std::fabs(gap) <= kTouching * arm_of(contacts_[index(c)], at_)) gap = 0;
  q[0] = relative_velocity(row, 0, free_[a], free_[b]) + (gap - overlap_[index(c)]) / h_;
  if (rules_.closed_only) q[0] += relative_velocity(row, 0, drive_[a], drive_[b]);
  for (int k = 1; k < D_; ++k)
    q[k] = relative_velocity(row, k, free_[a], free_[b]) + relative_velocity(row, k, drive_[a], drive_[b]);
  if (memory.mode == Mode::Open)
    memory.mode = mode_before_touch(row, world.model.dimension, world.state.bodies[a].velocity,
                                    b < world.state.bodies.size() ? world.state.bodies[b].velocity : model::Twist{});
  const model::Compliance* layer = compliance_of(world, c);
  if (layer != nullptr && layer->patch) {
    pose_element(world, row, index(c), q);
  } else if (layer != nullptr) {
    q[0] += contact::normal_spring(*layer, h_).normal_term(memory.deformation);
    const contact::SpringDamper tangential = contact::tangential_spring(*layer, h_);
    for (int k = 1; k < D_; ++k) q[k] += tangential.tangential_term(memory.shear.dot(row.direction[k]));
  }
}

bool EulerStep::solve_problems(World& world, StepReport& report, StepFailure& failure) {
  report.contacts = static_cast<int>(contacts_.size());
  pool_.solve(world.method, system_.islands());
  for (Island& island : system_.islands())
    if (!finish_island(world, island, report, failure)) return false;
  warm_ = true;
  return true;
}

bool EulerStep::solve_island(World& world, Island& island, StepReport& report, StepFailure& failure) {
  pool_.solve(world.method, island);
  return finish_island(world, island, report, failure);
}

// Static friction that gives way, and the report.
bool EulerStep::finish_island(World& world, Island& island, StepReport& report, StepFailure& failure) {
  ++report.solves;
  while (island.summary.solved() && weaken(world, island)) {
    ++report.solves;
    pool_.solve(world.method, island);
  }
  if (!island.summary.solved()) {
    report.certified = false;
    report.residual = island.summary.residual.error;
    report.solver = island.summary.solver;
    report_failure(world, &island, report, why_unsolved(world, island), failure);
    return false;
  }
  if (island.summary.residual.error >= report.residual) {
    report.residual = island.summary.residual.error;
    report.solver = island.summary.solver;
  }
  return true;
}

// A quasi-static problem without a solution: bodies that are driven into each other leave none even without friction.
std::string EulerStep::why_unsolved(const World& world, const Island& island) {
  if (motion_.model != MotionModel::QuasiStatic) return {};
  Island smooth = island;
  std::fill(smooth.problem.mu.begin(), smooth.problem.mu.end(), 0.0);
  std::fill(smooth.r.begin(), smooth.r.end(), 0.0);
  if (!pool_.solve(world.method, smooth))
    return "jammed: no motion satisfies the contacts; bodies that are driven squeeze what lies between them";
  return "jammed: friction leaves no motion that satisfies the contacts (or none that a solver found)";
}

// Static friction that gave way (contact_memory.h); supports have one coefficient only.
bool EulerStep::weaken(const World& world, Island& island) {
  if (supports_.empty() || !supports_in_problem_)
    return weaken_broken_contacts(world.model, contacts_, memory_, island);
  bool any = false;
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const int c = island.contacts[i];
    if (is_support(c) || memory_[index(c)].mode == Mode::Slide) continue;
    const model::Surface& surface = world.model.surfaces[index(contacts_[index(c)].surface)];
    const double* r = island.r.data() + i * index(D_);
    const bool broken = r[0] > 0 && tangential_norm(r, D_) >= island.problem.mu[i] * r[0] * (1 - kOnTheCone);
    if (surface.friction_static == surface.friction_kinetic || !broken) continue;
    memory_[index(c)].mode = Mode::Slide;
    island.problem.mu[i] = surface.friction_kinetic;
    any = true;
  }
  return any;
}

double EulerStep::largest_impulse() const {
  double largest = 0;
  for (const Island& island : system_.islands())
    for (double r : island.r) largest = std::max(largest, std::fabs(r));
  return largest;
}

// The proximal steps of quasi-static motion went on for ever: which of the two ways?
std::string EulerStep::no_equilibrium(const World& world, double first_impulse) const {
  if (largest_impulse() > 10 * first_impulse && first_impulse > 0)
    return "jammed: no quasi-static motion satisfies the contacts; what is driven presses with a force that grows "
           "without limit";
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i)
    if (velocity_[i].linear.norm() > velocity_[fastest].linear.norm()) fastest = i;
  return "no equilibrium: nothing balances the forces on '" + world.model.bodies[fastest].name +
         "'; a quasi-static body moves only as far as something pushes it (use motion = \"dynamic\")";
}

void EulerStep::remember(World& world) {
  for (const Island& island : system_.islands()) {
    const VelocityNoise noise(island);
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const int c = island.contacts[i];
      const ContactRows& row = rows_[index(c)];
      const double *r = island.r.data() + i * index(D_), *q = island.problem.q.data() + i * index(D_);
      if (is_support(c)) {
        Vec3& force = supports_[index(c) - contacts_.size()].force;
        force = (r[1] * row.direction[1] + r[2] * row.direction[2]) / h_;
        continue;
      }
      ContactMemory& memory = memory_[index(c)];
      record_outcome(row, D_, r, q, end_.bodies[index(row.a)].velocity, end_.bodies[index(row.b)].velocity, h_,
                     world.method.certificate, noise.of(static_cast<int>(i)), memory);
      const model::Compliance* layer = compliance_of(world, c);
      if (layer == nullptr) continue;
      if (!layer->patch)
        remember_compliance(world, c, r);
      else if (contacts_[index(c)].id.element == 0)
        remember_patch(world, island, i);
      remember_sliding(world, c, r, island.problem.mu[i]);
    }
  }
}

void EulerStep::remember_compliance(const World& world, int c, const double* r) {
  const model::Compliance& layer = *compliance_of(world, c);
  const ContactRows& row = rows_[index(c)];
  ContactMemory& memory = memory_[index(c)];
  const Vec3 shear = memory.shear;
  memory.deformation = contact::normal_spring(layer, h_).next(r[0], memory.deformation);
  memory.shear.setZero();
  const contact::SpringDamper tangential = contact::tangential_spring(layer, h_);
  for (int k = 1; k < D_; ++k) memory.shear += tangential.next(r[k], shear.dot(row.direction[k])) * row.direction[k];
}

void EulerStep::remember_sliding(const World& world, int c, const double* r, double mu) {
  const ContactRows& row = rows_[index(c)];
  ContactMemory& memory = memory_[index(c)];
  if (!memory.touching) return;
  // The bodies move against each other while the layer gives way; it slides when friction is used up.
  if (tangential_norm(r, D_) >= mu * r[0] * (1 - kOnTheCone))
    memory.mode = Mode::Slide;
  else
    memory.mode =
        rolls(row, world.model.dimension, end_.bodies[index(row.a)].velocity, end_.bodies[index(row.b)].velocity, 0)
            ? Mode::Roll
            : Mode::Stick;
}

}  // namespace stickslip::stepping
