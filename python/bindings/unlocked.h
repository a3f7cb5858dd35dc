// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The interpreter lock is released while the library works long. Plug-ins add their names to registries that everything
// reads without a lock, so they are refused meanwhile: who works is counted.
//
// Threads that still work when the interpreter ends (daemons) would be ended by it where they ask for its lock, by unwinding
// their stack, which destructors of C++ turn into an abort; and what they work on would be destroyed below them when the
// process ends. Before that, whoever works is told to come to an end (ending()), is waited for, and then waits for the end
// of the process where it would take the lock, as threads of Python itself do from 3.14 on.
#pragma once

#include <cxxabi.h>
#include <pthread.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace stickslip::python {

class Unlocked {
 public:
  Unlocked() {
    state_ = PyEval_SaveThread();
    enter();
    if (must_wait()) wait_for_the_end();
  }
  ~Unlocked() {
    if (must_wait()) wait_for_the_end();
    take(state_);
    leave();
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  static void require_none(const char* what) {
    if (working_ > 0)
      throw std::runtime_error(std::string(what) + " while runs or solvers are at work, in this thread or another");
  }

  // For loops that ask whether to go on.
  [[nodiscard]] static bool ending() { return must_wait(); }
  // Of threads that do not hold the lock and must not take it any more.
  [[nodiscard]] static bool must_wait() { return ending_.load() && std::this_thread::get_id() != last_; }
  [[noreturn]] static void wait_for_the_end() {
    working_ -= depth_;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

  // Once for each module.
  static void end_with_the_interpreter() {
    pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function([] {
      last_ = std::this_thread::get_id();  // functions that are called later in this thread may still use everything
      ending_ = true;
      const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
      const pybind11::gil_scoped_release released;
      while (working_ > 0 && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }));
    pthread_atfork(nullptr, nullptr, [] { working_ = depth_; });  // the only thread that goes on in the new process
  }

 private:
  static void enter() { ++working_, ++depth_; }
  static void leave() { --working_, --depth_; }
  static void take(PyThreadState* state) {
    try {
      PyEval_RestoreThread(state);
    } catch (abi::__forced_unwind&) {
      wait_for_the_end();
    }
  }

  inline static std::atomic<int> working_ = 0;
  inline static thread_local int depth_ = 0;  // how many of `working_` are this thread's
  inline static std::atomic<bool> ending_ = false;
  inline static std::thread::id last_;  // the thread in which the interpreter ends

  PyThreadState* state_;
};

// ask: whatever may take the lock or run Python.
template <typename Ask>
decltype(auto) or_wait_for_the_end(const Ask& ask) {
  try {
    return ask();
  } catch (abi::__forced_unwind&) {
    Unlocked::wait_for_the_end();
  }
}

// The lock again, while something unlocked waits.
class Locked {
 public:
  Locked() {
    if (Unlocked::must_wait()) Unlocked::wait_for_the_end();
    state_ = or_wait_for_the_end([] { return PyGILState_Ensure(); });
  }
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace stickslip::python
