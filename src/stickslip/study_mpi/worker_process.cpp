// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study_mpi/worker_process.h"

#include "stickslip/math/byte_stream.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace stickslip::study {
namespace {

constexpr int kMostLosses = 5;  // of one trial: then it is the trial
constexpr int kIdleMilliseconds = 500;

bool write_all(int file, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(file, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool write_text(int file, const std::string& text) {
  const std::uint64_t size = text.size();
  return write_all(file, &size, sizeof size) && write_all(file, text.data(), text.size());
}

bool read_all(int file, void* data, std::size_t size, const std::function<void()>& idle) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    if (idle) {
      pollfd ready{file, POLLIN, 0};
      const int events = poll(&ready, 1, kIdleMilliseconds);
      if (events == 0) idle();
      if (events <= 0) continue;
    }
    const ssize_t got = read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

WorkerProcess::WorkerProcess(std::string program, std::string study, std::vector<std::string> set, std::string scene)
    : program_(std::move(program)), study_(std::move(study)), scene_(std::move(scene)), set_(std::move(set)) {
  std::signal(SIGPIPE, SIG_IGN);
}

WorkerProcess::~WorkerProcess() {
  end();
}

bool WorkerProcess::start() {
  std::array<int, 2> input{}, output{};
  if (pipe2(input.data(), O_CLOEXEC) != 0)
    throw WorkerLost("no pipe to a worker: " + std::string(std::strerror(errno)));
  if (pipe2(output.data(), O_CLOEXEC) != 0) {
    close(input[0]);
    close(input[1]);
    throw WorkerLost("no pipe to a worker: " + std::string(std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  std::string verb = "worker";
  std::vector<char*> arguments{program_.data(), verb.data(), study_.data()};
  for (std::string& set : set_) arguments.push_back(set.data());
  arguments.push_back(nullptr);
  // The worker is not part of the MPI job.
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("OMPI_") && !text.starts_with("PMIX_") && !text.starts_with("PMI_"))
      environment.push_back(*entry);
  }
  environment.push_back(nullptr);
  const int failed = posix_spawn(&process_, program_.c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(input[0]);
  close(output[1]);
  to_ = input[1];
  from_ = output[0];
  if (failed != 0) {
    process_ = -1;
    end();
    throw WorkerLost(fmt::format("{} does not start: {}", program_, std::strerror(failed)));
  }
  std::string scene;
  if (!read_text(scene, {})) return false;
  if (scene != scene_) throw WorkerLost("the scene was changed while the study ran");
  return true;
}

void WorkerProcess::end() {
  for (int* file : {&to_, &from_}) {
    if (*file >= 0) close(*file);
    *file = -1;
  }
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  process_ = -1;
}

std::string WorkerProcess::exit_text() {
  int state = 0;
  if (process_ <= 0 || waitpid(process_, &state, 0) != process_) return "it is gone";
  process_ = -1;
  return WIFSIGNALED(state) ? fmt::format("signal {}", WTERMSIG(state))
                            : fmt::format("exit code {}", WEXITSTATUS(state));
}

bool WorkerProcess::read_text(std::string& text, const std::function<void()>& idle) {
  std::uint64_t size = 0;
  if (!read_all(from_, &size, sizeof size, idle)) return false;
  text.resize(size);
  return read_all(from_, text.data(), text.size(), idle);
}

std::string WorkerProcess::run(std::int64_t trial, const std::function<void()>& idle) {
  for (int losses = 0;;) {
    std::string result;
    const bool runs = process_ > 0 || start();
    if (runs && write_all(to_, &trial, sizeof trial) && read_text(result, idle)) return result;
    const std::string end_of = exit_text();
    end();
    if (++losses == kMostLosses)
      throw WorkerLost(fmt::format("trial {} lost its process {} times ({})", trial, losses, end_of));
  }
}

void serve_trials(const Study& study, const TrialRunner& runner) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the parent ended: its result is not needed any more
  std::signal(SIGPIPE, SIG_IGN);
  const TrialPlan plan(study);
  if (!write_text(STDOUT_FILENO, runner.document().text)) return;
  std::int64_t trial = 0;
  while (read_all(STDIN_FILENO, &trial, sizeof trial, {}))
    if (!write_text(STDOUT_FILENO, packed(runner.run(plan.trial(trial))))) return;
}

std::string packed(const TrialResult& result) {
  ByteWriter out;
  out.put(result.index);
  out.put(static_cast<int>(result.status));
  out.put_text(result.cause);
  out.put_list(result.observables, [&](double x) { out.put(x); });
  out.put_list(result.stage_seconds, [&](double x) { out.put(x); });
  for (const double x : {result.success, result.objective, result.end_time, result.residual, result.seconds})
    out.put(x);
  out.put(result.steps);
  return out.take();
}

TrialResult unpacked(const std::string& bytes) {
  ByteReader in(bytes);
  TrialResult result;
  int status = 0;
  in.get(result.index);
  in.get(status);
  result.status = static_cast<TrialStatus>(status);
  result.cause = in.get_text();
  in.get_list(result.observables, [&](double& x) { in.get(x); });
  in.get_list(result.stage_seconds, [&](double& x) { in.get(x); });
  for (double* x : {&result.success, &result.objective, &result.end_time, &result.residual, &result.seconds})
    in.get(*x);
  in.get(result.steps);
  return result;
}

}  // namespace stickslip::study
