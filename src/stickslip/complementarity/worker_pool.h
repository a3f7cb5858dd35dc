// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A few threads that wait for independent jobs.
//
//     pool.run(threads, count, [&](int worker, int k) { ... });     // k = 0 .. count - 1, each once, in any order
//
// The caller takes part as worker 0; the others are started when first asked for and sleep between runs. With one
// thread nothing is started and the jobs run in order. Which worker takes which job is left to chance: jobs must not
// depend on it, nor on each other. Jobs must not throw. No allocation once the threads exist.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace stickslip::complementarity {

class WorkerPool {
 public:
  WorkerPool() = default;
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  template <class Job>
  void run(int threads, int count, Job&& job) {
    if (threads <= 1 || count <= 1) {
      for (int k = 0; k < count; ++k) job(0, k);
      return;
    }
    run_shared(
        threads, count, [](void* context, int worker, int k) { (*static_cast<Job*>(context))(worker, k); }, &job);
  }

 private:
  using Call = void (*)(void* context, int worker, int k);

  void run_shared(int threads, int count, Call call, void* context);
  void work(int worker);
  void wait_for_work(int worker);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  long round_ = 0;  // number of the run that the threads are to take part in
  bool stop_ = false;
  int active_ = 0, working_ = 0;  // workers asked for, and those besides the caller that are not done yet
  int count_ = 0;
  Call call_ = nullptr;
  void* context_ = nullptr;
  std::atomic<int> next_{0};
};

}  // namespace stickslip::complementarity
