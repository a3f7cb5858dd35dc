// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A collider for tests of the steppers: points, spheres and discs against half-spaces, nothing else. Boxes are given by
// their corners. Independent of the product's collider, so that a fault there does not show up as one of the steppers.
#pragma once

#include "stickslip/collision/collider.h"

#include <algorithm>
#include <limits>

namespace stickslip::testing {

class PointCollider final : public collision::Collider {
 public:
  void find(const model::Model& model, const model::State& state, double margin, double horizon,
            std::vector<collision::Contact>& contacts) override {
    contacts.clear();
    const int n = static_cast<int>(model.bodies.size());
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b) {
        if (model.surface_between(a, b) < 0) continue;
        each_pair(model, a, b, [&](int sa, int sb, int fa, int fb) {
          collision::Contact contact;
          contact.id = {a, b, sa, sb, fa, fb};
          contact.surface = model.surface_between(a, b);
          evaluate(model, state, contact);
          const auto& va = state.bodies[a].velocity;
          const auto& vb = state.bodies[b].velocity;
          const double spin_a = va.angular.norm() * (contact.point_a - state.bodies[a].pose.position).norm();
          const double spin_b = vb.angular.norm() * (contact.point_b - state.bodies[b].pose.position).norm();
          const double speed = (va.linear - vb.linear).norm() + spin_a + spin_b;
          if (contact.gap <= margin + horizon * speed) contacts.push_back(contact);
        });
      }
  }
  void refresh(const model::Model& model, const model::State& state,
               std::vector<collision::Contact>& contacts) override {
    for (collision::Contact& contact : contacts) evaluate(model, state, contact);
  }

 private:
  template <typename F>
  static void each_pair(const model::Model& model, int a, int b, F&& f) {
    const auto& A = model.bodies[a].shapes;
    const auto& B = model.bodies[b].shapes;
    for (int i = 0; i < static_cast<int>(A.size()); ++i)
      for (int j = 0; j < static_cast<int>(B.size()); ++j) {
        const bool plane_a = std::holds_alternative<model::HalfSpace>(A[i].shape);
        const bool plane_b = std::holds_alternative<model::HalfSpace>(B[j].shape);
        if (plane_a == plane_b) continue;
        for (int k = 0; k < features(plane_a ? B[j].shape : A[i].shape); ++k) f(i, j, plane_a ? 0 : k, plane_a ? k : 0);
      }
  }
  static int features(const model::Shape& shape) {
    if (const auto* set = std::get_if<model::PointSet>(&shape)) return static_cast<int>(set->points.size());
    return 1;
  }
  // Centre (world) and radius of a feature.
  static std::pair<Vec3, double> ball(const model::Body& body, const model::BodyState& s, int shape, int feature) {
    const model::PlacedShape& placed = body.shapes[shape];
    Vec3 local = Vec3::Zero();
    double radius = 0;
    if (const auto* set = std::get_if<model::PointSet>(&placed.shape))
      local = set->points[feature];
    else if (const auto* sphere = std::get_if<model::Sphere>(&placed.shape))
      radius = sphere->radius;
    else if (const auto* disc = std::get_if<model::Disc>(&placed.shape))
      radius = disc->radius;
    local = placed.pose.position + placed.pose.orientation * local;
    return {s.pose.position + s.pose.orientation * local, radius};
  }
  static void evaluate(const model::Model& model, const model::State& state, collision::Contact& contact) {
    const collision::ContactId& id = contact.id;
    const model::Body &A = model.bodies[id.body_a], &B = model.bodies[id.body_b];
    const bool plane_a = std::holds_alternative<model::HalfSpace>(A.shapes[id.shape_a].shape);
    const model::Body& plane = plane_a ? A : B;
    const model::BodyState& plane_state = state.bodies[plane_a ? id.body_a : id.body_b];
    const auto& half = std::get<model::HalfSpace>(plane.shapes[plane_a ? id.shape_a : id.shape_b].shape);
    const Vec3 n = plane_state.pose.orientation * half.normal;
    const auto [centre, radius] = plane_a ? ball(B, state.bodies[id.body_b], id.shape_b, id.feature_b)
                                          : ball(A, state.bodies[id.body_a], id.shape_a, id.feature_a);
    const double height = n.dot(centre - plane_state.pose.position) - half.offset;
    contact.gap = height - radius;
    const Vec3 on_ball = centre - radius * n, on_plane = centre - height * n;
    contact.point_a = plane_a ? on_plane : on_ball;
    contact.point_b = plane_a ? on_ball : on_plane;
    contact.normal = plane_a ? Vec3(-n) : n;
  }
};

}  // namespace stickslip::testing
