// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of session.h.
//
// Workers take trials and lay down results; the calling thread alone writes. Results that come in while one transaction
// is written go into the next one, so short trials share the cost of a commit and none waits longer than kPatience.
#include "stickslip/complementarity/worker_pool.h"
#include "stickslip/study/session.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace stickslip::study {
namespace {

constexpr std::size_t kEnough = 256;  // results that are worth a transaction at once
constexpr std::size_t kMostWaiting = 4096;
constexpr auto kPatience = std::chrono::milliseconds(20);

class TrialWorkers {
 public:
  TrialWorkers(Session& session, const TrialRunner& runner, const std::function<bool()>& go_on)
      : session_(session), runner_(runner), go_on_(go_on) {}

  void run(int threads) {
    active_ = threads;
    complementarity::WorkerPool().run_each(threads + 1, [this](int worker) {
      try {
        worker == 0 ? write() : work();
        leave(worker, false);
      } catch (...) {  // the store is full, out of memory and the like: the others end their trials
        leave(worker, true);
        throw;
      }
    });
  }

 private:
  void work() {
    for (;;) {
      std::optional<TrialPoint> trial;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [&] { return cancelled_ || results_.size() < kMostWaiting; });
        if (!cancelled_) trial = session_.take();
      }
      if (!trial) return;
      TrialResult result = runner_.run(*trial);
      const std::lock_guard lock(mutex_);
      results_.emplace_back(std::move(*trial), std::move(result));
      if (results_.size() >= kEnough) arrived_.notify_one();
    }
  }

  void leave(int worker, bool cancel) {
    const std::lock_guard lock(mutex_);
    if (worker > 0) --active_;
    cancelled_ |= cancel;
    if (cancel) room_.notify_all();
    arrived_.notify_one();
  }

  void write() {
    std::vector<std::pair<TrialPoint, TrialResult>> batch;
    std::unique_lock lock(mutex_);
    while (active_ > 0 || !results_.empty()) {
      arrived_.wait_for(lock, kPatience, [&] { return results_.size() >= kEnough || active_ == 0; });
      if (go_on_ && !cancelled_) {
        lock.unlock();
        const bool cancel = !go_on_();
        lock.lock();
        cancelled_ = cancelled_ || cancel;
        if (cancelled_) room_.notify_all();
      }
      if (results_.empty()) continue;
      std::swap(batch, results_);
      room_.notify_all();
      // The store is not touched by workers; the schedule is, so only the transaction runs without the lock.
      lock.unlock();
      session_.commit(batch);
      lock.lock();
      session_.count(batch);
      batch.clear();
    }
  }

  Session& session_;
  const TrialRunner& runner_;
  const std::function<bool()>& go_on_;
  std::mutex mutex_;  // of everything below, and of the session's schedule
  std::condition_variable arrived_, room_;
  std::vector<std::pair<TrialPoint, TrialResult>> results_;
  int active_ = 0;
  bool cancelled_ = false;
};

}  // namespace

void run_threads(Session& session, const TrialRunner& runner, int threads, const std::function<bool()>& go_on) {
  const Progress now = session.progress();  // more threads than trials would have nothing to do
  TrialWorkers(session, runner, go_on)
      .run(static_cast<int>(std::clamp<std::int64_t>(now.total - now.done, 1, std::max(threads, 1))));
}

}  // namespace stickslip::study
