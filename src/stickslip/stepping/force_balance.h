// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Planar bodies that stand on many points and touch each other, with the twists as unknowns.
//
//     A v = c + J' p (contacts) + T' w (bases)          for each body; motion_model.h has A and c
//     B = T v + bias                                    slip of a base: its body against the plane (x, y, turning)
//     point k of a base   s_k = (B_x - y_k B_w, B_y + x_k B_w),   p_k = -limit_k s_k / |s_k|,   limit = mu h N
//     base                w = sum (p_k, r_k x p_k):  the load is given, so friction is a function of three numbers
//     contact, sticks     u + R p = 0
//     contact, slides     u_n + R p_n = 0,   p_t = -mu p_n sign(u_t)
//
// However many points there are, a base adds a force w(B) and a 3 x 3 matrix dw/dB to the equations of its bodies, and
// nothing to the contact problem: cost O(points) per iteration. Where friction is not a function of B:
//     Pivot   one point sticks, s_k = 0, p_k unknown            Lock    B = 0, w unknown, shared out among the points
//
// solve(): Newton's method in given modes, as known from the last step or from search(). 3 unknowns per body and a few
// more; two or three iterations.
// search() (force_search.cpp): finds the modes from anywhere. Friction is rounded off, p = -limit s / rho,
// rho^2 = |s|^2 + e^2, and e goes to zero; the equations are linearised in s and p (Chan, Golub and Mulet 1999),
//     p' = -limit s / rho - K (s' - s),     K = (limit I + p s' / rho) / rho, its symmetric part,
// which is positive as long as |p| <= limit, wherever s is: no line search is needed, where Newton's method in s alone
// jumps to and fro across s = 0. Contacts are solved exactly in every iteration, W = J (A + T' K T)^-1 J' + R.
// Whether the answer is one, the certificates say (support_balance.h).
//
// Symbol   variable               meaning
//   A, c   Body::inertia, impulse of translation along x, y and of turning
//   J, u   Link::row, bias        velocities along the two rows of a contact:
//                                 bias + row . (twist of a) - row . (twist of b)
//   R      Link::compliance
//   T      Base::lever            from the centre of b to the centre of a
//   x, y   Point                  from the centre of the base's body
//   N                             load of a point, given
//
// Cost: one dense LU of the unknowns per iteration. No allocation once it has its size.
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/problem_solver.h"

#include <vector>

namespace stickslip::stepping {

class ForceBalance {
 public:
  enum class Law : char { Open, Stick, Slide };
  enum class Stand : char { Slide, Pivot, Lock };

  struct Body {
    double impulse[3] = {}, inertia[3] = {}, velocity[3] = {};  // velocity: start in, answer out
    bool free[3] = {true, true, true};
    std::size_t id = 0;  // the caller's
  };
  struct Point {
    double x = 0, y = 0, limit = 0;  // place about the body's centre, world axes
    double p[2] = {};                // of the last step in, answer out
  };
  struct Base {
    int a = -1, b = -1;  // body, plane; -1: one whose motion is given
    double lever[2] = {}, bias[3] = {};
    std::size_t first = 0, count = 0;  // its points
    Stand stand = Stand::Slide;
    std::size_t pivot = 0;
    double wrench[3] = {};  // on a, about its centre
    std::size_t id = 0;     // the caller's
  };
  struct Link {
    int a = -1, b = -1;
    double row_a[2][3] = {}, row_b[2][3] = {}, bias[2] = {}, compliance[2] = {};
    double mu = 0;
    Law law = Law::Open;
    double impulse[2] = {};  // of the last step in (its direction of sliding is read), answer out
  };

  std::vector<Body> bodies;
  std::vector<Point> points;
  std::vector<Base> bases;
  std::vector<Link> links;
  double arm = 0, speed = 0;  // a length of the bodies, and a speed of what happens in the scene

  void clear();
  // Modes of the bases from the forces of their points: what is below its limit sticks.
  void choose_stands();
  // False when there is no balance in these modes; bodies, bases and links are then of no use.
  [[nodiscard]] bool solve();
  // The modes, and a start for solve().
  [[nodiscard]] bool search(const Method& method, ProblemSolver& solver);

  // Slip of a base and of one of its points.
  void slip_of(const Base& base, double* B) const;
  static void slip_at(const Point& point, const double* B, double* s) {
    s[0] = B[0] - point.y * B[2];
    s[1] = B[1] + point.x * B[2];
  }

 private:
  static constexpr int kMostUnknowns = 60;  // beyond, the general way is no slower

  [[nodiscard]] double along(const Link& link, int k) const;
  void add_force(const Link& link, const double* p);
  void add_wrench(const Base& base, const double* w);
  void add_stiffness(const Base& base, const double* K, double sign);
  void add_unknown(const Link& link, const double* force, int row, double defect, double compliance);
  void add_unknown(const Base& base, const double* w, double defect);
  void slide(Base& base, const double* B, std::size_t without, double* K);
  void hold_fixed();
  int count_unknowns();
  void assemble();            // all equations at the present twists
  void assemble(Base& base);  // friction of its points, in its mode
  void assemble(Link& link);
  bool share_out(Base& base);  // a locked base's force among its points; false: more than their limits
  void take_step(double& change, double& largest);

  void round_off(Base& base, const double* B, double e, double* w, double* K);
  void assemble_rounded(double e);
  bool solve_contacts(const Method& method, ProblemSolver& solver);
  void update_points(double e);
  void read_modes(double e);

  int size_ = 0, next_ = 0;
  std::vector<double> matrix_, right_, columns_, slip_;
  std::vector<int> pivot_;
  contact::Island island_;            // of the contacts, in search()
  std::vector<Body> settled_bodies_;  // of the last e of search() that converged
  std::vector<Link> settled_links_;
  std::vector<Point> settled_points_;
};

}  // namespace stickslip::stepping
