// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "live_session.h"

#include "live_motion.h"
#include "recording_info.h"
#include "require_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace stickslip::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kFrameInterval = 20ms, kSlice = 12ms, kIdle = 100ms, kMoment = 300ms;

constexpr auto kKeepInterval = 100ms;   // between states to go back to
constexpr std::size_t kMostKept = 600;  // a minute of them
constexpr std::size_t kKeptBytes = 200'000'000, kMostScenes = 40;

constexpr double kGrown = 1.5;  // times the deepest overlap before a change

double deepest(simulation::Simulation& run) {
  double depth = 0;
  for (const simulation::Overlap& overlap : run.overlaps()) depth = std::max(depth, overlap.depth);
  return depth;
}

scene::Scene scene_with(const std::string& file, const std::map<std::string, std::string>& values) {
  std::vector<scene::Override> overrides;
  for (const auto& [name, value] : values) overrides.push_back({name, value});
  scene::Scene scene = scene::load_scene(file, overrides);
  require_step(scene, "live");
  return scene;
}

}  // namespace

struct LiveSession::Loaded {
  scene::Scene scene;
  std::unique_ptr<runs::Run> run;
  std::vector<double> values;        // of the observables
  std::shared_ptr<const Hand> hand;  // that acts in this model
  // Of the step before this model took over, until it has made one itself; only a hand has changed since.
  std::vector<contact::ContactResult> before;

  [[nodiscard]] simulation::Simulation& simulation() const { return run->simulation(); }
};

LiveSession::LiveSession(std::string scene_file, std::vector<scene::Override> overrides, Publisher publisher,
                         std::unique_ptr<LiveRecording> recording)
    : file_(std::move(scene_file)), publisher_(std::move(publisher)), recording_(std::move(recording)) {
  for (scene::Override& over : overrides) overrides_[over.name] = std::move(over.value);
  load(false);
  clock_.set_speed(comfortable_speed(now_->scene.duration));
}

void LiveSession::play() {
  commands_.post([this] {
    playing_ = true;
    changed_ = true;
    forget_notice();
    clock_.anchor(now_->simulation().time());
  });
}

void LiveSession::pause() {
  commands_.post([this] {
    playing_ = false;
    changed_ = true;
    forget_notice();
  });
}

// What was said before is no reason for what somebody asks for now.
void LiveSession::forget_notice() {
  if (notice_.empty()) return;
  notice_.clear();
  publish_setting();
}

void LiveSession::step() {
  commands_.post([this] {
    playing_ = false;
    one_step();
  });
}

void LiveSession::reset() {
  commands_.post([this] {
    playing_ = false;
    notice_.clear();
    load(false);
  });
}

void LiveSession::set_speed(double speed) {
  commands_.post([this, speed] {
    clock_.set_speed(speed);
    changed_ = true;
    clock_.anchor(now_->simulation().time());
  });
}

void LiveSession::set(const std::string& name, std::string value) {
  commands_.post([this, name, value = std::move(value)] {
    const std::map<std::string, std::string> before = overrides_;
    overrides_[name] = value;
    change(name, before);
  });
}

void LiveSession::set_default(const std::string& name) {
  commands_.post([this, name] {
    const std::map<std::string, std::string> before = overrides_;
    overrides_.erase(name);
    change(name, before);
  });
}

// Goes on with other overrides; where they are not possible with those from before, as if nothing had been asked.
void LiveSession::change(const std::string& name, const std::map<std::string, std::string>& before) {
  notice_.clear();
  try {
    load(true);
  } catch (const std::exception& error) {
    overrides_ = before;
    notice_ = error.what();
    refused_ = name;
    publish_setting();
  }
}

void LiveSession::set_ending(Ending ending) {
  commands_.post([this, ending] {
    ending_ = ending;
    changed_ = true;
  });
}

// The hand acts from the next step on; null: no client pulls or pushes a body.
void LiveSession::grasp(std::shared_ptr<Hand> hand) {
  hand_ = std::move(hand);
  load(true, true);
}

void LiveSession::pull(const std::string& body, const Vec3& from, const Vec3& to) {
  commands_.post([this, body, from, to] {
    const int index = free_body(now_->scene.model, body);
    changed_ = true;
    if (hand_ && hand_->body == index && !hand_->pushes()) {
      hand_->target = to;
      return;
    }
    const simulation::Simulation& run = now_->simulation();
    // As fast as the run really goes: the hand of a slow one would pull for minutes.
    const double pace = clock_.rate() > 0 ? std::min(clock_.rate(), clock_.speed()) : clock_.speed();
    grasp(std::make_shared<Hand>(spring(run.model(), run.state(), index, from, to, now_->scene.method.step, pace)));
  });
}

void LiveSession::release() {
  commands_.post([this] {
    if (hand_) grasp(nullptr);
  });
}

void LiveSession::push(const std::string& body, const Vec3& impulse) {
  commands_.post([this, body, impulse] {
    const simulation::Simulation& run = now_->simulation();
    grasp(
        std::make_shared<Hand>(app::push(run.state(), free_body(run.model(), body), impulse, now_->scene.method.step)));
  });
}

void LiveSession::rewind(double time) {
  commands_.post([this, time] {
    const auto later = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.time > time + 1e-12; });
    if (later == kept_.begin()) throw std::runtime_error("no state that early is kept");
    const Kept there = *std::prev(later);
    kept_.erase(later, kept_.end());
    playing_ = false;
    notice_ = fmt::format("went back to t = {:.6g}", there.time);
    now_ = there.loaded;
    overrides_ = there.overrides;
    ByteReader in(there.checkpoint);
    now_->run->restore(in);
    now_->run->observe(now_->values);
    hand_.reset();
    if (now_->hand) return load(true);  // the hand that was there has let go
    start_recording();
    clock_.anchor(now_->simulation().time());
    publish_setting();
  });
}

// A few each second, up to a minute of them; very large scenes have fewer.
void LiveSession::keep_state() {
  ByteWriter checkpoint;
  now_->run->save(checkpoint);
  kept_.push_back({now_->run->time(), checkpoint.take(), now_, overrides_});
  const std::size_t bytes = kept_.back().checkpoint.size() + 1;
  const auto scenes = [&] {
    std::size_t count = 1;
    for (std::size_t k = 1; k < kept_.size(); ++k) count += kept_[k].loaded != kept_[k - 1].loaded ? 1 : 0;
    return count;
  };
  while (kept_.size() > std::min(kMostKept, kKeptBytes / bytes + 2) || scenes() > kMostScenes) kept_.pop_front();
}

void LiveSession::load(bool go_on, bool same_scene) {
  auto next = std::make_shared<Loaded>();
  next->scene = scene_with(file_, overrides_);
  const bool same = go_on && now_ && next->scene.model.bodies.size() == now_->scene.model.bodies.size();
  if (same) keep_places(file_, now_->scene.model, now_->simulation().time(), next->scene.model);
  if (!same || (hand_ && next->scene.model.bodies[static_cast<std::size_t>(hand_->body)].mass <= 0)) hand_.reset();
  if (hand_) lay_on(next->hand = hand_, next->scene.model);
  next->run = std::make_unique<runs::Run>(next->scene);
  next->values.resize(next->scene.observables.size());
  if (same) {
    next->run->continue_from(*now_->run);
    if (same_scene) {
      const std::span<const contact::ContactResult> last = now_->simulation().contacts();
      next->before = now_->before.empty() ? std::vector(last.begin(), last.end()) : now_->before;
    }
    // A body that has just grown into another is moved aside: the next step would throw it out. Overlaps that were
    // there before are the stepper's own (compliant contacts).
    const double before = deepest(now_->simulation()), after = deepest(next->simulation());
    if (after > kGrown * before && !next->simulation().resolve_overlaps())
      throw std::runtime_error("with this value bodies overlap and could not be moved apart");
  } else {
    if (!next->simulation().overlaps().empty() && !next->simulation().resolve_overlaps())
      throw std::runtime_error(fmt::format("{}: bodies overlap at the start and could not be moved apart", file_));
    next->run->begin();
    passed_stop_.clear();
    if (go_on) notice_ = "the number of bodies changed: the run starts again";
    kept_.clear();
  }
  next->run->observe(next->values);
  // Sliders keep the ends that they have at first.
  for (const scene::Parameter& parameter : next->scene.parameters)
    ranges_.try_emplace(parameter.name, slider_range(parameter));
  now_ = std::move(next);
  {
    std::string text = saved_scene(file_, now_->scene, overrides_);
    const std::lock_guard lock(text_mutex_);
    scene_text_ = std::move(text);
  }
  if (!same_scene) start_recording();
  clock_.anchor(now_->simulation().time());
  refused_.clear();
  publish_setting();
  publish_frame(false);  // now: the next command may be a step that takes long
  changed_ = true;
}

void LiveSession::start_recording() {
  if (!recording_) return;
  recording_->start(recording_info(now_->scene),
                    {now_->simulation().state(), now_->simulation().contacts(), now_->values, 0});
}

std::optional<LiveSession::Pause> LiveSession::turn() {
  const auto failed = [this](const std::exception& error) {
    playing_ = false;
    notice_ = error.what();
    publish_setting();
  };
  if (!commands_.run(failed)) return {};
  if (playing_) keep_pace();
  const auto time = Clock::now();
  if (changed_ && time - last_frame_ >= kFrameInterval) {
    last_frame_ = time;
    publish_frame(time - last_kept_ >= kKeepInterval);
    changed_ = false;
  }
  if (playing_ && now_->simulation().time() < clock_.target()) return 0ms;
  return playing_ || changed_ ? kFrameInterval / 4 : kIdle;
}

// Steps until the simulation has caught up with the clock, for one slice of time at most.
void LiveSession::keep_pace() {
  const auto begin = Clock::now();
  const double target = clock_.target();
  while (playing_ && now_->simulation().time() < target && Clock::now() - begin < kSlice) one_step();
  clock_.follow(now_->simulation().time(), target);
}

void LiveSession::one_step() {
  const std::shared_ptr<Loaded> self = now_;  // a push that ends, or a loop, puts another in its place
  const simulation::Simulation& run = self->simulation();
  changed_ = true;
  const auto stop = [&](std::string why) {
    playing_ = false;
    notice_ = std::move(why);
    publish_setting();
  };
  if (run.failure() != nullptr) return stop("the last step could not be certified: reset to start again");
  const double end = now_->scene.duration - 0.5 * now_->scene.method.step;
  if (run.time() >= end && ending_ == Ending::Stop)
    return stop(fmt::format("the scene's duration of {:.6g} is over: reset, or choose to go on", now_->scene.duration));
  if (run.time() >= end && ending_ == Ending::Loop) return load(false);
  const bool before_end = run.time() < end;
  std::string error;
  try {
    (void)self->run->step();
    self->before.clear();
    if (run.failure() == nullptr) self->run->observe(self->values);
  } catch (const scene::SceneError& not_a_number) {
    error = not_a_number.what();
  }
  if (before_end && run.time() >= end && ending_ == Ending::GoOn) {
    notice_ = fmt::format("past the scene's duration of {:.6g}: the run goes on", now_->scene.duration);
    publish_setting();
  }

  if (run.failure() != nullptr)
    return stop(run.audit().passed()
                    ? fmt::format("no solver certified the step at t = {:.6g}: the run stops here", run.time())
                    : fmt::format("{}: the run stops here, at t = {:.6g}", run.audit().violation, run.time()));
  if (!error.empty()) return stop(error);
  if (recording_ && !recording_->append({run.state(), run.contacts(), now_->values, run.last_report().residual})) {
    notice_ = fmt::format("the recording is full and ends at t = {:.6g}; reset begins a new one", run.time());
    publish_setting();
  }
  if (hand_ && hand_->pushes() && run.time() >= hand_->end - 5e-4 * (hand_->end - hand_->begin)) grasp(nullptr);
  if (!self->run->stopped())
    passed_stop_.clear();
  else if (ending_ == Ending::Loop)
    load(false);
  else if (ending_ == Ending::Stop)
    stop(fmt::format("stopped by {}", self->run->stop_text()));
  else if (passed_stop_ != self->run->stop_text()) {
    passed_stop_ = self->run->stop_text();
    stop(fmt::format("stopped by {}: play goes on past it", passed_stop_));
  }
}

void LiveSession::publish_setting() {
  publisher_.setting(setting_message(now_->scene, ranges_, ++number_, notice_, refused_));
  last_frame_ = {};
  changed_ = true;
}

void LiveSession::publish_frame(bool keep) {
  const simulation::Simulation& run = now_->simulation();
  const bool kept = keep && run.failure() == nullptr && (kept_.empty() || kept_.back().time < run.time());
  if (kept) {
    last_kept_ = Clock::now();
    keep_state();
  }
  publisher_.frame(frame_message(
      run, now_->values, {number_, playing_, clock_.speed(), clock_.rate(), ending_, kept, hand_.get(), now_->before}));
}

const model::State& LiveSession::state() const {
  return now_->simulation().state();
}

std::string LiveSession::scene_text() {
  commands_.await_commands(kMoment);
  const std::lock_guard lock(text_mutex_);
  return scene_text_;
}

std::string LiveSession::recording_bytes() {
  commands_.await_commands(kMoment);
  return recording_ ? recording_->bytes() : std::string();
}

}  // namespace stickslip::app
