// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/patch.h"

#include "stickslip/contact/contact_rows.h"

#include <Eigen/Cholesky>

namespace stickslip::contact {

Vec3 element_offset(const model::Patch& patch, int dimension, const Vec3& normal, int element) {
  ContactRows rows;
  set_frame(normal, dimension, rows);
  const auto place = [&](int i) { return patch.size * ((i + 0.5) / patch.side - 0.5); };
  const Vec3 along = place(element % patch.side) * rows.direction[1];
  return dimension == 2 ? along : Vec3(along + place(element / patch.side) * rows.direction[2]);
}

void shift_to_element(const model::Patch& patch, int dimension, collision::Contact& contact) {
  const Vec3 offset = element_offset(patch, dimension, contact.normal, contact.id.element);
  contact.point_a += offset;
  contact.point_b += offset;
  if (patch.radius > 0) contact.gap += offset.squaredNorm() / (2 * patch.radius);
}

void PatchResponse::set(const Eigen::MatrixXd& K, const Eigen::MatrixXd& C, double h) {
  if (h == h_) return;
  h_ = h;
  const Eigen::LLT<Eigen::MatrixXd> S(h * K + C);
  inverse_ = S.solve(Eigen::MatrixXd::Identity(K.rows(), K.cols()));
  relaxed_ = inverse_ * C;
}

}  // namespace stickslip::contact
