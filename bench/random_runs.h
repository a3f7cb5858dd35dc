// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One random scene (random_scene.h), run and judged from outside: by its energy, by where its bodies are, and by an
// oracle for overlaps that shares no code with the contact search nor with the audit.
//
//     energy    K + V grew above its smallest value so far by more than 1e-6 of the energy at the start, 1e-5 under
//               steppers of higher order (scenes without
//               drives; compliant contacts give back what they stored: above the start). Bodies that overlapped and
//               are pushed apart gain force . way of parting, at most as far as they overlapped: not counted
//     outside   a centre of mass below the floor (and not past its end), or behind the wall (rigid contacts: soft ones are
//               run over)
//     overlap   deeper than 1 % of the thinner body + s^2 / thickness, s: way in a step, by the velocities of its start or
//               of its end (rigid contacts). What a fast step left so may part slowly, as overlaps do: by 5 % of the
//               thickness per second at least
#pragma once

#include "bench/overlap_oracle.h"
#include "bench/random_scene.h"
#include "stickslip/collision/feature_collider.h"
#include "stickslip/contact/body_dynamics.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <time.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stickslip::bench {

// Of the energy at the start. Steppers of second and higher order keep energy to the third power of what turns in a step
// only, 6 rad/s . 1e-2 s: 2e-4 of the kinetic energy.
inline double gained_at_most(int stepper) {
  return kSteppers[static_cast<std::size_t>(stepper)] == std::string_view("second-order") || stepper == kRungeKutta
             ? 1e-5
             : 1e-6;
}
// A run ends after so much work: one in a hundred, a stack that rattles or a jam, would take as much as all others.
inline constexpr std::int64_t kMostSolves = 200, kMostAtWorst = 2;  // contact problems; steps above the certificate

struct RandomRun {
  RandomScene scene;
  double gain = 0;   // largest, as a share of the energy at the start
  double depth = 0;  // largest found by the oracle beyond what is allowed, as a share of the thickness
  bool outside = false, overlap = false;
  bool touched = false;  // a contact pressed in some step
  bool cut = false;      // ended by the work that it took
  std::string refused;   // why the run ended; empty: finished
  std::int64_t steps = 0, states = 0;
  double seconds = 0, of_oracle = 0;  // of the processor: in all, and for judging

  [[nodiscard]] bool gained() const { return gain > gained_at_most(scene.stepper); }
  [[nodiscard]] bool wrong() const { return gained() || outside || overlap; }
};

// Of this thread.
inline double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class RandomRunJudge {
 public:
  RandomRunJudge(const simulation::Simulation& run, RandomRun& result) : run_(run), result_(result) {
    before_ = run.state();
    start_ = lowest_ = energy();
    scale_ = contact::kinetic_energy(run.model(), run.state());
    for (std::size_t i = 0; i < run.model().bodies.size(); ++i)
      if (run.model().bodies[i].mass > 0) scale_ += run.model().bodies[i].mass * run.model().gravity.norm() * 0.5;
    hints_.resize(run.model().bodies.size() * run.model().bodies.size(), Vec3::Zero());
    left_.resize(hints_.size(), 0);
    started_ = run.state();
  }

  // After a step.
  void judge_energy() {
    const std::span<const contact::ContactResult> contacts = run_.contacts();
    for (const contact::ContactResult& c : contacts)
      result_.touched = result_.touched || c.force.dot(c.contact.normal) > 0;
    if (result_.scene.driven) return;
    const double now = energy(), parting = work_of_parting(contacts);
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
        result_.outside =
            result_.outside || (bodies[i].pose.position[up] < 0 && over_floor(bodies[i].pose.position, up));
    }
    judge_overlaps();
    started_ = run_.state();
  }

 private:
  // Floors may end, and what has left one falls.
  static bool over_floor(const Vec3& place, int up) {
    return std::fabs(place.x()) < kFloorReach && (up == 1 || std::fabs(place.y()) < kFloorReach);
  }
  [[nodiscard]] double energy() const {
    return contact::kinetic_energy(run_.model(), run_.state()) + contact::potential_energy(run_.model(), run_.state());
  }
  // Of contacts that overlapped at the start of the step, by what the run tells of them; no farther than they did. Gap and
  // normal are those of the start: the velocities found part them along it, and it turns with the bodies within the step.
  // Of a step that was divided the last part may tell of no force: then that of the step before, as far as the gap has come.
  double work_of_parting(std::span<const contact::ContactResult> contacts) {
    at_start_.clear();
    for (const contact::ContactResult& c : contacts) at_start_.push_back(c.contact);
    collider_.refresh(run_.model(), before_, at_start_);
    double work = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const Vec3& normal = at_start_[k].normal;
      const double pressing = contacts[k].force.dot(normal), parting = contacts[k].relative_velocity.dot(normal);
      const double overlap = -at_start_[k].gap;
      double parted =
          pressing > 0 && parting > 0 && overlap > 0 ? pressing * std::min(run_.method().step * parting, overlap) : 0.0;
      const auto pressed = pressed_.find(contacts[k].contact.id);
      if (run_.last_report().sub_steps > 1 && overlap > 0 && pressed != pressed_.end())
        parted = std::max(parted, pressed->second * std::clamp(contacts[k].contact.gap + overlap, 0.0, overlap));
      work += parted;
    }
    before_ = run_.state();
    pressed_.clear();
    for (const contact::ContactResult& c : contacts)
      if (const double force = c.force.dot(c.contact.normal); force > 0) pressed_[c.contact.id] = force;
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
        const auto way_at = [&](const model::State& state) {
          const model::Twist &a = state.bodies[i].velocity, &b = state.bodies[j].velocity;
          return run_.method().step * ((a.linear - b.linear).norm() + a.angular.norm() * placed[i].radius() +
                                       b.angular.norm() * placed[j].radius());
        };
        const std::size_t pair = i * placed.size() + j;
        const double way = std::max(way_at(started_), way_at(run_.state()));
        const double fresh = 0.01 * thickness + way * way / thickness;
        const double allowed = std::max(fresh, left_[pair] - 0.05 * thickness * run_.method().step);
        const double depth = placed[i].depth(placed[j], 0.01 * thickness, &hints_[pair]), beyond = depth - allowed;
        left_[pair] = std::min(depth, allowed);
        if (!(beyond > 0)) continue;
        result_.overlap = true;
        result_.depth = std::max(result_.depth, beyond / thickness);
      }
    }
  }

  const simulation::Simulation& run_;
  RandomRun& result_;
  double start_ = 0, lowest_ = 0, scale_ = 0;
  model::State before_;  // where the step began
  collision::FeatureCollider collider_;
  std::vector<collision::Contact> at_start_;        // contacts of the run, in before_
  std::map<collision::ContactId, double> pressed_;  // forces along the normals in the step before
  std::vector<Vec3> hints_;                         // of each pair: the direction that told it apart last,
  std::vector<double> left_;                        // and how deep it was when the step before ended
  model::State started_;                            // where that was
};

namespace detail {

inline void run_scene(RandomRun& result, bool audit, const std::vector<scene::Override>& overrides) {
  scene::Scene scene = scene::parse_scene(result.scene.text, "random.toml", overrides);
  scene.method.audit = audit ? stepping::Auditing::On : stepping::Auditing::Off;
  simulation::Simulation run(scene.model, scene.method);
  if (!run.overlaps().empty()) {
    result.refused = "bodies overlap at the start";
    return;
  }
  RandomRunJudge judge(run, result);
  run.run_until(scene.duration, [&](const simulation::Simulation&) {
    const double begin = processor_seconds();
    judge.judge_energy();
    judge.judge_places();
    result.of_oracle += processor_seconds() - begin;
    ++result.steps;
    result.touched = result.touched || run.counters().events > 0;
    if (result.scene.bounded)
      result.cut = run.counters().solves >= kMostSolves || run.counters().at_worst >= kMostAtWorst;
    return !result.cut;
  });
  if (const stepping::StepFailure* failure = run.failure())
    result.refused = !run.audit().passed()     ? run.audit().violation
                     : failure->reason.empty() ? "a step was not certified"
                                               : failure->reason;
}

}  // namespace detail

// stepper: another one than the scene's own; empty: that.
inline RandomRun run_random(RandomScene scene, bool audit, const std::string& stepper = {}) {
  const double begin = processor_seconds();
  RandomRun result;
  result.scene = std::move(scene);
  std::vector<scene::Override> overrides;
  if (!stepper.empty()) {
    overrides.push_back({"method.stepper", stepper});
    result.scene.stepper = static_cast<int>(std::ranges::find(kSteppers, stepper) - kSteppers.begin());
    if (result.scene.stepper < kSongPangKumar) result.scene.compliant = false;  // rigid steppers read no stiffness
  }
  try {
    detail::run_scene(result, audit, overrides);
  } catch (const std::exception& error) {
    result.refused = error.what();
  }
  result.seconds = processor_seconds() - begin;
  return result;
}
inline RandomRun run_random(std::uint64_t seed, bool audit, const std::string& stepper = {}) {
  return run_random(random_scene(seed), audit, stepper);
}

}  // namespace stickslip::bench
