// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/piles_peers.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/reduction.h"

#include <cmath>
#include <limits>

namespace stickslip::bench {
namespace {

// Two tangents of a unit vector.
std::pair<Vec3, Vec3> tangents(const Vec3& n) {
  const Vec3 other = std::fabs(n.x()) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 t = n.cross(other).normalized();
  return {t, n.cross(t)};
}

}  // namespace

double peer_residual(const PileData& pile, const std::vector<Vec3>& centre, const std::vector<PeerVelocity>& before,
                     const std::vector<PeerContact>& contacts, double h) {
  if (contacts.empty()) return 0;
  using Triplets = std::vector<Eigen::Triplet<double>>;
  const int bodies = static_cast<int>(centre.size()), dof = 6 * bodies, n = static_cast<int>(contacts.size());
  const double inertia = 0.4 * pile.mass * pile.radius * pile.radius;
  complementarity::GlobalContactProblem problem;
  problem.M.resize(dof, dof), problem.H.resize(dof, 3 * n);
  problem.f = Eigen::VectorXd::Zero(dof), problem.w = Eigen::VectorXd::Zero(3 * n);
  problem.mu.assign(static_cast<std::size_t>(n), pile.mu);
  Triplets mass, rows;
  for (int i = 0; i < bodies; ++i) {
    const auto s = static_cast<std::size_t>(i);
    for (int k = 0; k < 6; ++k) mass.emplace_back(6 * i + k, 6 * i + k, k < 3 ? pile.mass : inertia);
    problem.f.segment<3>(6 * i) = pile.mass * (before[s].linear + h * Vec3(0, 0, -pile.gravity));
    problem.f.segment<3>(6 * i + 3) = inertia * before[s].angular;
  }
  std::vector<double> r(static_cast<std::size_t>(3 * n));
  for (int c = 0; c < n; ++c) {
    const PeerContact& contact = contacts[static_cast<std::size_t>(c)];
    const auto [t1, t2] = tangents(contact.normal);
    const Vec3 direction[3] = {contact.normal, t1, t2};
    problem.w[3 * c] = contact.bias;
    for (int k = 0; k < 3; ++k) {
      r[static_cast<std::size_t>(3 * c + k)] = contact.impulse.dot(direction[k]);
      for (const auto& [body, sign] : {std::pair{contact.a, 1.0}, std::pair{contact.b, -1.0}}) {
        if (body < 0) continue;
        const Vec3 turn = (contact.point - centre[static_cast<std::size_t>(body)]).cross(direction[k]);
        for (int l = 0; l < 3; ++l) {
          rows.emplace_back(6 * body + l, 3 * c + k, sign * direction[k][l]);
          rows.emplace_back(6 * body + 3 + l, 3 * c + k, sign * turn[l]);
        }
      }
    }
  }
  problem.M.setFromTriplets(mass.begin(), mass.end());
  problem.H.setFromTriplets(rows.begin(), rows.end());
  complementarity::Reduction reduction;
  if (!reduction.reduce(problem)) return std::numeric_limits<double>::quiet_NaN();
  return complementarity::contact_residual(reduction.local(), r).error;
}

}  // namespace stickslip::bench
