// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "run_session.h"

#include "batch.h"
#include "output_name.h"
#include "progress.h"
#include "recording_info.h"

#include "stickslip/complementarity/corpus/writer.h"
#include "stickslip/math/byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stickslip::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kCheckpointMark = "stickslip checkpoint 1";
constexpr int kStepsBetweenClockReads = 64;  // a clock read costs as much as a tenth of a small step
constexpr auto kProgressInterval = std::chrono::milliseconds(200);

}  // namespace

std::string default_recording_name(const std::string& scene_path) {
  return name_after(scene_path, "scene") + ".h5";
}

RunSession::RunSession(const RunOptions& options)
    : options_(options), scene_(scene::load_scene(options.scene, overrides_of(options.set))) {
  if (options_.record) {
    recording_path_ = options_.output.empty() ? default_recording_name(options_.scene) : options_.output;
    require_writable(recording_path_);
  }
  if (!options_.checkpoint.empty()) {
    require_writable(options_.checkpoint);
    require_writable(options_.checkpoint + ".part");
  }
  if (scene_.method.tolerance > 0 && options_.find_step) choose_step();
  simulation_ = std::make_unique<simulation::Simulation>(scene_.model, scene_.method);
  observer_ = std::make_unique<scene::Observer>(scene_);
  values_.resize(scene_.observables.size());
  watch_every_step_ = !scene_.trackers.empty() || !scene_.stop.empty();
  show_progress_ = progress_wanted();

  if (options_.resume.empty()) {
    check_overlaps();
    observer_->advance(now());
  } else {
    load_checkpoint();
  }
  start_time_ = simulation_->time();

  if (!options_.record) return;
  if (options_.resume.empty() || !std::filesystem::exists(recording_path_)) {
    recorder_ = std::make_unique<recording::Recorder>(recording_path_, recording_info(scene_));
    record_frame();
  } else {
    recorder_ = std::make_unique<recording::Recorder>(recording_path_, simulation_->time());
    changes_recorded_ = simulation_->timeline().finished().size();
  }
  next_frame_ = simulation_->time() + scene_.recording.interval;
}

void RunSession::choose_step() {
  const stepping::Method& method = scene_.method;
  choice_ = find_step(options_.scene, overrides_of(options_.set), method);
  if (!choice_.reached)
    throw AccuracyError(
        fmt::format("{}: tolerance = {:g} is out of reach: with step {:.3g} the error is still about {:.2g}",
                    options_.scene, method.tolerance, choice_.step, choice_.estimate));
  scene_.method.step = choice_.step;
}

void RunSession::check_overlaps() {
  const std::vector<simulation::Overlap> overlaps = simulation_->overlaps();
  if (overlaps.empty()) return;
  if (options_.allow_overlap) {
    if (!simulation_->resolve_overlaps())
      throw std::runtime_error(
          fmt::format("{}: bodies overlap at the start and could not be moved apart", options_.scene));
    return;
  }
  std::string list;
  for (std::size_t k = 0; k < overlaps.size() && k < 5; ++k)
    list += fmt::format("{}{} and {} by {:.3g}", k > 0 ? "; " : "", overlaps[k].body_a, overlaps[k].body_b,
                        overlaps[k].depth);
  if (overlaps.size() > 5) list += fmt::format("; and {} more pairs", overlaps.size() - 5);
  throw scene::SceneError({options_.scene, 0, 0}, fmt::format("bodies overlap at the start: {}", list),
                          "move them apart, or let --allow-overlap do it");
}

scene::Observation RunSession::now() const {
  return {simulation_->state(), simulation_->contacts(), simulation_->last_report().events};
}

void RunSession::watch() {
  const bool needed = observer_->advance_needs_contacts();
  observer_->advance({simulation_->state(),
                      needed ? simulation_->contacts() : std::span<const contact::ContactResult>(),
                      simulation_->last_report().events});
}

RunEnd RunSession::run() {
  bool stopped = false;
  try {
    stopped = advance();
  } catch (const std::exception& error) {
    close_recording_failed(error.what());
    throw;
  }
  const stepping::StepFailure* failure = simulation_->failure();
  if (failure != nullptr) {
    close_recording_failed(failure->reason.empty() ? "a step could not be certified" : failure->reason);
    save_failed_problem();
    return RunEnd::Uncertified;
  }
  if (stopped) stop_text_ = scene_.stop[static_cast<std::size_t>(observer_->stopped_by())].text;
  if (recorder_) recorder_->close(stopped ? "stopped: " + stop_text_ : "finished");
  if (!options_.checkpoint.empty()) save_checkpoint();
  return stopped ? RunEnd::Stopped : RunEnd::Finished;
}

bool RunSession::advance() {
  begin_ = last_checkpoint_ = last_progress_ = Clock::now();
  bool stopped = observer_->stopped_by() >= 0;
  if (!stopped && simulation_->time() < scene_.duration)
    simulation_->run_until(scene_.duration, [&](const simulation::Simulation&) {
      const bool go_on = after_step();
      stopped = !go_on;
      return go_on;
    });
  wall_seconds_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (show_progress_) end_progress();

  observer_->evaluate(now(), values_);
  if (recorder_ && scene_.recording.interval > 0 && simulation_->time() < next_frame_)
    record_frame();  // the end is always there
  return stopped;
}

void RunSession::close_recording_failed(const std::string& why) {
  if (!recorder_) return;
  const stepping::StepFailure* failure = simulation_->failure();
  const double time = failure != nullptr ? failure->time : simulation_->time();
  recorder_->close(fmt::format("failed at t = {:.9g}: {}", time, why));
}

// True to go on.
bool RunSession::after_step() {
  if (watch_every_step_) watch();
  if (recorder_) {
    worst_since_frame_ = std::max(worst_since_frame_, simulation_->last_report().residual);
    record_mode_changes();
    // Half a step of slack: sums of steps do not meet multiples of the interval exactly.
    if (simulation_->time() >= next_frame_ - 0.5 * scene_.method.step) {
      record_frame();
      next_frame_ += scene_.recording.interval;
    }
  }
  if (++steps_since_clock_ >= kStepsBetweenClockReads) {
    steps_since_clock_ = 0;
    const auto time = Clock::now();
    if (show_progress_ && time - last_progress_ > kProgressInterval) {
      last_progress_ = time;
      show_progress(simulation_->time() - start_time_, scene_.duration - start_time_,
                    std::chrono::duration<double>(time - begin_).count(), "simulated");
    }
    if (!options_.checkpoint.empty() &&
        std::chrono::duration<double>(time - last_checkpoint_).count() > options_.checkpoint_every) {
      last_checkpoint_ = time;
      if (recorder_) recorder_->flush();
      save_checkpoint();
    }
  }
  return observer_->stopped_by() < 0;
}

void RunSession::record_frame() {
  observer_->evaluate(now(), values_);
  const auto contacts = scene_.recording.contacts ? simulation_->contacts() : std::span<const contact::ContactResult>();
  recorder_->append(recording::Frame{simulation_->state(), contacts, values_, worst_since_frame_});
  worst_since_frame_ = 0;
}

void RunSession::record_mode_changes() {
  const auto finished = simulation_->timeline().finished();
  for (; changes_recorded_ < finished.size(); ++changes_recorded_) {
    const simulation::ModeInterval& ended = finished[changes_recorded_];
    recording::ModeChange change{ended.end, ended.body_a, ended.body_b, ended.mode, contact::Mode::Open};
    for (const simulation::ModeInterval& next : simulation_->timeline().current())
      if (next.body_a == ended.body_a && next.body_b == ended.body_b) change.to = next.mode;
    recorder_->append(change);
  }
}

// Everything that must be the same for a checkpoint to fit.
std::string RunSession::fingerprint() const {
  std::string text = scene_.text + '\n' + method_text(scene_.method);
  for (const scene::Parameter& parameter : scene_.parameters)
    text += fmt::format("\n{}={}", parameter.name, parameter.value);
  return text;
}

void RunSession::save_checkpoint() {
  ByteWriter out;
  out.put_text(kCheckpointMark);
  out.put_text(fingerprint());
  out.put_text(simulation_->checkpoint());
  out.put_list(observer_->memory(), [&](double x) { out.put(x); });
  out.put(next_frame_);
  out.put(worst_since_frame_);
  // Written beside and renamed: a run killed now leaves the checkpoint before.
  const std::string temporary = options_.checkpoint + ".part";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << out.take();
  file.close();
  if (!file) throw std::runtime_error(fmt::format("cannot write the checkpoint {}", options_.checkpoint));
  std::filesystem::rename(temporary, options_.checkpoint);
}

void RunSession::load_checkpoint() {
  std::ifstream file(options_.resume, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("cannot read the checkpoint {}", options_.resume));
  std::ostringstream content;
  content << file.rdbuf();
  const std::string bytes = content.str();
  ByteReader in(bytes);
  if (in.get_text() != kCheckpointMark)
    throw std::runtime_error(fmt::format("{} is not a checkpoint of this version", options_.resume));
  if (in.get_text() != fingerprint())
    throw std::runtime_error(
        fmt::format("the checkpoint {} belongs to another scene, method or parameters", options_.resume));
  simulation_->restore(in.get_text());
  std::vector<double> memory;
  in.get_list(memory, [&](double& x) { in.get(x); });
  in.get(next_frame_);
  in.get(worst_since_frame_);
  if (!in.ok() || !in.at_end())
    throw std::runtime_error(fmt::format("the checkpoint {} is cut short", options_.resume));
  observer_->restore(memory);
}

void RunSession::save_failed_problem() {
  const stepping::StepFailure& failure = *simulation_->failure();
  complementarity::CorpusProblem problem;
  problem.kind =
      failure.problem.dimension() == 2 ? complementarity::CorpusKind::Fc2d : complementarity::CorpusKind::Fc3d;
  problem.name = std::filesystem::path(default_recording_name(options_.scene)).stem().string();
  problem.notes = fmt::format("step at t = {} that no solver certified", failure.time);
  problem.data = failure.problem;
  const std::filesystem::path base = recording_path_.empty() ? default_recording_name(options_.scene) : recording_path_;
  failed_problem_path_ = std::filesystem::path(base).replace_extension("failed.json").string();
  complementarity::write_corpus_file(problem, failed_problem_path_);
}

}  // namespace stickslip::app
