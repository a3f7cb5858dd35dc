// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The position half of a second-order sub-step: update, projection onto closed contacts, geometry at the end.
//
//   move       q1 = q0 (+) [ h/2 (v0 + v1) - h^3/12 j ],   j = (a - a_) / ((h + h_)/2),   a = (v1 - v0) / h
//   project    q1 <- q1 (+) A^-1 J' (J A^-1 J')^-1 (-defect)
//
//   defect     closed contact: its gap. Stick also, no slip on average:  h/6 (u0 + 4 um + u1),
//              um = Jm (v0 + v1)/2 - Jm h^2/8 j + b_m
//
// Symbol   variable                 meaning
//   a_,h_  BodyStart::acceleration  of the sub-step before, and its length
//   j      TrialData::jerk          0 where that is unknown
//   J      rows_end                 of the closed contacts; Jm: rows_mid
//   b_m    drive_mid                velocity of prescribed bodies in the middle
//
// The matrix has a little weight on its diagonal for redundant contacts. Where contacts contradict each other and the
// largest gap would grow, nothing is projected. Cost: a dense Cholesky factorisation of the closed rows; from kDense of
// them on, conjugate gradients with the blocks that there are (Hestenes and Stiefel 1952), scaled by the diagonal: for
// redundant rows they find the smallest answer without a weight.
#pragma once

#include "stickslip/stepping/trial.h"

#include <span>

namespace stickslip::stepping {

class PositionUpdate {
 public:
  // Bodies of data.end from the velocities there.
  void move(const World& world, const Component& component, TrialData& data, const Trial& trial) const;
  // Geometry of all contacts at the end, after closing the gaps of the closed ones; poses into the trial.
  void finish(World& world, const Component& component, TrialData& data, Trial& trial);

 private:
  [[nodiscard]] double worst_gap(const TrialData& data, const Trial& trial) const;
  bool project(const World& world, const Component& component, TrialData& data, const Trial& trial);
  void list_defects(const World& world, const Component& component, const TrialData& data, const Trial& trial);
  void fill_matrix(int dimension, TrialData& data);
  void assemble(int dimension, TrialData& data);
  bool solve_by_gradients(int dimension);
  void multiply(int dimension, std::span<const double> x, std::span<double> y) const;
  template <int D>
  void single_response(TrialData& data);
  void displace_bodies(const World& world, const Component& component, TrialData& data) const;
  void look_between(World& world, const Component& component, std::size_t c, TrialData& data, Trial& trial);

  contact::ContactSystem projection_;
  std::vector<collision::Contact> all_contacts_, one_contact_;
  contact::ContactRows row_between_;
  std::vector<double> matrix_, defect_;
  std::vector<int> defect_row_;
  std::vector<double> diagonal_, direction_, product_, answer_;  // of conjugate gradients
  std::vector<int> place_;                                       // of a row of a contact among the defects, -1: none
};

// The component's bodies at a time within the trial, on the parabolas through the velocities of its ends; into
// data.mid.
void place_between(const World& world, const Component& component, const Trial& trial, double time, TrialData& data);

}  // namespace stickslip::stepping
