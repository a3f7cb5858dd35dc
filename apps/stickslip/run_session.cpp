// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "run_session.h"

#include "audit_text.h"
#include "batch.h"
#include "output_name.h"
#include "outputs.h"
#include "progress.h"
#include "recording_info.h"

#include "stickslip/complementarity/corpus/writer.h"
#include "stickslip/files/checksum.h"
#include "stickslip/files/output_file.h"
#include "stickslip/math/byte_stream.h"
#include "stickslip/stepping/method_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

namespace stickslip::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kCheckpointMark = "stickslip checkpoint 3";
constexpr std::size_t kMostCheckpointBytes = std::size_t{1} << 32;
constexpr int kStepsBetweenClockReads = 64;  // a clock read costs as much as a tenth of a small step
// The second line of how a recording ends (recorder.h).
std::string audit_line(const simulation::Simulation& run) {
  return run.audit().on ? "\n" + audit_text(run) : std::string();
}

constexpr auto kProgressInterval = std::chrono::milliseconds(200);

}  // namespace

std::string default_recording_name(const std::string& scene_path) {
  return name_after(scene_path, "scene") + ".h5";
}

RunSession::RunSession(const RunOptions& options)
    : RunSession(options, scene::load_scene(options.scene, overrides_of(options.set))) {}

RunSession::RunSession(const RunOptions& options, scene::Scene scene) : options_(options), scene_(std::move(scene)) {
  if (options_.record) {
    recording_path_ = options_.output.empty() ? default_recording_name(options_.scene) : options_.output;
  }
  claim_outputs();
  if (scene_.method.tolerance > 0 && options_.find_step) choose_step();
  run_ = std::make_unique<runs::Run>(scene_);
  values_.resize(scene_.observables.size());
  show_progress_ = options_.progress && progress_wanted();
  if (options_.forces) balance_.emplace();

  if (options_.resume.empty()) {
    check_overlaps();
    run_->begin();
  } else {
    load_checkpoint();
  }
  start_time_ = run_->time();

  if (!options_.record) return;
  if (options_.resume.empty() || !std::filesystem::exists(recording_path_)) {
    next_frame_ = run_->time() + scene_.recording.interval;
    recorder_ = std::make_unique<recording::Recorder>(recording_path_, recording_info(scene_));
    record_frame();
  } else {
    recorder_ = std::make_unique<recording::Recorder>(recording_path_, recording_info(scene_), run_->time());
    changes_recorded_ = simulation().timeline().finished().size();
  }
}

void RunSession::claim_outputs() {
  std::vector<std::string> inputs{options_.scene};
  std::error_code error;
  // A run may go on from a checkpoint and save its own in the same place.
  if (!options_.resume.empty() && !std::filesystem::equivalent(options_.resume, options_.checkpoint, error))
    inputs.push_back(options_.resume);
  Outputs outputs(inputs, options_.force);
  if (options_.record) outputs.claim(recording_path_, OutputKind::Recording);
  if (options_.checkpoint.empty()) return;
  outputs.claim(options_.checkpoint, OutputKind::Checkpoint);
  checkpoint_lock_.emplace(options_.checkpoint + "-lock");
  checkpoint_lock_->remove_at_end();
}

void RunSession::choose_step() {
  choice_ = runs::find_step(scene_, polling());
  if (!choice_.reached)
    throw AccuracyError(fmt::format("{}: {}", options_.scene, runs::tolerance_out_of_reach(scene_, choice_)));
  scene_.method.step = choice_.step;
}

// The same question beside the run as within it.
runs::Run::Hook RunSession::polling() const {
  if (!options_.poll) return {};
  return runs::asking([this] {
    options_.poll();
    return true;
  });
}

void RunSession::check_overlaps() {
  const std::string objection = run_->objection_to_start();
  if (objection.empty()) return;
  if (!options_.allow_overlap)
    throw scene::SceneError({options_.scene, 0, 0}, objection, "move them apart, or let --allow-overlap do it");
  if (!run_->simulation().resolve_overlaps())
    throw std::runtime_error(
        fmt::format("{}: bodies overlap at the start and could not be moved apart", options_.scene));
}

RunEnd RunSession::run() {
  RunEnd end = RunEnd::Finished;
  try {
    end = advance();
  } catch (const std::exception& error) {
    close_recording_failed(error.what());
    throw;
  }
  if (end == RunEnd::Uncertified) {
    const std::string& reason = simulation().failure()->reason;
    close_recording_failed(reason.empty() ? "a step could not be certified" : reason);
    if (simulation().audit().passed()) save_failed_problem();  // else no contact problem is to blame
    return end;
  }
  const std::string ending =
      (end == RunEnd::Stopped ? "stopped: " + stop_text() : "finished") + audit_line(simulation());
  try {
    if (scene_.method.error_bars == stepping::ErrorBars::On) error_bars_ = runs::error_bars(*run_, polling());
  } catch (const std::exception&) {  // interrupted: the run itself came to its end
    if (recorder_) recorder_->close(ending);
    throw;
  }
  if (recorder_) recorder_->close(ending + error_bar_line());
  if (!options_.checkpoint.empty()) save_checkpoint();
  return end;
}

// Further words on how a recording ended, for its page.
std::string RunSession::error_bar_line() const {
  if (error_bars_.empty()) return {};
  std::string line;
  for (std::size_t k = 0; k < error_bars_.size(); ++k)
    line += fmt::format("{}{} {}", k > 0 ? ", " : "\nerror bars: ", scene_.observables[k].name,
                        runs::text_of(error_bars_[k]));
  return line;
}

RunEnd RunSession::advance() {
  begin_ = last_checkpoint_ = last_progress_ = Clock::now();
  const auto each_step = [&](const runs::Run& now) {
    if (balance_) balance_->see(now.simulation());
    return !options_.each_step || options_.each_step(now);
  };
  RunEnd end = run_->end();
  if (each_step(*run_))
    end = run_->finish([&](const runs::Run& now) {
      after_step();
      return each_step(now);
    });
  wall_seconds_ = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (show_progress_) end_progress();

  run_->observe(values_);
  if (recorder_ && scene_.recording.interval > 0 && run_->time() < next_frame_)
    record_frame();  // the end is always there
  return end;
}

void RunSession::close_recording_failed(const std::string& why) {
  if (!recorder_) return;
  const stepping::StepFailure* failure = simulation().failure();
  const double time = failure != nullptr ? failure->time : run_->time();
  recorder_->close(fmt::format("failed at t = {:.9g}: {}{}", time, why, audit_line(simulation())));
}

void RunSession::after_step() {
  if (recorder_) {
    worst_since_frame_ = std::max(worst_since_frame_, simulation().last_report().residual);
    record_mode_changes();
    // Half a step of slack: sums of steps do not meet multiples of the interval exactly.
    if (run_->time() >= next_frame_ - 0.5 * scene_.method.step) {
      record_frame();
      next_frame_ += scene_.recording.interval;
    }
  }
  if (++steps_since_clock_ >= kStepsBetweenClockReads) {
    steps_since_clock_ = 0;
    if (options_.poll) options_.poll();
    const auto time = Clock::now();
    if (show_progress_ && time - last_progress_ > kProgressInterval) {
      last_progress_ = time;
      show_progress(run_->time() - start_time_, scene_.duration - start_time_,
                    std::chrono::duration<double>(time - begin_).count(), "simulated");
    }
    if (!options_.checkpoint.empty() &&
        std::chrono::duration<double>(time - last_checkpoint_).count() > options_.checkpoint_every) {
      last_checkpoint_ = time;
      if (recorder_) recorder_->flush();
      save_checkpoint();
    }
  }
}

void RunSession::record_frame() {
  run_->observe(values_);
  const auto contacts = scene_.recording.contacts ? simulation().contacts() : std::span<const contact::ContactResult>();
  recorder_->append(recording::Frame{simulation().state(), contacts, values_, worst_since_frame_});
  worst_since_frame_ = 0;
}

void RunSession::record_mode_changes() {
  const auto finished = simulation().timeline().finished();
  for (; changes_recorded_ < finished.size(); ++changes_recorded_) {
    const simulation::ModeInterval& ended = finished[changes_recorded_];
    recording::ModeChange change{ended.end, ended.body_a, ended.body_b, ended.mode, contact::Mode::Open};
    for (const simulation::ModeInterval& next : simulation().timeline().current())
      if (next.body_a == ended.body_a && next.body_b == ended.body_b) change.to = next.mode;
    recorder_->append(change);
  }
}

// Everything that must be the same for a checkpoint to fit: the files as read, what decides the steps, and the bodies
// as they were made (their shapes may come from files of their own). The duration may change: runs may go on for
// longer.
const std::vector<RunSession::Part>& RunSession::parts_that_must_match() {
  if (!parts_.empty()) return parts_;
  parts_.push_back({"the scene file", scene_.text});
  for (const scene::SourceFile& source : scene_.included)
    parts_.push_back({"the included file " + source.file.filename().string(), source.text});
  stepping::visit_fields(scene_.method, [&](const stepping::FieldInfo& info, const auto& value) {
    if (info.changes_result) parts_.push_back({fmt::format("method.{}", info.name), stepping::field_text(value)});
  });
  for (const scene::Parameter& parameter : scene_.parameters)
    parts_.push_back({"the parameter " + parameter.name, fmt::format("{}", parameter.value)});
  recording::RunDescription description = describe(scene_);
  description.duration = 0;
  parts_.push_back({"a shape, mass or contact law", recording::to_json(description)});
  return parts_;
}

void RunSession::save_checkpoint() {
  ByteWriter out;
  out.put_text(kCheckpointMark);
  out.put_list(parts_that_must_match(), [&](const Part& part) {
    out.put_text(part.name);
    out.put_text(part.text);
  });
  run_->save(out);
  out.put(next_frame_);
  out.put(worst_since_frame_);
  // Written beside and renamed: a run killed now leaves the checkpoint before.
  files::write_file(options_.checkpoint, files::sealed(out.take()));
}

void RunSession::load_checkpoint() {
  const std::string bytes = files::read_file(options_.resume, kMostCheckpointBytes);
  if (ByteReader(bytes).get_text() != kCheckpointMark)
    throw std::runtime_error(fmt::format("{} is not a checkpoint of this version", options_.resume));
  // Before anything is taken from it: a damaged checkpoint is refused whole.
  const files::Unsealed checked = files::unsealed(bytes);
  if (!checked.intact)
    throw std::runtime_error(fmt::format("the checkpoint {} is damaged: its checksum does not match", options_.resume));
  ByteReader in(checked.content);
  static_cast<void>(in.get_text());
  std::vector<Part> parts;
  in.get_list(parts, [&](Part& part) {
    part.name = in.get_text();
    part.text = in.get_text();
  });
  const auto differ = [](const Part& a, const Part& b) { return a.name != b.name || a.text != b.text; };
  const std::vector<Part>& own = parts_that_must_match();
  for (std::size_t k = 0; k < std::max(own.size(), parts.size()); ++k)
    if (k >= own.size() || k >= parts.size() || differ(own[k], parts[k]))
      throw std::runtime_error(
          fmt::format("the checkpoint {} belongs to another scene, method or parameters: {} differs", options_.resume,
                      k < own.size() ? own[k].name : parts[k].name));
  run_->restore(in);
  in.get(next_frame_);
  in.get(worst_since_frame_);
  if (!in.ok() || !in.at_end())
    throw std::runtime_error(fmt::format("the checkpoint {} is truncated", options_.resume));
}

void RunSession::save_failed_problem() {
  const stepping::StepFailure& failure = *simulation().failure();
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
