// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A compliant contact that is divided into elements (Song, Kumar and Pang 2005, equations 2-3):
// compliance.h with matrices.
//
//     lambda = K delta + C delta'      K, C couple the elements of one contact; normal and tangential apart
//     backward Euler:   delta+ = S^-1 (p + C delta),   S = h K + C,   p = h lambda
//     R = S^-1 / h,     b_n = S^-1 C delta / h,     b_t = (S^-1 C delta - delta) / h = -S^-1 K delta
//
// Element e of an n x n patch lies at  o_e = s_i t_1 + s_j t_2,  s_i = size ((i + 1/2) / n - 1/2)  from the contact
// point (plane: one row). Its gap is that of the contact point, + |o|^2 / (2 radius) where the surfaces curve away from
// each other; within a step turning adds  h (w_a - w_b) . (o x n).
//
// Assumptions: the patch moves along with the contact point, and its deformations with it. Cost: two factorisations of
// the size of the patch when h changes.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/model/model.h"

namespace stickslip::contact {

[[nodiscard]] inline int elements_of(const model::Patch& patch, int dimension) {
  return dimension == 2 ? patch.side : patch.side * patch.side;
}

// From the contact point to an element.
[[nodiscard]] Vec3 element_offset(const model::Patch& patch, int dimension, const Vec3& normal, int element);

// Moves a contact to its element.
void shift_to_element(const model::Patch& patch, int dimension, collision::Contact& contact);

// One direction of a patch over a step of length h.
class PatchResponse {
 public:
  void set(const Eigen::MatrixXd& K, const Eigen::MatrixXd& C, double h);
  [[nodiscard]] double compliance(int e, int f) const { return inverse_(e, f) / h_; }
  // delta+ of element e for impulses p and deformations delta at the start, one number per element.
  [[nodiscard]] double next(int e, const Eigen::VectorXd& p, const Eigen::VectorXd& delta) const {
    return inverse_.row(e).dot(p) + relaxed_.row(e).dot(delta);
  }
  [[nodiscard]] double relaxed(int e, const Eigen::VectorXd& delta) const { return relaxed_.row(e).dot(delta); }

 private:
  double h_ = 0;
  Eigen::MatrixXd inverse_, relaxed_;  // S^-1, S^-1 C
};

}  // namespace stickslip::contact
