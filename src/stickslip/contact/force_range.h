// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Between which bounds a contact force lies, over all forces that give bodies the same motion ("this leg carries between
// 0 and 12 N").
//
// The motion of a step fixes what contact forces do to the momenta, and the modes of the contacts. All forces that do so are
// the closed convex set of canonical_share.h,
//
//     S = { p = (N, t) :  G p = g,   N >= 0,   |t_c| <= mu_c N_c },        G = (G_n, G_t)
//
// and the range of a linear function of them is  [ min, max ] of w' p over S.  With one share p_0 known and a basis Z of the
// null space of G,  p = p_0 + Z y,  the balance drops out, and y = 0 is allowed. In the plane, and for friction pyramids, the
// rest is a linear program (linear_program.h). In space a path inside the cones (cone_barrier.h) leads near to the maximum, and the
// program has tangents of the cones for rows,
//
//     d' t <= mu N,     d = t / |t|     of the point on the path, where it is near a cone; then of the program's own answers where they
//                                       leave the cones (Kelley 1960), and where the line to them leaves (Veinott 1967)
//
// S lies in each program, so its value bounds the maximum from above, with an error of second order in the distance of the tangents'
// points from the maximum; points of S bound it from below. Both are brought together to 1e-10 of the largest force;
// Interval::open is the difference where the search ended before.
//
//     a force is unique        the width of its range is noise
//     a range has no end       the program grows for ever: jammed bodies press against each other as hard as one likes. With
//                              round cones: sum N reaches kNoEnd times what it is in p_0. Programs are bounded by
//                              sum N <= limit, so that vertices far away do not cost digits; the limit grows while it binds.
//
// Symbol   variable          meaning
//   p_0    share_            N, then t, over the largest of them (scale_)
//   Z      null_             columns; orthonormal
//   y      program_          unknowns
//
// Cost: one orthogonal factor of G'; a bound in the plane some ten exchanges of a dictionary with two rows per contact, in space
// some 40 Newton steps and one to three programs: with random contacts, all normal forces of 12 contacts in 0.05 s, of 24 in 0.7 s, of
// 40 in 6 s.
#pragma once

#include "stickslip/contact/canonical_share.h"
#include "stickslip/contact/cone_barrier.h"
#include "stickslip/contact/force_law.h"
#include "stickslip/contact/linear_program.h"

#include <Eigen/Core>
#include <memory>

namespace stickslip::contact {

struct Interval {
  double least = 0, most = 0;  // infinite: no end
  double open = 0;             // by how much the true interval may be shorter, at either end
};

class ForceRange {
 public:
  // N, t: a share of the load.
  ForceRange(const SharedLoad& load, const Eigen::VectorXd& N, const Eigen::VectorXd& t, const ForceLaw& law = {});

  // Of w_N' N + w_t' t.
  [[nodiscard]] Interval of(const Eigen::VectorXd& w_N, const Eigen::VectorXd& w_t);
  // A share, N then t, that attains the upper bound of the last range; without an end, in space: one far away.
  [[nodiscard]] Eigen::VectorXd farthest() const { return scale_ * farthest_; }
  // The largest number of the share that was given: what widths are compared with.
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] bool is_noise(const Interval& range) const { return range.most - range.least <= kNoise * scale_; }

  static constexpr double kNoise = 1e-9;
  static constexpr double kNoEnd = 1e6;

 private:
  struct Bound {
    double value = 0, open = 0;
  };
  void add_facet(std::size_t contact, double cosine, double sine, double limit);
  void add_first_rows(const ForceLaw& law);
  void add_limit();
  [[nodiscard]] Bound largest(const Eigen::VectorXd& w);
  [[nodiscard]] Bound largest_within(const Eigen::VectorXd& w, const Eigen::VectorXd& c, bool& binds, double most);
  // Rows for the cones that p leaves by more than `noise`; how far it leaves them.
  double cut(const Eigen::VectorXd& p, double noise);
  [[nodiscard]] double part_inside(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const;

  const SharedLoad& load_;
  double scale_ = 1;
  bool round_ = false;  // cones that facets only surround
  Eigen::VectorXd share_, inside_, farthest_, row_;
  Eigen::VectorXd centre_;                // y inside all cones, where every path begins
  std::unique_ptr<ConeBarrier> barrier_;  // of round cones
  double limit_length_ = 1;               // of the row sum N <= limit, the first of a program with round cones
  Eigen::MatrixXd null_;
  LinearProgram program_;
  Eigen::Index first_rows_ = 0;
};

}  // namespace stickslip::contact
