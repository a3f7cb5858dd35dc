// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study_mpi/mpi_study.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <thread>

namespace stickslip::study {
namespace {

using Clock = std::chrono::steady_clock;

enum Tag : int { kRequest = 1, kResult = 2, kWork = 3, kAlive = 4 };

constexpr auto kPollInterval = std::chrono::microseconds(100);  // MPI's own waiting would occupy a core
constexpr auto kPatience = std::chrono::milliseconds(20);
constexpr std::size_t kEnough = 256;
constexpr double kPortionSeconds = 0.02;  // of work handed out at a time
constexpr std::size_t kMostPortion = 64;
constexpr std::chrono::duration<double> kSign(0.5), kMostSilence(10);

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
bool send(const Container& content, int to, Tag tag) {
  const auto bytes = static_cast<int>(content.size() * sizeof(typename Container::value_type));
  return MPI_Send(content.data(), bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD) == MPI_SUCCESS;
}

void give_sign() {
  send(std::string(), 0, kAlive);
}

// Waits for a message without keeping a core busy; its sender, tag and size.
MPI_Status wait_for_message(int source) {
  MPI_Status status;
  Clock::time_point last_sign = Clock::now();
  for (int found = 0;;) {
    MPI_Iprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    if (found != 0) return status;
    std::this_thread::sleep_for(kPollInterval);
    if (Clock::now() - last_sign < kSign) continue;
    last_sign = Clock::now();
    give_sign();
  }
}

// Rank 0's side.
class Leader {
 public:
  Leader(const MpiWorld& world, Session& session)
      : session_(session), watches_(world.survives_loss()), ranks_(static_cast<std::size_t>(world.size())) {
    ranks_[0].home = true;
  }

  void run() {
    last_commit_ = last_look_ = Clock::now();
    while (!over()) {
      int found = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
      if (found != 0) take(status);
      if (results_.size() >= kEnough || (!results_.empty() && Clock::now() - last_commit_ > kPatience)) commit();
      if (found != 0) continue;
      look_for_losses();
      serve_waiting();
      std::this_thread::sleep_for(kPollInterval);
    }
    commit();
    if (!session_.complete()) throw WorkerLost("all workers were lost; run the same command again to continue");
  }

 private:
  struct Rank {
    bool home = false, lost = false, waits = false;
    std::chrono::duration<double> silent{};
  };
  struct Running {
    TrialPoint trial;
    int rank;
  };

  [[nodiscard]] bool over() const {
    return std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.home || rank.lost; });
  }

  void take(const MPI_Status& status) {
    Rank& rank = ranks_[static_cast<std::size_t>(status.MPI_SOURCE)];
    rank.silent = {};
    rank.lost = false;  // it was only slow
    const auto content = receive<std::string>(status);
    if (status.MPI_TAG == kRequest) rank.waits = !hand_out(status.MPI_SOURCE);
    if (status.MPI_TAG != kResult) return;
    TrialResult result = unpacked(content);
    const auto found = running_.find(result.index);
    if (found == running_.end()) return;  // another one, who got it meanwhile, was first
    seconds_ += result.seconds;
    ++finished_;
    results_.emplace_back(std::move(found->second.trial), std::move(result));
    running_.erase(found);
  }

  // False when there is nothing to hand out now. No process is released as long as trials that run may come back.
  bool hand_out(int to) {
    const double each = finished_ > 0 ? seconds_ / finished_ : kPortionSeconds;
    const auto portion = static_cast<std::size_t>(
        std::clamp(kPortionSeconds / std::max(each, 1e-9), 1.0, static_cast<double>(kMostPortion)));
    std::vector<std::int64_t> work;
    while (work.size() < portion) {
      std::optional<TrialPoint> trial = session_.take();
      if (!trial) break;
      work.push_back(trial->index);
      running_.emplace(trial->index, Running{std::move(*trial), to});
    }
    if (work.empty() && watches_ && !running_.empty()) return false;
    ranks_[static_cast<std::size_t>(to)].home = work.empty();  // an empty portion sends it home
    if (!send(work, to, kWork)) lose(to);
    return true;
  }

  void serve_waiting() {
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (ranks_[i].waits && !ranks_[i].lost) ranks_[i].waits = !hand_out(static_cast<int>(i));
  }

  // Time counts as far as this process could listen.
  void look_for_losses() {
    const auto now = Clock::now();
    const auto listened = std::min<std::chrono::duration<double>>(now - last_look_, kSign);
    last_look_ = now;
    if (!watches_) return;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      ranks_[i].silent += listened;
      if (!ranks_[i].home && !ranks_[i].lost && ranks_[i].silent > kMostSilence) lose(static_cast<int>(i));
    }
  }

  void lose(int rank) {
    ranks_[static_cast<std::size_t>(rank)].lost = true;
    for (auto one = running_.begin(); one != running_.end();) {
      if (one->second.rank != rank) {
        ++one;
        continue;
      }
      session_.give_back(one->first);
      one = running_.erase(one);
    }
  }

  void commit() {
    last_commit_ = Clock::now();
    if (results_.empty()) return;
    session_.commit(results_);
    session_.count(results_);
    results_.clear();
  }

  Session& session_;
  bool watches_;  // for lost ranks
  std::vector<Rank> ranks_;
  std::map<std::int64_t, Running> running_;
  std::vector<std::pair<TrialPoint, TrialResult>> results_;
  Clock::time_point last_commit_, last_look_;
  double seconds_ = 0;
  int finished_ = 0;
};

}  // namespace

MpiWorld::MpiWorld(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  const char* recovery = std::getenv("OMPI_MCA_orte_enable_recovery");
  survives_loss_ = recovery != nullptr && std::string_view(recovery) == "1";
  if (survives_loss_) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

MpiWorld::~MpiWorld() {
  if (!survives_loss_) MPI_Finalize();
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

void MpiWorld::leave(int exit_code) const {
  std::fflush(nullptr);
  if (survives_loss_) std::_Exit(exit_code);
  MPI_Finalize();
  std::exit(exit_code);
}

void lead(const MpiWorld& world, Session& session) {
  Leader(world, session).run();
}

void follow(WorkerProcess& worker) {
  for (;;) {
    send(std::string(), 0, kRequest);
    const auto work = receive<std::vector<std::int64_t>>(wait_for_message(0));
    if (work.empty()) return;
    for (const std::int64_t index : work) send(worker.run(index, give_sign), 0, kResult);
  }
}

}  // namespace stickslip::study
