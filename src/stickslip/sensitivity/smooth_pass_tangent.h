// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One pass of a smooth second-order sub-step, differentiated: predict, rows, solve (smooth_tangent.h has the equations). A
// sub-step after an event makes two.
//
// Cost: most of that of smooth_tangent.h.
#pragma once

#include "stickslip/sensitivity/contact_bend.h"
#include "stickslip/sensitivity/smooth_columns.h"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace stickslip::sensitivity {

class SmoothPassTangent : public SmoothColumns {
 protected:
  SmoothPassTangent(const model::Model& model, std::span<const contact::BodyTraits> traits,
                    collision::Collider& collider)
      : SmoothColumns(model, traits), bends_(model, collider) {}

  enum class When { Start, Mid, Predicted, End };
  // What came out of a prediction with its solve.
  struct Solved {
    bool first = false;  // of two
    const stepping::SmoothPass* pass = nullptr;
    std::vector<double*> mid, end;       // 6 rows per movable body: how its pose changes in the middle, as predicted
    std::vector<double*> velocity;       // 6 rows per movable body
    std::vector<double*> impulse, slip;  // D rows per contact; slip: of the velocity at the end
    std::vector<ContactBend> bends_mid, bends_end;
  };
  [[nodiscard]] MovedBody moved(int body, When when, const Solved* solved) const;
  void bend(When when, const Solved* solved, std::span<const collision::Contact> contacts,
            std::span<const contact::ContactRows> rows, const std::vector<ContactBend>* from,
            std::vector<ContactBend>& bends);
  void bend_start();
  void turn(std::size_t i, const Vec3& w, const double* dw, const double* from, double* to);
  [[nodiscard]] bool take_pass(const std::vector<double*>& acceleration, std::span<const model::Twist> a,
                               Solved& solved);
  void predict(std::size_t i, const double* acceleration, const model::Twist& a, Solved& solved);
  void know_velocities(Solved& solved);
  void know_slips(Solved& solved);
  [[nodiscard]] bool solve_laws(Solved& solved);
  [[nodiscard]] bool invert();
  void apply(std::span<const ContactBend> bends, std::size_t c, const double* impulse, const Solved& solved,
             std::vector<double*>& velocity);
  void add_turned_inertia(const Solved& solved, std::size_t i, const Vec3& w, double* momentum);
  [[nodiscard]] Mat3 inertia_of(std::size_t i, const Quat& orientation) const;
  void fill_response(const Solved& solved, std::span<const ContactBend> by, std::span<const ContactBend> to);
  void take_slip(const ContactBend& bend, int k, const MovedBody& a, const MovedBody& b, double* slip);
  ContactBends bends_;
  std::vector<ContactBend> start_bends_, final_bends_;
  std::vector<double*> start_slip_;                         // D rows per contact
  std::vector<double*> pose_, acceleration_, jerk_, none_;  // 6 rows per movable body, at the end; none_: null
  Solved first_, last_;
  Eigen::MatrixXd W_, laws_, inverse_;
};

}  // namespace stickslip::sensitivity
