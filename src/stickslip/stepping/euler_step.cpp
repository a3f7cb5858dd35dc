// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/euler_step.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/contact/compliance.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::Island;
using contact::Mode;
using contact::relative_velocity;

namespace {

constexpr int kMostIterations = 60;  // of the geometry
constexpr int kAverageAfter = 20;    // from then on, half steps: features that take turns at the end of the step
constexpr int kSameAfter = 4;        // from then on, impulses that still solve the problem are the answer
constexpr double kSame = 0.1;        // of the tolerance; all of it where solvers go on sharing loads anew
constexpr int kLooserAfter = 8;

}  // namespace

namespace {

// Does friction on its supports alone decide how a pushed body moves? Then the proximal steps of quasi-static motion
// lead to that motion from any start, and the last one is the best; else they start from rest (motion_model.h).
bool rubs(const model::Body& body) {
  return body.support.friction > 0 &&
         std::ranges::count_if(body.support.points, [](const model::Support::Point& point) { return point.load > 0; }) >
             1;
}

}  // namespace

bool EulerStep::solve(World& world, double h, double end_time, StepReport& report, StepFailure& failure) {
  begin(world, h, end_time);
  for (int iteration = 0;; ++iteration) {
    place(world, iteration);
    if (iteration == 1 && same_problem(world)) break;
    evaluate_bodies(world, iteration);
    if (iteration == 0) {
      find_contacts(world);
      show_drives(world);
    }
    if (!settle_motion(world, iteration, report, failure)) return false;
    for (int round = 1; iteration == 0 && whole_rims_ && round < kMostRimRounds && more_contacts(world); ++round)
      if (!settle_motion(world, iteration, report, failure)) return false;
    const bool nothing_moves_along = contacts_.empty() && supports_.empty() && !forces_vary_;
    if (!rules_.end_geometry || nothing_moves_along || same_impulses_) break;
    if (iteration > 0 && settled(world)) {
      keep_solved_velocities();
      break;
    }
    if (iteration == kMostIterations && rim_points_added_) {
      // Points of a rim next to each other may take turns at the end of the step: those that collision lists will do.
      whole_rims_ = false;
      const bool solved = solve(world, h, end_time, report, failure);
      whole_rims_ = true;
      return solved;
    }
    if (iteration == kMostIterations) {
      report_failure(world, nullptr, report,
                     "the geometry at the end of the step did not settle: take a shorter step, or another stepper",
                     failure);
      return false;
    }
    if (iteration >= kAverageAfter)
      for (std::size_t i = 0; i < velocity_.size(); ++i) velocity_[i] = scaled_sum(0.5, velocity_[i], 0.5, last_[i]);
  }
  move(world);
  remember(world);
  return true;
}

void EulerStep::begin(World& world, double h, double end_time) {
  const std::size_t n = world.model.bodies.size();
  h_ = h;
  end_time_ = end_time;
  time_ = world.state.time;
  whole_step_ = world.method.step;
  motion_ = {world.method.motion, h, 1.0};
  if (!prepared_) prepare(world);
  dynamics_.resize(n + 1);
  for (auto* list : {&free_, &drive_, &reference_, &velocity_, &last_}) list->resize(n + 1);
  forces_vary_ = false;
  for (std::size_t i = 0; i < n; ++i) {
    forces_vary_ |= world.traits[i].pushed;
    reference_[i] = motion_.model == MotionModel::Dynamic || rubs(world.model.bodies[i])
                        ? part_of(world.traits[i], world.state.bodies[i].velocity, true)
                        : model::Twist{};
  }
  warm_ = false;
  rim_points_added_ = false;
  gamma_ = h_ * world.method.gamma;
  at_ = world.state;
  at_.bodies.resize(n + 1);
  end_ = at_;
}

// Iteration 0: all bodies at the start of the step, prescribed ones at its end. Later: all at the estimated end.
void EulerStep::place(World& world, int iteration) {
  if (iteration == 0) {
    if (!rules_.closed_only) model::apply_drives(world.model, end_time_, at_);
    model::apply_drives(world.model, end_time_, end_);  // for the velocities
    for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
      drive_[i] = part_of(world.traits[i], end_.bodies[i].velocity, false);
      if (!world.traits[i].driven) drive_[i] = {};
      if (!rules_.closed_only) at_.bodies[i].velocity = part_of(world.traits[i], at_.bodies[i].velocity, true);
    }
    return;
  }
  last_ = velocity_;
  refresh_contacts(world, iteration);
  if (has_patches_) shift_elements(world, iteration);
}

// All bodies at the end of the step that the last velocities lead to.
void EulerStep::move_to_estimate(const World& world) {
  at_.time = end_time_;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (!world.traits[i].movable) continue;
    model::BodyState& s = at_.bodies[i];
    const model::Pose& start = world.state.bodies[i].pose;
    for (int k = 0; k < 3; ++k)
      if (world.traits[i].free_translation[index(k)])
        s.pose.position[k] = start.position[k] + h_ * velocity_[i].linear[k];
    if (world.traits[i].free_rotation) {
      s.pose.orientation = start.orientation;
      s.angle = world.state.bodies[i].angle;
      turn(s, velocity_[i].angular, h_, world.model.bodies[i].planar());
    }
    s.velocity = scaled_sum(1, velocity_[i], 1, drive_[i]);
  }
}

// Contacts are found with prescribed bodies at rest where they will be (their motion is done); forces may depend on how
// fast they move.
void EulerStep::show_drives(const World& world) {
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i)
    if (world.traits[i].driven && !rules_.closed_only)
      at_.bodies[i].velocity = scaled_sum(1, at_.bodies[i].velocity, 1, drive_[i]);
}

void EulerStep::evaluate_bodies(World& world, int iteration) {
  if (iteration == 0 && motion_.model == MotionModel::QuasiStatic) choose_weight(world);
  const model::State& forces_at = iteration == 0 ? world.state : at_;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i)
    if (world.traits[i].movable)
      motion_.evaluate(world.model, static_cast<int>(i), world.traits[i], world.state.bodies[i], forces_at,
                       reference_[i], dynamics_[i], free_[i]);
}

void EulerStep::build_problems(World& world) {
  const bool supports = supports_in_problem_ && !supports_.empty();
  rows_.resize(contacts_.size() + (supports ? supports_.size() : 0));
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    if (world.model.dimension == 3)
      contact::set_rows<3>(contacts_[c], at_, rows_[c]);
    else
      contact::set_rows<2>(contacts_[c], at_, rows_[c]);
    if (supports) contact::add_empty_tangent(rows_[c]);
  }
  for (std::size_t s = 0; supports && s < supports_.size(); ++s) {
    const SupportPoint& support = supports_[s];
    contact::set_support_rows(at_, support.body, support.plane, support.position, rows_[contacts_.size() + s]);
  }
  system_.build(D_, rows_, dynamics_);
  system_.assemble(dynamics_);
  add_compliance(world);
}

void EulerStep::add_compliance(World& world) {
  const bool supports = supports_in_problem_ && !supports_.empty();
  if (!rules_.compliant && !supports) return;
  for (Island& island : system_.islands()) {
    complementarity::BlockMatrix& W = island.problem.W;
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      double* block = W.value.data() + static_cast<std::size_t>(W.diagonal[i] * D_ * D_);
      if (const model::Compliance* layer = compliance_of(world, island.contacts[i])) {
        if (layer->patch) {
          add_patch_compliance(world, island, i);
        } else {
          const double R_t = contact::tangential_spring(*layer, h_).compliance();
          block[0] += contact::normal_spring(*layer, h_).compliance();
          for (int k = 1; k < D_; ++k) block[k * D_ + k] += R_t;
        }
      }
      if (supports) contact::complete_block(block);
    }
  }
}

bool EulerStep::is_compliant(const World& world, const collision::Contact& contact) const {
  return rules_.compliant && contact::is_compliant(world.model.surfaces[index(contact.surface)].compliance);
}

const model::Compliance* EulerStep::compliance_of(const World& world, int c) const {
  if (is_support(c) || !is_compliant(world, contacts_[index(c)])) return nullptr;
  return &world.model.surfaces[index(contacts_[index(c)].surface)].compliance;
}

// Dynamic and first-order motion need one solve; quasi-static motion proximal steps (motion_model.h).
bool EulerStep::settle_motion(World& world, int iteration, StepReport& report, StepFailure& failure) {
  if (!supports_.empty() && settle_on_supports(world, iteration, report, failure)) return true;
  put_supports_into_problem(true);
  D_ = supports_.empty() ? world.model.dimension : 3;
  build_problems(world);
  pose(world, iteration);
  same_impulses_ = iteration >= kSameAfter && still_solve(world, iteration < kLooserAfter ? kSame : 1.0, report);
  if (!same_impulses_ && !solve_problems(world, report, failure)) return false;
  take_velocities(world);
  if (motion_.model != MotionModel::QuasiStatic) return true;
  constexpr int kMostRounds = 40;
  constexpr double kBalanced = 1e-7;  // change of velocities; the imbalance left is this times the proximal share
  const double first_impulse = largest_impulse();
  for (int round = 0; round < kMostRounds; ++round) {
    double change = 0, largest = 0;
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
      const model::Twist d = scaled_sum(1, velocity_[i], -1, reference_[i]);
      change = std::max(change, speed_of(d));
      largest = std::max({largest, speed_of(velocity_[i]), speed_of(drive_[i])});
    }
    if (change <= kBalanced * largest) return true;
    reference_ = velocity_;
    evaluate_bodies(world, std::max(iteration, 1));
    pose(world, iteration);
    if (!solve_problems(world, report, failure)) return false;
    take_velocities(world);
  }
  report_failure(world, nullptr, report, no_equilibrium(world, first_impulse), failure);
  return false;
}

// Do the impulses of the last iteration solve the problem in the geometry that they led to?
bool EulerStep::still_solve(const World& world, double share, StepReport& report) {
  if (!warm_ || !rules_.end_geometry || motion_.model == MotionModel::QuasiStatic ||
      world.method.friction != FrictionLaw::Cone || gamma_ > 0)
    return false;
  double error = 0;
  for (const Island& island : system_.islands())
    error = std::max(error, complementarity::contact_residual(island.problem, island.r).error);
  if (!(error <= share * world.method.certificate)) return false;
  report.residual = std::max(report.residual, error);
  return true;
}

void EulerStep::take_velocities(World& world) {
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    end_.bodies[i].velocity = world.traits[i].movable ? free_[i] : model::Twist{};
  }
  rest_.apply_impulses(system_, dynamics_, free_, end_);
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (!supports_in_problem_) remove_support_noise(i, end_.bodies[i].velocity);
    velocity_[i] = end_.bodies[i].velocity;
    end_.bodies[i].velocity = scaled_sum(1, velocity_[i], 1, drive_[i]);
  }
}

// Impulses that hold on in the new geometry are taken as they are, and leave what a solver would have removed of
// velocities that ought to be zero: the same in every step, so that a flat box would tilt in the end. The velocities
// before were solved for, and are the same up to that.
void EulerStep::keep_solved_velocities() {
  constexpr double kNothing = 1e-12;
  if (change_ > kNothing * largest_) return;
  velocity_ = last_;
  for (std::size_t i = 0; i + 1 < velocity_.size(); ++i)
    end_.bodies[i].velocity = scaled_sum(1, velocity_[i], 1, drive_[i]);
}

// Is the linear problem at the estimated end the one that was solved at the start? So for balls and particles on
// planes: normals and arms as before, gaps where the velocities said they would be, no force or inertia that changes.
bool EulerStep::same_problem(const World& world) const {
  constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
  if (forces_vary_ || !supports_.empty() || has_patches_ || gamma_ > 0 || motion_.model == MotionModel::QuasiStatic)
    return false;
  for (std::size_t i = 0; i < world.traits.size(); ++i)
    if (!world.traits[i].isotropic && world.model.bodies[i].angular_damping > 0) return false;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const collision::Contact& contact = contacts_[c];
    const contact::ContactRows& row = rows_[c];
    if (contact.normal != row.direction[0]) return false;
    double size = contact.point_a.lpNorm<1>() + contact.point_b.lpNorm<1>();
    for (const bool second : {false, true}) {
      const auto body = index(second ? row.b : row.a);
      const contact::BodyTraits& traits = world.traits[body];
      const Vec3& position = at_.bodies[body].pose.position;
      size += position.lpNorm<1>();
      const bool turned = !drive_[body].angular.isZero(0);  // how fast its surface moves depends on the place
      if (!traits.free_rotation && !turned) continue;
      if (traits.free_rotation && (!traits.isotropic || traits.locked_rotation)) return false;
      const Vec3 arm = (second ? contact.point_b : contact.point_a) - position;
      const Vec3* moment = second ? row.moment_b : row.moment_a;
      for (int k = 0; k < 2; ++k)
        if ((arm.cross(row.direction[k]) - moment[k]).lpNorm<1>() > kRounding * size) return false;
    }
    const double expected =
        gap_before_[c] + h_ * relative_velocity(row, 0, velocity_[index(row.a)], velocity_[index(row.b)]);
    if (std::fabs(contact.gap - expected) > kRounding * size) return false;
  }
  return true;
}

// To the tolerance of the run, or to what the rounding of positions leaves in gap / h.
bool EulerStep::settled(const World& world) {
  double size = 0;
  change_ = largest_ = 0;
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    change_ = std::max(change_, speed_of(scaled_sum(1, velocity_[i], -1, last_[i])));
    largest_ = std::max({largest_, speed_of(velocity_[i]), speed_of(free_[i])});
    size = std::max(size, at_.bodies[i].pose.position.lpNorm<Eigen::Infinity>() + body_arm_);
  }
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * size / h_;
  if (gamma_ > 0 && smoothing_error(world) > world.method.certificate) return false;
  return change_ <= std::max(world.method.certificate * largest_, rounding);
}

void EulerStep::move(World& world) {
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    model::BodyState& s = end_.bodies[i];
    const model::BodyState& start = world.state.bodies[i];
    for (int k = 0; k < 3; ++k)
      if (world.traits[i].free_translation[index(k)])
        s.pose.position[k] = start.pose.position[k] + h_ * velocity_[i].linear[k];
    if (!world.traits[i].free_rotation) continue;
    s.pose.orientation = start.pose.orientation;
    s.angle = start.angle;
    turn(s, velocity_[i].angular, h_, world.model.bodies[i].planar());
  }
  end_.time = end_time_;
  if (!open_.empty()) world.collider.refresh(world.model, end_, open_);
}

void EulerStep::commit(World& world) {
  std::copy(end_.bodies.begin(), end_.bodies.end() - 1, world.state.bodies.begin());
  world.state.time = end_.time;
  for (std::size_t c = 0; c < open_.size(); ++c) {  // back in their places
    const auto at = std::lower_bound(memory_.begin(), memory_.end(), open_[c].id,
                                     [](const ContactMemory& m, const collision::ContactId& id) { return m.id < id; });
    contacts_.insert(contacts_.begin() + (at - memory_.begin()), open_[c]);
    open_memory_[c].mode = Mode::Open;
    open_memory_[c].touched_before = open_memory_[c].touching = false;
    open_memory_[c].force.setZero();
    memory_.insert(at, open_memory_[c]);
  }
  world.contacts.swap(contacts_);
  world.memory.swap(memory_);
}

void EulerStep::report_failure(World& world, const Island* island, const StepReport& report, std::string reason,
                               StepFailure& failure) {
  failure.time = world.state.time;
  failure.contacts.clear();
  failure.reason = std::move(reason);
  failure.residual = report.residual;
  failure.solver = report.solver;
  if (island == nullptr && !system_.islands().empty()) island = &system_.islands()[0];
  failure.problem = island != nullptr ? island->problem : complementarity::ContactProblem{};
  if (island == nullptr) return;
  for (int c : island->contacts)
    if (!is_support(c)) failure.contacts.push_back(contacts_[index(c)].id);
}

void EulerStep::save(ByteWriter& out) const {
  out.put_list(supports_, [&](const SupportPoint& support) { out.put_matrix(support.force); });
}

void EulerStep::restore(ByteReader& in) {
  restored_.clear();
  in.get_list(restored_, [&](Vec3& force) { in.get_matrix(force); });
}

}  // namespace stickslip::stepping
