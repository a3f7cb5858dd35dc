// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The canonical share of a load (canonical_share.h): the search.
//
//     t* = argmin { sum |t_c|^2 : (N, t) in S },     N* = argmin { sum N_c^2 : (N, t*) in S }
//
// t of the equations alone (no cones), by orthogonal factors; then N of least norm. Where N >= l, l_c = |t_c| / mu_c, that is the
// answer. Where not, the nearest point of an affine set and cones: p = P_K(a + G' z) with G p = g, by a semismooth Newton method for
// the multipliers z, which minimises the convex  1/2 |P_K(a + G' z)|^2 - g' z,  and where that loses its way from a point inside the
// cones (cone_program.h). If even that finds no N for this t, cones limit friction, and t* is found by proximal steps,
// min |t|^2 + e |N - N_k|^2 over S. A contact whose cone pushes back there has N = l in every share with the least friction: its N
// is known, and N* is sought among the others.
//
// Symbol   variable   meaning
//   z      multipliers of the balance; of the projection, they say which cones push back
//   l      least      of N, so that friction is within its cone
//
// Assumptions: S is not empty. Cost: two orthogonal factors of G; where cones bind, some ten dense factors of as many rows as bodies
// have freedoms for each proximal step, of which there are 5 to 10.
#pragma once

#include "stickslip/contact/cone_program.h"
#include "stickslip/contact/pivoted_factor.h"
#include "stickslip/contact/shared_load.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <span>
#include <vector>

namespace stickslip::contact {

class LoadShare {
 public:
  // N and t from any share. False: not found to rounding.
  bool find(const SharedLoad& load, std::span<const double> normal_start, Eigen::VectorXd& N, Eigen::VectorXd& t);

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  // N_c >= least_c, and |t_c| <= mu_c N_c for those that have columns of friction.
  struct Cones {
    const SharedLoad& load;
    const Vector* least = nullptr;  // with it, N alone is unknown
    double ratio = 1;               // mu is multiplied by it (units of N and t, distance from the edge)
  };
  enum class Push : char { None, Edge, Open };  // of a contact's cone: none; N is known; N and t are 0
  enum class Found { Yes, No, Empty };          // Empty: nothing in the cones balances the load

  void onto_cones(const Cones& cones, Vector& x, bool with_slopes);
  Found newton(const Cones& cones, const Matrix& G, const Vector& g, const Vector& a, Vector& p);
  bool project(const Cones& cones, const Matrix& G, const Vector& g, const Vector& a, Vector& p);
  void list_rows(const Cones& cones, const Matrix& G);
  void newton_matrix(const Cones& cones, const Matrix& G);
  double search_line(const Cones& cones, const Matrix& G, const Vector& g, const Vector& a, const Vector& p);

  bool least_friction(const SharedLoad& load, Vector& t);
  bool even_load(const SharedLoad& load, const Vector& t, double mu_share, Vector& N);
  bool limited_friction(const SharedLoad& load, double mu_share, Vector& N, Vector& t);
  void list_pushed(const SharedLoad& load, double mu_share);
  bool even_rest(const SharedLoad& load, double mu_share, Vector& N, Vector& t);
  void balance_known();

  // Kept so that repeated problems of one size allocate nothing.
  std::vector<Eigen::Matrix3d> slope_;
  Vector z_, trial_, there_, F_, step_, along_, load_, beyond_, least_, from_, p_, limited_, none_, N_rest_, known_;
  Matrix H_, columns_, G_;
  std::vector<Eigen::Index> rows_;  // of each contact in turn
  std::vector<std::size_t> rows_end_;
  Eigen::LDLT<Matrix> factor_;
  PivotedFactor by_normal_, friction_, normal_;  // of G_n; of what it leaves of G_t', of G_n'
  int steps_left_ = 0;                           // of Newton's method, for one island
  std::vector<Push> pushed_;
  std::vector<ConeProgram::Cone> cones_;
  ConeProgram program_;
  SharedLoad rest_;
};

}  // namespace stickslip::contact
