// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A scene that runs while clients watch it and change its parameters. Whoever owns it gives it turns: in each it takes
// commands, keeps pace with the clock where it can, and hands its newest state to a publisher; it never waits for a client.
// Nor does a client wait for a step: the scene and the recording are available to other threads while one computes. In
// the command the turns have a thread of their own (live_thread.h), in a browser they are a worker's.
//
// A changed parameter makes a new model from the scene file; the run goes on with it from the present state at the next
// step. A body that thereby grows into another is moved aside without getting velocity. Bodies that move by a given
// velocity or acceleration go on from where they are; those with a given position follow the new expression. When the
// number of bodies changes the run starts again.
//
// The states of the last minute are kept, a few each second with the frame that showed them: the run can go on from any
// of them, with the parameters that held there.
#pragma once

#include "command_queue.h"
#include "live_clock.h"
#include "live_hand.h"
#include "live_messages.h"
#include "live_recording.h"

#include "stickslip/runs/run.h"
#include "stickslip/scene/scene.h"

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace stickslip::app {

class LiveSession {
 public:
  struct Publisher {
    std::function<void(std::string)> setting, frame;  // JSON texts, called in turns
  };
  using Pause = std::chrono::milliseconds;

  // Throws SceneError or std::runtime_error when the scene cannot run. `recording` may be null: nothing is recorded.
  LiveSession(std::string scene_file, std::vector<scene::Override> overrides, Publisher publisher,
              std::unique_ptr<LiveRecording> recording);
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  // Commands, steps for a moment at most, a frame where one is due. How long nothing else has to be done, unless a command
  // comes; nothing after stop().
  [[nodiscard]] std::optional<Pause> turn();
  void wait(Pause most) { commands_.wait(most); }  // until there is a command
  void stop() { commands_.stop(); }                // from any thread

  // From any thread; they take effect before the next step.
  void play();
  void pause();
  void step();
  void reset();
  void set_speed(double speed);                          // simulated time per second of wall time
  void set(const std::string& name, std::string value);  // a parameter, or method.KEY
  void set_default(const std::string& name);             // takes back what set() did
  void set_ending(Ending ending);
  // A spring between a point of a body and the hand; again to move the hand. Names that no free body has are refused.
  void pull(const std::string& body, const Vec3& from, const Vec3& to);
  void release();
  void push(const std::string& body, const Vec3& impulse);
  void rewind(double time);  // to the newest kept state that is not later

  // Both tell the state after all commands given before, unless a step computes for longer than a moment: then that
  // before it.
  // A scene file with the present parameters and method, which includes the original one.
  [[nodiscard]] std::string scene_text();
  // The recording since the last reset or change of parameters, as the bytes of its file; empty without a recording.
  [[nodiscard]] std::string recording_bytes();
  // What the run is in at this moment, in all digits; in turns only.
  [[nodiscard]] const model::State& state() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Loaded;  // a scene with its run

  struct Kept {  // a state to go back to
    double time = 0;
    std::string checkpoint;  // Run::save()
    std::shared_ptr<Loaded> loaded;
    std::map<std::string, std::string> overrides;
  };

  void keep_pace();
  void one_step();
  // `same_scene`: only the hand has changed, and the recording goes on.
  void load(bool go_on, bool same_scene = false);
  void grasp(std::shared_ptr<Hand> hand);
  void change(const std::string& name, const std::map<std::string, std::string>& before);
  void keep_state();
  void start_recording();
  void publish_setting();
  void forget_notice();
  void publish_frame(bool keep);

  std::string file_;
  std::map<std::string, std::string> overrides_;
  Publisher publisher_;
  SliderRanges ranges_;
  std::unique_ptr<LiveRecording> recording_;
  CommandQueue commands_;
  std::mutex text_mutex_;
  std::string scene_text_;

  // Below: in turns only (and in the constructor).
  std::shared_ptr<Loaded> now_;
  bool playing_ = false, changed_ = true;
  LiveClock clock_;
  Clock::time_point last_frame_;
  std::string passed_stop_;       // the stop condition that play goes on past
  std::string notice_, refused_;  // what was said last; the name whose value was not possible
  Ending ending_ = Ending::GoOn;
  std::shared_ptr<Hand> hand_;  // null: no client pulls or pushes a body
  std::deque<Kept> kept_;
  Clock::time_point last_kept_;
  int number_ = 0;  // of the setting
};

}  // namespace stickslip::app
