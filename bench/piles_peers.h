// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A pile of spheres (examples/pile) on other engines, each step judged by our certificate.
//
// An engine steps from velocities v_0 with contacts of its own, and says which impulses r it used. The problem that it had
// to solve is then
//
//     M v = H r + M v_0 + h f,     u = H' v + w,     0 <= r_n orthogonal to u_n >= 0,  friction in the disc mu r_n
//
// with the engine's own term w_n: a gap over the step where there is one, and the push that it gives to what overlaps (its
// error reduction, a share of the overlap over the step). contact_residual() of this problem at r is what the engine
// left. Its friction model counts as a residual where it is not the disc (pyramids); so does float arithmetic.
#pragma once

#include "stickslip/math/types.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::bench {

struct PeerContact {
  int a = -1, b = -1;  // spheres; -1: what does not move
  Vec3 point, normal;  // from b to a
  double bias = 0;     // w_n
  Vec3 impulse;        // on a
};

struct PeerVelocity {
  Vec3 linear, angular;
};

class PeerPile {
 public:
  PeerPile() = default;
  PeerPile(const PeerPile&) = delete;
  PeerPile& operator=(const PeerPile&) = delete;
  virtual ~PeerPile() = default;

  virtual void step(double h) = 0;
  [[nodiscard]] virtual std::vector<PeerContact> contacts() const = 0;  // of the last step
  [[nodiscard]] virtual std::vector<PeerVelocity> velocities() const = 0;
  [[nodiscard]] virtual std::vector<Vec3> positions() const = 0;  // of the centres
};

struct PileData {
  double mass = 0.5, radius = 0.05, mu = 0.5, gravity = 9.81, side = 0;
  std::vector<Vec3> centre;
};

struct Peer {
  std::string name;
  std::function<std::unique_ptr<PeerPile>(const PileData&)> make;
};

// Those that are installed.
[[nodiscard]] std::vector<Peer> ode_peers();
[[nodiscard]] std::vector<Peer> bullet_peers();
[[nodiscard]] std::vector<Peer> mujoco_peers();

// What a step from v_0 and the positions before it left of its contact problem.
[[nodiscard]] double peer_residual(const PileData& pile, const std::vector<Vec3>& centre,
                                   const std::vector<PeerVelocity>& before, const std::vector<PeerContact>& contacts,
                                   double h);

}  // namespace stickslip::bench
