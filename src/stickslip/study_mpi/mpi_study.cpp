// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study_mpi/mpi_study.h"

#include "stickslip/math/byte_stream.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

namespace stickslip::study {
namespace {

using Clock = std::chrono::steady_clock;

enum Tag : int { kRequest = 1, kResult = 2, kWork = 3 };

constexpr auto kNap = std::chrono::microseconds(100);  // MPI's own waiting would occupy a core
constexpr auto kPatience = std::chrono::milliseconds(20);
constexpr std::size_t kEnough = 256;
constexpr double kPortionSeconds = 0.02;  // of work handed out at a time
constexpr std::size_t kMostPortion = 64;

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

// Waits for a message without keeping a core busy; its sender, tag and size.
MPI_Status wait_for_message(int source) {
  MPI_Status status;
  for (int found = 0;;) {
    MPI_Iprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    if (found != 0) return status;
    std::this_thread::sleep_for(kNap);
  }
}

template <class Container>
Container receive(const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  Container content;
  content.resize(static_cast<std::size_t>(bytes) / sizeof(typename Container::value_type));
  MPI_Recv(content.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return content;
}

template <class Container>
void send(const Container& content, int to, Tag tag) {
  const auto bytes = static_cast<int>(content.size() * sizeof(typename Container::value_type));
  MPI_Send(content.data(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

// Rank 0's side.
class Leader {
 public:
  Leader(const MpiWorld& world, Session& session) : session_(session), working_(world.size() - 1) {}

  void run() {
    last_commit_ = Clock::now();
    while (working_ > 0) {
      int found = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
      if (found != 0) take(status);
      if (results_.size() >= kEnough || (!results_.empty() && Clock::now() - last_commit_ > kPatience)) commit();
      if (found == 0) std::this_thread::sleep_for(kNap);
    }
    commit();
  }

 private:
  void take(const MPI_Status& status) {
    if (status.MPI_TAG == kRequest) {
      receive<std::string>(status);
      hand_out(status.MPI_SOURCE);
      return;
    }
    TrialResult result = unpacked(receive<std::string>(status));
    seconds_ += result.seconds;
    ++finished_;
    const auto trial = running_.find(result.index);
    results_.emplace_back(std::move(trial->second), std::move(result));
    running_.erase(trial);
  }

  void hand_out(int to) {
    const double each = finished_ > 0 ? seconds_ / finished_ : kPortionSeconds;
    const auto portion = static_cast<std::size_t>(
        std::clamp(kPortionSeconds / std::max(each, 1e-9), 1.0, static_cast<double>(kMostPortion)));
    std::vector<std::int64_t> work;
    while (work.size() < portion) {
      std::optional<Trial> trial = session_.take();
      if (!trial) break;
      work.push_back(trial->index);
      running_.emplace(trial->index, std::move(*trial));
    }
    if (work.empty()) --working_;  // an empty portion sends it home
    send(work, to, kWork);
  }

  void commit() {
    last_commit_ = Clock::now();
    if (results_.empty()) return;
    session_.commit(results_);
    session_.count(results_);
    results_.clear();
  }

  Session& session_;
  int working_;  // ranks that have not been sent home
  std::map<std::int64_t, Trial> running_;
  std::vector<std::pair<Trial, TrialResult>> results_;
  Clock::time_point last_commit_;
  double seconds_ = 0;
  int finished_ = 0;
};

}  // namespace

MpiWorld::MpiWorld(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiWorld::~MpiWorld() {
  MPI_Finalize();
}

std::string MpiWorld::broadcast(std::string text) const {
  auto size = static_cast<unsigned long long>(text.size());
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_BYTE, 0, MPI_COMM_WORLD);
  return text;
}

void MpiWorld::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();
}

void lead(const MpiWorld& world, Session& session) {
  Leader(world, session).run();
}

void follow(const MpiWorld& world, const Study& study, const TrialRunner& runner) {
  static_cast<void>(world);
  const TrialPlan plan(study);
  for (;;) {
    send(std::string(), 0, kRequest);
    const auto work = receive<std::vector<std::int64_t>>(wait_for_message(0));
    if (work.empty()) return;
    for (const std::int64_t index : work) send(packed(runner.run(plan.trial(index))), 0, kResult);
  }
}

}  // namespace stickslip::study
