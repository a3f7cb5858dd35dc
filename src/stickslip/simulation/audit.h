// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// An audit of a run, independent of the stepper, the contact search and the solvers: the certificate says that the
// contact problems as posed were solved, the audit whether the motion that came out is one that contacts can make.
//
//   penetration   depth of every pair of bodies by geometry (collision/overlaps.h). A pair may overlap by
//                     1 % of the thinner body + s^2 / thickness + what it overlapped by at the start,
//                 where s is the distance that points of one move against the other in a step: gaps are linearised, so
//                 that a step may hide second order in s. Springs along normals (compliance = "normal") are judged
//                 alike: they must be stiff. Surfaces whose deformation is followed (song-pang-kumar, runge-kutta)
//                 may overlap by it as well: what the contact remembers, or (force + damping . speed) / stiffness.
//                 Patches are not judged.
//   energy        E = kinetic energy of the free degrees of freedom + potential energy of gravity, after every step.
//                 Springs along normals store k delta^2 / 2 each, which counts as part of E in steps that were one part;
//                 others are then not judged, nor are scenes of which the deformation is followed.
//                 Contacts, impacts, friction and damping take energy and never give any, so
//                     gain = E+ - E  <=  W_forces + W_drives + W_parting + allowance.
//                   W_forces    work of force functions: trapezoid rule over the step, with the difference between it
//                               and the rectangle rules as its error
//                   W_drives    impulse of each contact . velocity of the prescribed body there; known where the step
//                               was one part, else the step is not judged
//                   W_parting   what overlapped at the start of the step may be pushed out: impulse . speed of parting
//                   allowance   certificate and rounding; for steppers of second and higher order the error of a
//                               step, (turn in the step)^3 of the kinetic energy
//                 A step that gains more than 1e-5 of the largest kinetic energy so far beyond that violates the audit;
//                 1e-3 where less is known: divided steps, drives under steppers of higher order, implicit steppers.
//                 Smaller gains are summed up and reported; a run violates the audit when they come to 2e-3 of the
//                 largest kinetic energy (5e-2: drives under steppers of higher order, implicit steppers).
//   momentum      m (v+ - v) = h (m g + sum of the contact forces that the step reports), for bodies on which nothing
//                 else acts, in steps that were one part. It ties recorded forces to the motion. And
//                 I (w+ - w) = h sum of arm x contact force, under steppers of first order, for planar bodies and those
//                 whose inertia is the same about every axis: for others it depends on how the body turns in the step.
//   state         finite, and no body farther away than 1e6 times the scene unless free flight can carry it that far.
//
// When: energy after every step. Penetration, momentum and state in a look at every k-th step; the bodies of a located
// event at the event. k follows from counted work, so that looks take kShare of the time: the work of a step is
// estimated from its bodies and contacts, that of a look was counted at the last one. Never from a clock: the same run
// is audited at the same steps everywhere.
//
// Cost: about 5 ns per body and step for energy (2 ns at rest), besides the looks. No allocation after the first look.
#pragma once

#include "stickslip/collision/overlaps.h"
#include "stickslip/simulation/audit_summary.h"
#include "stickslip/stepping/stepper.h"

#include <vector>

namespace stickslip::simulation {

// A step without parts, so that contacts show all that it did.
inline bool in_one_part(const stepping::StepReport& report) {
  return report.sub_steps == 1 && report.fallbacks == 0 && report.events.empty();
}

// The energy of bodies that move freely: kinetic, and potential in gravity.
class BodyEnergies {
 public:
  // The free part of a body's energy.
  struct Mass {
    int body = 0;
    Vec3 translation = Vec3::Zero();  // mass per world axis, 0 where prescribed
    Vec3 weight = Vec3::Zero();
    double inertia = 0;        // of planar and isotropic bodies that turn freely
    bool anisotropic = false;  // turns freely, inertia depends on the orientation
  };
  struct Energy {
    double kinetic = 0, potential = 0;
  };
  std::vector<Mass> masses;

  [[nodiscard]] Energy of(const stepping::World& world) const {
    Energy sum;
    for (const Mass& mass : masses) {
      const model::BodyState& s = world.state.bodies[static_cast<std::size_t>(mass.body)];
      sum.potential -= mass.weight.dot(s.pose.position);
      sum.kinetic +=
          0.5 * (mass.translation.dot(s.velocity.linear.cwiseAbs2()) + mass.inertia * s.velocity.angular.squaredNorm());
      if (mass.anisotropic) sum.kinetic += turning_energy(world, mass.body);
    }
    return sum;
  }
  [[nodiscard]] bool at_rest(const stepping::World& world) const {
    for (const Mass& mass : masses) {
      const model::Twist& v = world.state.bodies[static_cast<std::size_t>(mass.body)].velocity;
      if (v.linear.squaredNorm() + v.angular.squaredNorm() != 0) return false;
    }
    return true;
  }
  [[nodiscard]] double rounded(const stepping::World& world) const;  // what potential energies are sums of

 private:
  [[nodiscard]] static double turning_energy(const stepping::World& world, int body);
};

class Audit {
 public:
  explicit Audit(const stepping::World& world);

  // Forgets what the state was; what was found so far stays. At a start, and when a run goes on from elsewhere.
  void begin(const stepping::World& world);

  void before_step(const stepping::World& world) {
    if (keep_states_)
      before_ = world.state;
    else if (due_)
      keep_velocities(world);
  }
  // After a certified step that began at `begin`. False when the audit is violated: summary().violation says how.
  bool after_step(const stepping::World& world, double begin, const stepping::StepReport& report) {
    const double h = world.state.time - begin;
    if (judges_energy_ && !energy_holds(world, h, report)) return false;
    credit_ += step_work_ + kContactWork * report.contacts;
    if (!report.events.empty() && !look_at_events(world, h, report)) return false;
    if (due_) return look_after_step(world, h, report);
    due_ = credit_ >= 0;
    return true;
  }
  // All bodies, now.
  bool look(const stepping::World& world, double h);
  // The same where a run ends, wherever in the audit's rhythm that falls. Leaves no trace when all is well: a run that is
  // resumed from here has the same bits as one that never stopped.
  bool look_at_end(const stepping::World& world, double h);

  [[nodiscard]] const AuditSummary& summary() const { return summary_; }

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  using Energy = BodyEnergies::Energy;
  struct Start {
    int a, b;
    double depth;
  };

  bool energy_holds(const stepping::World& world, double h, const stepping::StepReport& report) {
    ++summary_.energy_steps;
    const Energy before = energy_;
    // First-order steppers move bodies by their velocities at the end of the step: what is at rest has not moved.
    if (before.kinetic == 0 && order_ == 1 && !has_springs_ && in_one_part(report) && bodies_.at_rest(world))
      return true;
    energy_ = bodies_.of(world);
    if (energy_.kinetic > largest_kinetic_) largest_kinetic_ = energy_.kinetic;
    double gain = (energy_.kinetic - before.kinetic) + (energy_.potential - before.potential);
    if (has_springs_) {
      if (!in_one_part(report)) {
        ++summary_.energy_not_judged;
        return true;
      }
      gain += stored_in_springs(world, h);
    }
    if (gain <= 0) return true;
    gain -= kCertificates * world.method.certificate * (energy_.kinetic + before.kinetic + falling_ * h * h);
    // In the order of their cost: in most steps one of the first two explains all.
    return gain <= 0 || given_by_drives(world, h, report, gain) ||
           explain(world, h, report, before, gain - kRounding * bodies_.rounded(world));
  }
  // By their velocity at the end of the step, which is known. False too where they are not all that counts.
  [[nodiscard]] bool given_by_drives(const stepping::World& world, double h, const stepping::StepReport& report,
                                     double gain) const {
    return has_drives_ && !keep_states_ && in_one_part(report) && gain < work_of_drives(world, h, false);
  }
  bool explain(const stepping::World& world, double h, const stepping::StepReport& report, const Energy& before,
               double gain);
  [[nodiscard]] double work_of_forces(const stepping::World& world, double h, double& error) const;
  [[nodiscard]] double work_of_drives(const stepping::World& world, double h, bool both_ends) const;
  [[nodiscard]] double work_of_parting(const stepping::World& world, double h) const;
  [[nodiscard]] double last_parted(const stepping::World& world, double h) const;
  [[nodiscard]] double stored_in_springs(const stepping::World& world, double h) const;
  [[nodiscard]] Vec3 drive_at(const stepping::World& world, const collision::Contact& contact, int side) const;
  [[nodiscard]] double deformation_of(const stepping::World& world, int a, int b) const;
  [[nodiscard]] double error_of_order(const stepping::World& world, double h, double kinetic) const;

  bool look_after_step(const stepping::World& world, double h, const stepping::StepReport& report);
  bool look_at_events(const stepping::World& world, double h, const stepping::StepReport& report);
  bool judge_depth(const stepping::World& world, double h, const collision::BodyOverlap& overlap);
  bool judge_momentum(const stepping::World& world, double h, const stepping::StepReport& report);
  bool judge_state(const stepping::World& world);
  bool judge_total(const stepping::World& world);
  [[nodiscard]] double stored_at_start(const stepping::World& world) const;
  void keep_velocities(const stepping::World& world);
  bool violated(const stepping::World& world, const std::string& what);

  static constexpr double kCertificates = 10;  // residuals of several contacts, and of sub-steps, add up
  static constexpr double kRounding = 8e-15;
  static constexpr std::int64_t kShare = 128;  // a look may cost this part of the steps before it
  // Work in units of about 5 ns, as counted by separation.h.
  static constexpr std::int64_t kStepWork = 30, kBodyWork = 20, kContactWork = 60, kLookWork = 20;

  collision::Overlaps overlaps_;
  AuditSummary summary_;
  BodyEnergies bodies_;
  std::vector<Start> start_;  // pairs that overlapped at the start
  bool judges_energy_ = true, judges_momentum_ = true;
  bool judges_total_ = false;  // of all steps together: surfaces store energy, and nothing else gives any
  bool keep_states_ = false;   // force functions: the state before a step is needed to know their work
  bool has_drives_ = false, has_springs_ = false;
  int order_ = 1;
  bool end_geometry_ = false;  // rows of the end of the step
  double scene_size_ = 0, start_time_ = 0;

  Energy energy_;                             // after the step before; where judges_total_, at the start
  double largest_kinetic_ = 0, falling_ = 0;  // falling_: sum of m g^2
  std::int64_t credit_ = 0, step_work_ = 0;   // credit_: work that looks may cost, times kShare
  bool due_ = false;                          // a look follows the next step, for which velocities were kept
  mutable model::State before_, scratch_;
  std::vector<Vec3> velocity_, impulse_;
  std::vector<double> impulse_size_;
};

}  // namespace stickslip::simulation
