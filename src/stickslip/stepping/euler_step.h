// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One implicit Euler step with contacts, the common engine of the models that differ in a few terms only:
//
//     A v+ = c + W_n p_n + W_t p_t                                        motion_model.h
//     0 <= p_n  _|_  psi+/h + R_n p_n + b_n >= 0                           compliance.h: R = b = 0 for rigid contacts
//     p_t in the disc of radius mu p_n, dissipating most against u_t+ + R_t p_t + b_t
//     supports: p_n = h load, the same friction                           support_rows.h, force_balance.h
//     q+ = q (+) h v+
//
// Smoothed cone (paper 003, equation 6; gamma >= 0 a force): sqrt(p_t^2 + (h gamma)^2) <= mu p_n + h gamma, a disc of
// radius  mu' p_n,  mu' = mu sqrt(1 + 2 h gamma / (mu p_n)).  mu' is found with the geometry, by iteration.
//
//   rules            psi+                          which contacts           rows, inertia, forces at
//   (none)           psi(q0) + h W_n' v+           within reach             the start of the step (Stewart-Trinkle)
//   end_geometry     psi(q+), by iteration         within reach             the end of the step (fully implicit)
//   closed_only      psi(q0) + h W_n' v+           closed at the start      the start (velocity level, Anitescu-Potra)
//   any, watched     contacts that the caller names take no part: their impact is to be located (euler_stepper.h)
//
// Fully implicit: with q_k the last estimate of the end, psi(q+) = psi(q_k) + h W_n(q_k)' (v - v_k) is solved with the
// rows of q_k until v stops changing. What is left out of the derivative is the change of the rows, O(h p): the
// iteration contracts with a factor of that order, and its fixed point is the fully implicit step exactly.
//
// Where surfaces lie flat on each other the closest points of a pair jump from one place to another with the slightest
// turn (the rim of a cylinder over an edge, a rim on a face), and with one place at a time the iteration would rock the
// body to and fro for ever. Places that were left by a jump stay in the step, as material points of the two bodies with
// the normal that they had (euler_places.cpp): the gap of the pair is the smallest of them all.
//
// Prescribed bodies stand at their pose of the end of the step (velocity level: of its start).
// Symbol  variable            meaning
//   v_k   velocity_           free degrees of freedom only; drive_ has the prescribed ones
//   p     Island::r
//
// The world is not changed before commit(), so that a caller may try several lengths. Cost: one assembly and one
// contact solve per iteration; rigid contacts in the plane need about three iterations.
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/contact/patch.h"
#include "stickslip/stepping/force_balance.h"
#include "stickslip/stepping/island_pool.h"
#include "stickslip/stepping/motion_model.h"
#include "stickslip/stepping/rest.h"
#include "stickslip/stepping/stepper.h"

namespace stickslip::stepping {

struct EulerRules {
  bool end_geometry = false;
  bool compliant = false;  // surfaces give way as their compliance says; else all are rigid
  bool closed_only = false;
};

class EulerStep {
 public:
  explicit EulerStep(EulerRules rules) : rules_(rules) {}

  // From world.state over h. False: failure says why, and the world is as it was.
  bool solve(World& world, double h, double end_time, StepReport& report, StepFailure& failure);
  // Makes the result of the last solve the state of the world.
  void commit(World& world);

  // Of the last solve, before commit: the end of the step, and how deep contacts that took no part have come in.
  [[nodiscard]] const model::State& end() const { return end_; }
  [[nodiscard]] std::vector<collision::Contact>& open_contacts() { return open_; }
  [[nodiscard]] std::span<const collision::Contact> contacts() const { return contacts_; }
  [[nodiscard]] std::span<const ContactMemory> memory() const { return memory_; }

  // Contacts that take no part in the solves that follow, in canonical order.
  void watch(std::span<const collision::ContactId> ids) { watched_.assign(ids.begin(), ids.end()); }

  // Enters into `ids` the contacts at which the last solve stopped bodies that met within the step: rigid ones that
  // were open before, and give something back (with `inelastic_too`, also those that do not, unless they just settle).
  // True when there are new ones.
  bool add_impacts(const World& world, bool inelastic_too, std::vector<collision::ContactId>& ids) const;

  // Velocity level: some contact has just closed, and its bodies approach (the solve took it as inelastic).
  [[nodiscard]] bool meets_contact() const { return meets_; }

  [[nodiscard]] bool is_compliant(const World& world, const collision::Contact& contact) const;

  // How far forces and turning move a contact within a time, at most, beyond what its velocity says: half the
  // acceleration that this returns times the time squared.
  [[nodiscard]] double acceleration_of(const collision::Contact& contact, const model::State& state) const;

  // The rigid contacts that are closed in the state of the world, also between bodies that no step would bring
  // together. On entry `contacts` may hold some that are known to be close. Closed: up to rounding, or resting, that
  // is, open and moving by no more than forces and the turning of the bodies do within one step. (A body that slides on
  // a corner lifts it by h^2 w^2 r / 2 in each step; taking that for flight would make it bounce along.)
  void find_closed(World& world, std::vector<collision::Contact>& contacts) const;

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  void begin(World& world, double h, double end_time);
  void find_contacts(World& world);
  bool more_contacts(World& world);
  [[nodiscard]] double overlap_left(const World& world, const collision::Contact& contact) const;
  void choose_closed();
  void leave_out_watched();
  template <class TakesPart>
  void keep_contacts(TakesPart takes_part) {  // the others go to open_
    std::size_t kept = 0;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      if (takes_part(c)) {
        contacts_[kept] = contacts_[c];
        memory_[kept++] = memory_[c];
      } else {
        open_.push_back(contacts_[c]);
        open_memory_.push_back(memory_[c]);
      }
    }
    contacts_.resize(kept);
    memory_.resize(kept);
  }
  [[nodiscard]] double settling_speed(const collision::Contact& contact, const model::State& state) const;
  [[nodiscard]] double drift_of(const collision::Contact& contact, const model::State& state) const;
  [[nodiscard]] bool closed(const collision::Contact& contact, const model::State& state) const;
  void place(World& world, int iteration);
  void move_to_estimate(const World& world);
  struct Place {  // of a contact, in the frames of its bodies
    Vec3 local_a, local_b;
  };
  [[nodiscard]] Place place_of(const collision::Contact& contact) const;
  void move_with_bodies(const Place& place, collision::Contact& contact) const;
  void refresh_contacts(World& world, int iteration);
  void follow(const World& world, const collision::Contact& now, std::size_t begin, std::size_t end);
  [[nodiscard]] bool still_solve(const World& world, double share, StepReport& report);
  void show_drives(const World& world);
  void evaluate_bodies(World& world, int iteration);
  [[nodiscard]] double driven_speed(const World& world, double& force, double& mass) const;
  void choose_weight(const World& world);
  void build_problems(World& world);
  void add_compliance(World& world);
  void add_patch_compliance(const World& world, contact::Island& island, std::size_t i);
  void divide_patches(const World& world);
  void shift_elements(const World& world, int iteration);
  [[nodiscard]] const model::Patch* patch_of(const World& world, const collision::Contact& contact) const;
  void pose_element(const World& world, const contact::ContactRows& row, std::size_t c, double* q);
  void remember_patch(const World& world, const contact::Island& island, std::size_t first);
  [[nodiscard]] double smoothed(double mu, double p_n) const;
  [[nodiscard]] double smoothing_error(const World& world) const;
  void pose(World& world, int iteration);
  void pose(World& world, contact::Island& island, int iteration);
  void pose_contact(World& world, const contact::Island& island, std::size_t i, int iteration, double* q);
  void pose_support(const contact::ContactRows& row, double* q);
  bool solve_problems(World& world, StepReport& report, StepFailure& failure);
  bool solve_island(World& world, contact::Island& island, StepReport& report, StepFailure& failure);
  bool finish_island(World& world, contact::Island& island, StepReport& report, StepFailure& failure);
  bool settle_motion(World& world, int iteration, StepReport& report, StepFailure& failure);

  // Bodies on supports (euler_balance.cpp).
  struct Footing {  // of one body
    int body = 0, plane = 0;
    std::size_t first = 0, count = 0;  // in supports_
  };
  bool settle_on_supports(World& world, int iteration, StepReport& report, StepFailure& failure);
  bool settle_group(World& world, int group, int iteration, StepReport& report);
  void put_supports_into_problem(bool put);
  void group_bodies();
  [[nodiscard]] int group_of(const contact::Island& island) const;
  void collect(const World& world, int group);
  void add_base(const World& world, const Footing& footing);
  void add_link(const World& world, const contact::Island& island, std::size_t i);
  int unknown_of(const World& world, int body);
  void set_unknowns(const std::vector<model::Twist>& twists);
  double apply_balance(World& world, int group, int iteration);
  void push_by_supports();
  [[nodiscard]] double support_error();
  void remove_support_noise(std::size_t body, model::Twist& v) const;

  std::string why_unsolved(const World& world, const contact::Island& island);
  std::string no_equilibrium(const World& world, double first_impulse) const;
  void take_velocities(World& world);
  [[nodiscard]] bool settled(const World& world);
  [[nodiscard]] bool same_problem(const World& world) const;
  void keep_solved_velocities();
  void move(World& world);
  void remember(World& world);
  void remember_compliance(const World& world, int c, const double* r);
  void remember_sliding(const World& world, int c, const double* r, double mu);
  bool weaken(const World& world, contact::Island& island);
  void report_failure(World& world, const contact::Island* island, const StepReport& report, std::string reason,
                      StepFailure& failure);
  [[nodiscard]] bool is_support(int c) const { return static_cast<std::size_t>(c) >= contacts_.size(); }
  [[nodiscard]] const model::Compliance* compliance_of(const World& world, int c) const;

  struct SupportPoint {
    int body = 0, plane = 0;
    Vec3 position;
    double load = 0, friction = 0;
    Vec3 force = Vec3::Zero();  // of the last step: the warm start
  };
  void prepare(const World& world);  // once per run
  // The larger of translation and rotation times body_arm_.
  [[nodiscard]] double speed_of(const model::Twist& v) const {
    return std::max(v.linear.lpNorm<Eigen::Infinity>(), v.angular.lpNorm<Eigen::Infinity>() * body_arm_);
  }
  [[nodiscard]] double largest_impulse() const;

  EulerRules rules_;
  BodyMotion motion_;
  double h_ = 0, end_time_ = 0, time_ = 0;
  contact::ContactSystem system_;
  IslandPool pool_;
  Rest rest_;
  int D_ = 3;
  // Per body and one more, the plane that stands still.
  std::vector<contact::BodyDynamics> dynamics_;
  std::vector<model::Twist> free_, drive_, reference_, velocity_, last_;
  model::State at_, end_;                                   // where geometry is evaluated; the end of the step
  std::vector<collision::Contact> contacts_, open_, more_;  // more_: points of rims, to be added
  std::vector<ContactMemory> memory_, open_memory_;
  std::vector<collision::ContactId> watched_;
  std::vector<double> overlap_;     // what may be left of the penetration at the start of a part of a step, <= 0
  std::vector<Place> places_;       // of the contacts in the last estimate of the end
  std::vector<double> gap_before_;  // at the start of the step
  std::vector<collision::Contact> found_, merged_;
  std::vector<ContactMemory> merged_memory_;
  std::vector<double> merged_overlap_;
  std::vector<contact::ContactRows> rows_;
  std::vector<SupportPoint> supports_;
  struct PatchLaw {  // of one surface
    contact::PatchResponse normal, tangential;
  };
  std::vector<PatchLaw> patch_laws_;  // per surface
  std::vector<collision::Contact> divided_;
  Eigen::VectorXd patch_p_, patch_delta_;  // of the elements of one patch
  std::vector<Vec3> patch_shear_;
  bool has_patches_ = false;
  std::vector<Footing> footings_;
  bool supports_in_problem_ = true;
  ForceBalance balance_;
  ProblemSolver search_solver_;
  std::vector<int> unknown_;                  // place of each body in balance_, or -1
  std::vector<int> group_;                    // of each body; -1: does not move
  std::vector<model::Twist> bare_, rubbing_;  // velocities without supports; sum of the magnitudes of what those do
  std::vector<model::Twist> last_reference_;
  std::vector<Vec3> restored_;  // forces of supports, from a checkpoint
  double whole_step_ = 0;       // of the run; h_ may be a part of it
  double acceleration_ = 0;     // largest change of a velocity by forces alone, per time (dynamic motion)
  double body_arm_ = 0;         // largest radius of gyration: turns velocities of rotation into speeds
  bool prepared_ = false, forces_vary_ = false, meets_ = false;
  double gamma_ = 0;                 // impulse that rounds the tip of the friction cone
  bool warm_ = false;                // the islands' impulses are those of the last iteration
  bool same_impulses_ = false;       // and solve the problem of this one
  double change_ = 0, largest_ = 0;  // of the velocities, in the last iteration
  bool whole_rims_ = true;           // ask for the points of rims about which bodies tip
  bool rim_points_added_ = false;    // to this step
};

}  // namespace stickslip::stepping
