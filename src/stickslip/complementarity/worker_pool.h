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
// what the first one threw, when the others are done. No allocation once the threads exist. A process that was forked has
// none of the threads of its parent: a pool that comes with it starts others.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

namespace stickslip::complementarity {

class WorkerPool {
 public:
  WorkerPool();
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
  struct Crew;

  void run_shared(int threads, int count, Call call, void* context);

  std::unique_ptr<Crew> crew_;  // made when threads are first needed
};

}  // namespace stickslip::complementarity
