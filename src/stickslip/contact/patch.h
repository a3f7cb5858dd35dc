// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A compliant contact that is divided into elements (Song, Kumar and Pang 2005, equations 2-3):
// compliance.h with matrices.
//
//     lambda = K delta + C delta'      K, C couple the elements of one contact, and all directions of theirs
//     backward Euler:   delta+ = S^-1 (p + C delta),   S = h K + C,   p = h lambda
//     R = S^-1 / h,     b_n = (S^-1 C delta)_n / h,     b_t = ((S^-1 C delta)_t - delta_t) / h
//
// delta, p and lambda list the normals of all elements, then the first tangents, in space then the second ones:
//
//         [ K_nn  K_nt  K_no ]
//     K = [ K_tn  K_tt  K_to ],    each block of the size of the patch.      Without K_nt and K_to: K_n and K_t apart,
//         [ K_on  K_ot  K_oo ]     K_tt = K_oo = K_t.
//
// A layer whose fibres lean answers a press with a shear: K_nt != 0.
//
// Element e of an n x n patch lies at  o_e = s_i t_1 + s_j t_2,  s_i = size ((i + 1/2) / n - 1/2)  from the contact
// point (plane: one row). Its gap is that of the contact point, + |o|^2 / (2 radius) where the surfaces curve away from
// each other; within a step turning adds  h (w_a - w_b) . (o x n).
//
// Assumptions: the patch moves along with the contact point, and its deformations with it; tangents are those of
// set_frame (contact_rows.h). Cost: a factorisation of the size of the patch per direction, or one of all directions,
// when h changes.
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

// A patch over a step of length h. Numbers of elements are listed by direction: [k * elements + e].
class PatchResponse {
 public:
  void set(const model::Patch& patch, int dimension, double h);
  // R between direction k of element e and direction l of element f.
  [[nodiscard]] double compliance(int k, int e, int l, int f) const {
    if (apart_) return k == l ? inverse_[direction(k)](e, f) / h_ : 0;
    return inverse_[0](k * elements_ + e, l * elements_ + f) / h_;
  }
  // delta+ for impulses p and deformations delta at the start.
  void next(const Eigen::VectorXd& p, const Eigen::VectorXd& delta, Eigen::VectorXd& out) const;
  // S^-1 C delta.
  [[nodiscard]] double relaxed(int k, int e, const Eigen::VectorXd& delta) const {
    if (apart_) return relaxed_[direction(k)].row(e).dot(delta.segment(k * elements_, elements_));
    return relaxed_[0].row(k * elements_ + e).dot(delta);
  }

 private:
  [[nodiscard]] static std::size_t direction(int k) { return k == 0 ? 0 : 1; }

  double h_ = 0;
  int elements_ = 0, dimension_ = 3;
  bool apart_ = true;                        // normal and tangents
  Eigen::MatrixXd inverse_[2], relaxed_[2];  // S^-1, S^-1 C: of normals and tangents, or of all directions in the first
};

}  // namespace stickslip::contact
