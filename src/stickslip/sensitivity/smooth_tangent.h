// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the end of a smooth second-order sub-step (stepping/smooth_step.h) changes with what it reads, in closed form, for
// all unknowns at once: the formulas of the step differentiated one by one, contacts in their modes.
//
//     predict    dq_m = dq0 + h/2 dv0 + h^2/8 da + (v0/2 + h a/4) dh,   dq_1p likewise
//     rows       dJ_m, dJ_1 by the bodies' moves there                                               contact_bend.h
//     solve      A dv1 = (m - h c/2) dv0 + (m g - c (v0 + v1)/2) dh + h m dg + d(J_m' p) - dA v1
//                du    = J_1 dv1 + dJ_1 v1 + kappa du0
//                stick du = 0;   slide du_n = 0,  dp_t + d(mu p_n u_t / |u_t|) = 0
//     move       dq1 = dq0 + d[h/2 (v0 + v1) - h^3/12 j],   and the same for what closes the gaps
//
// Symbols as in smooth_step.h and position_update.h; c: damping; angular parts have angular momentum for m v0. Where an event came
// before, the step predicts twice, and so does this.
//
// An input, one row of numbers each (tangent_rows.h), is what the sub-step reads:
//
//     movable body     pose, velocity (as tangent.h), mean acceleration of the sub-step before
//     driven body      pose and velocity at the start, in the middle and at the end
//     all              length of the sub-step before, of this one; gravity
//     contact          coefficient of friction, largest slip so far
//
// Where there are more unknowns than inputs that change, the step is differentiated by the inputs, and the rest is a
// product of matrices.
//
// Trials that end at an event are such steps whose length is an unknown as well; what is read of a contact there (its
// gap, slips, impulses) is told of the one that is watched.
//
// Not covered: forces besides gravity, locked rotations, bodies that are driven in part, bodies that tumble freely, contacts
// that share a load in more than one way, and laws at a tie. Cost: some 300 sums of rows for one contact in space; no evaluation
// of geometry on planes.
#pragma once

#include "stickslip/sensitivity/contact_bend.h"
#include "stickslip/stepping/sub_step_tape.h"

#include <Eigen/Core>
#include <span>

namespace stickslip::sensitivity {

class SmoothTangent {
 public:
  static constexpr int kPose = 0, kVelocity = 6, kAcceleration = 12, kBodyRows = 18;  // of a movable body
  static constexpr int kStart = 0, kMid = 12, kEnd = 24, kDrivenRows = 36;            // of a driven one: twelve each
  static constexpr int kLastLength = 0, kLength = 1, kGravity = 2, kContacts = 5;     // of the rest
  static constexpr int kFriction = 0, kSlipPeak = 1, kContactInputs = 2;              // of a closed contact
  static constexpr int kReserves = 0, kImpulse = 4, kContactRows = 7;                 // of its end
  // Of the watched contact: gap at the end; slip at the start, at the end, and impulse, where it is closed.
  static constexpr int kGap = 0, kSlipBefore = 1, kSlipAfter = 4, kPush = 7, kWatchedRows = 10;

  // All must outlive it.
  SmoothTangent(const model::Model& model, std::span<const contact::BodyTraits> traits, collision::Collider& collider)
      : model_(model), traits_(traits), bends_(model, collider) {}

  // A trial from the start of a sub-step, with what it was made of. ends_slip: contacts that stop have the law of the
  // end velocity in it.
  struct Trial {
    const stepping::SubStep& one;
    const stepping::Trial& trial;
    const stepping::SmoothRecord& record;
    bool ends_slip = false;
    int watched = stepping::kNoContact;
  };
  [[nodiscard]] bool covers(const Trial& trial) const;

  // Inputs of a trial that is covered, all zero. What the trial refers to must live on.
  void begin(const Trial& trial, std::ptrdiff_t width);
  [[nodiscard]] double* body(std::size_t i) { return input_.row(kBodyRows * static_cast<Eigen::Index>(i)).data(); }
  [[nodiscard]] double* driven(std::size_t j) {
    return input_.row(first_driven() + kDrivenRows * static_cast<Eigen::Index>(j)).data();
  }
  [[nodiscard]] double* rest(int row) { return input_.row(first_rest() + row).data(); }
  [[nodiscard]] double* contact(std::size_t c) { return rest(kContacts + kContactInputs * static_cast<int>(c)); }

  // False: the equations do not decide.
  [[nodiscard]] bool advance();
  [[nodiscard]] const double* body_end(std::size_t i) const {
    return output_.row(kBodyRows * static_cast<Eigen::Index>(i)).data();
  }
  // Of the closed contact c.
  [[nodiscard]] const double* contact_end(std::size_t c) const {
    return output_.row(first_driven() + kContactRows * static_cast<Eigen::Index>(c)).data();
  }
  [[nodiscard]] const double* given_friction(std::size_t c) const {
    return input_.row(first_rest() + kContacts + kContactInputs * static_cast<Eigen::Index>(c) + kFriction).data();
  }
  [[nodiscard]] Eigen::Index width() const { return output_.cols(); }
  [[nodiscard]] const double* watched_end(int row) const { return output_.row(first_watched() + row).data(); }
  // Ends likewise, where the length in the last column becomes one that changes so with the columns before it.
  void lengthen(std::span<const double> length);

 private:
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  enum class When { Start, Mid, Predicted, End };
  // What came out of a prediction with its solve.
  struct Solved {
    bool first = false;  // of two
    const stepping::SmoothPass* pass = nullptr;
    std::vector<double*> mid, end;       // 6 rows per movable body: how its pose changes in the middle, as predicted
    std::vector<double*> velocity;       // 6 rows per movable body
    std::vector<double*> impulse, slip;  // D rows per contact; slip: of the velocity at the end
    std::vector<ContactBend> bends_mid, bends_end;
  };
  struct Row {  // of what is closed
    std::size_t contact;
    int k;
    double moved;
  };

  [[nodiscard]] Eigen::Index first_driven() const { return kBodyRows * bodies_; }
  [[nodiscard]] Eigen::Index first_rest() const { return first_driven() + kDrivenRows * driven_; }
  [[nodiscard]] Eigen::Index first_watched() const {
    return first_driven() + kContactRows * static_cast<Eigen::Index>(closed());
  }
  [[nodiscard]] const double* in(Eigen::Index row) const { return used_->row(row).data(); }
  [[nodiscard]] const double* in_body(std::size_t i, int row) const {
    return in(kBodyRows * static_cast<Eigen::Index>(i) + row);
  }
  [[nodiscard]] const double* in_rest(int row) const { return in(first_rest() + row); }
  [[nodiscard]] std::size_t closed() const { return record_->closed.size(); }
  [[nodiscard]] const stepping::ContactStart& start_of(std::size_t c) const {
    return one_->component.contacts[static_cast<std::size_t>(record_->closed[c])];
  }
  [[nodiscard]] const stepping::ContactTrial& trial_of(std::size_t c) const {
    return trial_->contacts[static_cast<std::size_t>(record_->closed[c])];
  }
  [[nodiscard]] std::size_t body_of(std::size_t i) const {
    return static_cast<std::size_t>(one_->component.bodies[i].body);
  }
  [[nodiscard]] int place_of(int body) const { return place_[static_cast<std::size_t>(body)]; }

  [[nodiscard]] bool run(const Columns& input, Columns& output);
  [[nodiscard]] MovedBody moved(int body, When when, const Solved* solved) const;
  void bend(When when, const Solved* solved, std::span<const collision::Contact> contacts,
            std::span<const contact::ContactRows> rows, const std::vector<ContactBend>* from,
            std::vector<ContactBend>& bends);
  void bend_start();
  void turn(std::size_t i, const Vec3& w, const double* dw, const double* from, double* to);
  [[nodiscard]] bool take_pass(const std::vector<double*>& acceleration, std::span<const model::Twist> a,
                               Solved& solved);
  void predict(std::size_t i, const double* acceleration, const model::Twist& a, Solved& solved);
  void know_velocities(Solved& solved);
  void know_slips(Solved& solved);
  [[nodiscard]] bool solve_laws(Solved& solved);
  [[nodiscard]] bool invert();
  void apply(std::span<const ContactBend> bends, std::size_t c, const double* impulse, const Solved& solved,
             std::vector<double*>& velocity);
  void add_turned_inertia(const Solved& solved, std::size_t i, const Vec3& w, double* momentum);
  [[nodiscard]] Mat3 inertia_of(std::size_t i, const Quat& orientation) const;
  void fill_response(const Solved& solved, std::span<const ContactBend> by, std::span<const ContactBend> to);
  void take_slip(const ContactBend& bend, int k, const MovedBody& a, const MovedBody& b, double* slip);
  void move(const Solved& solved);
  [[nodiscard]] bool list_closing();
  [[nodiscard]] bool close_gaps(const Solved& solved);
  void know_defect(const Row& row, std::span<const MovedBody> between, double* defect);
  void take_contacts(const Solved& solved, Columns& output);
  void take_reserves(const Solved& solved, std::size_t c, double* to);
  void take_watched(const Solved& solved, Columns& output);
  void take_gap(const collision::Contact& contact, double* gap);
  [[nodiscard]] const double* response_change(const Solved& solved, std::size_t c, int k);
  [[nodiscard]] bool mean_law(std::size_t c) const;
  [[nodiscard]] double friction_of(std::size_t c) const;

  const model::Model& model_;
  std::span<const contact::BodyTraits> traits_;
  ContactBends bends_;
  const stepping::SubStep* one_ = nullptr;
  const stepping::Trial* trial_ = nullptr;
  const stepping::SmoothRecord* record_ = nullptr;
  bool ends_slip_ = false;
  int watched_ = stepping::kNoContact;
  Eigen::Index bodies_ = 0, driven_ = 0;
  std::vector<int> place_;  // of a body: among the movable ones, or -2 - its place among the driven ones; -1: neither
  Columns input_, output_, by_inputs_, by_input_;
  std::vector<Eigen::Index> changing_;
  // Of one evaluation.
  std::ptrdiff_t width_ = 0;
  const Columns* used_ = nullptr;
  rows::Arena arena_;
  std::vector<ContactBend> start_bends_, final_bends_;
  std::vector<double*> start_slip_;                         // D rows per contact
  std::vector<double*> pose_, acceleration_, jerk_, none_;  // 6 rows per movable body, at the end; none_: null
  Solved first_, last_;
  std::vector<Row> closing_;
  Eigen::MatrixXd W_, laws_, inverse_;
};

}  // namespace stickslip::sensitivity
