// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Islands solved by several threads: the same bits whatever their number.
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/complementarity/worker_pool.h"
#include "tests/problems/contact_generators.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace stickslip::complementarity {
namespace {

// Several problems of one dimension side by side: each is one island or more.
ContactProblem side_by_side(const std::vector<ContactProblem>& parts) {
  ContactProblem out;
  out.W.block_size = parts.front().dimension();
  for (const ContactProblem& part : parts) {
    const int contacts = out.contacts(), blocks = static_cast<int>(out.W.column.size());
    for (int c : part.W.column) out.W.column.push_back(c + contacts);
    for (int d : part.W.diagonal) out.W.diagonal.push_back(d + blocks);
    for (int i = 1; i <= part.contacts(); ++i) out.W.row_start.push_back(part.W.row_start[i] + blocks);
    out.W.value.insert(out.W.value.end(), part.W.value.begin(), part.W.value.end());
    out.q.insert(out.q.end(), part.q.begin(), part.q.end());
    out.mu.insert(out.mu.end(), part.mu.begin(), part.mu.end());
  }
  return out;
}

TEST(ContactThreads, GiveTheSameBitsForAnyNumber) {
  for (int D : {2, 3}) {
    std::vector<ContactProblem> parts;
    for (std::uint64_t seed = 1; parts.size() < 15; ++seed) {
      const RandomContactProblem random = random_contact_problem(seed);
      if (random.problem.dimension() == D && random.problem.kind.empty()) parts.push_back(random.problem);
    }
    const ContactProblem problem = side_by_side(parts);
    ASSERT_EQ(validate(problem), "");
    std::vector<double> expected;
    SolverSummary summary;
    for (int threads : {1, 2, 5, 1000}) {
      ContactSolver solver;
      SolverOptions options;
      options.threads = threads;
      for (int repetition = 0; repetition < 2; ++repetition) {  // the pool is used again
        std::vector<double> r;
        const SolverSummary now = solver.solve(problem, r, options);
        if (expected.empty()) expected = r, summary = now;
        ASSERT_EQ(r.size(), expected.size());
        EXPECT_EQ(std::memcmp(r.data(), expected.data(), r.size() * sizeof(double)), 0) << threads << " threads";
        EXPECT_EQ(now.status, summary.status);
        EXPECT_EQ(now.iterations, summary.iterations);
        EXPECT_STREQ(now.solver, summary.solver);
        EXPECT_EQ(now.blocks, summary.blocks);
      }
    }
    EXPECT_GE(summary.blocks, 15);
    EXPECT_TRUE(summary.solved());
  }
}

TEST(WorkerPool, RunsEveryJobOnce) {
  WorkerPool pool;
  for (int threads : {1, 4, 2, 5})
    for (int count : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
      pool.run(threads, count, [&](int worker, int k) {
        EXPECT_LT(worker, threads);
        ++times[static_cast<std::size_t>(k)];
      });
      for (const auto& t : times) EXPECT_EQ(t.load(), 1);
    }
}

// All workers are there at the same time: each waits until the others have come.
TEST(WorkerPool, RunsEveryWorkerOnce) {
  WorkerPool pool;
  for (int threads : {1, 4, 2, 5}) {
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(threads));
    std::atomic<int> arrived = 0;
    pool.run_each(threads, [&](int worker) {
      ++times[static_cast<std::size_t>(worker)];
      ++arrived;
      while (arrived < threads) std::this_thread::yield();
    });
    for (const auto& t : times) EXPECT_EQ(t.load(), 1);
  }
}

TEST(WorkerPool, ThrowsWhatAJobThrew) {
  WorkerPool pool;
  for (int threads : {1, 4}) {
    std::atomic<int> done = 0;
    auto job = [&](int, int k) {
      if (k == 100) throw std::runtime_error("job 100");
      ++done;
    };
    EXPECT_THROW(pool.run(threads, 1'000'000, job), std::runtime_error);
    EXPECT_GE(done, 100 - threads);
    EXPECT_LT(done, 999'999);    // the rest is left out
    pool.run(threads, 50, job);  // and the pool goes on
  }
}

}  // namespace
}  // namespace stickslip::complementarity
