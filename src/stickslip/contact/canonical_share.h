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
//
// How: load_share.h.
// The answer is taken if its certificate is as good as the solver's; else the solver's stays.
//
// Not touched: islands that give way (their shares are determined), supports (their loads are given), joints, and islands of
// more than kMostInStep contacts: those are shared when forces are read (reported_share.h). In small ones it is
// done in every step, since where contacts slide in different directions the motion of the next step is next to that of the
// share before, and must not depend on what a solver came from; and second-order steps read reserves of friction.
//
// Cost: columns that are independent, one triangular factor of their products, after which nothing is done; else two
// orthogonal factors of G. Bodies that rest or slide steadily pay a comparison only: S knows G, the laws and the load, not the
// velocities, so an island with the closed contacts, rows and impulses of a step before has its canonical share already.
#pragma once

#include "stickslip/contact/shared_load.h"

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

namespace stickslip::contact {

class LoadShare;

class CanonicalShare {
 public:
  CanonicalShare();
  CanonicalShare(CanonicalShare&&) noexcept;
  CanonicalShare& operator=(CanonicalShare&&) noexcept;
  ~CanonicalShare();
  static constexpr int kMostInStep = 16;

  // The share of an island anew. aim: a certificate that counts as rounding.
  void apply(ContactSystem& system, std::size_t island, std::span<const BodyDynamics> dynamics, double aim);

  // The canonical share of a load: N and t. False: not found to rounding.
  bool share(const SharedLoad& load, std::span<const double> normal_start, Eigen::VectorXd& N, Eigen::VectorXd& t);

 private:
  // What a share was made of: impulses and rows of the closed contacts, and their laws.
  struct Kept {
    std::vector<double> r, rows;
    double size_r = 0, size_rows = 0;  // largest magnitudes
    std::vector<SharedLoad::Closed> closed;
  };
  template <class F>
  bool each_row(const ContactSystem& system, const Island& island, std::span<const BodyDynamics> dynamics, F&& f) const;
  void keep_rows(const ContactSystem& system, const Island& island, std::span<const BodyDynamics> dynamics,
                 Kept& kept) const;
  [[nodiscard]] bool same_rows(const ContactSystem& system, const Island& island,
                               std::span<const BodyDynamics> dynamics, const Kept& kept) const;
  [[nodiscard]] bool same_laws(const Kept& kept, const Island& island) const;
  void take(Island& island, double aim);

  SharedLoad load_;
  std::unique_ptr<LoadShare> search_;
  std::vector<Kept> kept_;
  // Of each: its first impulse, which tells most of them apart, and up to what it does.
  struct Key {
    double first = 0, noise = -1;
  };
  std::vector<Key> keys_;
  std::vector<double> r_, start_;
  Eigen::VectorXd N_, t_;
};

}  // namespace stickslip::contact
