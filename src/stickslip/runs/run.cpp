// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/runs/run.h"

#include "stickslip/runs/settle.h"

#include <fmt/format.h>

#include <stdexcept>

namespace stickslip::runs {
namespace {

stepping::Method method_of(const scene::Scene& scene, double step) {
  stepping::Method method = scene.method;
  if (step > 0) method.step = step;
  return method;
}

}  // namespace

Run::Run(const scene::Scene& scene, double step)
    : scene_(scene),
      method_(method_of(scene, step)),
      simulation_(scene.model, method_),
      observer_(scene),
      watched_(!scene.trackers.empty() || !scene.stop.empty()) {}

std::string Run::objection_to_start() {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<simulation::Overlap> overlaps = simulation_.overlaps();
  if (overlaps.empty()) return "";
  std::string list;
  for (std::size_t k = 0; k < overlaps.size() && k < kMostNamed; ++k)
    list += fmt::format("{}{} and {} by {:.3g}", k > 0 ? "; " : "", overlaps[k].body_a, overlaps[k].body_b,
                        overlaps[k].depth);
  if (overlaps.size() > kMostNamed) list += fmt::format("; and {} more pairs", overlaps.size() - kMostNamed);
  return "bodies overlap at the start: " + list;
}

void Run::settle() {
  const Settling settling = runs::settle(scene_.model, method_, simulation_.state());
  const auto refuse = [&](const std::string& why) {
    throw files::SceneError({scene_.file.string(), 0, 0}, "settle = true: " + why);
  };
  if (settling.end == Settled::NotCertified)
    refuse(fmt::format("{} after {:.6g}", settling.failure, settling.duration));
  if (settling.end == Settled::TimeIsUp) refuse(fmt::format("not at rest after {:g}", settling.duration));
  simulation_.set_state(settling.state);
}

void Run::begin() {
  if (scene_.settle) settle();
  observer_.advance(now());
}

void Run::watch() {
  if (!watched_) return;
  const bool needed = observer_.advance_needs_contacts();
  observer_.advance({simulation_.state(), needed ? simulation_.contacts() : std::span<const contact::ContactResult>(),
                     simulation_.last_report().events});
}

RunEnd Run::finish(const Hook& hook) {
  if (!stopped())
    simulation_.run_until(scene_.duration, [&](const simulation::Simulation&) {
      watch();
      const bool go_on = !hook || hook(*this);
      return go_on && !stopped();
    });
  return end();
}

bool Run::run_until(double time, const Hook& hook) {
  return simulation_.run_until(time, [&](const simulation::Simulation&) {
    watch();
    return !hook || hook(*this);
  });
}

stepping::StepReport Run::step() {
  const stepping::StepReport report = simulation_.step();
  if (simulation_.failure() == nullptr) watch();
  return report;
}

RunEnd Run::end() const {
  if (simulation_.failure() != nullptr) return RunEnd::Uncertified;
  return stopped() ? RunEnd::Stopped : RunEnd::Finished;
}

const std::string& Run::stop_text() const {
  static const std::string kNone;
  return stopped() ? scene_.stop[static_cast<std::size_t>(observer_.stopped_by())].text : kNone;
}

std::string failure_of(const simulation::Simulation& simulation) {
  const stepping::StepFailure* failure = simulation.failure();
  if (failure == nullptr) return "";
  if (!failure->reason.empty()) return failure->reason;
  return fmt::format("a step was not certified (residual {:.1e} by {})", failure->residual, failure->solver);
}

Observation Run::now() const {
  return {simulation_.state(), simulation_.contacts(), simulation_.last_report().events};
}

void Run::observe(std::span<double> values) const {
  observer_.evaluate(now(), values);
}

std::vector<double> Run::observables() const {
  std::vector<double> values(scene_.observables.size());
  observe(values);
  return values;
}

void Run::save(ByteWriter& out) const {
  out.put_text(simulation_.checkpoint());
  out.put_list(observer_.memory(), [&](double x) { out.put(x); });
}

void Run::restore(ByteReader& in) {
  const std::string state(in.get_text());
  std::vector<double> memory;
  in.get_list(memory, [&](double& x) { in.get(x); });
  if (!in.ok() || memory.size() != observer_.memory().size())
    throw std::runtime_error("these bytes were not saved by a simulation of this model");
  simulation_.restore(state);
  observer_.restore(memory);
}

void Run::continue_from(const Run& before) {
  simulation_.continue_from(before.simulation_);
  const std::vector<double> memory = before.observer_.memory();
  if (memory.size() == observer_.memory().size()) observer_.restore(memory);
}

Run::Hook asking(std::function<bool()> go_on) {
  constexpr int kStepsBetween = 64;  // to ask costs more than a small step
  if (!go_on) return {};
  return [go_on = std::move(go_on), steps = 0](const Run&) mutable {
    if (++steps % kStepsBetween == 0 && !go_on()) throw Interrupted();
    return true;
  };
}

simulation::StepChoice find_step(const scene::Scene& scene, const Run::Hook& hook) {
  constexpr int kMostRuns = 16;  // the last one has 32768 times as many steps as the first
  const auto ends_with = [&](double step) {
    Run run(scene, step);
    run.begin();
    std::vector<Vec3> ends;
    if (run.finish(hook) == RunEnd::Uncertified) return ends;
    for (const model::BodyState& body : run.simulation().state().bodies) ends.push_back(body.pose.position);
    return ends;
  };
  return simulation::choose_step(scene.method.tolerance, scene.method.step, stepping::order_of(scene.method.stepper),
                                 kMostRuns, ends_with);
}

std::string tolerance_out_of_reach(const scene::Scene& scene, const simulation::StepChoice& choice) {
  return fmt::format("tolerance = {:g} is out of reach: with step {:.3g} the error is still about {:.2g}",
                     scene.method.tolerance, choice.step, choice.estimate);
}

}  // namespace stickslip::runs
