// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "live_session.h"

#include "batch.h"
#include "live_motion.h"
#include "recording_info.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stickslip::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kFrameInterval = 20ms, kSlice = 12ms, kIdle = 100ms, kMoment = 300ms;
constexpr double kBehind = 0.1;  // seconds of wall time before the clock is set anew
constexpr std::size_t kMostBytes = 500'000'000, kFrameBytes = 600, kBodyBytes = 140;  // of a recording; estimates

constexpr auto kKeepInterval = 100ms;   // between states to go back to
constexpr std::size_t kMostKept = 600;  // a minute of them
constexpr std::size_t kKeptBytes = 200'000'000, kMostScenes = 40;

constexpr double kGrown = 1.5;  // times the deepest overlap before a change

double deepest(simulation::Simulation& run) {
  double depth = 0;
  for (const simulation::Overlap& overlap : run.overlaps()) depth = std::max(depth, overlap.depth);
  return depth;
}

}  // namespace

struct LiveSession::Loaded {
  scene::Scene scene;
  std::unique_ptr<simulation::Simulation> simulation;
  std::unique_ptr<runs::Observer> observer;
  std::vector<double> values;
  std::shared_ptr<const Hand> hand;  // that acts in this model

  [[nodiscard]] runs::Observation observation() const {
    return {simulation->state(), simulation->contacts(), simulation->last_report().events};
  }
};

LiveSession::LiveSession(std::string scene_file, std::vector<scene::Override> overrides, Publisher publisher)
    : file_(std::move(scene_file)), publisher_(std::move(publisher)) {
  for (scene::Override& over : overrides) overrides_[over.name] = std::move(over.value);
  std::string pattern = (std::filesystem::temp_directory_path() / "stickslip-live-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder for the recording");
  folder_ = pattern;
  try {
    load(false);
    speed_ = comfortable_speed(now_->scene.duration);
  } catch (...) {
    std::filesystem::remove_all(folder_);
    throw;
  }
}

LiveSession::~LiveSession() {
  (void)stop_within(0);
  if (thread_.joinable()) thread_.join();
  recorder_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void LiveSession::start() {
  thread_ = std::thread([this] {
    run();
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
  });
}

bool LiveSession::stop_within(double seconds) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  wake_.notify_all();
  if (!thread_.joinable()) return true;
  return wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return ended_; });
}

// No destructor runs: the thread may be using anything.
void LiveSession::abandon(int exit_code) {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

void LiveSession::post(std::function<void()> command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
  }
  wake_.notify_all();
}

void LiveSession::play() {
  post([this] {
    playing_ = true;
    changed_ = true;
    anchor();
  });
}

void LiveSession::pause() {
  post([this] {
    playing_ = false;
    changed_ = true;
  });
}

void LiveSession::step() {
  post([this] {
    playing_ = false;
    one_step();
  });
}

void LiveSession::reset() {
  post([this] {
    playing_ = false;
    notice_.clear();
    load(false);
  });
}

void LiveSession::set_speed(double speed) {
  post([this, speed] {
    speed_ = speed;
    changed_ = true;
    anchor();
  });
}

void LiveSession::set(const std::string& name, std::string value) {
  post([this, name, value = std::move(value)] {
    const std::map<std::string, std::string> before = overrides_;
    overrides_[name] = value;
    change(name, before);
  });
}

void LiveSession::set_default(const std::string& name) {
  post([this, name] {
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
  post([this, ending] {
    ending_ = ending;
    changed_ = true;
  });
}

int LiveSession::free_body(const std::string& name) const {
  const auto& bodies = now_->scene.model.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (bodies[b].name == name && bodies[b].mass > 0) return static_cast<int>(b);
  throw std::runtime_error(fmt::format("there is no body \"{}\" that moves freely", name));
}

// The hand acts from the next step on; null: nobody touches anything.
void LiveSession::grasp(std::shared_ptr<Hand> hand) {
  hand_ = std::move(hand);
  load(true, true);
}

void LiveSession::pull(const std::string& body, const Vec3& from, const Vec3& to) {
  post([this, body, from, to] {
    const int index = free_body(body);
    changed_ = true;
    if (hand_ && hand_->body == index && !hand_->pushes()) {
      hand_->target = to;
      return;
    }
    const simulation::Simulation& run = *now_->simulation;
    grasp(std::make_shared<Hand>(spring(run.model(), run.state(), index, from, to, now_->scene.method.step, speed_)));
  });
}

void LiveSession::release() {
  post([this] {
    if (hand_) grasp(nullptr);
  });
}

void LiveSession::push(const std::string& body, const Vec3& impulse) {
  post([this, body, impulse] {
    const simulation::Simulation& run = *now_->simulation;
    grasp(std::make_shared<Hand>(app::push(run.state(), free_body(body), impulse, now_->scene.method.step)));
  });
}

void LiveSession::rewind(double time) {
  post([this, time] {
    const auto later = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.time > time + 1e-12; });
    if (later == kept_.begin()) throw std::runtime_error("no state that early is kept");
    const Kept there = *std::prev(later);
    kept_.erase(later, kept_.end());
    playing_ = false;
    notice_ = fmt::format("went back to t = {:.6g}", there.time);
    now_ = there.loaded;
    overrides_ = there.overrides;
    now_->simulation->restore(there.checkpoint);
    now_->observer->restore(there.memory);
    now_->observer->evaluate(now_->observation(), now_->values);
    hand_.reset();
    if (now_->hand) return load(true);  // the hand that was there has let go
    start_recording();
    anchor();
    publish_setting();
  });
}

// A few each second, up to a minute of them; very large scenes have fewer.
void LiveSession::keep_state() {
  kept_.push_back(
      {now_->simulation->time(), now_->simulation->checkpoint(), now_->observer->memory(), now_, overrides_});
  const std::size_t bytes = kept_.back().checkpoint.size() + 1;
  const auto scenes = [&] {
    std::size_t count = 1;
    for (std::size_t k = 1; k < kept_.size(); ++k) count += kept_[k].loaded != kept_[k - 1].loaded ? 1 : 0;
    return count;
  };
  while (kept_.size() > std::min(kMostKept, kKeptBytes / bytes + 2) || scenes() > kMostScenes) kept_.pop_front();
}

std::shared_ptr<LiveSession::Loaded> LiveSession::make() const {
  std::vector<scene::Override> overrides;
  for (const auto& [name, value] : overrides_) overrides.push_back({name, value});
  auto loaded = std::make_shared<Loaded>();
  loaded->scene = scene::load_scene(file_, overrides);
  require_step(loaded->scene, "live");
  return loaded;
}

void LiveSession::load(bool go_on, bool same_scene) {
  std::shared_ptr<Loaded> next = make();
  const bool same = go_on && now_ && next->scene.model.bodies.size() == now_->scene.model.bodies.size();
  if (same) keep_places(file_, now_->scene.model, now_->simulation->time(), next->scene.model);
  if (!same || (hand_ && next->scene.model.bodies[static_cast<std::size_t>(hand_->body)].mass <= 0)) hand_.reset();
  if (hand_) lay_on(next->hand = hand_, next->scene.model);
  next->simulation = std::make_unique<simulation::Simulation>(next->scene.model, next->scene.method);
  next->observer = std::make_unique<runs::Observer>(next->scene);
  next->values.resize(next->scene.observables.size());
  if (same) {
    next->simulation->continue_from(*now_->simulation);
    // A body that has just grown into another is moved aside: the next step would throw it out. Overlaps that were
    // there before are the stepper's own (compliant contacts).
    const double before = deepest(*now_->simulation), after = deepest(*next->simulation);
    if (after > kGrown * before && !next->simulation->resolve_overlaps())
      throw std::runtime_error("with this value bodies overlap and could not be moved apart");
    const std::vector<double> memory = now_->observer->memory();
    if (memory.size() == next->observer->memory().size()) next->observer->restore(memory);
  } else {
    if (!next->simulation->overlaps().empty() && !next->simulation->resolve_overlaps())
      throw std::runtime_error(fmt::format("{}: bodies overlap at the start and could not be moved apart", file_));
    next->observer->advance(next->observation());
    if (go_on) notice_ = "the number of bodies changed: the run starts again";
    kept_.clear();
  }
  next->observer->evaluate(next->observation(), next->values);
  // Sliders keep the ends that they have at first.
  for (const scene::Parameter& parameter : next->scene.parameters)
    ranges_.try_emplace(parameter.name, slider_range(parameter));
  now_ = std::move(next);
  {
    std::string text = saved_scene(file_, now_->scene, overrides_);
    const std::lock_guard lock(mutex_);
    scene_text_ = std::move(text);
  }
  if (!same_scene) start_recording();
  anchor();
  refused_.clear();
  publish_setting();
  publish_frame(false);  // now: the next command may be a step that takes long
  changed_ = true;
}

void LiveSession::start_recording() {
  const std::lock_guard lock(recorder_mutex_);
  recorder_.reset();
  recorder_ = std::make_unique<recording::Recorder>((folder_ / "live.h5").string(), recording_info(now_->scene));
  recorder_->append(recording::Frame{now_->simulation->state(), now_->simulation->contacts(), now_->values, 0});
  recorded_ = 1;
}

void LiveSession::anchor() {
  anchor_wall_ = rate_wall_ = Clock::now();
  anchor_time_ = rate_time_ = now_->simulation->time();
  rate_ = 0;
}

void LiveSession::run() {
  for (;;) {
    if (!run_commands()) return;
    if (playing_) keep_pace();
    const auto time = Clock::now();
    if (changed_ && time - last_frame_ >= kFrameInterval) {
      last_frame_ = time;
      publish_frame(time - last_kept_ >= kKeepInterval);
      changed_ = false;
    }
    const bool ahead = now_->simulation->time() >=
                       anchor_time_ + speed_ * std::chrono::duration<double>(Clock::now() - anchor_wall_).count();
    if (playing_ && !ahead) continue;
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, playing_ || changed_ ? kFrameInterval / 4 : kIdle,
                   [this] { return stopping_ || !commands_.empty(); });
  }
}

// False when the session ends.
bool LiveSession::run_commands() {
  for (;;) {
    std::function<void()> command;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return false;
      commanding_ = !commands_.empty();
      if (commands_.empty()) break;
      command = std::move(commands_.front());
      commands_.pop_front();
    }
    try {
      command();
    } catch (const std::exception& error) {
      playing_ = false;
      notice_ = error.what();
      publish_setting();
    }
  }
  wake_.notify_all();  // whoever awaits the commands
  return true;
}

// Steps until the simulation has caught up with the clock, for one slice of time at most.
void LiveSession::keep_pace() {
  const auto begin = Clock::now();
  const auto since = [](Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); };
  const double target = anchor_time_ + speed_ * since(anchor_wall_);
  while (playing_ && now_->simulation->time() < target && Clock::now() - begin < kSlice) one_step();
  // Too slow for the clock: go on from here rather than race after it.
  if (target - now_->simulation->time() > kBehind * speed_) {
    anchor_wall_ = Clock::now();
    anchor_time_ = now_->simulation->time();
  }
  if (const double elapsed = since(rate_wall_); elapsed > 0.5) {
    rate_ = (now_->simulation->time() - rate_time_) / elapsed;
    rate_wall_ = Clock::now();
    rate_time_ = now_->simulation->time();
  }
}

void LiveSession::one_step() {
  const std::shared_ptr<Loaded> self = now_;  // a push that ends, or a loop, puts another in its place
  simulation::Simulation& run = *self->simulation;
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
  run.step();
  if (before_end && run.time() >= end && ending_ == Ending::GoOn) {
    notice_ = fmt::format("past the scene's duration of {:.6g}: the run goes on", now_->scene.duration);
    publish_setting();
  }

  if (run.failure() != nullptr)
    return stop(run.audit().passed()
                    ? fmt::format("no solver certified the step at t = {:.6g}: the run stops here", run.time())
                    : fmt::format("{}: the run stops here, at t = {:.6g}", run.audit().violation, run.time()));
  try {
    now_->observer->advance(now_->observation());
    now_->observer->evaluate(now_->observation(), now_->values);
  } catch (const scene::SceneError& error) {
    return stop(error.what());
  }
  // What lies on disk and is exported at once has an end.
  const std::size_t most = kMostBytes / (kFrameBytes + kBodyBytes * run.state().bodies.size());
  if (recorded_ == most) {
    notice_ = fmt::format("the recording is full and ends at t = {:.6g}; reset begins a new one", run.time());
    publish_setting();
  }
  if (recorded_++ < most) {
    const std::lock_guard lock(recorder_mutex_);
    recorder_->append(recording::Frame{run.state(), run.contacts(), now_->values, run.last_report().residual});
  }
  const int by = now_->observer->stopped_by();
  if (hand_ && hand_->pushes() && run.time() >= hand_->end - 5e-4 * (hand_->end - hand_->begin)) grasp(nullptr);
  if (by >= 0) stop(fmt::format("stopped by {}", now_->scene.stop[static_cast<std::size_t>(by)].text));
}

void LiveSession::publish_setting() {
  publisher_.setting(setting_message(now_->scene, ranges_, ++number_, notice_, refused_));
  last_frame_ = {};
  changed_ = true;
}

void LiveSession::publish_frame(bool keep) {
  const simulation::Simulation& run = *now_->simulation;
  const bool kept = keep && run.failure() == nullptr && (kept_.empty() || kept_.back().time < run.time());
  if (kept) {
    last_kept_ = Clock::now();
    keep_state();
  }
  publisher_.frame(frame_message(run, now_->values, {number_, playing_, speed_, rate_, ending_, kept, hand_.get()}));
}

void LiveSession::await_commands() {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, kMoment, [this] { return commands_.empty() && !commanding_; });
}

std::string LiveSession::scene_text() {
  await_commands();
  const std::lock_guard lock(mutex_);
  return scene_text_;
}

std::string LiveSession::recording_bytes() {
  await_commands();
  const std::lock_guard lock(recorder_mutex_);
  recorder_->flush();
  std::ostringstream content;
  content << std::ifstream(folder_ / "live.h5", std::ios::binary).rdbuf();
  return content.str();
}

}  // namespace stickslip::app
