// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the end of a part of a Runge-Kutta step (stepping/runge_kutta.h) changes with what it reads, in closed form, for all
// unknowns at once: its stages differentiated one by one, contacts in their modes.
//
//     stage      dY_i = dy + h sum_j A_ij dk_j + dh sum_j A_ij k_j,     dt_i = dt_0 + c_i dh
//     rate       dk_i = d f(Y_i, t_i)
//     press      d lambda_n = -K dpsi - C du_n - psi dK - u_n dC,   de = K ds - C du_t + s dK - u_t dC
//     slide      d lambda_t = d(mu lambda_n) e/|e| + mu lambda_n/|e| (1 - ee'/|e|^2) de
//     move       A dv' = df - dA v',   in space also the gyroscopic term
//
// Symbols as in stepping/compliant_flow.h. What the part reads, one row of numbers each (tangent_rows.h):
//
//     body         pose and velocity (tangent.h); a driven one has them from its function of time
//     layer        of a contact: shear in space, deformation
//     surface      friction, stiffness and damping
//     all          gravity; how much later the part begins, and how much longer it is
//
// Not covered: forces besides gravity, locked rotations, bodies that are driven in part, unknowns that change shapes, masses or
// breakpoints. Cost: the part once more, and per stage some 150 sums of rows for one contact in space.
#pragma once

#include "stickslip/sensitivity/contact_bend.h"
#include "stickslip/sensitivity/prescribed_changes.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/flow_tape.h"

#include <memory>
#include <span>
#include <vector>

namespace stickslip::sensitivity {

class FlowTangent {
 public:
  static constexpr int kLayer = 4;  // rows of a contact's layer
  // Rows of a surface.
  enum Law : int { kStatic, kKinetic, kStiffness, kStiffnessTangential, kDamping, kDampingTangential, kLaw };
  // Rows of a contact at the end.
  static constexpr int kGap = 0, kHold = 1, kGrip = 2, kDeformation = 3, kShear = 4, kImpulse = 7, kContact = 10;
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // All must outlive it.
  FlowTangent(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions,
              const PrescribedChanges& prescribed);
  ~FlowTangent();

  // Unknowns that are known in closed form, if parts of this model are.
  [[nodiscard]] std::span<const Eigen::Index> unknowns() const { return unknowns_; }
  [[nodiscard]] bool covers(Eigen::Index k) const { return covers_[static_cast<std::size_t>(k)]; }

  // Inputs of a part: those of the model are known, the others zero. A column per unknown; by_length: and one for a
  // length that changes by itself.
  void begin(const stepping::FlowPart& part, bool by_length);
  [[nodiscard]] double* body(std::size_t i) { return bodies_.row(static_cast<Eigen::Index>(i) * kBodyTangent).data(); }
  [[nodiscard]] double* layer(std::size_t c) { return layers_.row(static_cast<Eigen::Index>(c) * kLayer).data(); }
  [[nodiscard]] double* later() { return later_.data(); }
  [[nodiscard]] double* length() { return length_.data(); }
  [[nodiscard]] Eigen::Index width() const { return width_; }

  // Ends: twelve rows for each body of the model, kContact for each contact of the part.
  const Columns& advance();
  // The bodies at the end of the part, as it was taken again.
  [[nodiscard]] std::span<const model::BodyState> end() const;

 private:
  struct Own;
  void list_unknowns(std::span<const Direction> directions);
  void start();
  void move_bodies(double time, const double* later);
  void differentiate_rate(const Eigen::VectorXd& y, const Eigen::VectorXd& rate, const Columns& dy, Columns& d_rate);
  void press(std::size_t c, const Eigen::VectorXd& y, const Eigen::VectorXd& rate, const Columns& dy, Columns& d_rate);
  void accelerate(std::size_t m, const Eigen::VectorXd& y, const Eigen::VectorXd& rate, const Columns& dy,
                  Columns& d_rate);
  void take_turn(const Eigen::VectorXd& y, Eigen::Index first, const Columns& dy, double* turn) const;
  void take_ends();
  void take_slip(std::size_t c, int k, double& slip, double* change);
  [[nodiscard]] MovedBody moved(int body) const;
  [[nodiscard]] const double* law(std::size_t c, Law which) const;
  [[nodiscard]] double* recovered(std::size_t c, bool normal);

  const model::Model& model_;
  const PrescribedChanges& prescribed_;
  std::vector<contact::BodyTraits> traits_;
  std::unique_ptr<Own> own_;
  std::vector<Eigen::Index> unknowns_;
  std::vector<bool> covers_;
  Columns laws_, gravity_;  // of the unknowns
  std::vector<int> movable_, place_;
  // Of one part.
  const stepping::FlowPart* part_ = nullptr;
  Eigen::Index width_ = 0;
  Columns bodies_, layers_, ends_, gravity_now_, laws_now_;
  Eigen::RowVectorXd later_, length_;
  // Of one stage.
  rows::Arena arena_, start_arena_;
  std::vector<double*> pose_, velocity_, wrench_;  // 6 rows per body
  std::vector<ContactBend> start_bends_, bends_;
  std::vector<double*> gap_, hold_, grip_, force_;  // of each contact: 1, 1, 1, 3 rows
  std::vector<Vec3> force_value_;
};

}  // namespace stickslip::sensitivity
