// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One random scene (random_scene.h), run and judged from outside: by its energy, by where its bodies are, and by an
// oracle for overlaps that shares no code with the contact search nor with the audit.
//
//     energy    K + V grew above its smallest value so far by more than 1e-6 of the energy at the start (scenes without
//               drives; compliant contacts give back what they stored: above the start). Contacts that overlapped and
//               are pushed apart do work by their law, force . speed of parting: not counted as gained
//     outside   a centre of mass below the floor, or behind the wall (rigid contacts: soft ones are run over)
//     overlap   deeper than 1 % of the thinner body + s^2 / thickness, s: way in a step (rigid contacts)
#pragma once

#include "bench/overlap_oracle.h"
#include "bench/random_scene.h"
#include "stickslip/contact/body_dynamics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace stickslip::bench {

inline constexpr double kGainedAtMost = 1e-6;  // of the energy at the start

struct RandomRun {
  RandomScene scene;
  double gain = 0;   // largest, as a share of the energy at the start
  double depth = 0;  // largest found by the oracle beyond what is allowed, as a share of the thickness
  bool outside = false, overlap = false;
  std::string refused;  // why the run ended; empty: finished
  std::int64_t steps = 0, states = 0;

  [[nodiscard]] bool gained() const { return gain > kGainedAtMost; }
  [[nodiscard]] bool wrong() const { return gained() || outside || overlap; }
};

class RandomRunJudge {
 public:
  RandomRunJudge(const simulation::Simulation& run, RandomRun& result) : run_(run), result_(result) {
    start_ = lowest_ = energy();
    scale_ = contact::kinetic_energy(run.model(), run.state());
    for (std::size_t i = 0; i < run.model().bodies.size(); ++i)
      if (run.model().bodies[i].mass > 0) scale_ += run.model().bodies[i].mass * run.model().gravity.norm() * 0.5;
  }

  void judge_energy() {
    if (result_.scene.driven) return;
    const double now = energy(), parting = work_of_parting();
    lowest_ += parting;
    start_ += parting;
    const double above = now - (result_.scene.compliant ? start_ : lowest_);
    lowest_ = std::min(lowest_, now);
    result_.gain = std::max(result_.gain, std::isfinite(above) ? above / scale_ : 1e300);
  }
  void judge_places() {
    ++result_.states;
    if (result_.scene.compliant) return;
    const auto& bodies = run_.state().bodies;
    const int up = run_.model().dimension == 2 ? 1 : 2;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (!(run_.model().bodies[i].mass > 0)) continue;
      if (result_.scene.wall > 0)
        result_.outside = result_.outside || bodies[i].pose.position.x() > result_.scene.wall;
      else if (result_.scene.dimension != 25)
        result_.outside = result_.outside || bodies[i].pose.position[up] < 0;
    }
    judge_overlaps();
  }

 private:
  [[nodiscard]] double energy() const {
    return contact::kinetic_energy(run_.model(), run_.state()) + contact::potential_energy(run_.model(), run_.state());
  }
  // Of contacts that overlapped after the step before, by what the run tells of its contacts.
  double work_of_parting() {
    double work = 0;
    for (const contact::ContactResult& c : run_.contacts()) {
      if (!overlapping_.contains(c.contact.id)) continue;
      const double pressing = c.force.dot(c.contact.normal), parting = c.relative_velocity.dot(c.contact.normal);
      if (pressing > 0 && parting > 0) work += run_.method().step * pressing * parting;
    }
    overlapping_.clear();
    for (const contact::ContactResult& c : run_.contacts())
      if (c.contact.gap < 0) overlapping_.insert(c.contact.id);
    return work;
  }
  void judge_overlaps() {
    const auto& model = run_.model();
    std::vector<OverlapOracle> placed;
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      placed.emplace_back(model.bodies[i], run_.state().bodies[i].pose);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      for (std::size_t j = i + 1; j < placed.size(); ++j) {
        if (model.bodies[i].mass == 0 && model.bodies[j].mass == 0) continue;
        const double thickness = std::min(placed[i].thickness(), placed[j].thickness());
        const model::Twist &a = run_.state().bodies[i].velocity, &b = run_.state().bodies[j].velocity;
        const double way = run_.method().step * ((a.linear - b.linear).norm() + a.angular.norm() * placed[i].radius() +
                                                 b.angular.norm() * placed[j].radius());
        const double allowed = 0.01 * thickness + way * way / thickness;
        const double beyond = placed[i].depth(placed[j], allowed) - allowed;
        if (!(beyond > 0)) continue;
        result_.overlap = true;
        result_.depth = std::max(result_.depth, beyond / thickness);
      }
    }
  }

  const simulation::Simulation& run_;
  RandomRun& result_;
  double start_ = 0, lowest_ = 0, scale_ = 0;
  std::set<collision::ContactId> overlapping_;
};

// stepper: a rigid one instead of the scene's own; empty: that.
inline RandomRun run_random(std::uint64_t seed, bool audit, const std::string& stepper = {}) {
  RandomRun result;
  result.scene = random_scene(seed);
  std::vector<scene::Override> overrides;
  if (!stepper.empty()) {
    overrides.push_back({"method.stepper", stepper});
    result.scene.compliant = false;
    result.scene.stepper = static_cast<int>(std::ranges::find(kSteppers, stepper) - kSteppers.begin());
  }
  try {
    scene::Scene scene = scene::parse_scene(result.scene.text, "random.toml", overrides);
    scene.method.audit = audit ? stepping::Auditing::On : stepping::Auditing::Off;
    simulation::Simulation run(scene.model, scene.method);
    if (!run.overlaps().empty()) {
      result.refused = "bodies overlap at the start";
      return result;
    }
    RandomRunJudge judge(run, result);
    constexpr int kEvery = 10;  // steps between states that the oracle sees
    run.run_until(scene.duration, [&](const simulation::Simulation&) {
      judge.judge_energy();
      if (++result.steps % kEvery == 0) judge.judge_places();
      return true;
    });
    if (const stepping::StepFailure* failure = run.failure())
      result.refused = !run.audit().passed()     ? run.audit().violation
                       : failure->reason.empty() ? "a step was not certified"
                                                 : failure->reason;
    else
      judge.judge_places();
  } catch (const std::exception& error) {
    result.refused = error.what();
  }
  return result;
}

}  // namespace stickslip::bench
