// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of simulation.h.
//
// Bodies that overlap: who and how deep (by geometry, whatever the contact search finds), and moving them apart.
//
// resolve_overlaps() repeats: find contacts, solve the frictionless problem   0 <= r  _|_  gap + W_n r >= 0   and move
// the bodies by A^-1 W_n r. It changes positions only, and in proportion to the inverse masses.
#include "stickslip/collision/overlaps.h"
#include "stickslip/contact/contact_system.h"
#include "stickslip/simulation/simulation.h"
#include "stickslip/stepping/problem_solver.h"
#include "stickslip/stepping/rest.h"

#include <algorithm>
#include <cmath>

namespace stickslip::simulation {

std::vector<Overlap> Simulation::overlaps(double relative) {
  collision::Overlaps geometry(world_.model);
  std::vector<Overlap> list;
  for (const collision::BodyOverlap& found : geometry.find(world_.state)) {
    const auto a = static_cast<std::size_t>(found.body_a), b = static_cast<std::size_t>(found.body_b);
    double size = geometry.thickness(found.body_a, found.body_b);
    // Points over a half-space have no extent but their distance from its origin.
    if (!std::isfinite(size))
      size = (world_.state.bodies[a].pose.position - world_.state.bodies[b].pose.position).norm();
    if (found.depth > relative * size)
      list.push_back({world_.model.bodies[a].name, world_.model.bodies[b].name, found.depth});
  }
  return list;
}

bool Simulation::resolve_overlaps() {
  audit_begun_ = false;               // it starts from where the bodies are then
  constexpr int kRounds = 100;        // deep overlaps of turning bodies converge like Newton's method, stacks slower
  constexpr double kAccepted = 1e-7;  // relative depth: a tenth of what overlaps() reports
  stepping::ProblemSolver solver;
  contact::ContactSystem system;
  std::vector<contact::BodyDynamics> dynamics(world_.model.bodies.size());
  std::vector<collision::Contact> contacts;
  std::vector<model::Twist> shift(dynamics.size());
  for (int round = 0; round < kRounds; ++round) {
    if (overlaps(kAccepted).empty()) return true;
    for (std::size_t i = 0; i < dynamics.size(); ++i)
      contact::evaluate_inertia(world_.model.bodies[i], world_.traits[i], world_.state.bodies[i].pose.orientation, 0,
                                dynamics[i]);
    world_.collider.find(world_.model, world_.state, 0, 0, contacts);
    system.build(world_.model.dimension, world_.state, contacts, dynamics);
    system.assemble(dynamics);
    for (contact::Island& island : system.islands()) {
      const auto D = static_cast<std::size_t>(system.dimension());
      std::fill(island.problem.q.begin(), island.problem.q.end(), 0.0);
      std::fill(island.problem.mu.begin(), island.problem.mu.end(), 0.0);
      std::fill(island.r.begin(), island.r.end(), 0.0);
      for (std::size_t i = 0; i < island.contacts.size(); ++i)
        island.problem.q[i * D] = contacts[static_cast<std::size_t>(island.contacts[i])].gap;
      if (!solver.solve(world_.method, island)) return false;
    }
    std::fill(shift.begin(), shift.end(), model::Twist{});
    system.apply_impulses(dynamics, shift);
    for (std::size_t i = 0; i < shift.size(); ++i) {
      model::BodyState& body = world_.state.bodies[i];
      body.pose.position += shift[i].linear;
      stepping::turn(body, shift[i].angular, 1.0, world_.model.bodies[i].planar());
    }
  }
  return overlaps().empty();
}

}  // namespace stickslip::simulation
