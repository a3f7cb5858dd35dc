// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A few threads that wait for independent jobs: the one pool of the project, for the islands of a step, the parts of a
// problem, the trials of a study and the runs of a comparison. It lies here because this is the lowest layer that computes
// in parallel.
//
//     pool.run(threads, count, [&](int worker, int k) { ... });     // k = 0 .. count - 1, each once, in any order
//     pool.run_each(threads, [&](int worker) { ... });              // every worker once, at the same time
//
// The caller takes part as worker 0; the others are started when first asked for and sleep between runs. With one
// thread nothing is started and the jobs run in order. Which worker takes which job is left to chance: jobs must not
// depend on it, nor on each other. Where a job throws, those that no worker has taken yet are left out and run() throws
// what the first one threw, when the others are done. No allocation once the threads exist.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
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
        std::min(threads, count), count,
        [](void* context, int worker, int k) { (*static_cast<std::remove_reference_t<Job>*>(context))(worker, k); },
        &job);
  }
  // The caller is worker 0.
  template <class Job>
  void run_each(int threads, Job&& job) {
    if (threads <= 1) return job(0);
    run_shared(
        threads, kEachOnce,
        [](void* context, int worker, int) { (*static_cast<std::remove_reference_t<Job>*>(context))(worker); }, &job);
  }

 private:
  using Call = void (*)(void* context, int worker, int k);
  static constexpr int kEachOnce = -1;  // as the count of jobs

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
  std::exception_ptr failure_;
};

}  // namespace stickslip::complementarity
