// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/worker_pool.h"

#include <system_error>
#include <utility>

namespace stickslip::complementarity {

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run_shared(int threads, int count, Call call, void* context) {
  {
    const std::lock_guard lock(mutex_);
    while (static_cast<int>(threads_.size()) < threads - 1) {
      const int worker = static_cast<int>(threads_.size()) + 1;
      try {
        threads_.emplace_back([this, worker] { wait_for_work(worker); });
      } catch (const std::system_error&) {  // no more threads (none at all in a browser): the others do the work
        if (count == kEachOnce) throw;
        threads = worker;
      }
    }
    count_ = count, call_ = call, context_ = context;
    next_ = 0;
    active_ = threads, working_ = threads - 1;
    ++round_;
  }
  wake_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return working_ == 0; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WorkerPool::work(int worker) {
  try {
    if (count_ == kEachOnce)
      call_(context_, worker, worker);
    else
      for (int k = next_++; k < count_; k = next_++) call_(context_, worker, k);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_ = std::max(count_, 0);
  }
}

void WorkerPool::wait_for_work(int worker) {
  long seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || (round_ != seen && worker < active_); });
      if (stop_) return;
      seen = round_;
    }
    work(worker);
    const std::lock_guard lock(mutex_);
    if (--working_ == 0) done_.notify_one();
  }
}

}  // namespace stickslip::complementarity
