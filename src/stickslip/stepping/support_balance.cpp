// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/support_balance.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/union_find.h"
#include "stickslip/contact/compliance.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/quasi_static.h"

#include <algorithm>
#include <numeric>

namespace stickslip::stepping {

using complementarity::ContactKind;
using contact::Island;
using contact::relative_velocity;

namespace {

constexpr double kBalanced = 1e-11;  // certificate: what rounding leaves of forces that are large beside inertia

void copy_row(const contact::ContactRows& row, int k, double* a, double* b) {
  const Vec3& d = row.direction[k];
  a[0] = b[0] = d.x(), a[1] = b[1] = d.y();
  a[2] = row.moment_a[k].z(), b[2] = row.moment_b[k].z();
}

// Bases whose bodies start at rest over their planes are held. True when that changes anything.
bool hold_resting_bases(ForceBalance& balance) {
  bool any = false;
  for (ForceBalance::Base& base : balance.bases) {
    double B[3];
    balance.slip_of(base, B);
    const double slip = std::max({std::fabs(B[0]), std::fabs(B[1]), balance.arm * std::fabs(B[2])});
    if (base.stand == ForceBalance::Stand::Lock || slip > kVelocityNoise * balance.speed) continue;
    base.stand = ForceBalance::Stand::Lock;
    any = true;
  }
  return any;
}

}  // namespace

// Bodies that touch, or stand on each other, share a group: the lowest of their numbers. -1: does not move.
void SupportBalance::group_bodies(const StepData& step) {
  group_.resize(step.dynamics.size());
  std::iota(group_.begin(), group_.end(), 0);
  const auto join = [&](int a, int b) {
    if (!step.dynamics[index(a)].movable || !step.dynamics[index(b)].movable) return;
    const int root_a = complementarity::find_root(group_, a), root_b = complementarity::find_root(group_, b);
    group_[index(std::max(root_a, root_b))] = std::min(root_a, root_b);
  };
  for (const contact::ContactRows& row : step.rows) join(row.a, row.b);
  for (const Footing& footing : step.supports.footings) join(footing.body, footing.plane);
  for (std::size_t i = 0; i < group_.size(); ++i)
    group_[i] = step.dynamics[i].movable ? complementarity::find_root(group_, static_cast<int>(i)) : -1;
}

// The place of a body among the unknowns, entered when it is met first. -1: it does not move freely.
int SupportBalance::unknown_of(const World& world, const StepData& step, int body) {
  if (!step.dynamics[index(body)].movable) return -1;
  int& place = unknown_[index(body)];
  if (place >= 0) return place;
  place = static_cast<int>(balance_.bodies.size());
  ForceBalance::Body& unknown = balance_.bodies.emplace_back();
  unknown.id = index(body);
  const model::Body& b = world.model.bodies[index(body)];
  const model::Twist &start = step.reference[index(body)], &free = step.bare[index(body)];
  const Vec3& inverse_mass = step.dynamics[index(body)].inverse_mass;
  const double inverse[3] = {inverse_mass.x(), inverse_mass.y(), step.dynamics[index(body)].inverse_inertia(2, 2)};
  const double v[3] = {start.linear.x(), start.linear.y(), start.angular.z()};
  const double v_free[3] = {free.linear.x(), free.linear.y(), free.angular.z()};
  model::Wrench wrench;
  if (step.motion.model == MotionModel::QuasiStatic)
    wrench = contact::applied_wrench(world.model, body, world.traits[index(body)], step.at);
  const double impulse[3] = {step.h * wrench.force.x(), step.h * wrench.force.y(), step.h * wrench.torque.z()};
  const double damping[3] = {step.h * b.linear_damping, step.h * b.linear_damping, step.h * b.angular_damping};
  for (std::size_t k = 0; k < 3; ++k) {
    unknown.velocity[k] = v[k];
    unknown.free[k] = inverse[k] > 0;
    const bool quasi_static = step.motion.model == MotionModel::QuasiStatic;
    unknown.inertia[k] = quasi_static ? damping[k] : inverse[k] > 0 ? 1 / inverse[k] : 0.0;
    unknown.impulse[k] = quasi_static ? impulse[k] : unknown.inertia[k] * v_free[k];
  }
  return place;
}

void SupportBalance::add_link(const World& world, const StepData& step, const Island& island, std::size_t i) {
  const int c = island.contacts[i];
  const contact::ContactRows& row = step.rows[index(c)];
  const double *r = island.r.data() + i * 2, *q = island.problem.q.data() + i * 2;
  ForceBalance::Link& link = balance_.links.emplace_back();
  link.a = unknown_of(world, step, row.a);
  link.b = unknown_of(world, step, row.b);
  link.mu = island.problem.mu[i];
  for (int k = 0; k < 2; ++k) {
    copy_row(row, k, link.row_a[k], link.row_b[k]);
    link.bias[k] = q[k] - relative_velocity(row, k, step.free[index(row.a)], step.free[index(row.b)]);
    link.impulse[k] = r[k];
  }
  if (const model::Compliance* layer = step.compliance_of(world, c)) {
    link.compliance[0] = contact::normal_spring(*layer, step.h).compliance();
    link.compliance[1] = contact::tangential_spring(*layer, step.h).compliance();
  }
  using Law = ForceBalance::Law;
  if (r[0] > 0) link.law = step.memory[index(c)].mode == contact::Mode::Slide ? Law::Slide : Law::Stick;
}

void SupportBalance::add_base(const World& world, const StepData& step, const Footing& footing) {
  const auto a = index(footing.body), b = index(footing.plane);
  const model::Pose& pose = step.at.bodies[a].pose;
  ForceBalance::Base& base = balance_.bases.emplace_back();
  base.a = unknown_of(world, step, footing.body);
  base.b = unknown_of(world, step, footing.plane);
  const bool moves = b + 1 < step.at.bodies.size();  // else the plane that stands still
  const Vec3 lever = moves ? Vec3(pose.position - step.at.bodies[b].pose.position) : Vec3::Zero();
  base.lever[0] = lever.x(), base.lever[1] = lever.y();
  const Vec3 drift = step.drive[a].linear - step.drive[b].linear - step.drive[b].angular.cross(lever);
  base.bias[0] = drift.x(), base.bias[1] = drift.y();
  base.bias[2] = step.drive[a].angular.z() - step.drive[b].angular.z();
  base.id = footing.first;
  base.first = balance_.points.size();
  base.count = footing.count;
  for (std::size_t s = footing.first; s < footing.first + footing.count; ++s) {
    const Vec3 arm = pose.orientation * step.supports.points[s].position;
    const Vec3& force = step.supports.points[s].force;
    const double limit = step.h * step.supports.points[s].friction * step.supports.points[s].load;
    balance_.points.push_back({arm.x(), arm.y(), limit, {step.h * force.x(), step.h * force.y()}});
  }
}

void SupportBalance::collect(const World& world, const StepData& step, int group) {
  balance_.clear();
  std::fill(unknown_.begin(), unknown_.end(), -1);
  for (const Footing& footing : step.supports.footings)
    if (group_[index(footing.body)] == group) add_base(world, step, footing);
  for (const Island& island : step.system.islands()) {
    if (group_of(step, island) != group) continue;
    for (std::size_t i = 0; i < island.contacts.size(); ++i) add_link(world, step, island, i);
  }
}

int SupportBalance::group_of(const StepData& step, const Island& island) const {
  const contact::ContactRows& row = step.rows[index(island.contacts[0])];
  return std::max(group_[index(row.a)], group_[index(row.b)]);
}

// Velocities of the unknowns, from twists of all bodies.
void SupportBalance::set_unknowns(const std::vector<model::Twist>& twists) {
  for (ForceBalance::Body& body : balance_.bodies) {
    const model::Twist& v = twists[body.id];
    body.velocity[0] = v.linear.x(), body.velocity[1] = v.linear.y(), body.velocity[2] = v.angular.z();
  }
}

// Adds what supports do to the free velocities, and notes how large the terms of that sum are.
void SupportBalance::push_by_supports(StepData& step) {
  for (const ForceBalance::Base& base : balance_.bases) {
    double w[3] = {}, sum = 0, turning = 0;
    for (std::size_t k = base.first; k < base.first + base.count; ++k) {
      const ForceBalance::Point& point = balance_.points[k];
      w[0] += point.p[0], w[1] += point.p[1];
      w[2] += point.x * point.p[1] - point.y * point.p[0];
      sum += point.limit;
      turning += point.limit * (std::fabs(point.x) + std::fabs(point.y));
    }
    for (const bool plane : {false, true}) {
      const int unknown = plane ? base.b : base.a;
      if (unknown < 0) continue;
      const std::size_t i = balance_.bodies[index(unknown)].id;
      const double sign = plane ? -1 : 1, *lever = base.lever;
      const double torque = w[2] + (plane ? lever[0] * w[1] - lever[1] * w[0] : 0.0);
      const double arm = plane ? std::fabs(lever[0]) + std::fabs(lever[1]) : 0.0;
      const contact::BodyDynamics& dynamics = step.dynamics[i];
      step.free[i].linear += sign * dynamics.inverse_mass.cwiseProduct(Vec3(w[0], w[1], 0));
      step.free[i].angular.z() += sign * dynamics.inverse_inertia(2, 2) * torque;
      step.rubbing[i].linear.x() += sum * dynamics.inverse_mass.maxCoeff();
      step.rubbing[i].angular.z() += (turning + arm * sum) * dynamics.inverse_inertia(2, 2);
    }
  }
}

// The natural map over the points of the group's supports, as contact_residual.h defines it over contacts.
double SupportBalance::support_error(const StepData& step) {
  struct Sums {
    double defect = 0, r = 0, u = 0, q = 0;
  } plain, scaled;
  for (const ForceBalance::Base& base : balance_.bases) {
    double B[3], B_free[3];
    set_unknowns(step.bare);
    balance_.slip_of(base, B_free);
    set_unknowns(step.velocity);
    balance_.slip_of(base, B);
    for (std::size_t k = 0; k < base.count; ++k) {
      const ForceBalance::Point& point = balance_.points[base.first + k];
      const SupportPoint& support = step.supports.points[base.id + k];
      double response = 0;  // mean over its two rows
      for (const bool plane : {false, true}) {
        if ((plane ? base.b : base.a) < 0) continue;
        const contact::BodyDynamics& dynamics = step.dynamics[balance_.bodies[index(plane ? base.b : base.a)].id];
        const double x = point.x + (plane ? base.lever[0] : 0.0), y = point.y + (plane ? base.lever[1] : 0.0);
        response += 0.5 * (dynamics.inverse_mass.x() + dynamics.inverse_mass.y() +
                           (x * x + y * y) * dynamics.inverse_inertia(2, 2));
      }
      const double scale = response > 0 ? 1 / std::sqrt(response) : 1.0;
      double s[2], s_free[2];
      ForceBalance::slip_at(point, B, s);
      ForceBalance::slip_at(point, B_free, s_free);
      for (Sums* sums : {&plain, &scaled}) {
        const double f = sums == &plain ? 1.0 : scale, given = step.h * support.load / f;
        const double r[3] = {given, point.p[0] / f, point.p[1] / f}, u[3] = {0, s[0] * f, s[1] * f};
        sums->r += r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        sums->u += u[1] * u[1] + u[2] * u[2];
        sums->q += (s_free[0] * s_free[0] + s_free[1] * s_free[1]) * f * f + (sums == &scaled ? given * given : 0.0);
        sums->defect += complementarity::natural_defect_squared<3>(ContactKind::Support, support.friction, given, r, u);
      }
    }
  }
  const double largest = std::sqrt(std::max({plain.r, plain.u, plain.q}));
  const double natural = plain.defect > 0 ? std::sqrt(plain.defect) / largest : 0.0;
  return std::max(natural, complementarity::scaled_error(scaled.defect, scaled.r, scaled.u, scaled.q));
}

// Makes the answer of balance_ that of the group: free velocities with what supports do, impulses of the islands. The
// worst certificate.
double SupportBalance::apply(const Parts& parts, const World& world, int group, int iteration, StepData& step) {
  for (const ForceBalance::Body& body : balance_.bodies) {
    const std::size_t i = body.id;
    if (step.motion.model == MotionModel::QuasiStatic) {
      step.reference[i].linear = Vec3(body.velocity[0], body.velocity[1], 0);
      step.reference[i].angular = Vec3(0, 0, body.velocity[2]);
      step.motion.evaluate(world.model, static_cast<int>(i), world.traits[i], world.state.bodies[i], step.at,
                           step.reference[i], step.dynamics[i], step.bare[i]);
    }
    step.free[i] = step.bare[i];
    step.rubbing[i] = {};
  }
  push_by_supports(step);
  for (const ForceBalance::Body& body : balance_.bodies) {
    step.velocity[body.id] = step.free[body.id];
    step.remove_support_noise(body.id, step.velocity[body.id]);
  }
  double error = 0;
  std::size_t next = 0;
  for (Island& island : step.system.islands()) {
    if (group_of(step, island) != group) continue;
    parts.equations.pose(world, iteration, parts.compliant, step, island);
    for (std::size_t i = 0; i < island.contacts.size(); ++i, ++next) {
      double* r = island.r.data() + 2 * i;
      std::copy(balance_.links[next].impulse, balance_.links[next].impulse + 2, r);
      const contact::ContactRows& row = step.system.rows()[index(island.contacts[i])];
      const auto a = index(row.a), b = index(row.b);
      contact::apply_impulse<2>(row, r, step.dynamics[a], step.dynamics[b], step.velocity[a], step.velocity[b]);
    }
    island.summary.status = complementarity::Status::Solved;
    island.summary.residual = complementarity::contact_residual(island.problem, island.r);
    island.summary.solver = "force-balance";
    error = std::max(error, island.summary.residual.error);
  }
  return std::max(error, support_error(step));
}

// In the modes of the last step; then with what rests held (friction that is just used up looks like sliding); then by
// search.
bool SupportBalance::settle_group(const Parts& parts, const World& world, int group, int iteration, StepData& step,
                                  StepReport& report) {
  enum { Modes, Held, Search } attempt = Modes;
  balance_.clear();  // of another group
  for (std::size_t weakened = 0; weakened <= step.contacts.size();) {
    for (const ForceBalance::Body& body : balance_.bodies) step.reference[body.id] = last_reference_[body.id];
    collect(world, step, group);
    bool found = true;
    if (attempt == Search)
      found = balance_.search(world.method, solver_);
    else
      balance_.choose_stands();
    if (attempt == Held && !hold_resting_bases(balance_)) {
      attempt = Search;
      continue;
    }
    if (!found) return false;
    found = balance_.solve();
    ++report.solves;
    const double error = found ? apply(parts, world, group, iteration, step) : complementarity::Residual::kUnknown;
    if (!(error <= (attempt == Search ? world.method.certificate : kBalanced))) {
      if (attempt == Search) return false;
      attempt = attempt == Modes ? Held : Search;
      continue;
    }
    bool any = false;
    for (Island& island : step.system.islands())
      if (group_of(step, island) == group)
        any |= weaken_broken_contacts(world.model, step.contacts, step.memory, island);
    if (any) {
      ++weakened;
      attempt = Modes;
      continue;
    }
    for (const ForceBalance::Base& base : balance_.bases)
      for (std::size_t k = 0; k < base.count; ++k) {
        const ForceBalance::Point& point = balance_.points[base.first + k];
        step.supports.points[base.id + k].force = Vec3(point.p[0], point.p[1], 0) / step.h;
      }
    report.residual = std::max(report.residual, error);
    report.solver = "force-balance";
    return true;
  }
  return false;
}

bool SupportBalance::applies(const World& world, const CompliantContacts& compliant) {
  return world.method.friction == FrictionLaw::Cone && world.method.solver == "auto" && !compliant.has_patches();
}

bool SupportBalance::settle(const Parts& parts, const World& world, int iteration, StepData& step, StepReport& report,
                            StepFailure& failure) {
  report.contacts = static_cast<int>(step.contacts.size());
  step.put_supports_into_problem(false);
  step.D = world.model.dimension;
  parts.equations.build(world, parts.compliant, step);
  parts.equations.pose(world, iteration, parts.compliant, step);
  group_bodies(step);
  unknown_.resize(step.dynamics.size());
  step.rubbing.assign(step.dynamics.size(), {});
  step.bare = step.free;
  last_reference_ = step.reference;
  balance_.arm = step.body_arm;
  double& speed = balance_.speed = driven_speed(world, step).speed;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    speed = std::max(speed, step.speed_of(step.reference[i]));
    if (step.motion.model != MotionModel::QuasiStatic) speed = std::max(speed, step.speed_of(step.free[i]));
  }
  const StepReport before = report;
  const auto stands = [&](int group) {
    return std::ranges::any_of(step.supports.footings,
                               [&](const Footing& footing) { return group_[index(footing.body)] == group; });
  };
  bool settled = true;
  for (std::size_t g = 0; g < group_.size() && settled; ++g)
    if (group_[g] == static_cast<int>(g) && stands(group_[g]))
      settled = settle_group(parts, world, group_[g], iteration, step, report);
  for (Island& island : step.system.islands())
    if (settled && !stands(group_of(step, island)))
      settled =
          step.motion.model != MotionModel::QuasiStatic && parts.equations.solve(world, step, island, report, failure);
  if (settled) {
    step.warm = true;
    parts.equations.take_velocities(world, step);
    return true;
  }
  step.reference = last_reference_;
  report = before;
  return false;
}

}  // namespace stickslip::stepping
