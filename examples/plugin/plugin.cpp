// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A plug-in to start from: a contact solver and a time stepper, each as small as can be.
#include "stickslip/simulation/plugin.h"

#include <algorithm>
#include <cmath>

namespace {

using namespace stickslip;

// Fixed-point iteration on the natural map:   r_c <- projection on the cone of  r_c - rho (u_n + mu |u_t|, u_t).
// Slow, but it converges for one body on a few contacts.
class Projection final : public complementarity::ExternalContactSolver {
 public:
  void solve(const complementarity::ContactProblem& problem, std::vector<double>& r,
             const complementarity::SolverOptions& options) override {
    if (!problem.kind.empty()) return;  // knows frictional contacts only
    const int D = problem.dimension();
    const int most = options.max_iterations > 0 ? options.max_iterations : 10000;
    for (int iteration = 0; iteration < most; ++iteration) {
      double change = 0, largest = 0;
      for (int c = 0; c < problem.contacts(); ++c) change = std::max(change, improve(problem, c, D, r));
      for (const double x : r) largest = std::max(largest, std::fabs(x));
      if (change <= 1e-16 * largest) return;
    }
  }

 private:
  static double improve(const complementarity::ContactProblem& problem, int c, int D, std::vector<double>& r) {
    const auto& W = problem.W;
    const auto at = static_cast<std::size_t>(c);
    double u[3] = {}, trace = 0;
    for (int k = 0; k < D; ++k) u[k] = problem.q[static_cast<std::size_t>(c * D + k)];
    for (int p = W.row_start[at]; p < W.row_start[at + 1]; ++p)
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l)
          u[k] += W.value[static_cast<std::size_t>((p * D + k) * D + l)] *
                  r[static_cast<std::size_t>(W.column[static_cast<std::size_t>(p)] * D + l)];
    for (int k = 0; k < D; ++k) trace += W.value[static_cast<std::size_t>((W.diagonal[at] * D + k) * D + k)];
    const double rho = 1 / trace, mu = problem.mu[at];
    double x[3] = {};
    for (int k = 0; k < D; ++k) x[k] = r[static_cast<std::size_t>(c * D + k)] - rho * u[k];
    x[0] -= rho * mu * std::hypot(u[1], u[2]);
    // Onto the cone |x_t| <= mu x_n.
    const double length = std::hypot(x[1], D == 3 ? x[2] : 0.0);
    if (mu * length <= -x[0]) {
      std::fill(x, x + 3, 0.0);
    } else if (length > mu * x[0]) {
      const double normal = (x[0] + mu * length) / (1 + mu * mu);
      for (int k = 1; k < D; ++k) x[k] *= mu * normal / length;
      x[0] = normal;
    }
    double change = 0;
    for (int k = 0; k < D; ++k) {
      double& old = r[static_cast<std::size_t>(c * D + k)];
      change = std::max(change, std::fabs(x[k] - old));
      old = x[k];
    }
    return change;
  }
};

// Bodies that fall and never meet anything.
class FreeFlight final : public stepping::Stepper {
 public:
  stepping::StepReport advance(stepping::World& world, double h, double end_time) override {
    for (std::size_t i = 0; i < world.state.bodies.size(); ++i) {
      if (!world.traits[i].movable) continue;
      model::BodyState& body = world.state.bodies[i];
      body.velocity.linear += h * world.model.gravity;
      model::advance(body, body.velocity, h, world.model.bodies[i].planar());
    }
    model::apply_drives(world.model, end_time, world.state);
    world.state.time = end_time;
    stepping::StepReport report;
    report.solver = "none";
    return report;
  }
  void save(ByteWriter&) const override {}  // all that later steps read is in the world
  void restore(ByteReader&) override {}
};

void enter(simulation::PluginHost& host) {
  host.add_contact_solver(
      {"example-projection", "fixed-point iteration on the natural map (examples/plugin)"},
      []() -> std::unique_ptr<complementarity::ExternalContactSolver> { return std::make_unique<Projection>(); });
  host.add_stepper({"example-free-flight", "no contacts at all (examples/plugin)"},
                   []() -> std::unique_ptr<stepping::Stepper> { return std::make_unique<FreeFlight>(); }, {});
}

}  // namespace

STICKSLIP_PLUGIN(enter)
