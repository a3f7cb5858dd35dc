// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/stewart_trinkle.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/contact/compliance.h"
#include "stickslip/contact/contact_response.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/corner_pass.h"
#include "stickslip/stepping/motion_model.h"
#include "stickslip/stepping/rest.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Island;
using contact::Mode;
using contact::relative_velocity;

namespace {

constexpr int kManyRigid = 100;  // contacts; smaller rigid islands are solved to rounding

}  // namespace

StepReport StewartTrinkle::advance(World& world, double h, double end_time) {
  StepReport report;
  if (free_.empty()) {
    plain_ = world.method.friction == FrictionLaw::Cone && world.method.solver == "auto" &&
             world.method.compliance != SoftContacts::Normal;
    has_chains_ = has_chains(world.model);
    skips_rest_ = world.method.rest == RestingStep::Skipped && !has_chains_;
  }
  predict_free_motion(world, h);
  place_drives(world, end_time);
  if (skips_rest_) resting_.begin_step(world, h, reach_, free_, drive_);
  if (skips_rest_ && resting_.all()) {
    resting_.report(report);
    world.state.time = end_time;
    return report;
  }
  find_contacts(world, h);
  const bool single =
      world.model.dimension == 2 ? resolve_single<2>(world, h, report) : resolve_single<3>(world, h, report);
  if (single) {
    move_bodies(world, h, end_time);
    return report;
  }
  for (int round = 0; round == 0 || (round < kMostRimRounds && more_contacts(world, h)); ++round) {
    system_.build(world.model.dimension, world.state, contacts_, dynamics_);
    system_.assemble(dynamics_);
    soften(world, h);
    world.model.dimension == 2 ? pose_problems<2>(world, h) : pose_problems<3>(world, h);
    if (!solve_problems(world, h, report)) {
      for (std::size_t i = 0; i < start_.size(); ++i) world.state.bodies[i].velocity = start_[i];
      model::apply_drives(world.model, world.state.time, world.state);
      return report;
    }
    update_velocities(world, h);
  }
  resting_.report(report);
  remember(world, h);
  move_bodies(world, h, end_time);
  return report;
}

// Velocities that forces alone would give, and how much further than at constant velocity they can carry a body.
void StewartTrinkle::predict_free_motion(World& world, double h) {
  const std::size_t n = world.model.bodies.size();
  dynamics_.resize(n);
  free_.resize(n);
  start_.resize(n);
  drive_.resize(n);
  double change = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const contact::BodyTraits& traits = world.traits[i];
    const model::BodyState& s = world.state.bodies[i];
    start_[i] = s.velocity;
    if (!traits.movable) continue;
    const model::Body& body = world.model.bodies[i];
    contact::BodyDynamics& dynamics = dynamics_[i];
    // Of a body whose inertia does not turn with it nothing changes between steps of one length.
    const bool constant = !traits.free_rotation || (traits.isotropic && !traits.locked_rotation);
    if (!constant || h != inertia_h_) contact::evaluate_inertia(body, traits, s.pose.orientation, h, dynamics);
    const model::Wrench wrench = contact::applied_wrench(world.model, static_cast<int>(i), traits, world.state);
    model::Twist& v = free_[i];
    set_free_velocity(body, traits, dynamics, wrench, s.velocity, s.pose.orientation, h, true, v);
    // Not the difference of the velocities: its rounding changes with them, and the reach would never be the same.
    const Vec3 push = dynamics.inverse_mass.cwiseProduct(h * (wrench.force - body.linear_damping * s.velocity.linear));
    for (int k = 0; k < 3; ++k)
      if (traits.free_translation[static_cast<std::size_t>(k)]) change = std::max(change, std::fabs(push[k]));
  }
  reach_ = 2 * h * change;
  inertia_h_ = h;
}

// Contacts are those of prescribed bodies at the end of the step and all others at its start. Prescribed bodies have
// done their motion, so the collider must not count their velocity into what may be reached: the state shows it as zero
// until the velocities are updated.
void StewartTrinkle::place_drives(World& world, double end_time) {
  for (std::size_t i = 0; i < drive_.size(); ++i) {
    const contact::BodyTraits& traits = world.traits[i];
    if (!traits.driven) continue;
    model::apply_drive(world.model.bodies[i].drive, end_time, world.state.bodies[i]);
    model::Twist& v = world.state.bodies[i].velocity;
    drive_[i] = part_of(traits, v, false);
    v = part_of(traits, v, true);
  }
}

// Potential contacts of all bodies that do not rest, and of those that one of them comes near to.
void StewartTrinkle::find_contacts(World& world, double h) {
  while (skips_rest_ && resting_.any()) {
    if (!world.collider.find_moving(world.model, world.state, reach_, h, resting_.stillness(), contacts_, disturbed_)) {
      resting_.wake_all();
      break;
    }
    if (disturbed_.empty()) return;
    resting_.wake(disturbed_);
  }
  if (has_chains_) contacts_ = world.contacts;
  world.collider.find(world.model, world.state, reach_, h, contacts_);
  leave_out_passing(world, h, contacts_);
}

// Points of rims that would sink in at the velocities found: then the step is solved again with them. Prescribed bodies
// have done their motion.
bool StewartTrinkle::more_contacts(World& world, double h) {
  if (contacts_.size() < 2) return false;
  motion_.resize(drive_.size());
  for (std::size_t i = 0; i < drive_.size(); ++i)
    motion_[i] = scaled_sum(1, world.state.bodies[i].velocity, -1, drive_[i]);
  if (!world.collider.find_more(world.model, world.state, motion_, h, contacts_, more_)) return false;
  insert_contacts(more_, contacts_);
  return true;
}

// Null: the contact is rigid.
const model::Compliance* StewartTrinkle::softness_of(const World& world, const collision::Contact& contact) const {
  if (world.method.compliance != SoftContacts::Normal) return nullptr;
  const model::Compliance& compliance = world.model.surfaces[index(contact.surface)].compliance;
  return compliance.stiffness_normal > 0 ? &compliance : nullptr;
}

// R of soft contacts, on the diagonal of W.
void StewartTrinkle::soften(const World& world, double h) {
  if (world.method.compliance != SoftContacts::Normal) return;
  const auto block = static_cast<std::size_t>(system_.dimension() * system_.dimension());
  for (Island& island : system_.islands())
    for (std::size_t i = 0; i < island.contacts.size(); ++i)
      if (const model::Compliance* soft = softness_of(world, contacts_[index(island.contacts[i])])) {
        complementarity::BlockMatrix& W = island.problem.W;
        W.value[index(W.diagonal[i]) * block] += contact::normal_spring(*soft, h).compliance();
        ++island.soft_contacts;
      }
}

ContactMotion StewartTrinkle::motion_at(const World& world, std::size_t a, std::size_t b) const {
  return {{free_[a], free_[b]},
          {drive_[a], drive_[b]},
          {start_[a], start_[b]},
          world.traits[a].driven || world.traits[b].driven};
}

template <int D>
void StewartTrinkle::pose_problems(World& world, double h) {
  carry_over(world.memory, contacts_, memory_);
  for (Island& island : system_.islands()) {
    complementarity::ContactProblem& problem = island.problem;
    gap_term_.assign(island.contacts.size(), 0.0);
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const auto c = static_cast<std::size_t>(island.contacts[i]);
      const ContactRows& rows = system_.rows()[c];
      const collision::Contact& contact = contacts_[c];
      ContactMemory& memory = memory_[c];
      const ContactMotion motion = motion_at(world, index(rows.a), index(rows.b));
      double* q = problem.q.data() + i * static_cast<std::size_t>(D);
      set_free_terms<D>(rows, motion.free, motion.drive, motion.driven, q);
      if (const model::Compliance* soft = softness_of(world, contact)) {  // how deep it is pressed is no error
        const double gap = without_rounding_noise(contact, world.state);
        q[0] += gap / h + contact::normal_spring(*soft, h).normal_term(std::max(0.0, -gap));
      } else {
        gap_term_[i] = rigid_gap_term<D>(world, contact, rows, world.state, motion, h, world.method.step);
        q[0] += gap_term_[i];
      }
      problem.mu[i] = friction_term(world, contact, rows, motion.start, memory.mode);
      set_start(rows, D, memory.force, h, island.r.data() + i * static_cast<std::size_t>(D));
    }
    leave_out_gap_noise(world, island);
  }
}

// A large rigid island has more contacts than its bodies have freedoms. Gaps that differ by what the last solves left ask
// for motions of that size in contacts that stick, and for impulses at the edges of their cones there: such problems
// stall, and the bodies never come to rest. What the certificate at worst leaves open of a gap over the step is therefore no
// gap.
void StewartTrinkle::leave_out_gap_noise(const World& world, Island& island) const {
  const int contacts = island.problem.contacts(), D = island.problem.dimension();
  if (contacts <= kManyRigid || island.soft_contacts > 0 || beside_motion(island)) return;
  const VelocityNoise noise(island, std::max(world.method.certificate, world.method.certificate_at_worst));
  for (int i = 0; i < contacts; ++i)
    if (std::fabs(gap_term_[index(i)]) <= noise.of(i)) island.problem.q[index(i * D)] -= gap_term_[index(i)];
}

// Is a prescribed motion under way at one of its contacts?
bool StewartTrinkle::beside_motion(const Island& island) const {
  return std::ranges::any_of(island.contacts, [&](int c) {
    const ContactRows& rows = system_.rows()[index(c)];
    return std::ranges::any_of(std::array{rows.a, rows.b}, [&](int body) {
      return !drive_[index(body)].linear.isZero(0) || !drive_[index(body)].angular.isZero(0);
    });
  });
}

// Had none of its bodies a velocity at the start of the step?
bool StewartTrinkle::stood(const Island& island) const {
  return std::ranges::all_of(island.bodies, [&](const std::pair<int, int>& bodies) {
    return std::ranges::all_of(std::array{bodies.first, bodies.second}, [&](int body) {
      return body < 0 || (start_[index(body)].linear.isZero(0) && start_[index(body)].angular.isZero(0));
    });
  });
}

// Up to which velocities the bodies of an island are as good as still (rest.h). None: rounding is removed body by body.
Rest::Bound StewartTrinkle::rest_bound(const World& world, const Island& island, double h) const {
  const bool gives_way = world.method.compliance == SoftContacts::Normal;
  const bool large = island.problem.contacts() > (gives_way ? ModeNewton::kMaxContacts : kManyRigid);
  if ((!large && island.soft_contacts == 0) || beside_motion(island)) return {};
  if (large) return {world.method.certificate, 0};
  double size = 0;
  for (const int c : island.contacts) size = std::max(size, coordinates_of(contacts_[index(c)], world.state));
  return {kVelocityNoise, kGapNoise * size / h};
}

// Islands that stood, and stay where they are with the impulses of the last step, need no solver.
void StewartTrinkle::keep_rest(const World& world, double h) {
  for (Island& island : system_.islands()) {
    island.answered = false;
    if (!stood(island)) continue;
    const Rest::Bound bound = rest_bound(world, island, h);
    if (!bound.any() || !rest_.stays(system_, island, dynamics_, free_, bound)) continue;
    const complementarity::Residual residual = complementarity::contact_residual(island.problem, island.r);
    if (!(residual.error <= world.method.certificate)) continue;
    island.summary = {};
    island.summary.status = complementarity::Status::Solved;
    island.summary.residual = residual;
    island.summary.solver = "warm-start";
    island.answered = true;
  }
}

bool StewartTrinkle::solve_problems(World& world, double h, StepReport& report) {
  report.contacts = static_cast<int>(contacts_.size());
  keep_rest(world, h);
  solver_.solve(world.method, system_.islands());
  const bool shares = world.method.friction == FrictionLaw::Cone && world.method.compliance != SoftContacts::Normal;
  for (Island& island : system_.islands())
    if (!solver_.finish(world, {system_, dynamics_, contacts_, memory_}, island, shares, report)) {
      fail_step(world, island, contacts_, {}, report, failure_);
      return false;
    }
  return true;
}

// v+ = v_free + A^-1 J' r + v_drive
void StewartTrinkle::update_velocities(World& world, double h) {
  set_free_velocities(world);
  rest_.apply_impulses(system_, dynamics_, free_, world.state);
  for (const Island& island : system_.islands())
    if (const Rest::Bound bound = rest_bound(world, island, h); bound.any())
      rest_.settle_island(island, dynamics_, free_, bound, world.state);
  add_drives(world);
}

void StewartTrinkle::set_free_velocities(World& world) const {
  for (std::size_t i = 0; i < free_.size(); ++i)
    if ((world.traits[i].movable || world.traits[i].driven) && !resting_.rests(i))
      world.state.bodies[i].velocity = free_[i];
}

void StewartTrinkle::add_drives(World& world) const {
  for (std::size_t i = 0; i < drive_.size(); ++i) {
    if (!world.traits[i].driven || resting_.rests(i)) continue;
    model::Twist& v = world.state.bodies[i].velocity;
    v.linear += drive_[i].linear;
    v.angular += drive_[i].angular;
  }
}

void StewartTrinkle::remember(World& world, double h) {
  for (const Island& island : system_.islands())
    remember_contacts(world, island, system_.rows(), world.state.bodies, h, true, memory_);
  if (skips_rest_) {
    resting_.end_step(world, {system_, contacts_, memory_, start_, free_, drive_});
    resting_.add_resting(contacts_, memory_);
  }
  world.contacts.swap(contacts_);
  world.memory.swap(memory_);
}

void StewartTrinkle::move_bodies(World& world, double h, double end_time) {
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const contact::BodyTraits& traits = world.traits[i];
    if (!traits.movable) continue;
    model::BodyState& s = world.state.bodies[i];
    displace(s, s.velocity, h, traits, world.model.bodies[i].planar());
  }
  world.state.time = end_time;
}

// All that later steps read is in the world.
void StewartTrinkle::save(ByteWriter&) const {}
void StewartTrinkle::restore(ByteReader&) {}

}  // namespace stickslip::stepping
