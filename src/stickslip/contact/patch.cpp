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

void PatchResponse::set(const model::Patch& patch, int dimension, double h) {
  if (h == h_) return;
  h_ = h;
  dimension_ = dimension;
  elements_ = elements_of(patch, dimension);
  apart_ = patch.K_t.size() > 0;
  const auto respond = [&](std::size_t i, const Eigen::MatrixXd& K, const Eigen::MatrixXd& C) {
    const Eigen::LLT<Eigen::MatrixXd> S(h * K + C);
    inverse_[i] = S.solve(Eigen::MatrixXd::Identity(K.rows(), K.cols()));
    relaxed_[i] = inverse_[i] * C;
  };
  respond(0, patch.K_n, patch.C_n);
  if (apart_) respond(1, patch.K_t, patch.C_t);
}

void PatchResponse::next(const Eigen::VectorXd& p, const Eigen::VectorXd& delta, Eigen::VectorXd& out) const {
  if (!apart_) {
    out = inverse_[0] * p + relaxed_[0] * delta;
    return;
  }
  out.resize(p.size());
  for (int k = 0; k < dimension_; ++k) {
    const std::size_t i = direction(k);
    out.segment(k * elements_, elements_) =
        inverse_[i] * p.segment(k * elements_, elements_) + relaxed_[i] * delta.segment(k * elements_, elements_);
  }
}

}  // namespace stickslip::contact
