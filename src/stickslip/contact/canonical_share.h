// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How rigid contacts share a load that they can bear in more than one way (four legs on a floor, a peg between walls).
//
// The motion of a step does not tell. All impulses that give the same end velocities and obey the laws of contact at them are
//
//     S = { p :  G_n N + G_t t = g,   N >= 0,   |t_c| <= mu_c N_c }
//
// a closed convex set. The canonical share is the point of S with
//
//     1. the least friction of the contacts that stick:    t* = argmin { sum |t_c|^2 : (N, t) in S }
//     2. then the most even load:                          N* = argmin { sum N_c^2   : (N, t*) in S }
//
// the limit of small, equal compliances at all contacts, where surfaces give way along much more easily than across.
// It depends on geometry, laws and the load alone: not on masses, damping, the step, the stepper, the order of bodies or
// what was before. A body that merely touches a wall does not lean on it. docs/theory/contact.md has the proofs.
//
//   N, t     normal impulses of closed contacts; friction of those among them that stick
//   G_n      columns: what a unit of N does to the momenta of the free degrees of freedom; for a contact that slides with
//            the friction that belongs to it, J_n - mu J_t d
//   G_t      the same for t
//   g        the momenta that the solver's impulses give
//   l        |t*_c| / mu_c, 0 where a contact slides: N >= l
//
// How. t of the equations alone (no cones), by orthogonal factors; then N of least norm. Where N >= l, that is the answer.
// Where not, the nearest point of an affine set and cones (project()): p = P_K(a + G' z) with G p = g, by a
// semismooth Newton method for the multipliers z, which minimises the convex  1/2 |P_K(a + G' z)|^2 - g' z.  If even that
// finds no N for this t, cones limit friction and (1) is found by proximal steps, min |t|^2 + e |N - N_k|^2 over S.
// The answer is taken if its certificate is as good as the solver's; else the solver's stays.
//
// Not touched: islands that give way (their shares are determined), supports (their loads are given), joints, and islands
// of more than kMostContacts contacts, whose shares remain as solved.
//
// Cost: columns that are independent, one Cholesky factor of them, after which nothing is done; else two
// orthogonal factors of G. Bodies at rest pay a comparison only: an island whose problem and impulses have the
// bits of the step before is left alone.
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
  // Can the load be shared in one way only, whatever the cones?
  [[nodiscard]] bool independent();

 private:
  void classify(const Island& island);
  std::vector<int> first_of_body_;
  std::vector<double> u_;
  Eigen::MatrixXd gram_;
};

class CanonicalShare {
 public:
  static constexpr int kMostContacts = 100;

  // The share of an island anew. aim: a certificate that counts as rounding.
  void apply(ContactSystem& system, std::size_t island, std::span<const BodyDynamics> dynamics, double aim);

  // The canonical share of a load: N and t. False: not found to rounding.
  bool share(const SharedLoad& load, std::span<const double> normal_start, Eigen::VectorXd& N, Eigen::VectorXd& t);

 private:
  struct Kept {
    std::vector<double> W, q, r, mu;            // W is empty: q alone is kept
    double size_W = 0, size_q = 0, size_r = 0;  // largest magnitudes
  };
  void take(Island& island, double aim);
  bool least_friction(const SharedLoad& load, Eigen::VectorXd& t);
  bool even_load(const SharedLoad& load, const Eigen::VectorXd& t, double mu_share, Eigen::VectorXd& N);
  bool limited_friction(const SharedLoad& load, double mu_share, Eigen::VectorXd& N, Eigen::VectorXd& t);

  SharedLoad load_;
  std::vector<Kept> kept_;
  std::vector<double> r_, start_;
  Eigen::VectorXd N_, t_;
};

}  // namespace stickslip::contact
