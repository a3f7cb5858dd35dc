// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A load that rigid contacts share: the set S of canonical_share.h, written as columns.
//
//     S = { (N, t) :  G_n N + G_t t = g,   N >= 0,   |t_c| <= mu_c N_c }
//
// Symbol    variable     meaning
//   G_n     normal       what a unit of N does to the momenta of the free degrees of freedom; a contact that slides has the
//                        friction that belongs to it in its column
//   G_t     tangential   the same for the friction of contacts that stick
//   g       load         the momenta that the solver's impulses give
//
// Cost: the columns, dense; surely_independent() some ten multiplications per pair of columns.
#pragma once

#include "stickslip/contact/contact_system.h"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace stickslip::contact {

// Closed contacts of a solved island, and what they do to the bodies.
struct SharedLoad {
  struct Closed {
    int contact = 0;           // in the island
    bool sticks = false;       // t is free
    double direction[3] = {};  // p = N direction (+ t); slides: (1, -mu d)
    double mu = 0;             // of what sticks
    Eigen::Index first = -1;   // its column of G_t; -1: none
  };
  std::vector<Closed> closed;
  Eigen::MatrixXd normal, tangential;  // G_n, G_t; moments over a length of the island
  Eigen::VectorXd load;                // g
  int tangents = 1;                    // columns of G_t per contact

  // For impulses r that solve the island's problem. rows: through which impulses act.
  void set(const Island& island, std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics);
  // The first part of it: which contacts are closed, and how.
  void classify(const Island& island);
  // The second: the columns.
  void add_columns(const Island& island, std::span<const ContactRows> rows, std::span<const BodyDynamics> dynamics);
  // Can the load be shared in one way only, whatever the cones?
  [[nodiscard]] bool independent();
  // The same for a few columns, before add_columns(): W holds their products, weighted with inverse masses. False: perhaps.
  [[nodiscard]] bool surely_independent(const Island& island) const;

 private:
  template <int D>
  [[nodiscard]] bool products_are_regular(const Island& island) const;

  std::vector<int> first_of_body_;
  std::vector<double> u_;
  Eigen::MatrixXd gram_;
};

}  // namespace stickslip::contact
