// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contacts between bodies as contact problems, one per island:   u = W r + q,   W = J A^-1 J'  (Delassus matrix).
//
// An island is a set of contacts that are connected through movable bodies; islands do not influence each other within
// a step, so each is a problem of its own and they may be solved in any order and in parallel. Contacts keep their
// canonical order inside an island, islands are ordered by their first contact: the same bits for any thread count.
//
// Symbol   variable               meaning
//   J      rows()                 of all contacts, contact_rows.h
//   A^-1   BodyDynamics           of each body, body_dynamics.h
//   W      Island::problem.W      blocks of contacts that share a movable body
//   q, mu  Island::problem        filled by the stepper (stepping/step_terms.h)
//   r      Island::r              impulses: start, then solution
//
// build() makes rows and islands, assemble() fills W.
// The block pattern of an island is kept from step to step as long as the same bodies touch in the same order.
//
// Cost: O(contacts + stored blocks) per step. No allocation once the number of contacts has stopped growing.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"
#include "stickslip/complementarity/summary.h"
#include "stickslip/contact/contact_rows.h"

#include <span>
#include <utility>
#include <vector>

namespace stickslip::contact {

struct Island {
  std::vector<int> contacts;  // indices into the step's list of contacts, ascending
  complementarity::ContactProblem problem;
  std::vector<double> r;  // start, then solution
  int soft_contacts =
      0;  // with a compliance on the diagonal of W; counted by those who put it there, assemble() clears
  complementarity::SolverSummary summary;
  bool answered = false;  // r is the answer already, and the summary tells so: not for the solver

  // Pattern cache: the movable bodies of each contact (-1: none), and the mirror of each stored block.
  std::vector<std::pair<int, int>> bodies;
  std::vector<int> mirror;
};

class ContactSystem {
 public:
  void build(int dimension, const model::State& state, std::span<const collision::Contact> contacts,
             std::span<const BodyDynamics> dynamics);
  void assemble(std::span<const BodyDynamics> dynamics);
  // W = K A^-1 J': impulses act through the rows given to build, velocities are those along other rows (not symmetric).
  void assemble(std::span<const ContactRows> velocity_rows, std::span<const BodyDynamics> dynamics);

  // The same from rows that the caller made (turns excepted), in any mixture.
  void build(int dimension, std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics);

  // One island of all contacts whose rows (turns excepted) are given.
  void build_single(int dimension, std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics);

  [[nodiscard]] int dimension() const { return dimension_; }
  [[nodiscard]] std::span<const ContactRows> rows() const { return rows_; }
  [[nodiscard]] std::span<Island> islands() { return {islands_.data(), island_count_}; }
  [[nodiscard]] std::span<const Island> islands() const { return {islands_.data(), island_count_}; }

  // Velocities after the islands' impulses: v += A^-1 J' r.
  void apply_impulses(std::span<const BodyDynamics> dynamics, std::span<model::Twist> velocities) const;

 private:
  void take_rows(int dimension, std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics);
  void make_patterns(std::span<const BodyDynamics> dynamics);
  void group_into_islands(std::span<const BodyDynamics> dynamics, std::size_t bodies);
  int find_root(int body);
  Island& start_island();

  int dimension_ = 3;
  std::vector<ContactRows> rows_;
  std::vector<Island> islands_;
  std::size_t island_count_ = 0;
  std::vector<int> parent_, island_of_root_;
  std::vector<std::pair<int, int>> key_;                    // scratch of the pattern check
  std::vector<int> body_start_, body_contact_, body_slot_;  // scratch of the pattern: contacts of each body
};

}  // namespace stickslip::contact
