// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/worker_pool.h"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace stickslip::complementarity {

// The threads and what they wait for.
struct WorkerPool::Crew {
  ~Crew();
  void run(int threads, int count, Call call, void* context);
  void work(int worker);
  void wait_for_work(int worker);

  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> members;
  long round = 0;  // number of the run that the threads are to take part in
  bool stop = false;
  int active = 0, working = 0;  // workers asked for, and those besides the caller that are not done yet
  int count = 0;
  Call call = nullptr;
  void* context = nullptr;
  std::atomic<int> next{0};
  std::exception_ptr failure;
};

WorkerPool::WorkerPool() = default;

WorkerPool::~WorkerPool() {
  if (crew_ && crew_->process != getpid()) (void)crew_.release();  // threads that are not here cannot be joined
}

void WorkerPool::run_shared(int threads, int count, Call call, void* context) {
  if (crew_ && crew_->process != getpid()) (void)crew_.release();
  if (!crew_) crew_ = std::make_unique<Crew>();
  crew_->run(threads, count, call, context);
}

WorkerPool::Crew::~Crew() {
  {
    const std::lock_guard lock(mutex);
    stop = true;
  }
  wake.notify_all();
  for (std::thread& thread : members) thread.join();
}

void WorkerPool::Crew::run(int threads, int jobs, Call each, void* of) {
  {
    const std::lock_guard lock(mutex);
    while (static_cast<int>(members.size()) < threads - 1) {
      const int worker = static_cast<int>(members.size()) + 1;
      try {
        members.emplace_back([this, worker] { wait_for_work(worker); });
      } catch (const std::system_error&) {  // no more threads (none at all in a browser): the others do the work
        if (jobs == kEachOnce) throw;
        threads = worker;
      }
    }
    count = jobs, call = each, context = of;
    next = 0;
    active = threads, working = threads - 1;
    ++round;
  }
  wake.notify_all();
  work(0);
  std::unique_lock lock(mutex);
  done.wait(lock, [this] { return working == 0; });
  if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

void WorkerPool::Crew::work(int worker) {
  try {
    if (count == kEachOnce)
      call(context, worker, worker);
    else
      for (int k = next++; k < count; k = next++) call(context, worker, k);
  } catch (...) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    next = std::max(count, 0);
  }
}

void WorkerPool::Crew::wait_for_work(int worker) {
  long seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return stop || (round != seen && worker < active); });
      if (stop) return;
      seen = round;
    }
    work(worker);
    const std::lock_guard lock(mutex);
    if (--working == 0) done.notify_one();
  }
}

}  // namespace stickslip::complementarity
