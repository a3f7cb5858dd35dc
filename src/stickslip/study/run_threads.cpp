// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Workers take trials and lay down results; the calling thread alone writes. Results that come in while one transaction
// is written go into the next one, so short trials share the cost of a commit and none waits longer than kPatience.
#include "stickslip/study/session.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace stickslip::study {
namespace {

constexpr std::size_t kEnough = 256;  // results that are worth a transaction at once
constexpr std::size_t kMostWaiting = 4096;
constexpr auto kPatience = std::chrono::milliseconds(20);

class Pool {
 public:
  Pool(Session& session, const TrialRunner& runner) : session_(session), runner_(runner) {}

  void run(int threads) {
    active_ = threads;
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
    try {
      write();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      cancelled_ = true;
      room_.notify_all();
      throw;  // the workers end their trials and are joined
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    try {
      for (;;) {
        std::optional<TrialPoint> trial;
        {
          std::unique_lock lock(mutex_);
          room_.wait(lock, [&] { return cancelled_ || results_.size() < kMostWaiting; });
          if (!cancelled_) trial = session_.take();
        }
        if (!trial) break;
        TrialResult result = runner_.run(*trial);
        const std::lock_guard lock(mutex_);
        results_.emplace_back(std::move(*trial), std::move(result));
        if (results_.size() >= kEnough) arrived_.notify_one();
      }
    } catch (...) {  // out of memory and the like
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      cancelled_ = true;
    }
    const std::lock_guard lock(mutex_);
    --active_;
    arrived_.notify_one();
  }

  void write() {
    std::vector<std::pair<TrialPoint, TrialResult>> batch;
    std::unique_lock lock(mutex_);
    while (active_ > 0 || !results_.empty()) {
      arrived_.wait_for(lock, kPatience, [&] { return results_.size() >= kEnough || active_ == 0; });
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
  std::mutex mutex_;  // of everything below, and of the session's schedule
  std::condition_variable arrived_, room_;
  std::vector<std::pair<TrialPoint, TrialResult>> results_;
  int active_ = 0;
  bool cancelled_ = false;
  std::exception_ptr failure_;
};

}  // namespace

void run_threads(Session& session, const TrialRunner& runner, int threads) {
  Pool(session, runner).run(std::max(threads, 1));
}

}  // namespace stickslip::study
