// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Studies that are killed at random moments, as a power cut or a scheduler would: after resuming, every trial is there
// once, and the table is that of an undisturbed run on one thread.
#include "tests/study/study_files.h"
#include "tests/support/command.h"

#include <signal.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

namespace stickslip::study {
namespace {

using testing::CommandOutcome;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(120);  // no run of these takes longer
// Kills that must meet a study at work, so that the test is one. Most do; how many depends on how fast the machine is.
constexpr int kLeast = 2;

class KilledStudy : public testing::CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("scene.toml", kSlidingBlock);
    write_study("2e-3");
  }

  // 2000 trials, each the longer the shorter its steps: there must be something left to kill.
  void write_study(const std::string& step) const {
    write("study.toml",
          "scene = \"scene.toml\"\ntrials = 2000\nsuccess = \"way < 0.15\"\nobjective = \"way\"\n"
          "[set]\n\"method.step\" = " +
              step + "\n[vary]\nmu = { uniform = [0.2, 0.8] }\nv = { normal = [1, 0.1] }\n");
  }

  std::string table(const std::string& store) const {
    const CommandOutcome outcome = run("study export " + store);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }

  // A process of its own group in the test's folder, silent.
  pid_t start(std::vector<std::string> words) const {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process to be had");  // -1 would kill everything
    if (child != 0) return child;
    setpgid(0, 0);
    if (chdir(folder_.c_str()) != 0 || std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(9);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(9);
  }

  static bool ends_within(pid_t child, std::chrono::seconds patience) {
    const auto begin = Clock::now();
    siginfo_t info{};
    for (; Clock::now() - begin < patience; std::this_thread::sleep_for(std::chrono::milliseconds(5)))
      if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0) {
        waitpid(child, nullptr, 0);
        return true;
      }
    return false;
  }

  // True when the process ended by itself and well.
  static bool wait_for(pid_t child) {
    const auto begin = Clock::now();
    int state = 0;
    while (waitpid(child, &state, WNOHANG) == 0) {
      if (Clock::now() - begin > kPatience) {
        ADD_FAILURE() << "a killed study hangs";
        kill(-child, SIGKILL);
        waitpid(child, &state, 0);
        return false;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
  }

  static void nap(std::mt19937& random, int most_milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution(1, most_milliseconds)(random)));
  }

  void expect_nothing_lost(const std::string& store) const {
    ASSERT_EQ(run("study study.toml --store whole.db --threads 1").code, 0);
    EXPECT_TRUE(table(store) == table("whole.db")) << "the table is not that of the undisturbed run";
  }

  // Kills the whole process again and again; how often it was still at work.
  int kill_threads(int kills) const {
    std::mt19937 random(1);
    int hits = 0;
    for (int i = 0; i < kills; ++i) {
      const pid_t child = start({tests::kCommand, "study", "study.toml", "--store", "cut.db", "--threads", "2"});
      nap(random, 100);
      kill(child, SIGKILL);
      if (!wait_for(child)) ++hits;
    }
    return hits;
  }
};

TEST_F(KilledStudy, LosesNothingOnThreads) {
  EXPECT_GE(kill_threads(8), kLeast) << "too few kills met a study at work";
  ASSERT_EQ(run("study study.toml --store cut.db --threads 2").code, 0);
  expect_nothing_lost("cut.db");
}

TEST_F(KilledStudy, SlowFiftyKillsLoseNothingOnThreads) {
  write_study("2e-4");
  EXPECT_GE(kill_threads(50), kLeast);
  ASSERT_EQ(run("study study.toml --store cut.db --threads 2").code, 0);
  expect_nothing_lost("cut.db");
}

class KilledMpiStudy : public KilledStudy {
 protected:
  static constexpr int kRanks = 4;

  void SetUp() override {
    // Some machines have OpenMPI and do not let it work (no network interface, no shared memory).
    const auto program = std::filesystem::path(tests::kCommand).parent_path() / "stickslip-mpi";
    const std::string attempt = "timeout 60 mpirun --allow-run-as-root --oversubscribe -n 2 '" + program.string() +
                                "' --help >/dev/null 2>&1 </dev/null";
    if (!std::filesystem::exists(program) || std::system(attempt.c_str()) != 0) GTEST_SKIP() << "needs OpenMPI";
    KilledStudy::SetUp();
  }
  void TearDown() override {
    if (!folder_.empty()) KilledStudy::TearDown();
  }

  pid_t start_mpi(bool recovers = false) const {
    std::vector<std::string> words{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", std::to_string(kRanks)};
    if (recovers) words.insert(words.begin() + 1, "--enable-recovery");
    for (const char* word : {tests::kCommand, "study", "study.toml", "--store", "cut.db"}) words.emplace_back(word);
    return start(words);
  }

  // The process of a rank: the child of mpirun with that rank in its environment; 0: there is none (yet, or any more).
  static pid_t process_of(pid_t mpirun, int rank) {
    const std::string mark = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    std::ifstream children("/proc/" + std::to_string(mpirun) + "/task/" + std::to_string(mpirun) + "/children");
    for (pid_t child = 0; children >> child;) {
      std::ifstream environment("/proc/" + std::to_string(child) + "/environ", std::ios::binary);
      for (std::string entry; std::getline(environment, entry, '\0');)
        if (entry == mark) return child;
    }
    return 0;
  }

  // The process that runs the trials of a rank, a child of the rank's own; waits for it. 0: the job has ended.
  static pid_t worker_of(pid_t mpirun, int rank) {
    const auto begin = Clock::now();
    while (Clock::now() - begin < kPatience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      siginfo_t info{};
      if (waitid(P_PID, static_cast<id_t>(mpirun), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0) break;
      const std::string parent = std::to_string(process_of(mpirun, rank));
      std::ifstream children("/proc/" + parent + "/task/" + parent + "/children");
      if (pid_t child = 0; children >> child) return child;
    }
    return 0;
  }

  // Kills one rank of a study in progress, then lets mpirun end; whether there was one to kill.
  static bool kill_rank(pid_t mpirun, int rank, std::mt19937& random) {
    pid_t victim = 0;
    const auto begin = Clock::now();
    while ((victim = process_of(mpirun, rank)) == 0 && waitpid(mpirun, nullptr, WNOHANG) == 0 &&
           Clock::now() - begin < kPatience)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (victim == 0) return false;
    nap(random, 400);  // from before MPI is up to the middle of the trials
    if (kill(victim, SIGKILL) != 0) return false;
    if (!ends_within(mpirun, std::chrono::seconds(15))) kill_all(mpirun);
    return true;
  }

  // OpenMPI's launcher waits for ever for a rank that died before MPI was up; its user (or Slurm) then ends the job.
  static void kill_all(pid_t mpirun) {
    for (int rank = 0; rank < kRanks; ++rank)
      if (const pid_t child = process_of(mpirun, rank); child != 0) kill(child, SIGKILL);
    kill(-mpirun, SIGKILL);
    wait_for(mpirun);
  }

  void kill_ranks(int kills) const {
    std::mt19937 random(2);
    int hits = 0;
    for (int i = 0; i < kills; ++i) {
      std::uniform_int_distribution<int> any(0, kRanks - 1);
      hits += kill_rank(start_mpi(), any(random), random) ? 1 : 0;
    }
    EXPECT_GE(hits, 1);
    EXPECT_TRUE(wait_for(start_mpi()));
    expect_nothing_lost("cut.db");
  }
};

TEST_F(KilledMpiStudy, JobGoesOnWhenProcessesThatRunTrialsAreLost) {
  write_study("5e-4");
  std::mt19937 random(3);
  const pid_t mpirun = start_mpi();
  int hits = 0;
  for (int i = 0; i < 6; ++i) {
    const pid_t victim = worker_of(mpirun, 1 + i % (kRanks - 1));
    if (victim <= 1) break;
    nap(random, 20);
    hits += kill(victim, SIGKILL) == 0 ? 1 : 0;
  }
  EXPECT_GE(hits, 1) << "no kill met a study at work";
  EXPECT_TRUE(wait_for(mpirun)) << "the job ended with its worker";
  expect_nothing_lost("cut.db");
}

TEST_F(KilledMpiStudy, SlowJobThatRecoversGoesOnWhenARankIsLost) {
  write_study("2e-4");
  const pid_t mpirun = start_mpi(true);
  ASSERT_GT(worker_of(mpirun, 2), 1);
  kill(process_of(mpirun, 2), SIGKILL);
  EXPECT_TRUE(wait_for(mpirun)) << "the job ended with a rank";
  expect_nothing_lost("cut.db");
}

TEST_F(KilledMpiStudy, LosesNothing) {
  kill_ranks(3);
}

TEST_F(KilledMpiStudy, SlowFiftyKillsLoseNothing) {
  write_study("2e-4");
  kill_ranks(50);
}

}  // namespace
}  // namespace stickslip::study
