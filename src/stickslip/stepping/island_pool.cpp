// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/island_pool.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace stickslip::stepping {

// Threads that wait for a batch of islands and take them one by one.
struct IslandPool::Workers {
  struct Worker {
    ProblemSolver solver;
    std::thread thread;
  };

  explicit Workers(int count) : workers(static_cast<std::size_t>(count)) {
    for (Worker& worker : workers) worker.thread = std::thread([this, &worker] { serve(worker); });
  }
  ~Workers() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (Worker& worker : workers) worker.thread.join();
  }

  void run(const Method& method_in, std::span<contact::Island> islands_in, ProblemSolver& own) {
    {
      const std::lock_guard lock(mutex);
      method = &method_in;
      islands = islands_in;
      next = 0;
      busy = workers.size();
      ++batch;
    }
    wake.notify_all();
    take_islands(own);
    std::unique_lock lock(mutex);
    done.wait(lock, [this] { return busy == 0; });
  }

  void take_islands(ProblemSolver& solver) {
    for (std::size_t k = next++; k < islands.size(); k = next++) solver.solve(*method, islands[k]);
  }

  void serve(Worker& worker) {
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stop || batch != seen; });
      if (stop) return;
      seen = batch;
      lock.unlock();
      take_islands(worker.solver);
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
  }

  std::vector<Worker> workers;
  std::mutex mutex;
  std::condition_variable wake, done;
  const Method* method = nullptr;
  std::span<contact::Island> islands;
  std::atomic<std::size_t> next = 0;
  std::size_t busy = 0, batch = 0;
  bool stop = false;
};

IslandPool::IslandPool() = default;
IslandPool::~IslandPool() = default;

bool IslandPool::solve(const Method& method, std::span<contact::Island> islands) {
  // Waking a thread costs some ten microseconds: a few small islands are faster alone.
  constexpr std::size_t kWorthSharing = 64;  // contacts
  std::size_t contacts = 0;
  for (const contact::Island& island : islands) contacts += island.contacts.size();
  if (method.threads > 1 && islands.size() > 1 && contacts >= kWorthSharing) {
    if (!workers_) workers_ = std::make_unique<Workers>(method.threads - 1);
    workers_->run(method, islands, solver_);
  } else {
    for (contact::Island& island : islands) solver_.solve(method, island);
  }
  bool certified = true;
  for (const contact::Island& island : islands) certified &= island.summary.solved();
  return certified;
}

}  // namespace stickslip::stepping
