// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Quasi-static motion of planar bodies on supports: the twists with which all forces balance, by Newton's method in the
// modes of the last step. With rubbing supports it is the motion of least friction power (paper 002, V.B).
//
//     h f_i - h C v_i + sum J' p = 0                             for each body
//     support, slides   p = -mu h N s / |s|,   s = J v + q        a function of v
//     support, sticks   s = 0, p unknown                          the body turns about it
//     contact, sticks   u_n = u_t = 0                             contact, slides   u_n = 0, p_t = -mu p_n sign(u_t)
//
// Unknown are the twists and the impulses of what sticks: 3 per body and a few more, where the contact problem in
// impulses (mode_newton.h) has D per contact and, without inertia, no matrix to start from. Whether the modes were
// right is for the certificate of the contact problem to say.
//
// Symbol   variable          meaning
//   h f    Body::impulse     of applied forces (x, y, turning)
//   J, q   Link::row, bias   velocities along the two rows of a link: bias + row . (twist of a) - row . (twist of b)
//   h N    Link::load        of a support
// Cost: a dense LU of 4 to 8 rows per iteration, two or three iterations. No allocation once it has its size.
#pragma once

#include <vector>

namespace stickslip::stepping {

class ForceBalance {
 public:
  static constexpr int kMostUnknowns = 36;  // beyond, the general way is no slower
  enum class Law : char { Open, Stick, Slide };

  struct Body {
    double impulse[3] = {}, damping[3] = {}, velocity[3] = {};  // velocity: start in, answer out
  };
  // A support (rows along x and y) or a contact (normal and tangent).
  struct Link {
    int a = -1, b = -1;  // bodies; -1: one whose motion is given
    double row_a[2][3] = {}, row_b[2][3] = {}, bias[2] = {};
    bool support = false;
    double mu = 0, load = 0;
    Law law = Law::Open;
    double impulse[2] = {};  // of the last step in (its direction of sliding is read), answer out
  };

  std::vector<Body> bodies;
  std::vector<Link> links;

  // False when there is no balance in these modes, or too much of it; bodies and links are then of no use.
  [[nodiscard]] bool solve();

 private:
  [[nodiscard]] double along(const Link& link, int k) const;
  void add_force(const Link& link, const double* p);
  void add_slide_stiffness(const Link& link, const double* direction, double factor);
  void add_unknown(const Link& link, const double* force, const double* row, double defect);
  int count_unknowns();
  void assemble();

  int size_ = 0, next_ = 0;
  std::vector<double> matrix_, right_;
  std::vector<int> pivot_;
};

}  // namespace stickslip::stepping
