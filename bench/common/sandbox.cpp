// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace stickslip::bench {
namespace {

constexpr int kPollMilliseconds = 5;
constexpr double kWallFactor = 8;  // a child that sleeps uses no processor time: it may live this much longer

void write_all(int pipe, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(pipe, next, size);
    if (written <= 0) _exit(3);
    next += written;
    size -= static_cast<std::size_t>(written);
  }
}

[[noreturn]] void run_child(const std::function<void(const Send&)>& work, int pipe) {
  // Foreign solvers talk; the benchmark's own table must stay readable.
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  work([pipe](const Message& message) {
    const std::uint64_t count = message.size();
    write_all(pipe, &count, sizeof count);
    write_all(pipe, message.data(), count * sizeof(double));
  });
  // An empty message tells a function that returned from one whose library called exit().
  const std::uint64_t end = 0;
  write_all(pipe, &end, sizeof end);
  _exit(0);
}

double cpu_seconds_of(pid_t child) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// Cuts complete messages off the front of the received bytes; true when the closing empty message was among them.
bool take_messages(std::vector<char>& bytes, std::vector<Message>& messages) {
  std::size_t at = 0;
  bool closed = false;
  while (!closed && bytes.size() - at >= sizeof(std::uint64_t)) {
    std::uint64_t count = 0;
    std::memcpy(&count, bytes.data() + at, sizeof count);
    const std::size_t size = sizeof count + count * sizeof(double);
    if (bytes.size() - at < size) break;
    closed = count == 0;
    if (!closed) {
      Message message(count);
      std::memcpy(message.data(), bytes.data() + at + sizeof count, count * sizeof(double));
      messages.push_back(std::move(message));
    }
    at += size;
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return closed;
}

ChildReport listen(pid_t child, int pipe, const ChildLimits& limits) {
  using Clock = std::chrono::steady_clock;
  ChildReport report;
  std::vector<char> bytes, chunk(1 << 16);
  double cpu_mark = cpu_seconds_of(child);
  Clock::time_point wall_mark = Clock::now();
  for (;;) {
    pollfd ready{pipe, POLLIN, 0};
    if (poll(&ready, 1, kPollMilliseconds) > 0) {
      const ssize_t count = read(pipe, chunk.data(), chunk.size());
      if (count <= 0) return report;  // closed without a farewell
      bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + count);
      const std::size_t before = report.messages.size();
      if (take_messages(bytes, report.messages)) {
        report.end = ChildEnd::Done;
        return report;
      }
      if (report.messages.size() > before) {
        cpu_mark = cpu_seconds_of(child);
        wall_mark = Clock::now();
      }
      continue;
    }
    const double limit = report.messages.empty() ? limits.preparation : limits.seconds_per_message;
    const double wall = std::chrono::duration<double>(Clock::now() - wall_mark).count();
    if (cpu_seconds_of(child) - cpu_mark > limit || wall > kWallFactor * limit) {
      report.end = ChildEnd::OutOfTime;
      return report;
    }
  }
}

}  // namespace

ChildReport run_in_child(const std::function<void(const Send&)>& work, const ChildLimits& limits) {
  int ends[2];
  std::fflush(nullptr);  // or the child would print our buffered text once more
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    run_child(work, ends[1]);
  }
  close(ends[1]);
  ChildReport report;
  if (child > 0) {
    report = listen(child, ends[0], limits);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  return report;
}

}  // namespace stickslip::bench
