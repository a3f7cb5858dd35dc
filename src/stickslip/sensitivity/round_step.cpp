// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/round_step.h"

#include "stickslip/contact/material.h"
#include "stickslip/sensitivity/plane_contact.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {

using Eigen::Index;
using stepping::index;

namespace {

constexpr double kSingular = 1e-10;  // determinant, relative to the product of the rows

// One body on a plane.
template <int D>
class RoundContact {
 public:
  using Matrix = Eigen::Matrix<double, D, D>;
  using Vector = Eigen::Matrix<double, D, 1>;

  // False when the equations do not decide.
  bool set(const model::Model& model, const std::vector<contact::BodyTraits>& traits, const collision::Contact& contact,
           const stepping::ContactMemory& memory, bool is_a, double h, const model::State& geometry,
           const model::State& end) {
    const int body = is_a ? contact.id.body_a : contact.id.body_b;
    contact::set_frame(contact.normal, D, rows_);
    contact::set_moments<D>(contact, geometry, rows_);
    contact::evaluate_inertia(model.bodies[index(body)], traits[index(body)],
                              geometry.bodies[index(body)].pose.orientation, 0, inertia_);
    const model::Twist& v = end.bodies[index(body)].velocity;
    const double sign = is_a ? 1 : -1;
    Vector u, p;
    for (int k = 0; k < D; ++k) {
      direction_[k] = sign * rows_.direction[k];
      moment_[k] = sign * (is_a ? rows_.moment_a : rows_.moment_b)[k];
      push_[k] = inertia_.inverse_mass.cwiseProduct(direction_[k]);
      turn_[k] = inertia_.inverse_inertia * moment_[k];
      u[k] = direction_[k].dot(v.linear) + moment_[k].dot(v.angular);
      p[k] = h * memory.force.dot(rows_.direction[k]);
      impulse_[k] = p[k];
    }
    Matrix G;
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) G(k, l) = direction_[k].dot(push_[l]) + moment_[k].dot(turn_[l]);
    matrix_ = G;
    from_ = -Matrix::Identity();
    h_ = h;
    if (memory.mode == contact::Mode::Slide) {
      const double mu = contact::friction_coefficient(model.surfaces[index(contact.surface)], contact::Mode::Slide);
      const Eigen::Matrix<double, D - 1, 1> t =
          D == 2 ? Eigen::Matrix<double, D - 1, 1>::Constant(p[1] > 0 ? -1.0 : 1.0)
                 : Eigen::Matrix<double, D - 1, 1>(u.template tail<D - 1>().normalized());
      Eigen::Matrix<double, D - 1, D - 1> across;
      across.setZero();
      if (D == 3)
        across = mu * p[0] / u.template tail<D - 1>().norm() *
                 (Eigen::Matrix<double, D - 1, D - 1>::Identity() - t * t.transpose());
      matrix_.template bottomRows<D - 1>() = across * G.template bottomRows<D - 1>();
      matrix_.template bottomRightCorner<D - 1, D - 1>() += Eigen::Matrix<double, D - 1, D - 1>::Identity();
      matrix_.template bottomLeftCorner<D - 1, 1>() += mu * t;
      from_.template bottomRightCorner<D - 1, D - 1>() = -across;
    }
    double size = 1;
    for (int k = 0; k < D; ++k) size *= matrix_.row(k).template lpNorm<1>();
    if (!(std::fabs(matrix_.determinant()) > kSingular * size)) return false;
    from_ = (matrix_.inverse() * from_).eval();
    return from_.allFinite();
  }

  // The changes of the velocities become those at the end of the step.
  void advance(const Vec3& dq, Eigen::Ref<Vec3> dv, Eigen::Ref<Vec3> dw) const {
    Vector w;
    for (int k = 0; k < D; ++k) w[k] = direction_[k].dot(dv) + moment_[k].dot(dw);
    w[0] += direction_[0].dot(dq) / h_;
    const Vector dp = from_ * w;
    for (int k = 0; k < D; ++k) {
      dv += dp[k] * push_[k];
      dw += dp[k] * turn_[k];
    }
  }

  // What the impulses of the step did to the velocities.
  void add_impulse(model::Twist& v) const {
    for (int k = 0; k < D; ++k) {
      v.linear += impulse_[k] * push_[k];
      v.angular += impulse_[k] * turn_[k];
    }
  }

 private:
  contact::ContactRows rows_;
  contact::BodyDynamics inertia_;
  Vec3 direction_[D], moment_[D], push_[D], turn_[D];
  double impulse_[D] = {};
  Matrix matrix_, from_;  // dp = from_ (w + (J_n dq_0 / h, 0))
  double h_ = 1;
};

}  // namespace

bool RoundStep::covers(const model::Model& model) {
  const std::vector<contact::BodyTraits> traits = contact::body_traits(model);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (traits[i].driven || model.bodies[i].linear_damping != 0 || model.bodies[i].angular_damping != 0) return false;
  return true;
}

bool RoundStep::advance(const model::State& before, double h, const stepping::World& world, Eigen::MatrixXd& tangents) {
  return world.model.dimension == 2 ? advance_in<2>(before, h, world, tangents)
                                    : advance_in<3>(before, h, world, tangents);
}

template <int D>
bool RoundStep::advance_in(const model::State& before, double h, const stepping::World& world,
                           Eigen::MatrixXd& tangents) {
  const model::Model& model = world.model;
  const auto& traits = equations_.traits();
  const model::State& geometry = equations_.end_geometry() ? world.state : before;
  touched_.assign(traits.size(), -1);
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    if (!world.memory[c].touching) continue;
    const collision::ContactId& id = world.contacts[c].id;
    int& touched = touched_[index(traits[index(id.body_a)].movable ? id.body_a : id.body_b)];
    if (touched >= 0 || PlaneContact::bends(model, traits, id, geometry)) return false;
    touched = static_cast<int>(c);
  }
  RoundContact<D> contact;
  double error = 0, speed = h * model.gravity.norm();
  start_ = tangents;  // to go back to
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (!traits[i].movable) continue;
    const int c = touched_[i];
    if (c >= 0 && !contact.set(model, traits, world.contacts[index(c)], world.memory[index(c)],
                               world.contacts[index(c)].id.body_a == static_cast<int>(i), h, geometry, world.state)) {
      tangents = start_;
      return false;
    }
    model::Twist free = before.bodies[i].velocity;
    for (int k = 0; k < 3; ++k)
      if (traits[i].free_translation[index(k)]) free.linear[k] += h * model.gravity[k];
    if (c >= 0) contact.add_impulse(free);
    const model::Twist& v = world.state.bodies[i].velocity;
    error = std::max({error, (v.linear - free.linear).lpNorm<Eigen::Infinity>(),
                      (v.angular - free.angular).lpNorm<Eigen::Infinity>()});
    speed = std::max({speed, v.linear.lpNorm<Eigen::Infinity>(), v.angular.lpNorm<Eigen::Infinity>()});
    for (Index k = 0; k < tangents.cols(); ++k) {
      auto d = tangents.col(k).segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent);
      if (c >= 0) contact.advance(d.segment<3>(kPosition), d.segment<3>(kLinear), d.segment<3>(kAngular));
      d.segment<3>(kPosition) += h * d.segment<3>(kLinear);
      if (traits[i].free_rotation)
        turn_tangent(h * v.angular, h * d.segment<3>(kAngular), model.bodies[i].planar(), d.segment<3>(kRotation));
    }
  }
  balance_error_ = speed > 0 ? error / speed : 0;
  return true;
}

}  // namespace stickslip::sensitivity
