// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/contact_memory.h"

#include "stickslip/collision/feature.h"
#include "stickslip/contact/material.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>
#include <compare>

namespace stickslip::stepping {

using contact::Mode;

namespace {

// Does the solution leave a contact with slip, above what rounding and the certificate allow?
bool slips(const contact::Island& island, int contact) {
  const complementarity::BlockMatrix& W = island.problem.W;
  const int D = island.problem.dimension();
  double u[3] = {}, scale = 0;
  for (int k = 0; k < D; ++k) {
    u[k] = island.problem.q[index(contact * D + k)];
    scale += std::fabs(u[k]);
  }
  for (int p = W.row_start[index(contact)]; p < W.row_start[index(contact) + 1]; ++p) {
    const double* block = W.value.data() + index(p * D * D);
    const double* x = island.r.data() + index(W.column[index(p)] * D);
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) {
        u[k] += block[k * D + l] * x[l];
        scale += std::fabs(block[k * D + l] * x[l]);
      }
  }
  return tangential_norm(u, D) > kVelocityNoise * scale + VelocityNoise(island).of(contact);
}

// A point or a corner. Balls, discs and the ends of capsules are vertices with a radius: these roll.
bool is_sharp(const model::Model& model, int body, int shape, collision::FeatureCode feature) {
  if (collision::feature_kind(feature) != collision::FeatureKind::Vertex) return false;
  const std::vector<model::PlacedShape>& shapes = model.bodies[index(body)].shapes;
  if (index(shape) >= shapes.size()) return false;
  const model::Shape& of = shapes[index(shape)].shape;
  return std::holds_alternative<model::PointSet>(of) || std::holds_alternative<model::Polygon>(of) ||
         std::holds_alternative<model::Chain>(of) || std::holds_alternative<model::Polyhedron>(of);
}

}  // namespace

bool rolls(const contact::ContactRows& rows, const model::Model& model, const collision::ContactId& id,
           const model::Twist& a, const model::Twist& b, double noise) {
  const Vec3 turning = a.angular - b.angular;
  const double rounding = 1e-9 * (a.angular.lpNorm<1>() + b.angular.lpNorm<1>());
  double rate = std::fabs(turning.z());
  if (model.dimension == 3) rate = (turning - turning.dot(rows.direction[0]) * rows.direction[0]).lpNorm<1>();
  if (rate <= rounding) return false;
  const double arm = std::max(rows.moment_a[1].norm(), rows.moment_b[1].norm());  // the tangent's lever
  return rate * arm > noise && !is_sharp(model, id.body_a, id.shape_a, id.feature_a) &&
         !is_sharp(model, id.body_b, id.shape_b, id.feature_b);
}

void carry_over(const std::vector<ContactMemory>& before, const std::vector<collision::Contact>& contacts,
                std::vector<ContactMemory>& memory) {
  memory.resize(contacts.size());
  std::size_t k = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    auto order = std::strong_ordering::greater;
    while (k < before.size() && (order = before[k].id <=> contacts[c].id) < 0) ++k;
    if (k < before.size() && order == 0)
      memory[c] = before[k++];
    else {
      memory[c] = ContactMemory{};
      memory[c].id = contacts[c].id;
    }
  }
}

void insert_contacts(const std::vector<collision::Contact>& more, std::vector<collision::Contact>& contacts) {
  const auto by_id = [](const collision::Contact& x, const collision::Contact& y) { return x.id < y.id; };
  for (const collision::Contact& contact : more)
    contacts.insert(std::ranges::upper_bound(contacts, contact, by_id), contact);
}

Mode mode_before_touch(const contact::ContactRows& rows, int dimension, const model::Twist& a, const model::Twist& b) {
  double u[3] = {};
  for (int k = 1; k < dimension; ++k) u[k] = contact::relative_velocity(rows, k, a, b);
  const double scale = a.linear.lpNorm<1>() + b.linear.lpNorm<1>();
  return tangential_norm(u, dimension) > kVelocityNoise * scale ? Mode::Slide : Mode::Stick;
}

bool weaken_broken_contacts(const model::Model& model, std::span<const collision::Contact> contacts,
                            std::span<ContactMemory> memory, contact::Island& island) {
  const int D = island.problem.dimension();
  bool any = false;
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const auto c = index(island.contacts[i]);
    if (c >= memory.size()) continue;
    const model::Surface& surface = model.surfaces[index(contacts[c].surface)];
    const double* r = island.r.data() + i * index(D);
    // On the cone's surface up to rounding, and slipping: on the surface alone is also a contact that bears more than
    // its share of what others could still hold.
    if (!uses_up_static_friction(surface, memory[c].mode, island.problem.mu[i], r, D)) continue;
    if (!slips(island, static_cast<int>(i))) continue;
    memory[c].mode = Mode::Slide;
    island.problem.mu[i] = surface.friction_kinetic;
    any = true;
  }
  return any;
}

bool has_chains(const model::Model& model) {
  return std::ranges::any_of(model.bodies, [](const model::Body& body) {
    return std::ranges::any_of(body.shapes, [](const model::PlacedShape& placed) {
      return std::holds_alternative<model::Chain>(placed.shape);
    });
  });
}

void record_outcome(const contact::ContactRows& rows, const model::Model& model, const double* r, const double* q,
                    const model::Twist& va, const model::Twist& vb, double h, double certificate, double noise,
                    ContactMemory& memory) {
  if (model.dimension == 2)
    record_fixed_outcome<2>(rows, model, r, q, va, vb, h, certificate, noise, memory);
  else
    record_fixed_outcome<3>(rows, model, r, q, va, vb, h, certificate, noise, memory);
}

}  // namespace stickslip::stepping
